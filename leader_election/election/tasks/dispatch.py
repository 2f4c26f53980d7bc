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

"""Task ``dispatch``: a region's robots do jobs, each at a place; its leader assigns them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
import json
import math
from typing import Any

from leader_election.election.messages.codec import MAX_COORDINATE
from leader_election.election.messages.wire import dumps
from leader_election.election.regions.aggregate import top, union
from leader_election.election.regions.task import Member, Position
from leader_election.election.tasks.driving import DriverParameters, DrivingTask, WARNING_PERIOD
from leader_election.election.tasks.goals import Patience, RecentValues
from leader_election.parameters import parameter
import numpy as np
from sensor_msgs.msg import BatteryState
from std_msgs.msg import String

MOST_ROBOTS, MOST_TOLD, MOST_DONE_TOLD = 16, 5, 8
"""The most robots that get jobs, and open and done jobs that a region collects in a round."""
MOST_LISTED = 640
"""The length of the jobs in a decision [characters]."""
ADOPTION = 30.0
"""A job that no leader has named for so long is told anew. A done one is named for so long [s]."""
_SETTLING = 5
"""The rounds of a leader before it assigns jobs: by then it knows what its predecessor knew."""
BATTERY_DISTANCE, LEAST_BATTERY = 10.0, 0.2
"""An empty battery counts as so many metres. With less than this charge a robot gets no job."""
HOLD = 10
"""The number of rounds without a word of a robot after which its job goes to another one."""
_RESTS = -1.0
"""In place of the charge: the robot cannot reach its place, and gives its job back."""

LIMITS = {'id': (0, 2**31 - 1), 'x': (-MAX_COORDINATE, MAX_COORDINATE),
          'y': (-MAX_COORDINATE, MAX_COORDINATE), 'seconds': (0.0, 86400.0),
          'deadline': (0.0, 86400.0)}
"""The least and the greatest numbers in the row of a job."""
MOST_OPEN, MOST_DONE = 256, 1024
"""The numbers of open jobs that a robot holds, and of done ones, of which it knows the ids."""


@dataclass(frozen=True)
class DispatchParameters(DriverParameters):
    """The parameters of the task: those of a task that drives, with a greater tolerance."""

    tolerance: float = parameter(
        0.3, 'The distance at which the place of a job is reached.', unit='m', lower=0.001,
        upper=100.0)


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


class Dispatch(DrivingTask):
    """
    Do jobs at places. Each comes in on topic ``jobs`` of any robot, as :func:`.parsed` takes it.

    The decision is ``{"jobs": [[id, x, y, seconds, deadline, robot], ...], "done": [id, ...]}``,
    where the robot is -1 for a job that waits. It names all jobs that robots have, and others in
    turn, as far as they fit into a message. So each member holds the jobs that its leader holds,
    and may be the next leader. A member tells its leader the jobs that no leader has named, and
    which of the named ones are done. With mandates a robot works only under the mandate of its
    leader, so that no two work on a job. Every robot publishes ``job`` (``std_msgs/String``,
    latched, on change), ``{"id": i, "state": "driving" | "working" | "done"}``, or an empty text.

    :ivar book: the jobs that this robot knows.
    :ivar job: the one that it has, ``None`` without one.
    """

    obeys_mandate = True
    parameters = DispatchParameters
    settings: DispatchParameters
    # A robot is its x, id, y and the charge of its battery.
    collects = {'robots': top(MOST_ROBOTS, extra=2), 'jobs': union(MOST_TOLD, extra=4),
                'done': union(MOST_DONE_TOLD)}

    def __init__(self, member: Member, settings: DispatchParameters) -> None:
        """Subscribe to jobs and to the battery."""
        super().__init__(member, settings)
        self.book = JobBook()
        self.job: Job | None = None
        self._counts = Counter(jobs_received=0, jobs_rejected=0, jobs_expired=0, jobs_done=0)
        self._battery = 1.0
        self._open: set[int] = set()
        """The jobs that the leader takes for open."""
        self._assigned: dict[int, int] = {}
        """By job: the robot that has it."""
        self._carried = -1
        """The job that this robot had last, until another one has it."""
        self._robots = RecentValues[tuple[float, ...]](HOLD)
        self._rounds_led = self._rests = 0
        self._since = math.inf
        """When the work on the job began [s]."""
        self._patience = Patience(settings.patience)
        self._published = ''
        self._state = member.node.publisher('job', String, latched=True)
        member.node.listen('jobs', String, self._receive, every=True)
        member.node.listen('battery_state', BatteryState, self._read_battery)

    @property
    def counts(self) -> Mapping[str, int]:
        """Return the numbers of jobs on this robot, and the counts of the driver."""
        return {**self._counts, 'jobs_open': len(self.book.open), **super().counts}

    def sense(self) -> Mapping[str, Any]:
        """Contribute this robot, and what its leader may not know of jobs."""
        now, pose = self.member.node.seconds(), self.member.pose()
        self._counts['jobs_expired'] += self.book.drop_expired(now)
        self._rests = max(0, self._rests - 1)
        readings: dict[str, Any] = {
            'jobs': [job.row(now) for job in self.book.open.values() if self._is_untold(job, now)],
            'done': self._open & self.book.done.keys()}
        if pose is not None:
            charge = _RESTS if self._rests else round(self._battery, 2)
            readings['robots'] = (round(pose[0], 1), round(pose[1], 1), charge)
        return readings

    def decide(self, summary: Mapping[str, Any]) -> Any:
        """Assign jobs to robots without one. A robot keeps its job until it is done or gone."""
        now = self.member.node.seconds()
        self._rounds_led += 1
        for job in summary['done']:
            self.book.close(int(job), now)
        for row in summary['jobs']:
            # A wrong row of one robot does not keep the others from their jobs.
            with suppress(ValueError):
                if not self.book.add(job_of(row, now)) and row[0] in self.book.done:
                    # Somebody takes it for open, so it is named again.
                    self.book.close(row[0], now)
        robots = self._robots.update({int(robot): (x, y, battery)
                                      for x, robot, y, battery in summary['robots']})
        # A new leader hears all members only after some rounds.
        self._assigned = {
            job: robot for job, robot in self._assigned.items() if job in self.book.open
            and (robots[robot][2] != _RESTS if robot in robots
                 else self._rounds_led <= HOLD)}
        if self._rounds_led > _SETTLING:
            self._assign(robots, now)
        done = [job for job, when in reversed(self.book.done.items())
                if 0.0 <= now - when <= ADOPTION]
        return {'jobs': self._listed(now), 'done': done[:MOST_DONE_TOLD]}

    def act(self, decision: Any) -> None:
        """Take over what the leader knows of jobs, and go on with the one that this robot has."""
        if not self.member.leads:
            self._rounds_led = 0
        # With an unreadable decision the robot stands still, as without one.
        before, self.job = self.job, None
        try:
            if decision is not None:
                self._follow(decision, before)
        finally:
            if self.job is None and not self._published.endswith('"done"}'):
                self._publish()

    def close(self) -> None:
        """Stop the robot, and take back what it works on."""
        super().close()
        self._publish()

    def _follow(self, decision: Any, before: Job | None) -> None:
        now = self.member.node.seconds()
        rows = [(job_of(row, now), int(robot)) for *row, robot in decision['jobs']]
        for number in decision['done']:
            if number not in self.book.done:
                self.book.close(int(number), now)
        self._open = {job.id for job, _ in rows}
        self._assigned = {job.id: robot for job, robot in rows if robot >= 0}
        for job, _ in rows:
            if self.book.add(job):
                known = self.book.open[job.id]
                known.leader, known.named = self.member.leader, now
        own = next((job for job, robot in self._assigned.items() if robot == self.member.id), -1)
        if own >= 0 or self._carried in self._open:
            self._carried = own
        if own not in self.book.open or self._rests:
            return
        self.job = self.book.open[own]
        if before is None or before.id != own:
            self._since = math.inf
            self._patience.renew()
        self._work(self.job, now)

    def _work(self, job: Job, now: float) -> None:
        """Note the progress of the work on a job."""
        is_there = self.has_arrived(job.place)
        self._since = min(self._since, now) if is_there else math.inf
        if now - self._since < job.seconds or not is_there:
            self._publish(job, 'working' if is_there else 'driving')
            return
        self.book.close(job.id, now)
        self._counts['jobs_done'] += 1
        self.job = None
        self._publish(job, 'done')

    def _assign(self, robots: Mapping[int, tuple[float, ...]], now: float) -> None:
        """Assign open jobs to free robots: the nearest, with a charged battery, one each."""
        free = [robot for robot, (*_, battery) in robots.items()
                if battery >= LEAST_BATTERY and robot not in self._assigned.values()]
        waiting = sorted((job for job in self.book.open.values() if job.id not in self._assigned),
                         key=lambda job: job.until)[:4 * MOST_ROBOTS]

        def cost(robot: int, job: Job) -> float:
            x, y, battery = robots[robot]
            # A job gets nearer by what a robot drives while it waits, so that none waits for ever.
            return (math.dist((x, y), job.place) + BATTERY_DISTANCE * (1.0 - battery)
                    - self.settings.speed * (now - job.since))

        pairs = assign([[cost(robot, job) for job in waiting] for robot in free])
        self._assigned |= {waiting[column].id: free[row] for row, column in pairs}

    def _listed(self, now: float) -> list[list[float]]:
        """Return the rows of jobs in the decision: those that robots have, then others in turn."""
        rows: list[list[float]] = []
        length = 0
        for job in sorted(self.book.open.values(),
                          key=lambda job: (job.id not in self._assigned, job.named)):
            row = [*job.row(now), self._assigned.get(job.id, -1)]
            length += len(dumps(row)) + 1
            if length > MOST_LISTED:
                break
            rows.append(row)
        return rows

    def _is_untold(self, job: Job, now: float) -> bool:
        """Return whether the present leader may not know a job."""
        # A robot that comes into another region brings the job that it has along.
        return not 0.0 <= now - job.named < ADOPTION or (
            job.leader != self.member.leader and job.id == self._carried)

    def _goal_for(self, x: float, y: float, now: float) -> Position | None:
        job = self.job
        if job is None or now > job.until:
            return None
        if self.has_arrived(job.place):
            self._patience.renew()
        elif self._patience.lost(math.dist((x, y), job.place), now):
            self._rests, self.job = HOLD, None
            return None
        return job.place

    def _receive(self, message: String) -> None:
        try:
            job = parsed(message.data, self.member.node.seconds())
            if not self.book.add(job) and job.id not in self.book.done:
                raise ValueError(f'{len(self.book.open)} jobs are open; it may be no more')
            self._counts['jobs_received'] += 1
        except (ValueError, RecursionError) as error:
            self._counts['jobs_rejected'] += 1
            self.member.node.node.get_logger().warning(
                f'jobs: a job is rejected: {error} ({self._counts["jobs_rejected"]} so far)',
                throttle_duration_sec=WARNING_PERIOD)

    def _read_battery(self, message: BatteryState) -> None:
        # nan: the driver does not know.
        if 0.0 <= message.percentage <= 1.0:
            self._battery = float(message.percentage)

    def _publish(self, job: Job | None = None, state: str = '') -> None:
        text = '' if job is None else json.dumps({'id': job.id, 'state': state})
        if text != self._published:
            self._published = text
            self._state.publish(String(data=text))
