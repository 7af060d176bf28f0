"""The how-to "import movement and contacts": its export runs, and what it writes is taken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from motecast.sim import deploy, read_scenario

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "howto" / "import-movement.md"


def test_what_the_page_exports_is_what_a_scenario_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").mkdir()
    for name in ("examples/ced.toml", "ced.toml"):
        (tmp_path / name).write_text((ROOT / "examples" / "ced.toml").read_text())
    monkeypatch.chdir(tmp_path)
    [program] = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(program, names)  # noqa: S102  # it is the page that is tested
    plans = [
        deploy(read_scenario("ced.toml", settings)).plan
        for settings in (
            {},
            {"nodes.subscriber.mobility": {"kind": "one", "file": "walk.one"}},
            {"medium": {"kind": "contacts", "file": "contacts.txt"}},
            {"medium.plan": "plan.parquet"},
        )
    ]
    assert plans[0] is not None
    assert all(plan == plans[0] for plan in plans)
