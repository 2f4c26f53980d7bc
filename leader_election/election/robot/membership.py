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
Membership: a robot as a member of the region of its leader, after each election of an instance.

It applies the pattern of COORDINATION 2019
(:mod:`leader_election.election.regions.pattern`) to tasks and variants: announcements
between leaders, leaders of leaders.
"""

from collections.abc import Sequence
from itertools import chain
import json
from typing import Any, cast

from leader_election.election.mandates.mandates import Mandates
from leader_election.election.messages import region_codec
from leader_election.election.messages.codec import Position
from leader_election.election.messages.wire import decision_text, MAX_NAMES, MOST_NUMBERS
from leader_election.election.part import ElectionOutcome, Part, PartSetup
from leader_election.election.regions.aggregate import AggregateSet
from leader_election.election.regions.collection import LATE, OWN
from leader_election.election.regions.pattern import coordinate, Member, scaled
from leader_election.election.regions.region import (
    GRADIENT,
    initial_region,
    parameters_of,
    Region,
    RELAY,
)
from leader_election.election.robot import task_runner
from leader_election.election.robot.decision_order import DecisionOrder, numbered_by
from leader_election.election.robot.diagnostics import FEEDBACK_GAIN, TASKS
from leader_election.election.robot.neighbourhood import NeighbourView
from leader_election.election.robot.parameters import InstanceParameters
from leader_election.parameters import ParameterError

TASK_ERRORS = 'task_errors'
DECISION_TOO_LONG = 'decisions_too_long'
COUNTERS = (TASK_ERRORS, region_codec.TASKS_DIFFER, region_codec.WRONG_SUMMARY, DECISION_TOO_LONG)


class Membership(Part):
    """
    The regions of an instance, as one robot takes part in them.

    :ivar task_runners: the tasks of its regions.
    :ivar region: the state of the pattern.
    :ivar decision: the leader's decision, an entry for each task, empty for none.
    """

    name = 'regions'

    def __init__(self, setup: PartSetup) -> None:
        """
        Make the region of a robot alone, and its tasks.

        The tool makes the runner of a task by its name in the parameter ``tasks``. An instance
        over another one takes copies of the tasks of the one below.

        :raises ParameterError: if a task is unknown or cannot be made, or the parameters
            contradict each other.
        """
        parameters: InstanceParameters = setup.parameters
        self._below = None if setup.below is None else cast(Membership, setup.below[self.name])
        self.task_runners = _runners(setup, self._below)
        self.decision: list[Any] = []
        self._robot_id = setup.robot_id
        self._counts = setup.counts
        self._counts.update(dict.fromkeys(COUNTERS, 0))
        self._zones: Any = setup.parts.get('zones')
        self._mandates: Any = setup.parts.get('mandates')
        """Parts of the same instance that tasks and the order of decisions ask; or ``None``."""
        self._connected = parameters.connected
        # The level above collects summaries of the level below, so their layouts are the same.
        self._aggregates = task_runner.region_aggregates(self.task_runners, parameters.connected)
        check_message(parameters, self.task_runners, self._aggregates)
        identity = self._aggregates.identity
        self.region: Region = initial_region(
            parameters, identity, identity,
            announcement_size=task_runner.ANNOUNCEMENT_SIZE * parameters.connected, undecided='')
        self._codec = region_codec.RegionCodec(
            ','.join(runner.name for runner in self.task_runners), self._aggregates, self.region,
            1 if self._below is None else region_codec.MOST_MEMBERS)
        self._results: dict[str, Any] | None = None
        """The results of the summary, computed on demand."""
        self._order = DecisionOrder(setup.first_number)
        if self._mandates is None:
            for runner in self.task_runners:
                if runner.task.needs_mandate:
                    raise ParameterError('mandate', problem=f': 0 is not allowed; task '
                                         f'{runner.name} needs mandates')

    def settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the settings with the largest radius under feedback, for the hop limit."""
        if settings['feedback_gain'] == 0.0:
            return settings
        return settings | {'largest_radius': settings['radius'] * settings['feedback_most']}

    def configure(self, parameters: InstanceParameters, radius: float, link_range: float) -> None:
        """Apply changed parameters."""
        border = len(self._aggregates.by_name) - 1 if parameters.connected else -1
        self._parameters = parameters_of(
            parameters, self._aggregates.layout, radius=radius, link_range=link_range,
            undecided='', border=border)
        self.scales = self._parameters.gain > 0.0

    @property
    def summary(self) -> dict[str, Any]:
        """Return the results collected up to here, on a leader of its whole region, by name."""
        if self._results is None:
            self._results = self._aggregates.results(self.region.summary)
        return self._results

    @property
    def members(self) -> float:
        """Return the number of robots in the summary."""
        return float(self.region.summary[0])

    def radius(self, radius: float) -> float:
        """Return the radius of the region, which feedback changes [m]."""
        return float(self.region.reach) if self.region.reach > 0.0 else radius

    def borders(self) -> dict[int, tuple[float, ...]]:
        """Return the announcements of the known neighbouring regions, by their leaders' ids."""
        found = self.summary[task_runner.BORDERS] if self._connected else []
        return {int(record[0]): tuple(record[2:]) for record in found}

    def read(self, sender: int, export: Any, sent: region_codec.RegionPart | None, missed: int,
             ) -> tuple[Region, str | None]:
        """Return a neighbour's region, or the counter of the fault in an unusable part."""
        region, fault = self._codec.unpack(sender, sent, self._parameters.radius)
        # Missed messages count as rounds, as with hops.
        if region.decision_version > 0:
            region = region._replace(decision_age=region.decision_age + missed)
        return region, fault

    def scaled(self, view: NeighbourView) -> list[float]:
        """Return the distances to neighbours as feedback scales them for the election."""
        reach = [region.reach for region in view.read[self.name]]
        found: list[float] = scaled(reach, view.metric, self._parameters).tolist()
        return found

    def round(self, elected: ElectionOutcome) -> None:  # noqa: A003
        """Coordinate, then act."""
        view, departed = elected.view, elected.departed
        mandates: Mandates | None = None if self._mandates is None else self._mandates.mandates
        self._update_members(elected, view)
        if mandates is not None:
            acting = mandates.acting(elected.now)
            for runner in self.task_runners:
                runner.take_term(None if acting is None else acting.term)
        own = Member(elected.before.leader, elected.before.distance, *self.region._replace(
            role=elected.role, contribution=self._contribution(elected.role),
            own_announcement=self._own_announcement(elected.position)))
        self._results = None
        after = region_codec.plain(coordinate(
            elected.device, elected.state.leader, elected.state.distance, own,
            neighbour_columns(view, departed), _links(view) + _links(departed), self._parameters,
            self._decide))
        heard = numbered_by(elected.state.leader, view.exports, view.read[self.name])
        if elected.leads:
            after = self._order.numbered(after, heard, mandates)
        elif self._parameters.spreading == GRADIENT:
            after = self._order.newer(after, elected.leader, heard, mandates)
        self.region = after
        self.decision = json.loads(after.decision) if after.decision else []
        decided, ruled = self._order.judge(after, elected.leader, mandates, elected.now)
        for k, runner in enumerate(self.task_runners):
            decision = self.decision[k] if k < len(self.decision) else None
            lasts = runner.task.max_age
            if decided.age > (elected.lasts if lasts is None else lasts) or (
                    not ruled and self._is_ruled(runner)):
                decision = None
            runner.task.member.decided = None if decision is None else decided
            if self._below is None:
                runner.act(decision)
            else:
                self._below.take_decision_from_above(runner.name, decision)
        self._counts[TASK_ERRORS] = sum(runner.errors for runner in self.task_runners)

    def sent(self) -> region_codec.RegionPart:
        """Return the region part of the message."""
        return self._codec.pack(self.region, self._parameters.gain > 0.0)

    def take_decision_from_above(self, task: str, decision: Any) -> None:
        """Process the decision of the level above for a task."""
        for runner in self.task_runners:
            if runner.name == task:
                runner.task.member.above = decision

    def _update_members(self, elected: ElectionOutcome, view: NeighbourView) -> None:
        """Update the state that tasks read: leader, distance, neighbours, zone, borders."""
        for runner in self.task_runners:
            member = runner.task.member
            member.leader, member.leads = elected.leader, elected.leads
            member.distance, member.radius = elected.distance, elected.radius
            member.neighbours = {
                message.id: message.position
                for message, export in zip(view.messages, view.exports)
                if export.leader == elected.state.leader}
            member.zone = None if self._zones is None else self._zones.corners()
            member.borders = self.borders() if elected.leads else {}

    def _contribution(self, role: int) -> tuple[float, ...]:
        """Return the row that this robot contributes in this round."""
        identity = self._aggregates.identity
        if role == RELAY:
            return identity
        if self._below is not None:
            # Announcements belong to one level. They are the last part of the layout.
            border = self._parameters.border
            common = self._aggregates.layout.start[border] if border >= 0 else len(identity)
            return self._below.region.summary[:common] + identity[common:]
        rows = [runner.sense(self._robot_id) for runner in self.task_runners]
        row = (1.0, *chain.from_iterable(rows))
        return row + identity[len(row):]

    def _own_announcement(self, position: Position | None) -> tuple[float, ...]:
        """Return the announcement to other regions' leaders, in case the robot leads."""
        if not self._connected:
            return ()
        for runner in self.task_runners:
            announced = runner.announce()
            if announced is not None:
                return announced
        return (*(position or (0.0, 0.0)), self.members)

    def _decide(self, summary: Any) -> str:
        """Return the decision of a leader, as it is sent."""
        if not self.task_runners:
            return ''
        # Computed once a round, so that an error in a user's function is counted once.
        self._results = self._aggregates.results(tuple(float(number) for number in summary))
        decisions = [
            None if self._is_ruled(runner) and runner.term is None
            else runner.decide(task_runner.of_task(runner.name, self._results))
            for runner in self.task_runners]
        if all(decision is None for decision in decisions):
            return ''
        try:
            return decision_text(decisions)
        except ValueError:
            # Each decision fits into a message, but not all of them together.
            self._counts[DECISION_TOO_LONG] += 1
            return ''

    def _is_ruled(self, runner: task_runner.TaskRunner) -> bool:
        """Return whether a task acts and decides by a mandate only."""
        return runner.task.needs_mandate or (
            runner.task.obeys_mandate and self._mandates is not None)

    def close(self) -> None:
        """Stop the tasks."""
        for runner in self.task_runners:
            runner.close()

    def leadership(self, stamp: float, now: float | None, active: bool) -> dict[str, str]:
        """Return the names of the tasks."""
        return {TASKS: ','.join(runner.name for runner in self.task_runners)}

    def settings_shown(self) -> dict[str, str]:
        """Return the gain of feedback."""
        return {FEEDBACK_GAIN: f'{self._parameters.gain:g}'}

    def concern(self) -> tuple[str, str, dict[str, Any]] | None:
        """Return the state of the region and its tasks. The fault names the first failing task."""
        values: dict[str, Any] = {'members': f'{self.members:g}', **self._counts}
        fault = ''
        for runner in self.task_runners:
            values[f'{runner.name}.errors'] = runner.errors
            values |= {f'{runner.name}.{name}': value
                       for name, value in runner.counts().items()}
            if runner.first_error and not runner.reported:
                # Published once, since it is long.
                runner.reported = True
                values[f'{runner.name}.traceback'] = runner.first_error
            if runner.first_error and not fault:
                fault = (f'task {runner.name} fails: '
                         + runner.first_error.strip().splitlines()[-1])
        return fault, f'{self.members:g} members known', values


