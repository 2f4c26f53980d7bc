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

"""Robots with mandates: their outputs, their tasks, and decisions in order."""

from contextlib import nullcontext
import math
from typing import Any

from election.robot.swarm import line, of_one, Swarm
from leader_election.election.algorithms import BOUNDED
from leader_election.election.mandates.mandates import NO_ONE, Notice
from leader_election.election.mandates.parameters import (
    DIGEST_BITS,
    digest_of,
    Kept,
    MandateSettings,
    MandateTool,
    Memory,
    REACTION,
)
from leader_election.election.mandates.part import DIGEST
from leader_election.election.regions.task import Task
from leader_election.election.robot.diagnostics import part_values
from leader_election.election.robot.instance import Instance
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.parameters import build, ParameterError
import pytest

MANDATE = 5.0
LASTS = MANDATE * 0.98 - REACTION
SILENCE = 6
"""Rounds until all have granted: a promise of 5.1 s is over, and one more [s]."""


class Work(Task):
    """Decides the number of its decision, and keeps what it was given."""

    needs_mandate = True
    max_age = 2.5

    def __init__(self, member: Any, settings: Any) -> None:
        super().__init__(member, settings)
        self.told: list[str] = []
        self.acted: list[Any] = []
        self.decided = 0

    def decide(self, summary: Any) -> Any:
        self.decided += 1
        return self.decided

    def act(self, decision: Any) -> None:
        self.acted.append(decision)

    def on_acquired(self, term: int) -> None:
        self.told.append(f'acquired {term}')

    def on_lost(self) -> None:
        self.told.append('lost')


def swarm(number: int = 3, **common: Any) -> Swarm:
    """Return robots on a line, of which the first is the strongest."""
    return Swarm(line(number), lambda i: of_one(i, {1: 9.0}), {'work': Work}, **{
        'radius': 9.0, 'mandate': MANDATE, 'tasks': 'work', **common})


def work(instance: Instance) -> Work:
    """Return the task of an instance."""
    task = instance.parts['regions'].task_runners[0].task
    assert isinstance(task, Work)
    return task


def test_leader_acts_over_its_members_and_members_know_it() -> None:
    robots = swarm()
    robots.sweep(SILENCE - 1)
    main = robots.instances()
    assert part_values(main[1], 100.0)['acting'] == 'false'
    robots.sweep(4)
    found = {i: part_values(instance, 100.0) for i, instance in main.items()}
    term = found[1]['term']
    assert found[1] == {
        'acting': 'true', 'acting_until': f'{100.0 + LASTS:.6f}', 'term': term,
        'acts_over': '1,2,3',
        'acts_until': ','.join(f'{100.0 + LASTS - age:.6f}' for age in (0.0, 0.0, 1.0)),
        'mandate_of': '1', 'mandate_term': term,
        'tasks': 'work'}
    assert found[3]['mandate_of'] == '1' and found[3]['acting'] == 'false'
    assert int(found[3]['mandate_term']) >= int(term)
    assert part_values(main[1], 100.0, active=False)['acting'] == 'false'
    # The process was stopped for a second after the round.
    late = part_values(main[1], 200.0, now=robots.now + 1.0)
    assert late['acting_until'] == f'{199.0 + LASTS:.6f}'


def test_mandates_are_used_when_a_task_needs_them() -> None:
    with pytest.raises(ParameterError, match='task work needs mandates'):
        swarm(mandate=0.0)


def test_task_that_needs_mandates_acts_only_under_a_mandate() -> None:
    robots = swarm()
    main = robots.instances()
    robots.sweep(SILENCE - 1)
    assert work(main[1]).decided == 0 and set(work(main[2]).acted) == {None}
    robots.sweep(4)
    assert work(main[2]).acted[-1] == work(main[1]).decided > 0
    term = part_values(main[1], 0.0)['term']
    assert work(main[1]).told == [f'acquired {term}'] and work(main[2]).told == []
    robots.robots[1].close()
    assert work(main[1]).told == [f'acquired {term}', 'lost']


