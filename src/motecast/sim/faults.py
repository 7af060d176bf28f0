"""What goes wrong, and when: the scenario's faults as a list of actions, and what each does to the world."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from motecast.core import run_errands
from motecast.sim import scenario as tables
from motecast.sim.host import Sleep
from motecast.trace.builder import MICROSECONDS, Extra

if TYPE_CHECKING:
    from motecast.core import NodeId
    from motecast.sim.deploy import Deployment
    from motecast.sim.world import World

Fault = tables.Crash | tables.Join | tables.Leave | tables.Perturb | tables.Partition | tables.Skew
NOBODY = -1  # the node of an action that concerns all
NEVER = -1  # a tick that never comes


class Action(NamedTuple):
    """One fault at one node (a partition: at all)."""

    tick: int
    node: NodeId
    fault: Fault

    @property
    def what(self) -> str:
        """crash, join, leave, perturb, partition or skew."""
        return str(self.fault.__struct_config__.tag)

    def happen(self, world: World) -> None:
        """Does it."""
        _EFFECTS[type(self.fault)](world, self.node, self.fault)


def compile_faults(deployment: Deployment) -> list[Action]:
    """All actions of a run in order of time. Chance is drawn from streams of its own: stacks meet the same faults."""
    faults = deployment.scenario.faults
    actions: list[Action] = []
    for index, fault in enumerate(faults.schedule):
        rng = Random(f"{deployment.scenario.seed}/faults/schedule/{index}")
        tick = round(fault.when * MICROSECONDS)
        nodes = [NOBODY] if isinstance(fault, tables.Partition) else targets(fault, deployment, rng)
        actions += [Action(tick, node, fault) for node in nodes]
    for index, rate in enumerate(faults.rates):
        rng = Random(f"{deployment.scenario.seed}/faults/rates/{index}")
        for node in targets(rate, deployment, rng):
            actions += _at_random(rate, node, deployment.scenario.until, rng)
    return sorted(actions, key=lambda action: action.tick)  # stable: ties stay in the order of the file


def targets(target: tables.Target, deployment: Deployment, rng: Random) -> list[NodeId]:
    """The nodes that a fault hits, in order."""
    if target.node is not None:
        nodes = [target.node]
    elif target.nodes:
        nodes = list(target.nodes)
    else:
        nodes = [n for n, name in enumerate(deployment.classes) if target.of in (None, name)]
    if target.share < 1.0:
        nodes = sorted(rng.sample(nodes, round(target.share * len(nodes))))
    return nodes


def _at_random(rate: tables.Rate, node: NodeId, until: float, rng: Random) -> Iterator[Action]:
    """Times without and with the fault, each exponential, one after the other; whole ticks, so that none is between."""
    every, last = _mean_gap(rate), until if rate.until is None else rate.until
    if every is None:
        return
    is_hit_first = rate.rate is not None and rng.random() < rate.rate  # the share holds from the beginning
    tick = round(rate.since * MICROSECONDS) + (0 if is_hit_first else _exponential(rng, every))
    while tick < last * MICROSECONDS:
        lasts = max(1, _exponential(rng, rate.lasts))
        yield Action(tick, node, _fault_of(rate, tick / MICROSECONDS, lasts / MICROSECONDS))
        tick += lasts + _exponential(rng, every)


def _mean_gap(rate: tables.Rate) -> float | None:
    """Mean seconds without the fault; None: it never comes."""
    if rate.rate is None:
        return rate.every
    return rate.lasts * (1.0 - rate.rate) / rate.rate if rate.rate else None


def _exponential(rng: Random, mean: float) -> int:
    """Ticks."""
    return round(rng.expovariate(1.0 / mean) * MICROSECONDS) if mean else 0


def _fault_of(rate: tables.Rate, when: float, lasts: float) -> Fault:
    if rate.do == "crash":
        return tables.Crash(when=when, lasts=lasts, state=rate.state)
    return tables.Perturb(when=when, lasts=lasts, buffer=rate.buffer)


def crash(world: World, node: NodeId, fault: tables.Crash) -> None:
    """The node stops. One that is down already stays so until the last of its crashes ends."""
    if node in world.gone or node in world.absent:
        return
    detail = "for good" if fault.lasts is None else f"state {fault.state}"
    world.row("crash", node, Extra(detail=detail))
    if node not in world.down:
        world.stop(node)
    if fault.lasts is None:
        world.gone.add(node)
        return
    until, is_lost = world.outages.get(node, (0, False))
    until = max(until, world.kernel.now + round(fault.lasts * MICROSECONDS))
    world.outages[node] = (until, is_lost or fault.state == "lost")
    world.kernel.at(until, lambda _a, _b: _recover(world, node))


def _recover(world: World, node: NodeId) -> None:
    """Unless it is down for longer than was known, or has recovered already."""
    until, is_lost = world.outages.get(node, (NEVER, False))
    if node in world.gone or until != world.kernel.now:
        return
    del world.outages[node]
    if is_lost:
        world.forget(node)
    world.row("recover", node)
    world.start(node)
    if is_lost:
        world.ask_again(node)
    world.catch_up(node)


def _join(world: World, node: NodeId, _fault: tables.Join) -> None:
    if node in world.absent and node not in world.gone:
        world.absent.discard(node)
        world.row("recover", node, Extra(detail="join"))
        world.start(node)
        world.catch_up(node)


def _leave(world: World, node: NodeId, fault: tables.Leave) -> None:
    if node not in world.down:
        for subscription in list(world.active[node]):
            world.unsubscribe(node, subscription)
    crash(world, node, tables.Crash(when=fault.when))
    world.gone.add(node)


def _perturb(world: World, node: NodeId, fault: tables.Perturb) -> None:
    """A node that sleeps already sleeps until the last of its perturbations ends, as the first of them says."""
    now = world.kernel.now
    until = now + round(fault.lasts * MICROSECONDS)
    sleep = world.asleep.get(node)
    if node in world.down or (until <= now if sleep is None else until <= sleep.until):
        return
    if sleep is None:
        world.row("note", node, Extra(detail=f"what=asleep; until={until / MICROSECONDS:g}"))
        world.asleep[node] = Sleep(until)
        world.switch(node)
        _stop_hearing(world, node, fault)
    else:
        sleep.until = until
    world.kernel.at(until, lambda _a, _b: _wake(world, node))


def _stop_hearing(world: World, node: NodeId, fault: tables.Perturb) -> None:
    for host in world.hosts:
        if fault.buffer:
            host.keep(node, world.asleep[node].waiting)
        else:
            host.ignore(node)
            world.hears[node] = 0


def _wake(world: World, node: NodeId) -> None:
    """Unless it sleeps on, or has died meanwhile: it hears again, and what waited happens in the order it came."""
    sleep = world.asleep.get(node)
    if sleep is None or sleep.until != world.kernel.now:
        return
    del world.asleep[node]
    world.switch(node)
    world.row("note", node, Extra(detail="what=awake"))
    world.hears[node] = 1
    for host in world.hosts:
        host.hear(node)
    for call, a, b in sleep.waiting:
        call(a, b)
        run_errands(world.kernel.errands)


def _partition(world: World, _node: NodeId, fault: tables.Partition) -> None:
    sides = [_side(fault, node, world.position(node)) for node in range(len(world.positions))]
    for node, side in enumerate(sides):
        world.row("note", node, Extra(detail=f"what=partition; side={side}"))
    world.neighbours.cut(sides)
    if fault.lasts is not None:
        tick = world.kernel.now + round(fault.lasts * MICROSECONDS)
        world.kernel.at(tick, lambda _a, _b: _heal(world, sides))


def _heal(world: World, sides: list[int]) -> None:
    for node in range(len(sides)):
        world.row("note", node, Extra(detail="what=heal"))
    world.neighbours.heal(sides)


def _side(fault: tables.Partition, node: NodeId, position: tuple[float, float]) -> int:
    if fault.x is not None:
        return int(position[0] >= fault.x)
    return next((index for index, group in enumerate(fault.groups) if node in group), len(fault.groups))


def _skew(world: World, node: NodeId, fault: tables.Skew) -> None:
    world.row("note", node, Extra(detail=f"what=skew; offset={fault.offset:g}; drift={fault.drift:g}"))
    world.skews[node] = (fault.offset, fault.drift, world.kernel.now)


_EFFECTS: dict[type, Any] = {
    tables.Crash: crash,
    tables.Join: _join,
    tables.Leave: _leave,
    tables.Perturb: _perturb,
    tables.Partition: _partition,
    tables.Skew: _skew,
}
