"""A scenario: everything that a run depends on, as one checked value. `vocabulary` lists its tables.

Every table is a struct: a field is a key with its default, its bounds and its unit. `read.py` fills it from TOML.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Positive = Annotated[float, Meta(gt=0)]
NotNegative = Annotated[float, Meta(ge=0)]
Probability = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=1)]
Natural = Annotated[int, Meta(ge=0)]
Span = tuple[NotNegative, NotNegative]
Scalar = bool | int | float | str


class Table(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file: unknown keys are refused."""


class Field(Table, frozen=True):
    """[field]: where the nodes are."""

    area: tuple[Positive, Positive] = (100.0, 100.0)  # m, width and height


class Nodes(Table, frozen=True):
    """[nodes.<class>]: a class of nodes."""

    count: Annotated[int, Meta(ge=0)] | None = None  # not needed with a file
    placement: Literal["uniform", "grid", "clustered", "file"] = "uniform"
    file: str | None = None  # CSV with columns x, y (metres) or lat, lon (degrees); relative to the scenario
    clusters: Count = 5  # clustered: how many
    spread: Positive = 10.0  # m; clustered: standard deviation around a cluster's middle
    roles: tuple[Literal["publish", "subscribe"], ...] = ()  # for the reader; the workload decides


class Beacon(Table, frozen=True):
    """[medium.beacon]: what neighbour discovery costs when links are beaconed."""

    period: Positive = 1.0  # s
    size: Count = 20  # bytes
    missed: Positive = 3.0  # periods of silence until a link is given up


class Air(Table, frozen=True):
    """What the media that model a radio share."""

    loss: Probability = 0.0  # of a frame at one receiver
    latency: NotNegative | Span = 0.001  # s; fixed or [low, high]
    slot: NotNegative = 0.0  # s; latencies are multiples of it (0: a microsecond)
    rate: NotNegative = 0.0  # bits a second; 0: a frame takes no air time and leaves at once
    queue: Natural = 16  # frames that wait while one is in the air; one more is dropped
    acknowledge: bool = False  # a unicast frame is acknowledged by the link and repeated when it is not
    retries: Natural = 3
    collisions: bool = False  # frames that overlap at a receiver are lost to it
    backoff: NotNegative = 0.0  # s; carrier sense, and a random wait of up to this long before a frame
    links: Literal["given", "beacons"] = "given"  # who pays for neighbour discovery
    beacon: Beacon = Beacon()


class Disk(Air, frozen=True, tag_field="kind", tag="disk"):
    """[medium] kind = "disk": who is within `range` hears."""

    range: Positive = 20.0  # m


class Graph(Air, frozen=True, tag_field="kind", tag="graph"):
    """[medium] kind = "graph": links from a file or a generator."""

    file: str | None = None  # CSV with columns a, b; `directed` says whether b -> a follows
    generator: Literal["random", "ring", "lattice", "small-world", "complete"] = "random"
    degree: Count = 6  # out-degree of random, degree of ring and small-world
    rewire: Probability = 0.1  # small-world: share of links that lead somewhere else
    directed: bool = False


class Rounds(Table, frozen=True, tag_field="kind", tag="rounds"):
    """[medium] kind = "rounds": datagrams between any two nodes, delivered at the end of the round."""

    round: Positive = 1.0  # s
    loss: Probability = 0.0
    duplicate: Probability = 0.0  # a datagram arrives twice
    known: Natural | None = None  # peers that a node is told of at its start; all when absent


Medium = Disk | Graph | Rounds


class Draw(Table, frozen=True):
    """How a value is drawn. Exactly one of the keys says how."""

    uniform: tuple[float, float] | None = None  # [low, high]
    integers: tuple[int, int] | None = None  # [low, high], both possible
    normal: tuple[float, NotNegative] | None = None  # [mean, standard deviation]
    choice: tuple[Scalar, ...] | None = None  # one of these
    zipf: NotNegative | None = None  # with choice: the exponent; the first is the commonest
    walk: tuple[float, float, Positive] | None = None  # [low, high, step]: a random walk of this publisher


