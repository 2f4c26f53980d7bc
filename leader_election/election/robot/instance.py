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
An instance: one election with its regions; a robot may run several at once.

It combines the pattern of COORDINATION 2019
(:mod:`leader_election.election.coordination.pattern`) with tasks and variants: zones,
announcements between leaders, leaders of leaders.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
import json
import math
from typing import Any

from leader_election.election.algorithms import ALGORITHMS, Device
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.coordination.aggregate import extent
from leader_election.election.coordination.collection import LATE
from leader_election.election.coordination.pattern import coordinate, scaled
from leader_election.election.coordination.region import (
    CANDIDATE,
    initial_region,
    parameters_of,
    Region,
    RELAY,
    ROLES,
)
from leader_election.election.robot.codec import InstancePart, Position
from leader_election.election.robot.instance_settings import check_message, election_settings
from leader_election.election.robot.neighbourhood import (
    contradicted,
    Neighbour,
    neighbour_columns,
    NeighbourView,
    previous_state,
)
from leader_election.election.robot.parameters import InstanceParameters, own_parameters
from leader_election.election.robot.region_codec import (
    MOST_MEMBERS,
    plain,
    RegionCodec,
    RegionPart,
    TASKS_DIFFER,
    WRONG_SUMMARY,
)
from leader_election.election.robot.strength import RobotKnowledge, Strength, STRENGTH_SOURCES
from leader_election.election.robot.task_runner import (
    ANNOUNCEMENT_SIZE,
    BORDERS,
    of_task,
    OUTLINE,
    region_aggregates,
    TaskRunner,
)
from leader_election.election.robot.wire import decision_text
from leader_election.election.robot.zones import Zones

TASK_ERRORS = 'task_errors'
ALGORITHM_DIFFERS = 'rejected_other_algorithm'
DECISION_TOO_LONG = 'decisions_too_long'
NO_LEADER = -1
STEPS = 1e4
"""Distances are sent in steps of a tenth of a millimetre, as positions are."""


