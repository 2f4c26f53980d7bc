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
Each check of the demonstration fails once, by a fault planted for it.

The faults of leaders are planted in the robots' own code, and run in simulated time.
"""

from collections.abc import Callable
from itertools import count
from pathlib import Path
import subprocess
import sys

from benchmarks.simulated_swarm import SimulatedSwarm
from environment import variables
from leader_election.election.algorithms.algorithm import automatic_hop_limit
from leader_election.election.messages.codec import Position
from leader_election.election.robot.instance import Instance
from leader_election.election.robot.mailbox import Mailbox
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.reception import Reception
from leader_election.election.robot.robot import Robot
from leader_election.parameters import build
from leader_election.ros.demo.checks import RunObserver, Timing
from leader_election.swarm.reference_partition import links_within, PartitionJudge
from leader_election.swarm.snapshot import RobotView, Snapshot
import pytest

PLACES: dict[int, Position] = {i: (3.0 * i, 0.0) for i in range(1, 10)}
STRENGTHS = {1: 0.1, 2: 0.5, 3: 0.9, 4: 0.2, 5: 0.3, 6: 0.4, 7: 0.15, 8: 0.12, 9: 0.11}
RANGE, RADIUS = 4.0, 7.0
SETTINGS: dict[int, dict[str, float]] = {i: {'strength': strength, 'radius': RADIUS}
                                         for i, strength in STRENGTHS.items()}
"""The parameters of robots, as they are without a fault."""
KILLED, END = 15.0, 40.0
"""When the strongest robot is killed, and when the run ends [s]."""


class WatchedSwarm(SimulatedSwarm):
    """Robots in a line, of which the strongest is killed, and the observer of a demonstration."""

    def __init__(self) -> None:
        links = links_within(PLACES, RANGE)
        super().__init__({i: Robot(build(ElectionParameters, {
            'robot_id': i, 'communication_range': RANGE, **SETTINGS[i]})) for i in PLACES},
            links.__getitem__)
        self.judge = PartitionJudge(STRENGTHS, RADIUS, ElectionParameters.radius_hysteresis)
        self.observer = RunObserver(self.judge, Timing(automatic_hop_limit(RADIUS, RANGE)))
        self.silent: set[int] = set()
        self._links = links
        self.at(0.0, self._look)
        self.at(KILLED, self._kill)

    def _look(self) -> None:
        for robot in self.robots.values():
            robot.sensing.take_odometry((*PLACES[robot.parameters.robot_id], 0.0), self.now)
        self.last = Snapshot(self.now, {
            i: RobotView(i, PLACES[i], robot.state.value, robot.state.distance, robot.state.leader)
            for i, robot in self.robots.items() if i not in self.silent}, {})
        self.observer.observe(self.last, dict.fromkeys(self.last.robots, self.now), self._links)
        self.at(self.now + 0.25, self._look)

    def _kill(self) -> None:
        self.kill(3)
        self.observer.kill(3, self.now)

    def found(self) -> set[str]:
        """Run, and return the checks that fail."""
        self.run(END)
        observer = self.observer
        end, share = observer.checks(self.last)
        fine = {'all heard': observer.all_heard is not None,
                'first partition': observer.first_partition is not None,
                'recovery': observer.recovery_check().holds, 'at the end': end.holds,
                'share of time': share.holds}
        return {name for name, holds in fine.items() if not holds}


@pytest.mark.parametrize('apart', [3.0, 3.4])
def test_no_finding_is_reported_without_a_fault(
        apart: float, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in PLACES:
        monkeypatch.setitem(PLACES, i, (apart * i, 0.0))
    assert WatchedSwarm().found() == set()


def deaf_later(patch: pytest.MonkeyPatch) -> None:
    """Plant: after 20 s no robot believes any other."""
    accept = Reception.accept
    patch.setattr(Reception, 'accept', lambda self, payload, now, needs: (
        accept(self, payload, now, needs) if now < 20.0 else None))


def undying(patch: pytest.MonkeyPatch) -> None:
    """Plant: the last message of a dead robot counts for ever."""
    patch.setattr(Mailbox, '_drop_expired', lambda *arguments: None)


def forgetful_late(patch: pytest.MonkeyPatch) -> None:
    """Plant: the last message of a dead robot counts for 15 s."""
    for i in SETTINGS:
        patch.setitem(SETTINGS[i], 'message_expiry', 15.0)


def far_reaching(patch: pytest.MonkeyPatch) -> None:
    """Plant: robots follow leaders up to twice the radius."""
    for i in SETTINGS:
        patch.setitem(SETTINGS[i], 'radius', 2.0 * RADIUS)


def rarely_fickle(patch: pytest.MonkeyPatch) -> None:
    """Plant: robot 5 follows itself in three of ten rounds, which is a sixth of a longer run."""
    patch.setitem(globals(), 'END', 120.0)
    elect, turns = Instance.elect, count()
    patch.setattr(Instance, 'elect', lambda self, view: (
        self.algorithm.start(self._device()) if self._device().id == 5 and next(turns) % 10 < 3
        else elect(self, view)))


def without_hysteresis(patch: pytest.MonkeyPatch) -> None:
    """Plant: robots join leaders within the whole radius."""
    for i in SETTINGS:
        patch.setitem(PLACES, i, (3.4 * i, 0.0))
        patch.setitem(SETTINGS[i], 'radius_hysteresis', 0.0)


@pytest.mark.parametrize(('plant', 'finding'), [
    (rarely_fickle, {'share of time'}),
    (without_hysteresis, {'first partition', 'recovery', 'at the end', 'share of time'}),
    (deaf_later, {'at the end', 'share of time'}),
    (undying, {'recovery', 'at the end'}),
    (forgetful_late, {'recovery'}),
    (far_reaching, {'first partition', 'recovery', 'at the end', 'share of time'}),
], ids=lambda given: getattr(given, '__name__', ''))
def test_leader_check_finds_its_planted_fault(
        plant: Callable[[pytest.MonkeyPatch], None], finding: set[str],
        monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    assert WatchedSwarm().found() == finding


def test_memory_check_names_a_silent_robot() -> None:
    swarm = WatchedSwarm()
    swarm.silent.add(6)
    assert 'all heard' in swarm.found()


def test_demonstration_prints_each_failure_when_robots_are_deaf(tmp_path: Path) -> None:
    """The robots of all processes are deaf. The disk of the page is full."""
    (tmp_path / 'sitecustomize.py').write_text(
        'import sys\n'
        'from leader_election.election.robot.reception import Reception\n'
        'Reception.accept = lambda *arguments: None\n'
        'if "demo" in sys.orig_argv:\n'
        '    from leader_election.ros.demo import swarm\n'
        '    from leader_election.ros.nodes import monitor\n'
        '    swarm.PATIENCE, monitor.LINE_PERIOD, monitor.FRAME_PERIOD = 6.0, 0.5, 2.0\n')
    demo = subprocess.run(
        [sys.executable, '-m', 'leader_election', 'demo', '--robots', '4', '--world', 'empty',
         '--radius', '30', '--range', '30', '--duration', '4', '--output',
         str(tmp_path / 'out'), '--html', '/dev/full'], env=variables(tmp_path),
        stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, timeout=150)
    assert demo.returncode == 1
    failed = [line for line in demo.stdout.splitlines() if line.startswith('  FAIL')]
    for part in ('first right partition', 'the strongest, led 0 others', 'recovery, until',
                 'at the end 1 of 4', 'robots had this leader in 0.0%',
                 'results cannot be written: No space left on device'):
        assert any(part in line for line in failed), demo.stdout