def test_member_does_not_act_on_decisions_when_its_promise_is_to_another_leader() -> None:
    """Robot 2 changes from 1, which is silent, to 3."""
    robots = Swarm(line(3), lambda i: of_one(i, {1: 9.0, 3: 8.0}), {'work': Work}, radius=1.0,
                   mandate=MANDATE, tasks='work')
    robots.sweep(SILENCE + 4)
    main = robots.instances()
    second = main[2].parts['mandates'].mandates
    assert main[2].leader == second.promise.leader == 1
    main[3].strength.update(99.0)
    robots.silent.add(1)
    robots.sweep()
    until = second.promise.until
    while robots.now + 1.0 < until:
        robots.sweep()
        assert main[2].leader == 3 and second.bound(robots.now).leader == 1
        assert main[2].parts['regions'].decision == [work(main[3]).decided - 1]
        assert work(main[2]).acted[-1] is None
    robots.sweep(2)
    assert work(main[2]).acted[-1] == work(main[3]).decided - 1


def test_quorum_is_refused_without_a_roster() -> None:
    with pytest.raises(ParameterError, match='roster'):
        swarm(quorum='majority')
    with pytest.raises(ParameterError, match='roster'):
        swarm(quorum='majority', roster='1 to 9')


def with_other(i: int, **settings: Any) -> Swarm:
    """Return robots on a line, of which one has other settings of mandates."""
    return Swarm(line(4), lambda j: {**of_one(j, {1: 9.0}), **(settings if j == i else {})}, **{
        'radius': 9.0, 'mandate': MANDATE, 'quorum': 'majority', 'roster': '1-4'})


@pytest.mark.parametrize('settings', [
    {'mandate': 8.0}, {'clock_rate_error': 0.02}, {'roster': '1-5'}, {'quorum': 'none'}],
    ids=lambda settings: next(iter(settings)))
def test_robot_neither_grants_nor_relays_when_its_settings_differ(
        settings: dict[str, Any]) -> None:
    """Robot 3 is between 4 and the leader, and does not relay beats."""
    robots = with_other(3, **settings)
    robots.sweep(2 * SILENCE)
    main = robots.instances()
    assert robots.leaders() == dict.fromkeys(range(1, 5), 1)
    assert {i: part_values(each, 0.0)['mandate_of'] for i, each in main.items()} == {
        1: '1', 2: '1', 3: '-1', 4: '-1'}
    assert part_values(main[1], 0.0)['acts_over'] == '1,2'
    differing = {i: each.parts['mandates'].differing for i, each in main.items()}
    assert differing == {1: (), 2: (3,), 3: (2, 4), 4: (3,)}
    # Robots 2 and 4 heard a message a round, of the first one before their own first round.
    assert main[4].counts['rejected_other_mandate'] == 2 * SILENCE
    fault, _, values = main[2].parts['mandates'].concern()
    assert fault == (
        'settings of mandates differ from those of robot 3, and neither counts the grants of the '
        'other: compare mandate, clock_rate_error, quorum, roster')
    assert values['rejected_other_mandate'] == 2 * SILENCE
    assert main[1].parts['mandates'].concern()[0] == ''


def test_digest_differs_when_any_setting_differs() -> None:
    settings = MandateSettings(3.0, 0.01, frozenset({1, 2, 3}))
    others = [settings._replace(**{
        name: frozenset({1, 2}) if isinstance(value, frozenset) else value + 0.01})
              for name, value in settings._asdict().items()]
    digests = {digest_of(each) for each in (settings, *others)}
    assert len(digests) == len(MandateSettings._fields) + 1
    assert 2**(DIGEST_BITS - 1) <= max(digests) < 2**DIGEST_BITS


def test_digest_is_the_same_when_a_set_has_its_robots_in_another_order() -> None:
    digests = set()
    for roster in ((1, 9), (9, 1)):
        digest_of.cache_clear()
        digests.add(digest_of(MandateSettings(3.0, roster=frozenset(roster))))
    assert len(digests) == 1


