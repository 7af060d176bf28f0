"""What cannot be hosted is refused in one line before a socket is opened."""

from __future__ import annotations

import pytest

from motecast.core import ConfigError, Event, EventId, Publish
from motecast.live import run
from motecast.stacks import flood

PAIR = ((0.0, 0.0), (1.0, 0.0))
BOTH = ((1,), (0,))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"loss": 1.5}, "loss = 1.5: expected a share from 0 to 1"),
        ({"loss": float("nan")}, "loss = nan"),
        ({"retries": -1}, "retries = -1"),
        ({"until": 0.0}, "until = 0.0"),
        ({"speed": 0.0}, "speed = 0.0"),
        ({"level": "everything"}, "level = 'everything': expected one of deliveries, full"),
    ],
)
def test_an_impossible_option_is_named_with_what_is_allowed(options, message):
    with pytest.raises(ConfigError, match=message):
        run(flood(), PAIR, BOTH, [], **{"seed": 1, "until": 1.0, **options})


@pytest.mark.parametrize(
    "positions, links, script, message",
    [
        (PAIR, ((1,), (2,)), [], "links: node 2; there are nodes 0 to 1"),
        (PAIR, BOTH, [(0, 5, Publish(Event(EventId(5, 1), ("a",))))], "script: node 5"),
        (PAIR[:1], BOTH, [], "positions: 1 of them; links has 2 nodes"),
        (PAIR * 10**6, BOTH * 10**6, [], "need a socket each"),
    ],
)
def test_a_field_that_cannot_be_is_refused_in_one_line(positions, links, script, message):
    with pytest.raises(ConfigError, match=message):
        run(flood(), positions, links, script, seed=1, until=1.0)
