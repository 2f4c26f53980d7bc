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

"""A robot: everything that it does in a round and when it hears a message, without ROS."""

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
import math
from typing import Any

from leader_election.algorithms.fields import change
from leader_election.robot.codec import (
    codec_for,
    is_place,
    MAIN,
    MAX_LENGTH,
    Message,
    MOST_READINGS,
    NO_PARTS,
    Position,
)
from leader_election.robot.instance import Instance
from leader_election.robot.instances import (
    instance_parameters,
    make_instances,
    NO_OTHERS,
    no_task_runner,
)
from leader_election.robot.mailbox import Mailbox
from leader_election.robot.metrics import (
    distance,
    METRICS,
    RangingInput,
    ReadingInput,
    ReceivedReading,
)
from leader_election.robot.neighbourhood import Neighbour
from leader_election.robot.parameters import (
    ElectionParameters,
    InstanceParameters,
    own_parameters,
)
from leader_election.robot.pose import from_parameter, heading, Pose, position
from leader_election.robot.region_codec import RegionPart
from leader_election.robot.strength import RobotKnowledge, Strength
from leader_election.robot.task_runner import TaskRunner
from leader_election.robot.wire import RejectReason

HEARD = 'messages_heard'
OUT_OF_RANGE = 'messages_out_of_range'
ROUNDS = 'rounds'
LEADER_CHANGES = 'leader_changes'
ODOMETRY_REJECTED = 'odometry_rejected'
ODOMETRY_WITHOUT_TRANSFORM = 'odometry_without_transform'
MEASUREMENTS_REJECTED = 'measurements_rejected'
READINGS_REJECTED = 'readings_rejected'
METRIC_ERRORS = 'metric_errors'
UNMEASURED = 'neighbours_unmeasured'
DECISIONS_LEFT_OUT = 'decisions_left_out'
REGIONS_LEFT_OUT = 'regions_left_out'
INSTANCES_LEFT_OUT = 'instances_left_out'
GOLDEN = 0.6180339887498949
"""The golden ratio minus one, whose multiples modulo 1 spread evenly."""
LATE_AFTER = 1.25
"""A robot that was not heard for so many periods has lost a message, or its way here."""
COUNTERS = (HEARD, OUT_OF_RANGE, ROUNDS, LEADER_CHANGES, ODOMETRY_REJECTED,
            ODOMETRY_WITHOUT_TRANSFORM, MEASUREMENTS_REJECTED, READINGS_REJECTED, METRIC_ERRORS,
            UNMEASURED, DECISIONS_LEFT_OUT,
            REGIONS_LEFT_OUT, INSTANCES_LEFT_OUT, *(reason.value for reason in RejectReason))
"""The names of what a robot counts."""
ECHOES_REMEMBERED = 256
"""Of its own messages, so that it knows their echoes: some seconds' worth in a busy swarm."""


