"""Hosts any stack on loopback UDP: every node has a socket, every frame is a datagram, the clock is the real one.

    trace = run(flood(), positions, links, script, seed=1, until=10.0)

is what `motecast.sim.run` is in virtual time. It is for tests and demonstrations on one machine: no keys, no discovery.
"""

from __future__ import annotations

import asyncio
import resource
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from motecast.core import ConfigError, limit_of
from motecast.live.options import Options
from motecast.live.world import World
from motecast.trace.kinds import FIELD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from motecast.core import NodeId, Notify, Position, Signal, Stack
    from motecast.trace import Trace

SPARE = 64  # files that the process needs besides the sockets


async def host(
    stack: Stack,
    positions: Sequence[Position],
    links: Sequence[tuple[NodeId, ...]],
    script: Sequence[tuple[int, NodeId, Signal]],
    *,
    seed: int,
    until: float,
    acknowledge: bool = True,
    retries: int = 3,
    loss: float = 0.0,
    speed: float = 1.0,
    level: str = "deliveries",
    classes: Sequence[str] = (),
    about: Mapping[str, Any] | None = None,
    listener: Callable[[NodeId, Notify], None] | None = None,
) -> Trace:
    """Runs the stack on every node until nothing can happen any more, at most `until` seconds of the field's clock.

    `links[n]` are the nodes that hear n. `script` holds (microseconds, node, signal): what applications ask, and when.
    `acknowledge`: a `send` is answered by the link, and tried `retries` times more when it is not. `loss` is the share
    of records that receivers miss. The field's clock runs `speed` times as fast as the wall's. `listener` is told each
    delivery as it happens. `classes` and `about` describe the field and the run in the trace.
    """
    _check(positions, links, script)
    options = Options(seed, until, acknowledge, retries, loss, speed, level, listener)
    world = World(stack, positions, links, script, options)
    await world.run()
    return world.builder.build(
        [*world.totals.rows(), *(total for endpoint in world.endpoints for total in endpoint.totals())],
        _field(world, classes or ["node"] * len(links)),
        {**_about(world), **(about or {}), "host": "live"},
    )


def run(*arguments: Any, **options: Any) -> Trace:
    """`host` for a program that is not asynchronous, with the same parameters."""
    return asyncio.run(host(*arguments, **options))


def _check(
    positions: Sequence[Position],
    links: Sequence[tuple[NodeId, ...]],
    script: Sequence[tuple[int, NodeId, Signal]],
) -> None:
    count = len(links)
    if len(positions) != count:
        raise ConfigError(f"positions: {len(positions)} of them; links has {count} nodes")
    named = [("links", node) for hearers in links for node in hearers]
    for place, node in [*named, *(("script", node) for _, node, _ in script)]:
        if not 0 <= node < count:
            raise ConfigError(f"{place}: node {node}; there are nodes 0 to {count - 1}")
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if count + SPARE > files:
        raise ConfigError(f"links: {count} nodes need a socket each; this process may open {files} files (ulimit -n)")


def _about(world: World) -> dict[str, Any]:
    """What run.json says of it, as far as the stack and the host know."""
    stack = world.stack
    return {
        "name": "live",
        "stack": stack.describe(),
        "layers": stack.describe(),
        "seed": world.options.seed,
        "version": version("motecast"),
        "promises": list(stack.promises),
        "unwatched": list(stack.unwatched),
        "until": world.options.until,
        "scenario": {},
        "rejected": world.rejected,
        "bounds": _bounds(world),
        "datagrams": {"given": world.given, "received": world.received, "lost": world.lost},
    }


def _bounds(world: World) -> dict[str, list[int]]:
    """For each limited field of a layer's state: the largest size at the end, and the limit."""
    found = {}
    for port, (name, layer) in enumerate(zip(world.stack.ports, world.stack.layers, strict=True)):
        for field in layer.limits:
            sizes = [len(getattr(e.contexts[port].node.layers[port], field)) for e in world.endpoints]
            found[f"{name}.{field}"] = [max(sizes, default=0), limit_of(layer, field)]
    return found


def _field(world: World, classes: Sequence[str]) -> pa.Table:
    columns = {
        "node": range(len(world.links)),
        "class": classes,
        "x": [x for x, _ in world.positions],
        "y": [y for _, y in world.positions],
        "links": [list(hearers) for hearers in world.links],
    }
    return pa.table([pa.array(columns[f.name], f.type) for f in FIELD], schema=FIELD)
