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

from pathlib import Path
import subprocess
import sys

from benchmarks import real_physics
from benchmarks.real_physics import CONTROL, COOPERATIVE, ODOMETRY, Run, STEADY
from benchmarks.wandering_world import WanderingWorld
from leader_election.simulation.parameters import WorldParameters
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
