"""The medium that a scenario asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motecast.sim import scenario as tables
from motecast.sim.exclusive import Exclusive, LeanExclusive
from motecast.sim.lean import Lean
from motecast.sim.medium import Latency, Medium, Rounds
from motecast.sim.radio import Radio
from motecast.trace.builder import MICROSECONDS

if TYPE_CHECKING:
    from motecast.sim.world import World


def make_medium(world: World) -> Medium:
    """Air time, queues, acknowledgement and collisions cost nothing to who does not ask for them."""
    settings, links = world.deployment.scenario.medium, world.deployment.links
    if world.deployment.plan is not None:
        links = list(links)  # they change, and the deployment may run again
    if isinstance(settings, tables.Rounds):
        period = round(settings.round * MICROSECONDS)
        return Medium(world, links, Rounds(period, period), settings.loss, settings.duplicate)
    latency = latency_of(settings)
    if not (settings.rate or settings.acknowledge or settings.collisions or settings.backoff):
        return Medium(world, links, latency, settings.loss)
    is_lean = settings.rate and latency.longest == 0 and not settings.acknowledge
    is_lean = is_lean and not (settings.collisions or settings.backoff)
    kinds = (Lean, LeanExclusive) if is_lean else (Radio, Exclusive)
    kind = kinds[bool(settings.exclusive)]
    return kind(
        world,
        links,
        latency,
        settings.loss,
        rate=settings.rate,
        queue=settings.queue,
        retries=settings.retries if settings.acknowledge else None,
        collisions=settings.collisions,
        backoff=settings.backoff,
    )


def latency_of(settings: tables.Air) -> Latency:
    """Seconds of the scenario as microseconds."""
    low, high = settings.latency if isinstance(settings.latency, tuple) else (settings.latency, settings.latency)
    return Latency(round(low * MICROSECONDS), round(high * MICROSECONDS), max(1, round(settings.slot * MICROSECONDS)))
