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

"""Links that change over time."""

from pathlib import Path

from leader_election.parameters import ParameterError
from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.runs import computation
from leader_election_lab.simulation.run import simulate
from leader_election_lab.topologies.contacts import check_begin, ContactsParameters, read
import numpy as np
import pytest
from simulations import counts, played, scene

HEADER, LOSSES = 't,a,b,up\n', 't,a,b,up,loss\n'


def trace(folder: Path, rows: str, header: str = HEADER) -> ContactsParameters:
    """Return a trace that is written to a file."""
    path = folder / 'contacts.csv'
    path.write_text(header + rows)
    return ContactsParameters(str(path))


def test_links_follow_the_last_change(tmp_path: Path) -> None:
    contacts, position = read(trace(tmp_path, '0,1,0,1\n0,1,2,1\n4,0,1,0\n6.5,1,0,1\n'))
    assert len(position) == 3 and contacts.pairs.tolist() == [[0, 1], [1, 2]]
    assert [contacts.at(t)[0].tolist() for t in (0, 3.9, 4, 6.4, 9)] == [
        [[0, 1], [1, 2]], [[0, 1], [1, 2]], [[1, 2]], [[1, 2]], [[0, 1], [1, 2]]]


def test_losses_are_directed_and_hold_until_the_next_value(tmp_path: Path) -> None:
    contacts, _ = read(trace(tmp_path, (
        '0,0,1,1,0.5\n1,1,0,1,1\n2,2,1,1,\n3,0,1,0,\n3,2,1,1,0.25\n4,1,0,1,0\n'), LOSSES))
    assert [contacts.at(t)[1].tolist() for t in range(5)] == [
        [[0.5, 0]], [[0.5, 1]], [[0.5, 1], [0, 0]], [[0, 0.25]], [[0.5, 0], [0, 0.25]]]
    for header, end in ((HEADER, ''), (LOSSES, ',')):
        assert read(trace(tmp_path, f'0,0,1,1{end}\n', header))[0].at(0)[1].shape == (0, 2)


@pytest.mark.parametrize(('rows', 'problem'), [
    ('', 'line 2: no rows'), ('3,0,1,1\n2,0,1,0\n', 'line 3: t is 2; it takes at least 3'),
    ('0,1,1,1\n', 'line 2: a, b are 1, 1; they take two whole numbers from 0 on'),
    ('0,0,1,2\n', 'line 2: up is 2; it takes 0 or'),
    ('0,0,1\n', 'line 2: up is not a finite number')])
def test_wrong_trace_is_refused_with_file_and_line(
        tmp_path: Path, rows: str, problem: str) -> None:
    with pytest.raises(ParameterError, match=f'log .*contacts.csv: {problem}'):
        read(trace(tmp_path, rows))
    with pytest.raises(ParameterError, match='missing columns up'):
        read(trace(tmp_path, '0,0,1', 't,a,b\n'))
    for loss, problem in (('1.5', 'loss is 1.5; it takes 0 to 1'), ('-1', 'loss is -1; it'),
                          ('much', "loss is not a finite number: 'much'")):
        with pytest.raises(ParameterError, match=f'contacts.csv: line 2: {problem}'):
            read(trace(tmp_path, f'0,0,1,1,{loss}', LOSSES))


CONNECTIONS = """# Connections
0.0 CONN 3 12 up
12.5 CONN 12 20 up
40.0 CONN 3 12 down
"""


def test_report_of_the_one_simulator_is_a_trace(tmp_path: Path) -> None:
    contacts, position = read(trace(tmp_path, CONNECTIONS, ''))
    # 3, 12 and 20 are the first three devices.
    assert len(position) == 3 and contacts.pairs.tolist() == [[0, 1], [1, 2]]
    assert [contacts.at(t)[0].tolist() for t in (0, 12, 12.5, 40)] == [
        [[0, 1]], [[0, 1]], [[0, 1], [1, 2]], [[1, 2]]]
    assert contacts.at(0)[1].shape == (0, 2)


@pytest.mark.parametrize(('row', 'problem'), [
    ('41 CONN 3 12 off', "line 5: it takes t CONN a b up, or down: '41 CONN 3 12 off'"),
    ('41 CONN 3 up', 'line 5: it takes t CONN a b up, or down'),
    ('41 S M1 3 12 0', 'line 5: it takes t CONN a b up, or down'),
    ('41 CONN 3 3 up', 'line 5: a, b are 3, 3; they take two whole numbers')])
