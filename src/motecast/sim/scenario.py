"""A scenario: everything that a run depends on, as one checked value. `vocabulary` lists its tables.

Every table is a struct: a field is a key with its default, its bounds and its unit. `read.py` fills it from TOML.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from motecast.core import FRAME_LIMIT

LONGEST = 1e9  # s; thirty years, and their microseconds fit into 64 bits
LARGEST = 10_000_000  # nodes, or whatever a list is made of
PAYLOAD = FRAME_LIMIT - 10_000  # bytes; what a frame takes besides is for topics, attributes and headers

Length = Annotated[float, Meta(ge=0.001, le=1e9)]  # m
Duration = Annotated[float, Meta(ge=1e-6, le=LONGEST)]  # s; at least what the kernel counts in
Time = Annotated[float, Meta(ge=0, le=LONGEST)]  # s
Cost = Annotated[float, Meta(ge=0, le=1e9)]
NotNegative = Annotated[float, Meta(ge=0)]
Exponent = Annotated[float, Meta(ge=0, le=100)]  # of Zipf's law
Probability = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=1, le=LARGEST)]
Natural = Annotated[int, Meta(ge=0, le=LARGEST)]
Span = tuple[Time, Time]
Speed = Annotated[float, Meta(ge=0.001, le=1e6)]  # m/s
Scalar = bool | int | float | str


class Table(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file: unknown keys are refused."""


class Field(Table, frozen=True):
    """[field]: where the nodes are."""

    area: tuple[Length, Length] = (100.0, 100.0)  # m; [width, height]
    cells: Annotated[int, Meta(ge=1, le=20_000)] | None = None  # on each side; nodes are told when they change cells


class Waypoint(Table, frozen=True, tag_field="kind", tag="waypoint"):
    """[nodes.<class>.mobility] kind = "waypoint": to a uniform point, straight, and a pause; again and again."""

    speed: tuple[Speed, Speed] = (0.5, 5.0)  # m/s; [low, high], drawn for each travel; near 0 the field slows down
    pause: Span = (0.0, 0.0)  # s; [low, high]


class Recorded(Table, frozen=True):
    """What movements from files share."""

    file: str  # relative to the scenario; its first node is the first of the class, and so on


class Waypoints(Recorded, frozen=True, tag_field="kind", tag="file"):
    """[nodes.<class>.mobility] kind = "file": a CSV with columns node, t (s), x and y."""


class One(Recorded, frozen=True, tag_field="kind", tag="one"):
    """[nodes.<class>.mobility] kind = "one": The ONE's external movement."""


class Bonnmotion(Recorded, frozen=True, tag_field="kind", tag="bonnmotion"):
    """[nodes.<class>.mobility] kind = "bonnmotion": a .movements file."""


class Setdest(Recorded, frozen=True, tag_field="kind", tag="setdest"):
    """[nodes.<class>.mobility] kind = "setdest": ns-2's."""


class Passages(Recorded, frozen=True, tag_field="kind", tag="passages"):
    """[nodes.<class>.mobility] kind = "passages": which cell a node is in when; needs [field] cells."""


Mobility = Waypoint | Waypoints | One | Bonnmotion | Setdest | Passages


class Nodes(Table, frozen=True):
    """[nodes.<class>]: a class of nodes."""

    count: Natural | None = None  # nodes; with a file: its first so many lines, all when absent
    placement: Literal["uniform", "grid", "clustered", "file"] = "uniform"  # how; `file` is the same as to name one
    file: str | None = None  # CSV with columns x, y (metres) or lat, lon (degrees); relative to the scenario
    clusters: Count = 5  # clustered: how many
    spread: Length = 10.0  # m; clustered: standard deviation around a cluster's middle
    roles: tuple[Literal["publish", "subscribe"], ...] = ()  # for the reader; the workload decides
    mobility: Mobility | None = None  # how they move; they stand when absent


class Beacon(Table, frozen=True):
    """[medium.beacon]: what neighbour discovery costs when links are beaconed."""

    period: Duration = 1.0  # s; from beacon to beacon
    size: Annotated[int, Meta(ge=6, le=255)] = 20  # bytes; of one beacon
    missed: Annotated[float, Meta(ge=1)] = 3.0  # periods of silence until a link is given up


class Air(Table, frozen=True):
    """What the media that model a radio share."""

    loss: Probability = 0.0  # of a frame at one receiver
    latency: Time | Span = 0.001  # s; fixed, or [low, high]: drawn uniformly, once a transmission
    slot: Time = 0.0  # s; a drawn latency is `low` and a multiple of this (0: of a microsecond)
    rate: Annotated[float, Meta(ge=0, le=1e15)] = 0.0  # bits a second; 0: a frame takes no air time and leaves at once
    queue: Natural = 16  # frames; so many wait while one is in the air; one more is dropped
    acknowledge: bool = False  # a unicast frame is acknowledged by the link and repeated when it is not
    retries: Natural = 3  # repetitions at most, after which the layer is told that nobody heard
    collisions: bool = False  # overlapping frames are lost at their receiver, who speaks hears nothing; needs a rate
    backoff: Time = 0.0  # s; carrier sense, and a random wait of up to this long before a frame
    links: Literal["given", "beacons"] = "given"  # who pays for neighbour discovery
    beacon: Beacon = Beacon()
    apart: tuple[str, ...] = ()  # classes whose nodes never hear nodes of the same class
    exclusive: tuple[str, ...] = ()  # classes whose receivers take one frame with an event at a time; needs a rate


