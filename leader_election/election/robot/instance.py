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
An instance: one election of a robot, which may run several at once, each with its regions.

Its strength, role and zone, its view of the neighbours, and its round. What follows from the
leader is the matter of :mod:`leader_election.election.robot.membership`.
"""

from collections import Counter
from collections.abc import Sequence
import math
from typing import Any

from leader_election.election.algorithms import Algorithm, ALGORITHMS, Device
from leader_election.election.algorithms.algorithm import BARRED, hop_limit
from leader_election.election.mandates.mandates import Follows, Mandates
from leader_election.election.mandates.part import Heard, MandatePart
from leader_election.election.messages.codec import InstancePart, Message, Position
from leader_election.election.messages.region_codec import TASKS_DIFFER, WRONG_SUMMARY
from leader_election.election.regions.collection import LATE
from leader_election.election.regions.region import CANDIDATE, RELAY, ROLES, WORKER
from leader_election.election.robot.membership import (
    DECISION_TOO_LONG,
    Elected,
    Membership,
    TASK_ERRORS,
)
from leader_election.election.robot.neighbourhood import (
    contradicted,
    Neighbour,
    NeighbourView,
    no_view,
)
from leader_election.election.robot.parameters import InstanceParameters, own_parameters
from leader_election.election.robot.strength import RobotKnowledge, Strength, STRENGTH_SOURCES
from leader_election.election.robot.task_runner import TaskRunner
from leader_election.election.robot.zones import Zones

ALGORITHM_DIFFERS = 'rejected_other_algorithm'
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
        self.below = below
        self.counts: Counter[str] = Counter(dict.fromkeys(
            (TASK_ERRORS, TASKS_DIFFER, WRONG_SUMMARY, ALGORITHM_DIFFERS, DECISION_TOO_LONG), 0))
        self.membership: Membership = Membership(
            robot_id, parameters, task_runners, self.counts,
            None if below is None else below.membership)
        self.view = no_view()
        """The neighbours of the last round."""
        settings = parameters.mandate_settings
        self.mandates = None if settings is None else Mandates(robot_id, settings)
        """``None``: its leaders have no mandates."""
        self._role = ROLES.index(parameters.role)
        self.configure(parameters, link_range)
        self.state: Any = self.algorithm.start(self._device())

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
        self.membership.configure(
            parameters, parameters.radius if takes else math.inf, link_range)

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
        return max(self._role, WORKER) if self.strength.announced == BARRED else self._role

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
        region = self.membership.region
        if region is not None and region.reach > 0.0:
            return float(region.reach)
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

    def expire_strength(self, before: float) -> None:
        """
        Forget the last number on the topic of the strength source, if it is older than a time [s].

        The source then gives what it gave before its first number.
        """
        if self._received[1] >= before or self.below is not None:
            return
        self._received = (math.nan, -math.inf)
        if self.source.topic and self.source.compute is None:
            self.strength.withdraw(self.parameters.strength)

    @property
    def received_strength(self) -> float:
        """Return the last number on the topic of the strength source; nan: none is fresh."""
        return self._received[0]

    def view_of(self, neighbours: Sequence[Neighbour], coordinates: bool = True) -> NeighbourView:
        """
        Return the neighbours that take part in this instance.

        :param coordinates: whether with their regions, where the election does not need them.
        """
        view = no_view()
        reads_regions = self.membership.region is not None and (
            coordinates or self.membership.gain > 0.0)
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
            if reads_regions:
                region, fault = self.membership.unpack(message.id, region_part, near.missed)
                view.regions.append(region)
                if fault is not None:
                    view.faults.append(fault)
        return view

    def elect(self, view: NeighbourView) -> Any:
        """Return the election's state after a round, without changing the instance."""
        metric: Any = view.metric
        if self.membership.gain > 0.0:
            metric = self.membership.scaled(view)
        exports = view.exports
        out = contradicted(view) if self.algorithm.leaders_follow_themselves else []
        if out:
            exports = [export for j, export in enumerate(exports) if j not in out]
            metric = [distance for j, distance in enumerate(metric) if j not in out]
        inputs = self._device(), self.state, exports, metric
        if inputs != self._elected[0]:
            # Kept for the round that follows a message which is news.
            state = self.algorithm.compute(*inputs, self.round_parameters)
            self._elected = inputs, state._replace(distance=_rounded_up(state.distance))
        return self._elected[1]

    def hear(self, message: Message, time: float) -> bool:
        """
        Process the part of a received message about mandates.

        :param time: the steady clock [s].
        :return: whether it asks for a round.
        """
        heard = self._heard(message)
        return self.mandates is not None and heard is not None and self.mandates.hear(heard, time)

    def _heard(self, message: Message) -> Heard | None:
        part, (_, export, _) = message.mandate_of(self.name), message.part(self.name)
        if part is None or export is None:
            return None
        return Heard(message.id, export.leader, export.distance, part)

    def round(self, view: NeighbourView, departed: NeighbourView,  # noqa: A003
              position: Position | None, now: float = 0.0, expiry: float = math.inf,
              period: float = 0.0) -> None:
        """
        Run a round: elect, renew mandates, then coordinate, then act.

        :param view: the neighbours.
        :param departed: robots with a valid message that are no longer neighbours: out of range,
            or not measurable. Their shares of the summary are not yet anywhere else.
        :param position: the own position [m].
        :param now: the time, of which mandates and the age of decisions are measured [s].
        :param expiry: of messages [s].
        :param period: of rounds [s].
        """
        before, self.state, self.view = self.state, self.elect(view), view
        self.counts.update(view.faults)
        mandates = self.mandates
        if mandates is not None:
            mandates.round(
                Follows(self.leader, float(self.state.distance), self.leads,
                        self.effective_role != RELAY),
                filter(None, map(self._heard, view.messages)), now)
        if self.membership.region is not None:
            self.membership.round(Elected(
                self._device(), self.effective_role, before, self.state, self.leader, self.leads,
                self.distance, self.radius, self._corners(), now, mandates,
                expiry + 2.0 * period * max(getattr(self.state, 'hops', self.hop_limit), 1)),
                view, departed, position)

    def part(self) -> InstancePart:
        """Return this instance's part of the message."""
        return InstancePart(self.algorithm.name, self.state, self.membership.part(),
                            self.mandate_part)

    @property
    def mandate_part(self) -> MandatePart | None:
        """Return the part of the message about mandates; ``None`` without them."""
        return None if self.mandates is None else self.mandates.part

    def _corners(self) -> list[Position] | None:
        """Return the corners of the robot's zone [m], ``None`` where it is in none."""
        if self.zones is None or self.zone is None:
            return None
        return list(self.zones.polygons[self.zone].exterior.coords[:-1])

    def _device(self) -> Device:
        return Device(self.robot_id, self.strength.announced
                      if self.effective_role == CANDIDATE else BARRED)


