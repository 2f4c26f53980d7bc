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
Each check of demonstration, chaos, scale, prove and fuzz fails once, by a fault planted for it.

``PLANTED`` lists all checks, each with the test that shows it failing. The faults of leaders are
planted in the robots' own code, and run in simulated time.
"""

from argparse import Namespace
from collections.abc import Callable
from itertools import count
import os
from pathlib import Path
import re
import subprocess
import sys
from typing import Any

from benchmarks import fuzz_files
from benchmarks.chaos.judge import Judge, Truth
from benchmarks.chaos.report import checks
from benchmarks.explicit_states import check, Family, Setting
from benchmarks.scale.figure import draw
from benchmarks.scale.networks import CONTESTANTS, Network, scenario_of
from benchmarks.scale.phases import run, START
from benchmarks.scale.report import has_wrong, rounds, WRONG
from benchmarks.simulated_swarm import SimulatedSwarm
from benchmarks.state_sets import Rounds
from chaos.test_chaos import good
from election.messages import test_fuzz
from environment import variables
from leader_election.election.algorithms import BOUNDED, Device
from leader_election.election.algorithms.algorithm import automatic_hop_limit
from leader_election.election.algorithms.bounded import configure
from leader_election.election.mandates.mandates import Mandates
from leader_election.election.messages.codec import Codec, MAIN, Message, Position
from leader_election.election.robot.diagnostics import Status
from leader_election.election.robot.instance import Instance
from leader_election.election.robot.leadership import part_values, values
from leader_election.election.robot.mailbox import Mailbox
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.reception import Reception
from leader_election.election.robot.robot import Robot
from leader_election.parameters import build
from leader_election.ros.demo.checks import RunObserver, Timing
from leader_election.ros.demo.mandate_times import MandateTimes
from leader_election.ros.demo.task_scenarios import SCENARIOS as SCENARIOS_BY_NAME
from leader_election.ros.nodes.qos import NEIGHBOURHOOD
from leader_election.swarm.reference_partition import links_within, PartitionJudge
from leader_election.swarm.snapshot import RobotView, Snapshot
import pytest
import rclpy
from rclpy.context import Context
from rclpy.node import Node
from std_msgs.msg import String

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


class MandatedSwarm(WatchedSwarm):
    """The same with mandates, whose messages on topic ``leadership`` are read."""

    def __init__(self) -> None:
        self.times = MandateTimes(ElectionParameters.message_expiry, MAIN)
        super().__init__()

    def _look(self) -> None:
        super()._look()
        self.times.add([Status(f'r{i}: {MAIN}', f'robot {i}', {
            **values(robot, robot.main, f'/robot_{i}', '/neighbourhood'),
            **part_values(robot.main, self.now, self.now)})
            for i, robot in self.robots.items()], self.now)


def unreleasing(patch: pytest.MonkeyPatch) -> None:
    """Plant: the promises of robot 1 never end."""
    bound = Mandates.bound
    patch.setattr(Mandates, 'bound', lambda self, now: (
        self.promise if self._id == 1 else bound(self, now)))


@pytest.mark.parametrize('plant', [None, unreleasing])
def test_robot_that_never_releases_its_promises_is_found(
        plant: Callable[[pytest.MonkeyPatch], None] | None,
        monkeypatch: pytest.MonkeyPatch) -> None:
    for settings in SETTINGS.values():
        monkeypatch.setitem(settings, 'mandate', 3.0)
    if plant is not None:
        plant(monkeypatch)
    swarm = MandatedSwarm()
    assert swarm.found() == set()
    waited, robot = swarm.times.longest_wait
    most = swarm.observer.timing.wait(3.0, swarm.observer.hops)
    assert waited <= most if plant is None else (waited > most and robot == 1)


@pytest.mark.parametrize('apart', [3.0, 3.4])
def test_no_finding_is_reported_without_a_fault(
        apart: float, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in PLACES:
        monkeypatch.setitem(PLACES, i, (apart * i, 0.0))
    assert WatchedSwarm().found() == set()


def deaf(patch: pytest.MonkeyPatch) -> None:
    """Plant: no robot believes any other."""
    patch.setattr(Reception, 'accept', lambda *arguments: None)


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


def weakest_first(patch: pytest.MonkeyPatch) -> None:
    """Plant: the weakest robot wins."""
    for i in SETTINGS:
        patch.setitem(SETTINGS[i], 'strength', -STRENGTHS[i])


def far_reaching(patch: pytest.MonkeyPatch) -> None:
    """Plant: robots follow leaders up to twice the radius."""
    for i in SETTINGS:
        patch.setitem(SETTINGS[i], 'radius', 2.0 * RADIUS)


def fickle(patch: pytest.MonkeyPatch) -> None:
    """Plant: robot 5 follows its leader and itself by turns, each for a few rounds."""
    elect, turns = Instance.elect, count()
    patch.setattr(Instance, 'elect', lambda self, view: (
        self.algorithm.start(self._device()) if self._device().id == 5 and next(turns) // 4 % 2
        else elect(self, view)))


def rarely_fickle(patch: pytest.MonkeyPatch) -> None:
    """Plant: robot 5 follows itself in three of ten rounds, which is a sixth of a longer run."""
    patch.setitem(globals(), 'END', 120.0)
    elect, turns = Instance.elect, count()
    patch.setattr(Instance, 'elect', lambda self, view: (
        self.algorithm.start(self._device()) if self._device().id == 5 and next(turns) % 10 < 3
        else elect(self, view)))


def stubborn(patch: pytest.MonkeyPatch) -> None:
    """Plant: robot 5 believes no other from 20 to 33 s."""
    accept = Reception.accept
    patch.setattr(Reception, 'accept', lambda self, payload, now, needs: (
        None if self.parameters.robot_id == 5 and 20.0 < now < 33.0
        else accept(self, payload, now, needs)))


def without_hysteresis(patch: pytest.MonkeyPatch) -> None:
    """Plant: robots join leaders within the whole radius."""
    for i in SETTINGS:
        patch.setitem(PLACES, i, (3.4 * i, 0.0))
        patch.setitem(SETTINGS[i], 'radius_hysteresis', 0.0)


@pytest.mark.parametrize(('plant', 'finding'), [
    (fickle, {'share of time'}),
    (rarely_fickle, {'share of time'}),
    (stubborn, {'share of time'}),
    (without_hysteresis, {'first partition', 'recovery', 'at the end', 'share of time'}),
    (deaf, {'first partition', 'recovery', 'at the end', 'share of time'}),
    (deaf_later, {'at the end', 'share of time'}),
    (undying, {'recovery', 'at the end'}),
    (forgetful_late, {'recovery'}),
    (weakest_first, {'first partition', 'recovery', 'at the end', 'share of time'}),
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


def test_leader_check_finds_robots_that_accept_no_message() -> None:
    """Each robot leads itself although it hears stronger ones."""
    judge = Judge(PLACES, RANGE, RADIUS)
    truth, alone = Truth(living=frozenset(PLACES)), {i: i for i in PLACES}
    assert judge.unled(alone, truth) == ()
    partition = PartitionJudge(STRENGTHS, RADIUS, ElectionParameters.radius_hysteresis)
    partition.observe(0.0, alone, judge.graph(truth))
    assert {2, 4} < partition.wrong.keys() and partition.right_time.share < 0.7


@pytest.mark.parametrize(('loss', 'wrong'), [(0.0, False), (1.0, True)])
def test_scale_finds_devices_that_receive_no_message(
        loss: float, wrong: bool, tmp_path: Path) -> None:
    """Each device leads itself at once, and nothing changes any more."""
    [bounded] = [each for each in CONTESTANTS if each.label == 'bounded']
    network = Network(10, 10)
    scenario = scenario_of(network, bounded, 100).replaced({'messages.loss': loss})
    outcome = run(scenario, 0, 10, bounded.quiet(10), 100, bounded.radius)
    assert all(phase.led is not None for phase in outcome.phases.values())
    assert outcome.phases[START].wrong == wrong
    assert (rounds(START)([outcome]) == WRONG) == wrong
    runs = {(network, bounded): [outcome]}
    assert has_wrong(runs) == wrong
    assert draw(runs, [network], [bounded], tmp_path / 'scale.png').exists()


def test_prove_finds_an_ignored_radius(monkeypatch: pytest.MonkeyPatch) -> None:
    setting, family = Setting(), Family(2, 'one', 2)
    assert not check(setting, family).wrong
    monkeypatch.setattr(Setting, 'rounds', lambda self: Rounds(
        BOUNDED, configure(0.5, self.ties, self.hop_limit)))
    assert check(setting, family).wrong


def test_fuzz_finds_a_codec_that_raises_or_changes_an_id(
        monkeypatch: pytest.MonkeyPatch) -> None:
    codec = Codec(BOUNDED)
    payload = codec.encode(Message(3, 'map', (1.0, 2.0), BOUNDED.start(Device(3, -5.0))))
    test_fuzz.check_decoding(codec, payload)
    encode = Codec.encode
    monkeypatch.setattr(Codec, 'encode', lambda self, message: encode(
        self, message._replace(id=message.id + 1)))
    with pytest.raises(AssertionError):
        test_fuzz.check_decoding(codec, payload)
    monkeypatch.setattr(Codec, 'decode', lambda self, payload: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        test_fuzz.check_decoding(codec, payload)


def spend(folder: Path) -> None:
    """Take longer than is allowed."""
    while True:
        (folder / 'file').read_bytes()


@pytest.mark.parametrize(('read', 'found'), [
    (lambda folder: 1 // 0, 'ZeroDivisionError: '),
    (lambda folder: bytearray(10**9), 'MemoryError'),
    (spend, 'TooSlow: longer than 1 s'), (lambda folder: os._exit(3), 'the process ended with 3')])
def test_fuzz_finds_a_reader_that_fails(read: Callable[[Path], Any], found: str, tmp_path: Path,
                                        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_files, 'SECONDS', 1)
    monkeypatch.setattr(fuzz_files, 'KEPT', tmp_path)
    for reads, wrong in ((read, True), (lambda folder: None, False)):
        reader = fuzz_files.Reader(reads, {'file': b'1,2'})
        monkeypatch.setattr(fuzz_files, 'readers', lambda folder, reader=reader: {'it': reader})
        texts = [*fuzz_files.failures('it', 0, 1)]
        assert any(found in text for text in texts) == wrong and wrong == bool(texts), texts


HERE, CHECKS, SCENARIOS, GATE, CHAOS = (
    'chaos/test_planted_faults', 'ros/demo/test_checks', 'ros/demo/test_task_scenarios',
    'ros/demo/test_gate', 'chaos/test_chaos')
LEADERS = f'{HERE}.test_leader_check_finds_its_planted_fault'
SPOILED = f'{CHAOS}.test_check_fails_when_its_figure_is_spoiled'
PLANTED = {
    'other robots sent in this ROS domain':
        f'{HERE}.test_demonstration_fails_when_a_stranger_sends_in_its_domain',
    ' were compared':
        'ros/demo/test_logs.test_check_of_logs_fails_when_the_run_ends_early_or_a_robot_is_silent',
    'robots were heard': f'{HERE}.test_memory_check_names_a_silent_robot',
    'first right partition': LEADERS,
    'recovery, until': LEADERS,
    'the leader that is right by true positions': LEADERS,
    'robots had this leader in': LEADERS,
    'the strongest, led': f'{HERE}.test_demonstration_fails_when_robots_are_deaf',
    'count: ': f'{SCENARIOS}.test_on_average_the_counts_add_up_to_the_swarm',
    'jobs were done': f'{SCENARIOS}.test_all_jobs_have_to_be_done',
    'of them were done twice':
        f'{SCENARIOS}.test_job_that_is_done_twice_fails_the_check_with_mandates_only',
    'a job waited for': f'{SCENARIOS}.test_run_without_any_job_done_fails',
    'field: alarm in regions':
        f'{SCENARIOS}.test_alarm_is_required_with_a_member_in_the_peak_after_the_delay',
    'field: no alarm': f'{SCENARIOS}.test_alarm_is_wrong_long_after_the_last_robot_left_the_peak',
    'no robot hit another': f'{SCENARIOS}.test_overlapping_robots_are_a_collision',
    'the robots drove': f'{SCENARIOS}.test_robots_that_do_not_move_fail_the_check_of_driving',
    'free space were visited': f'{SCENARIOS}.test_places_near_a_path_are_visited',
    'the leaders after one that was killed':
        f'{SCENARIOS}.test_patrol_compares_the_next_leader_with_a_killed_one',
    'rally:': f'{SCENARIOS}.test_members_are_near_their_leader_after_the_join_time',
    ' opens the gate': f'{GATE}.test_step_of_the_gate_fails_when_the_gate_was_not_opened',
    'results cannot be written':
        'ros/demo/test_main.test_leader_that_is_killed_twice_hands_its_patrol_over_twice',
    'the gate obeyed':
        f'{GATE}.test_gate_checks_forbid_faults_with_a_fence_and_require_them_without',
    'two robots held the gate open':
        f'{GATE}.test_gate_checks_forbid_faults_with_a_fence_and_require_them_without',
    'waited for the mandate of their leader':
        f'{HERE}.test_robot_that_never_releases_its_promises_is_found',
    'under those of two leaders': 'ros/demo/test_checks.test_two_mandates_over_a_robot_are_found',
    'the run went as planned': SPOILED,
    'recoveries within the bound': SPOILED,
    'at the end each robot has the right leader': SPOILED,
    'longest time between two messages': SPOILED,
    'none with a traceback': f'{CHAOS}.test_traceback_counts_as_a_crash',
    'memory grows': SPOILED,
    'the relay accounts for each copy': SPOILED,
    'copies that the relay delivered': SPOILED,
    'commands under': f'{CHAOS}.test_command_check_fails_when_two_leaders_are_obeyed',
    'prove, Bounded Election': f'{HERE}.test_prove_finds_an_ignored_radius',
    'prove, mandates':
        'election/mandates/test_mutations.test_violation_is_found_when_a_rule_is_mutated',
    'scale, the right partition':
        f'{HERE}.test_scale_finds_devices_that_receive_no_message',
    'fuzz, decoding':
        f'{HERE}.test_fuzz_finds_a_codec_that_raises_or_changes_an_id',
    'fuzz, readers': f'{HERE}.test_fuzz_finds_a_reader_that_fails',
    'fuzz, recovery': 'election/messages/test_fuzz.test_check_of_recovery_detects_lasting_harm',
}
"""The test that shows each check failing, by a part of the check's text."""


