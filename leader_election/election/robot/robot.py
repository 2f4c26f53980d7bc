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

"""A robot without ROS: the handling of received messages, and its rounds."""

from collections import Counter
from collections.abc import Mapping
import math
from typing import Any

from leader_election.election.algorithms.bounded import Candidacy
from leader_election.election.algorithms.fields import change
from leader_election.election.messages.codec import codec_for, MAIN, Message, Position
from leader_election.election.messages.shortening import counters, shortened
from leader_election.election.messages.swarm_key import Authentication, Keys, NO_KEYS
from leader_election.election.messages.wire import RejectReason
from leader_election.election.part import PARTS
from leader_election.election.robot.instance import Instance
from leader_election.election.robot.instances import (
    instance_parameters,
    make_instances,
    NO_OTHERS,
    NO_TOOLS,
    Tool,
    without_excess,
)
from leader_election.election.robot.mailbox import Mailbox
from leader_election.election.robot.neighbourhood import (
    doubt,
    leader_name,
    Neighbour,
    Neighbourhood,
    Offer,
    OUT_OF_RANGE,
)
from leader_election.election.robot.parameters import ElectionParameters, InstanceParameters
from leader_election.election.robot.reception import DROPPED, HEARD, Reception, ROUNDS
from leader_election.election.robot.sensing import Sensing, SENSING_COUNTERS
from leader_election.election.robot.strength import RobotKnowledge, Strength

LEADER_CHANGES = 'leader_changes'
ODOMETRY_WITHOUT_TRANSFORM = 'odometry_without_transform'
UNMEASURED = 'neighbours_unmeasured'
NEWS = 0.5
"""A distance that has changed by less waits for the next round of the period [m]."""
COUNTERS = (HEARD, OUT_OF_RANGE, DROPPED, ROUNDS, LEADER_CHANGES, *SENSING_COUNTERS,
            ODOMETRY_WITHOUT_TRANSFORM,
            UNMEASURED,
            *(reason.value for reason in RejectReason))
"""The names of a robot's counters. Those of its pose source are added."""


