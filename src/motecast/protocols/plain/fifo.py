"""Per-publisher FIFO on any publish/subscribe layer: a number that comes too early waits for those before it.

What a node waits for must have been for it, or it waits in vain. Three things tell: the layer below says that a number
passed by (`Missing`); each event is stamped with the time of its publisher's previous one, and the first that comes
from a publisher need not wait for what was published before this node subscribed; and what nobody settles within
`patience` is given up, flagged by `gap`. What was settled without its turn can be sought, and comes as history.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta

from motecast.core import (
    Context,
    Event,
    EventId,
    Layer,
    Missing,
    NodeId,
    Notify,
    Publish,
    PubSub,
    Seek,
    Subscribe,
    Timer,
    Unsubscribe,
    asked,
    expired,
    state,
    told,
)
from motecast.parts.history import History
from motecast.parts.interests import SUBSCRIPTIONS, Interests
from motecast.parts.sequences import Sequence, Turn
from motecast.parts.spans import Span

STAMP = struct.Struct(">d")  # s; when the publisher's previous event was published
SEARCHES = 64  # publishers whose history is sought at once; our guess. One more ends the search that began first


class GiveUp(Timer):
    """Events of this publisher have waited long enough for `number`."""

    publisher: NodeId
    number: int


class EndSearch(Timer):
    """Nothing of this publisher's history has come for long enough."""

    publisher: NodeId