def test_leader_without_a_quorum_warns_with_the_robots_that_it_acts_over() -> None:
    robots = Swarm(line(2), lambda i: of_one(i, {1: 9.0}), radius=9.0, mandate=MANDATE,
                   quorum='majority', roster='v2 1,2,3,4')
    robots.sweep(1)
    leader = robots.instances()[1].parts['mandates']
    assert leader.warning(True, robots.now) == (
        'leads, but acts over 0 of 4 robots of the roster, and takes more than half')
    assert leader.warning(False, robots.now) == ''
    robots.sweep(2 * SILENCE)
    assert leader.warning(True, robots.now) == (
        'leads, but acts over 2 of 4 robots of the roster, and takes more than half')
    shown = leader.settings_shown()
    assert (shown['mandate'], shown['quorum'], shown['roster']) == ('5', 'majority', 'v2 1-4')
    assert shown[DIGEST] == f'{digest_of(leader.mandates.settings):08x}'


def test_leader_warns_until_it_has_the_mandate_over_itself() -> None:
    robots = swarm(1)
    main = robots.instances()[1]
    leader = main.parts['mandates']
    assert (leader.left_out, leader.differing) == (0, ())
    robots.sweep(1)
    assert leader.warning(True, robots.now) == 'leads, but has no mandate over itself yet'
    assert (leader.left_out, leader.differing) == (0, ())
    idle = {'acting': 'false', 'acting_until': '', 'term': '', 'acts_over': '', 'acts_until': '',
            'mandate_of': '-1', 'mandate_term': ''}
    assert leader.leadership(100.0, robots.now, True) == idle
    robots.sweep(2 * SILENCE)
    assert leader.warning(True, robots.now) == ''
    assert leader.leadership(100.0, robots.now, False) == idle | {
        'mandate_of': '1', 'mandate_term': leader.leadership(0.0, None, True)['mandate_term']}


def test_started_robot_warns_while_longer_promises_of_an_earlier_start_last() -> None:
    def warning(promise: float, now: float, lag: float = 0.0) -> str:
        lags = [0.0]
        tool = MandateTool(lambda: lags[0], lambda: Memory(Kept(promise)))
        robot = Robot(build(ElectionParameters, {
            'robot_id': 1, 'metric': 'hops', 'mandate': MANDATE, 'quorum': 'majority',
            'roster': '1'}), tools={'mandates': lambda instance: tool})
        robot.round(0.0)
        lags[0] = lag
        part: Any = robot.main.parts['mandates']
        found: str = part.warning(True, now)
        return found

    assert warning(100.0, 10.0) == (
        'grants nothing for another 90 s: before its start mandates were longer')
    assert warning(100.0, 10.0, lag=7.0) == (
        'grants nothing for another 97 s: before its start mandates were longer')
    for promise, now in ((100.0, 99.0), (0.0, 0.0), (math.inf, 0.0)):
        assert warning(promise, now).startswith('leads, but acts over 0 of 1 robots')


def test_all_neighbours_with_other_settings_are_named_up_to_five() -> None:
    """Robot 1 hears up to seven robots, which have other settings."""
    for number, named in ((2, 'robot 2'), (3, 'robots 2, 3'), (6, 'robots 2, 3, 4, 5, 6'),
                          (7, 'robots 2, 3, 4, 5, 6 and 1 more'),
                          (8, 'robots 2, 3, 4, 5, 6 and 2 more')):
        robots = Swarm({i: (0.01 * i, 0.0) for i in range(1, number + 1)},
                       lambda i: of_one(i, {1: 9.0}) | {'mandate': MANDATE + (i > 1)}, radius=9.0)
        robots.sweep(2)
        fault, _, values = robots.instances()[1].parts['mandates'].concern()
        assert fault == (f'settings of mandates differ from those of {named}, and neither counts '
                         'the grants of the other: compare mandate, clock_rate_error, quorum, '
                         'roster')
        assert values['rejected_other_mandate'] > 0


def test_robot_without_a_leader_needs_no_duration() -> None:
    robots = swarm(2, algorithm='given', mandate=1.3, **{'given.leaders': '1'})
    parts = {i: each.parts['mandates'] for i, each in robots.instances().items()}
    assert parts[1].concern()[2]['mandate_needed'] == '0', 'before the first round'
    robots.sweep(1)
    assert parts[1].needed == 1.3 and parts[1].concern()[0] == ''
    robots.silent.add(1)
    robots.sweep(9)
    assert robots.instances()[2].leader == NO_ONE and parts[2].needed == 0.0
    assert parts[1].concern()[2]['mandate_needed'] == '1.3'


