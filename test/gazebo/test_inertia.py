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

"""Mass, centre and inertia, against the integrals that the formulas stand for."""

from hypothesis import given
from hypothesis import strategies as st
from leader_election.gazebo.inertia import Body, box, cylinder, sphere, together
from leader_election.gazebo.model import CHASSIS, WHEEL
import numpy as np
from numpy.typing import NDArray
import pytest

SIZES = st.floats(0.05, 2.0)
PLACES = st.tuples(*[st.floats(-2.0, 2.0)] * 3)


def summed(points: NDArray[np.float64], mass: float) -> Body:
    """Return what points of equal mass are as one body."""
    centre = points.mean(axis=0)
    x, y, z = (points - centre).T
    each = mass / len(points)
    return Body(mass, tuple(centre), tuple(each * np.array(
        [(y * y + z * z).sum(), (x * x + z * z).sum(), (x * x + y * y).sum()])),
        tuple(-each * np.array([(x * y).sum(), (x * z).sum(), (y * z).sum()])))


def lattice(side: int = 60) -> NDArray[np.float64]:
    """Return points in the middles of small cubes that fill the cube of sides 2."""
    line = (np.arange(side) + 0.5) / side * 2 - 1
    return np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)


def same(one: Body, other: Body, within: float) -> None:
    for a, b in zip(one, other):
        assert a == pytest.approx(b, rel=within, abs=1e-9)


def test_shapes_are_what_their_points_add_up_to() -> None:
    points = lattice()
    flat = np.hypot(points[:, 0], points[:, 1])
    same(box(3.0, (0.4, 1.0, 2.0)), summed(points * (0.2, 0.5, 1.0), 3.0), 1e-3)
    same(cylinder(3.0, 0.5, 3.0), summed(points[flat < 1] * (0.5, 0.5, 1.5), 3.0), 5e-3)
    same(sphere(3.0, 0.5), summed(points[np.linalg.norm(points, axis=1) < 1] * 0.5, 3.0), 5e-3)


@given(st.lists(st.tuples(st.floats(0.1, 5.0), SIZES, PLACES), min_size=1, max_size=4))
def test_bodies_together_are_what_their_points_are(parts: list) -> None:
    """Six points stand for a sphere: the same mass, centre and moments."""
    six = np.vstack((np.eye(3), -np.eye(3)))
    bodies, points, weights = [], [], []
    for mass, radius, centre in parts:
        bodies.append(sphere(mass, radius, centre))
        points.append(six * radius * np.sqrt(3 * 0.2) + centre)
        weights.append(np.full(6, mass / 6))
    p, w = np.vstack(points), np.concatenate(weights)
    whole = together(bodies)
    centre = w @ p / w.sum()
    off = p - centre
    matrix = (w * (off * off).sum(axis=1)).sum() * np.eye(3) - (off.T * w) @ off
    assert whole.mass == pytest.approx(w.sum())
    assert whole.centre == pytest.approx(centre, abs=1e-9)
    assert whole.moments == pytest.approx(np.diag(matrix), abs=1e-9)
    assert whole.products == pytest.approx(
        (matrix[0, 1], matrix[0, 2], matrix[1, 2]), abs=1e-9)


@pytest.mark.parametrize('body', [CHASSIS, WHEEL])
def test_the_robots_bodies_could_exist(body: Body) -> None:
    """Principal moments are positive, and no one is more than the two others together."""
    xy, xz, yz = body.products
    a, b, c = np.linalg.eigvalsh(np.diag(body.moments)
                                 + [[0, xy, xz], [xy, 0, yz], [xz, yz, 0]])
    assert 0 < a <= b <= c <= a + b + 1e-12
