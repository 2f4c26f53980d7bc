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

"""The report of a run: each check fails where it has to, the table, the picture."""

from collections.abc import Callable
from pathlib import Path

from benchmarks.chaos import report
from benchmarks.chaos.judge import (
    bound,
    commands_check,
    Happened,
    Judge,
    Observation,
    recoveries,
    Recovery,
    Truth,
)
from benchmarks.chaos.report import checks, draw, grows, growth, table, tracebacks
from benchmarks.chaos.run import Account, Outcome
from benchmarks.chaos.schedule import ATTACK, Change, KILL, NO_TROUBLE, SPLIT
from leader_election.swarm.gate_log import Answer
from leader_election.swarm.snapshot import RobotView, Snapshot
from leader_election.swarm.view.frame import Frame
import numpy as np
from PIL import Image
import pytest

FLAT = [(float(second), 1e8) for second in range(200)]


def recovery(kind: str, seconds: float, at: float = 0.0, judged: bool = True) -> Recovery:
    change = Change(kind, f'a {kind}', settings={'name': 'x'} if kind == ATTACK else {},
                    judged=judged)
    return Recovery(Happened(at, change, 6.0), seconds, True, 10.0)


def good() -> Outcome:
    """Return the outcome of a run in which everything held."""
    return Outcome(
        recoveries=[recovery(KILL, 2.0), recovery(KILL, 4.0, 10.0), recovery(SPLIT, 0.0, 20.0),
                    recovery(ATTACK, 9.0, 30.0, judged=False)],
        settled=True, gaps=[(0.5, 'robot 1')], account=Account(1000, 995),
        statuses={'world': 0}, memory={'world': FLAT, 'young': [(0.0, 0.0), (1.0, 1e12)]})


def failing(outcome: Outcome, crashed: tuple[str, ...] = ()) -> list[str]:
    return [check.text for check in checks(outcome, crashed) if not check.holds]


def test_good_run_passes_all_checks() -> None:
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
    (spoil(recoveries=[]), '0 of 0 recoveries'),
    (spoil(settled=False), 'at the end'),
    (spoil(gaps=[(1.0, 'robot 1'), (11.0, 'robot 2')]), '11.0 s (robot 2)'),
    (spoil(statuses={'world': 1}), "crashed: {'world': 1}"),
    (spoil(unbalanced=1), 'the relay'),
    (spoil(account=Account(1000, 980)), 'lost 20'),
    (spoil(account=Account(1000, 1001)), 'lost -1'),
    (spoil(account=Account(0, 0)), 'of 0 copies'),
    (spoil(memory={'world': [(second, 1e8 + 2e5 * second) for second, _ in FLAT]}),
     'memory grows: world')])
def test_each_spoiled_figure_fails_its_check(change: Callable[[Outcome], None], text: str) -> None:
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


def test_growing_memory_fails_and_a_single_step_does_not() -> None:
    def used(of_second: Callable[[float], float]) -> list[tuple[float, float]]:
        return [(second, 1e8 + of_second(second)) for second, _ in FLAT]

    assert not grows(used(lambda second: 5e7 * (second > 40.0)))
    assert grows(used(lambda second: 3e5 * second))
    assert growth(used(lambda second: 0.0)) == pytest.approx((1e8, 0.0, 0.0), abs=1.0)


def test_table_has_a_line_for_each_judged_kind() -> None:
    assert table(good().recoveries).splitlines()[2:] == [
        '| kill | 2 | 3.0 | 4.0 | 6.0 | 67% |', '| split | 1 | 0.0 | 0.0 | 6.0 | 0% |']


def test_picture_shows_leaders_and_robots_without_one(tmp_path: Path) -> None:
    outcome, red, blue = good(), (0.8, 0.1, 0.1), (0.1, 0.1, 0.8)
    outcome.seconds = 40.0
    outcome.observations = [Observation(0.1 * i, (1, 2) if i < 100 else ()) for i in range(400)]
    outcome.frames = [Frame(Snapshot(0.5 * i, {
        robot: RobotView(robot, None, 0.0, 0.0, 1 if i < 40 else 2) for robot in (1, 2, 3)}),
        {1: red, 2: blue}) for i in range(80)]
    draw(outcome, tmp_path / 'folder' / 'timeline.png')
    pixels = np.asarray(Image.open(tmp_path / 'folder' / 'timeline.png').convert('RGB')) / 255.0

    def share(colour: tuple[float, float, float]) -> float:
        return float((abs(pixels - colour).max(axis=2) < 0.02).mean())

    assert share(red) > 0.05 and share(blue) > 0.05
    # Without a leader for a quarter of the time.
    assert 0.005 < share((0xb0 / 255, 0x30 / 255, 0x5c / 255)) < 0.1


# The judge: which robots have a living leader in reach, and how long they had none.

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


@pytest.mark.parametrize(('said', 'holds'), [
    ('9:5@1+ 9:5@2+ 8:7@3+ 9:5@2- 9:9@4+', True),
    ('9:5@1+ 9:5@2+', False),
    ('9:5@1+ 8:7@3+ 9:5@4- 8:7@5+', False),
    ('9:5@1+ 8:5@2+ 9:6@3+', False),
    ('8:7@3+ 9:5@2+ 9:9@4+', False)],
    ids=['late ones are refused', 'no other leader', 'acts on after another', 'two in a term',
         'a late one is obeyed'])
def test_commands_of_one_leader_at_a_time_hold(said: str, holds: bool) -> None:
    """Each command has robot, term, the time at which it was given, and whether it is obeyed."""
    answers = []
    for number, each in enumerate(said.split()):
        robot, term, given = each[:-1].replace('@', ':').split(':')
        answers.append(Answer(int(robot), int(term), float(given), 5.0 + number, each[-1] == '+'))
    assert commands_check(answers).holds == holds
