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

"""Jobs at places: received, held by every robot, passed on in summaries and decisions, done."""

from collections.abc import Iterable, Sequence
import json
import math
from typing import Any, NamedTuple

from leader_election.election.messages.codec import MAX_COORDINATE
from leader_election.election.regions.aggregate import Aggregate
from leader_election.election.regions.summary_layout import RANKED
from leader_election.election.regions.task import Position

MOST_TEXT = 256
"""The longest text of a job [characters]."""
MAX_JOB = 2**31 - 1
"""The greatest id of a job."""
LONGEST = 86400.0
"""The longest work, and the latest deadline [s]."""
MOST_OPEN, MOST_DONE = 256, 1024
"""The numbers of open jobs that a robot holds, and of done ones, of which it knows the ids."""
MOST_TOLD = 5
"""The number of jobs that a region collects in a round."""
_WIDTH = 6
"""The numbers in a record: the id twice, and what follows it in a row."""


class Job(NamedTuple):
    """Work at a place, to be done once."""

    id: int  # noqa: A003
    """From 0 to :data:`MAX_JOB`. Two jobs with the same id are one."""
    place: Position
    """In the shared frame [m]."""
    seconds: float = 0.0
    """The duration of the work [s]."""
    until: float = math.inf
    """The deadline, by the clock of the robot that holds the job [s]."""

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

    >>> job_of([7, 1.5, 2.0, 5.0, 60], 100.0)
    Job(id=7, place=(1.5, 2.0), seconds=5.0, until=160.0)
    """
    for name, number, low, high in zip(('id', 'x', 'y', 'seconds', 'deadline'), row, (
            0, -MAX_COORDINATE, -MAX_COORDINATE, 0.0, 0.0), (
            MAX_JOB, MAX_COORDINATE, MAX_COORDINATE, LONGEST, LONGEST), strict=True):
        if type(number) not in (int, float) or not low <= number <= high or (
                name == 'id' and number != int(number)):
            whole = 'a whole number' if name == 'id' else 'a number'
            raise ValueError(f'{name} is {number!r}; it takes {whole}, {low:g} to {high:g}')
    number, x, y, seconds, left = row
    return Job(int(number), (float(x), float(y)), float(seconds),
               now + left if left > 0.0 else math.inf)


def parsed(text: str, now: float) -> Job:
    """
    Return the job of a message, a JSON object.

    :param text: ``{"id": 7, "place": [x, y], "seconds": s, "deadline": s}``. The last two may be
        missing: there is nothing to wait for at the place, and no deadline. It counts from now on.
    :param now: the present time [s].
    :raises ValueError: for anything else.

    >>> parsed('{"id": 7, "place": [1.5, 2], "deadline": 60}', 100.0)
    Job(id=7, place=(1.5, 2.0), seconds=0.0, until=160.0)
    """
    if len(text) > MOST_TEXT:
        raise ValueError(f'it has {len(text)} characters; it may have {MOST_TEXT}')
    try:
        job = json.loads(text, object_pairs_hook=_unique)
    except RecursionError as error:
        raise ValueError('it is nested too deep') from error
    if not isinstance(job, dict) or not {'id', 'place'} <= job.keys() <= {
            'id', 'place', 'seconds', 'deadline'}:
        raise ValueError('it takes an object with id and place, and no more than seconds and '
                         'deadline')
    place, deadline = job['place'], job.get('deadline', 0)
    if not isinstance(place, list) or len(place) != 2:
        raise ValueError(f'place is {place!r}; it takes [x, y]')
    if 'deadline' in job and deadline == 0:
        raise ValueError('deadline is 0; it takes seconds from now on, more than 0')
    return job_of([job['id'], *place, job.get('seconds', 0.0), deadline], now)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError('it has a name twice')
    return found


def collect_jobs() -> Aggregate:
    """
    Collect the rows of jobs that any robots hold: at most ``MOST_TOLD``, those of the lowest ids.

    >>> jobs = collect_jobs()
    >>> jobs.result(jobs.contribution(1, [[7, 1.5, 2.0, 5.0, 60]]))
    [[7.0, 1.5, 2.0, 5.0, 60.0]]
    """
    def contribution(_: int, rows: Iterable[Sequence[float]]) -> list[float]:
        told = sorted(rows, key=lambda row: row[0])[:MOST_TOLD]
        return [*(number for row in told for number in (row[0], *row)),
                *(math.inf,) * _WIDTH * (MOST_TOLD - len(told))]

    def result(numbers: Sequence[float]) -> list[list[float]]:
        return [[float(number) for number in numbers[at + 1:at + _WIDTH]]
                for at in range(0, len(numbers), _WIDTH) if numbers[at] < math.inf]

    return Aggregate('jobs', RANKED, (math.inf,) * _WIDTH * MOST_TOLD, contribution, result,
                     _WIDTH)


class JobBook:
    """
    The jobs that a robot knows, within bounds.

    :ivar open: those to be done, by id.
    :ivar since: when each of them came [s].
    :ivar done: when each was known to be done [s], by id, the latest last.
    """

    def __init__(self) -> None:
        self.open: dict[int, Job] = {}  # noqa: A003
        self.since: dict[int, float] = {}
        self.done: dict[int, float] = {}

    def add(self, job: Job, now: float) -> bool:
        """Add a job, with the earlier of two deadlines, and return whether it is open now."""
        if job.id in self.done or (job.id not in self.open and len(self.open) >= MOST_OPEN):
            return False
        known = self.open.setdefault(job.id, job)
        self.since.setdefault(job.id, now)
        self.open[job.id] = known._replace(until=min(known.until, job.until))
        return True

    def close(self, job: int, now: float) -> bool:
        """Note that a job is done, and return whether that is news."""
        self._drop(job)
        if job in self.done:
            return False
        self.done[job] = now
        if len(self.done) > MOST_DONE:
            del self.done[next(iter(self.done))]
        return True

    def drop_expired(self, now: float) -> int:
        """Drop the jobs whose deadline is over, and return their number."""
        late = [job.id for job in self.open.values() if now > job.until]
        for job in late:
            self._drop(job)
        return len(late)

    def _drop(self, job: int) -> None:
        self.open.pop(job, None)
        self.since.pop(job, None)


def assign(costs: Sequence[Sequence[float]]) -> list[int]:
    """
    Return the column of each row, all different, so that the sum of the costs is least.

    This is the Hungarian method with potentials (R. Jonker, A. Volgenant, Computing 38, 1987),
    in a time of rows² x columns.

    :param costs: finite, not more rows than columns.

    >>> assign([[1.0, 2.0, 9.0], [1.0, 5.0, 9.0]])
    [1, 0]
    """
    rows, columns = len(costs), len(costs[0]) if costs else 0
    of_row, of_column = [0.0] * rows, [0.0] * (columns + 1)
    owner = [-1] * (columns + 1)
    for row in range(rows):
        # The last column stands for the start of the path that ends in a free one.
        at, owner[columns] = columns, row
        distance, before = [math.inf] * columns, [columns] * columns
        visited = [False] * (columns + 1)
        while owner[at] >= 0:
            visited[at], here = True, owner[at]
            for column in range(columns):
                reduced = costs[here][column] - of_row[here] - of_column[column]
                if not visited[column] and reduced < distance[column]:
                    distance[column], before[column] = reduced, at
            step, following = min((distance[column], column) for column in range(columns)
                                  if not visited[column])
            for column in range(columns + 1):
                if visited[column]:
                    of_row[owner[column]] += step
                    of_column[column] -= step
                elif column < columns:
                    distance[column] -= step
            at = following
        while at != columns:
            owner[at], at = owner[before[at]], before[at]
    found = [-1] * rows
    for column in range(columns):
        if owner[column] >= 0:
            found[owner[column]] = column
    return found
