"""Virtual time: order, ties, and ticks that grow while they happen."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from motecast.sim.host import Reception
from motecast.sim.kernel import Kernel


def played(times: list[int], until: int = 100) -> list[tuple[int, int]]:
    """(tick, index) of what happens when entry `index` is due at times[index]."""
    kernel, seen = Kernel(), []
    for index, time in enumerate(times):
        kernel.at(time, lambda a, b: seen.append((kernel.now, a)), index)
    kernel.run(until, lambda: None)
    return seen


@given(st.lists(st.integers(0, 20), max_size=40))
def test_entries_happen_in_order_of_time_and_those_of_one_tick_in_order_of_insertion(times: list[int]) -> None:
    assert played(times) == sorted((time, index) for index, time in enumerate(times))


def test_what_is_entered_for_now_happens_now_after_what_was_there_already() -> None:
    kernel, seen = Kernel(), []

    def first(a: object, b: object) -> None:
        seen.append("first")
        kernel.at(kernel.now, lambda a, b: seen.append("grown"))

    kernel.at(5, first)
    kernel.at(5, lambda a, b: seen.append("second"))
    kernel.run(5, lambda: seen.append("tick over"))
    assert seen == ["first", "second", "grown", "tick over"]


def test_one_entry_is_heard_by_every_receiver_but_those_who_cannot_hear_and_kept_for_who_sleeps() -> None:
    kernel, seen, buffer = Kernel(), [], []
    reception = Reception(lambda *facts: seen.append(facts), list("abcde"), list("ABCDE"), {4: None, 1: buffer})
    kernel.enter(3, reception, (2, 4, 0, 1, 3), "sender", "message")
    kernel.run(3, lambda: None)
    heard = [("c", "C", "sender", "message"), ("a", "A", "sender", "message"), ("d", "D", "sender", "message")]
    assert seen == heard
    [(call, sender, message)] = buffer
    call(sender, message)
    assert seen == [*heard, ("b", "B", "sender", "message")]


def test_the_end_is_included_and_what_is_later_does_not_happen() -> None:
    assert played([9, 10, 11], until=10) == [(9, 0), (10, 1)]


def test_entries_made_while_running_keep_the_order_of_a_plain_sorted_list() -> None:
    """The twin: a list that is sorted again after each step."""
    rng, kernel, seen = Random(3), Kernel(), []
    twin, expected = [(rng.randrange(10), index) for index in range(30)], []
    delays = [rng.randrange(4) for _ in range(200)]

    def happen(a: int, b: object) -> None:
        seen.append((kernel.now, a))
        if len(seen) < 150:
            kernel.at(kernel.now + delays[len(seen)], happen, 1000 + len(seen))

    for time, index in twin:
        kernel.at(time, happen, index)
    kernel.run(10**6, lambda: None)
    queue = [(time, order, index) for order, (time, index) in enumerate(twin)]
    order = len(queue)
    while queue:
        queue.sort()
        time, _, index = queue.pop(0)
        expected.append((time, index))
        if len(expected) < 150:
            queue.append((time + delays[len(expected)], order, 1000 + len(expected)))
            order += 1
    assert seen == expected
