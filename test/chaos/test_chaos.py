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

"""The schedule of faults: the seed decides, every fault that lasts ends, nothing impossible."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
import random
import subprocess
import sys

from benchmarks.chaos import report
from benchmarks.chaos import schedule as of
from benchmarks.chaos.__main__ import main
from benchmarks.chaos.judge import (
    bound,
    commands_check,
    Judge,
    JudgedChange,
    Observation,
    recoveries,
    Recovery,
    Truth,
)
from benchmarks.chaos.report import checks, grows, growth, table, tracebacks
from benchmarks.chaos.run import Account, Outcome
from benchmarks.chaos.schedule import ATTACK, Change, KILL, NO_TROUBLE, Plan, Schedule, SPLIT
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.algorithms import BOUNDED
from leader_election.election.messages.codec import codec_for, MAX_LENGTH, Message
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.ros.demo.attacks import ATTACKS, Target, WEAK_IDS
from leader_election.ros.demo.gate import Command
from leader_election.simulation.parameters import WorldParameters
from leader_election.swarm.reference_partition import RightTime
import pytest

HOSTS = {'robot_9': (9,), 'robot_4': (4,), 'robot_5': (5,), 'fleet_1': (1, 2, 3)}
JOINING = {'robot_7': (7,), 'robot_8': (8,)}
PLAN = Plan(HOSTS, JOINING, ('one', 'two', 'three', 'four'), 8.0, 1.5, 1.0, True)
ROUND = 20
"""More faults than a round of all kinds has."""


def changes(seed: int, faults: int = 5 * ROUND, plan: Plan = PLAN) -> list[Change]:
    return [change for fault in islice(Schedule(plan, seed).faults(), faults) for change in fault]


def test_seed_determines_the_schedule() -> None:
    assert changes(1) == changes(1) != changes(2)


@given(st.integers(0, 1000))
def test_every_kind_of_fault_happens_soon(seed: int) -> None:
    found = changes(seed)
    assert {change.kind for change in found} == {
        of.KILL, of.START, of.PAUSE, of.GO_ON, of.RADIO, of.SPLIT, of.HEAL, of.ODOMETRY,
        of.STRENGTH, of.CLOCK, of.ATTACK, of.ATTACK_OVER}
    assert {change.settings['name'] for change in found if change.kind == of.ATTACK} == {
        'one', 'two', 'three', 'four'}


def test_clock_does_not_leap_without_simulated_time() -> None:
    assert of.CLOCK not in {
        change.kind for change in changes(1, plan=PLAN._replace(simulated_clock=False))}


@given(st.integers(0, 1000), st.integers(0, 60))
def test_only_living_processes_are_harmed_and_only_dead_processes_start(
        seed: int, faults: int) -> None:
    schedule = Schedule(PLAN, seed)
    living, paused = set(HOSTS), ''
    done = [change for fault in islice(schedule.faults(), faults) for change in fault]
    for change in [*done, *schedule.calm()]:
        if change.kind == of.KILL:
            assert change.process in living and len(change.robots) == 1
            living.discard(change.process)
            assert any(len({**HOSTS, **JOINING}[name]) == 1 for name in living)
        elif change.kind == of.START:
            assert change.process not in living
            living.add(change.process)
        elif change.kind == of.PAUSE:
            assert change.process in living
            paused = change.process
        elif change.kind == of.GO_ON:
            assert change.process == paused
            paused = ''
        else:
            assert not paused
    assert not paused and living == {*HOSTS, *JOINING}


def lasting(found: list[Change]) -> Iterator[bool]:
    """Yield for each fault that lasts whether its end follows."""
    ends = {of.SPLIT: of.HEAL, of.ATTACK: of.ATTACK_OVER, of.PAUSE: of.GO_ON}
    for change, after in zip(found, found[1:]):
        if change.kind in ends:
            yield after.kind == ends[change.kind]


@given(st.integers(0, 1000))
def test_lasting_faults_end_and_parameters_are_in_range(seed: int) -> None:
    schedule = Schedule(PLAN, seed)
    done = [change for fault in islice(schedule.faults(), 2 * ROUND) for change in fault]
    found = [*done, *schedule.calm()]
    assert all(lasting(found))
    world = WorldParameters(radio='relay')
    for change in found:
        if change.kind in (of.RADIO, of.SPLIT, of.HEAL, of.ODOMETRY):
            # The world refuses what is out of range.
            world = WorldParameters(**{**vars(world), **change.settings})
            assert world.radio_loss <= of.MOST_LOSS
    assert world == WorldParameters(radio='relay')


def test_recovery_is_judged_from_the_end_of_an_attack() -> None:
    for change in changes(3):
        assert change.judged == (change.kind != of.ATTACK)
        assert change.lasts >= (8.0 + change.extra if change.judged else of.ATTACK_LASTS)


# Attacks: what is to be believable is, what is too long is not sent, nothing raises.

CODEC = codec_for(BOUNDED)


def robot() -> Robot:
    made = Robot(ElectionParameters(robot_id=3, strength=5.0))
    made.sensing.take_odometry((1.0, 2.0, 0.0), 0.0)
    return made


def target(dead: tuple[int, ...] = ()) -> Target:
    sent = {3: robot().round(0.0), 4: robot().round(0.0).replace('"id":3', '"id":4')}
    return Target(3, (1.0, 2.0), sent, dead, random.Random(1))


@pytest.mark.parametrize('name', [
    'forged candidacies', 'replayed messages', 'a flood of long messages', 'many weak robots',
    "robots' ids from far away", 'decisions dear to follow'])
def test_messages_of_an_attack_are_decoded(name: str) -> None:
    for number in range(20):
        assert isinstance(CODEC.decode(ATTACKS[name].payload(number, target())), Message)


def test_forged_candidacy_is_followed_while_sent() -> None:
    victim = robot()
    victim.round(0.0)
    victim.receive(ATTACKS['forged candidacies'].payload(0, target()), 0.1)
    victim.round(0.2)
    assert victim.state.leader == 99


def test_replay_sends_messages_of_a_dead_leader() -> None:
    attack = ATTACKS['replayed messages']
    assert {attack.payload(i, target((4,))) for i in range(20)} == {target().sent[4]}


def test_floods_and_sybil_attacks_have_their_sizes() -> None:
    assert 3000 < len(ATTACKS['a flood of long messages'].payload(1, target())) <= MAX_LENGTH
    weak = {ATTACKS['many weak robots'].payload(i, target()) for i in range(2 * WEAK_IDS)}
    assert len(weak) == WEAK_IDS


@pytest.mark.parametrize('name', ATTACKS)
def test_robot_survives_every_attack(name: str) -> None:
    victim = robot()
    for number in range(200):
        now = 0.1 * number
        victim.sensing.take_odometry((1.0, 2.0, 0.0), now)
        victim.receive(ATTACKS[name].payload(number, target()), now)
        victim.round(now)
    victim.sensing.take_odometry((1.0, 2.0, 0.0), 100.0)
    victim.round(100.0)
    assert victim.state.leader == 3


# The report of a run: each check fails where it has to; the judge.

FLAT = [(float(second), 1e8) for second in range(200)]


def recovery(kind: str, seconds: float, at: float = 0.0, judged: bool = True) -> Recovery:
    change = Change(kind, f'a {kind}', settings={'name': 'x'} if kind == ATTACK else {},
                    judged=judged)
    return Recovery(JudgedChange(at, change, 6.0), seconds, True, 10.0)


def good() -> Outcome:
    """Return the outcome of a run in which everything held."""
    return Outcome(
        recoveries=[recovery(KILL, 2.0), recovery(KILL, 4.0, 10.0), recovery(SPLIT, 0.0, 20.0),
                    recovery(ATTACK, 9.0, 30.0, judged=False)],
        settled=True, right_time=RightTime(0.97), most_wrong=7.0, gaps=[(0.5, 'robot 1')],
        account=Account(1000, 995), statuses={'world': 0},
        memory={'world': FLAT, 'young': [(0.0, 0.0), (1.0, 1e12)]})


def failing(outcome: Outcome, crashed: tuple[str, ...] = ()) -> list[str]:
    return [check.text for check in checks(outcome, crashed) if not check.holds]


def test_correct_run_passes_every_check() -> None:
    assert failing(good()) == []


def spoil(**values: object) -> Callable[[Outcome], None]:
    def apply(outcome: Outcome) -> None:
        for name, value in values.items():
            assert hasattr(outcome, name)
            setattr(outcome, name, value)
    return apply


@pytest.mark.parametrize(('change', 'text'), [
    (spoil(failures=['it broke']), 'it broke'),
    (spoil(recoveries=[recovery(KILL, 6.1)]), '0 of 1 recoveries'),
    (spoil(recoveries=[recovery(KILL, 2.0)._replace(wrong=6.1)]), '0 of 1 recoveries'),
    (spoil(recoveries=[]), '0 of 0 recoveries'),
    (spoil(right_time=RightTime(0.89)), 'had this leader in 89.0% of their time'),
    (spoil(right_time=RightTime(0.97, (0.6, 5))), 'robot 5 in 60%'),
    (spoil(right_time=RightTime(0.97, longest=(8.0, 5))), 'longest wrong: 8.0 s, robot 5'),
    (spoil(settled=False), 'at the end'),
    (spoil(gaps=[(1.0, 'robot 1'), (11.0, 'robot 2')]), '11.0 s (robot 2)'),
    (spoil(statuses={'world': 1}), "crashed: {'world': 1}"),
    (spoil(unbalanced=1), 'the relay'),
    (spoil(account=Account(1000, 980)), 'lost 20'),
    (spoil(account=Account(1000, 1001)), 'lost -1'),
    (spoil(account=Account(0, 0)), 'of 0 copies'),
    (spoil(memory={'world': [(second, 1e8 + 2e5 * second) for second, _ in FLAT]}),
     'memory grows: world')])
def test_check_fails_when_its_figure_is_spoiled(change: Callable[[Outcome], None],
                                                text: str) -> None:
    outcome = good()
    change(outcome)
    found, = failing(outcome)
    assert text in found


def test_traceback_counts_as_a_crash(tmp_path: Path) -> None:
    (tmp_path / 'good.log').write_text('all is well\n')
    (tmp_path / 'bad.log').write_text(f'{report.TRACEBACK}:\n')
    assert tracebacks(tmp_path) == ['bad.log']
    found, = failing(good(), ('bad.log',))
    assert 'bad.log' in found


def test_memory_check_fails_when_memory_grows_but_not_after_a_step() -> None:
    def used(of_second: Callable[[float], float]) -> list[tuple[float, float]]:
        return [(second, 1e8 + of_second(second)) for second, _ in FLAT]

    assert not grows(used(lambda second: 5e7 * (second > 40.0)))
    assert grows(used(lambda second: 3e5 * second))
    assert growth(used(lambda second: 0.0)) == pytest.approx((1e8, 0.0), abs=1.0)


@pytest.mark.parametrize(('seconds', 'text'), [
    (600.0, 'less than 156 MB an hour in each of 1 processes'),
    (7200.0, 'less than 13 MB an hour'),
    (30.0, 'not judged, as no process ran for 60 s')])
def test_memory_check_reports_the_growth_that_its_run_can_detect(
        seconds: float, text: str) -> None:
    check = report.memory_check({'world': [(k * seconds / 100, 1e8) for k in range(101)]})
    assert check.holds and text in check.text


def test_table_has_a_row_for_each_judged_kind() -> None:
    assert table(good().recoveries).splitlines()[2:] == [
        '| kill | 2 | 3.0, 4.0 | 0.0, 0.0 | 6.0 | 67% |',
        '| split | 1 | 0.0, 0.0 | 0.0, 0.0 | 6.0 | 0% |']


# The judge: which robots have a living leader in reach, and how long they had none.

LINE = {robot: (float(robot), 0.0) for robot in (1, 2, 3, 4, 5)}
"""Five robots in a line, 1 m apart."""
ALL = Truth(living=frozenset(LINE))
JUDGE = Judge(LINE, communication_range=1.5, radius=2.0)


def led_by(**leaders: int) -> dict[int, int]:
    """Return leaders by robot. All others lead themselves."""
    return {**{robot: robot for robot in LINE}, **{int(name[1:]): leader
                                                   for name, leader in leaders.items()}}


def test_reachable_leaders_are_within_the_radius_along_living_robots() -> None:
    assert JUDGE.unled(led_by(), ALL) == ()
    assert JUDGE.unled(led_by(r1=3, r2=3, r4=3, r5=3), ALL) == ()
    assert JUDGE.unled(led_by(r1=4), ALL) == JUDGE.unled(led_by(r1=99), ALL) == (1,)
    assert JUDGE.unled({1: 1}, ALL.after(living=frozenset({1, 2}))) == (2,), 'silent'
    # Robot 2 is the only way from 1 to 3.
    dead = ALL.after(living=ALL.living - {2})
    assert JUDGE.unled(led_by(r1=3, r4=3), dead) == (1,)
    # The dead need no leader and are none.
    assert JUDGE.unled(led_by(r2=5, r1=2), dead) == (1,)


def test_channels_and_wrong_odometry_separate_robots() -> None:
    leaders = led_by(r1=2, r3=2, r4=5)
    assert JUDGE.unled(leaders, ALL.after(apart=frozenset({1, 2}))) == (3,)
    assert JUDGE.unled(leaders, ALL.after(apart=frozenset({1, 2, 3}))) == ()
    assert JUDGE.unled(leaders, ALL.after(silent=frozenset({1, 2}))) == (1, 3)
    assert JUDGE.unled(led_by(), ALL.after(silent=frozenset({2}))) == ()
    # Those that are wrong by the same do not notice.
    assert JUDGE.unled(leaders, ALL.after(shifted=frozenset({1, 2}))) == (3,)


def test_graph_has_the_links_between_living_robots_that_hear_each_other() -> None:
    truth = ALL.after(living=frozenset({1, 2, 4, 5}), apart=frozenset({5}))
    assert JUDGE.graph(truth) == {1: {2: 1.0}, 2: {1: 1.0}, 4: {}, 5: {}}
    moved = Judge(LINE, communication_range=1.5, radius=2.0)
    moved.move({4: (2.75, 0.0)})
    assert moved.graph(truth)[4] == {2: 0.75}


@pytest.mark.parametrize(('radio', 'extra', 'seconds'), [
    ({}, 0.0, 2.0 + 5 * 1.0), ({}, 3.0, 2.0 + 5 * 1.0 + 3.0),
    ({'radio_loss': 0.1}, 0.0, 2.0 + 5 * 1.25),
    ({'radio_delay': 0.1, 'radio_jitter': 0.2}, 0.0, 2.0 + 5 * 1.6)])
def test_bound_grows_with_expiry_hops_and_period(
        radio: dict[str, float], extra: float, seconds: float) -> None:
    assert bound(5, 1.0, 2.0, {**NO_TROUBLE, **radio}, extra) == pytest.approx(seconds)


def test_recovery_ends_at_the_last_moment_without_the_right_leader() -> None:
    kill, unjudged = Change(KILL, 'first'), Change(KILL, 'second', judged=False)
    happened = [JudgedChange(10.0, kill, 3.0), JudgedChange(20.0, kill, 1.0),
                JudgedChange(30.0, unjudged, 1.0), JudgedChange(40.0, kill, 5.0)]
    seen = [Observation(float(time), (1,) if time in (9, 11, 12, 22, 39, 40, 41) else (),
                        None if 20 <= time < 25 else (2,) if time in (13, 14) else ())
            for time in range(9, 42)]
    found = recoveries(happened, seen, 42.0)
    assert found == [
        Recovery(happened[0], 2.0, True, 10.0, 4.0), Recovery(happened[1], 2.0, True, 10.0),
        Recovery(happened[2], 9.0, False, 10.0), Recovery(happened[3], 1.0, False, 2.0)]
    assert [each.holds for each in found] == [False, False, True, True]


@pytest.mark.parametrize(('said', 'holds'), [
    ('9:5@1+ 9:5@2+ 8:7@3+ 9:5@2- 9:9@4+', True),
    ('9:5@1+ 9:5@2+', False),
    ('9:5@1+ 8:7@3+ 9:5@4- 8:7@5+', False),
    ('9:5@1+ 8:5@2+ 9:6@3+', False),
    ('8:7@3+ 9:5@2+ 9:9@4+', False)],
    ids=['late ones are refused', 'no other leader', 'acts on after another', 'two in a term',
         'a late one is obeyed'])
def test_command_check_fails_when_two_leaders_are_obeyed(said: str, holds: bool) -> None:
    """A command has robot, term, time, and whether it is obeyed."""
    answers = []
    for number, each in enumerate(said.split()):
        robot, term, given = each[:-1].replace('@', ':').split(':')
        answers.append(Command(int(robot), int(term), float(given), 5.0 + number, each[-1] == '+'))
    assert commands_check(answers, 0.0).holds == holds
    assert not commands_check(answers, 0.1).holds


# Short runs of real nodes, by the seeds: a leap of the clock and an attack, a kill. Whole
# again at the end. ``make chaos`` makes all faults.

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, '-m', 'benchmarks.chaos', *arguments], cwd=ROOT,
                          capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize(('arguments', 'rows', 'checks'), [
    ('--robots 8 --seconds 20 --seed 190', ('| clock |', '| attack over: '), 9),
    ('--robots 6 --seconds 1 --seed 14 --mandate 4', ('| kill |', ' commands under '), 12)],
    ids=['a leap and an attack', 'the leader with a mandate is killed'])
def test_swarm_passes(arguments: str, rows: tuple[str, str], checks: int, tmp_path: Path) -> None:
    page = tmp_path / 'run.html'
    done = run(*arguments.split(), '--output', str(tmp_path), '--html', str(page))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == 'chaos: everything held'
    assert all(row in done.stdout for row in rows)
    assert len([line for line in lines if line.startswith('  ok    ')]) == checks
    assert (tmp_path / 'timeline.png').stat().st_size > 10_000
    assert ': not judged' in page.read_text() or ', bound ' in page.read_text()


@pytest.mark.parametrize('wrong', [('--robots', '3'), ('--seconds', '0'), ('--seed', '-1'),
                                   ('--schedule', 'never'), ('--mandate', '0.8')])
def test_chaos_prints_one_line_when_an_option_is_wrong(
        wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(wrong)
    out, error = capsys.readouterr()
    assert (ended.value.code, out, len(error.splitlines())) == (2, '', 1)
