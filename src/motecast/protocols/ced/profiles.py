"""Who wants what, as far as a node knows: a value that nodes which know the same share."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import lru_cache

from motecast.core import Event, NodeId
from motecast.protocols.ced.ride_messages import Profile
from motecast.protocols.ced.walk import interests_of

SUBSCRIBERS = 256  # whose profiles are known; our guess. Further ones are ignored
BOOKS = 256  # values kept for reuse
ANSWERS = 16_384  # events whose subscribers a book remembers, so that they are matched once


class Book:
    """Profiles in the order of their subscribers.

    >>> from motecast.core import EventId, Subscription
    >>> book = book_of((Profile(7, 1, (Subscription(1, 7, "a"),)), Profile(9, 1, (Subscription(2, 9, "b"),))))
    >>> book.wanting(Event(EventId(1, 1), ("b",))), len(book)
    ((9,), 2)
    """

    __slots__ = ("_interests", "_wanting", "digest", "profiles")

    def __init__(self, profiles: tuple[Profile, ...]) -> None:
        self.profiles = profiles
        found = ((each.subscriber, interests_of(each.wants)) for each in profiles)
        self._interests = [(subscriber, wants) for subscriber, wants in found if wants is not None]
        self._wanting: dict[Event, tuple[NodeId, ...]] = {}
        self.digest = zlib.crc32(repr([(each.subscriber, each.version) for each in profiles]).encode())

    def wanting(self, event: Event) -> tuple[NodeId, ...]:
        """The subscribers that the event matches, in rising order."""
        found = self._wanting.get(event)
        if found is None:
            if len(self._wanting) >= ANSWERS:
                self._wanting.clear()
            found = tuple(subscriber for subscriber, wants in self._interests if wants.wants(event))
            self._wanting[event] = found
        return found

    def version(self, subscriber: NodeId) -> int | None:
        """Of its profile; None if it is unknown."""
        return next((each.version for each in self.profiles if each.subscriber == subscriber), None)

    def news(self, profiles: Iterable[Profile]) -> tuple[Profile, ...]:
        """Those of them that this book does not have, in rising order."""
        versions = {each.subscriber: each.version for each in self.profiles}
        best = {each.subscriber: each for each in sorted(profiles, key=lambda each: (each.subscriber, each.version))}
        newer = [best[who] for who in best if who not in versions or best[who].version > versions[who]]
        room = SUBSCRIBERS - len(versions)
        fresh = [each for each in newer if each.subscriber not in versions][:room]
        return tuple(each for each in newer if each.subscriber in versions or each in fresh)

    def plus(self, news: Iterable[Profile]) -> Book:
        """The book with these, which replace earlier ones."""
        known = {each.subscriber: each for each in (*self.profiles, *news)}
        return book_of(tuple(known[subscriber] for subscriber in sorted(known)))

    def __len__(self) -> int:
        return len(self.profiles)

    def __reduce__(self) -> tuple[object, ...]:
        return book_of, (self.profiles,)


@lru_cache(BOOKS)
def book_of(profiles: tuple[Profile, ...]) -> Book:
    """The book of these profiles; equal profiles give the same object."""
    return Book(profiles)


def is_readable(profile: Profile) -> bool:
    """False for a profile with a bad filter or too many subscriptions."""
    return interests_of(profile.wants) is not None
