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

"""``make physics``: its figures, what is asked for wrongly, and how it ends."""

import math
from pathlib import Path
import subprocess
import sys

from benchmarks import real_physics
from benchmarks.real_physics import CONTROL, COOPERATIVE, ODOMETRY, Run, STEADY
from benchmarks.record_logs import landmarks, record, ROBOTS
from benchmarks.swarm_watch import right_leaders, Rules, Watch
from benchmarks.wandering_world import WanderingWorld
from leader_election.simulation.kinematics import advance
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.robot_logs import read_landmarks, read_logs, read_sightings
import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def asked(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, 'argv', ['real_physics', *arguments])


@pytest.mark.parametrize(('arguments', 'stated'), [
    (('--world', 'nonsense'), "parameter world: 'nonsense' is none of"),
    (('--robots', '0'), 'parameter robots: 0 is not allowed'),
    (('--robots', '99', '--world', 'empty:2x2'), 'parameter robots: 99 do not fit'),
    (('--seconds', '0'), 'parameter seconds: 0.0 is not allowed'),
    (('--seed', '-1'), 'parameter seed: -1 is not allowed')])
def test_wrong_option_is_one_line_and_status_2(
        arguments: tuple[str, ...], stated: str, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    asked(monkeypatch, *arguments)
    assert real_physics.main() == 2
    error = capsys.readouterr().err
    assert error.startswith(f'error: {stated}') and error.count('\n') == 1


def test_all_swarms_elect_on_the_same_bodies_and_a_seed_repeats_a_run(
        monkeypatch: pytest.MonkeyPatch) -> None:
    asked(monkeypatch, '--robots', '5', '--world', 'empty:8x8', '--sightings', 'uwb')
    runs = [Run(real_physics.arguments(), 'mujoco', ODOMETRY, COOPERATIVE, STEADY, CONTROL)
            for _ in range(2)]
    for run in runs:
        run.until(8.0)
    figures = [[swarm.watch.figures() for swarm in run.swarms.values()] for run in runs]
    assert figures[0] == figures[1]
    assert all(each.robots > 0.8 and each.error < 0.3 for each in figures[0])
    assert runs[0].bodies.travelled.mean() > 0.5 and runs[0].bodies.drift.max() < 0.2


def test_robots_without_scanners_bump_into_things_and_leave_them() -> None:
    bodies = WanderingWorld(WorldParameters(
        robots=4, world='empty:3x3', motion='cmd_vel', physics='mujoco', scan_rate=5.0,
        linear_scale_error=0.3), scanners=False)
    # Their map is wrong: the way that they believe to have driven is.
    for _ in range(300):
        bodies.step()
    assert bodies.touched.max() > 0.0 and bodies.travelled.min() > 1.0
    assert np.abs(bodies.world.poses[:, :2]).max() < 1.5


def test_a_process_prints_a_table() -> None:
    ran = subprocess.run(
        [sys.executable, '-m', 'benchmarks.real_physics', '--robots', '2', '--seconds', '10'],
        cwd=ROOT, capture_output=True, text=True, check=True)
    assert '| 0 to 10 |' in ran.stdout and 'kinematic world, by odometry' in ran.stdout


# The recorder of the package's logs.

def test_landmarks_are_on_the_walls_and_are_not_robots() -> None:
    places = np.array(list(landmarks().values()))
    assert min(landmarks()) == ROBOTS + 1 and len(np.unique(places, axis=0)) == len(places)
    assert np.all(np.isclose(np.abs(places), [2.5, 3.5]).any(axis=1))


def test_recorded_folder_holds_logs_with_sightings(tmp_path: Path) -> None:
    record(10.0, 1, tmp_path)
    logs = read_logs(str(tmp_path))
    assert len(logs) == ROBOTS and all(len(log.t) == 101 for log in logs)
    for log in logs:
        reckoned = log.poses[:1]
        for velocity in log.velocities[:-1]:
            reckoned = advance(reckoned, velocity[np.newaxis], 0.1)
        error = np.hypot(*(reckoned - log.poses[-1])[0, :2])
        assert 0.0 < error < 0.3 and np.hypot(*(log.poses[-1] - log.poses[0])[:2]) > 0.1
    assert read_landmarks(str(tmp_path / 'measurements' / 'landmarks.csv')).keys() == \
        landmarks().keys()
    seen = read_sightings(str(tmp_path), range(1, ROBOTS + 1))
    assert set(seen[:, 1].tolist()) <= set(range(5)) and seen[:, 2].max() > ROBOTS


# A swarm compared with the truth.

def test_leaders_equal_the_computed_partition() -> None:
    # 3 hears 2, which hears 1; 3 reaches 1 by way of 2 only within a radius of 6.
    line = {1: (0.0, 0.0), 2: (3.0, 0.0), 3: (6.0, 0.0)}
    assert right_leaders(line, Rules(6.0, 4.0), {}) == {1: 3, 2: 3, 3: 3}
    assert right_leaders(line, Rules(5.9, 4.0), {}) == {1: 1, 2: 3, 3: 3}
    assert right_leaders(line, Rules(9.0, 2.9), {}) == {1: 1, 2: 2, 3: 3}
    # With hysteresis a robot keeps its leader up to the whole radius, and adopts none there.
    assert right_leaders(line, Rules(6.0, 4.0, 0.25), {})[1] == 1
    assert right_leaders(line, Rules(6.0, 4.0, 0.25), {1: 3})[1] == 3


def message(robot: int, x: float, leader: int, distance: float) -> str:
    return (f'{{"v":1,"id":{robot},"frame":"map","p":[{x},0.0],'
            f'"c":[{-leader}.0,{distance},{leader}]}}')


def test_figures_count_wrong_leaders_wrong_positions_and_changes() -> None:
    watch = Watch(Rules(6.0, 4.0))
    for now, follows in ((1.0, 2), (2.0, 2), (3.0, 1), (4.0, 2)):
        watch.hear(message(1, 0.5, follows, 3.0 * (follows == 2)), now)
        watch.hear(message(2, 3.0, 2, 0.0), now)
        watch.look(now, {1: (0.0, 0.0), 2: (3.0, 0.0)})
    figures = watch.figures()
    assert (figures.robots, figures.partitions) == (7 / 8, 3 / 4)
    assert (figures.error, figures.worst, figures.end) == pytest.approx((0.25, 0.5, 0.25))
    assert figures.neighbours == pytest.approx(0.5)
    assert figures.changes == 2 / 2 / (3.0 / 60.0)
    assert watch.figures(0.0, 2.5).robots == 1.0 and math.isnan(watch.figures(9.0).robots)


def test_samples_count_from_the_first_partition_on() -> None:
    watch = Watch(Rules(6.0, 4.0))
    watch.hear(message(1, 0.0, 2, 3.0), 1.0)
    watch.look(1.0, {1: (0.0, 0.0), 2: (3.0, 0.0)})
    assert watch.partitioned == math.inf and math.isnan(watch.figures().robots)
