"""Files that a scenario names, and scenario files: what is wrong with them is told with the file and the line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from motecast.core import ConfigError
from motecast.sim import deploy, read_scenario, scenario_of
from tests.sim.plain import PLAIN

FILES: list[tuple[str, dict[str, Any], str]] = [
    ("", {"nodes.n.file": "f.csv"}, "no rows; the first line names the columns, the others are values"),
    ("x,y\n", {"nodes.n.file": "f.csv"}, "no rows; the first line names the columns, the others are values"),
    ("a,b\n1,2\n", {"nodes.n.file": "f.csv"}, "columns a, b; a file of positions has x and y, or lat and lon"),
    ("x,lat\n1,2\n", {"nodes.n.file": "f.csv"}, "columns x, lat; a file of positions has x and y, or lat and lon"),
    ("x,y\n1,2\n", {"nodes.n.file": "f.csv"}, "1 positions, but [nodes.n] count = 5"),
    ("x,y\n1,2\n3,y\n", {"nodes.n": {"file": "f.csv"}}, "3: y = 'y': expected a finite number"),
    ("x,y\n1,nan\n", {"nodes.n": {"file": "f.csv"}}, "2: y = 'nan': expected a finite number"),
    ("x,y\n1\n", {"nodes.n": {"file": "f.csv"}}, "2: y = '': expected a finite number"),
    ("x,y\n1,1e300\n", {"nodes.n": {"file": "f.csv"}}, "2: y = '1e300': allowed: -1e+09 to 1e+09 m"),
    ("lat,lon\n91,0\n", {"nodes.n": {"file": "f.csv"}}, "2: lat = '91': allowed: -90 to 90 degrees"),
    ("lat,lon\n1,-181\n", {"nodes.n": {"file": "f.csv"}}, "2: lon = '-181': allowed: -180 to 180 degrees"),
    ("x,y\n1,2,3\n", {"nodes.n": {"file": "f.csv"}}, "2: 3 cells, but the first line names 2 columns"),
    ("x,x\n1,2\n", {"nodes.n": {"file": "f.csv"}}, "1: column 2: 'x': expected a name, and each only once"),
    ("x,y,\n1,2,\n", {"nodes.n": {"file": "f.csv"}}, "1: column 3: '': expected a name, and each only once"),
    ('x,y\n1,"2\n', {"nodes.n": {"file": "f.csv"}}, "no CSV file: unexpected end of data"),
    ("\udcff", {"nodes.n": {"file": "f.csv"}}, "no CSV file: no text in UTF-8"),
    ("a,c\n1,2\n", {"medium": {"kind": "graph", "file": "f.csv"}}, "columns a, c; a file of links has a and b"),
    ("a,b\n1,7\n", {"medium": {"kind": "graph", "file": "f.csv"}}, "2: b = '7': expected a node from 0 to 6"),
    ("a,b\n-1,2\n", {"medium": {"kind": "graph", "file": "f.csv"}}, "2: a = '-1': expected a node from 0 to 6"),
    (
        "when\n1\n",
        {"workload.n.publish.file": "f.csv"},
        "columns when; a file of readings has node, when and the attributes",
    ),
    ("node,when\n9,1\n", {"workload.n.publish.file": "f.csv"}, "2: node = '9': expected a node from 0 to 6"),
    ("node,when\n1.5,1\n", {"workload.n.publish.file": "f.csv"}, "2: node = '1.5': expected a node from 0 to 6"),
    ("node,when\n1,-1\n", {"workload.n.publish.file": "f.csv"}, "2: when = '-1': expected seconds, 0 or more"),
    ("node,when\n1,x\n", {"workload.n.publish.file": "f.csv"}, "2: when = 'x': expected a finite number"),
    (
        "node,when,topic\n1,1,a/#\n",
        {"workload.n.publish.file": "f.csv"},
        "2: topic = 'a/#': a topic holds no '#'; expected a wildcard in filters only",
    ),
]


@pytest.mark.parametrize("text, settings, message", FILES)
def test_a_broken_file_is_told_with_its_line(tmp_path: Path, text: str, settings: dict[str, Any], message: str) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError) as caught:
        deploy(scenario_of(PLAIN, tmp_path, settings))
    colon = ":" if message[0].isdecimal() and message.partition(":")[0].isdecimal() else ": "
    assert str(caught.value) == f"{path}{colon}{message}"


def test_a_missing_file_and_one_that_is_none(tmp_path: Path) -> None:
    for name, said in (("no.csv", "no such file or directory"), (".", "is a directory"), ("a\0b", "cannot be read")):
        with pytest.raises(ConfigError, match=said):
            deploy(scenario_of(PLAIN, tmp_path, {"nodes.n": {"file": name}}))


def test_metres_and_degrees_do_not_mix(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("lat,lon\n1,2\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="some classes have positions in degrees and others in metres"):
        deploy(scenario_of(PLAIN, tmp_path, {"nodes.n": {"file": "f.csv"}}))


def test_a_fault_at_a_node_that_a_file_does_not_have(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    settings = {"nodes": {"n": {"file": "f.csv"}, "sub": {"count": 1}}}
    for fault in ({"do": "crash", "node": 2}, {"do": "partition", "groups": [[0], [2]]}):
        scenario = scenario_of(PLAIN, tmp_path, {**settings, "faults": {"schedule": [{**fault, "when": 1.0}]}})
        with pytest.raises(ConfigError, match=r"^faults.schedule\[0\]: node 2: this field has nodes 0 to 1$"):
            deploy(scenario)


@pytest.mark.parametrize(
    "text, message",
    [
        ("name = ", "no TOML: invalid value (at end of document)"),
        ("\udcff", "no text in UTF-8"),
        ("a = " + "[" * 5000, "no TOML: nested too deeply"),
        (
            "a = " + "9" * 5000,
            "no TOML: a number with too many digits",
        ),
        ("stack = 'flood'", "the scenario: nodes is missing"),
        (
            "stack = 'flood'\nname = 1979-05-27\n[nodes.n]\ncount = 1",
            "name = datetime.date(1979, 5, 27): allowed: a text",
        ),
    ],
)
def test_a_broken_scenario_file_is_told_with_its_name(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "s.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError) as caught:
        read_scenario(path)
    assert str(caught.value) == f"{path}: {message}"


def test_a_scenario_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no.toml: no such file or directory$"):
        read_scenario(tmp_path / "no.toml")
    with pytest.raises(ConfigError, match=r": is a directory$"):
        read_scenario(tmp_path)
