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

"""Mandates in the laboratory: exact cases, the record of rounds, and planted faults."""

import random

from benchmarks.mandates import cut
from election.mandates.mutations import MUTATIONS
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.mandates.mandates import MandateSettings
from leader_election_lab.columns import COLUMNS, MEASURES
from leader_election_lab.experiment.scenario import ScenarioError
from leader_election_lab.simulation import mandated_run
from leader_election_lab.simulation.mandated_run import Clock, Judge, STEADY, SWARM
import numpy as np
import pytest
from simulations import begun, line, played, rounds, scene, WALK

EXACT = {'mandate': 6, 'clock_rate_error': 0}
TOGETHER = {'phase': 'together'}


def mandated(duration=30, events=(), **mandates):
    """Return the samples of each half second of five devices on a line, the last the strongest."""
    samples = played(line(
        duration=duration, events=list(events), rounds=TOGETHER, measure={'interval': 0.5},
        algorithms=[{'name': 'bounded', 'radius': 60, 'mandates': {**EXACT, **mandates}}],
    )).network.watch.samples
    assert not samples[:, COLUMNS.index('faults')].any()
    return {name: samples[:, COLUMNS.index(name)].tolist() for name in ('mandated', 'acting')}


@pytest.mark.parametrize(('mandate', 'part'), [(6, 1.0), (4, 0.8), (2, 0.4)])
def test_a_mandate_reaches_as_far_as_beats_do_within_it(mandate, part):
    # A beat takes a second a hop; the grants come back at once, since ids run in their order. So
    # a mandate of 4 s never covers device 0, four hops away, and one of 2 s only the next device.
    found = mandated(mandate=mandate)
    # All are silent for the duration, then grant the newest beat.
    assert found['mandated'][2 * mandate - 2:2 * mandate + 1] == [0.0, 0.0, part]
    assert found['mandated'][-20::2] == [part] * 10 and found['acting'][-20::2] == [1.0] * 10


def test_a_restarted_device_is_silent():
    restart = [{'kind': 'join', 'at': 5, 'last': 0}, {'kind': 'die', 'at': 20, 'last': 0},
               {'kind': 'join', 'at': 21, 'last': 0}]
    found = mandated(events=restart)['mandated']
    assert found[39:42] == [1.0, 1.0, 1.0], 'until 20 s, then of the others'
    assert found[42:55] == [0.8] * 12 + [1.0], 'from 21.5 to 27 s it grants nothing'


@pytest.mark.parametrize(('quorum', 'acting'), [('none', 2.0), ('majority', 1.0)])
def test_with_a_quorum_one_half_acts(quorum, acting):
    cut_in_two = [{'kind': 'split', 'at': 15, 'line': 25}]
    found = mandated(events=cut_in_two, quorum=quorum)['acting']
    assert found[28] == 1.0 and found[-1] == acting


def test_rounds_are_recorded_with_what_they_have_received():
    stage = begun(scene(algorithms=[{'name': 'bounded', 'radius': 60, 'mandates': EXACT}]))
    mandates, at = stage.mandates, stage.network.devices.position
    assert mandates is not None
    last, numbers = {}, 0
    for i, now in rounds(stage, 5.0):
        near = {j for j in last if j != i and np.linalg.norm(at[i] - at[j]) <= 25}
        assert mandates._devices[i].received == {last[j] for j in near}
        sent, heard = mandates._messages[numbers]
        columns = stage.columns
        assert (sent, heard.sender) == (now, i)
        assert (heard.leader, heard.distance) == (columns.leader[i], columns.distance[i])
        last[i], numbers = numbers, numbers + 1
    assert numbers == 5 * 14


