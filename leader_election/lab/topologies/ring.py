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

"""Devices on a circle."""

from dataclasses import dataclass

from leader_election.lab.topologies.topology import Placement, TOPOLOGIES, Topology
from leader_election.parameters import parameter, REQUIRED_INT
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class RingParameters:
    """How many, and where."""

    count: int = parameter(
        REQUIRED_INT, 'How many devices there are.', lower=1, upper=1_000_000, required=True)
    radius: float = parameter(
        1.0, 'Of the circle.', unit='m', lower=0.0, upper=1e9)
    centre: tuple[float, ...] = parameter(
        (0.0, 0.0), 'Of the circle: x, y.', unit='m', lengths=(2,))
    linked: bool = parameter(
        False, 'Each is linked to the next for good, and the last to the first, whatever the '
        'range.')


def place(parameters: RingParameters, random: np.random.Generator) -> Placement:
    """Return devices evenly and anticlockwise along the circle, from the greatest x on."""
    angle = 2.0 * np.pi * np.arange(parameters.count) / parameters.count
    round_centre = parameters.radius * np.column_stack((np.cos(angle), np.sin(angle)))
    pairs = ring_pairs(parameters.count) if parameters.linked else None
    return Placement(np.array(parameters.centre) + round_centre, pairs)


def ring_pairs(count: int) -> NDArray[np.int32]:
    """
    Return who is next to whom, shape (m, 2).

    >>> ring_pairs(3).tolist()
    [[0, 1], [1, 2], [0, 2]]
    >>> ring_pairs(2).tolist()
    [[0, 1]]
    """
    index = np.arange(count, dtype=np.int32)
    pairs = np.column_stack((index, np.roll(index, -1)))
    # Two devices are next to each other once, and one is not next to itself.
    return np.sort(pairs if count > 2 else pairs[:count - 1], axis=1)


RING = TOPOLOGIES.add(Topology(name='ring', parameters=RingParameters, place=place))
