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

from collections import Counter
from collections.abc import Sequence
from itertools import chain
import json
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms import Device
from leader_election.election.mandates.mandates import Mandates
from leader_election.election.messages.codec import Position
from leader_election.election.messages.region_codec import (
    MOST_MEMBERS,
    plain,
    RegionCodec,
    RegionPart,
)
from leader_election.election.messages.wire import decision_text, MAX_NAMES, MOST_NUMBERS
from leader_election.election.regions.aggregate import AggregateSet, extent
from leader_election.election.regions.pattern import coordinate, scaled
from leader_election.election.regions.region import (
    GRADIENT,
    initial_region,
    parameters_of,
    Region,
    RELAY,
)
from leader_election.election.regions.summary_layout import OWN
from leader_election.election.robot.decision_order import DecisionOrder, numbered_by
from leader_election.election.robot.neighbourhood import (
    neighbour_columns,
    NeighbourView,
    previous_state,
)
from leader_election.election.robot.parameters import InstanceParameters
from leader_election.election.robot.task_runner import (
    ANNOUNCEMENT_SIZE,
    BORDERS,
    COMMON,
    of_task,
    OUTLINE,
    region_aggregates,
    TaskRunner,
)
from leader_election.parameters import ParameterError

TASK_ERRORS = 'task_errors'
DECISION_TOO_LONG = 'decisions_too_long'


class Elected(NamedTuple):
    """The result of an election, as regions and tasks read it."""

    device: Device
    role: int
    before: Any
    """The election's state before the round."""
    state: Any
    leader: int
    leads: bool
    distance: float
    """To the leader; with feedback it is rescaled [m]."""
    radius: float
    """Of the region [m]."""
    zone: list[Position] | None
    """The corners of the robot's zone [m]; ``None``: it is in none."""
    now: float = 0.0
    """The time [s]."""
    mandates: Mandates | None = None
    """``None``: there are none."""
    lasts: float = math.inf
    """The age at which a decision counts as none, for tasks that do not say otherwise [s]."""


