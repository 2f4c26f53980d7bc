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

"""
The block of a robot in the state and the covariance of the neighbourhood filter.

State, six numbers a robot: x, y [m] from the filter's origin and yaw [rad] in the shared frame;
then the factors of its odometry (:mod:`leader_election.localisation.scale_errors`).

The covariance is that of *invariant* errors of poses (A. Barrau, S. Bonnabel, IEEE Trans.
Automatic Control 62, 2017): with errors (a, b, c) the true pose is the estimate, moved by (a, b)
and turned by c about the filter's origin. A motion by odometry does not change these errors, and
an error that all robots have in common, a shift or turn of the frame, is the same vector wherever
they are. So sightings of each other tell nothing of it, as it has to be; with errors of x, y and
yaw the filter would become certain of it without a reason (G. Huang, A. Mourikis, S. Roumeliotis,
Autonomous Robots 30, 2011).
"""

from leader_election.localisation.noise import Array
import numpy as np

SIZE = 6
"""The numbers of a robot."""
POSE = 3
"""The first ones are its pose, the others the factors of its odometry."""


def pose_rows(first: int) -> slice:
    """Return the rows of a pose, by the first one of its robot."""
    return slice(first, first + POSE)


def factor_rows(first: int) -> slice:
    """Return the rows of the factors, by the first one of their robot."""
    return slice(first + POSE, first + SIZE)


def places(state: Array) -> Array:
    """Return x, y of all robots, shape (n, 2), a view."""
    return state.reshape(-1, SIZE)[:, :2]


def from_invariant(x: float, y: float) -> Array:
    """Return the derivatives of the errors of x, y and yaw by invariant ones, shape (3, 3)."""
    return np.array(((1.0, 0.0, -y), (0.0, 1.0, x), (0.0, 0.0, 1.0)))


def to_invariant(x: float, y: float) -> Array:
    """Return the inverse of :func:`from_invariant`, shape (3, 3)."""
    return np.array(((1.0, 0.0, y), (0.0, 1.0, -x), (0.0, 0.0, 1.0)))


def correct(state: Array, errors: Array) -> None:
    """
    Add errors to a state, in place.

    :param errors: invariant ones, of the shape of the state.
    """
    turns = errors[2::SIZE]
    x, y = state[0::SIZE], state[1::SIZE]
    aside = turns * x
    x -= turns * y
    y += aside
    state += errors
