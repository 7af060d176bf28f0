"""A run held against the bound of its class: its events and subscriptions from the trace, who met whom from outside.

Sensors are taken to be where they are: two of them that ever hear each other belong to one community for the whole
run, however late the link comes or soon a node dies, so that a bound holds whatever goes wrong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from motecast.check.bounds import Contacts, Numbers, Plan, Reach, Times, impossible
from motecast.check.columns import NONE, find
from motecast.check.oracle import Finding
from motecast.check.view import View


class Links(NamedTuple):
    """Two nodes that hear each other from `up` until just before `down` (µs): a column each, as in a contact plan."""

    a: Numbers
    b: Numbers
    up: Times
    down: Times


class Travels(NamedTuple):
    """A node that travels from `since` until just before `until` (µs): a column each. One node's do not overlap."""

    node: Numbers
    since: Times
    until: Times


class Members(NamedTuple):
    """Who is what in a run: sorted node numbers. Whoever subscribes is a subscriber; all other nodes are sensors."""

    sensors: Numbers
    subscribers: Numbers


def members_of(view: View) -> Members:
    """The sensors and subscribers of a run. A subscriber that publishes too has no bound."""
    nodes = np.asarray(view.trace.field["node"].to_numpy(), dtype=np.int64)
    subscribers = np.unique(np.asarray(view.trace.subscriptions["subscriber"].to_numpy(), dtype=np.int64))
    both = np.intersect1d(subscribers, view.publisher)
    assert not len(both), f"nodes {both.tolist()} publish and subscribe: bounds are for sensors and passing subscribers"
    return Members(np.setdiff1d(nodes, subscribers), subscribers)


def plan_of_run(view: View, links: Links, travels: Travels | None = None) -> Plan:
    """What a bound needs of a run; with `travels`, contacts count only while the subscriber travels."""
    sensors, subscribers = members_of(view)
    wanted = np.zeros((len(view.when), len(subscribers)), dtype=np.bool_)
    wanted[view.pairs.event, find(subscribers, view.pairs.node)] = True
    return Plan(
        _communities(sensors, links),
        _contacts(sensors, subscribers, links, travels),
        find(sensors, view.publisher),
        view.when,
        view.deadline,
        wanted,
    )


def too_early(view: View, plan: Plan, reach: Reach) -> list[Finding]:
    """The deliveries that no protocol of this class can have made."""
    copies = view.deliveries
    subscriber = find(members_of(view).subscribers, copies.node)
    known = np.flatnonzero((copies.event != NONE) & (subscriber != NONE))
    found = impossible(plan, reach, copies.event[known], subscriber[known], copies.t[known])
    return [
        Finding(
            f"node {copies.node[place]} delivers event {view.named(copies.event[place])} before any protocol of the "
            f"class {reach} can: {copies.t[place] / 1e6:.6f} s",
            (int(copies.row[place]),),
        )
        for place in known[found].tolist()
    ]


def _communities(sensors: Numbers, links: Links) -> Numbers:
    """By sensor the smallest place of one that it is connected with."""
    one, other = find(sensors, links.a), find(sensors, links.b)
    inside = (one != NONE) & (other != NONE)
    one, other = one[inside], other[inside]
    label = np.arange(len(sensors), dtype=np.int64)
    while True:
        smaller = label.copy()
        np.minimum.at(smaller, one, label[other])
        np.minimum.at(smaller, other, label[one])
        if np.array_equal(smaller, label):
            return label
        label = smaller


def _contacts(sensors: Numbers, subscribers: Numbers, links: Links, travels: Travels | None) -> Contacts:
    a, b, up, down = (np.concatenate(pair) for pair in zip(links, links._replace(a=links.b, b=links.a), strict=True))
    subscriber, sensor = find(subscribers, a), find(sensors, b)
    met = (subscriber != NONE) & (sensor != NONE)
    contacts = Contacts(subscriber[met], sensor[met], up[met], down[met])
    if travels is None:
        return contacts
    traveller = find(subscribers, travels.node)
    parts = [_overlaps(contacts, travels, traveller == number, number) for number in range(len(subscribers))]
    return Contacts(*(np.concatenate(columns) for columns in zip(*parts, strict=True))) if parts else contacts


def _overlaps(contacts: Contacts, travels: Travels, own: NDArray[np.bool_], subscriber: int) -> Contacts:
    """The contacts of one subscriber cut to its travels."""
    mine = np.flatnonzero(contacts.subscriber == subscriber)
    since = np.maximum(contacts.since[mine][:, None], travels.since[own][None, :])
    until = np.minimum(contacts.until[mine][:, None], travels.until[own][None, :])
    contact, travel = np.nonzero(since < until)
    met = mine[contact]
    return Contacts(contacts.subscriber[met], contacts.sensor[met], since[contact, travel], until[contact, travel])
