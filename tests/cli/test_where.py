"""`motecast where check`: what it prints, and its one complaint for each kind of mistake."""

from __future__ import annotations

import json

import pytest

from motecast.cli import main

FILTER = 'temp > 20 AND kind IN ("smoke")'


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["where", "check", *arguments])
    return code, *capsys.readouterr()


PRINTED = """\
filter      kind = 'smoke' AND temp > 20
attributes  kind, temp
box 1       kind in {'smoke'}, temp in (20, ∞]
  residual  nothing

SQL for Spark, if the columns are kind string, temp double:
((`kind` = 'smoke') AND (nanvl(`temp`, NULL) > 20.0D))
"""


def test_check_prints_everything_that_becomes_of_a_filter(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, FILTER) == (0, PRINTED, "")


def test_check_prints_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = told(capsys, "temp <= 20 AND s LIKE 'a%'", "--event", '{"temp": 20, "s": "ab"}', "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "filter": "s LIKE 'a%' AND temp <= 20",
        "attributes": ["s", "temp"],
        "boxes": [
            {
                "sides": {"temp": {"low": None, "low_open": False, "high": 20, "high_open": False}},
                "residual": "s LIKE 'a%'",
            }
        ],
        "columns": {"s": "string", "temp": "double"},
        "sql": "((`s` LIKE 'a%' ESCAPE '!') AND (nanvl(`temp`, NULL) <= 20.0D))",
        "event": {"result": True, "matches": True},
    }


@pytest.mark.parametrize(
    ("event", "result", "words"),
    [
        ('{"temp": 21, "kind": "smoke"}', True, "TRUE: it matches"),
        ('{"temp": 20, "kind": "smoke"}', False, "FALSE: it does not match"),
        ('{"temp": 21}', None, "NULL: it does not match"),
        ('{"temp": NaN, "kind": "smoke"}', None, "NULL: it does not match"),
        ('{"temp": "21", "kind": "smoke"}', None, "NULL: it does not match"),
    ],
)
def test_check_tries_an_event(capsys: pytest.CaptureFixture[str], event: str, result: bool | None, words: str) -> None:
    code, out, _ = told(capsys, FILTER, "--event", event)
    assert code == 0
    assert f"event       {words}\n" in out
    _, out, _ = told(capsys, FILTER, "--event", event, "--json")
    assert json.loads(out)["event"] == {"result": result, "matches": result is True}


def test_the_types_of_columns_can_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    where = "temp > 20.5 AND w.`a.b` = 1"
    _, out, _ = told(capsys, where, "--column", "temp=int", "--column", "w.`a.b`=variant", "--json")
    found = json.loads(out)
    assert found["columns"] == {"temp": "int", 'w."a.b"': "variant"}
    assert "`temp` > 20L" in found["sql"]
    assert "schema_of_variant(`w`.`a.b`)" in found["sql"]


def test_each_box_is_shown_with_what_remains_to_be_asked(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = told(capsys, "a >= 1 AND a < 2.5 OR s LIKE 'x%'")
    assert "box 1       a in [1, 2.5)\n  residual  nothing\n" in out
    assert "box 2       everything\n  residual  s LIKE 'x%'\n" in out


def test_a_filter_that_never_or_always_matches_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert "attributes  none\nboxes       none: it never matches\n" in told(capsys, "FALSE")[1]
    assert "box 1       everything\n" in told(capsys, "TRUE")[1]


def test_a_bad_filter_is_shown_with_a_caret_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = told(capsys, "temp >> 3", "--json")
    assert (code, out) == (2, "")
    head, shown, caret, message = err.splitlines()
    assert head.startswith("motecast: ")
    assert (shown, caret) == ("temp >> 3", "      ^")
    assert message == "'>' is out of place; expected an attribute or a literal"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--event", "[1]"], '--event: [1] is no JSON object such as {"temp": 21}'),
        (["--event", "{a"], "--event: Expecting property name enclosed in double quotes: line 1 column 2 (char 1); "),
        (["--event", "[" * 100_000], "--event: "),
        (["--column", "temp"], "--column: 'temp' is not of the form name=type, such as temp=int"),
        (["--column", "temp=bigit"], "--column temp: no type 'bigit'; did you mean 'bigint'? known: bigint, boolean"),
        (["--column", "1=int"], "--column: '1' is no attribute; one is spelled as in a filter: temp or weather.temp"),
        (["--column", "a IS NULL AND b=int"], "--column: 'a IS NULL AND b' is no attribute; "),
    ],
)
def test_a_bad_option_is_told_in_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], line: str) -> None:
    code, out, err = told(capsys, "temp > 20", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"motecast: {line}")
    assert err.count("\n") == 1
