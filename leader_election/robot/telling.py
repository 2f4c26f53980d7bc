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
What neighbours are told of a region, and what is understood of what they tell.

What cannot be right is counted and passed over. A robot that lies within the limits is believed:
it can add up to ``MOST_MEMBERS`` members to its region, and what it likes to sums; what it calls
the least is the least. It cannot spoil other regions, nor its own for good: no number is infinite,
what adds up is handed on once, and all of it is gone soon after the liar is.
"""

from collections.abc import Sequence
from itertools import chain
import math
from typing import Any

from leader_election.coordination.aggregate import AggregateSet
from leader_election.coordination.region import NOBODY, Region
from leader_election.coordination.summary_layout import RANKED, SummaryLayout
from leader_election.robot.region_codec import exactly, rows_of, Told

MOST_MEMBERS = 100_000
"""A summary of more robots than this is wrong."""
TASKS_DIFFER = 'rejected_other_tasks'
WRONG_SUMMARY = 'rejected_other_summary'


class Telling:
    """
    Tells and understands regions of one kind.

    :param tasks: what they do, as it is told.
    :param aggregates: what a summary consists of; its first number is that of members.
    :param identity: the region of a robot that has heard nobody yet.
    :param most: of how many members one robot's own contribution may be.
    """

    def __init__(self, tasks: str, aggregates: AggregateSet, identity: Region, most: int) -> None:
        self.tasks = tasks
        self.identity = identity
        self._aggregates = aggregates
        self._most = most

    def tell(self, region: Region, feedback: bool) -> Told:
        """Return what neighbours are told of a region."""
        known = sum(recipient != NOBODY for recipient in region.recipients)
        members = sum(member != NOBODY for member in region.members)
        return Told(
            self.tasks,
            region.parent,
            region.reach if feedback else 0.0,
            () if members else region.summary,
            region.recipients[:known],
            region.shares[:known],
            region.announcement,
            region.members[:members],
            region.ages[:members],
            rows_of(region.contributions, len(self._aggregates.identity))[:members],
            region.decision,
        )

    def understand(self, sender: int, told: Told | None, radius: float,
                   ) -> tuple[Region, str | None]:
        """
        Return what a neighbour tells of its region, and what to count where that is of no use.

        :param radius: of a region without feedback [m]; 0: it has none.
        """
        identity = self.identity
        nothing = identity._replace(device=sender, reach=radius)
        if told is None:
            return nothing, None
        if told.tasks != self.tasks:
            return nothing, TASKS_DIFFER
        row, members = self._aggregates.identity, len(told.members)
        # Who gossips tells what everybody offers, and no sum of it.
        summary = row if members else self._whole(told.summary, row, MOST_MEMBERS)
        contributions = [
            self._whole(contribution, row, self._most) for contribution in told.contributions
        ]
        if (
            summary is None
            or None in contributions
            or members > len(identity.members)
            or len(told.recipients) > len(identity.recipients)
            or len(told.announcement) not in (0, len(identity.announcement))
            or math.inf in told.announcement
        ):
            return nothing, WRONG_SUMMARY
        every = tuple(chain.from_iterable(filter(None, contributions)))
        return identity._replace(
            device=sender,
            parent=told.parent,
            reach=told.reach or radius,
            recipients=_filled(told.recipients, identity.recipients),
            shares=_filled(told.shares, identity.shares),
            summary=summary,
            announcement=told.announcement or identity.announcement,
            members=_filled(told.members, identity.members),
            ages=_filled(told.ages, identity.ages),
            contributions=_filled(every, identity.contributions),
            decision=told.decision,
        ), None

    def _whole(self, told: Sequence[float], identity: Sequence[float], most: int,
               ) -> tuple[float, ...] | None:
        """
        Return a row with what was left out at its end; ``None`` where it is of another kind.

        :param most: as many members it may be of.
        """
        if len(told) > len(identity) or any(number != math.inf for number in identity[len(told):]):
            return None
        row = _filled(told, identity)
        if any(number == math.inf != none for number, none in zip(row, identity)):
            return None
        if not 0.0 <= row[0] <= most or not _records_whole(self._aggregates.layout, row):
            return None
        return row


def _records_whole(layout: SummaryLayout, row: Sequence[float]) -> bool:
    """Say whether each record in a row is finite or left out altogether."""
    for part, kind in enumerate(layout.kind):
        if kind == RANKED:
            width = layout.detail[part]
            for k in range(layout.start[part], layout.start[part + 1], width):
                if len(set(map(math.isfinite, row[k:k + width]))) > 1:
                    return False
    return True


def _filled(row: Sequence[Any], identity: Sequence[Any]) -> tuple[Any, ...]:
    return (*row, *identity[len(row):])


def plain(region: Region) -> Region:
    """Return a region in plain Python, with shares as they are told."""
    return region._replace(
        load=float(region.load),
        reach=float(region.reach),
        parent=int(region.parent),
        summary=tuple(map(float, region.summary)),
        announcement=tuple(map(float, region.announcement)),
        recipients=tuple(map(int, region.recipients)),
        shares=exactly([float(s) for s in region.shares]),
        members=tuple(map(int, region.members)),
        ages=tuple(map(int, region.ages)),
        contributions=tuple(map(float, region.contributions)),
        contribution=tuple(region.contribution),
    )
