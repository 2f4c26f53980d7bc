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

"""The parameters of a robot's node, and through it of the fleet."""

from dataclasses import dataclass

from leader_election.parameters import parameter, ParameterError, ProcessParameters, REQUIRED_INT
from leader_election.robot.instance_parameters import InstanceParameters
from leader_election.robot.metrics import METRICS
from leader_election.robot.wire import MAX_ID

INFINITE = float('inf')


@dataclass(frozen=True)
class ElectionParameters(InstanceParameters, ProcessParameters):
    """What one robot is told."""

    robot_id: int = parameter(
        REQUIRED_INT, 'Number of this robot, unique in the swarm.',
        lower=0, upper=MAX_ID, required=True)

    instances: str = parameter(
        '', "The names of further instances, for example 'charging,rescue', each with parameters "
        'of its own: charging.algorithm, charging.radius, charging.tasks and so on.')
    hierarchy: str = parameter(
        '', "Leaders of leaders: the radius of each level above the first, for example '20, 50'. "
        'The levels are instances level_1, level_2 and so on.', unit='m')

    metric: str = parameter(
        'odometry', 'How far away a neighbour is: by the two positions, one each (hops), or by '
        'what topic measurements says, in metres (range) or as signal strength in dBm (rssi). '
        'Robots without odometry need a communication_range of .inf.',
        choices=METRICS.names)
    metric_floor: float = parameter(
        0.01, 'The least distance between two robots: at zero the candidacy of a dead leader '
        'would live on between two robots at the same spot.', unit='m', lower=1e-6, upper=1e6)
    rssi_at_one_metre: float = parameter(
        -40.0, 'Metric rssi: the signal strength at 1 m.', unit='dBm', lower=-200.0, upper=100.0)
    rssi_exponent: float = parameter(
        2.0, 'Metric rssi: the path loss exponent, 2 in free space.', lower=0.5, upper=10.0)

    communication_range: float = parameter(
        5.0, 'A robot farther away than this is no neighbour, even if it is heard. '
        '.inf: whoever is heard is a neighbour, even without a position.',
        unit='m', lower=0.0, upper=INFINITE, dynamic=True)
    message_expiry: float = parameter(
        3.0, 'A message counts for so long after its receipt; longer than round_period.',
        unit='s', lower=0.01, upper=1e6, dynamic=True)
    neighbour_limit: int = parameter(
        500, 'The most senders that are remembered at once.', lower=1, upper=100000)
    measurement_expiry: float = parameter(
        3.0, 'A measurement of topic measurements counts for so long.',
        unit='s', lower=0.01, upper=1e6)

    schedule: str = parameter(
        'reactive', 'When a round runs: once a period, or also when a message arrives that would '
        'change the candidacy.', choices=lambda: ('periodic', 'reactive'))
    round_period: float = parameter(
        1.0, 'Time between two rounds, each of which sends one message.',
        unit='s', lower=0.01, upper=3600.0, dynamic=True)
    round_phase: float = parameter(
        -1.0, 'When in a period the rounds run, as a fraction of it, from the start of the node. '
        'Negative: spread by the robot id.', lower=-1.0, upper=0.999999)
    reactive_interval: float = parameter(
        0.1, 'Schedule reactive: the least time from a round to one that a message calls for.',
        unit='s', lower=0.001, upper=3600.0)
    reactive_tolerance: float = parameter(
        0.1, 'Schedule reactive: a change of the distance alone that is smaller than this waits '
        'for the period.', unit='m', lower=0.0, upper=INFINITE)

    frame: str = parameter(
        'map', 'The frame that all robots share; messages of another frame are dropped.',
        empty=False)
    initial_pose: tuple[float, ...] = parameter(
        (0.0, 0.0, 0.0), 'Where odometry starts, in the shared frame: x, y, yaw, or x, y, z, '
        'roll, pitch, yaw.', unit='(m, rad)', lengths=(3, 6))
    pose_source: str = parameter(
        'odometry', 'How odometry comes into the shared frame: from initial_pose (odometry), or '
        'by the transform to the frame in its header (tf; needs tf2_ros).',
        choices=lambda: ('odometry', 'tf'))
    odometry_expiry: float = parameter(
        2.0, 'An odometry message counts for so long after its receipt; after that this robot '
        'has no position.', unit='s', lower=0.01, upper=1e6)
    odometry_timeout: float = parameter(
        0.0, 'Where positions matter and no odometry has come for so long since the start, the '
        'process ends with status 2. 0: it waits for ever.', unit='s', lower=0.0, upper=1e6)

    send_topic: str = parameter(
        'neighbourhood', 'The topic that messages are sent on, where it is not the one they are '
        'heard on, since a radio lies between.')
    diagnostics_period: float = parameter(
        1.0, 'Time between two messages on /diagnostics.', unit='s', lower=0.05, upper=3600.0)
    metrics_period: float = parameter(
        0.0, 'Time between two messages on each of the topics metrics/...; 0: there are none.',
        unit='s', lower=0.0, upper=3600.0)
    event_log: str = parameter(
        '', 'The file that a line (JSON) is added to for each event; {id} and {name} stand for '
        "the robot's id and namespace; '-', in quotes: standard output; empty: none.")

    @property
    def forms_regions(self) -> bool:
        """Return whether there is more to do than elections: levels gather, too."""
        return super().forms_regions or self.hierarchy.strip() != ''

    def __post_init__(self) -> None:
        """Refuse what makes no sense together."""
        super().__post_init__()
        if self.message_expiry <= self.round_period:
            raise ParameterError(
                f'parameter message_expiry: {self.message_expiry:g} is not allowed; it takes more '
                f'than round_period, which is {self.round_period:g} s')


@dataclass(frozen=True)
class ManagedParameters:
    """Parameters of a managed node, beside those of its robot."""

    autostart: bool = parameter(
        True, 'Configure and activate by itself; where that fails the process ends. Otherwise '
        'the node waits for who manages it.')
