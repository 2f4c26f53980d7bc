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

"""The node ``record``: records the topics of a swarm to a file (MCAP), without decoding."""

from datetime import datetime
from functools import cache
from importlib import import_module
import json
import math
import os
from pathlib import Path
import sys
from typing import Any

from leader_election.parameters import ParameterError
from leader_election.parameters.registry import message_type
from leader_election.ros.nodes import clock, process
from leader_election.ros.nodes.declare import declare_all, overrides
from leader_election.ros.nodes.qos import BEST_EFFORT, LATCHED
from leader_election.swarm.recording import options as recording_options
from leader_election.swarm.recording.content import ODOMETRY
from leader_election.swarm.view.formatting import count
from mcap.well_known import MessageEncoding, Profile, SchemaEncoding
from mcap.writer import CompressionType, Writer
from rclpy.node import Node
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from rclpy.utilities import remove_ros_args

DISCOVERY_PERIOD = 1.0
FLUSH_PERIOD = 2.0
"""At most this much is lost when the process is killed or the power fails [s]."""
LARGEST_CHUNK = 4 * 2**20


class Recording:
    """
    A file of serialised messages (CDR), with the definitions that are needed to read them.

    Messages written before the last :meth:`flush` survive the end of the process and a loss of
    power. :meth:`close` adds the index at the end of the file.

    :raises OSError: when the file exists already or cannot be written. All methods do so.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.messages = 0
        """Number of messages written."""
        self._file = path.open('xb')
        self._writer = Writer(
            self._file, chunk_size=LARGEST_CHUNK, compression=CompressionType.ZSTD)
        self._writer.start(Profile.ROS2, 'leader_election')
        # Robots share types: each is defined once.
        self._schema = cache(self._writer.register_schema)
        self._channels: dict[str, int] = {}

    def add_topic(self, topic: str, kind: str, definition: str, offers: str) -> None:
        """
        Declare a topic, unless it is declared already.

        :param kind: the type of its messages, for example ``std_msgs/msg/Int64``.
        :param definition: of the type, by :func:`message_definition`.
        :param offers: by :func:`leader_election.swarm.recording.options.rosbag2_qos`.
        """
        if topic not in self._channels:
            schema = self._schema(kind, SchemaEncoding.ROS2, definition.encode())
            self._channels[topic] = self._writer.register_channel(
                topic, MessageEncoding.CDR, schema, {'offered_qos_profiles': offers})

    def write(self, topic: str, data: bytes, now: int) -> None:
        """Write a message of a declared topic; ``now`` is the time of its receipt [ns]."""
        self.messages += 1
        self._writer.add_message(self._channels[topic], now, data, now)

    def flush(self) -> None:
        """Write all buffered messages to the file, and the file to the disk."""
        self._writer.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Write the index and close the file."""
        with self._file:
            self._writer.finish()


