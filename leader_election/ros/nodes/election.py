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

"""The ROS interface of a robot: topics, timers and tasks on a plain or a managed node."""

from collections.abc import Callable
from copy import copy
from functools import partial
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.election.registry import message_type
from leader_election.election.robot.codec import MAIN
from leader_election.election.robot.diagnostics import QOS_FAULT
from leader_election.election.robot.instance import Instance
from leader_election.election.robot.localisation_watch import LocalisationWatch
from leader_election.election.robot.mailbox import ObservationClock
from leader_election.election.robot.neighbourhood import LATE_AFTER
from leader_election.election.robot.parameters import ElectionParameters, InstanceParameters
from leader_election.election.robot.pose import IDENTITY, yaw_of
from leader_election.election.robot.reception import NeighbourhoodWatch
from leader_election.election.robot.robot import (
    ODOMETRY_WITHOUT_TRANSFORM,
    Outlook,
    phase,
    repeat_delays,
    Robot,
    wait,
)
from leader_election.election.robot.swarm_key import fingerprint
from leader_election.localisation.landmarks import read_landmarks
from leader_election.localisation.slip import BUMPER, IMU
from leader_election.parameters import ParameterError
from leader_election.ros.nodes import clock, instances
from leader_election.ros.nodes.declare import Declarations
from leader_election.ros.nodes.event_log import EventLog
from leader_election.ros.nodes.factors_file import FactorsFile, PERIOD
from leader_election.ros.nodes.leadership_publisher import LeadershipPublisher
from leader_election.ros.nodes.localisation_publishers import LocalisationPublishers
from leader_election.ros.nodes.odometry_origin import TransformOrigin
from leader_election.ros.nodes.qos import (
    EVENTS,
    IncompatiblePublishers,
    NEIGHBOURHOOD,
    overridable,
    SENSOR,
    SIGHTINGS,
)
from leader_election.ros.nodes.robot_diagnostics import statuses
from leader_election.ros.nodes.sighting_inputs import SightingInputs
from leader_election.ros.nodes.state_publishers import PlotPublishers, StatePublishers
from leader_election.ros.nodes.waiting import Missing
from leader_election.swarm.fleet.swarm_key import KeyFile
from leader_election.swarm.fleet.swarm_time_file import SwarmTimeFile
from nav_msgs.msg import Odometry
from rclpy.clock import ClockType
from rclpy.node import Node
from sensor_msgs.msg import Imu
from std_msgs.msg import Bool, String

SHORTEST_TIMER = 1e-3
"""The shortest period of a timer [s]; zero is not a valid one."""
MANDATES_SINCE = 176_722_560_000
"""The start of 2026, from which the first numbers of mandates count, to be short [10 ms]."""


