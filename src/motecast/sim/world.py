"""The world of one run: nodes, clocks, who is down or asleep, and what the application does when."""

from __future__ import annotations

import gc
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from motecast.core import (
    Advertise,
    Event,
    EventId,
    NodeId,
    Position,
    Publish,
    Signal,
    Subscribe,
    Subscription,
    Unsubscribe,
    limit_of,
)
from motecast.sim.beacons import BeaconDoor, Beacons
from motecast.sim.context import MovingContext, SimContext
from motecast.sim.faults import NOBODY, Action, compile_faults
from motecast.sim.host import Host, Sleep
from motecast.sim.kernel import Kernel
from motecast.sim.media import make_medium
from motecast.sim.moving import Moving
from motecast.sim.neighbours import Neighbours
from motecast.sim.planning import grid_of
from motecast.sim.scenario import Air
from motecast.trace.builder import BLOCK, MICROSECONDS, Extra
from motecast.trace.scribe import Chronicle
from motecast.trace.store import Trace
from motecast.trace.totals import BLOCK as FRAMES
from motecast.trace.totals import WIDTH

if TYPE_CHECKING:
    from motecast.sim.deploy import Deployment

WORLD = "world"  # the port of the rows that no layer writes
BEACONS = "Beacons"
FRAMES_A_LOOK = WIDTH * 10  # integers of the tally: after ten frames a node its state is measured again
LOOKS = 100  # moments at which it is measured besides, at level full

Progress = Callable[[float], None]  # seconds of virtual time