def _runners(setup: PartSetup, below: Membership | None) -> list[task_runner.TaskRunner]:
    """Return the runners of an instance's tasks."""
    if below is not None:
        # Only one task of a kind may act on a robot. The copies above only decide.
        return [task_runner.deciding_copy(runner) for runner in below.task_runners]
    tasks = setup.parameters.task_names
    labels = [task_runner.task_label(task) for task in tasks]
    for task, label in zip(tasks, labels):
        if labels.count(label) > 1:
            raise ParameterError('tasks', problem=f': {task!r} is not allowed; there are two '
                                 f'called {label}')
    if tasks and setup.tool is None:
        raise ParameterError('tasks', problem=f': {tasks[0]!r} is not allowed; no tasks are '
                             'known here')
    return [setup.tool(task) for task in tasks]


def _links(view: NeighbourView) -> list[float]:
    """Return the distances to neighbours, where another parent than a late robot is preferred."""
    return [distance + LATE * (missed > 0) for distance, missed in zip(view.metric, view.missed)]


def neighbour_columns(view: NeighbourView, departed: NeighbourView) -> Any:
    """Return the columns of the neighbours in view, followed by those that have departed."""
    exports = view.exports + departed.exports
    regions = view.read[Membership.name] + departed.read[Membership.name]
    columns = zip(*regions) if regions else [()] * len(Region._fields)
    return Member(
        [export.leader for export in exports], [export.distance for export in exports], *columns)


