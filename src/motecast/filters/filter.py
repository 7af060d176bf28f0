"""A filter as a value: parsed, comparable, ready to be asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from motecast.filters.closure import Matcher, compiled
from motecast.filters.parser import CACHED, parse
from motecast.filters.spelling import spell
from motecast.filters.syntax import Expression, path_key, paths


@dataclass(frozen=True, init=False, repr=False)
class Filter:
    """A `where` clause. Two filters are equal if their canonical texts are.

    >>> hot = Filter("temperature > 20 and not muted")
    >>> hot.matches({"temperature": 21.5, "muted": False})
    True
    >>> hot
    Filter('NOT muted AND temperature > 20')
    """

    text: str  # canonical
    tree: Expression = field(compare=False)

    def __init__(self, where: str) -> None:
        tree = parse(where)
        object.__setattr__(self, "tree", tree)
        object.__setattr__(self, "text", spell(tree))

    @cached_property
    def matches(self) -> Matcher:
        """The compiled function: `matches(event)` says whether the event matches."""
        return _matcher(self.text)

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that the filter reads, sorted; `weather.temp` for a nested one."""
        return tuple(sorted(path_key(path) for path in paths(self.tree)))

    def __reduce__(self) -> tuple[type[Filter], tuple[str]]:
        return Filter, (self.text,)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Filter({self.text!r})"


@lru_cache(CACHED)
def _matcher(text: str) -> Matcher:
    # Many subscribers ask for the same; they share one function.
    return compiled(parse(text))
