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

"""Devices on a straight line."""

from dataclasses import dataclass

from leader_election.lab.topologies.grid import lattice_pairs
from leader_election.lab.topologies.topology import Placement, TOPOLOGIES, Topology
from leader_election.parameters import parameter, REQUIRED_INT
import numpy as np


@dataclass(frozen=True)
class LineParameters:
    """How many, and where."""

    count: int = parameter(
        REQUIRED_INT, 'How many devices there are.', lower=1, upper=1_000_000, required=True)
    first: tuple[float, ...] = parameter(
        (0.0, 0.0), 'Where the first device is: x, y.', unit='m', lengths=(2,))
    step: tuple[float, ...] = parameter(
        (1.0, 0.0), 'From each device to the next: along x, along y.', unit='m', lengths=(2,))
    linked: bool = parameter(
        False, 'Each is linked to the next for good, whatever the range.')


def place(parameters: LineParameters, random: np.random.Generator) -> Placement:
    """Return devices in their order along the line."""
    steps = np.arange(parameters.count)[:, np.newaxis] * np.array(parameters.step)
    pairs = lattice_pairs(parameters.count, 1) if parameters.linked else None
    return Placement(np.array(parameters.first) + steps, pairs)


LINE = TOPOLOGIES.add(Topology(name='line', parameters=LineParameters, place=place))
