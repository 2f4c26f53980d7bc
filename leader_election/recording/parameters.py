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

"""The parameters of the recorder."""

from dataclasses import dataclass

from leader_election.parameters import parameter, ProcessParameters

REPLAYED = (
    'neighbourhood', 'leader', 'is_leader', 'distance', 'neighbours', 'role', 'decision',
    'region', 'region_summary', 'diagnostics', 'world', 'markers', 'odom', 'ground_truth', 'clock')
"""The topics that say how a swarm fared, by the last part of their names."""


@dataclass(frozen=True)
class RecorderParameters(ProcessParameters):
    """What is recorded, and where to."""

    output: str = parameter(
        '', 'The file (MCAP) that is written; it must not be there yet. Empty: one in the '
        'current folder, named by the time.')
    topics: tuple[str, ...] = parameter(
        REPLAYED, 'The topics that are recorded: whole names (/robot_3/leader), last parts of '
        'them (leader), or patterns with * and ?.')
    all: bool = parameter(False, 'Record all topics, whatever topics says.')
    exclude: tuple[str, ...] = parameter(
        (), 'The topics that are not recorded, written likewise.')
    odom_rate: float = parameter(
        1.0, 'So many messages of odometry and of true poses at most are recorded a second and '
        'topic; 0: none.', unit='Hz', lower=0.0, upper=1e4)
    flush_period: float = parameter(
        2.0, 'Time between two writes to the disk: so much at most is lost when the process is '
        'killed, or the power goes.', unit='s', lower=0.1, upper=3600.0)
    discovery_period: float = parameter(
        1.0, 'Time between two looks for new topics.', unit='s', lower=0.05, upper=3600.0)