class Election:
    """
    One robot: subscribes to ``odom`` and ``neighbourhood``, runs rounds, publishes their results.

    Before :meth:`start` it only receives: it runs no rounds, sends no messages and calls no tasks.

    :ivar parameters: the parameters at the start.
    :ivar robot: the robot itself, which does not depend on ROS.
    :ivar steady_clock: the clock of its timers.
    :ivar runs: whether it was started, and not closed since.
    :ivar failure: the error with which the process has to end, if any.
    """

    def __init__(self, node: Node, declarations: Declarations) -> None:
        """
        Create the robot and its topics.

        :param declarations: the node's declared parameters.
        :raises ParameterError: for invalid parameters.
        """
        self._node = node
        self.runs = False
        self.failure: ParameterError | None = None
        self._declared = declarations.declare(ElectionParameters, self._configure)
        self._declarations = declarations
        self.parameters = parameters = self._with_own(self._declared.values)
        self.steady_clock = clock.steady_clock(node)
        self._read_clock = clock.reader(self.steady_clock)
        self._observation_clock = ObservationClock()
        self._instances = instances.declare(declarations, parameters, self._configure_instance)
        self._set_longest_step(parameters)
        self._key_file = KeyFile(parameters.swarm_key_file)
        self._time_file = (SwarmTimeFile(
            parameters.swarm_key_file, parameters.robot_id, parameters.diagnostics_period)
            if parameters.swarm_key_file else None)
        wall = time.time_ns() // 10**6
        tasks = instances.TaskFactory(
            node, declarations, self.steady_clock, parameters.robot_id, self._pose,
            lambda: self.runs, parameters.output_prefix)
        self._contexts = tasks.contexts
        self.robot = Robot(
            parameters,
            {name: self._instance_with_own(name, declared.values)
             for name, declared in self._instances.items()},
            tasks,
            self._key_file.keys,
            (wall if self._time_file is None
             else self._time_file.start(wall, parameters.replay_window)) - int(self._now() * 1e3),
            read_landmarks(parameters.landmarks),
            max(time.time_ns() // 10**7 - MANDATES_SINCE, 1),
        )
        self._factors_file = (
            FactorsFile(node, parameters) if parameters.odometry_factors_file else None)
        if self._factors_file is not None:
            self._factors_file.restore(self.robot.sensing.localisation, self._now())
        self._has_tasks = any(
            instance.membership.task_runners for instance in self.robot.instances.values())
        self._transform = (
            TransformOrigin(node, parameters.frame) if parameters.pose_source == 'tf' else None)
        self._duplicate_logged = self._odometry_received = False

        self._out = node.create_publisher(
            String, parameters.send_topic, copy(NEIGHBOURHOOD),
            qos_overriding_options=overridable())
        self._outputs = [
            StatePublishers(node, instance, parameters.output_prefix)
            for instance in self.robot.instances.values()
        ]
        self._name = node.get_namespace().strip('/') or node.get_name()
        self._leadership = LeadershipPublisher(node, self.robot, self._name, self.topic)
        self._corrected = (
            LocalisationPublishers(node, self.robot) if self.robot.sensing.cooperates else None)
        self._diagnostics = node.create_publisher(DiagnosticArray, '/diagnostics', EVENTS)
        self._plots = (
            PlotPublishers(node, self.robot) if parameters.metrics_period > 0.0 else None)
        self._events = (
            EventLog(node, self.robot, parameters.event_log) if parameters.event_log else None)
        self._watch, self._localisation_watch = NeighbourhoodWatch(), LocalisationWatch()
        self._incompatible = IncompatiblePublishers(node, 'neighbourhood')
        self._hearing = self._listen(
            'neighbourhood', String, self._receive, NEIGHBOURHOOD, self._incompatible.events)
        # A sighting belongs to the odometry before it: neither may be skipped, even if late.
        paired = self.robot.sensing.cooperates
        self._listen('odom', Odometry, self._odometry, SIGHTINGS if paired else SENSOR)
        slip = self.robot.sensing.localisation.slip
        inputs = {BUMPER: (Bool, lambda bumper: slip.touch(bumper.data, self._now())),
                  IMU: (Imu, lambda imu: slip.turn(imu.angular_velocity.z, self._now()))}
        for name in parameters.slips_by:
            self._listen(name, *inputs[name], SENSOR)
        metric = self.robot.sensing.metric
        if metric.needs_measurements or self.robot.sensing.cooperates:
            SightingInputs(self.robot, self._listen, self._now,
                           lambda: node.get_clock().now().nanoseconds * 1e-9)
        if metric.topic:
            self._listen(metric.topic, message_type(metric.message), self._sense, SENSOR)
        for instance in self.robot.instances.values():
            source = instance.source
            # An instance over another one takes the strength from the instance below.
            if source.topic and instance.below is None:
                prefix = '' if instance.name == MAIN else f'{instance.name}/'
                self._listen(prefix + source.topic, message_type(source.message),
                             partial(self._take_strength, instance), SENSOR)

    @property
    def topic(self) -> str:
        """Return the full name of the topic on which the robot sends."""
        return str(self._out.topic_name)

    def start(self) -> None:
        """Start the rounds."""
        self.runs = True
        self._last_check = self._last_beat = float('-inf')
        self._repeats: list[float] = []
        parameters = self._declared.values
        first = phase(parameters.round_phase, parameters.robot_id) * parameters.round_period
        self._heartbeat = self._timer(max(first, SHORTEST_TIMER), self._on_heartbeat)
        self._in_phase = False
        self._reaction = self._timer(parameters.reactive_interval, self._on_reaction)
        self._reaction.cancel()
        self._repeat = self._timer(parameters.reactive_interval, self._on_repeat)
        self._repeat.cancel()
        self._timer(parameters.diagnostics_period, self._diagnose)
        if self._plots is not None:
            self._timer(parameters.metrics_period, self._plots.publish)
        if self._factors_file is not None:
            self._timer(PERIOD, self._keep_factors)
        if parameters.odometry_timeout > 0.0:
            self._deadline = self._timer(parameters.odometry_timeout, self._expect_odometry)

    def _listen(self, topic: str, kind: Any, callback: Any, profile: Any,
                events: Any = None) -> Any:
        return self._node.create_subscription(
            kind, topic, callback, copy(profile), event_callbacks=events,
            qos_overriding_options=overridable())

    def _timer(self, period: float, callback: Callable[[], None]) -> Any:
        return self._node.create_timer(period, callback, clock=self.steady_clock)

    def _pose(self) -> tuple[float, float, float] | None:
        return self.robot.sensing.pose(self._now())

    def _now(self) -> float:
        """Return the time of the robot's observations [s]."""
        return self._observation_clock.observe(self._read_clock())

    def _set_longest_step(self, parameters: ElectionParameters) -> None:
        """Bound the leaps of a simulated clock; a leap of a steady clock is real time."""
        # A leap may be a pause of this process: it must not prolong a mandate.
        mandated = any(instance.mandate > 0.0 for instance in (
            parameters, *(each.values for each in self._instances.values())))
        if self.steady_clock.clock_type == ClockType.ROS_TIME and not mandated:
            self._observation_clock.longest_step = LATE_AFTER * parameters.round_period

    def _configure(self, parameters: ElectionParameters) -> None:
        self._set_longest_step(parameters)
        period = parameters.round_period
        if self.runs and period != self.robot.parameters.round_period:
            self._set_timer(self._heartbeat, period)
        self.robot.configure(self._with_own(parameters))

    def _configure_instance(self, name: str, parameters: InstanceParameters) -> None:
        self.robot.configure_instance(name, self._instance_with_own(name, parameters))

    def _with_own(self, parameters: ElectionParameters) -> ElectionParameters:
        return instances.with_own_parameters(
            self._declarations, parameters, lambda: self._configure(self._declared.values))

    def _instance_with_own(self, name: str, parameters: InstanceParameters) -> InstanceParameters:
        def changed() -> None:
            self._configure_instance(name, self._instances[name].values)

        return instances.with_own_parameters(self._declarations, parameters, changed, f'{name}.')

    @staticmethod
    def _set_timer(timer: Any, period: float) -> None:
        timer.timer_period_ns = int(period * 1e9)
        timer.reset()

    # Input.

    def _expect_odometry(self) -> None:
        """Report a failure where no odometry was received since the start."""
        self._deadline.cancel()
        if self.robot.sensing.positions_matter and not self._odometry_received:
            topic = self._node.resolve_topic_name('odom')
            self.failure = ParameterError('odometry_timeout', problem=f': no odometry on {topic} '
                                          f'within {self.robot.parameters.odometry_timeout:g} s; '
                                          'start the driver, or remap odom to its topic (ros2 '
                                          f'topic info -v {topic}, ros2 topic list -t)')

    def missing(self) -> list[Missing]:
        """Return the missing inputs: odometry, until it arrives, and the scans of tasks."""
        scans = [each for context in self._contexts for each in context.missing()]
        if self._odometry_received or not self.robot.sensing.positions_matter:
            return scans
        topic = self._node.resolve_topic_name('odom')
        return [*scans, Missing(
            'odometry', topic, 'start the driver or the simulator (of Gazebo: its bridge, too), '
            'or remap odom to the topic of its odometry')]

    def _odometry(self, message: Odometry) -> None:
        self._odometry_received = True
        point, origin = message.pose.pose.position, None
        if message.header.frame_id == self.robot.parameters.frame:
            origin = IDENTITY
        elif self._transform is not None:
            origin = self._transform.origin(message.header.frame_id)
            if origin is None:
                self.robot.counts[ODOMETRY_WITHOUT_TRANSFORM] += 1
                return
        turn = message.pose.pose.orientation
        needed = self._has_tasks or self._transform is None
        yaw = yaw_of((turn.x, turn.y, turn.z, turn.w)) if needed else None
        now = self._now()
        counts = self.robot.sensing.take_odometry(
            (point.x, point.y, point.z), now, origin, yaw)
        if counts and self._corrected is not None:
            self._corrected.publish_pose(message, origin, now)

    def _take_strength(self, instance: Instance, message: Any) -> None:
        instance.take_strength(message, self._now())

    def _sense(self, message: Any) -> None:
        self.robot.sensing.take_message(message, self._now())

    def _receive(self, message: String) -> None:
        now = self._now()
        if self.runs and self._in_phase and (
                now - self._last_beat >= self.robot.parameters.round_period):
            # Messages that arrived before the timer are processed first; a round must not wait for
            # them.
            self._on_heartbeat()
        is_new = self.robot.receive(message.data, now)
        if is_new and self.runs and self.robot.parameters.schedule == 'reactive':
            pause = wait(self._last_check, now, self.robot.parameters.reactive_interval)
            if pause < SHORTEST_TIMER:
                self._run_if_changed(now)
            elif self._reaction.is_canceled():
                self._set_timer(self._reaction, pause)
        if self.robot.reception.duplicate is not None and not self._duplicate_logged:
            self._duplicate_logged = True
            self._node.get_logger().error(
                f'another robot uses id {self.robot.parameters.robot_id}: '
                'give each robot its own robot_id')

    # Rounds and output.

    def _on_heartbeat(self) -> None:
        now, period = self._now(), self.robot.parameters.round_period
        if now - self._last_beat < 0.5 * period:
            # The timer of the first, shorter period fired late, since the node was not spun yet.
            return
        if not self._in_phase:
            self._in_phase = True
            self._set_timer(self._heartbeat, period)
        self._last_beat = now
        self._round(now)

    def _on_reaction(self) -> None:
        self._run_if_changed(self._now())

    def _on_repeat(self) -> None:
        self._repeat.cancel()
        self._round(self._now())

    def _plan_repeats(self, changed: bool) -> None:
        """
        Plan the next round that repeats a change of the leader.

        :param changed: whether the leader has just changed, which restarts the repeats.
        """
        parameters = self.robot.parameters
        if changed and parameters.schedule == 'reactive':
            self._repeats = list(repeat_delays(
                parameters.reactive_repeats, parameters.reactive_interval))
        if self._repeats and (changed or self._repeat.is_canceled()):
            self._set_timer(self._repeat, self._repeats.pop(0))

    def _run_if_changed(self, now: float) -> None:
        """Run a round if it would change something."""
        self._reaction.cancel()
        self._last_check = now
        outlook = self.robot.would_change(now)
        if outlook is not None:
            self._round(now, outlook)

    def _round(self, now: float, outlook: Outlook | None = None) -> None:
        if not self.runs:
            # Closed, but spun on: nothing may follow the last messages.
            return
        self._reaction.cancel()
        self._last_check = now
        leader = self.robot.state.leader
        begun = time.perf_counter()
        payload = self.robot.round(now, outlook)
        taken = time.perf_counter() - begun
        self._out.publish(String(data=payload))
        self._plan_repeats(self.robot.state.leader != leader)
        for outputs in self._outputs:
            outputs.publish(self.robot)
        self._leadership.publish()
        if self._corrected is not None:
            self._corrected.publish_distances(now)
        if self._plots is not None:
            self._plots.round_duration = taken
        if self._events is not None:
            self._events.update()
        self._log_task_errors()

    def _log_task_errors(self) -> None:
        """Log the first error of each task, once."""
        for instance in self.robot.instances.values():
            for runner in instance.membership.task_runners:
                if runner.first_error and not runner.logged:
                    runner.logged = True
                    self._node.get_logger().error(f'task {runner.name}: {runner.first_error}')

    def _watch_key(self) -> None:
        """Keep the swarm time, and read the key file again if it has changed."""
        if self._time_file is None:
            return
        authentication, log = self.robot.authentication, self._node.get_logger()
        self._time_file.keep(authentication.time.read(self._now()))
        if self._key_file.changed() and not self._key_file.error:
            authentication.keys = self._key_file.keys
            log.info('the key file was read again: it signs with '
                     f'{fingerprint(authentication.keys[0])}')
        error = self._key_file.error or self._time_file.doubt or self._time_file.fault
        if error and error != authentication.file_error:
            log.error(error)
        authentication.file_error = error

    def _keep_factors(self) -> None:
        if self._factors_file is not None:
            self._factors_file.keep(self.robot.sensing.localisation)

    def _diagnose(self) -> None:
        self._watch_key()
        now = self._now()
        heeded = self._diagnostics.get_subscription_count() > 0
        # The watches compare with the previous call; all else is computed only for a subscriber.
        refused = self._watch.fault(self.robot.counts, self.robot.parameters.message_expiry, now)
        mislocated = ''
        if heeded or self.robot.sensing.cooperates:
            mislocated = self._localisation_watch.fault(
                self.robot.sensing, self.robot.counts, now, self.robot.doubt(now))
        if self._factors_file is not None:
            mislocated = mislocated or self._factors_file.fault
        if not heeded:
            return
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.status = statuses(
            self.robot, self._name, now, self._events, self._unheard() or refused, mislocated)
        self._diagnostics.publish(message)

    def _unheard(self) -> str:
        """Return the text on publishers with incompatible QoS; empty: none."""
        unheard = self._incompatible.find(self._hearing.qos_profile)
        return f'nothing is received from {", ".join(unheard)}, {QOS_FAULT}' if unheard else ''

    def close(self) -> None:
        """Stop the tasks, withdraw the outputs, keep the factors and close the event log."""
        self.runs = False
        self._keep_factors()
        self.robot.close()
        for outputs in self._outputs:
            outputs.withdraw()
        self._leadership.publish(active=False)
        if self._events is not None:
            self._events.close()
