"""The peers of the kernel's benchmark: the same floods without motecast. They keep no trace and have no layers.

A node that gets a message for the first time passes it on to all who hear it. Every copy is an entry of the queue, with
a latency of its own: that is what a queue of copies is for. `unit` says how many steps a slot has: 1000 makes time fine
(microseconds), 1 makes it slotted. `publications` are (slot, node). Both return the number of receptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from random import Random

import simpy

Links = Sequence[Sequence[int]]
Publications = Sequence[tuple[int, int]]

SLOTS = 100  # the longest latency


def heap_of_tuples(links: Links, publications: Publications, unit: int = 1000) -> int:
    """The loop that everybody writes first: a heap of (time, sequence, source, destination, message)."""
    latency, longest = Random(1).randint, SLOTS * unit
    heap: list[tuple[int, int, int, int, int]] = []
    seen: list[set[int]] = [set() for _ in links]
    sequence = receptions = 0
    for message, (slot, node) in enumerate(publications):
        heappush(heap, (slot * unit, sequence, node, node, message))
        sequence += 1
    while heap:
        now, _, source, node, message = heappop(heap)
        receptions += source != node
        if message in seen[node]:
            continue
        seen[node].add(message)
        for hearer in links[node]:
            heappush(heap, (now + latency(1, longest), sequence, node, hearer, message))
            sequence += 1
    return receptions


def simpy_callbacks(links: Links, publications: Publications, unit: int = 1000) -> int:
    """SimPy's fastest style: no processes, one timeout with a callback for each copy on its way."""
    latency, longest = Random(1).randint, SLOTS * unit
    world = simpy.Environment()
    seen: list[set[int]] = [set() for _ in links]
    receptions = 0

    def arrive(event: simpy.Event) -> None:
        nonlocal receptions
        source, node, message = event.value
        receptions += source != node
        if message in seen[node]:
            return
        seen[node].add(message)
        for hearer in links[node]:
            world.timeout(latency(1, longest), (node, hearer, message)).callbacks.append(arrive)

    for message, (slot, node) in enumerate(publications):
        world.timeout(slot * unit, (node, node, message)).callbacks.append(arrive)
    world.run()
    return receptions
