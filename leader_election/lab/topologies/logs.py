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

"""Devices where the logs of robots begin; motion ``replay`` moves them on."""

from dataclasses import dataclass

from leader_election.lab.topologies.topology import Placement, TOPOLOGIES, Topology
from leader_election.parameters import parameter
from leader_election.world.logs import read_logs, SAMPLE
import numpy as np


@dataclass(frozen=True)
class LogsParameters:
    """Which logs."""

    logs: str = parameter(
        SAMPLE, 'A folder of CSV files, one a device, or mrclam6, two minutes of five real '
        'robots.', empty=False)


def place(parameters: LogsParameters, random: np.random.Generator) -> Placement:
    """Return the first position of each log, in the order of their names."""
    return Placement(np.array([log.poses[0, :2] for log in read_logs(parameters.logs)]))


LOGS = TOPOLOGIES.add(Topology(name='logs', parameters=LogsParameters, place=place))
