"""docs/reference/scenario.md says what the code says."""

from __future__ import annotations

import re
import tomllib

import msgspec

from motecast.sim import deploy, scenario_of
from tools.scenario_page import HIDDEN, PAGE, SECTIONS, page

ROW = re.compile(r"^\| `(\w+)` \| (.*) \| (.*) \| (.*) \| (.*) \|$", re.MULTILINE)
TABLES = {"field", "medium", "energy", "mobility", "faults", "workload", "beacon"}  # with sections of their own


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run tools/scenario_page.py, then read the diff"


def test_every_key_of_every_table_is_on_the_page_and_says_what_it_means() -> None:
    rows = ROW.findall(page())
    wanted = {field.name for _, table in SECTIONS for field in msgspec.structs.fields(table)} - HIDDEN
    assert {name for name, *_ in rows} == wanted
    assert [name for name, _, _, unit, meaning in rows if not (unit or meaning or name in TABLES)] == []
    assert all(value for _, value, *_ in rows)


def test_the_example_of_the_page_runs() -> None:
    [text] = re.findall(r"```toml\n(.*?)```", page(), re.DOTALL)
    assert len(deploy(scenario_of(tomllib.loads(text))).positions) == 50