class Recorder(Node):
    """
    Subscribes to topics as they appear, and writes their messages to a file.

    :ivar recording: the file.
    :ivar failure: the error that ended the recording, ``None`` for no error.
    """

    def __init__(self, **options: Any) -> None:
        """
        Declare the parameters, create the file and subscribe.

        :param options: for ``rclpy.node.Node``, such as ``parameter_overrides``.
        :raises ParameterError: when the value of a parameter is not allowed, or the file cannot be
            created.
        """
        super().__init__('record', **options)
        self.failure: ParameterError | None = None
        self.parameters = declare_all(self, recording_options.RecorderParameters).values
        path = Path(self.parameters.output or f'recording_{datetime.now():%Y-%m-%d_%H-%M-%S}.mcap')
        try:
            self.recording = Recording(path)
        except OSError as error:
            raise ParameterError('output', problem=f': {str(path)!r} is not allowed: '
                                 f'{error.strerror}; it takes a new file in a folder that '
                                 'exists') from None
        self._recorded: dict[str, bool] = {}
        """The topics found, and whether their type is known."""
        steady_clock = clock.steady_clock(self)
        clock.create_timer(self, DISCOVERY_PERIOD, self.discover, steady_clock)
        clock.create_timer(
            self, FLUSH_PERIOD, lambda: self._attempt(self.recording.flush), steady_clock)
        self.discover()

    def discover(self) -> None:
        """Search for topics to be recorded, and subscribe to new ones."""
        for topic, kinds in self.get_topic_names_and_types():
            if topic not in self._recorded and recording_options.is_recorded(
                    topic, kinds[0], self.parameters):
                self._subscribe(topic, kinds[0])

    def _subscribe(self, topic: str, kind: str) -> None:
        """Subscribe compatibly with all publishers of a topic, once it has one."""
        publishers = self.get_publishers_info_by_topic(topic)
        if not publishers:
            return
        offers = [publisher.qos_profile for publisher in publishers]
        # The strictest one that is compatible with all. The depth holds a large swarm's round.
        profile = QoSProfile(depth=1000, reliability=BEST_EFFORT)
        if all(each.reliability == QoSReliabilityPolicy.RELIABLE for each in offers):
            profile.reliability = QoSReliabilityPolicy.RELIABLE
        if all(each.durability == LATCHED for each in offers):
            profile.durability = LATCHED
        try:
            self.recording.add_topic(topic, kind, message_definition(kind),
                                     recording_options.rosbag2_qos(
                (each.reliability.name.lower(), each.durability.name.lower()) for each in offers))
            self.create_subscription(
                message_type(kind), topic, self._writer(topic, kind), profile, raw=True)
            self._recorded[topic] = True
        except (OSError, ImportError, AttributeError, LookupError, ValueError) as error:
            self._recorded[topic] = False
            self.get_logger().warning(f'{topic} is not recorded: type {kind} is not known here '
                                      f'({error})')

    def _writer(self, topic: str, kind: str) -> Any:
        """Return the callback that writes the messages of this topic."""
        # 5 % of tolerance, or jitter would drop every other message of a publisher at exactly
        # this rate. A time before the last one means that a clock was set: it passes.
        least = 0.95e9 / self.parameters.odom_rate if kind == ODOMETRY else 0.0
        now, last = self.get_clock().now, -math.inf

        def write(data: bytes) -> None:
            nonlocal last
            time = now().nanoseconds
            if not 0.0 <= time - last < least:
                last = time
                self._attempt(lambda: self.recording.write(topic, data, time))
        return write

    def _attempt(self, write: Any) -> None:
        """Write to the file. An error ends the process, since nothing more can be recorded."""
        if self.failure is not None:
            return
        try:
            write()
        except OSError as error:
            self.failure = ParameterError(
                f'{self.recording.path}: {error.strerror}; the recording ends here')

    def close(self) -> None:
        """Close the file. Called before the process ends."""
        try:
            self.recording.close()
        except OSError:
            # The error was reported already. The file can be read up to it.
            return
        print(f'wrote {self.recording.path}: {self.recording.messages} messages of '
              f'{count(sum(self._recorded.values()), "topic")}')


@cache
def message_definition(kind: str) -> str:
    """
    Return the text that defines a message type and all types in it, in the form of ``ros2msg``.

    That is the ``.msg`` file of the type, then those of all types in it, each after a line of 80
    equals signs and ``MSG: name`` (https://mcap.dev/spec/registry).

    :param kind: for example ``geometry_msgs/msg/Pose``.
    :raises FileNotFoundError: if there are no such files.
    """
    described = json.loads(_shared(kind, '.json'))['type_description_msg']
    names = [each['type_name'] for each in described['referenced_type_descriptions']]
    return '\n'.join([_shared(kind, '.msg').strip('\n'), *(
        f'{"=" * 80}\nMSG: {name.replace("/msg/", "/")}\n' + _shared(name, '.msg').strip('\n')
        for name in names)])


def _shared(kind: str, suffix: str) -> str:
    """
    Return a file of a message type, from the folder ``share`` above the package's module.

    It exists in a sourced ROS, in a colcon workspace and in installed wheels.
    """
    module = Path(str(import_module(kind.partition('/')[0]).__file__))
    for folder in module.parents:
        file = folder / 'share' / f'{kind}{suffix}'
        if file.is_file():
            return file.read_text(encoding='utf-8')
    raise FileNotFoundError(f'no {kind}{suffix} above {module}')


def main() -> int:
    """Record until it is stopped, and return the exit status."""
    given = recording_options.recorder_options(remove_ros_args(sys.argv)[1:])
    return process.run(lambda: [Recorder(parameter_overrides=overrides(given))], sys.argv)
