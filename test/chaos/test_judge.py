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

"""The judge: which robots have a living leader in reach, and how long they had none."""

from benchmarks.chaos.judge import bound, Happened, Judge, Observation, recoveries, Recovery, Truth
from benchmarks.chaos.schedule import Change, KILL, NO_TROUBLE
import pytest

LINE = {robot: (float(robot), 0.0) for robot in (1, 2, 3, 4, 5)}
"""Five robots in a line, 1 m apart."""
ALL = Truth(living=frozenset(LINE))
JUDGE = Judge(LINE, communication_range=1.5, radius=2.0)


def led_by(**leaders: int) -> dict[int, int]:
    """Return leaders by robot; all others lead themselves."""
    return {**{robot: robot for robot in LINE}, **{int(name[1:]): leader
                                                   for name, leader in leaders.items()}}


def test_leaders_are_in_reach_up_to_the_radius_along_living_robots() -> None:
    assert JUDGE.unled(led_by(), ALL) == ()
    assert JUDGE.unled(led_by(r1=3, r2=3, r4=3, r5=3), ALL) == ()
    assert JUDGE.unled(led_by(r1=4), ALL) == (1,)
    # Robot 2 is the only way from 1 to 3.
    dead = ALL.after(living=ALL.living - {2})
    assert JUDGE.unled(led_by(r1=3, r4=3), dead) == (1,)
    # The dead need no leader and are none.
    assert JUDGE.unled(led_by(r2=5, r1=2), dead) == (1,)


def test_silent_robots_have_no_leader() -> None:
    assert JUDGE.unled({1: 1}, ALL.after(living=frozenset({1, 2}))) == (2,)


def test_channels_and_wrong_odometry_separate() -> None:
    leaders = led_by(r1=2, r3=2, r4=5)
    assert JUDGE.unled(leaders, ALL.after(apart=frozenset({1, 2}))) == (3,)
    assert JUDGE.unled(leaders, ALL.after(apart=frozenset({1, 2, 3}))) == ()
    assert JUDGE.unled(leaders, ALL.after(silent=frozenset({1, 2}))) == (1, 3)
    assert JUDGE.unled(led_by(), ALL.after(silent=frozenset({2}))) == ()
    # Those that are wrong by the same do not notice.
    assert JUDGE.unled(leaders, ALL.after(shifted=frozenset({1, 2}))) == (3,)


def test_unknown_leaders_lead_nobody() -> None:
    assert JUDGE.unled(led_by(r1=99), ALL) == (1,)


@pytest.mark.parametrize(('radio', 'extra', 'seconds'), [
    ({}, 0.0, 2.0 + 5 * 1.0), ({}, 3.0, 2.0 + 5 * 1.0 + 3.0),
    ({'radio_loss': 0.1}, 0.0, 2.0 + 5 * 1.25),
    ({'radio_delay': 0.1, 'radio_jitter': 0.2}, 0.0, 2.0 + 5 * 1.6)])
def test_bound_grows_with_expiry_hops_and_period(
        radio: dict[str, float], extra: float, seconds: float) -> None:
    assert bound(5, 1.0, 2.0, {**NO_TROUBLE, **radio}, extra) == pytest.approx(seconds)


def test_recovery_is_the_last_moment_without_a_leader_before_the_next_change() -> None:
    kill, unjudged = Change(KILL, 'first'), Change(KILL, 'second', judged=False)
    happened = [Happened(10.0, kill, 3.0), Happened(20.0, kill, 1.0),
                Happened(30.0, unjudged, 1.0), Happened(40.0, kill, 5.0)]
    seen = [Observation(float(time), (1,) if time in (9, 11, 12, 22, 39, 40, 41) else ())
            for time in range(9, 42)]
    found = recoveries(happened, seen, 42.0)
    assert found == [
        Recovery(happened[0], 2.0, True, 10.0), Recovery(happened[1], 2.0, True, 10.0),
        Recovery(happened[2], 9.0, False, 10.0), Recovery(happened[3], 1.0, False, 2.0)]
    assert [each.holds for each in found] == [True, False, True, True]
