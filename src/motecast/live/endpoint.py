"""One node's place in the network: its socket, the frames that wait for it, and its links to its peers."""

from __future__ import annotations

import socket
from collections import deque
from typing import TYPE_CHECKING

from motecast.core import Message, NodeId, WireError, run_errands
from motecast.live.datagram import TO_ALL, TO_ONE, Ack, Data, Envelope, pack, unpack
from motecast.live.link import Inbound, Outbound, Transmission
from motecast.trace.builder import Extra

if TYPE_CHECKING:
    from motecast.live.context import LiveContext
    from motecast.live.world import World
    from motecast.trace.totals import Total

QUEUE = 1024  # frames that wait for the socket, and for each peer; one more drops the oldest
BUFFER = 4 << 20  # bytes asked of the kernel for each socket; it may give less
ACK_NAME, ACK_SIZE = "Ack", 19  # bytes of its record
AT_ONCE = 128  # datagrams read before others get their turn


class Endpoint:
    """Sends and receives for one node. `hearers` are the nodes that hear it."""

    def __init__(self, world: World, me: NodeId, hearers: tuple[NodeId, ...]) -> None:
        self.world = world
        self.me = me
        self.hearers = hearers
        self.contexts: list[LiveContext] = []
        self.outbox: deque[Transmission] = deque()
        self.outbound: dict[NodeId, Outbound] = {}
        self.inbound: dict[NodeId, Inbound] = {}
        self.owed: dict[NodeId, None] = {}  # who waits for an acknowledgement, in order
        self.counter = 0
        self.acknowledgements = 0
        self.socket = _open_socket()
        self.address: tuple[str, int] = self.socket.getsockname()
        self.room = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) // 2
        self.held = 0  # bytes that the kernel keeps for this socket, as far as we know

    def close(self) -> None:
        """Nothing comes or goes any more."""
        for ctx in self.contexts:
            for _, alarm in ctx.alarms.values():
                alarm.cancel()
        for link in self.outbound.values():
            if link.alarm is not None:
                link.alarm.cancel()
        self.socket.close()

    def totals(self) -> list[Total]:
        """What the link itself has sent."""
        count = self.acknowledgements
        return [(self.me, "send", ACK_NAME, count, count * ACK_SIZE, 0, 0)] if count else []

    # Facts

    @property
    def is_idle(self) -> bool:
        """No frame waits for the socket or for an answer of a peer."""
        return not self.outbox and not any(link.waiting for link in self.outbound.values())

    @property
    def is_quiet(self) -> bool:
        """Nothing waits, and nothing is unanswered."""
        return self.is_idle and not self.owed and not any(link.open for link in self.outbound.values())

    def is_clear(self, peer: NodeId) -> bool:
        """False while the peer has too much to answer."""
        return peer not in self.outbound or not self.outbound[peer].is_full

    # Out

    def broadcast(self, ctx: LiveContext, message: Message) -> None:
        """One datagram to each who hears this node."""
        frame = self._frame(ctx, None, message, self.hearers)
        if frame is not None:
            self._offer(frame)

    def send(self, ctx: LiveContext, to: NodeId, message: Message) -> None:
        """One datagram to a peer; with acknowledgement it waits until the peer has answered what came before."""
        frame = self._frame(ctx, to, message, (to,) if to in self.hearers else ())
        if frame is None:
            return
        if not self.world.options.acknowledge:
            self._offer(frame)
            return
        link = self.outbound.setdefault(to, Outbound(to, self.world.options.retries))
        link.waiting.append(frame)
        if len(link.waiting) > QUEUE:
            self._drop(link.waiting.popleft(), "queue")
        self._fill(link)

    def flush(self) -> None:
        """Gives the kernel what it has room for: frames in order, then acknowledgements."""
        while self.outbox and (self.outbox[0].is_settled or self._leave(self.outbox[0])):
            frame = self.outbox.popleft()
            if frame.link is None:
                self.world.left(frame, ok=True)
            else:
                self._await_answer(frame, frame.link)
        for peer in list(self.owed):
            if self.world.give(self, peer, self._datagram(self.inbound[peer].acknowledgement(), TO_ONE)):
                del self.owed[peer]
                self.acknowledgements += 1
                costs = Extra(peer, ACK_NAME, size=ACK_SIZE, payload=0, metadata=0)
                self.world.row("send", self.me, costs)

    def _frame(
        self, ctx: LiveContext, to: NodeId | None, message: Message, targets: tuple[NodeId, ...]
    ) -> Transmission | None:
        """The message as it will travel; None if it is too long to be a frame."""
        if not ctx.speaks(message):
            raise ctx.unspoken(message)
        try:
            return Transmission(ctx, to, message, self.world.stack.codec.encode(ctx.port, message), targets)
        except WireError as error:
            self._drop(Transmission(ctx, to, message, b"", ()), str(error))
            return None

    def _offer(self, frame: Transmission) -> None:
        self.outbox.append(frame)
        if len(self.outbox) > QUEUE:
            oldest = self.outbox.popleft()
            if oldest.link is None:
                self._drop(oldest, "queue")
            else:  # as if it had been lost on its way: its link tries again
                oldest.tries += 1
                self._await_answer(oldest, oldest.link)

    def _drop(self, frame: Transmission, why: str) -> None:
        frame.ctx.record("drop", frame.message, Extra(frame.to, type(frame.message).__name__, detail=why))
        self.world.left(frame, ok=False)

    def _leave(self, frame: Transmission) -> bool:
        """True when every copy of this try has left."""
        if frame.data is None:
            self._begin(frame)
        assert frame.data is not None
        while frame.targets and self.world.give(self, frame.targets[-1], frame.data):
            frame.targets.pop()
        return not frame.targets

    def _begin(self, frame: Transmission) -> None:
        """Makes the datagram of a try, and counts it: a retransmission is a transmission."""
        kind = "broadcast" if frame.to is None else "send"
        frame.tries += 1
        frame.data = self._datagram(Data(frame.frame, frame.number), TO_ALL if frame.to is None else TO_ONE)
        costs = frame.ctx.tally(frame.message, frame.to is not None)
        frame.ctx.record(kind, frame.message, Extra(frame.to, type(frame.message).__name__, None, None, *costs))

    def _datagram(self, record: Data | Ack, kind: int) -> bytes:
        self.counter += 1
        return pack(Envelope(self.me, self.world.boot, self.counter), record, kind=kind)

    # In

    def drain(self) -> None:
        """Takes what the kernel holds for this node, up to a limit."""
        for _ in range(AT_ONCE):
            try:
                data, address = self.socket.recvfrom(65_535)
            except BlockingIOError:
                return
            self.world.happen(self._arrived, data, address)

    def _arrived(self, data: bytes, address: tuple[str, int]) -> None:
        self.world.taken(self, len(data), address)
        try:
            envelope, records = unpack(data)
            self._check_sender(envelope, address)
            for record in records:
                self._take(envelope.sender, record)
        except WireError as error:
            self.world.malformed(self.me, error)

    def _check_sender(self, envelope: Envelope, address: tuple[str, int]) -> None:
        sender, boot, _ = envelope
        if self.world.nodes.get(address) != sender or boot != self.world.boot:
            raise WireError(f"node {sender}, boot {boot} is not at {address[0]}:{address[1]}")

    def _take(self, sender: NodeId, record: Data | Ack) -> None:
        unlucky = self.world.is_unlucky()
        if isinstance(record, Ack):
            if not unlucky:
                self._settle(sender, record)
            return
        port, message = self.world.stack.codec.decode(record.frame)
        ctx = self.contexts[port]
        extra = Extra(sender, type(message).__name__, size=self.world.stack.codec.size(message))
        if unlucky:
            ctx.record("lose", message, extra)
        elif self._is_new(sender, record.number):
            ctx.record("receive", message, extra)
            handler = ctx.node.layers[port].handler("received", type(message))
            assert handler is not None, f"port {port} speaks {type(message).__name__} without a handler"
            handler(ctx.node.layers[port], ctx, sender, message)
            run_errands(self.world.errands)

    def _is_new(self, sender: NodeId, number: int | None) -> bool:
        if number is None:
            return True
        self.owed[sender] = None
        return self.inbound.setdefault(sender, Inbound()).accept(number)

    def _settle(self, peer: NodeId, ack: Ack) -> None:
        link = self.outbound.get(peer)
        if link is None:
            raise WireError(f"node {peer} acknowledges frames that were never sent to it")
        for frame in link.settle(ack, self.world.loop.time()):
            self.world.left(frame, ok=True)
        self._fill(link)

    # Waiting for answers

    def _fill(self, link: Outbound) -> None:
        """Lets the next frames go; whoever saw that the peer was busy learns that it is not any more."""
        for frame in link.ready():
            self._offer(frame)
        if link.was_full and not link.is_full:
            self.world.soon(self.world.every, self.me, "cleared", link.peer)
        link.was_full = link.is_full

    def _await_answer(self, frame: Transmission, link: Outbound) -> None:
        frame.leave(self.world.loop.time())
        self._watch(link)

    def _watch(self, link: Outbound) -> None:
        """One alarm a link: for the frame that is overdue first."""
        deadline = link.deadline()
        if link.alarm is None and deadline is not None:
            link.alarm = self.world.loop.call_at(deadline, self.world.soon, self._retry, link)

    def _retry(self, link: Outbound) -> None:
        link.alarm = None
        again, failed = link.overdue(self.world.loop.time())
        for frame in again:
            frame.targets = [link.peer] if link.peer in self.hearers else []
            self._offer(frame)
        for frame in failed:
            self.world.left(frame, ok=False)
        self._fill(link)
        self._watch(link)


def _open_socket() -> socket.socket:
    door = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    door.setblocking(False)
    for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
        door.setsockopt(socket.SOL_SOCKET, option, BUFFER)
    door.bind(("127.0.0.1", 0))
    return door
