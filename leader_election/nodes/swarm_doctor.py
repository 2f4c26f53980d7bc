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

"""The command ``swarm_doctor``: gathers what the checks look at, and tells what they find."""

from collections.abc import Sequence
from copy import copy
from functools import partial
import math
import os
import re
import sys
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from leader_election.command_line import ExitStatus, print_error
from leader_election.doctor import command
from leader_election.doctor.checks import about, examine
from leader_election.doctor.observations import (
    CLOCK,
    Endpoint,
    find_radio_topics,
    Heard,
    IS_LEADER,
    Neighbours,
    Observations,
    ODOMETRY,
    Reading,
    Status,
    TEXT,
)
from leader_election.nodes import clock
from leader_election.nodes.declare import overrides
from leader_election.nodes.process import make_executor, StopRequest
from leader_election.nodes.qos import NEIGHBOURHOOD, SENSOR, STATE
from leader_election.parameters import ParameterError
from nav_msgs.msg import Odometry
import rclpy
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from rclpy.topic_endpoint_info import TopicEndpointInfo
from rclpy.utilities import remove_ros_args
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Int64MultiArray, String

LOOK = 0.5
"""Time between two looks at who publishes what [s]."""
ENDLESS = 1e9
"""A deadline that is as long is none [s]."""
ENVIRONMENT = {'ROS_DOMAIN_ID': '0', 'RMW_IMPLEMENTATION': '',
               'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET', 'ROS_STATIC_PEERS': ''}
"""What decides whom DDS finds, and how it is where it is not set."""


class SwarmDoctor(Node):
    """
    Listens, and says nothing: it has no parameters to serve, no log to publish, no topic.

    All is heard best effort, so that no robot waits for it or repeats anything for it; but for
    ``neighbours``, which are latched: only the last is kept of them, so nobody waits either.
    """

    def __init__(self, wanted: Any) -> None:
        """:param wanted: the options."""
        super().__init__(f'swarm_doctor_{os.getpid()}', enable_rosout=False,
                         start_parameter_services=False, use_global_arguments=False,
                         parameter_overrides=overrides({'start_type_description_service': False}))
        self._wanted = wanted
        self._steady_clock = clock.steady_clock(self)
        self._begin = clock.seconds(self._steady_clock)
        self._messages: list[Heard] = []
        self._odometry: dict[str, list[Reading]] = {}
        self._diagnostics: list[Status] = []
        self._neighbours: dict[str, list[Neighbours]] = {}
        self._ticks: list[float] = []
        self._listening: set[tuple[str, str]] = set()
        stream = QoSProfile(depth=1000, reliability=QoSReliabilityPolicy.BEST_EFFORT)
        self.create_subscription(DiagnosticArray, '/diagnostics', self._hear_status, stream)
        self.create_timer(LOOK, self._look, clock=self._steady_clock)
        self._look()

    def _now(self) -> float:
        return clock.seconds(self._steady_clock)

    # Whom to listen to.

    def _look(self) -> None:
        """Listen to what has come up."""
        topics = self.get_topic_names_and_types()
        talk = [topic for topic, types in topics
                if TEXT in types or topic.rpartition('/')[2] == IS_LEADER]
        radio = find_radio_topics(Observations(
            0.0, endpoints=self._endpoints(talk), radio_topics=self._wanted.radio_topics))
        for topic, types in topics:
            for kind in types:
                if (topic, kind) not in self._listening and (kind != TEXT or topic in radio):
                    self._listening.add((topic, kind))
                    self._listen(topic, kind)

    def _listen(self, topic: str, kind: str) -> None:
        last = topic.rpartition('/')[2]
        if kind == TEXT:
            self.create_subscription(
                String, topic, partial(self._hear, topic), copy(NEIGHBOURHOOD))
        elif kind == ODOMETRY:
            self.create_subscription(
                Odometry, topic, partial(self._hear_odometry, topic), copy(SENSOR))
        elif kind == 'std_msgs/msg/Int64MultiArray' and last == 'neighbours':
            robot = topic.rpartition('/')[0].strip('/')
            self.create_subscription(
                Int64MultiArray, topic, partial(self._hear_neighbours, robot), copy(STATE))
        elif topic == CLOCK:
            self.create_subscription(Clock, topic, self._hear_clock, copy(SENSOR))

    # What is heard.

    def _hear(self, topic: str, message: String, about: dict[str, int]) -> None:
        came, received = self._arrival(about)
        sent = (about.get('source_timestamp') or 0) * 1e-9
        self._messages.append(
            Heard(received, message.data, topic, came - sent if sent > 0.0 else None))

    def _hear_odometry(self, topic: str, message: Odometry, about: dict[str, int]) -> None:
        came, received = self._arrival(about)
        stamp = message.header.stamp.sec + message.header.stamp.nanosec * 1e-9
        place = message.pose.pose.position
        self._odometry.setdefault(topic, []).append(Reading(
            received, stamp, came - stamp, message.header.frame_id, message.child_frame_id,
            (place.x, place.y)))

    def _arrival(self, about: dict[str, int]) -> tuple[float, float]:
        """
        Return when a message came, by the time of day and by the steady clock [s].

        That is when DDS took it in: making subscriptions can keep this process busy for seconds.
        """
        here, now = clock.seconds(self.get_clock()), self._now()
        came = (about.get('received_timestamp') or 0) * 1e-9
        # Where the middleware does not tell, or the clock was set meanwhile: now.
        waited = here - came if 0.0 <= here - came <= now - self._begin else 0.0
        return here - waited, now - waited

    def _hear_neighbours(self, robot: str, message: Int64MultiArray) -> None:
        self._neighbours.setdefault(robot, []).append(
            Neighbours(self._now(), tuple(message.data)))

    def _hear_clock(self, message: Clock) -> None:
        self._ticks.append(message.clock.sec + message.clock.nanosec * 1e-9)

    def _hear_status(self, message: DiagnosticArray) -> None:
        """Keep what robots say of themselves: their hardware has an id, each concern a status."""
        concerns: dict[tuple[str, int], list[DiagnosticStatus]] = {}
        for status in message.status:
            found = re.fullmatch(r'robot (\d+)', status.hardware_id)
            robot, colon, _ = status.name.partition(': ')
            if found and colon:
                concerns.setdefault((robot, int(found[1])), []).append(status)
        for (robot, robot_id), told in concerns.items():
            worst = max(told, key=lambda status: status.level[0])
            self._diagnostics.append(Status(
                self._now(), robot, robot_id, worst.level[0], worst.message,
                {value.key: value.value for status in told for value in status.values}))

    # What comes of it.

    def observations(self) -> Observations:
        """Return all that was seen and heard up to now."""
        now = self._now()
        return Observations(
            now - self._begin, now, self._messages, self._odometry, self._diagnostics,
            self._neighbours,
            self._endpoints([topic for topic, _ in self.get_topic_names_and_types()]), self._ticks,
            {name: os.environ.get(name, usual) for name, usual in ENVIRONMENT.items()
             if os.environ.get(name, usual)},
            self._wanted.expected, bool(self._wanted.fleet_file) and not self._wanted.robot,
            self._wanted.radio_topics)

    def _endpoints(self, topics: Sequence[str]) -> list[Endpoint]:
        own = self.get_fully_qualified_name()
        found = [_endpoint(topic, writes, info)
                 for topic in topics
                 for writes, ask in ((True, self.get_publishers_info_by_topic),
                                     (False, self.get_subscriptions_info_by_topic))
                 for info in ask(topic)]
        return [endpoint for endpoint in found if endpoint.node != own]


