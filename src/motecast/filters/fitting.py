"""A comparison with any number, as one with a number of the column's own type: engines round where Python does not."""

from __future__ import annotations

import math
from typing import TypeAlias

from motecast.filters.columns import INTEGER
from motecast.filters.values import as_float

Fitted: TypeAlias = tuple[str, int | float] | bool  # a bool: the same answer for every value of the column

_LIMIT = 2**63
_ROUND = {"<": math.ceil, "<=": math.floor, ">": math.floor, ">=": math.ceil, "=": math.floor, "!=": math.floor}


def fitted(column: str, symbol: str, number: float) -> Fitted:
    """The comparison of a column, INTEGER or FLOAT, that says the same as the one with this number.

    >>> fitted("integer", ">", 2.5), fitted("integer", "=", 2.5), fitted("float", ">", 2**53 + 1)
    (('>', 2), False, ('>', 9007199254740992.0))
    """
    return _whole(symbol, number) if column == INTEGER else _nearest(symbol, number)


def _whole(symbol: str, number: float) -> Fitted:
    bound = _ROUND[symbol](number)
    if symbol in ("=", "!=") and (bound != number or not -_LIMIT <= bound < _LIMIT):
        return symbol == "!="
    if not -_LIMIT <= bound < _LIMIT:
        return (symbol[0] == "<") == (bound > 0)
    return symbol, bound


def _nearest(symbol: str, number: float) -> Fitted:
    found = as_float(number)
    if found == number:
        return symbol, found
    if symbol in ("=", "!="):
        return symbol == "!="
    # No float equals the number: the next one towards 0 takes its place, and belongs to the side of 0.
    inner = found if abs(found) < abs(number) else math.nextafter(found, 0.0)
    return (symbol[0] if (symbol[0] == "<") == (number < 0) else f"{symbol[0]}="), inner
