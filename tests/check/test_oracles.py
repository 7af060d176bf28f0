"""Every oracle agrees with its slow twin on random traces, and names what it found."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motecast.check import ORACLES, Finding, Verdict, View, always, judge, sometimes
from motecast.core import ConfigError
from motecast.trace import Trace
from tests.check.twins import Twin
from tests.check.worlds import World, worlds


def found(trace: Trace, name: str, alpha: float = 0.99) -> tuple[Finding, ...]:
    (verdict,) = judge(trace, [name], alpha=alpha)
    assert len(verdict.findings) == verdict.count
    return verdict.findings


def later_rows(findings: tuple[Finding, ...]) -> list[int]:
    return sorted(max(finding.rows) for finding in findings)


def named_events(findings: tuple[Finding, ...]) -> list[str]:
    return [re.findall(r"\d+/\d+", finding.text)[0] for finding in findings]


@pytest.mark.fuzz
@given(worlds())
def test_integrity_equals_its_twin(trace: Trace) -> None:
    rows = sorted(
        finding.rows[-1] if "again" in finding.text else finding.rows[0] for finding in found(trace, "integrity")
    )
    assert rows == sorted(Twin(trace).integrity())


@pytest.mark.fuzz
@given(worlds())
def test_validity_equals_its_twin(trace: Trace) -> None:
    assert named_events(found(trace, "validity")) == Twin(trace).validity()


@pytest.mark.fuzz
@given(worlds(), st.sampled_from((0.0, 0.3, 0.5, 0.9, 1.0)))
def test_agreement_equals_its_twin(trace: Trace, alpha: float) -> None:
    assert named_events(found(trace, "agreement", alpha)) == Twin(trace).agreement(alpha)


@pytest.mark.fuzz
@given(worlds())
def test_only_subscribed_equals_its_twin(trace: Trace) -> None:
    assert later_rows(found(trace, "only-subscribed")) == Twin(trace).only_subscribed()


@pytest.mark.fuzz
@given(worlds())
def test_fifo_equals_its_twin(trace: Trace) -> None:
    assert later_rows(found(trace, "fifo")) == Twin(trace).fifo()


@pytest.mark.fuzz
@given(worlds())
def test_causal_order_equals_its_twin(trace: Trace) -> None:
    """The twin closes the relation transitively by three loops."""
    assert later_rows(found(trace, "causal-order")) == Twin(trace).causal_order()


@pytest.mark.fuzz
@given(worlds())
def test_both_orders_name_an_early_delivery_that_is_in_its_row(trace: Trace) -> None:
    rows = trace.rows.to_pylist()
    for finding in (*found(trace, "fifo"), *found(trace, "causal-order")):
        early, late = (rows[row] for row in finding.rows)
        assert early["node"] == late["node"]
        assert f"node {early['node']} delivers event {early['publisher']}/{early['number']} before" in finding.text
        assert f"before event {late['publisher']}/{late['number']}," in finding.text
        assert finding.rows[0] < finding.rows[1]


@pytest.mark.fuzz
@given(worlds())
def test_silence_of_the_dead_equals_its_twin(trace: Trace) -> None:
    assert later_rows(found(trace, "silence-of-the-dead")) == Twin(trace).silence_of_the_dead()


@pytest.mark.fuzz
@given(worlds())
def test_bytes_conserved_equals_its_twin(trace: Trace) -> None:
    twin = Twin(trace)
    full = [row["row"] for row in twin.of("send", "broadcast") if row["payload"] + row["metadata"] > row["size"]]
    assert later_rows(found(trace, "bytes-conserved")) == sorted([*twin.received_from_nowhere(), *full])


@given(worlds())
def test_bounded_state_compares_every_field_with_its_limit(trace: Trace) -> None:
    trace.about["bounds"] = {"Flood.seen": [4097, 4096], "Flood.held": [7, 8], "Fifo.held": [9, 8]}
    assert [finding.text for finding in found(trace, "bounded-state")] == [
        "Fifo.held held 9; its limit is 8",
        "Flood.seen held 4097; its limit is 4096",
    ]


def test_a_verdict_on_bounded_state_names_the_state_that_nobody_watches() -> None:
    trace = World().trace()
    trace.about |= {"bounds": {"Mine.seen": [3, 8]}, "unwatched": ["Mine.held", "Mine.times"]}
    (verdict,) = judge(trace, ["bounded-state"])
    assert (verdict.word, verdict.remark) == ("holds", "not watched: Mine.held, Mine.times")


def causal_triangle(*, through: bool, gap: bool = False, late: bool = True) -> Trace:
    """0 publishes a, 1 delivers it (or not) and publishes b, 2 delivers b first (and a late, or never)."""
    world = World()
    a = world.publish(0)
    if through:
        world.deliver(1, a)
    b = world.publish(1)
    world.deliver(2, b, gap=gap)
    if late:
        world.deliver(2, a)
    return world.trace()


def test_causality_goes_through_a_delivery() -> None:
    (finding,) = found(causal_triangle(through=True), "causal-order")
    assert finding == Finding("node 2 delivers event 1/1 before event 0/1, which happened before it", (3, 4))
    assert not found(causal_triangle(through=False), "causal-order")


@pytest.mark.parametrize("oracle", ["fifo", "causal-order"])
def test_what_is_said_to_be_missing_may_never_come_but_not_late(oracle: str) -> None:
    def trace(*, late: bool) -> Trace:
        world = World()
        first, second = world.publish(0), world.publish(0)
        world.deliver(1, second, gap=True)
        if late:
            world.deliver(1, first)
        return world.trace()

    assert not found(trace(late=False), oracle)
    assert len(found(trace(late=True), oracle)) == 1
    assert not found(causal_triangle(through=True, gap=True, late=False), oracle)


@pytest.mark.parametrize("oracle", ["fifo", "causal-order"])
def test_history_comes_late_without_breaking_the_order_if_it_is_history(oracle: str) -> None:
    def trace(*deliveries: tuple[int, bool]) -> Trace:
        """Node 1 delivers these of node 0's numbers; True: as history."""
        world = World()
        events = [world.publish(0) for _ in range(4)]
        for number, history in deliveries:
            world.deliver(1, events[number - 1], history=history)
        return world.trace()

    assert not found(trace((3, False), (1, True), (2, True), (4, False)), oracle)
    assert not found(trace((4, False), (3, True), (1, True)), oracle)
    assert found(trace((3, False), (1, False)), oracle)
    assert found(trace((3, True), (2, True), (1, True)), oracle)  # all in one basket: nothing live it is behind
    assert found(trace((3, False), (4, True), (2, False)), oracle)


