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

"""The node of one robot."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leader_election.election.messages.swarm_key import fingerprint
from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.declare import Declarations, NO_DEFAULTS
from leader_election.ros.nodes.election import Election
from leader_election.ros.nodes.process import run
from leader_election.ros.nodes.unknown_parameters import refuse_unknown
from leader_election.ros.nodes.waiting import MissingInput
from leader_election.swarm.fleet.robot_list import format_ids
from rclpy.node import Node


def announcement(election: Election) -> str:
    """Return the line of one robot: its id, and its settings."""
    return f'robot {election.parameters.robot_id}: {settings(election)}'


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


class ElectionNode(Node):
    """
    The node of one robot, which takes part from construction to destruction.

    :ivar election: connects the robot to topics, timers and parameters.
    :ivar robot: the robot, which is independent of ROS.
    :ivar steady_clock: the clock of its timers and ages.
    """

    def __init__(self, *, defaults: Mapping[str, Any] = NO_DEFAULTS,
                 others: Sequence[type] = (), **options: Any) -> None:
        """
        Declare the parameters and start the robot.

        :param defaults: of parameters that are set neither by file nor by argument, by name.
        :param others: the parameters of a node of the same process, which gets the same arguments.
        :param options: for ``rclpy.node.Node``.
        :raises ParameterError: for a wrong parameter.
        """
        super().__init__('election_node', **options)
        refuse_unknown(self, ElectionParameters, *others, of_robot=True)
        self.election = Election(self, self._declarations(defaults))
        self.robot = self.election.robot
        self.steady_clock = self.election.steady_clock
        self.election.start()

    def _declarations(self, defaults: Mapping[str, Any]) -> Declarations:
        return Declarations(self, defaults=defaults)

    @property
    def failure(self) -> ParameterError | None:
        """Return the error that ends the process, ``None`` while there is none."""
        return self.election.failure

    def missing(self) -> list[MissingInput]:
        """Return the missing inputs of the robot."""
        return self.election.missing()

    def close(self) -> None:
        """Stop the tasks. Called before the node is destroyed."""
        self.election.close()


def main() -> int:
    """Run one robot's node until it is stopped, and return the exit status."""
    def make() -> list[Node]:
        node = ElectionNode()
        node.get_logger().info(announcement(node.election))
        return [node]

    return run(make)