class Robot:
    """
    One robot of the swarm: its state, and the three steps of its round (ACSOS 2022, II-B).

    Times are seconds on the caller's clock, which never goes back
    (:class:`~leader_election.election.robot.mailbox.ObservationClock`). Nothing here waits or
    reads a clock.
    """

    def __init__(self, parameters: ElectionParameters,
                 others: Mapping[str, InstanceParameters] = NO_OTHERS,
                 tools: Mapping[str, Tool] = NO_TOOLS,
                 keys: Keys = NO_KEYS, start: int = 0,
                 first_number: int = 0) -> None:
        """
        Make a robot that has received no message yet.

        :param others: the parameters of further instances, by their names.
        :param tools: what the node provides for a part, by its name: makes the tool of an
            instance.
        :param keys: the swarm's keys, of which the first signs, none if it has no key.
        :param start: the swarm time at time 0 [ms]: signed messages count from it.
        :param first_number: of beats and decisions, above all before a restart: the wall clock.
        :raises ParameterError: if instances do not fit together, or a task is unknown.
        """
        self.counts: Counter[str] = Counter(dict.fromkeys(COUNTERS, 0))
        self.mailbox = Mailbox(parameters.message_expiry, parameters.neighbour_limit)
        self.sensing = Sensing(parameters, self.mailbox, self.counts)
        self.authentication = Authentication(keys, start)
        self.authentication.accept_unverified = parameters.accept_unverified
        self.authentication.length = parameters.message_length
        self.neighbours: list[Neighbour] = []
        """The neighbours of the last round."""
        self._last_round = -math.inf
        self.name = ''
        """The robot's namespace, if it is not the usual one."""
        self.parameters = parameters
        self._others = dict(others)
        self.instances = make_instances(
            parameters, others, self.sensing.link_range, tools, first_number)
        """All instances by name; ``main`` is first, and each comes after the one below it."""
        self.main = self.instances[MAIN]
        self._processing = [each for each in self.instances.values() if each.processing]
        used = {name for each in self.instances.values() for name in each.parts}
        parts = frozenset(entry.name for entry in PARTS
                          if entry.wire and (entry.name in used or not entry.part))
        self.counts.update(dict.fromkeys(counters(parts), 0))
        self._codec = codec_for(
            self.main.algorithm, frozenset(self.instances) - {MAIN}, parts)
        self._neighbourhood = Neighbourhood(parameters, self.mailbox, self.sensing, self.counts)
        self.reception = Reception(parameters, self._codec, self.authentication, self.instances,
                                   self._neighbourhood.knows, self.counts)

    def check(self, parameters: ElectionParameters,
              others: Mapping[str, InstanceParameters] = NO_OTHERS) -> None:
        """
        Check changed parameters, also of further instances, against the present state.

        :raises ParameterError: for a change that is refused now.
        """
        for name, of_it in instance_parameters(parameters, {**self._others, **others}).items():
            self.instances[name].check(of_it)

    def configure(self, parameters: ElectionParameters) -> None:
        """
        Apply changed parameters.

        :raises ParameterError: as :meth:`check`.
        """
        self.check(parameters)
        self.parameters = parameters
        self.reception.parameters = self._neighbourhood.parameters = parameters
        self.sensing.configure(parameters)
        self.mailbox.expiry = parameters.message_expiry
        self.authentication.accept_unverified = parameters.accept_unverified
        self._configure_instances()

    def configure_instance(self, name: str, parameters: InstanceParameters) -> None:
        """Apply changed parameters of one of the further instances."""
        self._others[name] = parameters
        self._configure_instances()

    def _configure_instances(self) -> None:
        for name, of_it in instance_parameters(self.parameters, self._others).items():
            self.instances[name].configure(of_it, self.sensing.link_range)
        for entry in list(self.mailbox.entries()):
            if without_excess(entry.message, self.instances) is not entry.message:
                self.mailbox.forget(entry.message.id)

    @property
    def state(self) -> Any:
        """Return the state of the first instance's election."""
        return self.main.state

    @property
    def strength(self) -> Strength:
        """Return the strength of the robot in the first instance."""
        return self.main.strength

    @property
    def leads(self) -> bool:
        """Return whether the robot leads in its first instance."""
        return self.main.leads

    @property
    def position(self) -> Position | None:
        """Return the position [m] at the last odometry, round or message, ``None`` if unknown."""
        return self.sensing.position

    def leader_name(self, instance: Instance) -> str:
        """Return the namespace of an instance's leader, if it is not the usual one."""
        if instance.leader == self.parameters.robot_id:
            return self.name
        return leader_name(instance.view, instance.leader)

    def _names(self) -> dict[int, str]:
        """Return the namespaces to send."""
        names = {instance.leader: self.leader_name(instance)
                 for instance in self.instances.values()}
        names[self.parameters.robot_id] = self.name
        return {robot: name for robot, name in names.items() if name}

    def receive(self, payload: str, now: float) -> bool:
        """
        Process a received message.

        An invalid message is counted, by reason, and has no other effect.

        :param payload: the message as JSON.
        :param now: the time [s].
        :return: whether it may cause a round: it is valid, and its elections' part or its
            sender's position is new.
        """
        message = self.reception.accept(payload, now, self.sensing.positions_matter)
        if message is None:
            return False
        news = self._neighbourhood.admit(message, now, self._is_news)
        entry = self.mailbox.entry(message.id) if self._processing else None
        if entry is not None and entry.message is message:
            for instance in self._processing:
                news = instance.process(message, now) or news
        return news

    def _is_news(self, noted: Message, message: Message) -> bool:
        """
        Return whether a further message of a sender may cause a round.

        A distance is news once it differs by the tolerance from the last one that was news.
        """
        if (message.position is None) != (noted.position is None) or (
                noted.others.keys() != message.others.keys()):
            return True
        most = change(self.main.algorithm.fields, noted.export, message.export)
        for name, part in message.others.items():
            earlier, algorithm = noted.others[name], self.instances[name].algorithm
            if algorithm.name == part.algorithm == earlier.algorithm:
                most = max(most, change(algorithm.fields, earlier.export, part.export))
        return most >= NEWS

    # Rounds.

    def round(self, now: float, neighbours: list[Neighbour] | None = None) -> str:  # noqa: A003
        """
        Run a round: context, computation, and return the message to broadcast.

        :param neighbours: what :meth:`would_change` has just returned for the same time.
        """
        moved = self.sensing.begin_round(now)
        before, place = self.main.state, self.sensing.position
        self.neighbours = (self._neighbourhood.at(now) if moved or neighbours is None
                           else neighbours)
        self._last_round = now
        near = {neighbour.message.id for neighbour in self.neighbours}
        heard = self._neighbourhood.heard(now)
        # A late robot has sent messages since that were lost here, but may have reached others.
        departed = [Neighbour(entry.message, math.inf) for entry in self.mailbox.valid(now)
                    if entry.message.id not in near
                    and self._neighbourhood.missed(entry, now) == 0]
        for instance in self.instances.values():
            instance.expire_strength(now - self.parameters.input_expiry)
            if instance.source.compute is not None:
                instance.compute_strength(self._knowledge(instance, now))
            instance.place(place)
            instance.round(
                instance.view_of(self.neighbours), instance.view_of(departed), place,
                now, self.parameters.message_expiry,
                self.parameters.round_period, heard)
        self.counts[ROUNDS] += 1
        self.counts[UNMEASURED] += self._neighbourhood.unmeasured
        self.counts[LEADER_CHANGES] += self.main.state.leader != before.leader
        payload = self.authentication.sign(
            self._payload(), self.parameters.robot_id, now)
        self.reception.sent(payload)
        return payload

    def would_change(self, now: float) -> list[Neighbour] | None:
        """
        Return the neighbours whose round would change an election, ``None`` if none would.

        This costs an election, without the parts. The round that follows reuses the distances and,
        if the neighbours are the same, the election. Messages missed since the last round are no
        news: they count in the next periodic round.
        """
        self.sensing.locate(now)
        found = self._neighbourhood.at(now)
        neighbours = [
            near if near.missed == 0 else near._replace(missed=min(
                near.missed, self._missed_by_then(near.message.id)))
            for near in found]
        for instance in self.instances.values():
            instance.place(self.position)
            after = instance.elect(instance.view_of(neighbours, whole=False))
            if instance.is_news or change(
                    instance.algorithm.fields, instance.state, after) >= NEWS:
                return found
        return None

    def doubt(self, now: float) -> float:
        """
        Return the probability that the errors of distances give it a wrong leader.

        NaN where it is not estimated: without the neighbourhood filter, for other algorithms than
        ``bounded``, and for other metrics than distances.
        """
        main, sensing = self.main, self.sensing
        if not (sensing.source.cooperates and sensing.metric.is_length
                and isinstance(main.state, Candidacy)):
            return math.nan
        return doubt(main.state, self.parameters.robot_id, [
            Offer(message.export, distance, deviation)
            for message, distance, deviation in sensing.localised(now)
            if message.export is not None], sensing.link_range, main.round_parameters)

    def close(self) -> None:
        """End all parts."""
        for instance in self.instances.values():
            for part in instance.parts.values():
                part.close()

    def _missed_by_then(self, sender: int) -> int:
        """Return the number of messages of a neighbour that were due at the last round."""
        entry = self.mailbox.entry(sender)
        return 0 if entry is None else self._neighbourhood.missed(entry, self._last_round)

    def _knowledge(self, instance: Instance, now: float) -> RobotKnowledge:
        """Return the input of a strength source that the robot computes."""
        x, y = self.position or (math.nan, math.nan)
        reading, metric = self.sensing.reading, self.sensing.metric
        return RobotKnowledge(
            id=self.parameters.robot_id, neighbours=len(self.neighbours),
            nearest=min((near.distance for near in self.neighbours), default=math.inf),
            x=x, y=y, time=now, leader=instance.state.leader,
            distance=float(instance.state.distance),
            reading=reading[0] if reading and metric.topic else math.nan,
            speed=math.hypot(*self.sensing.velocity) if self.position else math.nan,
            received=instance.received_strength)

    def _payload(self) -> str:
        """Return the message to broadcast, shortened where it exceeds the wire's limit."""
        others = {name: instance.message() for name, instance in self.instances.items()
                  if name != MAIN}
        message = Message(
            id=self.parameters.robot_id, frame=self.parameters.frame,
            position=self.sensing.position, export=self.main.state,
            parts={**self.sensing.sent(), **self.main.sent()},
            others=others, reading=self.sensing.reading, names=self._names())
        payload, message = shortened(
            message, self._codec.encode, self.authentication.room, self.counts)
        for name, instance in self.instances.items():
            instance.was_sent(message.of_instance(name)[2])
        return payload
