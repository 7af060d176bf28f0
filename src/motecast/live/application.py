"""What the applications of all nodes do, when it is due and the network is not too busy."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import msgspec

from motecast.core import Event, NodeId, Publish, Signal, Subscribe, Unsubscribe
from motecast.trace.builder import MICROSECONDS, Extra

if TYPE_CHECKING:
    from collections.abc import Sequence

    from motecast.live.world import World

HELD_BACK = 64  # frames that wait for their sockets; while there are more, the application has to wait too


class Application:
    """A script of (microseconds, node, signal), worked off in order."""

    def __init__(self, world: World, script: Sequence[tuple[int, NodeId, Signal]]) -> None:
        self.world = world
        self.script = deque(sorted(script, key=lambda entry: entry[0]))

    @property
    def is_done(self) -> bool:
        """True when it asks nothing any more."""
        return not self.script

    def advance(self) -> None:
        """Does what is due, unless the network is still busy with what was done before."""
        world = self.world
        room = HELD_BACK - sum(len(endpoint.outbox) for endpoint in world.endpoints)
        while self.script and self.script[0][0] <= world.clock() and room > 0:
            _, node, signal = self.script.popleft()
            world.happen(self._act, node, signal)
            room -= 1
        if self.script and "script" not in world.alarms:
            world.alarms["script"] = world.at(self.script[0][0], self._wake)

    def _wake(self) -> None:
        """The turn in which this happens goes on with the script."""
        del self.world.alarms["script"]

    def _act(self, node: NodeId, signal: Signal) -> None:
        match signal:
            case Publish(event):
                signal = Publish(self._publish(node, event))
            case Subscribe(subscription):
                self.world.builder.subscribed(subscription, self.world.now)
                self.world.row("subscribe", node, Extra(subscription=subscription.id), port=0)
            case Unsubscribe(subscription):
                self.world.builder.unsubscribed(subscription, self.world.now)
                self.world.row("unsubscribe", node, Extra(subscription=subscription.id), port=0)
        target = self.world.stack.entry.get(type(signal))
        if target is not None:
            port, handler = target
            ctx = self.world.endpoints[node].contexts[port]
            handler(ctx.node.layers[port], ctx, signal)

    def _publish(self, node: NodeId, event: Event) -> Event:
        """The event as it is published now."""
        when = self.world.now / MICROSECONDS
        expires = None if event.expires is None else when + event.expires - event.when
        event = msgspec.structs.replace(event, when=when, expires=expires)
        self.world.published(node, event)
        return event
