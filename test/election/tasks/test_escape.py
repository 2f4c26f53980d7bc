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

"""Backing off and turning away: the manoeuvre as a function of time, and robots that are stuck."""

import math

from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.tasks.escape import (
    AHEAD,
    AHEAD_TIME,
    BACK,
    Escape,
    LEAST_TURN,
    Progress,
)
import pytest

HERE = (1.0, 2.0, math.pi / 2)
RATE = 1.5
DT = 0.05


def performed(escape: Escape, begin: float = 0.0, touches: float = 0.3) -> tuple[float, float]:
    """Perform the manoeuvre; return the way and the angle that were commanded [m, rad]."""
    way = angle = 0.0
    for k in range(400):
        now = begin + k * DT
        command = escape.command(now < begin + touches, HERE, RATE, now)
        if command is None:
            return way, angle
        assert command[0] <= 0.0 and 0.0 in command
        way, angle = way + command[0] * DT, angle + command[1] * DT
    raise AssertionError('it does not end')


@given(st.integers(), st.floats(0.0, 1e6))
def test_escape_backs_off_and_turns_away(seed: int, begin: float) -> None:
    escape = Escape(seed)
    escape.begin(begin)
    way, angle = performed(escape, begin)
    assert way == pytest.approx(-BACK, abs=0.02)
    assert LEAST_TURN - 2 * RATE * DT <= abs(angle) <= math.pi + 2 * RATE * DT


def test_escape_is_determined_by_the_seed() -> None:
    def angles(seed: int) -> list[float]:
        escape, found = Escape(seed), []
        for k in range(8):
            escape.begin(100.0 * k)
            found.append(performed(escape, 100.0 * k)[1])
        return found

    assert angles(3) == angles(3) != angles(4)
    assert {angle > 0 for angle in angles(3)} == {True, False}


def test_escape_ends_with_a_drive_ahead() -> None:
    escape = Escape(1)
    assert escape.command(False, HERE, RATE, 0.0) is None
    assert escape.detour(HERE, 0.1, 0.0) is None
    for pose, now in ((HERE, 9.01 + AHEAD_TIME), ((1.0, 1.95 + AHEAD, 0.0), 9.5)):
        escape.begin(0.0)
        assert escape.command(False, HERE, RATE, 9.0) is None
        assert escape.detour(HERE, 0.1, 9.0) == pytest.approx((1.0, 2.0 + AHEAD))
        assert escape.detour(pose, 0.1, now) is None and escape.detour(HERE, 0.1, now) is None


def test_touch_from_behind_ends_backing_off() -> None:
    escape = Escape(1)
    escape.begin(0.0)
    assert [escape.command(touches, HERE, RATE, now) for touches, now in (
        (True, 0.1), (False, 0.5))] == [(-0.2, 0.0)] * 2
    forward, turning = escape.command(True, HERE, RATE, 0.7) or (1.0, 0.0)
    assert forward == 0.0 and abs(turning) == RATE


def test_escape_ends_when_given_up_or_time_goes_back() -> None:
    escape = Escape(1)
    escape.begin(5.0)
    assert escape.command(False, HERE, RATE, 4.0) is None
    assert escape.command(False, HERE, RATE, 5.1) is None
    escape.begin(5.0)
    escape.end()
    assert escape.command(False, HERE, RATE, 5.1) is None


def judged(forward: float, speed: float, seconds: float, turn: float = 0.0) -> bool:
    """Return whether a robot that drives at a speed is found stuck at any time."""
    progress, (x, y, yaw) = Progress(), (0.0, 0.0, 0.0)
    for k in range(int(seconds * 10)):
        if progress.stuck(forward, (x, y, yaw), k * 0.1):
            return True
        x, y, yaw = (x + speed * 0.1 * math.cos(yaw), y + speed * 0.1 * math.sin(yaw),
                     yaw + 0.1 * turn)
    return False


def test_robot_commanded_forward_without_motion_is_stuck() -> None:
    assert judged(0.5, 0.0, 2.0) and judged(0.05, 0.0, 20.0)
    assert not judged(0.5, 0.15, 30.0), 'slow is not stuck'
    assert not judged(0.05, 0.05, 30.0, turn=1.5), 'nor is driving in small circles'
    assert not judged(0.0, 0.0, 30.0) and not judged(-0.2, 0.0, 30.0)


def test_robot_without_commands_is_not_stuck() -> None:
    progress = Progress()
    assert not any(progress.stuck(0.5, HERE, now) for now in (0.0, 0.5, 9.0, 9.5, 5.0, 5.5))
