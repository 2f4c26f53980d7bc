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

"""The node ``record``: writes what a swarm says to a file (MCAP), each message as it came."""

from datetime import datetime
from functools import cache
from importlib import import_module
from pathlib import Path
import sys
from typing import Any

from leader_election.nodes import clock, process
from leader_election.nodes.declare import Declared, overrides
from leader_election.parameters import ParameterError
from leader_election.recording.mcap_writer import definition, Recording
from leader_election.recording.options import recorder_options, RecorderParameters
from leader_election.recording.subscriptions import (
    BEST_EFFORT,
    ODOMETRY,
    Offer,
    RELIABLE,
    suiting,
    Thinning,
    TRANSIENT_LOCAL,
    VOLATILE,
    wanted,
    written_down,
)
from leader_election.robot.message_type import message_type
from leader_election.view.formatting import count
from rclpy.node import Node
from rclpy.qos import (
    QoSDurabilityPolicy,
    QoSHistoryPolicy,
    QoSProfile,
    QoSReliabilityPolicy,
)
from rclpy.utilities import remove_ros_args

DEPTH = 1000
"""So many messages of a topic wait for the recorder: those of a whole swarm's round."""
TURNS = 10
"""Each topic's publishers are looked at anew once in so many looks for topics."""

RELIABILITIES = {BEST_EFFORT: QoSReliabilityPolicy.BEST_EFFORT,
                 RELIABLE: QoSReliabilityPolicy.RELIABLE}
DURABILITIES = {VOLATILE: QoSDurabilityPolicy.VOLATILE,
                TRANSIENT_LOCAL: QoSDurabilityPolicy.TRANSIENT_LOCAL}


class Recorder(Node):
    """
    Subscribes to topics as they come up, and writes their messages down.

    :ivar recording: the file.
    :ivar failure: why it cannot be written any more; ``None``: it can.
    """

    def __init__(self, **options: Any) -> None:
        """
        Declare the parameters, open the file and look for topics.

        :param options: for ``rclpy.node.Node``, such as ``parameter_overrides``.
        :raises ParameterError: when a parameter is wrong, or the file cannot be made.
        """
        super().__init__('record', **options)
        self.failure: ParameterError | None = None
        self.parameters = Declared(self, RecorderParameters).values
        self.executor_kind = self.parameters.executor
        path = Path(self.parameters.output or f'recording_{datetime.now():%Y-%m-%d_%H-%M-%S}.mcap')
        try:
            self.recording = Recording(path)
        except OSError as error:
            raise ParameterError(f'parameter output: {str(path)!r} is not allowed: '
                                 f'{error.strerror}; it takes a new file in a folder that exists'
                                 ) from None
        self._heard: dict[str, tuple[Offer, Any]] = {}
        self._refused: set[str] = set()
        self._turn = 0
        steady_clock = clock.steady_clock(self)
        self.create_timer(self.parameters.discovery_period, self.discover, clock=steady_clock)
        self.create_timer(self.parameters.flush_period, self._flush, clock=steady_clock)
        self.discover()

    def discover(self) -> None:
        """Look for topics that are to be recorded, and subscribe to those that are new."""
        self._turn += 1
        for number, (topic, kinds) in enumerate(self.get_topic_names_and_types()):
            known = topic in self._heard
            if topic in self._refused or (known and (number + self._turn) % TURNS):
                continue
            if wanted(topic, kinds[0], self.parameters):
                self._subscribe(topic, kinds[0])

    def _subscribe(self, topic: str, kind: str) -> None:
        """Subscribe so that all publishers of a topic are heard, anew where that has changed."""
        publishers = self.get_publishers_info_by_topic(topic)
        if not publishers:
            return
        offers = [_offer(publisher.qos_profile) for publisher in publishers]
        asked = suiting(offers)
        if topic in self._heard:
            if self._heard[topic][0] == asked:
                return
            self.destroy_subscription(self._heard.pop(topic)[1])
        try:
            self.recording.add_topic(topic, kind, definition(kind, message_file),
                                     written_down(offers), str(publishers[0].topic_type_hash))
            subscription = self.create_subscription(
                message_type(kind), topic, self._writer(topic, kind), _profile(asked), raw=True)
        except (OSError, ImportError, AttributeError, ValueError) as error:
            self._refused.add(topic)
            self.get_logger().warning(f'{topic} is not recorded: type {kind} is not known here '
                                      f'({error})')
            return
        self._heard[topic] = (asked, subscription)

    def _writer(self, topic: str, kind: str) -> Any:
        """Return what writes a message of this topic down."""
        thinning = Thinning(self.parameters.odom_rate) if kind == ODOMETRY else None
        now = self.get_clock().now

        def write(data: bytes) -> None:
            time = now().nanoseconds
            if thinning is None or thinning.passes(time * 1e-9):
                self._attempt(lambda: self.recording.write(topic, data, time))
        return write

    def _flush(self) -> None:
        self._attempt(self.recording.flush)

    def _attempt(self, write: Any) -> None:
        """Write; where that is not possible any more, the process ends: nothing is left to do."""
        if self.failure is not None:
            return
        try:
            write()
        except OSError as error:
            self.failure = ParameterError(
                f'{self.recording.path}: {error.strerror}; the recording ends here')

    def close(self) -> None:
        """Finish the file; called before the end."""
        try:
            self.recording.close()
        except OSError:
            # It was told already, and what is whole can be read.
            return
        print(f'wrote {self.recording.path}: {self.recording.messages} messages of '
              f'{count(len(self._heard), "topic")}')


def _offer(profile: QoSProfile) -> Offer:
    return Offer(profile.reliability.name.lower(), profile.durability.name.lower())


def _profile(asked: Offer) -> QoSProfile:
    return QoSProfile(
        history=QoSHistoryPolicy.KEEP_LAST, depth=DEPTH,
        reliability=RELIABILITIES[asked.reliability],
        durability=DURABILITIES[asked.durability])


@cache
def message_file(package: str, name: str) -> str:
    """
    Return the text of a ``.msg`` file, out of the folder ``share`` above the package's module.

    That is where it is in a sourced ROS, in a workspace of colcon and where wheels are installed.
    """
    module = Path(str(import_module(package).__file__))
    for folder in module.parents:
        file = folder / 'share' / package / 'msg' / f'{name}.msg'
        if file.is_file():
            return file.read_text()
    raise FileNotFoundError(f'no {package}/msg/{name}.msg above {module}')


def main() -> int:
    """Record until stopped; return the exit status."""
    given = recorder_options(remove_ros_args(sys.argv)[1:])
    return process.run(lambda: [Recorder(parameter_overrides=overrides(given))], sys.argv)
