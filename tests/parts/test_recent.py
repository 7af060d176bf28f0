"""Recent against a list that is searched."""

from __future__ import annotations

import copy
import pickle

from hypothesis import given
from hypothesis import strategies as st

from motecast.parts.recent import Recent

KEYS = st.lists(st.integers(0, 12), max_size=60)


@given(KEYS, st.integers(1, 8))
def test_recent_holds_the_newest_keys(keys: list[int], capacity: int) -> None:
    recent, twin = Recent(capacity), []
    for key in keys:
        recent.add(key)
        twin = twin if key in twin else [*twin, key][-capacity:]
        assert sorted(recent) == sorted(twin)
        assert len(recent) <= capacity


@given(st.lists(st.tuples(st.sampled_from(["add", "discard", "clear", "update"]), KEYS)), st.integers(1, 8))
def test_what_is_discarded_makes_room(script: list[tuple[str, list[int]]], capacity: int) -> None:
    recent, twin = Recent(capacity), []
    for what, keys in script:
        if what == "clear":
            recent.clear()
            twin = []
        elif what == "update":
            recent.update(keys)
        for key in keys if what in ("add", "discard") else ():
            getattr(recent, what)(key)
        for key in keys if what != "clear" else ():
            twin = (
                [k for k in twin if k != key]
                if what == "discard"
                else (twin if key in twin else [*twin, key][-capacity:])
            )
        assert sorted(recent) == sorted(twin)


@given(KEYS, KEYS, st.integers(1, 8))
def test_a_copy_goes_on_as_the_original(keys: list[int], more: list[int], capacity: int) -> None:
    recent = Recent(capacity, keys)
    for twin in (pickle.loads(pickle.dumps(recent)), copy.copy(recent), copy.deepcopy(recent)):
        fresh = Recent(capacity, keys)
        for key in more:
            twin.add(key)
            fresh.add(key)
        assert sorted(twin) == sorted(fresh)
    assert sorted(recent) == sorted(Recent(capacity, keys))
