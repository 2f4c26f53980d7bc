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

"""The ROS interface of a robot: topics and timers on a plain or a managed node; the plain one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
import time
from typing import Any

from leader_election.election.messages.codec import MAIN
from leader_election.election.messages.swarm_key import fingerprint, REPLAY_WINDOW
from leader_election.election.part import PARTS
from leader_election.election.robot.diagnostics import leadership_text
from leader_election.election.robot.mailbox import ObservationClock
from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.neighbourhood import LATE_AFTER, Neighbour
from leader_election.election.robot.parameters import ElectionParameters, InstanceParameters
from leader_election.election.robot.reasons import Change
from leader_election.election.robot.robot import Robot, RoundSchedule
from leader_election.parameters import format_ids, ParameterError
from leader_election.parameters.registry import message_type
from leader_election.ros.nodes import clock, declare, robot_topics
from leader_election.ros.nodes.pose_topics import PoseTopics
from leader_election.ros.nodes.process import MissingInput, run
from leader_election.ros.nodes.qos import advertise, NEIGHBOURHOOD, SENSOR, subscribe
from leader_election.ros.nodes.robot_diagnostics import DiagnosticsPublisher
from leader_election.swarm.fleet.key_file import KeyFile, SwarmTimeFile
from rclpy.clock import ClockType
from rclpy.node import Node
from std_msgs.msg import String

CHANGES = 'changes'
"""The logger of changes of a robot's leader, below that of its node."""


