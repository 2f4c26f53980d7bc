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

from collections import Counter, deque
from collections.abc import Callable, Mapping
import math
from typing import Any

from leader_election.election.algorithms.bounded import Candidacy
from leader_election.election.algorithms.fields import change
from leader_election.election.robot import shortening
from leader_election.election.robot.codec import (
    codec_for,
    MAIN,
    Message,
    Position,
    sender_at_start,
)
from leader_election.election.robot.hearing_budget import HearingBudget
from leader_election.election.robot.instance import Instance
from leader_election.election.robot.instances import (
    instance_parameters,
    make_instances,
    NO_OTHERS,
    no_task_runner,
)
from leader_election.election.robot.mailbox import (
    Acquaintances,
    Mailbox,
    PLACE_TOLERANCE,
    ReceivedMessage,
    reserve_left,
    velocity_after,
)
from leader_election.election.robot.neighbourhood import doubt, leader_name, Neighbour, Offer
from leader_election.election.robot.parameters import ElectionParameters, InstanceParameters
from leader_election.election.robot.sensing import (
    NO_LANDMARKS,
    Sensing,
    SENSING_COUNTERS,
)
from leader_election.election.robot.strength import RobotKnowledge, Strength
from leader_election.election.robot.swarm_key import Authentication, Keys, NO_KEYS
from leader_election.election.robot.task_runner import TaskRunner
from leader_election.election.robot.wire import RejectReason
from leader_election.localisation.localisation import COUNTERS as LOCALISATION_COUNTERS

HEARD = 'messages_heard'
OUT_OF_RANGE = 'messages_out_of_range'
DROPPED = 'messages_dropped'
ROUNDS = 'rounds'
LEADER_CHANGES = 'leader_changes'
ODOMETRY_WITHOUT_TRANSFORM = 'odometry_without_transform'
UNMEASURED = 'neighbours_unmeasured'
COUNTERS = (HEARD, OUT_OF_RANGE, DROPPED, ROUNDS, LEADER_CHANGES, *SENSING_COUNTERS,
            ODOMETRY_WITHOUT_TRANSFORM,
            UNMEASURED, *LOCALISATION_COUNTERS, *shortening.COUNTERS,
            *(reason.value for reason in RejectReason))
"""The names of a robot's counters."""
LATE_AFTER = 1.25
"""The silence after which a neighbour has lost a message or left [periods]."""
ECHOES_REMEMBERED = 256
"""The own messages remembered to recognise their echoes: some seconds' worth in a busy swarm."""
GOLDEN = 0.6180339887498949
"""The golden ratio minus one, whose multiples modulo 1 spread evenly."""