class Instance:
    """
    One instance on one robot.

    :param name: ``main`` for the first.
    :param link_range: the greatest distance of a neighbour by the metric [m]; infinite: not known.
    :param task_runners: the tasks of its regions.
    :param below: the instance whose leaders are its candidates.
    :param counts_links: whether the metric counts links, so that distances are whole.
    """

    def __init__(self, name: str, robot_id: int, parameters: InstanceParameters,
                 link_range: float, task_runners: Sequence[TaskRunner] = (),
                 below: 'Instance | None' = None, counts_links: bool = False) -> None:
        self.name = name
        self._counts_links = counts_links
        self.robot_id = robot_id
        self.algorithm = ALGORITHMS.get(parameters.algorithm)
        self.source = STRENGTH_SOURCES.get(parameters.strength_source)
        self.strength = Strength(parameters.strength, 0.0)
        if below is not None:
            # A candidate of the level above has the strength that made it a leader below.
            self.source, self.strength = below.source, below.strength
        self._received = (math.nan, -math.inf)
        self.zones = Zones(parameters.zones) if parameters.zones else None
        self.zone: str | None = None
        """The zone that the robot is in, where there are zones."""
        self.task_runners = list(task_runners)
        self.below = below
        self.counts: Counter[str] = Counter(dict.fromkeys(
            (TASK_ERRORS, TASKS_DIFFER, WRONG_SUMMARY, ALGORITHM_DIFFERS, DECISION_TOO_LONG), 0))
        self.view = NeighbourView([], [], [], [], [], [])
        """The neighbours of the last round."""
        # The level above collects summaries of the level below, so their layouts are the same.
        self._outlined: bool = below._outlined if below is not None else parameters.outline
        self._aggregates = region_aggregates(
            self.task_runners, self._outlined, parameters.connected)
        tasks = ','.join(runner.name for runner in self.task_runners)
        check_message(parameters, self.task_runners, self._aggregates)
        self._role = ROLES.index(parameters.role)
        self.configure(parameters, link_range)
        self.state: Any = self.algorithm.start(self._device())
        self._region_codec: RegionCodec | None = None
        self.region: Region | None = None
        if parameters.forms_regions:
            identity = self._aggregates.identity
            self.region = initial_region(
                parameters, identity, identity,
                announcement_size=ANNOUNCEMENT_SIZE * parameters.connected, undecided='')
            self._region_codec = RegionCodec(
                tasks, self._aggregates, self.region, 1 if below is None else MOST_MEMBERS)
        self._results: dict[str, Any] | None = None
        """The results of the summary, computed on demand."""
        self.decision: list[Any] = []
        """The leader's decision, an entry for each task; empty: none."""

    def configure(self, parameters: InstanceParameters, link_range: float) -> None:
        """Apply changed parameters and the current range of a link [m]."""
        self.parameters = parameters
        settings = election_settings(
            self.algorithm, parameters, link_range,
            zone_radius=None if self.zones is None else self.zones.radius,
            counts_links=self._counts_links)
        self.hop_limit: int = settings['hop_limit']
        self.round_parameters = self.algorithm.round_parameters(settings)
        self._elected: tuple[Any, Any] = (None, None)
        """The inputs of the last election with these parameters, and the state elected."""
        if self.below is None:
            asked = parameters.strength_hysteresis
            self.strength.hysteresis = self.source.hysteresis if asked < 0.0 else asked
            if not self.strength.received:
                self.strength.announced = parameters.strength
        takes = 'radius' in self.algorithm.takes and not parameters.zones
        border = len(self._aggregates.by_name) - 1 if parameters.connected else -1
        self._region_parameters = parameters_of(
            parameters, self._aggregates.layout, radius=parameters.radius if takes else math.inf,
            link_range=link_range, undecided='', border=border)

    # The current state.

    @property
    def leads(self) -> bool:
        """Whether it is a leader; false for a robot that only has no other leader."""
        return (self.state.leader == self.robot_id and math.isfinite(self.state.distance)
                and self.effective_role == CANDIDATE)

    @property
    def leader(self) -> int:
        """Return the leader's id; ``NO_LEADER`` where it has none, or none that is known."""
        found = int(self.state.leader)
        if self.leads or (found != self.robot_id and math.isfinite(self.state.distance)):
            return found
        return NO_LEADER

    @property
    def effective_role(self) -> int:
        """``CANDIDATE``, ``WORKER`` or ``RELAY``: the role in effect now."""
        if self.zones is not None and self.zone is None:
            return RELAY
        if self.below is not None:
            return CANDIDATE if self.below.leads else RELAY
        return self._role

    @property
    def role(self) -> str:
        """Return the current role: candidate (without a leader yet), leader, worker or relay."""
        if self.leads:
            return 'leader'
        if self.effective_role == CANDIDATE and self.state.leader != self.robot_id:
            return 'worker'
        return ROLES[self.effective_role]

    @property
    def strength_missing(self) -> bool:
        """Whether the strength comes from a topic without a message so far."""
        return self.source.topic != '' and not self.strength.received

    @property
    def radius(self) -> float:
        """Return the radius of the region [m]; infinite where the algorithm has none."""
        if self.region is not None and self.region.reach > 0.0:
            return float(self.region.reach)
        if self.zones is not None or 'radius' not in self.algorithm.takes:
            return math.inf
        return self.parameters.radius

    @property
    def distance(self) -> float:
        """Return the path length to the leader [m], inf for none; with feedback it is rescaled."""
        if self.leader == NO_LEADER:
            return math.inf
        if self.parameters.feedback_gain > 0.0 and self.parameters.radius > 0.0:
            return float(self.state.distance) * self.radius / self.parameters.radius
        return float(self.state.distance)

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
        found = self.summary[BORDERS] if self.parameters.connected else []
        return {int(record[0]): tuple(record[2:]) for record in found}

    # Input and rounds.

    def place(self, position: Position | None) -> None:
        """Set the robot's position [m]."""
        if self.zones is not None:
            self.zone = self.zones.at(position)

    def compute_strength(self, known: RobotKnowledge) -> None:
        """Update the strength from a computed source; other sources are left alone."""
        if self.source.compute is None or self.below is not None:
            return
        try:
            strength = self.source.compute(known, own_parameters(self.source, self.parameters))
            self.strength.update(float(strength))
        except Exception:  # A user's function may raise anything; the robot goes on.
            self.strength.rejected += 1

    def take_strength(self, message: Any, now: float) -> None:
        """Process a message of the strength source's topic, received at a time [s]."""
        try:
            number = self.source.extracted(
                message, own_parameters(self.source, self.parameters))
            self._received = (number, now)
            if self.source.compute is None:
                self.strength.update(number)
        except Exception:  # A user's function may raise anything; the robot goes on.
            self.strength.rejected += 1

    def received_since(self, time: float) -> float:
        """Return the last number on the topic of the strength source; nan: none since a time."""
        number, received = self._received
        return number if received >= time else math.nan

    def view_of(self, neighbours: Sequence[Neighbour], coordinates: bool = True) -> NeighbourView:
        """
        Return the neighbours that take part in this instance.

        :param coordinates: whether with their regions, where the election does not need them.
        """
        view = NeighbourView([], [], [], [], [], [])
        codec = self._region_codec
        if not coordinates and self._region_parameters.gain == 0.0:
            codec = None
        for near in neighbours:
            message, distance = near.message, near.distance
            algorithm, export, region_part = message.part(self.name)
            if export is None:
                continue
            if algorithm not in (None, self.algorithm.name):
                view.faults.append(ALGORITHM_DIFFERS)
                continue
            if self.zones is not None and (
                    self.zone is None or self.zones.at(message.position) != self.zone):
                continue
            view.messages.append(message)
            view.exports.append(
                self.algorithm.aged(export, near.missed) if near.missed else export)
            view.metric.append(distance)
            view.links.append(distance + LATE * (near.missed > 0))
            if codec is not None:
                region, fault = codec.unpack(
                    message.id, region_part, self._region_parameters.radius)
                if region.decision_version > 0:
                    # As with hops: messages missed since then count as rounds.
                    region = region._replace(decision_age=region.decision_age + near.missed)
                view.regions.append(region)
                if fault is not None:
                    view.faults.append(fault)
        return view

    def elect(self, view: NeighbourView) -> Any:
        """Return the election's state after a round, without changing the instance."""
        metric: Any = view.metric
        if self._region_codec is not None and self._region_parameters.gain > 0.0:
            metric = scaled([region.reach for region in view.regions], metric,
                            self._region_parameters).tolist()
        exports = view.exports
        if self.algorithm.leaders_follow_themselves and (late := contradicted(view)):
            exports = [export for j, export in enumerate(exports) if j not in late]
            metric = [distance for j, distance in enumerate(metric) if j not in late]
        inputs = self._device(), self.state, exports, metric
        if inputs != self._elected[0]:
            # Kept for the round that follows a message which is news.
            state = self.algorithm.compute(*inputs, self.round_parameters)
            self._elected = inputs, state._replace(distance=_rounded_up(state.distance))
        return self._elected[1]

    def round(self, view: NeighbourView, departed: NeighbourView,  # noqa: A003
              position: Position | None) -> None:
        """
        Run a round: elect, then coordinate, then act.

        :param view: the neighbours.
        :param departed: robots with a valid message that are no longer neighbours: out of range,
            or not measurable. Their shares of the summary are not yet anywhere else.
        :param position: the own position [m].
        """
        before, self.state, self.view = self.state, self.elect(view), view
        self.counts.update(view.faults)
        if self.region is None:
            return
        self._update_members(view)
        own = previous_state(
            before,
            self.region,
            role=self.effective_role,
            contribution=self._contribution(position),
            own_announcement=self._own_announcement(position),
        )
        self._results = None
        after = coordinate(
            self._device(),
            self.state.leader,
            self.state.distance,
            own,
            neighbour_columns(view, departed),
            view.links + departed.links,
            self._region_parameters,
            self._decide,
        )
        self.region = plain(after)
        self.decision = json.loads(after.decision) if after.decision else []
        for k, runner in enumerate(self.task_runners):
            if self.below is None:
                runner.act(self._decided(k))
            else:
                self.below.take_decision_from_above(runner.name, self._decided(k))
        self.counts[TASK_ERRORS] = sum(runner.errors for runner in self.task_runners)

    def region_part(self) -> RegionPart | None:
        """Return the region part of the message; ``None`` without regions."""
        if self.region is None or self._region_codec is None:
            return None
        return self._region_codec.pack(self.region, self._region_parameters.gain > 0.0)

    def part(self) -> InstancePart:
        """Return this instance's part of the message."""
        return InstancePart(self.algorithm.name, self.state, self.region_part())

    def take_decision_from_above(self, task: str, decision: Any) -> None:
        """Process the decision of the level above for a task."""
        for runner in self.task_runners:
            if runner.name == task:
                runner.task.member.above = decision

    # Inside.

    def _decided(self, k: int) -> Any:
        """Return the leader's decision for one of the tasks."""
        return self.decision[k] if k < len(self.decision) else None

    def _update_members(self, view: NeighbourView) -> None:
        """Update the state that tasks read: leader, distance, neighbours, zone, borders."""
        for runner in self.task_runners:
            member = runner.task.member
            member.leader, member.leads = self.leader, self.leads
            member.distance, member.radius = self.distance, self.radius
            member.neighbours = {
                message.id: message.position
                for message, export in zip(view.messages, view.exports)
                if export.leader == self.state.leader}
            member.zone = self._corners()
            member.borders = self.borders() if self.leads else {}

    def _corners(self) -> list[Position] | None:
        """Return the corners of the robot's zone [m], ``None`` where it is in none."""
        if self.zones is None or self.zone is None:
            return None
        return list(self.zones.polygons[self.zone].exterior.coords[:-1])

    def _device(self) -> Device:
        strength = self.strength.announced
        return Device(self.robot_id, strength if self.effective_role == CANDIDATE else BARRED)

    def _contribution(self, position: Position | None) -> tuple[float, ...]:
        """Return the row that this robot contributes in this round."""
        identity = self._aggregates.identity
        if self.effective_role == RELAY:
            return identity
        if self.below is not None and self.below.region is not None:
            # Announcements belong to one level; they are the last part of the layout.
            border = self._region_parameters.border
            common = self._aggregates.layout.start[border] if border >= 0 else len(identity)
            return self.below.region.summary[:common] + identity[common:]
        rows = [runner.sense(self.robot_id) for runner in self.task_runners]
        if self._outlined:
            places = extent()
            rows.append(tuple(places.contribution(self.robot_id, position)) if position
                        else places.identity)
        row = (1.0, *chain.from_iterable(rows))
        return row + identity[len(row):]

    def _own_announcement(self, position: Position | None) -> tuple[float, ...]:
        """Return the announcement to other regions' leaders, in case the robot leads."""
        if not self.parameters.connected or self.region is None:
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
            runner.decide(of_task(runner.name, self._results)) for runner in self.task_runners
        ]
        if all(decision is None for decision in decisions):
            return ''
        try:
            return decision_text(decisions)
        except ValueError:
            # Each decision fits into a message, but not all of them together.
            self.counts[DECISION_TOO_LONG] += 1
            return ''


def _rounded_up(distance: float) -> float:
    """
    Return a distance rounded up to whole steps, so that it grows at each hop, however short.

    >>> _rounded_up(1.00001), _rounded_up(0.1 + 0.2), _rounded_up(math.inf)
    (1.0001, 0.3, inf)
    """
    steps = distance * STEPS
    # A float has some sixteen digits; an error in the last one must not add a step.
    return math.ceil(steps - 1e-6) / STEPS if steps < 1e12 else distance
