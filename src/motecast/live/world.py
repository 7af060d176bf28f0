"""The real world of one run: nodes on loopback UDP, the clock of an asyncio loop, and what the application does when.

One coroutine does everything. Sockets and alarms only say that there is something to do; then a turn takes what has
arrived, lets due alarms expire, and gives the kernel what there is room for. A happening is handled completely before
the next one, and a handler that raises ends the run where everybody sees it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from random import Random
from typing import TYPE_CHECKING, Any

from motecast.core import NodeId, Signal, run_errands
from motecast.live.application import Application
from motecast.live.context import LiveContext
from motecast.live.endpoint import Endpoint
from motecast.trace.builder import BLOCK, MICROSECONDS, Extra
from motecast.trace.scribe import Chronicle
from motecast.trace.totals import BLOCK as FRAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from motecast.core import Position, Stack, WireError
    from motecast.core.node import Errand
    from motecast.live.link import Transmission
    from motecast.live.options import Options

WORLD = "world"  # the port of the rows that no layer writes
PATIENCE = 0.25  # s of the wall without a datagram; what is still missing then, the kernel has lost
AT_ONCE = 1000  # happenings of one turn


class World(Chronicle):
    """Everything that happens in one run. Made, run and thrown away."""

    def __init__(
        self,
        stack: Stack,
        positions: Sequence[Position],
        links: Sequence[tuple[NodeId, ...]],
        script: Sequence[tuple[int, NodeId, Signal]],
        options: Options,
    ) -> None:
        self.stack = stack
        self.positions = positions
        self.links = links
        self.options = options
        self.seed = options.seed
        super().__init__((*stack.ports, WORLD), len(stack.ports), len(links), options.level)
        self.layer_codes = self.codes_of(stack)
        self.rng = Random(f"{options.seed}/medium")
        self.boot = secrets.randbits(32)
        self.now = 0  # microseconds of the field's clock; stands still during a happening
        self.errands: deque[Errand] = deque()
        self.happenings: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self.endpoints: list[Endpoint] = []
        self.nodes: dict[tuple[str, int], NodeId] = {}  # who is at an address
        self.readable: dict[Endpoint, None] = {}
        self.given = self.received = self.lost = 0  # datagrams
        self.is_over = False
        self.application = Application(self, script)

    # The clock

    @property
    def tick(self) -> int:
        return self.now

    def clock(self) -> int:
        """Microseconds that the field's clock shows."""
        return round((self.loop.time() - self.began) * self.options.speed * MICROSECONDS)

    def at(self, due: int, call: Callable[..., None], *arguments: Any) -> asyncio.TimerHandle:
        """`call` happens when the field's clock shows so many microseconds."""
        return self.loop.call_at(self.began + due / MICROSECONDS / self.options.speed, self.soon, call, *arguments)

    def soon(self, call: Callable[..., None], *arguments: Any) -> None:
        """`call` happens in the next turn."""
        self.happenings.append((call, arguments))
        self.wake.set()

    def happen(self, call: Callable[..., None], *arguments: Any) -> None:
        """`call` happens now, with all that follows from it inside its node."""
        self.now = max(self.now, self.clock())
        call(*arguments)
        run_errands(self.errands)

    # The run

    async def run(self) -> None:
        """From the start until nothing can happen any more, or the time is over."""
        self.loop = asyncio.get_running_loop()
        self.began = self.loop.time()
        self.wake = asyncio.Event()
        self.alarms = {"end": self.at(round(self.options.until * MICROSECONDS), self._end)}
        try:
            self._open()
            self._look(self.received)
            self._turn()
            while not self.is_over:
                await self._something()
                self._turn()
        finally:
            self._close()

    def _open(self) -> None:
        """Sockets first, so that nobody speaks to somebody who is not there; then layers start, then they see links."""
        for me, hearers in enumerate(self.links):
            endpoint = Endpoint(self, me, hearers)
            self.endpoints.append(endpoint)
            self.nodes[endpoint.address] = me
            self.loop.add_reader(endpoint.socket, self._is_readable, endpoint)
            node = self.stack.node(me)
            endpoint.contexts = [LiveContext(endpoint, node, port) for port in range(len(node.layers))]
            node.contexts = list(endpoint.contexts)
        for me in range(len(self.links)):
            self.row("start", me)
            self.happen(self.every, me, "started")
        for me, peers in enumerate(_neighbours(self.links)):
            for peer in sorted(peers):
                self.row("linkup", me, Extra(peer=peer))
                self.happen(self.every, me, "linked", peer)

    def _is_readable(self, endpoint: Endpoint) -> None:
        self.readable[endpoint] = None
        self.wake.set()

    async def _something(self) -> None:
        """Waits for something to do; the loop looks at sockets and alarms even when there is something already."""
        if self.wake.is_set():
            await asyncio.sleep(0)
        await self.wake.wait()
        self.wake.clear()

    def _turn(self) -> None:
        readable, self.readable = self.readable, {}
        for endpoint in readable:
            endpoint.drain()
        for _ in range(min(len(self.happenings), AT_ONCE)):
            call, arguments = self.happenings.popleft()
            self.happen(call, *arguments)
            if self.is_over:
                return
        self.application.advance()
        for endpoint in self.endpoints:
            endpoint.flush()
        if len(self.builder.rows) > BLOCK:
            self.builder.flush()
        if len(self.totals.log) > FRAMES:
            self.totals.fold()
        if self.happenings:
            self.wake.set()
        elif self._is_quiet():
            self.is_over = True

    def _is_quiet(self) -> bool:
        """True when nothing can happen any more."""
        return (
            self.application.is_done
            and self.given == self.received + self.lost
            and all(e.is_quiet and not any(ctx.alarms for ctx in e.contexts) for e in self.endpoints)
        )

    def _look(self, received: int) -> None:
        """A while without any datagram: what was given to the kernel and has not come back is lost."""
        if received == self.received:
            self.lost = self.given - self.received
            for endpoint in self.endpoints:
                endpoint.held = 0
        self.alarms["look"] = self.loop.call_later(PATIENCE, self.soon, self._look, self.received)

    def _end(self) -> None:
        self.is_over = True

    def _close(self) -> None:
        for alarm in self.alarms.values():
            alarm.cancel()
        for endpoint in self.endpoints:
            self.loop.remove_reader(endpoint.socket)
            endpoint.close()

    # The network

    def give(self, sender: Endpoint, peer: NodeId, data: bytes) -> bool:
        """True when the kernel has taken the datagram; it is offered no more than the peer's buffer can hold."""
        target = self.endpoints[peer]
        weight = _weight(len(data))
        if target.held and target.held + weight > target.room:
            return False
        try:
            sender.socket.sendto(data, target.address)
        except BlockingIOError:
            self.wake.set()
            return False
        target.held += weight
        self.given += 1
        return True

    def taken(self, endpoint: Endpoint, size: int, address: tuple[str, int]) -> None:
        """A datagram has left the kernel's buffer."""
        if address in self.nodes:
            endpoint.held = max(0, endpoint.held - _weight(size))
            self.received += 1

    def is_unlucky(self) -> bool:
        """True when the medium loses this one."""
        return self.options.loss > 0 and self.rng.random() < self.options.loss

    def malformed(self, me: NodeId, error: WireError) -> None:
        """Bytes that are no frame are counted, and change nothing."""
        self.rejected += 1
        self.row("reject", me, Extra(detail=str(error)))

    def left(self, frame: Transmission, *, ok: bool) -> None:
        """Tells the layer, if it wants to know, what became of a frame."""
        layer = frame.ctx.node.layers[frame.ctx.port]
        handler = layer.handler("sent", type(frame.message))
        if handler is not None:
            self.soon(handler, layer, frame.ctx, frame.to, frame.message, ok)

    def every(self, me: NodeId, what: str, *arguments: object) -> None:
        """A happening for every layer that answers it, from the bottom up."""
        for ctx in reversed(self.endpoints[me].contexts):
            layer = ctx.node.layers[ctx.port]
            handler = layer.handler(what)
            if handler is not None:
                handler(layer, ctx, *arguments)
                run_errands(self.errands)


def _weight(size: int) -> int:
    """Bytes of a socket's buffer that a datagram of this size takes; Linux needs less than that."""
    return 2 * size + 1024


def _neighbours(links: Sequence[tuple[NodeId, ...]]) -> list[set[NodeId]]:
    """Whom a node hears or is heard by."""
    found = [set(hearers) for hearers in links]
    for node, hearers in enumerate(links):
        for hearer in hearers:
            found[hearer].add(node)
    return found
