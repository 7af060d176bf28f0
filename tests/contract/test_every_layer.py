"""Every layer in motecast.protocols, found by listing, keeps every clause of the contract."""

from __future__ import annotations

import pytest
from hypothesis import given

from motecast.core import Layer
from motecast.protocols.plain import Fifo, Flood, Gossip
from tests.contract.clauses import (
    CLAUSES,
    Clause,
    all_layers,
    lives_the_same_in_every_process,
    named,
    stays_bounded,
    survives,
)
from tests.routing import Broker, Line
from tests.strategies import LIVES

LAYERS = [*all_layers(), Line, Broker]  # and two that only tests know: a routing layer, and one that stands on it


def test_listing_finds_the_layers() -> None:
    assert {Fifo, Flood, Gossip} <= set(LAYERS)


@pytest.mark.parametrize("clause", CLAUSES, ids=named(CLAUSES))
@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.__name__)
def test_every_layer_keeps_the_contract(layer: type[Layer], clause: Clause) -> None:
    clause(layer)


@pytest.mark.slow
def test_every_layer_lives_the_same_whatever_the_order_of_hashes() -> None:
    lives_the_same_in_every_process(LAYERS)


@pytest.mark.fuzz
@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.__name__)
@given(LIVES)
def test_every_layer_survives_any_life(layer: type[Layer], seeds: list[int]) -> None:
    survives(layer, seeds)


@pytest.mark.slow
@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.__name__)
def test_no_layer_outgrows_its_limits_in_ten_thousand_happenings(layer: type[Layer]) -> None:
    stays_bounded(layer, happenings=10_000)