class Robot:
    """
    One robot of the swarm: its state, and its three steps of a round (ACSOS 2022, II-B).

    Times are seconds on a clock of the caller's; nothing here waits or reads a clock.
    """

    def __init__(self, parameters: ElectionParameters,
                 others: Mapping[str, InstanceParameters] = NO_OTHERS,
                 task_runners: Callable[[str, str], TaskRunner] = no_task_runner) -> None:
        """
        Make a robot that has heard nobody yet.

        :param others: the parameters of further instances, by their names.
        :param task_runners: makes a task: ``duties(instance, task)``.
        :raises ParameterError: where instances do not fit together, or a task is unknown.
        """
        self.counts: Counter[str] = Counter(dict.fromkeys(COUNTERS, 0))
        self.metric = METRICS.get(parameters.metric)
        self.mailbox = Mailbox(parameters.message_expiry, parameters.neighbour_limit)
        self.initial_pose = from_parameter(parameters.initial_pose)
        """Where odometry starts, in the shared frame."""
        self.neighbours: list[Neighbour] = []
        """Those of the last round."""
        self.position: Position | None = None
        """As of the last odometry, round or message."""
        self.twin_heard: float | None = None
        """When another robot was last heard that goes by this robot's id."""
        self._yaw: float | None = None
        self._sent: deque[str] = deque(maxlen=ECHOES_REMEMBERED)
        self._odometry: tuple[Position, float] | None = None
        self._measurements: dict[int, tuple[float, float]] = {}
        self._sensed: tuple[float, float] | None = None
        self._reading: tuple[float, ...] = ()
        self._last_distance: dict[int, tuple[Message, float | None]] = {}
        self._unmeasured = 0
        self.parameters = parameters
        self._others = dict(others)
        self.instances = make_instances(parameters, others, self._link_range(), task_runners)
        """All instances by name; the first is ``main``, and one comes after what it is over."""
        self.main = self.instances[MAIN]
        self._codec = codec_for(self.main.algorithm)

    def configure(self, parameters: ElectionParameters) -> None:
        """Take over parameters that were changed."""
        self.parameters = parameters
        self.mailbox.expiry = parameters.message_expiry
        self._configure_instances()

    def configure_instance(self, name: str, parameters: InstanceParameters) -> None:
        """Take over the parameters of one of the further instances."""
        self._others[name] = parameters
        self._configure_instances()

    def _configure_instances(self) -> None:
        for name, of_it in instance_parameters(self.parameters, self._others).items():
            self.instances[name].configure(of_it, self._link_range())

    def _link_range(self) -> float:
        """Return where a neighbour is heard no more, in the metric [m]; infinite: not known."""
        return self.parameters.communication_range if self.metric.is_length else math.inf

    @property
    def state(self) -> Any:
        """The state of the first instance's election."""
        return self.main.state

    @property
    def strength(self) -> Strength:
        """The strength with which the robot stands in the first instance."""
        return self.main.strength

    # What is sensed.

    def odometry(self, point: Sequence[float], now: float, origin: Pose | None = None,
                 yaw: float | None = None) -> None:
        """
        Take in where odometry says that this robot is; a place where none can be is counted.

        :param point: x, y, z in odometry's frame [m].
        :param origin: the pose of odometry's frame in the shared one; by default ``initial_pose``.
        :param yaw: which way the robot looks, in odometry's frame [rad]; tasks want to know.
        """
        begin = self.initial_pose if origin is None else origin
        place = position(begin, point)
        if not is_place(place):
            self.counts[ODOMETRY_REJECTED] += 1
        else:
            self._odometry = (place, now)
            self._yaw = None if yaw is None else yaw + heading(begin)

    def pose(self, now: float) -> tuple[float, float, float] | None:
        """Return x, y, yaw in the shared frame [m, rad], ``None`` where they are not known."""
        place = self.locate(now)
        return None if place is None or self._yaw is None else (*place, self._yaw)

    def measure(self, rows: Sequence[float], now: float) -> None:
        """
        Take in what was measured of neighbours: a range [m] or a signal strength [dBm].

        :param rows: id, value, id, value, ... What is no id, or not finite, is counted.
        """
        self.counts[MEASUREMENTS_REJECTED] += len(rows) % 2
        for neighbour, value in zip(rows[::2], rows[1::2]):
            if math.isfinite(value) and float(neighbour).is_integer() and neighbour >= 0.0:
                self._measurements[int(neighbour)] = (value, now)
            else:
                self.counts[MEASUREMENTS_REJECTED] += 1

    def sense(self, value: float, now: float) -> None:
        """Take in what the robot senses for its metric; a value that is not finite is counted."""
        if math.isfinite(value):
            self._sensed = (value, now)
        else:
            self.counts[READINGS_REJECTED] += 1

    def take_reading(self, message: Any, now: float) -> None:
        """Take in a message of the metric's topic."""
        try:
            self.sense(float(self.metric.extract(message)), now)
        except Exception:  # A user's function may raise anything; the robot goes on.
            self.counts[METRIC_ERRORS] += 1

    def locate(self, now: float) -> Position | None:
        """Return the own position now, ``None`` where odometry is missing or too old."""
        self.position = None
        if self._odometry is not None:
            place, received = self._odometry
            if received > now:
                # The clock went backwards: the age is not known, so it counts from now on.
                self._odometry, received = (place, now), now
            if now - received <= self.parameters.odometry_expiry:
                self.position = place
        return self.position

    def odometry_age(self, now: float) -> float | None:
        """Return how old the last odometry is [s], ``None`` where there was none."""
        return None if self._odometry is None else now - self._odometry[1]

    @property
    def leads(self) -> bool:
        """Whether it is a leader in its first instance."""
        return self.main.leads

    # What is heard.

    def hear(self, payload: str, now: float) -> bool:
        """
        Take in a message; return whether it is news: whether anything in it counts and is new.

        What is wrong with a message is counted, by reason, and nothing else comes of it.
        """
        message = self._codec.decode(payload)
        own = isinstance(message, Message) and message.id == self.parameters.robot_id
        if own and payload in self._sent:
            # One echo for each message sent: what comes once more, a twin has sent.
            self._sent.remove(payload)
            return False
        self.counts[HEARD] += 1
        if isinstance(message, RejectReason):
            return self._reject(message)
        if own:
            self.twin_heard = now
            return self._reject(RejectReason.OWN_ID)
        if message.frame != self.parameters.frame:
            return self._reject(RejectReason.FRAME)
        if message.position is None and self.positions_matter():
            return self._reject(RejectReason.NO_POSITION)
        for fault in message.faults:
            self.counts[fault.value] += 1
        before = self.mailbox.last(message.id)
        if self.locate(now) is not None and not self._in_range(message):
            self.counts[OUT_OF_RANGE] += 1
            self.mailbox.forget(message.id)
            return before is not None
        # Without a place of its own this robot cannot tell yet; the round will.
        if not self.mailbox.put(message, now):
            return self._reject(RejectReason.LIMIT)
        # What is told of regions waits for the period.
        return before is None or elections(message) != elections(before)

    def _reject(self, reason: RejectReason) -> bool:
        self.counts[reason.value] += 1
        return False

    def positions_matter(self) -> bool:
        """Return whether robots without a position are of no use to each other."""
        return (self.metric.needs_positions
                or math.isfinite(self.parameters.communication_range))

    def _in_range(self, message: Message) -> bool:
        if math.isinf(self.parameters.communication_range):
            return True
        return (self.position is not None and message.position is not None
                and math.dist(self.position, message.position)
                <= self.parameters.communication_range)

    # What is computed.

    def round(self, now: float) -> str:
        """Run a round: context, computation; return the message to broadcast."""
        self.locate(now)
        before = self.state
        self.neighbours = self._context(now)
        near = {neighbour.message.id for neighbour in self.neighbours}
        # Who is late has said something since, but not to this robot.
        left = [Neighbour(message, math.inf) for message in self.mailbox.messages(now)
                if message.id not in near and not self._is_late(message, now)]
        for instance in self.instances.values():
            if instance.source.compute is not None:
                instance.compute_strength(self._knowledge(instance, now))
            instance.place(self.position)
            instance.round(instance.see(self.neighbours), instance.see(left), self.position)
        self.counts[ROUNDS] += 1
        self.counts[UNMEASURED] += self._unmeasured
        self.counts[LEADER_CHANGES] += self.state.leader != before.leader
        payload = self._payload()
        self._sent.append(payload)
        return payload

    def _knowledge(self, instance: Instance, now: float) -> RobotKnowledge:
        """Return what the robot knows of itself, for a strength that follows from it."""
        x, y = self.position or (math.nan, math.nan)
        return RobotKnowledge(
            id=self.parameters.robot_id, neighbours=len(self.neighbours),
            nearest=min((near.distance for near in self.neighbours), default=math.inf),
            x=x, y=y, time=now, leader=instance.state.leader,
            distance=float(instance.state.distance),
            reading=self._reading[0] if self._reading and self.metric.topic else math.nan)

    def _read(self, now: float) -> None:
        """Make the reading that the robot's messages carry for its metric."""
        self._reading = ()
        if not self.metric.sends:
            return
        sensed = None
        if self._sensed is not None:
            value, taken = self._sensed
            if 0.0 <= now - taken <= self.parameters.measurement_expiry:
                sensed = value
        known = ReadingInput(
            now, sensed,
            [ReceivedReading(message.id, message.reading, now - self.mailbox.age(message.id, now))
             for message in self.mailbox.messages(now)] if self.metric.reading else [],
            own_parameters(self.metric, self.parameters))
        try:
            reading = self.metric.own_reading(known)
            if len(reading) > MOST_READINGS or not all(map(math.isfinite, reading)):
                raise ValueError('a reading has at most 64 numbers, all of them finite')
            self._reading = reading
        except Exception:  # A user's function may raise anything; the robot goes on.
            self.counts[METRIC_ERRORS] += 1

    def _payload(self) -> str:
        """Return the message to broadcast."""
        others = {name: instance.part() for name, instance in self.instances.items()
                  if name != MAIN}
        message = Message(
            id=self.parameters.robot_id, frame=self.parameters.frame, position=self.position,
            export=self.state, region=self.main.region_part(), others=others,
            reading=self._reading)
        payload = self._codec.encode(message)
        # Better a message without decisions than none at all, and so on.
        for count, shorter in ((DECISIONS_LEFT_OUT, without_decisions),
                               (REGIONS_LEFT_OUT, without_regions),
                               (INSTANCES_LEFT_OUT, without_others)):
            if len(payload) <= MAX_LENGTH:
                break
            self.counts[count] += 1
            payload = self._codec.encode(shorter(message))
        return payload

    def _is_late(self, message: Message, now: float) -> bool:
        """Return whether a robot should have been heard again since its last message."""
        return self.mailbox.age(message.id, now) > LATE_AFTER * self.parameters.round_period

    def _context(self, now: float) -> list[Neighbour]:
        """Return the robots that are neighbours now, with their distances."""
        neighbours = []
        self._unmeasured = 0
        self._drop_old_measurements(now)
        self._read(now)
        for message in self.mailbox.messages(now):
            if not self._in_range(message):
                continue
            far = self._distance_to(message, now)
            if far is not None:
                neighbours.append(Neighbour(message, far, self._is_late(message, now)))
            else:
                self._unmeasured += 1
        return neighbours

    def _distance_to(self, message: Message, now: float) -> float | None:
        """Return the distance to a neighbour by the metric, ``None`` where it is not known."""
        last, previous = self._last_distance.get(message.id, (None, None))
        if self.metric.once_a_message and last is message:
            return previous
        ranging = RangingInput(
            own=self.position, neighbour=message.position,
            measurement=self._measurements.get(message.id, (None, now))[0],
            parameters=own_parameters(self.metric, self.parameters),
            own_reading=self._reading, neighbour_reading=message.reading,
            id=self.parameters.robot_id, received=now - self.mailbox.age(message.id, now),
            previous=previous)
        try:
            far = distance(self.metric, ranging, self.parameters.metric_floor)
        except Exception:  # A user's function may raise anything; the robot goes on.
            self.counts[METRIC_ERRORS] += 1
            far = None
        if self.metric.once_a_message:
            self._last_distance[message.id] = (message, far)
        return far

    def _drop_old_measurements(self, now: float) -> None:
        for neighbour in [i for i in self._last_distance if self.mailbox.last(i) is None]:
            del self._last_distance[neighbour]
        for neighbour, (_, taken) in list(self._measurements.items()):
            # Taken later than now: the clock went backwards, and the age is not known.
            if not 0.0 <= now - taken <= self.parameters.measurement_expiry:
                del self._measurements[neighbour]

    def would_change(self, now: float) -> bool:
        """
        Return whether a round now would say something new, or a distance far off.

        It costs as much as a round.
        """
        self.locate(now)
        neighbours = self._context(now)
        for instance in self.instances.values():
            instance.place(self.position)
            after = instance.elect(instance.see(neighbours))
            by = change(instance.algorithm.fields, instance.state, after)
            if by > 0.0 and by >= self.parameters.reactive_tolerance:
                return True
        return False

    def close(self) -> None:
        """Stop all tasks."""
        for instance in self.instances.values():
            for runner in instance.task_runners:
                runner.close()


