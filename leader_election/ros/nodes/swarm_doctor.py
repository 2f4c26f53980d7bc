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

"""The command ``swarm_doctor``: observes a swarm, checks the observations, prints a report."""

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
import os
from pathlib import Path
import shutil
import sys
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.election.messages.codec import Message
from leader_election.election.messages.wire import usual_namespace
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import ExitStatus, print_error
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.process import init_ros, spin, StopRequest
from leader_election.ros.nodes.qos import NEIGHBOURHOOD, SENSOR, STATE, STREAM
from leader_election.swarm.doctor import communication, diagnoses
from leader_election.swarm.doctor import observations as observed
from leader_election.swarm.doctor.diagnoses import choose, examine, swarm_topics
from leader_election.swarm.fleet.receive_buffers import buffer_sizes
from leader_election.swarm.tracker import MAX_ROBOTS
from nav_msgs.msg import Odometry
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSReliabilityPolicy
from rclpy.subscription import Subscription
from rclpy.topic_endpoint_info import TopicEndpointInfo
from rclpy.utilities import remove_ros_args
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String

DISCOVERY_PERIOD = 0.5
SETTLED = 1.5
"""Discovery has settled once no new topic was found for this time [s]."""
SEARCH_LIMIT = 20.0
UDP_SOCKETS = Path('/proc/net/udp')
ENVIRONMENT = {'ROS_DOMAIN_ID': '0', 'RMW_IMPLEMENTATION': '',
               'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET', 'ROS_STATIC_PEERS': ''}
"""The environment variables that discovery depends on, with their defaults."""


