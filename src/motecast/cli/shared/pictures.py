"""Pictures of a run: the field, one event's way, and how long deliveries took. The same run gives the same files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import BoundaryNorm, Normalize
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from motecast.check import View
    from motecast.cli.shared.journey import Journey

SECOND = 1_000_000
LINKS = 20_000  # drawn at most; of more, every so manieth
NUMBERED = 150  # nodes; of more, numbers would hide each other
LINE = 76  # letters of a title that fit beside each other
STEPS = 200  # shades that can be told apart in a bar of steps
INK, FAINT, GREY, RED, PURPLE = "#263238", "#c3ced3", "#90a4ae", "#c62828", "#8e24aa"
CLASSES = ("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#76b7b2", "#edc948", "#9c755f")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SHADES = "viridis"
SIGNED = "motecast run "
NAMES = ("field", "event-*", "delays")
STYLE: dict[Any, Any] = {  # Any: matplotlib lists all its keys in the type
    "svg.hashsalt": "motecast",  # else names inside the file change with every run
    "font.family": "DejaVu Sans",  # comes with matplotlib, so pictures are alike everywhere
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}


@contextmanager
def style() -> Iterator[None]:
    """Pictures are made and saved inside this."""
    with mpl.rc_context(STYLE):
        yield


def save(figure: Figure, folder: Path, name: str, digest: str) -> list[Path]:
    """Writes PNG and SVG, which say of which run they are; returns the files."""
    files = []
    about = {"Description": f"{SIGNED}{digest}"}
    for ending, metadata in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": "motecast"})):
        file = folder / f"{name}.{ending}"
        figure.savefig(file, dpi=150, metadata={**metadata, **about})
        files.append(file)
    return files


def remove_others(folder: Path, digest: str) -> list[Path]:
    """Takes away what was drawn here of other runs; returns the files."""
    ours, mine = SIGNED.encode(), f"{SIGNED}{digest}".encode()
    drawn = [file for pattern in NAMES for ending in ("png", "svg") for file in folder.glob(f"{pattern}.{ending}")]
    others = [file for file in sorted(drawn) if ours in (content := file.read_bytes()) and mine not in content]
    for file in others:
        file.unlink()
    return others


def draw_field(view: View) -> Figure:
    """Who is where, of which class, and who hears whom."""
    figure = Figure(figsize=(7.0, 6.4))
    axes = figure.subplots()
    places = _places(view)
    count = _draw_links(axes, view, places, colour=FAINT)
    classes = view.trace.field["class"].to_pylist()
    nodes = view.trace.field["node"].to_pylist()
    for index, name in enumerate(sorted(set(classes), key=classes.index)):
        spots = np.array([places[node] for node, each in zip(nodes, classes, strict=True) if each == name])
        marker, colour = MARKERS[index % len(MARKERS)], CLASSES[index % len(CLASSES)]
        label = f"{name} ({len(spots):,})"
        _mark(axes, spots, s=_size(len(nodes)), marker=marker, c=colour, ec="white", lw=0.5, label=label, zorder=3)
    _number(axes, places)
    _finish_map(figure, axes, f"{view.about.get('name', '')}: {len(nodes):,} nodes, {count}", is_real=_is_placed(view))
    return figure


def draw_journey(view: View, way: Journey) -> Figure:
    """How one event spread: the tree of first receptions where the trace has them, else hops of its deliveries."""
    figure = Figure(figsize=(7.0, 6.8))
    axes = figure.subplots()
    places = _places(view)
    size = _size(len(places))
    depths = way.depths
    _draw_links(axes, view, places, colour="#eceff1")
    rest = np.array([places[node] for node in places if node not in depths]).reshape(-1, 2)
    _mark(axes, rest, s=size * 0.5, c=FAINT, lw=0, zorder=2)
    reached = [node for node in depths if node != way.event.publisher and node in places]
    norm = _shades([depths[node] for node in reached])
    _draw_tree(axes, way, places, depths, norm)
    if reached:
        spots = np.array([places[node] for node in reached])
        _mark(axes, spots, s=size, c=[depths[n] for n in reached], cmap=SHADES, norm=norm, lw=0, zorder=4)
        _colour_bar(figure, axes, norm, [depths[node] for node in reached])
    _draw_ends(axes, way, places, size)
    _number(axes, places)
    _finish_map(figure, axes, _journey_title(view, way), is_real=_is_placed(view))
    return figure


def draw_delays(view: View) -> Figure:
    """How long deliveries took, and how deliveries kept up with what was expected."""
    figure = Figure(figsize=(9.0, 3.8))
    left, right = figure.subplots(1, 2)
    pairs, first = view.pairs, view.first_delivery
    delays = np.sort(view.deliveries.t[first] - view.when[pairs.event[pairs.delivered]]) / SECOND
    if len(delays):
        _draw_distribution(left, delays)
    _draw_progress(right, view.when[pairs.event], view.deliveries.t[first])
    if not len(delays):
        left.text(0.5, 0.5, "nothing was delivered", ha="center", transform=left.transAxes)
    left.set_title("From publication to delivery")
    right.set_title("Pairs of event and subscriber")
    return figure


# The map


def _spots(view: View) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    field = view.trace.field
    x, y = (np.array(field[name].fill_null(np.nan).to_pylist(), dtype=float) for name in ("x", "y"))
    return x, y


def _is_placed(view: View) -> bool:
    """False where nodes have no positions, or all the same one."""
    x, y = _spots(view)
    return not (np.isnan(x).any() or np.isnan(y).any() or (len(x) > 1 and np.ptp(x) == np.ptp(y) == 0))


def _places(view: View) -> dict[int, tuple[float, float]]:
    """Where to draw each node: its position, or a place on a circle if the field has none."""
    nodes = view.trace.field["node"].to_pylist()
    x, y = _spots(view)
    if not _is_placed(view):
        angle = 2 * np.pi * np.arange(len(nodes)) / max(1, len(nodes))
        x, y = np.cos(angle), np.sin(angle)
    return {node: (float(a), float(b)) for node, a, b in zip(nodes, x, y, strict=True)}


def _draw_links(axes: Axes, view: View, places: dict[int, tuple[float, float]], colour: str) -> str:
    """Draws each link once; says how many there are."""
    field = view.trace.field
    directed = [
        (node, peer)
        for node, peers in zip(field["node"].to_pylist(), field["links"].to_pylist(), strict=True)
        for peer in peers or ()
    ]
    links = sorted({(min(pair), max(pair)) for pair in directed})
    step = -(-len(links) // LINKS) or 1
    axes.add_collection(
        LineCollection([(places[a], places[b]) for a, b in links[::step]], colors=colour, linewidths=0.6, zorder=1)
    )
    drawn = f", every {step}th drawn" if step > 1 else ""
    return f"{len(links):,} links{drawn}" if links else "everybody may hear everybody"


def _mark(axes: Axes, spots: NDArray[np.float64], **look: Any) -> None:
    axes.scatter(spots[:, 0], spots[:, 1], **look)


def _number(axes: Axes, places: dict[int, tuple[float, float]]) -> None:
    """Writes the number of each node beside it, where there is room for numbers."""
    if len(places) <= NUMBERED:
        for node, place in places.items():
            axes.annotate(str(node), place, xytext=(4, 4), textcoords="offset points", fontsize=5, color=INK, zorder=7)


def _shades(depths: list[int]) -> Normalize:
    """A shade for each number of hops that there is."""
    low, high = min(depths, default=0), max(depths, default=1)
    if high - low > STEPS:
        return Normalize(low, high)
    return BoundaryNorm(np.arange(low - 0.5, high + 1), mpl.colormaps[SHADES].N)


def _draw_tree(
    axes: Axes, way: Journey, places: dict[int, tuple[float, float]], depths: dict[int, int], norm: Normalize
) -> None:
    edges = [(peer, node) for node, peer in way.tree.items() if peer in places and node in places]
    lines = [(places[peer], places[node]) for peer, node in edges]
    shades = np.array([depths.get(node, 0) for _, node in edges], dtype=float)
    axes.add_collection(LineCollection(lines, array=shades, cmap=SHADES, norm=norm, linewidths=1.4, zorder=3))


def _draw_ends(axes: Axes, way: Journey, places: dict[int, tuple[float, float]], size: float) -> None:
    """The publisher, who wanted the event, and who got it without wanting it."""
    publisher = way.event.publisher
    if publisher in places:
        look: dict[str, Any] = {"s": size * 4, "marker": "*", "c": "#f28e2b", "ec": INK, "lw": 0.7, "zorder": 6}
        _mark(axes, np.array([places[publisher]]), **look, label="publisher")
    for nodes, label, look in (
        (way.delivered & way.wanted, "delivered", {"fc": "none", "ec": INK, "lw": 1.3}),
        (way.wanted - way.delivered, "wanted, not delivered", {"fc": "none", "ec": RED, "lw": 1.3}),
        (way.delivered - way.wanted, "delivered, not wanted", {"c": PURPLE, "marker": "x", "lw": 1.6}),
    ):
        shown = [node for node in sorted(nodes) if node in places]
        if shown:
            spots = np.array([places[node] for node in shown])
            _mark(axes, spots, s=size * 2.2, **look, zorder=6.5, label=f"{label} ({len(spots):,})")
        if publisher in shown:  # once more, around the star and not under it
            _mark(axes, np.array([places[publisher]]), s=size * 9, **look, zorder=6.5)


def _colour_bar(figure: Figure, axes: Axes, norm: Normalize, depths: list[int]) -> None:
    low, high = min(depths), max(depths)
    ticks = range(low, high + 1, max(1, (high - low) // 10))
    bar = figure.colorbar(ScalarMappable(norm, SHADES), ax=axes, shrink=0.6, aspect=30, ticks=ticks)
    bar.set_label("hops from the publisher")
    bar.outline.set_visible(False)
    bar.ax.tick_params(which="both", length=0)


def _finish_map(figure: Figure, axes: Axes, title: str, *, is_real: bool) -> None:
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.margins(0.04)
    axes.set_title(fill(title, LINE))
    if is_real:
        axes.set_xlabel("m")
        axes.set_ylabel("m")
        axes.tick_params(length=2)
    else:  # on a circle for want of positions: its numbers would mean nothing
        axes.set_axis_off()
    handles, _ = axes.get_legend_handles_labels()
    if handles:
        figure.legend(loc="outside lower center", ncols=4, markerscale=0.9)


def _journey_title(view: View, way: Journey) -> str:
    depths = [depth for node, depth in way.depths.items() if node in way.delivered]
    hops = f", at most {max(depths)} hops" if depths else ""
    slowest = max((way.arrivals[node][0] for node in way.delivered), default=None)
    took = "" if slowest is None else f" within {_spelled(slowest)}"
    count = len(way.delivered & way.wanted)
    extra = len(way.delivered - way.wanted)
    unwanted = f"; it was also delivered to {extra} that did not want it" if extra else ""
    name = view.about.get("stack", "")
    return f"{name}: event {way.event} reached {count} of {len(way.wanted)} subscribers{took}{hops}{unwanted}"


def _size(count: int) -> float:
    """Points² of a node's mark: smaller where there are many."""
    return float(np.clip(6000 / max(1, count), 4, 60))