class Robot:
    """
    One robot of the swarm: its state, and the three steps of its round (ACSOS 2022, II-B).

    Times are seconds on the caller's clock, which never goes back
    (:mod:`leader_election.election.robot.mailbox`); nothing here waits or reads a clock.
    """

    def __init__(self, parameters: ElectionParameters,
                 others: Mapping[str, InstanceParameters] = NO_OTHERS,
                 task_runners: Callable[[str, str], TaskRunner] = no_task_runner,
                 keys: Keys = NO_KEYS, start: int = 0,
                 landmarks: Mapping[int, Position] = NO_LANDMARKS) -> None:
        """
        Make a robot that has received no message yet.

        :param others: the parameters of further instances, by their names.
        :param task_runners: makes the runner of a task: ``task_runners(instance, task)``.
        :param keys: the swarm's keys, of which the first signs; none: it has no key.
        :param start: the wall clock at time 0 [ms since 1970]: signed messages count from it.
        :param landmarks: the places of landmarks by their ids [m].
        :raises ParameterError: where instances do not fit together, or a task is unknown.
        """
        self.counts: Counter[str] = Counter(dict.fromkeys(COUNTERS, 0))
        self.mailbox = Mailbox(parameters.message_expiry, parameters.neighbour_limit)
        self._acquaintances = Acquaintances(self.mailbox)
        self._budget = HearingBudget(parameters.hearing_budget)
        self.sensing = Sensing(parameters, self.mailbox, self.counts, landmarks)
        self.authentication = Authentication(keys, start)
        self.authentication.configure(parameters.replay_window, parameters.accept_unverified)
        self.neighbours: list[Neighbour] = []
        """The neighbours of the last round."""
        self.duplicate_received: float | None = None
        """The time of the last message from another robot with this robot's id."""
        self._sent: deque[str] = deque(maxlen=ECHOES_REMEMBERED)
        self._unmeasured = 0
        self._last_round = -math.inf
        self.name = ''
        """The robot's namespace, if it is not the usual one."""
        self.parameters = parameters
        self._others = dict(others)
        self.instances = make_instances(
            parameters, others, self.sensing.link_range, task_runners)
        """All instances by name; ``main`` is first, and each comes after the one below it."""
        self.main = self.instances[MAIN]
        self._codec = codec_for(
            self.main.algorithm, frozenset(self.instances) - {MAIN})

    def configure(self, parameters: ElectionParameters) -> None:
        """Apply changed parameters."""
        self.parameters = parameters
        self.sensing.configure(parameters)
        self.mailbox.expiry = parameters.message_expiry
        self.authentication.configure(parameters.replay_window, parameters.accept_unverified)
        self._configure_instances()

    def configure_instance(self, name: str, parameters: InstanceParameters) -> None:
        """Apply changed parameters of one of the further instances."""
        self._others[name] = parameters
        self._configure_instances()

    def _configure_instances(self) -> None:
        for name, of_it in instance_parameters(self.parameters, self._others).items():
            self.instances[name].configure(of_it, self.sensing.link_range)

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
        """Whether it is a leader in its first instance."""
        return self.main.leads

    @property
    def position(self) -> Position | None:
        """Return the position [m] as of the last odometry, round or message; ``None``: unknown."""
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

    # Received messages.

    def receive(self, payload: str, now: float) -> bool:
        """
        Process a received message.

        An invalid message is counted, by reason, and has no other effect.

        :param payload: the message as JSON.
        :param now: the time [s].
        :return: whether it may cause a round: it is valid, and its elections' part or its
            sender's position is new.
        """
        sender = sender_at_start(payload)
        if sender == self.parameters.robot_id and payload in self._sent:
            # One echo for each message sent: a further copy comes from a robot of the same id.
            self._sent.remove(payload)
            return False
        self.counts[HEARD] += 1
        # The signature first: forged and replayed messages do not use the sender's budget.
        sequence, reason = self.authentication.check(payload)
        if reason is None and sender is not None:
            reason = self.authentication.admit(sender, sequence, now)
        if reason is not None:
            return self._reject(reason)
        known = sender is not None and (
            self.mailbox.entry(sender) is not None or sender in self._acquaintances)
        if not self._budget.admit(sender, known, now, self.parameters.round_period):
            self.counts[DROPPED] += 1
            return False
        message = self._codec.decode(payload)
        if isinstance(message, RejectReason):
            return self._reject(message)
        if message.id != sender:
            reason = self.authentication.admit(message.id, sequence, now)
            if reason is not None:
                return self._reject(reason)
        if message.id == self.parameters.robot_id:
            self.duplicate_received = now
            return self._reject(RejectReason.OWN_ID)
        if message.frame != self.parameters.frame:
            return self._reject(RejectReason.FRAME)
        if message.position is None and self.sensing.positions_matter:
            return self._reject(RejectReason.NO_POSITION)
        return self._take(message, now)

    def _take(self, message: Message, now: float) -> bool:
        """Process a valid message of another robot; return whether it may cause a round."""
        here, last = self.sensing.locate(now), self.mailbox.entry(message.id)
        reserve, is_known = PLACE_TOLERANCE, False
        if last is not None and now - last.received <= self.parameters.message_expiry:
            is_known = True
            reserve = reserve_left(last, message, now, self.parameters.top_speed)
            if reserve < 0.0:
                return self._reject(RejectReason.IMPLAUSIBLE)
        for fault in message.faults:
            self.counts[fault.value] += 1
        self.sensing.hear(message, now)
        if here is not None and not self.sensing.in_range(message, now):
            self.counts[OUT_OF_RANGE] += 1
            self.mailbox.forget(message.id)
            return last is not None
        # Without a position of its own this robot cannot check the range; the round does.
        self._acquaintances.hear(message.id, now)
        news = last is None or not is_known or self._is_news(message, last)
        noted = message if news or last is None else last.noted
        place = self.sensing.place_of(message)
        distance = math.inf if here is None or place is None else math.dist(here, place)
        velocity = velocity_after(last, message, now, self.parameters.round_period)
        entry = ReceivedMessage(message, now, distance, noted, reserve, velocity)
        if self.mailbox.is_full_for(message.id, now):
            # Only one of two senders can be kept.
            self.counts[RejectReason.LIMIT.value] += 1
            if not self._acquaintances.make_room(entry):
                return False
        self.mailbox.put(entry)
        return news

    def _is_news(self, message: Message, last: ReceivedMessage) -> bool:
        """
        Return whether a further message of a sender may cause a round.

        A changed position alone is not news, nor is a region part: they count in the next round.
        A distance is news once it differs by the tolerance from the last one that was news.
        """
        if message is last.message or last.noted is None:
            return message is not last.message
        if (message.position is None) != (last.noted.position is None):
            return True
        return self._matters(self._difference(last.noted, message))

    def _matters(self, difference: float) -> bool:
        """Return whether a difference of distances [m] is worth a round."""
        return difference > 0.0 and difference >= self.parameters.reactive_tolerance

    def _difference(self, before: Message, after: Message) -> float:
        """Return the difference of elections' distances [m]; infinite: other fields differ."""
        most = change(self.main.algorithm.fields, before.export, after.export)
        if before.others.keys() != after.others.keys():
            return math.inf
        for name, part in after.others.items():
            earlier, algorithm = before.others[name], self.instances[name].algorithm
            if algorithm.name == part.algorithm == earlier.algorithm:
                most = max(most, change(algorithm.fields, earlier.export, part.export))
        return most

    def _reject(self, reason: RejectReason) -> bool:
        self.counts[reason.value] += 1
        return False

    # Rounds.

    def round(self, now: float) -> str:  # noqa: A003
        """Run a round: context, computation; return the message to broadcast."""
        self.sensing.begin_round(now)
        before = self.state
        self.neighbours = self._context(now)
        self._last_round = now
        near = {neighbour.message.id for neighbour in self.neighbours}
        # A late robot has sent messages since that were lost here, but may have reached others.
        departed = [Neighbour(message, math.inf) for message in self.mailbox.messages(now)
                    if message.id not in near and self._missed(message, now) == 0]
        for instance in self.instances.values():
            if instance.source.compute is not None:
                instance.compute_strength(self._knowledge(instance, now))
            instance.place(self.position)
            instance.round(
                instance.view_of(self.neighbours), instance.view_of(departed), self.position)
        self.counts[ROUNDS] += 1
        self.counts[UNMEASURED] += self._unmeasured
        self.counts[LEADER_CHANGES] += self.state.leader != before.leader
        payload = self.authentication.sign(
            self._payload(), self.parameters.robot_id, now)
        self._sent.append(payload)
        return payload

    def would_change(self, now: float) -> bool:
        """
        Return whether a round now would change an election, or a distance beyond the tolerance.

        It costs an election, without the regions. Messages missed since the last round are no
        news: they count in the next periodic round.
        """
        self.sensing.locate(now)
        neighbours = [
            near._replace(missed=min(near.missed, self._missed(near.message, self._last_round)))
            for near in self._context(now)]
        for instance in self.instances.values():
            instance.place(self.position)
            after = instance.elect(instance.view_of(neighbours, coordinates=False))
            if self._matters(change(instance.algorithm.fields, instance.state, after)):
                return True
        return False

    def doubt(self, now: float) -> float:
        """
        Return the probability that the errors of distances give it a wrong leader.

        NaN where it is not estimated: without the neighbourhood filter, for other algorithms than
        ``bounded``, and for other metrics than distances.
        """
        main, sensing = self.main, self.sensing
        if not (sensing.cooperates and sensing.metric.is_length
                and isinstance(main.state, Candidacy)):
            return math.nan
        return doubt(main.state, self.parameters.robot_id, [
            Offer(message.export, distance, deviation)
            for message, distance, deviation in sensing.localised(now)
            if message.export is not None], sensing.link_range, main.round_parameters)

    def close(self) -> None:
        """Stop all tasks."""
        for instance in self.instances.values():
            for runner in instance.task_runners:
                runner.close()

    def _context(self, now: float) -> list[Neighbour]:
        """Return the robots that are neighbours now, with their distances."""
        neighbours = []
        self._unmeasured = 0
        self.sensing.refresh(now)
        for message in self.mailbox.messages(now):
            missed = self._missed(message, now)
            if not self.sensing.in_range(message, now) or (
                    missed and self._has_left(message, now)):
                continue
            distance = self.sensing.distance_to(message, now)
            if distance is not None:
                neighbours.append(Neighbour(message, distance, missed))
            else:
                self._unmeasured += 1
        return neighbours

    def _has_left(self, message: Message, now: float) -> bool:
        """
        Return whether a silent sender is out of range now, assuming its last velocity.

        It would remain a neighbour with outdated candidacies until its last message expires.
        """
        entry = self.mailbox.entry(message.id)
        place = self.sensing.place_of(message)
        if entry is None or place is None or self.sensing.is_worthless(message, now):
            return False
        age = now - entry.received
        ahead = place[0] + age * entry.velocity[0], place[1] + age * entry.velocity[1]
        return not self.sensing.reaches(message.id, ahead, now)

    def _missed(self, message: Message, now: float) -> int:
        """Return the number of further messages of the sender that were due at a time [s]."""
        age = self.mailbox.age(message.id, now)
        return int(max(age / self.parameters.round_period + 1.0 - LATE_AFTER, 0.0))

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
            received=instance.received_since(now - self.parameters.measurement_expiry))

    def _payload(self) -> str:
        """Return the message to broadcast, shortened where it exceeds the wire's limit."""
        others = {name: instance.part() for name, instance in self.instances.items()
                  if name != MAIN}
        message = Message(
            id=self.parameters.robot_id, frame=self.parameters.frame, position=self.position,
            export=self.state, region=self.main.region_part(), others=others,
            reading=self.sensing.reading, localisation=self.sensing.estimate,
            names=self._names(),
            dated=any(entry.message.dated for entry in self.mailbox.entries()))
        payload = self._codec.encode(message)
        for count, shorter in shortening.SHORTENINGS:
            if len(payload) <= self.authentication.room:
                break
            self.counts[count] += 1
            payload = self._codec.encode(shorter(message))
        return payload