class SwarmDoctor(Node):
    """
    Observes a swarm without an effect on it: no parameter service, no log, no publisher.

    Subscriptions are best effort, so that no robot waits for the observer or resends messages
    to it. Only ``robots`` of a monitor, which is latched, is reliable.
    """

    def __init__(self, options: Any) -> None:
        """
        Subscribe to all topics of interest.

        :param options: by :func:`leader_election.swarm.doctor.diagnoses.parse`.
        """
        super().__init__(f'swarm_doctor_{os.getpid()}', enable_rosout=False,
                         start_parameter_services=False, use_global_arguments=False,
                         parameter_overrides=overrides({'start_type_description_service': False}))
        self._options = options
        self._steady_clock = clock.steady_clock(self)
        self._known: dict[tuple[str, int], str] = {}
        """The names of earlier robots by the topic of their swarm and id."""
        self._messages: list[observed.HeardMessage] = []
        self._radio: dict[str, Subscription] = {}
        """By topic: subscriptions to the messages between robots."""
        self._subscribed: set[tuple[str, str]] = set()
        """Topic and type."""
        self._found = self._now()
        """When the latest new topic was found [s]."""
        self.listen()
        self.create_subscription(DiagnosticArray, '/diagnostics', self._hear_status, STREAM)
        clock.create_timer(self, DISCOVERY_PERIOD, self._discover, self._steady_clock)
        self._discover()

    def _now(self) -> float:
        return clock.seconds(self._steady_clock)

    # Subscriptions.

    def _discover(self) -> None:
        """Subscribe to new topics."""
        topics = self.get_topic_names_and_types()
        candidates = [topic for topic, types in topics
                      if observed.TEXT in types or topic.rpartition('/')[2] == observed.IS_LEADER]
        radio = observed.find_radio_topics(observed.Observations(
            0.0, endpoints=self._endpoints(candidates), radio_topics=self._options.radio_topics))
        for topic, types in topics:
            for kind in types:
                if (topic, kind) not in self._subscribed and (
                        kind != observed.TEXT or topic in radio):
                    self._subscribed.add((topic, kind))
                    self._subscribe(topic, kind)
                    # Subscribing takes long with many robots.
                    self._found = self._now()

    def is_settled(self) -> bool:
        """Return whether no new topic was found lately."""
        return self._now() - self._found >= SETTLED

    def listen(self) -> None:
        """
        Observe from now on: discard earlier messages, except those of latched topics.

        The topics of many robots are found and subscribed to one after another, within seconds.
        Messages of that time are missing for some robots, which would count as lost.
        """
        self._begin = self._now()
        for heard in self._messages:
            if isinstance(message := observed.decode(heard.payload), Message):
                name = message.names.get(message.id) or usual_namespace(heard.topic, message.id)
                self._know(heard.topic, message.id, name)
        self._messages.clear()
        self._odometry: dict[str, list[observed.OdometryReading]] = {}
        self._diagnostics: list[observed.RobotReport] = []
        self._links: dict[str, vocabulary.Status] = {}
        """The last status of each link, by its hardware id."""
        self._ticks: list[tuple[float, float]] = []
        """Time of receipt and simulated time [s]."""

    def _subscribe(self, topic: str, kind: str) -> None:
        last = topic.rpartition('/')[2]
        if kind == observed.TEXT:
            self._radio[topic] = self.create_subscription(
                String, topic, partial(self._hear, topic), copy(NEIGHBOURHOOD))
        elif kind == observed.ODOMETRY:
            self.create_subscription(
                Odometry, topic, partial(self._hear_odometry, topic), copy(SENSOR))
        elif kind == 'diagnostic_msgs/msg/DiagnosticArray' and last == 'robots':
            self.create_subscription(
                DiagnosticArray, topic, partial(self._hear_names, topic), copy(STATE))
        elif topic == observed.CLOCK:
            self.create_subscription(Clock, topic, self._hear_clock, copy(SENSOR))

    # Callbacks.

    def _hear(self, topic: str, message: String, about: dict[str, int]) -> None:
        """
        Take a message, and all that wait behind it.

        The executor takes one message of each topic in turn. The odometry of many robots, a topic
        each, would leave one message of the topic that all share for dozens of odometry.
        """
        self._note(topic, message, about)
        waiting = self._radio[topic].handle
        with waiting:
            while (taken := waiting.take_message(String, False)) is not None:
                self._note(topic, *taken)

    def _note(self, topic: str, message: String, about: dict[str, int]) -> None:
        came, received = self._arrival(about)
        sent = (about.get('source_timestamp') or 0) * 1e-9
        self._messages.append(
            observed.HeardMessage(received, message.data, topic,
                                  came - sent if sent > 0.0 else None))

    def _hear_odometry(self, topic: str, message: Odometry, about: dict[str, int]) -> None:
        came, received = self._arrival(about)
        self._odometry.setdefault(topic, []).append(observed.OdometryReading(
            received, came - clock.of_stamp(message.header.stamp)))

    def _arrival(self, about: dict[str, int]) -> tuple[float, float]:
        """
        Return the time of a message's arrival, as time of day and by the steady clock [s].

        It is the time at which DDS received it: creating subscriptions can block this process for
        seconds.
        """
        here, now = clock.seconds(self.get_clock()), self._now()
        came = (about.get('received_timestamp') or 0) * 1e-9
        # Now, if the middleware does not report it or the clock was set meanwhile.
        waited = here - came if 0.0 <= here - came <= now - self._begin else 0.0
        return here - waited, now - waited

    def _hear_names(self, topic: str, message: DiagnosticArray) -> None:
        """Add the robots that a monitor has seen."""
        radio = f'{observed.space_of(topic)}/{observed.RADIO[0]}'
        for status in map(vocabulary.status_of, message.status):
            for key, name in status.values.items():
                if key.isdecimal() and len(key) <= vocabulary.MAX_DIGITS:
                    self._know(radio, int(key), name)

    def _know(self, topic: str, robot_id: int, name: str) -> None:
        if len(self._known) < MAX_ROBOTS:
            self._known[topic, robot_id] = name.strip('/')

    def _hear_clock(self, message: Clock) -> None:
        self._ticks.append((self._now(), clock.of_stamp(message.clock)))

    def _hear_status(self, message: DiagnosticArray) -> None:
        """Add a report of each robot in a message, from the statuses of all its concerns."""
        by_robot: dict[tuple[str, int], list[vocabulary.RobotStatus]] = {}
        found = [*map(vocabulary.status_of, message.status)]
        self._links |= {status.hardware_id: status for status in found
                        if status.name.endswith(f': {vocabulary.LINK}')}
        for status in vocabulary.robot_statuses(found):
            by_robot.setdefault((status.robot, status.id), []).append(status)
        for (robot, robot_id), statuses in by_robot.items():
            worst = max(statuses, key=lambda status: status.level)
            self._diagnostics.append(observed.RobotReport(
                received=self._now(), robot=robot, id=robot_id, level=worst.level,
                message=worst.message,
                values={key: text for status in statuses for key, text in status.values.items()}))

    # Results.

    def observations(self) -> observed.Observations:
        """Return all observations up to now."""
        now = self._now()
        domain = self.context.get_domain_id()
        # Other systems than Linux have no such file.
        sockets = UDP_SOCKETS.read_text(encoding='utf-8') if UDP_SOCKETS.exists() else ''
        topics = [topic for topic, _ in self.get_topic_names_and_types()]
        return observed.Observations(
            seconds=now - self._begin, end=now, messages=self._messages, odometry=self._odometry,
            diagnostics=self._diagnostics, links=[*self._links.values()],
            endpoints=self._endpoints(topics),
            clock=[time for _, time in self._ticks], pace=self.pace(),
            environment={name: text for name, default in ENVIRONMENT.items()
                         if (text := os.environ.get(name, default))},
            known=[observed.KnownRobot(*key, name) for key, name in self._known.items()],
            expected=self._options.expected, planned=self._options.planned,
            radio_topics=self._options.radio_topics,
            other_domains=sorted(communication.domains(sockets) - {domain}),
            receive_buffers=buffer_sizes())

    def pace(self) -> float:
        """Return the speed of simulated time relative to real time, 1 without ``/clock``."""
        if not self._ticks:
            return 1.0
        passed = sum(max(b - a, 0.0) for (_, a), (_, b) in zip(self._ticks, self._ticks[1:]))
        return passed / max(self._ticks[-1][0] - self._ticks[0][0], 1e-9)

    def _endpoints(self, topics: Sequence[str]) -> list[observed.Endpoint]:
        own = self.get_fully_qualified_name()
        found = [_endpoint(topic, publishes, info)
                 for topic in topics
                 for publishes, ask in ((True, self.get_publishers_info_by_topic),
                                        (False, self.get_subscriptions_info_by_topic))
                 for info in ask(topic)]
        return [endpoint for endpoint in found if endpoint.node != own]