def test_wrong_report_is_refused_with_file_and_line(
        tmp_path: Path, row: str, problem: str) -> None:
    with pytest.raises(ParameterError, match=f'log .*contacts.csv: {problem}'):
        read(trace(tmp_path, f'{CONNECTIONS}{row}\n', ''))


INTERVALS = '100\t7\t5\tA\tB\n100 8 5 A B\n120 5 7 B A\n160 5 7 B A\n180 9 5 C B\n'


def test_contacts_of_sociopatterns_are_a_trace(tmp_path: Path) -> None:
    """5 and 7 are linked from 80 to 120 s and from 140 to 160 s, and time 0 is at 80 s."""
    contacts, position = read(trace(tmp_path, INTERVALS, ''))
    assert len(position) == 4 and contacts.pairs.tolist() == [[0, 1], [0, 2], [0, 3]]
    assert [contacts.at(t)[0].tolist() for t in (0, 19, 20, 39, 40, 60, 79, 80, 99, 100)] == [
        [[0, 1], [0, 2]], [[0, 1], [0, 2]], [[0, 1]], [[0, 1]], [], [[0, 1]], [[0, 1]],
        [[0, 3]], [[0, 3]], []]
    # 5 and 9 are linked to the end of the trace.
    assert contacts.presence().tolist() == [[0, np.inf], [0, 80], [0, 20], [80, np.inf]]


@pytest.mark.parametrize(('row', 'problem'), [
    ('200 5', "line 6: it takes t a b: '200 5'"), ('200 5 x', 'line 6: b is not a finite number'),
    ('200 5 1.5', 'line 6: a, b are 1.5, 5; they take two whole numbers')])
def test_wrong_contacts_are_refused_with_file_and_line(
        tmp_path: Path, row: str, problem: str) -> None:
    with pytest.raises(ParameterError, match=f'log .*contacts.csv: {problem}'):
        read(trace(tmp_path, f'{INTERVALS}{row}\n', ''))


@pytest.mark.parametrize('rows', ['1100000000,0,1,1\n1100000040,0,1,0\n', '30,0,1,1\n'])
def test_run_is_refused_when_no_contact_begins_in_it(tmp_path: Path, rows: str) -> None:
    scenario = scenarios.parse({
        'duration': 30, 'algorithms': [{'name': 'bounded', 'radius': 50}],
        'devices': [{'kind': 'contacts', 'path': trace(tmp_path, rows).path}],
        'messages': {'expiry': 3}, 'strength': {'cycle': ['id']}}, 'mine')
    with pytest.raises(scenarios.ScenarioError, match=(
            'contacts.csv: no contact begins within the run: the first one begins at '
            f'{rows.split(",")[0]} s, and the run ends at 30 s')):
        computation.run(scenario, [0], tmp_path / 'results')


def test_run_is_refused_when_contacts_only_end(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match='no contact begins: no row has up 1'):
        check_begin(trace(tmp_path, '1,0,1,0\n'), 30.0)


def test_trace_is_refused_when_times_are_nanoseconds(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r'line 3: t is 3e\+10 after 0: .*nanoseconds'):
        read(trace(tmp_path, '0,0,1,1\n30000000000,0,1,0\n'))


def test_run_follows_the_trace(tmp_path: Path) -> None:
    parameters = trace(tmp_path, '0,0,1,1\n10,0,1,0\n20,0,1,1\n')
    scenario = scenarios.parse({
        'duration': 30, 'algorithms': [{'name': 'bounded', 'radius': 50}],
        'devices': [{'kind': 'contacts', 'path': parameters.path}],
        'messages': {'expiry': 3}, 'strength': {'cycle': ['id']}}, 'mine')
    taken = simulate(scenario, 'bounded', 0, [9.0, 19.0, 29.0]).snapshots
    assert [one.leader.tolist() for one in taken] == [[1, 1], [0, 1], [1, 1]]
    assert [one.pairs.tolist() for one in taken] == [[[0, 1]], [], [[0, 1]]]


@pytest.mark.parametrize('delay', [0.0, 0.1])
def test_link_may_be_in_one_direction(tmp_path: Path, delay: float) -> None:
    # Device 1 leads both, unless device 0 does not hear it.
    for rows, leaders in (('0,0,1,1,1\n', [1, 1]), ('0,1,0,1,1\n', [0, 1])):
        stage = played(scene(
            duration=10, messages={'delay': [delay, delay]}, strength={'cycle': ['id']},
            devices=[{'kind': 'contacts', 'path': trace(tmp_path, rows, LOSSES).path}]))
        assert stage.columns.leader.tolist() == leaders
        # Ten rounds of both devices.
        assert (counts(stage)['sent'], counts(stage)['lost']) == (20, 10)
