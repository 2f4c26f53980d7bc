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
An instance: one election of a robot, which may run several at once, each with its parts.

It holds the strength, the role, the view of the neighbours and the round. What follows from an
election is the matter of the parts (:mod:`leader_election.election.part`).
"""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
import math
from typing import Any

from leader_election.election.algorithms import Algorithm, ALGORITHMS, Device
from leader_election.election.algorithms.algorithm import BARRED, hop_limit
from leader_election.election.algorithms.chance import drawn
from leader_election.election.messages.codec import Message, NO_PARTS, Parts, Position
from leader_election.election.part import ElectionOutcome, overriding, Part
from leader_election.election.regions.region import CANDIDATE, RELAY, ROLES, WORKER
from leader_election.election.robot import reasons
from leader_election.election.robot.neighbourhood import (
    contradicted,
    Neighbour,
    NeighbourView,
    no_view,
)
from leader_election.election.robot.parameters import InstanceParameters, own_parameters
from leader_election.election.robot.strength import (
    NO_LIMITS,
    RobotKnowledge,
    Strength,
    STRENGTH_SOURCES,
    within_limits,
)

ALGORITHM_DIFFERS = 'rejected_other_algorithm'
STEPS = 1e4
"""Distances are sent in steps of a tenth of a millimetre, as positions are."""


class Instance:
    """
    One instance on one robot.

    :param name: ``main`` for the first.
    :param link_range: the greatest distance of a neighbour by the metric [m], infinite if unknown.
    :param counts: its counters, which the parts share.
    :param parts: its parts by their names, in the order in which they follow an election.
    :param below: the instance whose leaders are its candidates.
    :param counts_links: whether the metric counts links, so that distances are whole.
    """

    def __init__(self, name: str, robot_id: int, parameters: InstanceParameters,
                 link_range: float, counts: Counter[str], parts: Mapping[str, Part],
                 below: 'Instance | None', counts_links: bool) -> None:
        self.name = name
        self._counts_links = counts_links
        self.robot_id = robot_id
        self.algorithm = ALGORITHMS.get(parameters.algorithm)
        self.source = STRENGTH_SOURCES.get(parameters.strength_source)
        self.strength = Strength(parameters.strength, 0.0)
        if below is not None:
            # A candidate of the level above has the strength that made it a leader below.
            self.source, self.strength = below.source, below.strength
        self.received_strength, self._received_at = math.nan, -math.inf
        """The last number on the topic of the strength source, nan if none is fresh."""
        self.below = below
        self.counts = counts
        self.parts = dict(parts)
        every = self.parts.values()
        self._placing = overriding(every, 'place')
        self._excluding = overriding(every, 'takes_part')
        self._admitting = overriding(every, 'admits')
        self._reading = overriding(every, 'read')
        self._scaling = overriding(every, 'scaled')
        self._resizing = overriding(every, 'radius')
        self.processing = overriding(every, 'process')
        self.view = no_view()
        """The neighbours of the last round."""
        self.watch = reasons.LeaderWatch()
        """Why the robot has its leader."""
        self._role = ROLES.index(parameters.role)
        self._rounds = 0
        self.configure(parameters, link_range)
        self.state: Any = self.algorithm.start(self._device())
        self._before = self.state

    def check(self, parameters: InstanceParameters) -> None:
        """
        Check changed parameters against the present state.

        :raises ParameterError: for a change that is refused now.
        """
        for part in self.parts.values():
            part.check(parameters)

    def configure(self, parameters: InstanceParameters, link_range: float) -> None:
        """Apply changed parameters and the current range of a link [m]."""
        self.parameters = parameters
        settings = {**vars(parameters), **vars(own_parameters(self.algorithm, parameters))}
        for part in self.parts.values():
            settings = part.settings(settings)
        settings = with_hop_limit(settings, self.algorithm, link_range, self._counts_links)
        self.hop_limit: int = settings['hop_limit']
        self.round_parameters = self.algorithm.round_parameters(settings)
        self._elected: tuple[Any, Any] = (None, None)
        """The inputs of the last election with these parameters, and the state elected."""
        if self.below is None:
            asked = parameters.strength_hysteresis
            self.strength.hysteresis = self.source.hysteresis if asked < 0.0 else asked
            self.strength.limit(parameters.limits)
            if not (self.strength.received and within_limits(
                    self.strength.announced, parameters.limits)):
                self.strength.withdraw(parameters.strength)
        own = self._own_radius()
        for part in self.parts.values():
            part.configure(parameters, own, link_range)
            own = part.radius(own)

    # The current state.

    @property
    def leads(self) -> bool:
        """Return whether the robot is a leader. One that only lacks a leader is none."""
        return (self.state.leader == self.robot_id and math.isfinite(self.state.distance)
                and self.effective_role == CANDIDATE)

    @property
    def leader(self) -> int:
        """Return the leader's id; ``NO_LEADER`` where it has none, or none that is known."""
        found = int(self.state.leader)
        if self.leads or (found != self.robot_id and math.isfinite(self.state.distance)):
            return found
        return reasons.NO_LEADER

    @property
    def effective_role(self) -> int:
        """Return the role in effect now: ``CANDIDATE``, ``WORKER`` or ``RELAY``."""
        if not all(part.takes_part() for part in self._excluding):
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
        """Return whether the topic of the strength source is silent."""
        return self.source.topic != '' and not self.strength.received

    @property
    def radius(self) -> float:
        """Return the radius of the region [m], infinite if the algorithm has none."""
        radius = self._own_radius()
        for part in self._resizing:
            radius = part.radius(radius)
        return radius

    def _own_radius(self) -> float:
        takes = 'radius' in self.algorithm.takes
        return self.parameters.radius if takes else math.inf

    @property
    def distance(self) -> float:
        """Return the path length to the leader [m], inf for none. With feedback it is rescaled."""
        if self.leader == reasons.NO_LEADER:
            return math.inf
        distance, own = float(self.state.distance), self.parameters.radius
        if own > 0.0 and any(part.scales for part in self._scaling):
            return distance * self.radius / own
        return distance

    # Input and rounds.

    def place(self, position: Position | None) -> None:
        """Set the robot's position [m]."""
        for part in self._placing:
            part.place(position)

    def compute_strength(self, known: RobotKnowledge) -> None:
        """Update the strength from a computed source. Other sources are left alone."""
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
            if self.source.compute is None:
                self.strength.update(number)
                if self.strength.admitted(number) is None:
                    # It must not prolong the number before it.
                    return
            self.received_strength, self._received_at = number, now
        except Exception:  # A user's function may raise anything; the robot goes on.
            self.strength.rejected += 1

    def expire_strength(self, before: float) -> None:
        """
        Forget the last number on the topic of the strength source, if it is older than a time [s].

        The source then gives what it gave before its first number.
        """
        if self._received_at >= before or self.below is not None:
            return
        self.received_strength, self._received_at = math.nan, -math.inf
        if self.source.topic and self.source.compute is None:
            self.strength.withdraw(self.parameters.strength)

    def view_of(self, neighbours: Sequence[Neighbour], whole: bool = True) -> NeighbourView:
        """
        Return the neighbours that take part in this instance.

        :param whole: whether with all that parts read, otherwise with what the election needs.
        """
        view = no_view()
        read = [(part, view.read.setdefault(part.name, [])) for part in self._reading
                if whole or part.scales]
        for near in neighbours:
            message, distance = near.message, near.distance
            algorithm, export, parts = message.of_instance(self.name)
            if export is None:
                continue
            if algorithm not in (None, self.algorithm.name):
                view.faults.append(ALGORITHM_DIFFERS)
                continue
            if self._admitting and not all(part.admits(message) for part in self._admitting):
                continue
            view.messages.append(message)
            view.exports.append(self.algorithm.aged(export, near.missed))
            view.metric.append(distance)
            view.missed.append(near.missed)
            for part, column in read:
                value, fault = part.read(message.id, export, parts.get(part.name), near.missed)
                column.append(value)
                if fault is not None:
                    view.faults.append(fault)
        return view

    def elect(self, view: NeighbourView) -> Any:
        """Return the election's state after a round, without changing the instance."""
        metric, exports, out = self._metric(view), view.exports, self._contradicted(view)
        if out:
            exports = [export for j, export in enumerate(exports) if j not in out]
            metric = [distance for j, distance in enumerate(metric) if j not in out]
        inputs = self._device(), self.state, exports, metric
        if inputs != self._elected[0]:
            # Kept for the round that follows a message which is news.
            state = self.algorithm.compute(*inputs, self.round_parameters)
            self._elected = inputs, state._replace(distance=_rounded_up(state.distance))
        return self._elected[1]

    def _metric(self, view: NeighbourView) -> Any:
        for part in self._scaling:
            if part.scales:
                return part.scaled(view)
        return view.metric

    def _contradicted(self, view: NeighbourView) -> list[int]:
        return contradicted(view) if self.algorithm.leaders_follow_themselves else []

    def candidacies(self) -> list[reasons.ReceivedCandidacy]:
        """Return the candidacies received in the last round, each with what decided about it."""
        return reasons.candidacies(self._inputs())

    def _inputs(self) -> reasons.Inputs:
        view = self.view
        return reasons.Inputs(
            self.robot_id, self._before, self.state, [each.id for each in view.messages],
            view.exports, self._metric(view), self._contradicted(view), self.round_parameters)

    def admits(self, message: Message) -> bool:
        """Return whether the strengths in a message are within the limits of this instance."""
        if self.strength.limits == NO_LIMITS:
            return True
        algorithm, export, _ = message.of_instance(self.name)
        if export is None or algorithm not in (None, self.algorithm.name):
            return True
        return all(within_limits(strength, self.strength.limits)
                   for strength in self.algorithm.strengths(export))

    def process(self, message: Message, now: float) -> bool:
        """
        Process the parts of a received message.

        :param now: the time [s].
        :return: whether one of them asks for a round.
        """
        _, export, parts = message.of_instance(self.name)
        if export is None:
            return False
        # All parts receive the message, also after one of them has asked for a round.
        asked = [part.process(message.id, export, parts[part.name], now)
                 for part in self.processing if part.name in parts]
        return any(asked)

    @property
    def is_news(self) -> bool:
        """Return whether a message received since the last round asks for one."""
        return any(part.is_news for part in self.processing)

    def round(self, view: NeighbourView, departed: NeighbourView,  # noqa: A003
              position: Position | None, now: float, expiry: float, period: float,
              heard: Container[int] = ()) -> None:
        """
        Run a round: elect, then let the parts act.

        :param view: the neighbours.
        :param departed: robots that are no longer neighbours (:class:`.ElectionOutcome`).
        :param position: the own position [m].
        :param now: the time [s].
        :param expiry: of messages [s].
        :param period: of rounds [s].
        :param heard: the robots whose last message has not expired.
        """
        before, self.state = self.state, self.elect(view)
        self.view, self._before = view, before
        self.counts.update(view.faults)
        device = self._device()
        self._rounds += 1
        self.watch.update(self.leader, self._inputs(), heard, expiry)
        if self.parts:
            hops = max(getattr(self.state, 'hops', self.hop_limit), 1)
            role = self.effective_role
            elected = ElectionOutcome(
                device, role, role == RELAY, self.leads, self.leader, self.distance,
                self.radius, before, self.state, view, departed, position, now,
                expiry + 2.0 * period * hops, period)
            for part in self.parts.values():
                part.round(elected)

    def sent(self) -> Parts:
        """Return the parts of the message, by their names."""
        found = {name: part.sent() for name, part in self.parts.items()}
        return {name: sent for name, sent in found.items() if sent is not None} or NO_PARTS

    def was_sent(self, parts: Parts) -> None:
        """Tell the parts what of them the message had room for."""
        for name, part in self.parts.items():
            part.was_sent(parts.get(name))

    def _device(self) -> Device:
        return Device(
            self.robot_id,
            self.strength.announced if self.effective_role == CANDIDATE else BARRED,
            drawn(0, self.robot_id, self._rounds) if self.algorithm.reads_chance else 0.0)


