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

"""A robot without ROS: the handling of received messages, its rounds, and their schedule."""

from collections import Counter
from collections.abc import Callable, Mapping
import math
from typing import Any

from leader_election.election.algorithms.bounded import Candidacy
from leader_election.election.algorithms.fields import change
from leader_election.election.messages import codec
from leader_election.election.messages.swarm_key import Authentication, Keys, NO_KEYS
from leader_election.election.messages.wire import RejectReason
from leader_election.election.part import PARTS
from leader_election.election.robot import neighbourhood
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
from leader_election.election.robot.parameters import ElectionParameters, InstanceParameters
from leader_election.election.robot.reception import DROPPED, HEARD, Reception, ROUNDS
from leader_election.election.robot.sensing import Sensing, SENSING_COUNTERS
from leader_election.election.robot.strength import RobotKnowledge

LEADER_CHANGES = 'leader_changes'
ODOMETRY_WITHOUT_TRANSFORM = 'odometry_without_transform'
UNMEASURED = 'neighbours_unmeasured'
NEWS = 0.5
"""A distance that has changed by less waits for the next round of the period [m]."""
GOLDEN = 0.6180339887498949
"""The golden ratio minus one, whose multiples modulo 1 spread evenly."""
REACTIVE_INTERVAL = 0.1
"""The least time from a round to one that a message causes [s]."""
REPEATS = (REACTIVE_INTERVAL, 2.0 * REACTIVE_INTERVAL)
"""
The delays of the rounds that follow a change of the leader one by one, so that a neighbour which
lost the message receives the change before the next period [s].
"""
COUNTERS = (HEARD, neighbourhood.OUT_OF_RANGE, DROPPED, ROUNDS, LEADER_CHANGES, *SENSING_COUNTERS,
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
        self.neighbours: list[neighbourhood.Neighbour] = []
        """The neighbours of the last round."""
        self._last_round = -math.inf
        self.name = ''
        """The robot's namespace, if it is not the usual one."""
        self.parameters = parameters
        self._others = dict(others)
        self.instances = make_instances(
            parameters, others, self.sensing.link_range, tools, first_number)
        """All instances by name; ``main`` is first, and each comes after the one below it."""
        self.main = self.instances[codec.MAIN]
        self._processing = [each for each in self.instances.values() if each.processing]
        used = {name for each in self.instances.values() for name in each.parts}
        parts = frozenset(entry.name for entry in PARTS
                          if entry.wire and (entry.name in used or not entry.part))
        self.counts.update(dict.fromkeys(codec.counters(parts), 0))
        self._codec = codec.codec_for(
            self.main.algorithm, frozenset(self.instances) - {codec.MAIN}, parts)
        self._neighbourhood = neighbourhood.Neighbourhood(
            parameters, self.mailbox, self.sensing, self.counts)
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
    def position(self) -> codec.Position | None:
        """Return the position [m] at the last odometry, round or message, ``None`` if unknown."""
        return self.sensing.position

    def leader_name(self, instance: Instance) -> str:
        """Return the namespace of an instance's leader, if it is not the usual one."""
        if instance.leader == self.parameters.robot_id:
            return self.name
        return neighbourhood.leader_name(instance.view, instance.leader)

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

    def _is_news(self, noted: codec.Message, message: codec.Message) -> bool:
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

    def round(self, now: float,  # noqa: A003
              neighbours: list[neighbourhood.Neighbour] | None = None) -> str:
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
        departed = [
            neighbourhood.Neighbour(entry.message, math.inf) for entry in self.mailbox.valid(now)
            if entry.message.id not in near and self._neighbourhood.missed(entry, now) == 0]
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

    def would_change(self, now: float) -> list[neighbourhood.Neighbour] | None:
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
        return neighbourhood.doubt(main.state, self.parameters.robot_id, [
            neighbourhood.Offer(message.export, distance, deviation)
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
        others = {name: codec.InstanceMessage(each.algorithm.name, each.state, each.sent())
                  for name, each in self.instances.items() if name != codec.MAIN}
        message = codec.Message(
            id=self.parameters.robot_id, frame=self.parameters.frame,
            position=self.sensing.position, export=self.main.state,
            parts={**self.sensing.sent(), **self.main.sent()},
            others=others, reading=self.sensing.reading, names=self._names())
        payload, message = codec.shortened(
            message, self._codec.encode, self.authentication.room, self.counts)
        for name, instance in self.instances.items():
            instance.was_sent(message.of_instance(name)[2])
        return payload


class RoundSchedule:
    """
    Runs a robot's rounds when they are due: each period, on news, after a change of leader.

    A message that would change something has a round at once, but at most one per
    :data:`REACTIVE_INTERVAL`, with schedule ``reactive``.
    """

    def __init__(self, robot: Robot, now: Callable[[], float],
                 run: Callable[[float, list[neighbourhood.Neighbour] | None], None],
                 timer: Callable[[float, Callable[[], None]], Any],
                 restart: Callable[[Any, float], None]) -> None:
        """
        Start the timers. The first round is due by the robot's phase.

        :param now: returns the time on the robot's clock [s].
        :param run: runs a round at a time. It calls :meth:`has_run`.
        :param timer: creates a timer of a period [s] on that clock. It has ``cancel()`` and
            ``is_canceled()``.
        :param restart: starts a timer anew with another period [s].
        """
        self._robot, self._now, self._run, self._restart = robot, now, run, restart
        self._last_check = self._last_beat = float('-inf')
        self._period = robot.parameters.round_period
        self._repeats: list[float] = []
        self._in_phase = False
        self._is_reactive = robot.parameters.schedule == 'reactive'
        self._heartbeat = timer(
            phase(robot.parameters.robot_id) * self._period, self._on_heartbeat)
        self._reaction = timer(REACTIVE_INTERVAL, lambda: self._react(self._now()))
        self._repeat = timer(REACTIVE_INTERVAL, self._on_repeat)
        for each in (self._reaction, self._repeat):
            each.cancel()

    def set_period(self, period: float) -> None:
        """Change the period of the rounds [s]."""
        self._period = period
        self._restart(self._heartbeat, period)

    def stop(self) -> None:
        """Stop the timers. No round follows."""
        for each in (self._heartbeat, self._reaction, self._repeat):
            each.cancel()

    def catch_up(self, now: float) -> None:
        """
        Run the round of the period if it is overdue.

        Messages that arrived before the timer are processed first. A round must not wait for them.
        """
        if self._in_phase and now - self._last_beat >= self._period:
            self._on_heartbeat()

    def take_news(self, now: float) -> None:
        """Run a round for a message that is news, or plan it, if the schedule is reactive."""
        if not self._is_reactive:
            return
        pause = REACTIVE_INTERVAL - (now - self._last_check)
        if pause <= 0.0:
            self._react(now)
        elif self._reaction.is_canceled():
            self._restart(self._reaction, pause)

    def has_run(self, now: float, changed: bool) -> None:
        """
        Note that a round has run, and plan the next one that repeats a change of the leader.

        :param changed: whether the leader has just changed, which restarts the repeats.
        """
        self._reaction.cancel()
        self._last_check = now
        if changed and self._is_reactive:
            self._repeats = list(REPEATS)
        if self._repeats and (changed or self._repeat.is_canceled()):
            self._restart(self._repeat, self._repeats.pop(0))

    def _on_heartbeat(self) -> None:
        now, period = self._now(), self._period
        if now - self._last_beat < 0.5 * period:
            # The timer of the first, shorter period fired late, since the node was not spun yet.
            return
        if not self._in_phase:
            self._in_phase = True
            self.set_period(period)
        self._last_beat = now
        self._run(now, None)

    def _on_repeat(self) -> None:
        self._repeat.cancel()
        self._run(self._now(), None)

    def _react(self, now: float) -> None:
        """Run a round if it would change something."""
        self._reaction.cancel()
        self._last_check = now
        pending = self._robot.would_change(now)
        if pending is not None:
            self._run(now, pending)


def phase(robot_id: int) -> float:
    """
    Return the phase of a robot's rounds within the period, as a fraction in [0, 1).

    The phases of consecutive ids, multiples of the golden ratio, are spread evenly.

    >>> [round(phase(robot), 2) for robot in (0, 1, 2, 3)]
    [0.0, 0.62, 0.24, 0.85]
    """
    return (robot_id * GOLDEN) % 1.0