# Delays


def _draw_distribution(axes: Axes, delays: NDArray[np.float64]) -> None:
    unit, scale = _unit(float(delays[-1]))
    share = np.arange(1, len(delays) + 1) / len(delays)
    axes.step(
        np.concatenate([[0.0], delays * scale]), np.concatenate([[0.0], share]), where="post", c=CLASSES[0], lw=1.8
    )
    for percent, dashes in ((50, ":"), (95, "--")):
        value = float(np.percentile(delays, percent, method="inverted_cdf"))
        axes.axvline(value * scale, c=GREY, ls=dashes, lw=1, label=f"{percent} % within {_spelled(value)}")
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(f"delay ({unit})")
    axes.set_ylabel("share of delivered pairs")
    axes.legend(loc="lower right", frameon=True, edgecolor="none", framealpha=1.0)


def _draw_progress(axes: Axes, expected: NDArray[np.int64], delivered: NDArray[np.int64]) -> None:
    for times, colour, label, width in ((expected, GREY, "expected", 3.0), (delivered, CLASSES[2], "delivered", 1.4)):
        moments = np.concatenate([[0], np.sort(times)]) / SECOND
        axes.step(moments, np.arange(len(moments)), where="post", c=colour, lw=width, label=f"{label} ({len(times):,})")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time (s)")
    axes.legend(loc="upper left")


def _unit(seconds: float) -> tuple[str, float]:
    return ("s", 1.0) if seconds >= 1 else ("ms", 1e3) if seconds >= 1e-3 else ("µs", 1e6)


def _spelled(seconds: float) -> str:
    unit, scale = _unit(seconds)
    return f"{seconds * scale:.3g} {unit}"


def pictures(view: View, way: Journey | None) -> Iterator[tuple[str, Figure]]:
    """Names and figures of everything there is to see in a run."""
    yield "field", draw_field(view)
    if way is not None:
        yield f"event-{way.event.publisher}-{way.event.number}", draw_journey(view, way)
    yield "delays", draw_delays(view)