def phase(asked: float, robot_id: int) -> float:
    """
    Return the phase of a robot's rounds within the period, as a fraction in [0, 1).

    :param asked: the wanted phase; negative: one that follows from the id, spread evenly over any
        set of consecutive ids (the multiples of the golden ratio).
    :param robot_id: the robot's id.

    >>> phase(0.25, 7)
    0.25
    >>> [round(phase(-1.0, robot), 2) for robot in (0, 1, 2, 3)]
    [0.0, 0.62, 0.24, 0.85]
    """
    return asked if asked >= 0.0 else (robot_id * GOLDEN) % 1.0


def repeat_delays(repeats: int, interval: float) -> tuple[float, ...]:
    """
    Return the delays between a change of the leader and the rounds that repeat it, one by one [s].

    :param repeats: the number of rounds.
    :param interval: the first delay [s]; each is twice as long as the one before.

    >>> repeat_delays(3, 0.25)
    (0.25, 0.5, 1.0)
    """
    return tuple(interval * 2.0 ** k for k in range(repeats))


def wait(last_round: float, now: float, interval: float) -> float:
    """
    Return the delay of a reactive round that keeps rounds an interval apart [s].

    :param last_round: the time of the last round [s]; -infinity: none yet.
    :param now: the time [s].
    :param interval: the least time between rounds [s].

    >>> wait(last_round=10.0, now=10.25, interval=1.0)
    0.75
    >>> wait(last_round=10.0, now=12.0, interval=1.0)
    0.0
    """
    since = now - last_round
    return interval - since if since < interval else 0.0
