"""What a user sees of a bad filter: the whole report, word for word."""

from __future__ import annotations

import pickle

import pytest

from motecast.filters import FilterError, Place, parse
from motecast.filters.errors import WINDOW, quoted

A_VALUE = "an attribute or a literal"
A_TERM = "an attribute, a literal, NOT or '('"
COMPARISON = "a comparison (= != < <= > >=)"
AFTER_A_NAME = f"{COMPARISON}, BETWEEN, IN, LIKE, IS, AND, OR, NOT or the end"
INSIDE = "inside(x0, y0, x1, y1) for a rectangle, or 3 to 64 corners x, y of a polygon"
WITHIN_GEO = "within_geo(lat, lon, metres) with -90 <= lat <= 90, -180 <= lon <= 180, metres >= 0"

# The filter, the column of the caret, the message.
BAD = [
    ("", 1, f"the filter is empty; expected {A_TERM}"),
    ("temp >", 7, f"the filter ends after '>'; expected {A_VALUE}"),
    ("temp >> 3", 7, f"'>' is out of place; expected {A_VALUE}"),
    ("x == 2", 3, "'==' is not a comparison; expected '='"),
    ("a => 3", 3, "'=>' is not a comparison; expected '>='"),
    ("a =< 3", 3, "'=<' is not a comparison; expected '<='"),
    ("a ! = 3", 3, "'!' is not part of the language; expected NOT, or != for 'differs from'"),
    ("a < = 3", 3, "'< =' is not a comparison; expected '<='"),
    ("a && b", 3, "'&' is not part of the language; expected AND"),
    ("a || b", 3, "'|' is not part of the language; expected OR"),
    ("a b", 3, f"'b' is out of place; expected {AFTER_A_NAME}"),
    ("NOT", 4, f"the filter ends after 'NOT'; expected {A_TERM}"),
    ("a)", 2, "')' is out of place; expected the end"),
    ("(a", 3, "the filter ends after 'a'; expected ')'"),
    (".a", 1, f"'.' is out of place; expected {A_TERM}"),
    ("a.b.", 5, "the filter ends after '.'; expected an attribute"),
    ("a = 1 + 2", 7, "'+': a filter does not calculate; expected a comparison with a literal"),
    ("a -- c", 3, "'-': a filter does not calculate; expected a comparison with a literal"),
    ("a; DROP", 2, "';' is not part of the language; expected an attribute, a literal or '('"),
    ("x = NULL", 5, "nothing equals NULL; expected IS NULL or IS NOT NULL"),
    ("1 = 1", 5, "'1' is out of place; expected an attribute"),
    ("5", 2, f"the filter ends after '5'; expected {COMPARISON}"),
    ("x = 3 4", 7, "'4' is out of place; expected AND, OR or the end"),
    ("a IS 3", 6, "'3' is out of place; expected NULL or NOT"),
    ("a IS NOT 3", 10, "'3' is out of place; expected NULL"),
    ("a NOT 3", 7, "'3' is out of place; expected BETWEEN, IN or LIKE"),
    ("a BETWEEN 1", 12, "the filter ends after '1'; expected AND"),
    ("a BETWEEN 1 AND", 16, "the filter ends after 'AND'; expected a literal"),
    ("x IN ()", 7, "')' is out of place; expected a literal"),
    ("x IN (1,", 9, "the filter ends after ','; expected a literal"),
    ("x IN (1 2)", 9, "'2' is out of place; expected ',' or ')'"),
    ("a IN 3", 6, "'3' is out of place; expected '('"),
    ("x LIKE 3", 8, "'3' is out of place; expected a string"),
    ("x LIKE 'a' ESCAPE 'ab'", 19, "\"'ab'\" cannot be an escape; expected one character, not % and not _"),
    ("x LIKE 'a' ESCAPE '%'", 19, "\"'%'\" cannot be an escape; expected one character, not % and not _"),
    ("x LIKE 'a!' ESCAPE '!'", 8, "\"'a!'\": after the escape character comes %, _ or itself, not the end"),
    ("x LIKE '!a' ESCAPE '!'", 8, "\"'!a'\": after the escape character comes %, _ or itself, not a"),
    ("temp > 'x", 8, "this string is not closed; expected a closing '"),
    ('a = "b', 5, 'this double-quoted text is not closed; expected a closing "'),
    ("`a > 3", 1, "this back-quoted name is not closed; expected a closing `"),
    ("`` > 3", 1, "a back-quoted name is empty; expected a name between back quotes"),
    ("a > 1e999", 5, "'1e999' is not a finite number; expected at most 1.7976931348623157e308"),
    ("a > nan", 5, "'nan' is not a finite number; expected a number such as 1e9; an attribute is spelled `nan`"),
    ("a > ½", 5, "'½' is neither a number nor a name; expected a name such as `½` in back quotes"),
    ("wihtin(1,2,3)", 1, "there is no function 'wihtin'; expected within(...)"),
    ("foo(1)", 1, "there is no function 'foo'; expected within(...), inside(...), within_geo(...)"),
    ("within(1,2)", 1, "within(1, 2) makes no sense; expected within(x, y, radius) with a radius of 0 or more"),
    ("within(1,2,-3)", 1, "within(1, 2, -3) makes no sense; expected within(x, y, radius) with a radius of 0 or more"),
    ("within(a,2,3)", 8, "'a' is out of place; expected a number"),
    ("within(1e101,2,3)", 8, "'1e101' is too far away; expected at most 1e+100"),
    (
        "inside(1,2,3)",
        1,
        f"inside(1, 2, 3) makes no sense; expected {INSIDE}",
    ),
    (
        "inside(0,0, 1,1e-320, 2,2)",
        1,
        "two corners of the polygon are too close to tell which is lower; expected corners further apart",
    ),
    (
        "within_geo(91,0,1)",
        1,
        f"within_geo(91, 0, 1) makes no sense; expected {WITHIN_GEO}",
    ),
    ("a = '\ud800'", 6, "half a character (a lone surrogate); expected text that UTF-8 can hold"),
]