def elections(message: Message) -> Any:
    """Return what a message says of elections, and where its sender is."""
    return (message.position, message.export,
            {name: part.export for name, part in message.others.items()})


def without_decisions(message: Message) -> Message:
    """Return a message without what leaders have decided."""
    def less(part: RegionPart | None) -> RegionPart | None:
        return None if part is None else part._replace(region=part.region._replace(decision=''))
    return message._replace(region=less(message.region), others={
        name: part._replace(region=less(part.region)) for name, part in message.others.items()})


def without_regions(message: Message) -> Message:
    """Return what a message says of elections only."""
    return message._replace(region=None, others={
        name: part._replace(region=None) for name, part in message.others.items()})


def without_others(message: Message) -> Message:
    """Return what a message says of the first instance's election only."""
    return message._replace(region=None, others=NO_PARTS)


def phase(asked: float, robot_id: int) -> float:
    """
    Return when in a period the rounds run, as a fraction of it in [0, 1).

    :param asked: the phase wanted; negative: one by the id, spread evenly over any set of
        consecutive ids (the multiples of the golden ratio).

    >>> phase(0.25, 7)
    0.25
    >>> [round(phase(-1.0, robot), 2) for robot in (0, 1, 2, 3)]
    [0.0, 0.62, 0.24, 0.85]
    """
    return asked if asked >= 0.0 else (robot_id * GOLDEN) % 1.0


def wait(last_round: float, now: float, interval: float) -> float:
    """
    Return how long a reactive round has to wait, so that rounds are an interval apart [s].

    >>> wait(last_round=10.0, now=10.25, interval=1.0)
    0.75
    >>> wait(last_round=10.0, now=12.0, interval=1.0)
    0.0
    >>> wait(last_round=10.0, now=3.0, interval=1.0)  # the clock went backwards
    0.0
    """
    since = now - last_round
    return interval - since if 0.0 <= since < interval else 0.0
