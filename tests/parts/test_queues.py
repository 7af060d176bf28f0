"""The event queue, its policies, and the choice of the next frame against a list that is searched."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.core import ConfigError, Event, EventId
from motecast.parts.candidates import Candidates
from motecast.parts.policies import CedQueue, DropTail, RideQueue
from motecast.parts.queues import EventQueue, Kind, QueuePolicy, Record

SUBSCRIBERS = (100, 101, 102)
SEEDS = st.lists(st.integers(0, 2**32 - 1), max_size=80) | st.lists(st.integers(0, 2**32 - 1), min_size=60, max_size=80)


def record(number: int, born: float = 0.0, kind: Kind = Kind.OWN, target: int | None = None, sent: int = 0) -> Record:
    """A record of event 7/number."""
    return Record(Event(EventId(7, number), ("t",)), born, kind, target, sent)


@dataclass
class Plain:
    """One record of the twin."""

    real: Record
    place: int  # the how manyth to come
    served: dict[int, int] = field(default_factory=dict)  # subscriber: last session

    @property
    def rank(self) -> tuple[float, ...]:
        """Fewest deliveries first, then youngest, then first come."""
        return (self.real.sent, -self.real.born, self.place)


class Twin:
    """Section 4.3 of the specification, word for word: scans records and sessions at every choice."""

    def __init__(self, policy: CedQueue) -> None:
        self.policy = policy
        self.candidates = Candidates()
        self.queue = self.candidates.queue
        self.plain: list[Plain] = []
        self.sessions: dict[int, int] = {}  # subscriber: number of its session
        self.ended: set[int] = set()
        self.numbers = self.came = 0

    def step(self, rng: Random) -> None:
        """Anything that may happen to a sensor."""
        what = rng.choice(("own", "own", "copy", "copy", "open", "close", "send", "send", "send", "expire"))
        getattr(self, what)(rng)
        for usable in ([], [100], [101, 100], [100, 101, 102]):
            assert self.candidates.choose(usable) == self.scan(usable)
        assert len(self.candidates) == len(self.plain) <= self.policy.capacity

    def own(self, rng: Random) -> None:
        self.numbers += 1
        self.admit(record(self.numbers, rng.choice((0.0, 1.0, 5.0))))

    def copy(self, rng: Random) -> None:
        number, target = rng.randrange(1, 9), rng.choice(SUBSCRIBERS)
        if self.queue.find(EventId(7, -number), target) is None:
            self.admit(record(-number, rng.choice((0.0, 1.0, 5.0)), Kind.COPY, target, rng.randrange(3)))

    def admit(self, newcomer: Record) -> None:
        loser = self.candidates.admit(newcomer, self.policy)
        assert loser is (newcomer if len(self.plain) >= self.policy.capacity else None)
        if loser is None:
            self.came += 1
            self.plain.append(Plain(newcomer, self.came))

    def open(self, rng: Random) -> None:
        subscriber = rng.choice(SUBSCRIBERS)
        self.sessions[subscriber] = self.sessions.get(subscriber, 0) + rng.choice((0, 1))
        self.ended.discard(subscriber)
        self.candidates.open(subscriber, self.sessions[subscriber])

    def close(self, rng: Random) -> None:
        subscriber = rng.choice(SUBSCRIBERS)
        self.ended.add(subscriber)
        self.candidates.close(subscriber)

    def send(self, rng: Random) -> None:
        chosen = self.candidates.choose(rng.sample(SUBSCRIBERS, rng.randrange(4)))
        if chosen is None or rng.random() < 0.2:  # nothing to send, or nobody heard it: all stays as it is
            return
        subscriber, sent = chosen
        plain = next(each for each in self.plain if each.real is sent)
        times, is_spent = sent.sent, self.candidates.sent(sent, subscriber, self.policy)
        if sent.kind is Kind.COPY:
            assert not is_spent
            self.plain.remove(plain)
            return
        assert (sent.sent, is_spent) == (times + 1, times + 1 > (self.policy.alpha or 0))
        plain.served[subscriber] = self.sessions[subscriber]
        if is_spent:
            self.plain.remove(plain)

    def expire(self, rng: Random) -> None:
        now = rng.choice((4.0, 10.5, 14.0))
        old = self.queue.expired(now, self.policy)
        assert old == [each.real for each in self.in_order() if now - each.real.born >= self.policy.max_age]
        for each in [each for each in self.plain if each.real in old]:
            self.remove(each)
        alarm = self.queue.expires_in(now, self.policy)
        ages = [now - each.real.born for each in self.plain]
        assert alarm == (self.policy.max_age - max(ages) if ages else None)

    def in_order(self) -> list[Plain]:
        """As the queue lists them: by target, in the order in which the targets came."""
        places = {id(real): place for place, real in enumerate(self.queue)}
        return sorted(self.plain, key=lambda each: places[id(each.real)])

    def remove(self, plain: Plain) -> None:
        self.candidates.remove(plain.real)
        self.plain.remove(plain)

    def scan(self, usable: list[int]) -> tuple[int, Record] | None:
        """The least over all records and sessions."""
        pairs = [
            (each.rank, place, subscriber, each.real)
            for place, subscriber in enumerate(usable)
            if subscriber in self.sessions and subscriber not in self.ended
            for each in self.plain
            if self.may_go(each, subscriber)
        ]
        return min(pairs, key=lambda pair: pair[:2])[2:] if pairs else None

    def may_go(self, each: Plain, subscriber: int) -> bool:
        """Own events with `last_session[subscriber] != session`, copies for it, and orphans."""
        if each.real.kind is Kind.OWN:
            return each.served.get(subscriber) != self.sessions[subscriber]
        target = each.real.target
        return target == subscriber or target in self.ended or target not in self.sessions


@given(SEEDS, st.integers(1, 12), st.integers(0, 3))
def test_the_choice_is_that_of_a_scan_of_all_records_and_sessions(seeds: list[int], capacity: int, alpha: int) -> None:
    """'candidates are own events … and relay copies … Choose the least (sent, survival)' specs/ced.md 4.3"""
    twin = Twin(CedQueue(alpha=alpha, capacity=capacity, max_age=10.0))
    for seed in seeds:
        twin.step(Random(seed))


@given(SEEDS)
def test_a_queue_that_is_written_down_goes_on_as_before(seeds: list[int]) -> None:
    twin = Twin(CedQueue(alpha=2, capacity=12, max_age=10.0))
    for seed in seeds:
        twin.step(Random(seed))
    candidates = pickle.loads(pickle.dumps(twin.candidates))
    for usable in ([100], [101, 102]):
        ours, copy = twin.candidates.choose(usable), candidates.choose(usable)
        assert (copy is None) == (ours is None)
        assert copy is None or (copy[0], copy[1].event, copy[1].sent) == (ours[0], ours[1].event, ours[1].sent)


def filled(policy: QueuePolicy, *records: Record) -> EventQueue[Record]:
    """A queue into which these fitted."""
    queue: EventQueue[Record] = EventQueue()
    assert [queue.admit(each, policy) for each in records] == [None] * len(records)
    return queue


@pytest.mark.parametrize("policy", [CedQueue(capacity=2), DropTail(capacity=2)])
def test_a_full_queue_refuses_the_newcomer(policy: QueuePolicy) -> None:
    """'if the data queue of a sensor is full when an event arrives, no more events will be accepted' §4.2.C"""
    queue, newcomer = filled(policy, record(1), record(2)), record(3)
    assert queue.admit(newcomer, policy) is newcomer
    assert (newcomer.entry, len(queue), queue.find(EventId(7, 3))) == (None, 2, None)


def test_an_event_that_was_sent_more_often_than_alpha_is_spent() -> None:
    """'once the successful delivery time of an event is larger than a value, for example α, the event is dropped'"""
    policy, own = CedQueue(alpha=2), record(1)
    queue = filled(policy, own)
    assert [queue.count_sent(own, policy) for _ in range(3)] == [False, False, True]


def test_without_alpha_an_event_is_never_spent() -> None:
    assert not any(p.is_spent(record(1, sent=10**9)) for p in (CedQueue(alpha=None), DropTail(), RideQueue()))


def test_the_orders_of_the_policies_are_what_they_say() -> None:
    old, young, sent = record(1, 1.0), record(2, 2.0), record(3, 3.0, sent=1)
    orders = [sorted((old, young, sent), key=policy.rank) for policy in (CedQueue(), DropTail(), RideQueue())]
    assert orders == [[young, old, sent], [old, young, sent], [sent, young, old]]


@given(st.lists(st.sampled_from(Kind), min_size=4, max_size=4), st.sampled_from(Kind))
def test_an_own_event_is_never_given_up_for_another(kinds: list[Kind], kind: Kind) -> None:
    """R4 of specs/ced.md: soft copies go first, then custody, the oldest of them; never own."""
    policy = RideQueue(capacity=4)
    kept = [record(n, 10.0 - n, kind, 100 if kind is Kind.COPY else None) for n, kind in enumerate(kinds)]
    queue, newcomer = filled(policy, *kept), record(9, 0.0, kind, 100 if kind is Kind.COPY else None)
    loser = queue.admit(newcomer, policy)
    others = [each for each in kept if each.kind is not Kind.OWN]
    copies = [each for each in kept if each.kind is Kind.COPY]
    assert loser is ((copies or others or [newcomer])[-1] if kind is Kind.OWN else newcomer)
    assert len(queue) == 4


def test_custody_is_accepted_while_there_is_room_to_spare() -> None:
    policy = RideQueue(capacity=10, custody=2)
    queue = filled(policy, record(1))
    assert policy.accepts_custody(queue)
    queue.admit(record(2), policy)
    assert not policy.accepts_custody(queue)


def test_what_is_removed_twice_is_gone_once() -> None:
    one = record(1)
    queue = filled(DropTail(), one, record(2))
    queue.remove(one)
    queue.remove(one)
    assert ([each.event.id.number for each in queue], len(queue)) == ([2], 1)


def test_an_alarm_that_rings_a_moment_early_finds_its_record() -> None:
    """Whole microseconds: an alarm after 'no time at all' would ring for ever."""
    policy = DropTail(max_age=10.0)
    queue = filled(policy, record(1, born=1 / 3))
    assert len(queue.expired(10.333333, policy)) == 1
    assert queue.expires_in(20.0, policy) == 0.0


def test_beyond_its_capacity_the_session_that_began_first_is_forgotten() -> None:
    policy = CedQueue()
    candidates, copy = Candidates(capacity=2), record(1, kind=Kind.COPY, target=100)
    candidates.admit(copy, policy)
    for subscriber in SUBSCRIBERS:
        candidates.open(subscriber, 1)
    assert [candidates.is_open(subscriber) for subscriber in SUBSCRIBERS] == [False, True, True]
    assert candidates.choose([102]) == (102, copy)  # an orphan now


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: CedQueue(alpha=-1), "CedQueue.alpha = -1; allowed: a whole number at least 0 or none"),
        (lambda: CedQueue(capacity=0), "CedQueue.capacity = 0; allowed: a whole number at least 1"),
        (lambda: DropTail(max_age=0.0), "DropTail.max_age = 0.0; allowed: a number above 0"),
        (lambda: DropTail(max_age=float("nan")), "DropTail.max_age = nan; allowed: a number above 0, and finite"),
        (lambda: RideQueue(custody="few"), "RideQueue.custody = 'few'; allowed: a whole number at least 0"),
    ],
)
def test_a_policy_with_a_wrong_value_says_what_is_allowed(make: Any, what: str) -> None:
    with pytest.raises(ConfigError) as error:
        make()
    assert str(error.value) == what


def test_a_policy_may_have_no_limit_of_age() -> None:
    queue = filled(policy := DropTail(max_age=float("inf")), record(1))
    assert (queue.expired(1e12, policy), queue.expires_in(5.0, policy)) == ([], float("inf"))
