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

"""The robot's node."""

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.nodes import clock, instances
from leader_election.nodes.declare import Declared
from leader_election.nodes.outputs import Outputs
from leader_election.nodes.process import run
from leader_election.nodes.qos import EVENTS, NEIGHBOURHOOD, overridable, SENSOR
from leader_election.nodes.robot_diagnostics import status
from leader_election.nodes.strength_topic import subscribe
from leader_election.nodes.transform import Transform
from leader_election.robot.instance_parameters import InstanceParameters
from leader_election.robot.parameters import ElectionParameters
from leader_election.robot.pose import IDENTITY, yaw_of
from leader_election.robot.robot import ODOMETRY_WITHOUT_TRANSFORM, Robot
from leader_election.robot.schedule import phase, wait
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Float64MultiArray, String

SHORTEST_TIMER = 1e-3
"""A timer of no length at all would never be late [s]."""


class ElectionNode(Node):
    """
    One robot: hears ``odom`` and ``neighbourhood``, runs rounds, says what came of them.

    :ivar robot: the robot itself, which knows nothing of ROS.
    :ivar pace: the clock that its times are on.
    """

    def __init__(self, *, namespace: str | None = None, cli_args: Sequence[str] | None = None,
                 use_global_arguments: bool = True,
                 parameter_overrides: list[Parameter] | None = None) -> None:
        super().__init__(
            'election_node', namespace=namespace, cli_args=cli_args,  # type: ignore[arg-type]
            use_global_arguments=use_global_arguments, parameter_overrides=parameter_overrides)
        self._declared = Declared(self, ElectionParameters, self._configure)
        parameters = self._declared.values
        self.executor_kind = parameters.executor
        self.pace = clock.pace(self)
        self._instances = instances.declare(self, parameters, self._configure_instance)
        self.robot = Robot(
            parameters, {name: declared.values for name, declared in self._instances.items()},
            instances.Duties(self, self.pace, parameters.robot_id, self._pose))
        self._has_tasks = any(instance.duties for instance in self.robot.instances.values())
        self._transform = (
            Transform(self, parameters.frame) if parameters.pose_source == 'tf' else None)
        self._twin_logged = False

        self._out = self.create_publisher(
            String, parameters.send_topic, copy(NEIGHBOURHOOD),
            qos_overriding_options=overridable())
        self._outputs = [Outputs(self, instance) for instance in self.robot.instances.values()]
        self._diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', EVENTS)
        self._listen('neighbourhood', String, self._hear, NEIGHBOURHOOD)
        self._listen('odom', Odometry, self._odometry, SENSOR)
        if self.robot.metric.needs_measurements:
            self._listen('measurements', Float64MultiArray, self._measure, SENSOR)
        for instance in self.robot.instances.values():
            subscribe(self, instance)

        self._last_look = self._last_beat = float('-inf')
        first = phase(parameters.round_phase, parameters.robot_id) * parameters.round_period
        self._heartbeat = self._timer(max(first, SHORTEST_TIMER), self._on_heartbeat)
        self._in_phase = False
        self._reaction = self._timer(parameters.reactive_interval, self._on_reaction)
        self._reaction.cancel()
        self._timer(parameters.diagnostics_period, self._diagnose)

    def _listen(self, topic: str, kind: Any, callback: Any, profile: Any) -> None:
        self.create_subscription(
            kind, topic, callback, copy(profile), qos_overriding_options=overridable())

    def _timer(self, period: float, callback: Callable[[], None]) -> Any:
        return self.create_timer(period, callback, clock=self.pace)

    def _pose(self) -> tuple[float, float, float] | None:
        return self.robot.pose(self._now())

    def _now(self) -> float:
        return clock.seconds(self.pace)

    def _configure(self, parameters: ElectionParameters) -> None:
        period = parameters.round_period
        if period != self.robot.parameters.round_period:
            self._set_timer(self._heartbeat, period)
        self.robot.configure(parameters)

    def _configure_instance(self, name: str, parameters: InstanceParameters) -> None:
        self.robot.configure_instance(name, parameters)

    @staticmethod
    def _set_timer(timer: Any, period: float) -> None:
        timer.timer_period_ns = int(period * 1e9)
        timer.reset()

    # What comes in.

    def _odometry(self, message: Odometry) -> None:
        point, origin = message.pose.pose.position, None
        if message.header.frame_id == self.robot.parameters.frame:
            origin = IDENTITY
        elif self._transform is not None:
            origin = self._transform.origin(message.header.frame_id)
            if origin is None:
                self.robot.counts[ODOMETRY_WITHOUT_TRANSFORM] += 1
                return
        turn = message.pose.pose.orientation
        yaw = yaw_of((turn.x, turn.y, turn.z, turn.w)) if self._has_tasks else None
        self.robot.odometry((point.x, point.y, point.z), self._now(), origin, yaw)

    def _measure(self, message: Float64MultiArray) -> None:
        self.robot.measure(message.data, self._now())

    def _hear(self, message: String) -> None:
        now = self._now()
        if self.robot.hear(message.data, now) and self.robot.parameters.schedule == 'reactive':
            pause = wait(self._last_look, now, self.robot.parameters.reactive_interval)
            if pause < SHORTEST_TIMER:
                self._look(now)
            elif self._reaction.is_canceled():
                self._set_timer(self._reaction, pause)
        if self.robot.twin_heard is not None and not self._twin_logged:
            self._twin_logged = True
            self.get_logger().error(
                f'another robot goes by id {self.robot.parameters.robot_id}: '
                'give each robot its own robot_id')

    # What goes out.

    def _on_heartbeat(self) -> None:
        now, period = self._now(), self.robot.parameters.round_period
        if 0.0 <= now - self._last_beat < 0.5 * period:
            # A tick of the first, short period, overdue since the node was not spun yet.
            return
        if not self._in_phase:
            self._in_phase = True
            self._set_timer(self._heartbeat, period)
        self._last_beat = now
        self._round(now)

    def _on_reaction(self) -> None:
        self._look(self._now())

    def _look(self, now: float) -> None:
        """Run a round if it would change something."""
        self._reaction.cancel()
        self._last_look = now
        if self.robot.would_change(now):
            self._round(now)

    def _round(self, now: float) -> None:
        self._reaction.cancel()
        self._last_look = now
        self._out.publish(String(data=self.robot.round(now)))
        for outputs in self._outputs:
            outputs.publish(self.robot)
        self._tell_troubles()

    def _tell_troubles(self) -> None:
        """Log the first error of each task, once."""
        for instance in self.robot.instances.values():
            for duty in instance.duties:
                if duty.trouble and not duty.logged:
                    duty.logged = True
                    self.get_logger().error(f'task {duty.name}: {duty.trouble}')

    def _diagnose(self) -> None:
        message = DiagnosticArray()
        message.header.stamp = self.get_clock().now().to_msg()
        name = f'{self.get_namespace().strip("/") or "robot"}: {self.get_name()}'
        message.status = [status(self.robot, name, self._now())]
        self._diagnostics.publish(message)

    def close(self) -> None:
        """Stop the tasks; called before the end."""
        self.robot.close()


def main() -> int:
    """Run one robot's node until it is stopped; return the exit status."""
    return run(lambda: [ElectionNode()])