class Disk(Air, frozen=True, tag_field="kind", tag="disk"):
    """[medium] kind = "disk": who is within `range` hears."""

    range: Length = 20.0  # m; from node to node
    plan: str | None = None  # a contact plan from a file, instead of computing one


class Cells(Air, frozen=True, tag_field="kind", tag="cells"):
    """[medium] kind = "cells": who is in the same cell of [field] cells, or in one of the eight around it, hears."""

    plan: str | None = None  # a contact plan from a file, instead of computing one


class Contacts(Air, frozen=True, kw_only=True, tag_field="kind", tag="contacts"):
    """[medium] kind = "contacts": links go up and down as a file says, wherever the nodes are."""

    file: str  # The ONE's connectivity events, or a contact plan (.parquet); relative to the scenario


class Graph(Air, frozen=True, tag_field="kind", tag="graph"):
    """[medium] kind = "graph": links from a file or a generator."""

    file: str | None = None  # CSV with columns a, b: b hears a (and a hears b unless directed); instead of a generator
    generator: Literal["random", "ring", "lattice", "small-world", "complete"] = "random"  # what is drawn
    degree: Count = 6  # out-degree of random, degree of ring and small-world
    rewire: Probability = 0.1  # small-world: share of links that lead somewhere else
    directed: bool = False  # a link leads one way; for a file and for random


class Rounds(Table, frozen=True, tag_field="kind", tag="rounds"):
    """[medium] kind = "rounds": datagrams between any two nodes, delivered at the end of the round."""

    round: Duration = 1.0  # s; how long one lasts
    loss: Probability = 0.0  # of a datagram
    duplicate: Probability = 0.0  # a datagram arrives twice
    known: Natural | None = None  # peers that a node is told of at its start; all when absent


Medium = Disk | Graph | Rounds | Cells | Contacts


class Energy(Table, frozen=True):
    """[energy]: what transmitting and receiving costs; the first-order radio model."""

    initial: Annotated[float, Meta(gt=0, le=1e6)] = 10.0  # J; of each node; one that has used it up is dead for good
    electronics: Cost = 50.0  # nJ a bit; sent or received
    amplifier: Cost = 10.0  # pJ a bit and square metre, sent
    distance: Length | Literal["actual"] = 15.0  # m; whatever the real one; "actual": to the farthest addressee
    charge: Literal["tx", "data", "all"] = "all"  # sending frames with events; receiving them too; all frames
    overhearing: Cost = 0.0  # nJ a bit; of a frame that is for somebody else
    idle: Cost = 0.0  # W; while awake
    sleep: Cost = 0.0  # W; while perturbed
    unlimited: tuple[str, ...] = ()  # classes that are not charged


class Draw(Table, frozen=True):
    """How a value is drawn. Exactly one of the keys says how."""

    uniform: tuple[float, float] | None = None  # [low, high]
    integers: tuple[int, int] | None = None  # [low, high], both possible
    normal: tuple[float, NotNegative] | None = None  # [mean, standard deviation]
    choice: tuple[Scalar, ...] | None = None  # one of these
    zipf: Exponent | None = None  # with choice: the exponent; the first is the commonest
    walk: tuple[float, float, NotNegative] | None = None  # [low, high, step]: a random walk of this publisher


class Publish(Table, frozen=True):
    """[workload.<class>.publish]: what each node of the class publishes."""

    topics: tuple[str, ...] = ("field",)  # "{node}" and "{class}" are filled in
    per_event: Count = 1  # topics of one event, drawn without repetition
    zipf: Exponent = 0.0  # popularity of the topics: 0 alike, 1 the first is by far the commonest
    every: Duration = 10.0  # s; interval of one node, on average
    arrivals: Literal["poisson", "periodic"] = "poisson"  # exponential intervals, or equal ones from a random start
    since: Time = 0.0  # s; a file's times count from here
    until: Time | None = None  # s; the end of the run when absent
    limit: Natural | None = None  # events of one node at most
    share: Probability = 1.0  # of the class that publishes
    attributes: dict[str, Scalar | Draw] = {}  # a value, or how it is drawn
    payload: Annotated[int, Meta(ge=0, le=PAYLOAD)] = 0  # bytes; opaque content
    expires: Duration | None = None  # s; after publication; never when absent
    file: str | None = None  # CSV of readings instead: node, when and a column an attribute (and topic)