def _endpoint(topic: str, publishes: bool, info: TopicEndpointInfo) -> observed.Endpoint:
    profile = info.qos_profile
    return observed.Endpoint(
        topic=topic, type=info.topic_type, publishes=publishes,
        node=f'{info.node_namespace.rstrip("/")}/{info.node_name}',
        reliable=profile.reliability == QoSReliabilityPolicy.RELIABLE,
        latched=profile.durability == QoSDurabilityPolicy.TRANSIENT_LOCAL)


def observe(options: Any, stopped: Callable[[], bool]) -> observed.Observations | None:
    """Return the observations of the requested time after discovery, ``None`` if stopped."""
    doctor = SwarmDoctor(options)

    def wait(seconds: float, until: Callable[[], bool]) -> None:
        # The events executor of rclpy 7.1 does not report when a message was sent.
        spin([doctor], lambda: stopped() or until(), seconds, SingleThreadedExecutor())

    try:
        wait(SEARCH_LIMIT, doctor.is_settled)
        doctor.listen()
        wait(options.seconds, lambda: False)
        return None if stopped() else doctor.observations()
    finally:
        doctor.destroy_node()


def main() -> int:
    """Observe, and print the report, and return the exit status."""
    try:
        options = diagnoses.parse(remove_ros_args(sys.argv)[1:])
        init_ros()
        stop = StopRequest()
        stop.listen()
        swarm = observe(options, lambda: stop.made)
    except (ParameterError, RuntimeError) as error:
        return print_error(error)
    finally:
        rclpy.try_shutdown()
    if swarm is None:
        return ExitStatus.INTERRUPTED
    if options.topic or swarm_topics(swarm).keys() & set(options.radio_topics):
        swarm = choose(swarm, options.radio_topics)
    findings = examine(swarm)
    report = diagnoses.text(swarm, findings, min(
        shutil.get_terminal_size((diagnoses.WIDTH, 0)).columns, diagnoses.MOST_WIDTH))
    # The encoding of a terminal may lack letters of robots' names.
    sys.stdout.reconfigure(errors='backslashreplace')  # type: ignore[union-attr]
    print(report, end='', flush=True)
    return diagnoses.status(findings)
