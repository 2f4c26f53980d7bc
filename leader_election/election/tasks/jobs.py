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

"""Jobs at places: received, held by every robot, passed on in decisions, assigned, done."""

from collections.abc import Sequence
from dataclasses import dataclass
import json
import math
from typing import Any

from leader_election.election.messages.codec import MAX_COORDINATE
from leader_election.election.regions.task import Position
import numpy as np

LONGEST = 86400.0
"""The longest work, and the latest deadline [s]."""
LIMITS = {'id': (0, 2**31 - 1), 'x': (-MAX_COORDINATE, MAX_COORDINATE),
          'y': (-MAX_COORDINATE, MAX_COORDINATE), 'seconds': (0.0, LONGEST),
          'deadline': (0.0, LONGEST)}
"""The least and the greatest numbers in the row of a job."""
MOST_OPEN, MOST_DONE = 256, 1024
"""The numbers of open jobs that a robot holds, and of done ones, of which it knows the ids."""


@dataclass
class Job:
    """Work at a place, to be done once. Two jobs with the same id are one."""

    id: int  # noqa: A003
    place: Position
    """In the shared frame [m]."""
    seconds: float
    """The duration of the work [s]."""
    until: float
    """The deadline, by the clock of the robot that holds the job [s]."""
    since: float
    """When this robot came to know it [s]."""
    leader: int = -1
    """The leader that named it last."""
    named: float = -math.inf
    """When that was [s]."""

    def row(self, now: float) -> list[float]:
        """Return id, x, y, seconds, and the seconds to the deadline, 0 for no deadline."""
        left = 0 if self.until == math.inf else max(1, math.ceil(self.until - now))
        return [self.id, round(self.place[0], 2), round(self.place[1], 2),
                round(self.seconds, 1), left]


def job_of(row: Sequence[Any], now: float) -> Job:
    """
    Return the job of a received row.

    :param row: as of :meth:`Job.row`.
    :param now: the present time [s].
    :raises ValueError: for anything but five numbers within the limits.

    >>> job = job_of([7, 1.5, 2.0, 5.0, 60], 100.0)
    >>> job.id, job.place, job.seconds, job.until
    (7, (1.5, 2.0), 5.0, 160.0)
    """
    for (name, (low, high)), number in zip(LIMITS.items(), row, strict=True):
        if type(number) not in (int, float) or not low <= number <= high:
            raise ValueError(f'{name} is {number!r}; it takes a number, {low:g} to {high:g}')
    number, x, y, seconds, left = row
    if number != int(number):
        raise ValueError(f'id is {number!r}; it takes a whole number')
    return Job(int(number), (float(x), float(y)), float(seconds),
               now + left if left > 0.0 else math.inf, now)


def parsed(text: str, now: float) -> Job:
    """
    Return the job of a message, a JSON object.

    :param text: ``{"id": 7, "place": [x, y], "seconds": s, "deadline": s}``. The last two may be
        missing: there is nothing to wait for at the place, and no deadline. It counts from now on.
    :param now: the present time [s].
    :raises ValueError, RecursionError: for anything else.

    >>> parsed('{"id": 7, "place": [1.5, 2], "deadline": 60}', 100.0).until
    160.0
    """
    match json.loads(text):
        case {'id': number, 'place': [x, y], **further} if further.keys() <= {
                'seconds', 'deadline'}:
            if further.get('deadline') == 0:
                raise ValueError('deadline is 0; it takes seconds from now on, more than 0')
            return job_of([number, x, y, further.get('seconds', 0.0),
                           further.get('deadline', 0.0)], now)
    raise ValueError('it takes an object with id, place [x, y], and no more than seconds and '
                     'deadline')


class JobBook:
    """
    The jobs that a robot knows, within bounds.

    :ivar open: those to be done, by id.
    :ivar done: when each was last told to be done [s], by id, the latest last.
    """

    def __init__(self) -> None:
        self.open: dict[int, Job] = {}  # noqa: A003
        self.done: dict[int, float] = {}

    def add(self, job: Job) -> bool:
        """Add a job, with the earlier of two deadlines, and return whether it is open now."""
        if job.id in self.done or (job.id not in self.open and len(self.open) >= MOST_OPEN):
            return False
        known = self.open.setdefault(job.id, job)
        known.until = min(known.until, job.until)
        return True

    def close(self, job: int, now: float) -> None:
        """Note that a job is done, as the latest one."""
        self.open.pop(job, None)
        self.done.pop(job, None)
        self.done[job] = now
        if len(self.done) > MOST_DONE:
            del self.done[next(iter(self.done))]

    def drop_expired(self, now: float) -> int:
        """Drop the jobs whose deadline is over, and return their number."""
        before = len(self.open)
        self.open = {number: job for number, job in self.open.items() if now <= job.until}
        return before - len(self.open)


def assign(costs: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """
    Return pairs of a row and a column, each once, so that the sum of their costs is least.

    There are as many as there are rows or columns, whichever are fewer. Row after row takes the
    free column at the end of the cheapest path on which earlier ones change theirs (Bellman and
    Ford), which keeps the sum the least. Rows² x columns² steps at most.

    :param costs: finite.

    >>> assign([[1.0, 2.0, 9.0], [1.0, 5.0, 9.0]])
    [(1, 0), (0, 1)]
    """
    cost = np.array(costs, np.float64).reshape(len(costs), len(costs[0]) if costs else 0)
    if len(cost) > cost.shape[1]:
        return [(row, column) for column, row in assign(cost.T.tolist())]
    # A smaller difference is an error of rounding.
    least = 1e-12 * np.abs(cost).max(initial=1.0)
    owner = np.full(cost.shape[1], -1)
    for row, distance in enumerate(cost.copy()):
        before = np.full(len(owner), -1)
        for column in [*np.flatnonzero(owner >= 0)] * row:
            detour = distance[column] - cost[owner[column], column] + cost[owner[column]]
            before[detour < distance - least] = column
            distance = np.minimum(distance, detour)
        at = np.argmin(np.where(owner < 0, distance, math.inf))
        while before[at] >= 0:
            owner[at], at = owner[before[at]], before[at]
        owner[at] = row
    return [(int(owner[column]), int(column)) for column in np.flatnonzero(owner >= 0)]
