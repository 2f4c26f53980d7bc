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

"""
The order of decisions: which decision of a leader a robot acts on, and how old it is.

A robot never acts on an older decision of a leader after a newer one. A leader numbers its
decisions, one a round, from the wall clock at its start on; with mandates by its beats, so that
the order holds over all leaders. A member keeps the newest that it has seen, and takes a newer one
from any neighbour of its region. So a number that is too large, by an error or by a restart with a
clock behind, reaches the leader, which counts on from there.
"""

from collections.abc import Iterable, Sequence
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms.fields import NOBODY
from leader_election.election.mandates.mandates import Mandates, NO_BEAT
from leader_election.election.regions.region import MOST_VERSION, Region
from leader_election.election.regions.task import DecisionOrigin

MOST_NUMBER = 2**52
"""A decision with a greater number counts as one without. A leader can count on from any."""
MOST_LEADERS = 1000
"""The number of leaders whose newest decision is remembered."""


class _Newest(NamedTuple):
    """The newest decision so far, of one leader; with mandates, of any."""

    number: int
    since: float
    """The time of its receipt [s]."""
    leader: int
    text: str


class DecisionOrder:
    """The numbers of decisions on one robot in one instance."""

    def __init__(self, first_number: int = NO_BEAT) -> None:
        self.number = first_number
        """The number of the last own decision; without mandates the next is greater."""
        self._has_decided = False
        self._newest: dict[int, _Newest] = {}
        """By leader; with mandates under ``NOBODY``."""

    def numbered(self, region: Region, heard: Sequence[Region], mandates: Mandates | None,
                 ) -> Region:
        """
        Return the region of a leader with the number of its decision, none before its first one.

        :param heard: :func:`numbered_by` this leader.
        """
        self._has_decided = self._has_decided or bool(region.decision)
        if not self._has_decided:
            return region
        if mandates is not None:
            self.number = mandates.part.beat
        else:
            self.number = min(max(self.number + 1, region.decision_version,
                                  *(one.decision_version + 1 for one in heard)), MOST_VERSION)
        return region._replace(decision_version=self.number)

    def newer(self, region: Region, leader: int, heard: Sequence[Region],
              mandates: Mandates | None) -> Region:
        """
        Return the region of a member with the newest decision of its leader that it knows.

        The parent's, unless another neighbour or the robot itself has a newer one.

        :param region: with the parent's decision.
        :param heard: :func:`numbered_by` its leader.
        """
        number = next((one.decision_version for one in heard if one.device == region.parent),
                      NO_BEAT)
        if leader == NOBODY or number == NO_BEAT and region.decision:
            return region  # Its number is beyond the greatest.
        found = [(number, region.decision)]
        found += [(one.decision_version, one.decision) for one in heard]
        known = self._newest.get(_order(leader, mandates))
        if known is not None and known.leader == leader:
            found.append((known.number, known.text))
        number, text = max(found, key=lambda each: each[0])
        return region._replace(decision_version=number, decision=text)

    def judge(self, region: Region, leader: int, mandates: Mandates | None,
              now: float) -> tuple[DecisionOrigin, bool]:
        """
        Return whose decision this is, and whether that leader has the mandate over this robot.

        A decision older than one before is infinitely old. One without a number has the age 0.

        :param now: the time [s].
        """
        number = region.decision_version
        if not NO_BEAT < number <= MOST_NUMBER:
            return DecisionOrigin(leader, None, NO_BEAT, 0.0), False
        bound = None if mandates is None else mandates.bound(now)
        term = bound.first if bound is not None and bound.leader == leader else None
        order = _order(leader, mandates)
        newest = self._newest.get(order)
        if newest is not None and number < newest.number or (
                mandates is not None and number > mandates.number):
            return DecisionOrigin(leader, term, number, math.inf), False
        if newest is None or number > newest.number:
            self._newest.pop(order, None)
            newest = self._newest[order] = _Newest(number, now, leader, region.decision)
            if len(self._newest) > MOST_LEADERS:
                del self._newest[next(iter(self._newest))]
        return DecisionOrigin(leader, term, number, now - newest.since), term is not None


def numbered_by(leader: int, exports: Iterable[Any], regions: Iterable[Region]) -> list[Region]:
    """Return the regions of the neighbours that have a numbered decision of a leader."""
    return [region for export, region in zip(exports, regions)
            if export.leader == leader and NO_BEAT < region.decision_version <= MOST_NUMBER]


def _order(leader: int, mandates: Mandates | None) -> int:
    """Return the key of the decisions that are in one order."""
    return leader if mandates is None else NOBODY