class Range(Table, frozen=True):
    """[workload.<class>.subscribe.ranges.<attribute>]: a condition on one attribute, of a random width and place."""

    domain: tuple[float, float]  # [low, high] of the attribute
    width: tuple[Probability, Probability] = (0.0, 1.0)  # share of the domain, drawn uniformly between
    zipf: Exponent | None = None  # instead: width = k % of the domain, k by Zipf's law with this exponent
    shape: Literal["between", "below", "above"] = "between"  # below and above: the width from that end of the domain


class Subscribe(Table, frozen=True):
    """[workload.<class>.subscribe]: what each node of the class wants."""

    topics: tuple[str, ...] = ("#",)  # filters with + and #; "{node}" and "{class}" are filled in
    count: Count | None = None  # subscriptions of one node, each with a topic drawn; absent: one for each topic
    zipf: Exponent = 0.0  # popularity of the topics when drawn
    where: str | None = None  # a filter, the same for all
    ranges: dict[str, Range] = {}  # by attribute; joined to `where` by AND
    share: Probability = 1.0  # of the class that subscribes
    since: Time = 0.0  # s; when it begins
    until: Time | None = None  # s; the subscriptions are taken back; never when absent


class Work(Table, frozen=True):
    """[workload.<class>]."""

    publish: Publish | None = None  # nothing when absent
    subscribe: Subscribe | None = None  # nothing when absent


class Target(Table, frozen=True):
    """Whom a fault hits: one node, some, a class, or a share of it; all when nothing is said."""

    node: Natural | None = None  # one, by number: classes in the order of the file, from 0
    nodes: tuple[Natural, ...] = ()  # some, by number
    of: str | None = None  # a class
    share: Probability = 1.0  # so many of them, drawn


class Fault(Target, frozen=True, kw_only=True):
    """What scheduled faults share."""

    when: Time  # s; when it begins


class Crash(Fault, frozen=True, tag_field="do", tag="crash"):
    """The node stops at once, and recovers after `lasts`."""

    lasts: Duration | None = None  # s; for good when absent
    state: Literal["kept", "lost"] = "lost"  # of the layers; timers are always lost


class Join(Fault, frozen=True, tag_field="do", tag="join"):
    """The node is absent until then."""


class Leave(Fault, frozen=True, tag_field="do", tag="leave"):
    """The node takes its subscriptions back and is gone for good."""


class Perturb(Fault, frozen=True, kw_only=True, tag_field="do", tag="perturb"):
    """The node sleeps: it hears nothing, and its timers and publications wait until it wakes."""

    lasts: Duration  # s; until it wakes
    buffer: bool = False  # what was sent to it meanwhile reaches it when it wakes


class Partition(Table, frozen=True, tag_field="do", tag="partition"):
    """No frame passes between the groups."""

    when: Time  # s; when it begins
    lasts: Duration | None = None  # s; for good when absent
    groups: tuple[tuple[Natural, ...], ...] = ()  # nodes by number; who is in none forms the last group
    x: float | None = None  # m; or: those left of it and the others


class Skew(Fault, frozen=True, tag_field="do", tag="skew"):
    """The node's clock is wrong from `when` on. A later skew replaces an earlier one."""

    offset: Annotated[float, Meta(ge=-LONGEST, le=LONGEST)] = 0.0  # s; it shows so much more
    drift: Annotated[float, Meta(gt=-0.5, lt=1.0)] = 0.0  # s a second; and gains so much, its timers included


class Rate(Target, frozen=True, kw_only=True):
    """[[faults.rates]]: every node of the target fails again and again, at random."""

    do: Literal["crash", "perturb"]  # what happens
    every: Duration | None = None  # s; mean time without the fault
    rate: Probability | None = None  # instead of `every`: the share of time that the fault lasts
    lasts: Duration = 5.0  # s; mean
    state: Literal["kept", "lost"] = "lost"  # crash: of the layers
    buffer: bool = False  # perturb: what was sent to it meanwhile reaches it when it wakes
    since: Time = 0.0  # s; when it begins
    until: Time | None = None  # s; no fault begins later; the end of the run when absent


class Faults(Table, frozen=True):
    """[faults]."""

    schedule: tuple[Crash | Join | Leave | Perturb | Partition | Skew, ...] = ()  # [[faults.schedule]]
    rates: tuple[Rate, ...] = ()  # [[faults.rates]]


class Scenario(Table, frozen=True, kw_only=True):
    """The whole file, resolved: what `motecast sim --explain` prints."""

    name: str  # of the scenario; that of the file when absent
    stack: str  # a name that `motecast stacks` lists, or package.module:function
    seed: int = 1  # all chance of a run comes from it
    until: Duration = 60.0  # s; the end of the run
    parameters: dict[str, Any] = {}  # of the chosen stack
    field: Field = Field()
    nodes: dict[str, Nodes]  # by class
    medium: Medium = Disk()
    energy: Energy | None = None  # nobody counts it when absent
    faults: Faults = Faults()
    workload: dict[str, Work] = {}  # by class
    folder: str = "."  # what files are relative to