def _rounded_up(distance: float) -> float:
    """
    Return a distance rounded up to whole steps, so that it grows at each hop, however short.

    >>> _rounded_up(1.00001), _rounded_up(0.1 + 0.2), _rounded_up(math.inf)
    (1.0001, 0.3, inf)
    """
    steps = distance * STEPS
    # A float has some sixteen digits; an error in the last one must not add a step.
    return math.ceil(steps - 1e-6) / STEPS if steps < 1e12 else distance


def election_settings(algorithm: Algorithm, parameters: InstanceParameters, link_range: float, *,
                      zone_radius: float | None = None,
                      counts_links: bool = False) -> dict[str, Any]:
    """
    Return the settings of the election's round, by name.

    :param link_range: the greatest distance of a neighbour by the metric [m]; infinite: not known.
    :param zone_radius: the radius that covers each zone [m]; ``None``: there are no zones.
    :param counts_links: whether the metric counts links, so that distances are whole.
    """
    settings = {**vars(parameters), **vars(own_parameters(algorithm, parameters))}
    if zone_radius is not None:
        # Zones bound the regions; a radius is needed to drop candidacies of failed leaders.
        settings |= {'radius': zone_radius, 'radius_hysteresis': 0.0}
    radius = settings['radius']
    if counts_links and radius > 0.0:
        # Links are whole: with a fraction of radius 1 no robot could join another.
        joining = math.ceil(radius * (1.0 - settings['radius_hysteresis']))
        settings['radius_hysteresis'] = max(1.0 - joining / radius, 0.0)
    largest = radius * (parameters.feedback_most if parameters.feedback_gain > 0.0 else 1.0)
    settings['hop_limit'] = hop_limit(
        parameters.hop_limit, largest if 'radius' in algorithm.takes else math.inf, link_range)
    return settings
