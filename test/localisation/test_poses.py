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

"""Poses in space, by turns computed by hand."""

import math

from leader_election.localisation.poses import from_parameter, from_quaternion, IDENTITY, position
import numpy as np
import pytest

NO_TURN = (0.0, 0.0, 0.0, 1.0)


def driven(origin: tuple[float, ...], x: float, y: float, z: float = 0.0) -> tuple[float, float]:
    """Return the position of a robot from its start and its motion by odometry."""
    moved = from_quaternion((x, y, z), NO_TURN)
    assert moved is not None
    return position(from_parameter(origin) @ moved)


@pytest.mark.parametrize('origin, x, y, expected', [
    ((0.0, 0.0, 0.0), 3.0, 4.0, (3.0, 4.0)),
    # Facing along +y: ahead is +y, and to the left is -x.
    ((1.0, 2.0, math.pi / 2), 3.0, 0.0, (1.0, 5.0)),
    ((1.0, 2.0, math.pi / 2), 0.0, 3.0, (-2.0, 2.0)),
    ((1.0, 2.0, math.pi), 3.0, 1.0, (-2.0, 1.0)),
    ((0.0, 0.0, -math.pi / 6), 2.0, 0.0, (1.7321, -1.0)),
])
def test_position_follows_the_start_when_it_has_a_yaw(origin, x, y, expected):
    assert driven(origin, x, y) == pytest.approx(expected, abs=1e-4)
    assert driven((*origin[:2], 7.0, 0.0, 0.0, origin[2]), x, y) == pytest.approx(
        expected, abs=1e-4), 'the same as x, y, z, roll, pitch, yaw'


def test_position_follows_roll_and_pitch_of_the_start():
    up = (0.0, 0.0, 0.0, 0.0, -math.pi / 3, 0.0)
    assert driven(up, 2.0, 1.0) == (1.0, 1.0), 'up a slope of 60 degrees: half as far on the map'
    rolled = (0.0, 0.0, 0.0, math.pi / 3, 0.0, 0.0)
    assert driven(rolled, 2.0, 1.0) == (2.0, 0.5)
    # Roll first, about the fixed x: left is up; then the pitch, about the fixed y; then the yaw.
    all_three = (0.0, 0.0, 0.0, math.pi / 2, math.pi / 2, math.pi / 2)
    assert driven(all_three, 0.0, 1.0) == (0.0, 1.0)
    assert driven(all_three, 0.0, 0.0, 1.0) == (1.0, 0.0)


def test_quaternion_is_read_when_of_any_length():
    half = math.sin(math.pi / 4)
    unit = from_quaternion((1.0, 2.0, 0.0), (0.0, 0.0, half, half))
    long = from_quaternion((1.0, 2.0, 0.0), (0.0, 0.0, 5 * half, 5 * half))
    assert unit is not None and long is not None
    np.testing.assert_allclose(unit, long, atol=1e-12)
    ahead = from_quaternion((3.0, 0.0, 0.0), NO_TURN)
    assert position(unit @ ahead) == (1.0, 5.0), 'a quarter turn to the left'
    np.testing.assert_allclose(from_quaternion((0.0, 0.0, 0.0), NO_TURN), IDENTITY)


@pytest.mark.parametrize('point, orientation', [
    *(((0.0, 0.0, 0.0), (each, 0.0, 0.0, 0.0)) for each in (0.0, 1e-9, math.nan, math.inf, 1e200)),
    ((math.nan, 0.0, 0.0), NO_TURN), ((0.0, math.inf, 0.0), NO_TURN),
])
def test_quaternion_is_refused_when_unreadable(point, orientation):
    assert from_quaternion(point, orientation) is None
