"""Number literals fitted to a column's type: the same answers as Python's exact comparison."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.filters.columns import FLOAT, INTEGER
from motecast.filters.fitting import Fitted, fitted
from motecast.filters.values import COMPARISONS
from tests.strategies_filters import BIG, FLOATS, HUGE, INTEGERS, NUMBERS, SYMBOLS

VALUES = {
    INTEGER: INTEGERS | st.integers(-(2**63), 2**63 - 1),
    FLOAT: FLOATS | st.sampled_from([float("inf"), float("-inf"), 1.7976931348623157e308]) | st.floats(allow_nan=False),
}


def answer(fit: Fitted, value: float) -> bool:
    return fit if isinstance(fit, bool) else COMPARISONS[fit[0]](value, fit[1])


@pytest.mark.fuzz
@pytest.mark.parametrize("column", [INTEGER, FLOAT])
@given(data=st.data(), symbol=st.sampled_from(SYMBOLS), number=NUMBERS | HUGE | st.floats(-5, 5))
def test_the_fitted_comparison_gives_the_same_answers(
    column: str, data: st.DataObject, symbol: str, number: float
) -> None:
    value = data.draw(VALUES[column])
    fit = fitted(column, symbol, number)
    assert answer(fit, value) is COMPARISONS[symbol](value, number)
    if not isinstance(fit, bool):
        assert type(fit[1]) is (int if column == INTEGER else float)
        assert column == FLOAT or -(2**63) <= fit[1] < 2**63


@pytest.mark.parametrize(
    ("column", "symbol", "number", "expected"),
    [
        (INTEGER, "<", 2.5, ("<", 3)),
        (INTEGER, "<=", 2.5, ("<=", 2)),
        (INTEGER, ">", -2.5, (">", -3)),
        (INTEGER, ">=", -2.5, (">=", -2)),
        (INTEGER, "!=", 2.5, True),
        (INTEGER, "=", 2**63, False),
        (INTEGER, "=", -(2**63) - 1, False),
        (INTEGER, "!=", -(2**63) - 1, True),
        (INTEGER, "=", 2**63 - 1, ("=", 2**63 - 1)),
        (INTEGER, ">", -(2**63), (">", -(2**63))),
        (INTEGER, "<", 2**63, True),
        (INTEGER, ">", 2**63, False),
        (INTEGER, ">", -(10**30), True),
        (INTEGER, "<", -(10**30), False),
        (FLOAT, "=", BIG + 1, False),
        (FLOAT, ">", BIG + 1, (">", float(BIG))),
        (FLOAT, "<", BIG + 1, ("<=", float(BIG))),
        (FLOAT, ">", -BIG - 1, (">=", -float(BIG))),
        (FLOAT, "<=", -BIG - 1, ("<", -float(BIG))),
        (FLOAT, "<", 10**400, ("<=", 1.7976931348623157e308)),
    ],
)
def test_a_literal_becomes_one_of_the_columns_type(column: str, symbol: str, number: float, expected: Fitted) -> None:
    assert fitted(column, symbol, number) == expected
