"""Limits that a value inside a parameter says: `limits = {"kept": "queue.capacity"}`."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from motecast.core import Layer, PubSub, Radio, Stack, StackError, limit_of, state
from motecast.parts.policies import DropTail
from tests.core.test_stack import Floor

SEVEN = DropTail(capacity=7)


@dataclass
class Keeping(Floor):
    limits = {"kept": "queue.capacity"}
    queue: DropTail = SEVEN
    kept: list[int] = state(list)


@dataclass
class Misspelt(Keeping):
    limits = {"kept": "queue.capacty"}


@dataclass
class Fractional(Keeping):
    limits = {"kept": "queue.max_age"}


def test_a_limit_may_be_a_whole_number_inside_a_parameter() -> None:
    assert limit_of(Keeping(), "kept") == 7
    assert limit_of(Keeping(queue=DropTail(capacity=3)), "kept") == 3
    assert Stack(Keeping()).layers


@pytest.mark.parametrize(("layer", "name"), [(Misspelt, "queue.capacty"), (Fractional, "queue.max_age")])
def test_what_is_no_whole_number_inside_a_parameter_is_no_limit(layer: type[Layer], name: str) -> None:
    with pytest.raises(StackError, match=f"limits: no whole number among the parameters '{name}'"):
        Stack(layer())


def test_the_layers_here_stand_where_a_publish_subscribe_layer_does() -> None:
    assert (Keeping.above, Keeping.below) == (PubSub, Radio)