@pytest.mark.parametrize(("where", "column", "message"), BAD)
def test_a_bad_filter_shows_the_place_and_what_was_expected(where: str, column: int, message: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse(where)
    shown = where.replace("\ud800", "·")
    assert str(caught.value) == f"{shown}\n{' ' * (column - 1)}^\n{message}"
    assert caught.value.line == f"line 1, column {column}: {message}"


def test_the_caret_stands_in_the_line_that_is_wrong() -> None:
    with pytest.raises(FilterError) as caught:
        parse("temp > 20 AND\n  kind IN ('a', b)\n  AND muted")
    assert str(caught.value).startswith("  kind IN ('a', b)\n                ^\n'b' is out of place")
    assert caught.value.place == Place(2, 17)


def test_a_long_line_is_shown_around_the_place() -> None:
    where = "a > 1 AND " * 20 + "b >> 2" + " AND c > 3" * 20
    with pytest.raises(FilterError) as caught:
        parse(where)
    shown, caret, _ = str(caught.value).split("\n")
    assert len(shown) == WINDOW + 2
    assert shown[0] == shown[-1] == "…"
    assert shown[len(caret) - 3 : len(caret) + 2] == " >> 2"


def test_a_long_line_that_ends_badly_is_shown_to_its_end() -> None:
    with pytest.raises(FilterError) as caught:
        parse("a > 1 AND " * 20)
    shown, caret, _ = str(caught.value).split("\n")
    assert shown.startswith("…")
    assert shown.endswith("AND ")
    assert len(caret) == len(shown)  # after the last word


def test_control_characters_never_reach_the_terminal() -> None:
    with pytest.raises(FilterError) as caught:
        parse("a > \x1b[31m\x07")
    assert "\x1b" not in str(caught.value)
    assert str(caught.value).startswith("a > ·[31m·\n    ^\n'·' is not")


def test_a_filter_error_survives_pickling_with_all_it_knows() -> None:
    with pytest.raises(FilterError) as caught:
        parse("a b")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert (again.where, again.offset, again.expected) == ("a b", 2, AFTER_A_NAME)


def test_quoted_text_is_short_and_keeps_its_quotes_apart() -> None:
    assert quoted("it's") == '"it\'s"'
    assert quoted("a" * 24) == f"'{'a' * 24}'"
    assert quoted("a" * 25) == f"'{'a' * 23}…'"
