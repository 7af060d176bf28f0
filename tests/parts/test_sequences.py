"""Sequences against a twin that looks at every number."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from motecast.parts.sequences import Sequence, Turn

NUMBERS = st.integers(1, 25)
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("offer"), NUMBERS, NUMBERS),
        st.tuples(st.sampled_from(["resolve", "lose"]), st.integers(-2, 25), st.integers(-2, 25)),
        st.tuples(st.just("give_up"), NUMBERS, NUMBERS),
    ),
    max_size=40,
)


class Twin:
    """The same with a dictionary of what is known of each number, and no cleverness."""

    def __init__(self) -> None:
        self.known: dict[int, str] = {}
        self.expected = 1
        self.is_gap = False

    def do(self, what: str, first: int, last: int) -> list[Turn]:
        """One operation."""
        if what == "offer":
            self.know(first, first, "waiting")
        elif what == "resolve":
            self.know(first, last, "absent")
        elif what == "lose":
            self.know(first, last, "lost")
        else:
            waiting = [number for number, fate in self.known.items() if fate == "waiting"]
            self.know(self.expected, min(waiting) - 1 if waiting else 0, "lost")
        return self.advance()

    def know(self, first: int, last: int, fate: str) -> None:
        """What is known first stays."""
        for number in range(max(first, self.expected), last + 1):
            self.known.setdefault(number, fate)

    def advance(self) -> list[Turn]:
        """Numbers whose turn it is."""
        turns = []
        while self.expected in self.known:
            fate = self.known[self.expected]
            if fate == "waiting":
                turns.append(Turn(self.expected, self.is_gap))
                self.known[self.expected] = "delivered"
            self.is_gap = fate == "lost" or (self.is_gap and fate == "absent")
            self.expected += 1
        return turns


def do(sequence: Sequence, what: str, first: int, last: int) -> list[Turn]:
    """One operation on the real one."""
    arguments = {"offer": (first,), "give_up": ()}.get(what, (first, last))
    return getattr(sequence, what)(*arguments)


@given(OPERATIONS)
def test_a_sequence_does_what_its_twin_does(operations: list[tuple[str, int, int]]) -> None:
    sequence, twin = Sequence(), Twin()
    for operation in operations:
        assert do(sequence, *operation) == twin.do(*operation)
        assert sequence.expected == twin.expected
        for number in range(1, 30):
            assert sequence.is_settled(number) == (number in twin.known)
            assert sequence.came_late(number) == (twin.known.get(number) in ("lost", "absent"))


@given(OPERATIONS)
def test_turns_come_in_order_and_each_number_once(operations: list[tuple[str, int, int]]) -> None:
    sequence = Sequence()
    turns = [turn.number for operation in operations for turn in do(sequence, *operation)]
    assert turns == sorted(set(turns))


@given(st.permutations(range(1, 12)))
def test_every_permutation_of_all_numbers_is_put_in_order_without_a_gap(numbers: list[int]) -> None:
    sequence = Sequence()
    assert [turn for number in numbers for turn in sequence.offer(number)] == [Turn(number) for number in range(1, 12)]


@given(OPERATIONS, st.integers(-3, 30), st.integers(-3, 30))
def test_holes_are_what_is_not_settled(operations: list[tuple[str, int, int]], first: int, last: int) -> None:
    sequence = Sequence()
    for operation in operations:
        do(sequence, *operation)
    holes = [number for low, high in sequence.holes(first, last) for number in range(low, high + 1)]
    assert holes == [n for n in range(max(first, sequence.expected), last + 1) if not sequence.is_settled(n)]


@given(OPERATIONS)
def test_a_sequence_pickles(operations: list[tuple[str, int, int]]) -> None:
    sequence = Sequence()
    for operation in operations:
        do(sequence, *operation)
    twin = pickle.loads(pickle.dumps(sequence))
    assert [twin.offer(n) for n in range(1, 30)] == [sequence.offer(n) for n in range(1, 30)]


def test_what_is_too_old_to_tell_counts_as_late() -> None:
    """Only the newest spans of lost numbers are remembered; saying duplicate of a lost one would be a lie."""
    sequence = Sequence()
    for number in range(2, 400, 2):
        sequence.offer(number)
        sequence.give_up()
    assert sequence.came_late(1)
    assert sequence.came_late(2)  # it had its turn, but that is too long ago to know
    assert sequence.came_late(397)
    assert not sequence.came_late(398)


def test_a_range_of_any_length_is_resolved_at_once() -> None:
    sequence = Sequence()
    sequence.offer(10**15 + 1)
    assert sequence.resolve(1, 10**15) == [Turn(10**15 + 1)]
