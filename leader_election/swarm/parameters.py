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

"""The parameters of the monitor."""

from dataclasses import dataclass

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.robot.codec import MAIN
from leader_election.parameters import parameter, ProcessParameters

INFINITE = float('inf')


@dataclass(frozen=True)
class MonitorParameters(ProcessParameters):
    """The swarm that is monitored, and the outputs of the monitor."""

    algorithm: str = parameter(
        'bounded', 'The election algorithm that the robots run, in their first instance.',
        choices=ALGORITHMS.names)
    instance: str = parameter(
        MAIN, 'The instance that is shown: main, the first, or the name of another one; a robot '
        'that does not run it is not shown.', empty=False)
    frame: str = parameter(
        'map', 'The frame that all robots share; messages of another frame are dropped.')
    communication_range: float = parameter(
        5.0, 'Robots within this distance are shown as linked.',
        unit='m', lower=0.0, upper=INFINITE)
    message_expiry: float = parameter(
        3.0, 'The silence after which a robot counts as gone.', unit='s', lower=0.01, upper=1e6)
    refresh_period: float = parameter(
        0.25, 'Time between two updates.', unit='s', lower=0.02, upper=3600.0)
    trail: float = parameter(
        5.0, 'Length of the trail behind each robot (topic trails); 0: none.',
        unit='m', lower=0.0, upper=1000.0)
    live: bool = parameter(
        True, 'Show the swarm in the terminal; without a terminal, print a line every 5 s.')
    picture: str = parameter(
        '', 'File (PNG) of the swarm, written at the end; empty: none.')
    animation: str = parameter(
        '', 'File (GIF) of the run, written at the end; empty: none.')
    frame_period: float = parameter(
        0.5, 'Time between two frames of the animation; of a long run, frames are left out.',
        unit='s', lower=0.02, upper=3600.0)