def _endpoint(topic: str, writes: bool, info: TopicEndpointInfo) -> Endpoint:
    profile = info.qos_profile
    deadline = profile.deadline.nanoseconds * 1e-9
    return Endpoint(
        topic, info.topic_type, writes, f'{info.node_namespace.rstrip("/")}/{info.node_name}',
        profile.reliability == QoSReliabilityPolicy.RELIABLE,
        profile.durability == QoSDurabilityPolicy.TRANSIENT_LOCAL,
        # None is as good as none that anybody waits for.
        deadline if 0.0 < deadline < ENDLESS else math.inf)


def listen(wanted: Any) -> Observations | None:
    """Listen for as long as is wanted; return ``None`` where somebody stops it before."""
    stop = StopRequest()
    stop.listen()
    doctor = SwarmDoctor(wanted)
    # The events executor of rclpy 7.1 cannot say when a message was sent.
    executor = make_executor('single')
    executor.add_node(doctor)
    end = time.monotonic() + wanted.seconds
    while not stop.made and time.monotonic() < end:
        executor.spin_once(timeout_sec=max(min(0.1, end - time.monotonic()), 0.0))
    seen = None if stop.made else doctor.observations()
    doctor.destroy_node()
    return seen


def main() -> int:
    """Listen, and tell what was found; return the exit status."""
    try:
        wanted = command.parse(remove_ros_args(sys.argv)[1:])
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        seen = listen(wanted)
    except (ParameterError, RuntimeError) as error:
        return print_error(error)
    finally:
        rclpy.try_shutdown()
    if seen is None:
        return ExitStatus.INTERRUPTED
    findings = examine(seen)
    if wanted.robot:
        findings = about(findings, wanted.robot)
    tell = command.document if wanted.json else command.text
    # A terminal may not have all letters that robots' names are made of.
    sys.stdout.reconfigure(errors='backslashreplace')  # type: ignore[union-attr]
    print(tell(seen, findings), end='', flush=True)
    return command.status(findings)