def test_mandates_change_nothing_of_an_election():
    sections = {'motion': WALK, 'rounds': {'jitter': 0.1},
                'messages': {'range': 25, 'delay': [0.1, 1.5], 'loss': 0.2, 'expiry': 3},
                'events': [{'kind': 'split', 'at': 9, 'line': 30}, {'kind': 'die', 'at': 14,
                                                                    'share': 0.2}]}
    with_them, without = (played(scene(algorithms=[{
        'name': 'bounded', 'radius': 60, **more}], **sections)).network.watch
        for more in ({'mandates': EXACT}, {}))
    elected = slice(len(MEASURES))
    assert with_them.samples[:, elected].tobytes() == without.samples[:, elected].tobytes()
    assert with_them.counts.tolist() == without.counts.tolist()


def test_relays_are_under_no_mandate():
    samples = played(line(devices=[
        {'kind': 'grid', 'columns': 4, 'rows': 1, 'step': [10, 10]},
        {'kind': 'grid', 'columns': 1, 'rows': 1, 'first': [40, 0], 'role': 'relay'}],
        algorithms=[{'name': 'bounded', 'radius': 60, 'regions': {}, 'mandates': EXACT}],
    )).network.watch.samples
    assert samples[-1, COLUMNS.index('mandated')] == 0.8


@pytest.mark.parametrize(('mandates', 'text'), [
    ({}, 'algorithms.mandates.mandate: 0.0 is not allowed; it takes more than 0 s'),
    ({'mandate': 3, 'roster': 'all'}, 'algorithms.mandates.roster'),
    ({'mandate': 3, 'length': 3}, 'algorithms.mandates.length'), (7, 'takes keys and values')])
def test_mandates_that_are_not_allowed_are_named(mandates, text):
    with pytest.raises(ScenarioError) as error:
        scene(algorithms=[{'name': 'bounded', 'mandates': mandates}])
    assert text in str(error.value)


@given(st.integers(0, 99), st.floats(0.0, 0.2), st.lists(st.floats(0.0, 9.0), max_size=20))
def test_a_clock_is_wrong_by_at_most_its_error(seed, error, pauses):
    clock, now = Clock(error, random.Random(seed), 5.0), 5.0
    for pause in pauses:
        before, now = clock(now), now + pause
        elapsed = clock(now) - before
        assert (1 - error) * pause - 1e-9 <= elapsed <= (1 + error) * pause + 1e-9
    assert STEADY > 0.0


def test_a_judge_names_what_contradicts_the_guarantees():
    held = {(1, 7)}
    judge = Judge(lambda leader, robot, now: (leader, robot) in held)
    judge.look(1, {7: 10, 8: 10}, 1.0)
    judge.look(1, {7: 10, SWARM: 11}, 2.0)
    # Leader 1 does not hold a mandate over 8 any more, and term 12 is greater.
    judge.look(2, {8: 12}, 3.0)
    assert judge.faults == []
    judge.look(2, {7: 12}, 4.0)
    assert judge.faults == ['4.000: 1 and 2 over 7'] and judge.doubled == 1
    judge.look(3, {8: 12, SWARM: 10}, 5.0)
    assert judge.faults[1:] == ['5.000: 3 over 8, 12 after 12', '5.000: 3 over -1, 10 after 11']
    assert judge.doubled == 1


def test_cuts_and_merges_give_no_double_mandate():
    found = cut(600)
    assert (found.events, found.doubled, found.faults) == (600, 0, [])
    assert found.rounds > 2_500 and found.restarts > 30 and found.share > 0.4


def test_cuts_and_merges_find_a_promise_of_half_the_duration(monkeypatch):
    monkeypatch.setattr(MandateSettings, 'promise', property(lambda it: 0.5 * it.duration))
    assert cut(600).doubled > 0


@pytest.mark.parametrize('rule', [
    'a bound robot grants no other leader', 'a mandate lasts from its beat on',
    'a leader that stops leading drops its mandates', 'only grants to this leader count',
    'a quorum is more than half'])
def test_cuts_and_merges_find_a_rule_that_is_missing(rule, monkeypatch):
    [mutation] = (each for each in MUTATIONS if each.rule == rule)
    monkeypatch.setattr(mandated_run, 'Mandates', mutation.mandates())
    assert cut(600).doubled > 0
