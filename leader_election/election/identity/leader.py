# Copyright 2026 The leader_election authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""What a robot knows of a leader: its beats, the hops to it, and how often it came and went."""

from dataclasses import dataclass, field
import math

from leader_election.election.identity.part import Link
from leader_election.election.identity.statements import BEATS, hashed, index, Signed, WIDTH

HALF_LIFE, FREE, LONGEST = 30.0, 1.5, 30.0
"""Of a penalty [s]; the penalty without a consequence; the longest time to stay [s]."""
KEPT = 4
"""The beats that are remembered."""


@dataclass
class Damping:
    """
    The penalty of a leader that comes and goes, or whose strength falls and rises (RFC 2439).

    :ivar until: the time from which on it is believed [s].
    """

    until: float = -math.inf
    fell: bool = False
    """Whether its strength has fallen since it rose last."""
    _penalty: float = 0.0
    _judged: float = -math.inf

    def flap(self, now: float) -> None:
        """Count that it came back, or rose again."""
        self._penalty = 1.0 + self._penalty * 2.0 ** ((self._judged - now) / HALF_LIFE)
        self._judged = now
        self.until = max(self.until, now + stay(self._penalty))

    def rate(self, before: float, value: float, now: float) -> None:
        """Count a new strength, negated."""
        if value > before:
            self.fell = True
        elif value < before and self.fell:
            self.fell = False
            self.flap(now)


def stay(penalty: float) -> float:
    """
    Return the time for which a leader has to stay before it is believed [s].

    >>> [round(stay(penalty), 1) for penalty in (1.4, 1.9, 2.7, 10.0)]
    [0.0, 13.9, 30.0, 30.0]
    """
    return 0.0 if penalty <= FREE else min(4.0 ** penalty, LONGEST)


@dataclass
class Leader:
    """
    What a robot knows of a leader's statement and its chain.

    :ivar heard: the time of its newest beat [s], whoever passed it on.
    :ivar previous: its statement of before, while others may not have heard the newest.
    :ivar repeats: in how many of the next messages the statement is sent.
    """

    signed: Signed
    heard: float
    ahead: int = 0
    """By how much its statement was ahead of the swarm time when it was heard [ms]."""
    direct: float = math.inf
    """The time of its newest beat that it said itself [s]; infinite: it has said none."""
    damping: Damping = field(default_factory=Damping)
    previous: 'Leader | None' = None
    repeats: int = 0
    resigned: bool = False
    yielded: bool = False
    """Whether it resigned for a stronger leader that is known."""
    beat: int = -1
    """The newest."""
    _lowest: tuple[int, bytes] = (0, b'')
    """The place in the chain and the element that is known nearest to the secret."""
    _proven: dict[int, dict[int, bytes]] = field(default_factory=dict)
    """The elements of the last beats, by their hops."""

    def __post_init__(self) -> None:
        """Begin at the anchor of the chain."""
        self._lowest = index(-1, 0), self.signed.statement.anchor

    def proves(self, hops: int, link: Link) -> bool:
        """Return whether a link is of its beat and a number of hops; remember it."""
        beat, element = link
        hop, known = min(hops, WIDTH - 1), self._proven.get(beat, {})
        if hop in known:
            return known[hop] == element
        if not max(0, self.beat - KEPT) <= beat < BEATS:
            return False
        place, (lowest, least) = index(beat, hop), self._lowest
        if place < lowest:
            if hashed(element, lowest - place) != least:
                return False
            self._lowest = place, element
        elif hashed(least, place - lowest) != element:
            return False
        if beat not in self._proven:
            self._proven = {each: found for each, found in self._proven.items()
                            if each > beat - KEPT}
        self._proven.setdefault(beat, {})[hop] = element
        return True

    def relayed(self, hops: int) -> tuple[Link, int] | None:
        """
        Return the link of a robot, and the hops that it can prove; ``None``: it heard no beat.

        :param hops: the fewest to prove.
        """
        if not self._proven:
            return None
        beat = max((beat for beat, known in self._proven.items() if min(known) < hops),
                   default=max(self._proven))
        hop = min(self._proven[beat])
        hops = max(hops, hop + 1)
        return Link(beat, hashed(self._proven[beat][hop], min(hops, WIDTH - 1) - hop)), hops