class Election:
    """
    One robot: subscribes to ``odom`` and ``neighbourhood``, runs rounds, publishes their results.

    Before :meth:`start` it only receives: it runs no rounds and sends no messages.

    :ivar node: its node.
    :ivar declarations: the node's declared parameters.
    :ivar parameters: the parameters at the start.
    :ivar robot: the robot itself, which does not depend on ROS.
    :ivar steady_clock: the clock of its timers.
    :ivar lag: returns how far a slower clock of the computer is behind the robot's times [s],
        ``None`` if that is not measured.
    :ivar failure: the error with which the process has to end, if any.
    """

    def __init__(self, node: Node, declarations: declare.Declarations) -> None:
        """
        Create the robot and its topics.

        :param declarations: the node's declared parameters.
        :raises ParameterError: for invalid parameters.
        """
        self.node, self.declarations = node, declarations
        self.failure: ParameterError | None = None
        self._schedule: RoundSchedule | None = None
        self._declared = declarations.declare(ElectionParameters, self._configure)
        self.parameters = parameters = self._with_own(self._declared.values)
        self.steady_clock = clock.steady_clock(node)
        self._observation_clock = ObservationClock()
        self._instances = declare.declare_instances(
            declarations, parameters, self._configure_instance)
        wanted = [parameters, *(each.values for each in self._instances.values())]
        self._counts_time = any(entry.counts_time and getattr(each, entry.wanted)
                                for entry in PARTS for each in wanted)
        self._is_simulated = self.steady_clock.clock_type == ClockType.ROS_TIME
        leases = clock.LeaseClock() if self._counts_time and not self._is_simulated else None
        self.lag = leases.lag if leases else None
        self._read_clock = leases.seconds if leases else clock.reader(self.steady_clock)
        self._set_longest_step(parameters)
        self._key_file = KeyFile(parameters.swarm_key_file)
        self._time_file = (SwarmTimeFile(
            parameters.swarm_key_file, parameters.robot_id, parameters.diagnostics_period)
            if parameters.swarm_key_file else None)
        wall, begun = time.time_ns() // 10**6, int(self.now() * 1e3)
        self._topics: dict[str, robot_topics.PartTopics] = {
            entry.name: entry.load('topics')(self) for entry in PARTS
            if entry.topics and any(getattr(each, entry.wanted) for each in wanted)}
        self._duplicate_logged = False
        started = wall if self._time_file is None else self._time_file.start(wall, REPLAY_WINDOW)
        self.robot = Robot(
            parameters,
            {name: self._instance_with_own(name, declared.values)
             for name, declared in self._instances.items()},
            {name: topics.tool for name, topics in self._topics.items()},
            # Ten leaders with the shortest period count on more slowly than milliseconds.
            self._key_file.content, started - begun, max(started, 1))
        self._declared.check = self.robot.check
        for name, declared in self._instances.items():
            declared.check = lambda values, name=name: self.robot.check(
                self.robot.parameters, {name: values})
        self._out = advertise(node, String, parameters.send_topic, NEIGHBOURHOOD)
        self._outputs = [robot_topics.StatePublishers(node, self.robot, instance)
                         for instance in self.robot.instances.values()]
        for topics in self._topics.values():
            topics.attach(self.robot)
        self.name = node.get_namespace().strip('/') or node.get_name()
        self._leadership = robot_topics.LeadershipPublisher(self)
        self._pose_topics = PoseTopics(self)
        self._diagnostics = DiagnosticsPublisher(self)
        sensing = self.robot.sensing
        self._hearing = self.listen('neighbourhood', String, self._receive, NEIGHBOURHOOD,
                                    self._diagnostics.events)
        metric = sensing.metric
        if metric.topic:
            self.listen(metric.topic, message_type(metric.message),
                        lambda message: sensing.take_message(message, self.now()), SENSOR)
        for instance in self.robot.instances.values():
            source = instance.source
            # An instance over another one takes the strength from the instance below.
            if source.topic and instance.below is None:
                prefix = '' if instance.name == MAIN else f'{instance.name}/'
                self.listen(
                    prefix + source.topic, message_type(source.message),
                    lambda message, to=instance: to.take_strength(message, self.now()), SENSOR)

    @property
    def topic(self) -> str:
        """Return the full name of the topic on which the robot sends."""
        return str(self._out.topic_name)

    @property
    def uses_heading(self) -> bool:
        """Return whether a part needs the heading of the robot."""
        return any(topics.uses_heading for topics in self._topics.values())

    @property
    def runs(self) -> bool:
        """Return whether the robot runs rounds: between start and close."""
        return self._schedule is not None

    def start(self) -> None:
        """Start the rounds."""
        self._schedule = RoundSchedule(
            self.robot, self.now, self._round, self.timer, clock.restart)
        parameters = self._declared.values
        self.timer(parameters.diagnostics_period, self._diagnose)
        self._pose_topics.start()

    def listen(self, topic: str, kind: Any, callback: Any, profile: Any,
               events: Any = None) -> Any:
        """Return a subscription."""
        return subscribe(self.node, kind, topic, callback, profile, event_callbacks=events)

    def timer(self, period: float, callback: Callable[[], None]) -> Any:
        """Return a timer with a period [s]."""
        return clock.create_timer(self.node, period, callback, self.steady_clock)

    def pose(self) -> tuple[float, float, float] | None:
        """Return x, y, yaw of the robot now [m, rad], ``None`` if unknown."""
        return self.robot.sensing.pose(self.now())

    def now(self) -> float:
        """Return the time of the robot's observations [s]."""
        return self._observation_clock.observe(self._read_clock())

    def _set_longest_step(self, parameters: ElectionParameters) -> None:
        """Bound the leaps of a simulated clock. A leap of a steady clock is real time."""
        # A leap may be a pause of this process: it must not prolong what others have promised.
        if self._is_simulated and not self._counts_time:
            self._observation_clock.longest_step = LATE_AFTER * parameters.round_period

    def _configure(self, parameters: ElectionParameters) -> None:
        self._set_longest_step(parameters)
        period = parameters.round_period
        if self._schedule is not None and period != self.robot.parameters.round_period:
            self._schedule.set_period(period)
        self.robot.configure(self._with_own(parameters))

    def _configure_instance(self, name: str, parameters: InstanceParameters) -> None:
        self.robot.configure_instance(name, self._instance_with_own(name, parameters))

    def _with_own(self, parameters: ElectionParameters) -> ElectionParameters:
        return declare.with_own_parameters(
            self.declarations, parameters, lambda: self._configure(self._declared.values))

    def _instance_with_own(self, name: str, parameters: InstanceParameters) -> InstanceParameters:
        return declare.with_own_parameters(
            self.declarations, parameters,
            lambda: self._configure_instance(name, self._instances[name].values), f'{name}.')

    # Input.

    def missing(self) -> list[MissingInput]:
        """Return the missing inputs: odometry, until it arrives, and those of parts."""
        of_parts = [each for topics in self._topics.values() for each in topics.missing()]
        return [*self._pose_topics.missing(), *of_parts]

    def _receive(self, message: String) -> None:
        now = self.now()
        if self._schedule is not None:
            self._schedule.catch_up(now)
        is_news = self.robot.receive(message.data, now)
        if is_news and self._schedule is not None:
            self._schedule.take_news(now)
        if self.robot.reception.duplicate is not None and not self._duplicate_logged:
            self._duplicate_logged = True
            self.node.get_logger().error(
                f'another robot uses id {self.robot.parameters.robot_id}: '
                'give each robot its own robot_id')

    # Rounds and output.

    def _round(self, now: float, neighbours: list[Neighbour] | None) -> None:
        if self._schedule is None:
            # Closed, but spun on: nothing may follow the last messages.
            return
        leader = self.robot.state.leader
        told = self._changes()
        payload = self.robot.round(now, neighbours)
        # A node beside the robot hears that it may not act before others hear that they may.
        self._leadership.publish()
        if told != self._changes():
            # Observers know why before they see the change.
            self._diagnostics.publish_change(now)
            self._log_changes(told)
        self._out.publish(String(data=payload))
        self._schedule.has_run(now, self.robot.state.leader != leader)
        for outputs in self._outputs:
            outputs.publish()
        for topics in self._topics.values():
            topics.publish()
        self._pose_topics.publish()

    def _changes(self) -> list[Change]:
        return [instance.watch.change for instance in self.robot.instances.values()]

    def _log_changes(self, told: list[Change]) -> None:
        for instance, before in zip(self.robot.instances.values(), told):
            change = instance.watch.change
            if change != before:
                self.node.get_logger().get_child(CHANGES).info(
                    f'{"" if instance.name == MAIN else instance.name + " "}'
                    f'{leadership_text(instance)}: {change.because}')

    def _watch_key(self) -> None:
        """Keep the swarm time, and read the key file again if it has changed."""
        if self._time_file is None:
            return
        authentication, log = self.robot.authentication, self.node.get_logger()
        self._time_file.keep(authentication.time.read(self.now()))
        if self._key_file.changed() and not self._key_file.error:
            authentication.keys = self._key_file.content
            log.info('the key file was read again: it signs with '
                     f'{fingerprint(authentication.keys[0])}')
        error = self._key_file.error or self._time_file.doubt or self._time_file.fault
        if error and error != authentication.file_error:
            log.error(error)
        authentication.file_error = error

    def _diagnose(self) -> None:
        self._watch_key()
        self._diagnostics.publish(self.now(), self._hearing.qos_profile)

    def close(self) -> None:
        """End the parts and withdraw the outputs."""
        self._schedule = None
        self.robot.close()
        for outputs in self._outputs:
            outputs.withdraw()
        for topics in self._topics.values():
            topics.withdraw()
        self._leadership.publish(active=False)


