"""Topic names and topic filters with MQTT's wildcards: `+` stands for one level, a last `#` for all that follow."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

from motecast.filters.errors import Mistake, quoted

MAX_TOPIC = 65_535  # bytes, MQTT's limit
MAX_LEVELS = 128  # of a topic or a topic filter
ONE = "+"
ALL = "#"

V = TypeVar("V", bound=Hashable)


def check_topic(topic: str) -> str:
    """The topic, if events can be published to it; FilterError otherwise."""
    try:
        _check_text(topic, "a topic")
        for wildcard in (ONE, ALL):
            if wildcard in topic:
                raise Mistake(
                    topic.index(wildcard), f"a topic holds no {quoted(wildcard)}", "a wildcard in filters only"
                )
    except Mistake as mistake:
        raise mistake.within(topic) from None
    return topic


def check_topic_filter(wanted: str) -> str:
    """The topic filter, if it can be subscribed to; FilterError otherwise."""
    try:
        _check_text(wanted, "a topic filter")
        _check_wildcards(wanted)
    except Mistake as mistake:
        raise mistake.within(wanted) from None
    return wanted


def _check_text(text: str, name: str) -> None:
    if not text:
        raise Mistake(0, f"{name} is empty", "a name such as field/3/smoke")
    if "\0" in text:
        raise Mistake(text.index("\0"), f"{name} holds a NUL character", "text without it")
    try:
        length = len(text.encode())
    except UnicodeEncodeError as error:
        raise Mistake(error.start, "half a character (a lone surrogate)", "text that UTF-8 can hold") from None
    if length > MAX_TOPIC:
        raise Mistake(0, f"{name} has {length} bytes", f"at most {MAX_TOPIC}")
    if text.count("/") >= MAX_LEVELS:
        raise Mistake(0, f"{name} has {text.count('/') + 1} levels", f"at most {MAX_LEVELS}")


def _check_wildcards(wanted: str) -> None:
    offset = 0
    for level in wanted.split("/"):
        for wildcard in (ONE, ALL):
            if wildcard in level and level != wildcard:
                raise Mistake(
                    offset + level.index(wildcard), f"{quoted(wildcard)} shares a level", "a level of its own"
                )
        offset += len(level) + 1
        if level == ALL and offset <= len(wanted):
            raise Mistake(offset - 2, "'#' is not the last level", "'#' at the end, or '+'")


def topic_matches(wanted: str, topic: str) -> bool:
    """Whether events of the topic go to subscribers of the topic filter.

    >>> topic_matches("field/+/smoke", "field/3/smoke"), topic_matches("field/#", "field"), topic_matches("#", "$state")
    (True, True, False)
    """
    if topic.startswith("$") and wanted.startswith((ONE, ALL)):
        return False  # topics about the system itself are asked for by name
    levels = topic.split("/")
    asked = wanted.split("/")
    for number, level in enumerate(asked):
        if level == ALL:
            return True
        if number >= len(levels) or level not in (ONE, levels[number]):
            return False
    return len(asked) == len(levels)


def topic_covers(a: str, b: str) -> bool:
    """Whether the topic filter a matches every topic that b matches.

    >>> topic_covers("field/#", "field/+/smoke"), topic_covers("+/smoke", "#")
    (True, False)
    """
    if b.startswith("$") and a.startswith((ONE, ALL)):
        return False
    wide, narrow = a.split("/"), b.split("/")
    if narrow[0] == ALL:
        narrow = [ONE, ALL]  # every topic has a first level
    for number, level in enumerate(wide):
        if level == ALL:
            return True
        if number >= len(narrow) or narrow[number] == ALL or level not in (ONE, narrow[number]):
            return False
    return len(wide) == len(narrow)


class _Branch(Generic[V]):
    """What follows one level: further levels, and the values filed here with the turn in which they came."""

    __slots__ = ("below", "here")

    def __init__(self) -> None:
        self.below: dict[str, _Branch[V]] = {}
        self.here: dict[V, int] = {}


class TopicTrie(Generic[V]):
    """Values filed under topic filters; a topic finds those of all filters that match it.

    >>> trie = TopicTrie[str]()
    >>> trie.add("field/+", "Ada"); trie.add("field/#", "Bo"); trie.match("field/3")
    ['Ada', 'Bo']
    """

    def __init__(self) -> None:
        self._root = _Branch[V]()
        self._turn = 0
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, wanted: str, value: V) -> None:
        """File the value under a topic filter; a value already there keeps its turn."""
        branch = self._root
        for level in check_topic_filter(wanted).split("/"):
            branch = branch.below.setdefault(level, _Branch[V]())
        if value not in branch.here:
            self._turn += 1
            self._size += 1
            branch.here[value] = self._turn

    def remove(self, wanted: str, value: V) -> None:
        """Take the value away from under a topic filter; KeyError if it is not there."""
        way = [self._root]
        levels = wanted.split("/")
        for level in levels:
            way.append(way[-1].below[level])
        del way[-1].here[value]
        self._size -= 1
        for above, level, branch in zip(reversed(way[:-1]), reversed(levels), reversed(way[1:]), strict=True):
            if branch.here or branch.below:
                break
            del above.below[level]

    def match(self, topic: str) -> list[V]:
        """The values whose filters match the topic, each once, first filed first."""
        first: dict[V, int] = {}
        for branch in self._reached(topic.split("/")):
            for value, turn in branch.here.items():
                first[value] = min(turn, first.get(value, turn))
        return sorted(first, key=first.__getitem__)

    def _reached(self, levels: list[str]) -> Iterator[_Branch[V]]:
        """The branches where matching filters end; level by level, so that depth costs no recursion."""
        front = [self._root]
        for number, level in enumerate(levels):
            is_wild = number > 0 or not level.startswith("$")
            if is_wild:
                yield from _steps(front, ALL)
            front = [*_steps(front, level), *(_steps(front, ONE) if is_wild else ())]
        yield from front
        yield from _steps(front, ALL)


def _steps(front: list[_Branch[V]], level: str) -> Iterator[_Branch[V]]:
    return (branch.below[level] for branch in front if level in branch.below)
