"""What FIFO hands up as history when its application seeks it: docs/protocols/fifo.md, History."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from motecast.core import Notify, Recorder, Seek, Unsubscribe
from motecast.core.recorder import Asked, Down, Expired, Note, SetTimer, Up, Verb
from motecast.protocols.plain.fifo import SEARCHES, EndSearch, GiveUp
from tests.core.protocols import event
from tests.protocols.test_fifo import A, delivered, drop, miss, node, stamped, tell


def late_comer(**parameters: float) -> Recorder:
    """A node that came at 100 s and began with number 5."""
    recorder = node(when=100.0, **parameters)
    assert delivered(tell(recorder, stamped(5, previous=99.0), when=101.0)) == ["5"]
    return recorder


def seek(recorder: Recorder, first: int, last: int | None = None, publisher: int = 7) -> list[Verb]:
    """What the node does when its application asks for these again."""
    return recorder.handle(102.0, Asked(Seek(publisher, first, last)))


def history(verbs: list[Verb]) -> list[str]:
    """What the application is told as history."""
    told = [verb for verb in verbs if isinstance(verb, Up) and verb.signal.history]
    return delivered(told)


def test_what_is_sought_is_asked_for_below_and_comes_as_history() -> None:
    recorder = late_comer(patience=3.0)
    assert seek(recorder, 1, 3) == [Down(Seek(7, 1, 3)), SetTimer("Fifo", EndSearch(7), 3.0)]
    assert tell(recorder, 1)[-1] == Up(Notify(event(1), 2, history=True))


@given(st.permutations(range(1, 5)))
def test_history_comes_in_order_and_the_live_sequence_goes_on(numbers: list[int]) -> None:
    recorder = late_comer()
    seek(recorder, 1)
    verbs = tell(recorder, *numbers[:2], 6, *numbers[2:], 7)
    assert history(verbs) == ["1", "2", "3", "4"]
    assert [name for name in delivered(verbs) if name not in history(verbs)] == ["6", "7"]


def test_what_was_not_sought_is_no_history() -> None:
    recorder = late_comer()
    seek(recorder, 2, 3)
    assert drop(1, "late") in tell(recorder, 1)
    assert drop(4, "late") in tell(recorder, 4)


def test_what_was_delivered_already_is_not_delivered_as_history() -> None:
    recorder = late_comer()
    tell(recorder, 6)
    assert seek(recorder, 5, 6) == [Down(Seek(7, 5, 6))]
    assert tell(recorder, 5) == [Note("Fifo", "duplicate", event(5).id)]


def test_history_that_was_delivered_once_is_a_duplicate_from_then_on() -> None:
    recorder = late_comer()
    for expected in (["1", "2"], []):
        seek(recorder, 1, 2)
        verbs = tell(recorder, 1, 2)
        assert history(verbs) == expected
    assert verbs == [Note("Fifo", "duplicate", event(1).id), Note("Fifo", "duplicate", event(2).id)]


def test_what_was_given_up_can_be_sought() -> None:
    recorder = node()
    tell(recorder, 3)
    recorder.handle(6.0, Expired("Fifo", GiveUp(7, 1)))
    seek(recorder, 1, 2)
    assert history(tell(recorder, 2, 1)) == ["1", "2"]


def test_a_search_ends_after_patience_with_what_has_come() -> None:
    recorder = late_comer()
    seek(recorder, 1, 4)
    assert history(tell(recorder, 3, 4)) == []
    assert history(recorder.handle(109.0, Expired("Fifo", EndSearch(7)))) == ["…3", "4"]
    assert drop(1, "late") in tell(recorder, 1)


def test_history_that_was_not_for_this_node_is_not_waited_for() -> None:
    recorder = late_comer()
    seek(recorder, 1, 4)
    assert history(tell(recorder, 3)) == []
    assert history(miss(recorder, 1, 2, proven=True)) == ["3"]
    assert history(miss(recorder, 4, 4, proven=False)) == []
    assert seek(recorder, 9, 9) == [Down(Seek(7, 9, 9))]


def test_a_new_search_of_a_publisher_ends_the_earlier_one() -> None:
    recorder = late_comer()
    seek(recorder, 1, 3)
    tell(recorder, 2)
    assert history(seek(recorder, 4, 4)) == ["…2"]
    assert history(tell(recorder, 4)) == ["4"]


def test_one_search_too_many_ends_the_first() -> None:
    recorder = node(when=100.0)
    for publisher in range(SEARCHES + 1):
        tell(recorder, stamped(5, 99.0, publisher=publisher + 7))
        seek(recorder, 1, 2, publisher=publisher + 7)
    assert len(recorder.node.layers[0].searches) == SEARCHES
    assert drop(1, "late") in tell(recorder, 1)
    assert history(tell(recorder, event(1, publisher=8))) == ["1"]


def test_one_event_of_history_too_many_ends_the_search() -> None:
    recorder = late_comer(capacity=2)
    seek(recorder, 1)
    assert history(tell(recorder, 2, 3)) == []
    assert history(tell(recorder, 4)) == ["…2", "3", "4"]


def test_history_that_nobody_wants_any_more_is_dropped() -> None:
    recorder = late_comer()
    seek(recorder, 1, 2)
    recorder.handle(103.0, Asked(Unsubscribe(A)))
    assert tell(recorder, 1)[-1] == drop(1, "no longer wanted")


def test_a_search_for_a_publisher_that_is_unknown_passes_through() -> None:
    assert seek(node(), 1, 3, publisher=99) == [Down(Seek(99, 1, 3))]