@dataclass
class Fifo(Layer):
    """Events of one publisher are delivered in the order in which it published them."""

    above = PubSub
    below = PubSub
    promises = ("fifo",)
    limits = {
        "sequences": "publishers",
        "waiting": "capacity",
        "wanted": SUBSCRIPTIONS,
        "begins": "publishers",
        "searches": SEARCHES,
        "recalled": "capacity",
    }

    patience: Annotated[float, Meta(gt=0)] = 5.0  # s; our guess: several times the delay of a flood
    capacity: Annotated[int, Meta(ge=1)] = 1024  # events; our guess. One more waiting gives the longest wait up
    publishers: Annotated[int, Meta(ge=1)] = 65_536  # publishers; our guess. The events of one more are dropped

    sequences: dict[NodeId, Sequence] = state(dict)
    waiting: dict[EventId, Notify] = state(dict)
    wanted: Interests = state(Interests)
    since: float = state(float)  # s; when this node began to want anything
    begins: dict[NodeId, int] = state(dict)  # what was expected then; 1 of all others
    searches: dict[NodeId, History] = state(dict)
    recalled: dict[EventId, Notify] = state(dict)  # history that waits for earlier history
    previous: float | None = state(lambda: None)  # s; when its own last event was published

    @asked(Subscribe)
    def subscribe(self, ctx: Context, subscribe: Subscribe) -> None:
        if not self.wanted:
            self.since = ctx.now
            self.begins = {publisher: sequence.expected for publisher, sequence in self.sequences.items()}
        self.wanted.add(subscribe.subscription)
        ctx.pass_on(subscribe)

    @asked(Unsubscribe)
    def unsubscribe(self, ctx: Context, unsubscribe: Unsubscribe) -> None:
        self.wanted.remove(unsubscribe.subscription)
        ctx.pass_on(unsubscribe)

    @asked(Publish)
    def publish(self, ctx: Context, publish: Publish) -> None:
        event = publish.event
        if self.previous is not None and event.stamp is None:
            publish = Publish(msgspec.structs.replace(event, stamp=STAMP.pack(self.previous)))
        self.previous = event.when
        ctx.pass_on(publish)

    @asked(Seek)
    def seek(self, ctx: Context, seek: Seek) -> None:
        ctx.pass_on(seek)
        self.end_search(ctx, seek.publisher)
        sequence = self.sequences.get(seek.publisher)
        if sequence is not None:
            last = sequence.expected if seek.last is None else seek.last
            search = History(sequence, seek.first, last)
            if not search.is_complete:
                self.search(ctx, seek.publisher, search)

    @told(Notify)
    def arrive(self, ctx: Context, notify: Notify) -> None:
        publisher, number = notify.event.id
        sequence = self.sequence_of(publisher)
        if sequence is None:
            ctx.note("drop", event=notify.event.id, detail="too many publishers")
        elif sequence.is_settled(number):
            self.look_back(ctx, notify, sequence)
        else:
            self.waiting[notify.event.id] = notify
            self.accept(ctx, notify.event, sequence)

    @told(Missing)
    def settle(self, ctx: Context, missing: Missing) -> None:
        sequence = self.sequence_of(missing.publisher)
        if sequence is None:
            return
        before = sequence.hole
        if missing.proven:
            is_start = self.is_start(missing.publisher, sequence, missing.stamp)
            first = sequence.expected if is_start else missing.first
            self.deliver(ctx, missing.publisher, sequence.resolve(first, missing.last))
        else:
            self.lose(ctx, missing.publisher, sequence, missing.first, missing.last)
        self.wait(ctx, missing.publisher, sequence, before)
        search = self.searches.get(missing.publisher)
        if search is not None:
            settle = search.resolve if missing.proven else search.give_up
            self.tell_history(ctx, missing.publisher, settle(missing.first, missing.last))

    @expired(GiveUp)
    def give_up(self, ctx: Context, timer: GiveUp) -> None:
        sequence = self.sequences.get(timer.publisher)
        if sequence is not None and sequence.waiting and sequence.expected == timer.number:
            self.skip(ctx, timer.publisher, sequence)

    @expired(EndSearch)
    def stop_searching(self, ctx: Context, timer: EndSearch) -> None:
        self.end_search(ctx, timer.publisher)

    def accept(self, ctx: Context, event: Event, sequence: Sequence) -> None:
        """An event that is new; one too many that wait ends the longest wait at once."""
        publisher, number = event.id
        before = sequence.hole
        self.deliver(ctx, publisher, sequence.offer(number))
        if number >= sequence.expected and self.is_start(publisher, sequence, event.stamp):
            self.deliver(ctx, publisher, sequence.resolve(sequence.expected, number - 1))
        self.wait(ctx, publisher, sequence, before)
        if len(self.waiting) > self.capacity:
            longest = next(iter(self.waiting)).publisher
            self.skip(ctx, longest, self.sequences[longest])

    def sequence_of(self, publisher: NodeId) -> Sequence | None:
        """This publisher's sequence, begun if there is room for one more."""
        sequence = self.sequences.get(publisher)
        if sequence is None and len(self.sequences) < self.publishers:
            sequence = self.sequences[publisher] = Sequence()
        return sequence

    def is_start(self, publisher: NodeId, sequence: Sequence, stamp: bytes | None) -> bool:
        """True when a publisher's stamped event is the first to settle anything since this node began to want anything,
        and all before it were published earlier: two clocks are compared for the start only, for they may differ."""
        if stamp is None or len(stamp) != STAMP.size or sequence.expected != self.begins.get(publisher, 1):
            return False
        return bool(STAMP.unpack(stamp)[0] < self.since)

    def look_back(self, ctx: Context, notify: Notify, sequence: Sequence) -> None:
        """A settled number: sought history, or too late to keep the order, which the next event says, or a copy."""
        publisher, number = notify.event.id
        search = self.searches.get(publisher)
        if search is not None and search.misses(number):
            self.recall(ctx, notify, search)
        elif sequence.came_late(number):
            ctx.note("drop", event=notify.event.id, detail="late")
            if number not in sequence.lost:  # what was given up has been said
                sequence.miss()
        else:
            ctx.note("duplicate", event=notify.event.id)

    def wait(self, ctx: Context, publisher: NodeId, sequence: Sequence, before: Span | None) -> None:
        """Asks for the first hole if it is another one than before, and gives it up in a while."""
        hole = sequence.hole
        if hole is not None and (before is None or before[0] != hole[0]):
            ctx.down(Seek(publisher, *hole))
            ctx.set_timer(GiveUp(publisher, hole[0]), self.patience)

    def skip(self, ctx: Context, publisher: NodeId, sequence: Sequence) -> None:
        """Gives up what the first event that waits is waiting for."""
        before = sequence.hole
        assert before is not None, f"nothing of {publisher} waits"
        self.lose(ctx, publisher, sequence, *before)
        self.wait(ctx, publisher, sequence, before)

    def lose(self, ctx: Context, publisher: NodeId, sequence: Sequence, first: int, last: int) -> None:
        """These numbers will not come; the event behind them says so."""
        for low, high in sequence.holes(first, last):
            ctx.note("gap", event=EventId(publisher, low), last=high)
        self.deliver(ctx, publisher, sequence.lose(first, last))

    def deliver(self, ctx: Context, publisher: NodeId, turns: list[Turn]) -> None:
        """Tells the application, in order, what it still wants."""
        for turn in turns:
            notify = self.waiting.pop(EventId(publisher, turn.number))
            if not self.wanted.wants(notify.event):
                ctx.note("drop", event=notify.event.id, detail="no longer wanted")
            else:
                ctx.up(Notify(notify.event, notify.hops, gap=True) if turn.after_gap else notify)

    # History

    def search(self, ctx: Context, publisher: NodeId, search: History) -> None:
        """From now on settled numbers that had no turn are welcome."""
        if len(self.searches) >= SEARCHES:
            self.end_search(ctx, next(iter(self.searches)))
        self.searches[publisher] = search
        ctx.set_timer(EndSearch(publisher), self.patience)

    def recall(self, ctx: Context, notify: Notify, search: History) -> None:
        """History has come; one event too many that waits ends the search of the one that waits longest."""
        publisher, number = notify.event.id
        self.recalled[notify.event.id] = notify
        ctx.set_timer(EndSearch(publisher), self.patience)
        self.tell_history(ctx, publisher, search.offer(number))
        if len(self.recalled) > self.capacity:
            self.end_search(ctx, next(iter(self.recalled)).publisher)

    def tell_history(self, ctx: Context, publisher: NodeId, turns: list[Turn]) -> None:
        """Tells the application, in order and outside of the live sequence, what it still wants."""
        for turn in turns:
            notify = self.recalled.pop(EventId(publisher, turn.number))
            if not self.wanted.wants(notify.event):
                ctx.note("drop", event=notify.event.id, detail="no longer wanted")
            else:
                ctx.up(Notify(notify.event, notify.hops, gap=turn.after_gap, history=True))
        if self.searches[publisher].is_complete:
            del self.searches[publisher]

    def end_search(self, ctx: Context, publisher: NodeId) -> None:
        """What has come of the history so far is all that comes."""
        search = self.searches.get(publisher)
        if search is not None:
            self.tell_history(ctx, publisher, search.end())