def announcements(elections: Iterable[Election]) -> list[str]:
    """Return one line for all robots of the same settings, in the order of the first of each."""
    ids: dict[str, list[int]] = {}
    for election in elections:
        ids.setdefault(settings(election), []).append(election.parameters.robot_id)
    return [f'{"robots" if len(own) > 1 else "robot"} {format_ids(tuple(own))}: {text}'
            for text, own in ids.items()]


def settings(election: Election) -> str:
    """Return the algorithm, radius, range, topic and key of a robot, as a text."""
    parameters, keys = election.parameters, election.robot.authentication.keys
    unit = '' if METRICS.get(parameters.metric).counts_links else ' m'
    return (f'algorithm {parameters.algorithm}, radius {parameters.radius:g}{unit}, '
            f'communication range {parameters.communication_range:g} m, '
            f'topic {election.topic}, '
            + (f'key {fingerprint(keys[0])}' if keys else 'no key'))


class RobotProcess:
    """
    The part of a robot's node that its process uses (:mod:`~leader_election.ros.nodes.process`).

    :ivar election: connects the robot to topics, timers and parameters, ``None`` while it is not
        configured.
    """

    election: Election | None = None

    @property
    def failure(self) -> ParameterError | None:
        """Return the error that ends the process, ``None`` while there is none."""
        return None if self.election is None else self.election.failure

    def missing(self) -> list[MissingInput]:
        """Return the missing inputs of the robot."""
        return [] if self.election is None else self.election.missing()

    def close(self) -> None:
        """Stop the tasks. Called before the node is destroyed."""
        if self.election is not None:
            self.election.close()


class ElectionNode(RobotProcess, Node):
    """
    The node of one robot, which takes part from construction to destruction.

    :ivar robot: the robot, which is independent of ROS.
    :ivar steady_clock: the clock of its timers and ages.
    """

    election: Election

    def __init__(self, *, defaults: Mapping[str, Any] = declare.NO_DEFAULTS,
                 others: Sequence[type] = (), **options: Any) -> None:
        """
        Declare the parameters and start the robot.

        :param defaults: of parameters that are set neither by file nor by argument, by name.
        :param others: the parameters of a node of the same process, which gets the same arguments.
        :param options: for ``rclpy.node.Node``.
        :raises ParameterError: for a wrong parameter.
        """
        super().__init__('election_node', **options)
        declare.refuse_unknown(self, ElectionParameters, *others, of_robot=True)
        self.election = Election(self, declare.Declarations(self, defaults=defaults))
        self.robot = self.election.robot
        self.steady_clock = self.election.steady_clock
        self.election.start()


def main() -> int:
    """Run one robot's node until it is stopped, and return the exit status."""
    def make() -> list[Node]:
        node = ElectionNode()
        node.get_logger().info(*announcements([node.election]))
        return [node]

    return run(make)