def test_what_a_delivery_after_the_publication_taught_comes_too_late_to_be_a_cause() -> None:
    world = World()
    a = world.publish(0)
    b = world.publish(1)
    world.deliver(1, a)
    world.deliver(2, b)
    world.deliver(2, a)
    assert not found(world.trace(), "causal-order")


def test_a_node_that_lost_its_state_may_deliver_again_and_in_a_new_order() -> None:
    world = World()
    a, b = world.publish(0), world.publish(0)
    for event in (a, b):
        world.deliver(1, event)
    world.crash(1, "state lost")
    world.recover(1)
    world.deliver(1, a)
    assert not found(world.trace(), "integrity")
    assert not found(world.trace(), "fifo")


def test_a_node_that_kept_its_state_may_not() -> None:
    world = World()
    a = world.publish(0)
    world.deliver(1, a)
    world.crash(1, "state kept")
    world.recover(1)
    again = world.deliver(1, a)
    assert found(world.trace(), "integrity") == (Finding("node 1 delivers event 0/1 again", (1, again)),)


def test_agreement_asks_only_correct_subscribers() -> None:
    """'Processes that survive despite the failures are correct' §2.1"""
    world = World()
    for node in (1, 2, 3):
        world.subscribe(node)
    event = world.publish(0)
    world.crash(3, "state kept")
    first = world.deliver(1, event)
    (finding,) = found(world.trace(), "agreement")
    assert finding == Finding("event 0/1: 1 of 2 delivered it; missing node 2", (first,))
    world.deliver(2, event)
    assert not found(world.trace(), "agreement")


def test_bytes_conserved_finds_totals_that_say_something_else() -> None:
    world = World()
    world.transmit(0, "Data", (9, 4, 1))
    world.transmit(0, "Data", (9, 4, 1))
    world.totals[0, "broadcast", "Data", True, "size"] += 1
    world.totals[1, "send", "Ack", False, "count"] += 1
    first = "the totals say count 2, size 19, payload 8, metadata 2"
    assert [finding.text for finding in found(world.trace(), "bytes-conserved")] == [
        f"node 0, broadcast Data: {first}; the rows add up to count 2, size 18, payload 8, metadata 2",
        "node 1, send Ack: the totals say count 1, size 0, payload 0, metadata 0; the rows add up to nothing",
    ]