class Publish(Table, frozen=True):
    """[workload.<class>.publish]: what each node of the class publishes."""

    topics: tuple[str, ...] = ("field",)  # "{node}" and "{class}" are filled in
    per_event: Count = 1  # topics of one event, drawn without repetition
    zipf: NotNegative = 0.0  # popularity of the topics: 0 alike, 1 the first is by far the commonest
    every: Positive = 10.0  # s; mean interval of one node
    arrivals: Literal["poisson", "periodic"] = "poisson"
    since: NotNegative = 0.0  # s
    until: NotNegative | None = None  # s; the end of the run when absent
    limit: Natural | None = None  # events of one node at most
    share: Probability = 1.0  # of the class that publishes
    attributes: dict[str, Scalar | Draw] = {}
    payload: Natural = 0  # bytes of opaque content
    expires: Positive | None = None  # s after publication
    file: str | None = None  # CSV of readings instead: node, when and a column an attribute (and topic)


class Range(Table, frozen=True):
    """[workload.<class>.subscribe.ranges.<attribute>]: a condition on one attribute, of a random width and place."""

    domain: tuple[float, float]
    width: tuple[Probability, Probability] = (0.0, 1.0)  # share of the domain, drawn uniformly between
    zipf: Positive | None = None  # instead: width = k % of the domain, k by Zipf's law with this exponent
    shape: Literal["between", "below", "above"] = "between"


class Subscribe(Table, frozen=True):
    """[workload.<class>.subscribe]: what each node of the class wants."""

    topics: tuple[str, ...] = ("#",)
    count: Count | None = None  # subscriptions of one node, each with a topic drawn; absent: one for each topic
    zipf: NotNegative = 0.0  # popularity of the topics when drawn
    where: str | None = None
    ranges: dict[str, Range] = {}
    share: Probability = 1.0  # of the class that subscribes
    since: NotNegative = 0.0  # s
    until: NotNegative | None = None  # s


class Work(Table, frozen=True):
    """[workload.<class>]."""

    publish: Publish | None = None
    subscribe: Subscribe | None = None


class Target(Table, frozen=True):
    """Whom a fault hits: one node, some, a class, or a share of it; all when nothing is said."""

    node: Natural | None = None
    nodes: tuple[Natural, ...] = ()
    of: str | None = None  # a class
    share: Probability = 1.0


class Fault(Target, frozen=True, kw_only=True):
    """What scheduled faults share."""

    when: NotNegative  # s


class Crash(Fault, frozen=True, tag_field="do", tag="crash"):
    """The node stops at once, and recovers after `lasts` (never when absent)."""

    lasts: Positive | None = None
    state: Literal["kept", "lost"] = "lost"


class Join(Fault, frozen=True, tag_field="do", tag="join"):
    """The node is absent until then."""


class Leave(Fault, frozen=True, tag_field="do", tag="leave"):
    """The node takes its subscriptions back and is gone for good."""


class Perturb(Fault, frozen=True, kw_only=True, tag_field="do", tag="perturb"):
    """The node sleeps: it hears nothing, and its timers and publications wait until it wakes."""

    lasts: Positive
    buffer: bool = False  # what was sent to it meanwhile reaches it when it wakes


class Partition(Table, frozen=True, tag_field="do", tag="partition"):
    """No frame passes between the groups."""

    when: NotNegative
    lasts: Positive | None = None
    groups: tuple[tuple[Natural, ...], ...] = ()  # nodes by number; who is in none forms the last group
    x: float | None = None  # or: those left and right of it


class Skew(Fault, frozen=True, tag_field="do", tag="skew"):
    """The node's clock shows `offset` + (1 + `drift`) × time, from then on."""

    offset: float = 0.0  # s
    drift: Annotated[float, Meta(gt=-0.5, lt=1.0)] = 0.0


class Rate(Target, frozen=True, kw_only=True):
    """[[faults.rates]]: every node of the target fails again and again, at random."""

    do: Literal["crash", "perturb"]
    every: Positive | None = None  # s; mean time without the fault
    rate: Probability | None = None  # instead of `every`: the share of time that the fault lasts
    lasts: Positive = 5.0  # s; mean
    state: Literal["kept", "lost"] = "lost"
    buffer: bool = False
    since: NotNegative = 0.0
    until: NotNegative | None = None


class Faults(Table, frozen=True):
    """[faults]."""

    schedule: tuple[Crash | Join | Leave | Perturb | Partition | Skew, ...] = ()
    rates: tuple[Rate, ...] = ()


class Scenario(Table, frozen=True, kw_only=True):
    """The whole file, resolved: what `motecast sim --explain` prints."""

    name: str
    stack: str
    seed: int = 1
    until: Positive = 60.0  # s
    parameters: dict[str, Any] = {}  # of the chosen stack
    field: Field = Field()
    nodes: dict[str, Nodes]
    medium: Medium = Disk()
    faults: Faults = Faults()
    workload: dict[str, Work] = {}
    folder: str = "."  # what files are relative to
