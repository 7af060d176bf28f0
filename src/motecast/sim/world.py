"""The world of one run: nodes, clocks, who is down or asleep, and what the application does when."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from motecast.core import Event, EventId, NodeId, Publish, Signal, Subscribe, Subscription, Unsubscribe, limit_of
from motecast.sim.beacons import BeaconDoor, Beacons
from motecast.sim.faults import Action, compile_faults
from motecast.sim.host import Host, Kept
from motecast.sim.kernel import Kernel
from motecast.sim.media import make_medium
from motecast.sim.totals import BLOCK as FRAMES
from motecast.sim.totals import Totals
from motecast.trace.builder import BLOCK, MICROSECONDS, NONE, Extra, TraceBuilder
from motecast.trace.kinds import KINDS
from motecast.trace.store import Trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from motecast.sim.deploy import Deployment

WORLD = "world"  # the port of the rows that no layer writes
BEACONS = "Beacons"
_ENCODER = msgspec.msgpack.Encoder()

Progress = Callable[[float], None]  # seconds of virtual time


class World:
    """Everything that happens in one run. Made, run and thrown away."""

    def __init__(self, deployment: Deployment, level: str = "deliveries") -> None:
        scenario = deployment.scenario
        self.deployment = deployment
        self.seed = scenario.seed
        self.until = round(scenario.until * MICROSECONDS)
        self.positions = deployment.positions
        self.kernel = Kernel()
        ports = deployment.stack.ports
        self.builder = TraceBuilder((*ports, WORLD, BEACONS), level)
        self.place = len(ports)  # the port of WORLD
        self.codes = self.builder.codes(self.place)
        self.kinds = frozenset(KINDS)
        self.contents: dict[EventId, int] = {}  # bytes of what was published
        self.rejected = 0
        self.down: set[NodeId] = set(range(len(deployment.positions)))  # until they start
        self.gone: set[NodeId] = set()  # down for good
        self.asleep: dict[NodeId, int] = {}  # until when
        self.skews: dict[NodeId, tuple[float, float, int]] = {}  # offset s, drift, since
        count = len(self.positions)
        self.hears = bytearray(count)
        self.numbers = [0] * count  # of the last event of each node
        self.cuts: list[list[int]] = []  # partitions now: the side of each node
        self.buffers: dict[NodeId, list[Kept]] = {}  # frames that wait for who sleeps
        self.waiting: dict[NodeId, list[Signal]] = {}  # what applications want to ask when their node is up again
        self.active: list[list[Subscription]] = [[] for _ in range(count)]
        self.sizes: dict[str, int] = {}
        self.totals = Totals(count)
        self.medium = make_medium(self)
        self.main = Host(self, deployment.stack, count, 0)
        self.hosts = [self.main, *self._beacons(count)]
        answers = self.main.answers("linked") or self.main.answers("unlinked")
        self.tells_links = answers and len(self.hosts) == 1

    def _beacons(self, count: int) -> list[Host]:
        medium = self.deployment.scenario.medium
        if getattr(medium, "links", "given") == "given":
            return []
        stack = Beacons.stack(medium.beacon)  # type: ignore[union-attr]  # only media with links have beacons
        return [Host(self, stack, count, self.place + 1, BeaconDoor)]

    # Clocks

    def clock(self, node: NodeId) -> float:
        """Seconds, as the node sees them."""
        now = self.kernel.now / MICROSECONDS
        if node in self.skews:
            offset, drift, since = self.skews[node]
            return now + offset + drift * (now - since / MICROSECONDS)
        return now

    def microseconds(self, node: NodeId, after: float) -> int:
        """True microseconds that pass while the node's clock shows so many seconds more."""
        if node in self.skews:
            after /= 1.0 + self.skews[node][1]
        return round(after * MICROSECONDS)

    # Nodes come and go

    def start(self, node: NodeId) -> None:
        """The node is up: it hears, its layers start, its neighbours see it."""
        self.hears[node] = 1
        self.down.discard(node)
        self.row("start", node)
        for host in self.hosts:
            host.hear(node)
        for host in self.hosts:
            host.happen(node, "started")
        self._show(node, "linked")

    def stop(self, node: NodeId) -> None:
        """The node is down: nothing of it happens any more until it starts again."""
        self._keep_sizes(node)
        self.hears[node] = 0
        self.down.add(node)
        self.asleep.pop(node, None)
        for host in self.hosts:
            host.ignore(node)
            host.stop_alarms(node)
        self.medium.silence(node)
        self._show(node, "unlinked")

    def forget(self, node: NodeId) -> None:
        """The node's state is lost, and so is what it asked for: the application asks again."""
        for host in self.hosts:
            host.forget(node)

    def resubscribe(self, node: NodeId) -> None:
        """The application asks again for what it still wants."""
        for subscription in self.active[node]:
            self.main.ask(node, Subscribe(subscription))

    def catch_up(self, node: NodeId) -> None:
        """The application does what it could not do while its node was down."""
        for signal in self.waiting.pop(node, []):
            self.act(node, signal)

    def _show(self, node: NodeId, what: str) -> None:
        """Given links: both ends know at once. Beacons: they find out. Datagrams: a list of addresses, no more."""
        if not self.tells_links:
            return
        if self.deployment.known is not None:
            for peer in self.deployment.known[node] if what == "linked" else ():
                self.link(node, peer, what)
        else:
            for peer in self._neighbours(node):
                self._tell_both(node, peer, what)

    def _neighbours(self, node: NodeId) -> list[NodeId]:
        """Who is linked with the node now: up, in reach both ways or one, on its side of every partition."""
        hears = self.deployment.heard_by(node)
        around = sorted({*self.medium.hearers[node], *(p for p in hears if node in self.medium.hearers[p])})
        return [peer for peer in around if peer not in self.down]

    def _tell_both(self, node: NodeId, peer: NodeId, what: str) -> None:
        for one, other in ((peer, node), (node, peer)):
            if one not in self.down:
                self.link(one, other, what)

    def link(self, node: NodeId, peer: NodeId, what: str) -> None:
        """A node learns that a peer is in reach, or is not any more; one that sleeps learns it when it wakes."""
        if node in self.asleep:
            self.kernel.at(self.asleep[node], lambda _a, _b: self.link(node, peer, what))
        elif node not in self.down:
            self.row("linkup" if what == "linked" else "linkdown", node, Extra(peer=peer))
            self.main.happen(node, what, peer)

    def cut(self, sides: list[int]) -> None:
        """No frame passes between the sides any more."""
        self.cuts.append(sides)
        self._rewire("unlinked")

    def heal(self, sides: list[int]) -> None:
        """This partition is over."""
        self.cuts.remove(sides)
        self._rewire("linked")

    def _rewire(self, what: str) -> None:
        before = self.medium.hearers
        together = [tuple(cut[node] for cut in self.cuts) for node in range(len(self.positions))]
        self.medium.rewire(
            [
                tuple(peer for peer in hearers if together[peer] == together[node])
                for node, hearers in enumerate(self.deployment.links)
            ]
            if self.cuts
            else self.deployment.links
        )
        if self.tells_links and self.deployment.known is None:
            wider, narrower = (before, self.medium.hearers) if what == "unlinked" else (self.medium.hearers, before)
            changed = {
                (min(n, p), max(n, p)) for n in range(len(together)) for p in set(wider[n]).difference(narrower[n])
            }
            for one, other in sorted(changed):
                if one not in self.down and other not in self.down:
                    self._tell_both(one, other, what)

    def cleared(self, node: NodeId, hearers: Sequence[NodeId]) -> None:
        """The node listens again: those who hear it may want to know."""
        if self.main.answers("cleared"):
            for peer in hearers:
                if peer not in self.down:
                    self.main.happen(peer, "cleared", node)

    # The application

    def act(self, node: NodeId, signal: Signal) -> None:
        """What the application of a node does now, if the node is up."""
        if node in self.asleep:
            self.kernel.at(self.asleep[node], self.act, node, signal)
            return
        if node in self.down:
            self._put_off(node, signal)
            return
        match signal:
            case Publish(event):
                self._publish(node, event)
            case Subscribe(subscription):
                self.active[node].append(subscription)
                self.builder.subscribed(subscription, self.kernel.now)
                self.row("subscribe", node, Extra(subscription=subscription.id), port=0)
                self.main.ask(node, signal)
            case Unsubscribe(subscription):
                if subscription in self.active[node]:
                    self.unsubscribe(node, subscription)
            case _:
                self.main.ask(node, signal)

    def _put_off(self, node: NodeId, signal: Signal) -> None:
        """A node that is down publishes nothing; what it wants is asked for when it is up again."""
        if not isinstance(signal, Publish) and node not in self.gone:
            self.waiting.setdefault(node, []).append(signal)

    def unsubscribe(self, node: NodeId, subscription: Subscription) -> None:
        """The application no longer wants it."""
        self.active[node].remove(subscription)
        self.builder.unsubscribed(subscription, self.kernel.now)
        self.row("unsubscribe", node, Extra(subscription=subscription.id), port=0)
        self.main.ask(node, Unsubscribe(subscription))

    def _publish(self, node: NodeId, event: Event) -> None:
        """Numbers have no holes: they count what was published."""
        self.numbers[node] += 1
        when = self.clock(node)
        identity = EventId(node, self.numbers[node])
        if event.id != identity or event.when != when:
            expires = None if event.expires is None else when + event.expires - event.when
            event = msgspec.structs.replace(event, id=identity, when=when, expires=expires)
        self.contents[identity] = size = len(_ENCODER.encode(event))
        self.builder.published(event, size, self.kernel.now)
        self.row("publish", node, port=0, event=identity)
        self.main.ask(node, Publish(event))

    # Rows of the world

    def row(
        self,
        kind: str,
        node: NodeId,
        extra: Extra | None = None,
        *,
        port: int | None = None,
        event: EventId | None = None,
    ) -> None:
        """A row that no layer wrote."""
        codes = self.codes if port is None else self.main.codes[port]
        if kind in codes:
            number = NONE if extra is None else self.builder.extra(extra)
            self.builder.rows += (self.kernel.now, node, codes[kind], *(event or (NONE, NONE)), number)

    # The run

    def run(self, progress: Progress | None = None) -> Trace:
        """From the start to `until`."""
        plan = compile_faults(self.deployment)
        for action in plan:
            self.kernel.at(action.tick, self._fault, action)
        late = {action.node for action in plan if action.what == "join"}
        with _quiet_collector():
            for node in range(len(self.positions)):
                if node not in late:
                    self.kernel.at(0, self._start, node)
            for t, node, signal in self.deployment.script:
                self.kernel.at(t, self.act, node, signal)
            self.kernel.run(self.until, self._housekeeping(progress))
        return self._trace()

    def _start(self, node: NodeId, _: object) -> None:
        self.start(node)

    def _fault(self, action: Action, _: object) -> None:
        action.happen(self)

    def _housekeeping(self, progress: Progress | None) -> Callable[[], None]:
        """What follows each tick: rows go to their block, and whoever waits is told how far we are."""
        builder, kernel, rows, frames = self.builder, self.kernel, self.builder.rows, self.totals.log
        told = 0

        def after_tick() -> None:
            nonlocal told
            if len(rows) > BLOCK:
                builder.flush()
            if len(frames) > FRAMES:
                self.totals.fold()
            if progress is not None and kernel.now - told > self.until // 200:
                told = kernel.now
                progress(told / MICROSECONDS)

        return after_tick

    def _keep_sizes(self, node: NodeId) -> None:
        for name, size in self.main.sizes(node).items():
            self.sizes[name] = max(size, self.sizes.get(name, 0))

    def _trace(self) -> Trace:
        for node in range(len(self.positions)):
            self._keep_sizes(node)
        limits = {
            f"{name}.{field}": limit_of(layer, field)
            for name, layer in zip(self.main.stack.ports, self.main.stack.layers, strict=True)
            for field in layer.limits
        }
        totals = self.totals.rows() + self.medium.totals()
        about = {
            **self.deployment.about(),
            "host": "sim",
            "rejected": self.rejected,
            "bounds": {name: [self.sizes.get(name, 0), limit] for name, limit in limits.items()},
        }
        return self.builder.build(totals, self.deployment.field(), about)


@contextmanager
def _quiet_collector() -> Iterator[None]:
    """What was made before the run is not looked at again and again by the cyclic collector while it goes on."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