class Membership:
    """
    The region part of an instance on one robot.

    :param task_runners: the tasks of its regions.
    :param counts: the counters of the instance.
    :param below: that of the instance below, whose summaries this one collects.
    """

    def __init__(self, robot_id: int, parameters: InstanceParameters,
                 task_runners: Sequence[TaskRunner], counts: Counter[str],
                 below: 'Membership | None') -> None:
        self.task_runners = list(task_runners)
        self.region: Region | None = None
        """``None``: the instance forms no regions."""
        self.decision: list[Any] = []
        """The leader's decision, an entry for each task; empty: none."""
        self._robot_id = robot_id
        self._counts = counts
        self._below = below
        self._connected = parameters.connected
        # The level above collects summaries of the level below, so their layouts are the same.
        self._outlines: bool = below._outlines if below is not None else parameters.outline
        self._aggregates = region_aggregates(
            self.task_runners, self._outlines, parameters.connected)
        check_message(parameters, self.task_runners, self._aggregates)
        identity = self._aggregates.identity
        region = initial_region(
            parameters, identity, identity,
            announcement_size=ANNOUNCEMENT_SIZE * parameters.connected, undecided='')
        if parameters.forms_regions:
            self.region = region
        self._codec = RegionCodec(
            ','.join(runner.name for runner in self.task_runners), self._aggregates, region,
            1 if below is None else MOST_MEMBERS)
        self._results: dict[str, Any] | None = None
        """The results of the summary, computed on demand."""
        self.order = DecisionOrder()
        if parameters.mandate == 0.0:
            for runner in self.task_runners:
                if runner.task.needs_mandate:
                    raise ParameterError('mandate', problem=f': 0 is not allowed; task '
                                         f'{runner.name} needs mandates')

    def configure(self, parameters: InstanceParameters, radius: float, link_range: float) -> None:
        """
        Apply changed parameters.

        :param radius: of the election [m]; infinite: it has none.
        :param link_range: the greatest distance of a neighbour [m]; infinite: not known.
        """
        border = len(self._aggregates.by_name) - 1 if parameters.connected else -1
        self._parameters = parameters_of(
            parameters, self._aggregates.layout, radius=radius, link_range=link_range,
            undecided='', border=border)

    @property
    def gain(self) -> float:
        """Return the gain of feedback; 0: none."""
        return 0.0 if self.region is None else self._parameters.gain

    @property
    def summary(self) -> dict[str, Any]:
        """Return the results collected up to here, on a leader of its whole region, by name."""
        if self.region is None:
            return {}
        if self._results is None:
            self._results = self._aggregates.results(self.region.summary)
        return self._results

    @property
    def members(self) -> float:
        """Return the number of robots in the summary; 0 without regions."""
        return 0.0 if self.region is None else float(self.region.summary[0])

    @property
    def outline(self) -> list[Position] | None:
        """Return the corners of the region [m], as collected so far; ``None`` where unknown."""
        corners = self.summary.get(OUTLINE)
        return None if corners is None else [(x, y) for x, y in corners]

    def borders(self) -> dict[int, tuple[float, ...]]:
        """Return the announcements of the known neighbouring regions, by their leaders' ids."""
        found = self.summary[BORDERS] if self._connected else []
        return {int(record[0]): tuple(record[2:]) for record in found}

    def unpack(self, sender: int, part: RegionPart | None, missed: int,
               ) -> tuple[Region, str | None]:
        """
        Return a neighbour's region, or the counter of the fault in an unusable part.

        :param missed: the number of its messages missed since: they count as rounds, as with hops.
        """
        region, fault = self._codec.unpack(sender, part, self._parameters.radius)
        if region.decision_version > 0:
            region = region._replace(decision_age=region.decision_age + missed)
        return region, fault

    def scaled(self, view: NeighbourView) -> list[float]:
        """Return the distances to neighbours as feedback scales them for the election."""
        reach = [region.reach for region in view.regions]
        found: list[float] = scaled(reach, view.metric, self._parameters).tolist()
        return found

    def round(self, elected: Elected, view: NeighbourView,  # noqa: A003
              departed: NeighbourView, position: Position | None) -> None:
        """
        Coordinate, then act; after the election of a round, with regions.

        :param view: the neighbours.
        :param departed: robots that are no longer neighbours (:meth:`Instance.round`).
        :param position: the own position [m].
        """
        assert self.region is not None
        self._update_members(elected, view)
        self._tell_of_mandate(elected)
        own = previous_state(
            elected.before, self.region, role=elected.role,
            contribution=self._contribution(elected.role, position),
            own_announcement=self._own_announcement(position))
        self._results = None
        after = plain(coordinate(
            elected.device, elected.state.leader, elected.state.distance, own,
            neighbour_columns(view, departed), view.links + departed.links, self._parameters,
            self._decide))
        heard = numbered_by(elected.state.leader, view)
        if elected.leads:
            after = self.order.numbered(after, heard, elected.mandates)
        elif self._parameters.spreading == GRADIENT:
            after = self.order.newer(after, elected.leader, heard, elected.mandates)
        self.region = after
        self.decision = json.loads(after.decision) if after.decision else []
        decided, ruled = self.order.take(
            after, elected.leader, elected.mandates, elected.now)
        for k, runner in enumerate(self.task_runners):
            decision, lasts = self._decided(k), runner.task.max_age
            if decided.age > (elected.lasts if lasts is None else lasts) or (
                    not ruled and runner.task.needs_mandate):
                decision = None
            runner.task.member.decided = None if decision is None else decided
            if self._below is None:
                runner.act(decision)
            else:
                self._below.take_decision_from_above(runner.name, decision)
        self._counts[TASK_ERRORS] = sum(runner.errors for runner in self.task_runners)

    def part(self) -> RegionPart | None:
        """Return the region part of the message; ``None`` without regions."""
        if self.region is None:
            return None
        return self._codec.pack(self.region, self._parameters.gain > 0.0)

    def take_decision_from_above(self, task: str, decision: Any) -> None:
        """Process the decision of the level above for a task."""
        for runner in self.task_runners:
            if runner.name == task:
                runner.task.member.above = decision

    def _tell_of_mandate(self, elected: Elected) -> None:
        """Tell the tasks on a leader whether it may act."""
        if elected.mandates is not None:
            for runner in self.task_runners:
                runner.take_term(self._term(elected))

    def _term(self, elected: Elected) -> int | None:
        """Return the term under which this robot acts as a leader; ``None``: it does not."""
        acting = None if elected.mandates is None else elected.mandates.acting(elected.now)
        return None if acting is None else acting.term

    def _decided(self, k: int) -> Any:
        """Return the leader's decision for one of the tasks."""
        return self.decision[k] if k < len(self.decision) else None

    def _update_members(self, elected: Elected, view: NeighbourView) -> None:
        """Update the state that tasks read: leader, distance, neighbours, zone, borders."""
        for runner in self.task_runners:
            member = runner.task.member
            member.leader, member.leads = elected.leader, elected.leads
            member.distance, member.radius = elected.distance, elected.radius
            member.neighbours = {
                message.id: message.position
                for message, export in zip(view.messages, view.exports)
                if export.leader == elected.state.leader}
            member.zone = elected.zone
            member.borders = self.borders() if elected.leads else {}

    def _contribution(self, role: int, position: Position | None) -> tuple[float, ...]:
        """Return the row that this robot contributes in this round."""
        identity = self._aggregates.identity
        if role == RELAY:
            return identity
        if self._below is not None and self._below.region is not None:
            # Announcements belong to one level; they are the last part of the layout.
            border = self._parameters.border
            common = self._aggregates.layout.start[border] if border >= 0 else len(identity)
            return self._below.region.summary[:common] + identity[common:]
        rows = [runner.sense(self._robot_id) for runner in self.task_runners]
        if self._outlines:
            places = extent()
            rows.append(tuple(places.contribution(self._robot_id, position)) if position
                        else places.identity)
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
            None if runner.task.needs_mandate and runner.term is None
            else runner.decide(of_task(runner.name, self._results)) for runner in self.task_runners
        ]
        if all(decision is None for decision in decisions):
            return ''
        try:
            return decision_text(decisions)
        except ValueError:
            # Each decision fits into a message, but not all of them together.
            self._counts[DECISION_TOO_LONG] += 1
            return ''


def check_message(parameters: InstanceParameters, task_runners: Sequence[TaskRunner],
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
            if name in COMMON:
                raise ParameterError('tasks', problem=f': {runner.name!r} is not allowed; it '
                                     f'collects {name!r}, and so does every region: '
                                     f"{', '.join(COMMON)}")
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
