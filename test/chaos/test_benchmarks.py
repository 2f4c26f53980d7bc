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

"""Benchmarks of swarms without ROS: recovery, hysteresis, fuzzing, and the radio of the world."""

from benchmarks import fuzz, handover
from benchmarks.leader_killed import AUTOMATIC, Case, cases, depositions, NONE, PERIOD, recovery
from benchmarks.logged_swarm import LoggedSwarm, Moment
from benchmarks.moving_swarm import measure
from benchmarks.warned import moments, warned
from leader_election.election.robot.reception import HEARD, ROUNDS
import pytest

TABLE = [case for case in cases() if case.radius < 100.0]


@pytest.mark.parametrize('case', TABLE, ids=str)
def test_recovery_times_are_within_their_bounds(case: Case) -> None:
    assert max(recovery(case, AUTOMATIC, seed) for seed in range(3)) <= case.bound


def test_recovery_without_a_hop_limit_depends_on_distances() -> None:
    # 2 m in steps of 0.05 m, and the rounds of the expiry.
    near = Case(0.05, 2.0, 'periodic', 0.0)
    assert recovery(near, NONE) == pytest.approx(42.0, abs=1.5 * PERIOD)
    assert recovery(near._replace(loss=0.4), NONE) > 5 * near.bound


@pytest.mark.parametrize('schedule', ['periodic', 'reactive'])
def test_hop_limit_deposes_no_living_leader(schedule: str) -> None:
    without, left = depositions(NONE, 1, seconds=200.0, schedule=schedule)
    share, times = depositions(AUTOMATIC, 1, seconds=200.0, schedule=schedule)
    assert 0.0 < share <= without < 0.1
    assert 0 < times <= left


# Leaders last longer on the move with a joining radius smaller than the radius.

def test_hysteresis_saves_a_quarter_of_the_leader_changes():
    """Half of them over a longer time."""
    plain = measure(1, 20.0, 0.0, radius_hysteresis=0.0)
    steady = measure(1, 20.0, 0.0)
    assert steady.changes < 0.75 * plain.changes
    assert steady.whole > plain.whole


# Robots without ROS hear each other by the radio of their world.

CORNER = {'robots': 3, 'world': 'empty', 'layout': 'grid', 'spacing': 2.0}
"""Robots 2 and 3 are 2 m from robot 1, and 2.8 m from each other."""


@pytest.mark.parametrize(('radio', 'hears'), [
    ({}, {1: (2, 3), 2: (1, 3), 3: (1, 2)}),
    ({'radio': 'relay', 'radio_range': 2.5}, {1: (2, 3), 2: (1,), 3: (1,)}),
    ({'radio_loss': 1.0}, {1: (), 2: (), 3: ()})])
def test_robots_hear_those_within_the_range_of_the_radio(radio, hears):
    swarm = LoggedSwarm({**CORNER, **radio}, schedule='periodic', round_phase=0.0)
    swarm.run(5.1)
    robots = swarm.robots
    assert robots[1].counts[ROUNDS] > 3
    for robot, others in hears.items():
        assert robots[robot].counts[HEARD] == sum(
            robots[other].counts[ROUNDS] for other in others)


# Warnings are counted for the robot whose own distances are wrong, and for all robots.

class Run:
    """Moments of three robots; 2 does not see, and 3 follows it."""

    def __init__(self, *found):
        self.moments = [Moment(float(time), same, 3, {}, faults, mistaken)
                        for time, (same, faults, mistaken) in enumerate(found)]


def test_seconds_are_those_of_wrong_leaders_that_true_poses_do_not_make():
    true = moments(Run(((1, 2, 3), {}, ()), ((1, 2, 3), {}, ()), ((1, 2), {}, ())))
    run = Run(((1, 2, 3), {1: 'a', 2: '', 3: ''}, ()),
              ((1,), {1: '', 2: 'b', 3: ''}, (2,)),
              ((1,), {1: '', 2: '', 3: 'c'}, (2, 3)))
    found = warned(run, true)
    assert found.mistaken == (1, 2), '2, twice'
    assert found.wrong == (1, 3), 'and 3 once: at last it has no right leader by true poses'
    assert found.right == (1, 5)
    assert warned(run, true, lambda robot, time: robot == 1).right == (0, 2)


def test_fuzzing_that_tried_too_little_fails(monkeypatch: pytest.MonkeyPatch,
                                             capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr('sys.argv', ['fuzz', '--minutes', '0', '--algorithm', 'bounded'])
    assert fuzz.main() == 1
    assert 'not tried: decoding of bounded, recovery of bounded' in capsys.readouterr().err


# What is done again where robots fail.

def test_with_a_handover_fewer_places_are_visited_again():
    found = {strategy: handover.Mission(strategy, 40.0, 200.0, 0).run()
             for strategy in handover.STRATEGIES}
    assert found['oracle'][1] == 0
    assert found['leader'][1] < found['leader, nothing handed over'][1]
    assert all(seconds < handover.LONGEST for seconds, _ in found.values())