class World(Chronicle):
    """Everything that happens in one run. Made, run and thrown away."""

    def __init__(self, deployment: Deployment, level: str = "deliveries") -> None:
        scenario = deployment.scenario
        self.deployment = deployment
        self.seed = scenario.seed
        self.until = round(scenario.until * MICROSECONDS)
        self.positions = deployment.positions
        self.grid = grid_of(scenario.field)
        self.kernel = Kernel()
        ports = deployment.stack.ports
        super().__init__((*ports, WORLD, BEACONS), len(ports), len(self.positions), level)
        self.down: set[NodeId] = set(range(len(deployment.positions)))  # until they start
        self.gone: set[NodeId] = set()  # down for good
        self.absent: set[NodeId] = set()  # not joined yet
        self.outages: dict[NodeId, tuple[int, bool]] = {}  # until when a node is down, and whether its state is lost
        self.asleep: dict[NodeId, Sleep] = {}
        self.skews: dict[NodeId, tuple[float, float, int]] = {}  # offset s, drift, since
        count = len(self.positions)
        self.hears = bytearray(count)
        self.numbers = [0] * count  # of the last event of each node
        self.waiting: dict[NodeId, list[Signal]] = {}  # what applications want to ask when their node is up again
        self.active: list[list[Subscription]] = [[] for _ in range(count)]
        self.advertised: dict[NodeId, list[str]] = {}  # topics
        self.sizes: dict[str, int] = {}
        self.medium = make_medium(self)
        door = MovingContext if deployment.tracks else SimContext
        self.main = Host(self, deployment.stack, count, 0, door)
        self.hosts = [self.main, *self._beacons(count)]
        self.neighbours = Neighbours(self)
        self.moving = Moving(self, deployment.tracks, deployment.plan)
        self.tells_cleared = self.main.answers("cleared")

    def _beacons(self, count: int) -> list[Host]:
        medium = self.deployment.scenario.medium
        if not isinstance(medium, Air) or medium.links == "given":
            return []
        stack = Beacons.stack(medium.beacon)
        return [Host(self, stack, count, self.place + 1, BeaconDoor)]

    # Clocks

    @property
    def tick(self) -> int:
        return self.kernel.now

    def clock(self, node: NodeId) -> float:
        """Seconds, as the node sees them."""
        now = self.kernel.now / MICROSECONDS
        if node in self.skews:
            offset, drift, since = self.skews[node]
            return now + offset + drift * (now - since / MICROSECONDS)
        return now

    def shown(self, node: NodeId, tick: int) -> float:
        """What the node's clock, as it goes now, shows at a tick."""
        return self.clock(node) + (tick - self.kernel.now) / MICROSECONDS * (1.0 + self.skews.get(node, (0.0, 0.0))[1])

    def position(self, node: NodeId) -> Position:
        """Where the node is now."""
        track = self.deployment.tracks.get(node)
        return self.positions[node] if track is None else track.at(self.kernel.now)

    def microseconds(self, node: NodeId, after: float) -> int:
        """True microseconds that pass while the node's clock shows so many seconds more."""
        if node in self.skews:
            after /= 1.0 + self.skews[node][1]
        return round(after * MICROSECONDS) or int(after > 0)  # a moment is a tick, or time would stand still

    # Nodes come and go

    def start(self, node: NodeId) -> None:
        """The node is up: it hears, its layers start, its neighbours see it."""
        self.hears[node] = 1
        self.down.discard(node)
        self.switch(node)
        self.row("start", node)
        for host in self.hosts:
            host.hear(node)
        for host in self.hosts:
            host.happen(node, "started")
        self.neighbours.up(node)

    def stop(self, node: NodeId) -> None:
        """The node is down: nothing of it happens any more until it starts again."""
        self._keep_sizes(node)
        self.hears[node] = 0
        self.down.add(node)
        sleep = self.asleep.pop(node, None)
        for call, _node, signal in sleep.waiting if sleep else ():
            if call == self.act:
                self._put_off(node, signal)
        for host in self.hosts:
            host.ignore(node)
            host.stop_alarms(node)
        self.switch(node)
        self.medium.silence(node)
        self.neighbours.gone(node)

    def switch(self, node: NodeId) -> None:
        """The node draws another power from now on."""
        if self.medium.account is not None:
            self.medium.account.switch(node)

    def forget(self, node: NodeId) -> None:
        """The node's state is lost, and so is what it asked for: the application asks again."""
        for host in self.hosts:
            host.forget(node)
        self.neighbours.forget(node)

    def ask_again(self, node: NodeId) -> None:
        """The application asks again for what it still wants, and says again what it is going to publish."""
        for subscription in self.active[node]:
            self.main.ask(node, Subscribe(subscription))
        for topic in self.advertised.get(node, ()):
            self.main.ask(node, Advertise(topic, self.numbers[node] + 1))

    def catch_up(self, node: NodeId) -> None:
        """The application does what it could not do while its node was down."""
        for signal in self.waiting.pop(node, []):
            self.act(node, signal)

    def later(self, node: NodeId, call: Any, a: object, b: object) -> None:  # noqa: ANN401  # any of a kernel's calls
        """It happens when the node, which sleeps, wakes."""
        self.asleep[node].waiting.append((call, a, b))

    def heard_by(self, node: NodeId) -> list[NodeId]:
        """Whom the node hears now."""
        if self.deployment.plan is not None:
            return list(self.medium.hearers[node])  # contacts go both ways
        return [peer for peer in self.deployment.heard_by(node) if self.medium.reaches(peer, node)]

    def cleared(self, node: NodeId) -> None:
        """The node has spoken and listens again: those whom it hears may want to know."""
        if self.tells_cleared:
            for peer in self.heard_by(node):
                self.tell_cleared(peer, node)

    def tell_cleared(self, peer: NodeId, node: NodeId) -> None:
        """Tells one of them, when it is awake."""
        if peer in self.asleep:
            self.later(peer, self.tell_cleared, peer, node)
        elif peer not in self.down:
            self.main.happen(peer, "cleared", node)

    # The application

    def act(self, node: NodeId, signal: Signal) -> None:
        """What the application of a node does now, if the node is up."""
        if node in self.asleep:
            self.later(node, self.act, node, signal)
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
            case Advertise(topic):
                self.advertised.setdefault(node, []).append(topic)
                self.main.ask(node, signal)
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
        self.published(node, event)
        self.main.ask(node, Publish(event))

    # The run

    def run(self, progress: Progress | None = None) -> Trace:
        """From the start to `until`."""
        plan = compile_faults(self.deployment)
        of_all = [action for action in plan if action.node == NOBODY]
        of_one = [action for action in plan if action.node != NOBODY]
        for action in of_all:  # a partition at the beginning is there before anybody starts
            self.kernel.at(action.tick, self._fault, action)
        for node in range(len(self.positions)):
            self.kernel.at(0, self._start, node)
        for action in of_one:
            self.kernel.at(action.tick, self._fault, action)
        self.kernel.at(0, lambda _a, _b: self.moving.begin())
        self.absent.update(action.node for action in plan if action.what == "join")
        with _quiet_collector():
            for t, node, signal in self.deployment.script:
                self.kernel.at(t, self.act, node, signal)
            try:
                self.kernel.run(self.until, self._housekeeping(progress))
            except Exception as error:
                self._say_where(error)
                raise
        return self._trace()

    def _say_where(self, error: Exception) -> None:
        """A handler has raised it: whoever reads it wants to know whose, when, and how to have it again."""
        for frame, _ in traceback.walk_tb(error.__traceback__):
            for name in frame.f_code.co_varnames[:2]:
                door = frame.f_locals.get(name)
                if isinstance(door, SimContext):
                    layer = door.host.stack.ports[door.port]
                    error.add_note(
                        f"at node {door.me}, {layer}, seed {self.seed}, {self.kernel.now / MICROSECONDS:.6f} s"
                    )
                    return

    def _start(self, node: NodeId, _: object) -> None:
        if node not in self.absent:
            self.start(node)

    def _fault(self, action: Action, _: object) -> None:
        action.happen(self)

    def _housekeeping(self, progress: Progress | None) -> Callable[[], None]:
        """What follows each tick: rows go to their block, and whoever waits is told how far we are."""
        builder, kernel, rows, frames = self.builder, self.kernel, self.builder.rows, self.totals.log
        told = 0
        every = look = FRAMES_A_LOOK * max(1, len(self.positions))
        wait = self.until // LOOKS if builder.level == "full" else self.until
        due = wait

        def after_tick() -> None:
            nonlocal told, look, due
            if self.totals.folded + len(frames) >= look:
                look += every
                self._look()
            elif kernel.now >= due:
                due = kernel.now + wait
                self._look()
            if len(rows) > BLOCK:
                builder.flush()
            if len(frames) > FRAMES:
                self.totals.fold()
            if progress is not None and kernel.now - told > self.until // 200:
                told = kernel.now
                progress(told / MICROSECONDS)

        return after_tick

    def _look(self) -> None:
        """How large the state of each node is now: the largest that is ever seen is what the trace says."""
        for name, layer, nodes in zip(self.main.stack.ports, self.main.stack.layers, self.main.layers, strict=True):
            for field in layer.limits:
                largest = max(map(len, map(attrgetter(field), nodes)), default=0)
                self.sizes[f"{name}.{field}"] = max(largest, self.sizes.get(f"{name}.{field}", 0))

    def _keep_sizes(self, node: NodeId) -> None:
        for name, size in self.main.sizes(node).items():
            self.sizes[name] = max(size, self.sizes.get(name, 0))

    def _trace(self) -> Trace:
        self._look()
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
    """The cyclic collector looks at what was made before the run no more, and at the rest of it more rarely.

    Runs make no cycles: messages and rows go when nobody holds them. A protocol of a user's might, so it stays on.
    """
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(50_000, 50, 1000)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