def test_a_frame_for_one_node_is_not_received_by_another() -> None:
    world = World()
    world.transmit(0, "Data", (9, 4, 1), to=1)
    world.receive(1, 0, "Data", 9)
    row = world.receive(2, 0, "Data", 9)
    (finding,) = found(world.trace(), "bytes-conserved")
    assert finding == Finding("node 2: receive of a Data that node 0 has not sent like this before", (row,))


@pytest.mark.parametrize(
    ("name", "trace", "reason"),
    [
        ("bytes-conserved", World("deliveries").trace(), "level full"),
        ("bounded-state", World().trace(), "says how large"),
        ("something-lost", World(scenario={"medium": {"loss": 0.0}}).trace(), "loses nothing"),
        ("something-lost", World("deliveries", scenario={"medium": {"loss": 0.1}}).trace(), "level full"),
        ("something-crashed", World().trace(), "crashes no node"),
    ],
)
def test_what_cannot_be_judged_is_skipped_with_its_reason(name: str, trace: Trace, reason: str) -> None:
    (verdict,) = judge(trace, [name])
    assert reason in (verdict.skipped or "")
    assert (verdict.word, verdict.holds, verdict.count) == ("skipped", True, 0)


def test_too_many_clocks_are_refused_and_not_attempted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motecast.check.order.CLOCK_LIMIT", 3)
    world = World()
    for node in (0, 1):
        world.publish(node)
    (verdict,) = judge(world.trace(), ["causal-order"])
    assert verdict.skipped == "4 clock entries (events × publishers); the limit is 3"


@pytest.mark.parametrize("name", [name for name, oracle in ORACLES.items() if oracle.mode == "sometimes"])
def test_a_vacuous_run_is_caught(name: str) -> None:
    scenario = {"medium": {"loss": 0.5}, "faults": {"schedule": [{"do": "crash"}]}}
    (verdict,) = judge(World(scenario=scenario).trace(), [name])
    assert verdict.word == "violated"
    assert verdict.findings[0].text.startswith("not once in this run: ")


def test_a_run_in_which_everything_happens_satisfies_all_guards() -> None:
    world = World(scenario={"medium": {"loss": 0.5}, "faults": {"rates": [{"do": "crash"}]}})
    world.subscribe(1)
    world.deliver(1, world.publish(0))
    world.receive(1, 0, "Data", 9, "lose")
    world.crash(2)
    assert {verdict.word for verdict in judge(world.trace())} == {"holds"}


def test_by_default_the_promised_oracles_and_the_guards_are_judged() -> None:
    verdicts = judge(World(promises=("fifo", "agreement")).trace())
    guards = [name for name, oracle in ORACLES.items() if oracle.mode == "sometimes"]
    assert [verdict.oracle for verdict in verdicts] == ["agreement", "fifo", *guards]


def test_an_unknown_oracle_is_one_line_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match=r"no oracle 'causal-oder'; did you mean 'causal-order'\? known: agreement, "):
        judge(World().trace(), ["causal-oder"])


@pytest.mark.parametrize("alpha", [-0.1, 1.5, float("nan")])
def test_alpha_is_a_probability(alpha: float) -> None:
    with pytest.raises(ConfigError, match=r"alpha = .*: a probability, from 0 to 1"):
        judge(World().trace(), ["agreement"], alpha=alpha)


def test_a_verdict_keeps_the_first_hundred_findings_and_counts_all() -> None:
    world = World()
    event = world.publish(0)
    for _ in range(151):
        world.deliver(1, event)
    (verdict,) = judge(world.trace(), ["integrity"])
    assert (len(verdict.findings), verdict.count) == (100, 150)


def test_an_oracle_of_ones_own_is_a_marked_generator() -> None:
    @always("house rule")
    def no_event_of_node_zero(view: View):
        """Node 0 is silent."""
        for event in (view.publisher == 0).nonzero()[0]:
            yield Finding(f"event {view.named(event)}")

    @sometimes("house rule")
    def node_zero_speaks(view: View):
        """Node 0 speaks."""
        yield from no_event_of_node_zero.search(view)

    world = World()
    world.publish(0)
    view = View(world.trace())
    assert no_event_of_node_zero.judge(view) == Verdict("no-event-of-node-zero", (Finding("event 0/1"),), count=1)
    assert node_zero_speaks.judge(view).word == "holds"
    assert no_event_of_node_zero.meaning == "Node 0 is silent."