def test_table_names_an_existing_test_for_each_check() -> None:
    root = Path(__file__).parents[2]
    for where in PLANTED.values():
        file, _, name = where.rpartition('.')
        assert f'def {name}(' in (root / 'test' / f'{file}.py').read_text(), where
    texts = [check.text for check in checks(good(), ())]
    scenario = Namespace(seed=0, world='rooms', robots=4, kill_period=0.0, mandate=0.0)
    for kind in ('count', 'dispatch', 'field', 'patrol', 'rally'):
        texts += [check.text for check in SCENARIOS_BY_NAME[kind](scenario).checks()]
    observer = WatchedSwarm().observer
    texts += [check.text for check in (
        observer.recovery_check(), *observer.checks(Snapshot(0.0, {})))]
    assert [text for text in texts if not any(part in text for part in PLANTED)] == []


def test_demonstration_fails_when_a_stranger_sends_in_its_domain(tmp_path: Path) -> None:
    context, stranger = Context(), None
    with subprocess.Popen(
            [sys.executable, '-m', 'leader_election', 'demo', '--robots', '3', '--world', 'empty',
             '--radius', '30', '--range', '30', '--duration', '8', '--processes', '1', '--output',
             str(tmp_path / 'out')], env=variables(), stdout=subprocess.PIPE, text=True,
            stdin=subprocess.DEVNULL) as demo:
        assert demo.stdout is not None
        said = [demo.stdout.readline()]
        [domain] = re.findall('^ROS domain ([0-9]+)', said[0])
        for line in demo.stdout:
            said.append(line)
            # Beside a stranger the demonstration does not start.
            if stranger is None and line.startswith('3 robots'):
                rclpy.init(args=[], context=context, domain_id=int(domain))
                stranger = Node('stranger', context=context, use_global_arguments=False)
                stranger.create_publisher(String, '/neighbourhood', NEIGHBOURHOOD)
    assert stranger is not None
    stranger.destroy_node()
    context.shutdown()
    assert demo.returncode == 1
    assert [line for line in said if line.startswith('  FAIL')] == [
        '  FAIL  other robots sent in this ROS domain: /stranger\n']


def test_demonstration_fails_when_robots_are_deaf(tmp_path: Path) -> None:
    """The fault is planted in every process of the demonstration."""
    (tmp_path / 'sitecustomize.py').write_text(
        'from leader_election.election.robot.reception import Reception\n'
        'Reception.accept = lambda *arguments: None\n')
    done = subprocess.run(
        [sys.executable, '-m', 'leader_election', 'demo', '--robots', '4', '--world', 'empty',
         '--radius', '30', '--range', '30', '--duration', '4', '--processes', '1', '--output',
         str(tmp_path / 'out')], env=variables(tmp_path), capture_output=True, text=True,
        timeout=300, stdin=subprocess.DEVNULL)
    assert done.returncode == 1, done.stdout + done.stderr
    failed = [line for line in done.stdout.splitlines() if line.startswith('  FAIL')]
    for part in ('first right partition', 'the strongest, led 0 others', 'recovery, until',
                 'at the end 1 of 4', 'robots had this leader in 0.0%'):
        assert any(part in line for line in failed), done.stdout