def _rounded_up(distance: float) -> float:
    """
    Return a distance rounded up to whole steps, so that it grows at each hop, however short.

    >>> _rounded_up(1.00001), _rounded_up(0.1 + 0.2), _rounded_up(math.inf)
    (1.0001, 0.3, inf)
    >>> _rounded_up(1e8 + 5e-5) == 1e8 + 5e-5
    True
    """
    steps = distance * STEPS
    # A float has some sixteen digits. An error in the last one must not add a step.
    return math.ceil(steps - 1e-6) / STEPS if steps < 1e12 else distance


def with_hop_limit(settings: dict[str, Any], algorithm: Algorithm, link_range: float,
                   counts_links: bool) -> dict[str, Any]:
    """
    Return the settings of an election's round with the hop limit that follows from them.

    :param settings: by name.
    :param link_range: the greatest distance of a neighbour by the metric [m], infinite if unknown.
    :param counts_links: whether the metric counts links, so that distances are whole.
    """
    radius, hysteresis = settings['radius'], settings['radius_hysteresis']
    if counts_links and radius > 0.0:
        # Links are whole: with a fraction of radius 1 no robot could join another.
        hysteresis = max(1.0 - math.ceil(radius * (1.0 - hysteresis)) / radius, 0.0)
    largest = settings.get('largest_radius', radius)
    return settings | {'radius_hysteresis': hysteresis, 'hop_limit': hop_limit(
        settings['hop_limit'], largest if 'radius' in algorithm.takes else math.inf, link_range)}
