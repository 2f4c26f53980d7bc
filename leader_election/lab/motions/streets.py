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

"""Devices walk through streets: the shortest way to a crossing drawn at random, then the next."""

from dataclasses import dataclass
import math
from typing import NamedTuple

from leader_election.lab.motions.motion import Motion, MOTIONS
from leader_election.lab.motions.street_map import (
    MOST_CROSSINGS,
    next_crossings,
    read_street_map,
    StreetMap,
    town,
)
from leader_election.parameters import parameter, ParameterError
import numpy as np
from numpy.typing import NDArray
import shapely


@dataclass(frozen=True)
class StreetsParameters:
    """The streets, and how fast devices walk."""

    speed: float = parameter(
        1.0, 'Speed of a device.', unit='m/s', lower=0.0, upper=1e6)
    path: str = parameter(
        '', 'A street map: GraphML (.graphml) with x and y [m], or a list of streets with the '
        'names of two crossings a line. Empty: a town is made up.')
    positions: str = parameter(
        '', 'A file with a line "name x y" [m] for each crossing. Empty: as the GraphML says.')
    columns: int = parameter(
        10, 'Made-up town: crossings from west to east.', lower=2, upper=MOST_CROSSINGS)
    rows: int = parameter(
        10, 'Made-up town: crossings from south to north.', lower=2, upper=MOST_CROSSINGS)
    block: float = parameter(
        100.0, 'Made-up town: from one crossing to the next; the first is at 0, 0.',
        unit='m', lower=1e-3, upper=1e6)
    irregularity: float = parameter(
        0.0, 'Made-up town: how far a crossing may be off its place, at random each way, as a '
        'part of a block.', lower=0.0, upper=0.4)
    missing: float = parameter(
        0.0, 'Made-up town: the part of streets that are left out at random, with all that they '
        'cut off.', lower=0.0, upper=0.9)

    def __post_init__(self) -> None:
        """Refuse what makes no sense together."""
        if self.positions and not self.path:
            raise ParameterError('parameter positions goes with parameter path')
        if not self.path and self.columns * self.rows > MOST_CROSSINGS:
            raise ParameterError(f'parameter rows: {self.columns} x {self.rows} crossings are '
                                 f'more than {MOST_CROSSINGS}')


class Streets(NamedTuple):
    """Where devices are going."""

    ahead: NDArray[np.int32]
    """The crossing at the end of the street that a device is in, shape (n,)."""
    goal: NDArray[np.int32]
    """The crossing that it is going to in the end, shape (n,)."""
    crossing: NDArray[np.float64]
    """Where crossings are [m], shape (crossings, 2)."""
    next_one: NDArray[np.int32]
    """The crossing after one, on the way to another, shape (crossings, crossings)."""
    length: float
    """Of what is walked in a tick [m]."""


def streets_step(motion: Streets, i: int, position: NDArray[np.float64], now: float,
                 random: np.random.Generator) -> None:
    """Move device i along the streets, round corners where the way has some."""
    x, y, left = position[i, 0], position[i, 1], motion.length
    while True:
        ahead = motion.ahead[i]
        dx, dy = motion.crossing[ahead, 0] - x, motion.crossing[ahead, 1] - y
        far = math.sqrt(dx * dx + dy * dy)
        if far > left:
            position[i, 0], position[i, 1] = x + dx * left / far, y + dy * left / far
            return
        left -= far
        x, y = motion.crossing[ahead, 0], motion.crossing[ahead, 1]
        if ahead == motion.goal[i]:
            # Any crossing but this one.
            goal = random.integers(0, len(motion.crossing) - 1)
            motion.goal[i] = goal + (goal >= ahead)
        motion.ahead[i] = motion.next_one[ahead, motion.goal[i]]


def begin(parameters: StreetsParameters, position: NDArray[np.float64], tick: float,
          random: np.random.Generator) -> Streets:
    """Put each device into the street nearest to it; it goes first to either end of that."""
    streets = street_map(parameters, random)
    lines = shapely.linestrings(streets.crossing[streets.street])
    points = shapely.points(position)
    nearest = shapely.STRtree(lines).nearest(points)
    along = shapely.line_locate_point(lines[nearest], points)
    position[:] = shapely.get_coordinates(shapely.line_interpolate_point(lines[nearest], along))
    ahead = streets.street[nearest, random.integers(0, 2, len(position))]
    return Streets(ahead, ahead.copy(), streets.crossing, next_crossings(streets),
                   parameters.speed * tick)


def street_map(parameters: StreetsParameters, random: np.random.Generator) -> StreetMap:
    """Return the streets that are read or made up."""
    if parameters.path:
        return read_street_map('path', parameters.path, parameters.positions)
    return town(parameters.columns, parameters.rows, parameters.block, parameters.irregularity,
                parameters.missing, random)


STREETS = MOTIONS.add(Motion(
    name='streets',
    parameters=StreetsParameters,
    state=Streets,
    step=streets_step,
    begin=begin,
    speed=lambda parameters: float(parameters.speed),
))