def check_message(parameters: InstanceParameters, task_runners: Sequence[task_runner.TaskRunner],
                  aggregates: AggregateSet) -> None:
    """
    Refuse parameters whose messages the neighbours would reject.

    :param aggregates: what the regions collect.
    :raises ParameterError: naming the parameter.
    """
    for part, aggregate in aggregates.by_name.items():
        if parameters.collection == 'multi-path' and not aggregate.idempotent \
                and aggregate.kind == OWN:
            raise ParameterError('collection', problem=": 'multi-path' is not allowed for "
                                 f'{part}, which is not idempotent; it takes tree or gossip')
    for runner in task_runners:
        for name in runner.task.collects:
            if name in task_runner.COMMON:
                raise ParameterError('tasks', problem=f': {runner.name!r} is not allowed; it '
                                     f'collects {name!r}, and so does every region: '
                                     f"{', '.join(task_runner.COMMON)}")
    tasks = ','.join(runner.name for runner in task_runners)
    if len(tasks) > MAX_NAMES:
        raise ParameterError('tasks', problem=f': names of {len(tasks)} characters are not '
                             f'allowed; it takes up to {MAX_NAMES}')
    rows = parameters.gossip_members if parameters.collection == 'gossip' else 1
    numbers = rows * len(aggregates.identity)
    if numbers > MOST_NUMBERS:
        name = 'gossip_members' if rows > 1 else 'tasks'
        raise ParameterError(name, problem=f': {getattr(parameters, name)!r} is not allowed; a '
                             f'message would hold {numbers} numbers, and it may hold '
                             f'{MOST_NUMBERS}')