def test_robot_needs_one_beat_when_its_algorithm_counts_no_hops() -> None:
    robots = Swarm(line(2), algorithm='colour', mandate=MANDATE)
    robots.sweep(3)
    assert robots.instances()[2].parts['mandates'].needed == 1.3


def test_relays_and_robots_without_mandates_are_under_none() -> None:
    robots = Swarm(line(4), lambda i: {**of_one(i, {1: 9.0}), **(
        {2: {'role': 'relay'}, 4: {'mandate': 0.0}}.get(i, {}))}, **{
            'radius': 9.0, 'mandate': MANDATE})
    robots.sweep(2 * SILENCE)
    assert part_values(robots.instances()[1], 0.0)['acts_over'] == '1,3'


def test_notice_of_a_neighbour_that_leaves_asks_for_a_round_at_its_receipt() -> None:
    robots = swarm()
    robots.sweep(SILENCE)
    part = robots.instances()[2].parts['mandates']
    leaving = part.mandates.part._replace(leaving=(Notice(3, 1, 9),))
    assert part.process(3, BOUNDED.state(-99.0, 1.0, 9, 1), leaving, robots.now)


def test_member_warns_with_the_number_when_the_mandate_is_too_short_for_its_hops() -> None:
    robots = swarm(5)
    robots.sweep(2 * SILENCE)
    faults = {i: each.parts['mandates'].concern()[0] for i, each in robots.instances().items()}
    assert faults == dict.fromkeys((1, 2, 3), '') | {
        4: 'mandate is 5 s, and two periods a hop to the leader take 6.4 s: its mandate over this '
        'robot may lapse',
        5: 'mandate is 5 s, and two periods a hop to the leader take 8.5 s: its mandate over this '
        'robot may lapse'}
    last = robots.instances()[5].parts['mandates']
    last.mandates.memory.fault = 'no space left'
    assert last.concern()[0] == f'no space left; {faults[5]}'


@pytest.mark.parametrize(('mandate', 'period', 'allowed'), [
    (0.5, 1.0, False), (1.2, 1.0, False), (1.3, 1.0, True), (2.0, 2.0, False),
    (0.5, 0.2, True)])
def test_mandate_duration_is_refused_with_the_minimum_when_shorter_than_a_beat(
        mandate: float, period: float, allowed: bool) -> None:
    least, hop = ('1.3', '2.3') if period == 1.0 else ('2.3', '4.4')
    text = (f'mandate: {mandate:g} is not allowed; with a round_period of {period:g} s it takes '
            f'{least} s or more, and {hop} s for members one hop away')
    for given, prefix in (({'mandate': mandate}, ''), (
            {'instances': 'more', 'others': {'more': {'mandate': mandate}}}, 'more.')):
        with nullcontext() if allowed else pytest.raises(ParameterError, match=prefix + text):
            Swarm(line(1), lambda i, given=given: given, round_period=period)


def test_all_grants_are_left_out_when_the_message_has_no_part_about_mandates() -> None:
    robots = swarm()
    robots.sweep(SILENCE + 3)
    part = robots.instances()[2].parts['mandates']
    assert part.left_out == 0
    part.was_sent(None)
    assert part.left_out == len(part.mandates.part.grants) == 2


def test_running_robot_takes_the_next_roster_and_refuses_an_older_one() -> None:
    def parameters(roster: str) -> ElectionParameters:
        return build(ElectionParameters, {'robot_id': 1, 'metric': 'hops', 'mandate': MANDATE,
                                          'quorum': 'majority', 'roster': roster})

    robot = Robot(parameters('v1 1'))
    for second in range(SILENCE + 2):
        robot.round(float(second))
    robot.configure(parameters('v2 1 to 1-2'))
    assert robot.main.parts['mandates'].mandates.part.beat == SILENCE + 2, 'one a round'
    shown = robot.main.parts['mandates'].settings_shown
    assert shown()['roster'] == 'v2 1 to 1-2'
    with pytest.raises(ParameterError, match='version 1 is refused: the present one, 2'):
        robot.configure(parameters('v1 1'))
    assert shown()['roster'] == 'v2 1 to 1-2'
