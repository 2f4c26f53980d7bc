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

"""A data set of several robots, as the modules of its formats return it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

UNKNOWN = -1
"""The subject of a sighting of neither a robot nor a landmark."""


class Recorded(NamedTuple):
    """The data of one robot. Times are those of the data set [s]."""

    truth: Array
    """Time, true x, y, yaw, z [s, m, rad, m], shape (n, 5), n > 0, times increasing."""
    odometry: Array
    """
    Time, linear, angular, sideways velocity by odometry [s, m/s, rad/s, m/s], shape (m, 4), times
    increasing. No rows: the data set has none.
    """
    sightings: Array
    """Time, subject, range, bearing [s, m, rad], NaN where not measured, shape (k, 4)."""


class DataSet(NamedTuple):
    """The robots by their numbers, and the landmarks: id, x, y [m], shape (n, 3)."""

    robots: dict[int, Recorded]
    landmarks: Array


def in_order(table: Array) -> Array:
    """Return the rows in the order of their times, the last one of each time."""
    table = table[np.argsort(table[:, 0], kind='stable')]
    return table[np.append(np.diff(table[:, 0]) > 0.0, True)]
