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

"""The demonstration on logs: the parameters of its processes, and its table."""

from argparse import Namespace

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import build, ParameterError
from leader_election.ros.demo.logs import LogsDemo, SIGHTINGS, swarms
from leader_election.ros.demo.main import parse
from leader_election.simulation.parameters import WorldParameters
from leader_election.swarm.fleet.robot_list import RobotHostParameters
from leader_election.swarm.reference_partition import Agreement
from leader_election.swarm.snapshot import RobotView, Snapshot
import pytest


def options(*words: str) -> Namespace:
    return parse(['--logs', 'physics5', *words])


def test_logs_demo_has_three_swarms_without_sightings():
    assert swarms(options()) == {
        'by_odometry': {'odom_topic': '/robot_{id}/odom'},
        'by_truth': {'odom_topic': '/robot_{id}/ground_truth'},
        'by_truth_again': {'odom_topic': '/robot_{id}/ground_truth'}}


@pytest.mark.parametrize('rows', ['0,1,1\n', '0,1,1\n5,1,1\n'])
def test_logs_demo_is_refused_when_a_log_is_too_short(ros, rows, tmp_path):
    (tmp_path / 'robot_1.csv').write_text(f't,x,y\n{rows}')
    with pytest.raises(ParameterError, match='logs: the shortest one of .* lasts [05] s'):
        LogsDemo(options('--logs', str(tmp_path)))


@pytest.mark.parametrize('words', [('--sightings',), ('--sightings', 'uwb')])
def test_fourth_swarm_uses_sightings(words):
    build(WorldParameters, {'logs': 'physics5', **SIGHTINGS[options(*words).sightings]})
    own = swarms(options(*words))['with_filter']
    assert own == {'odom_topic': '/robot_{id}/odom', 'pose_source': 'cooperative',
                   'measurements_topic': '/robot_{id}/measurements'}
    names = {name for each in (RobotHostParameters, ElectionParameters)
             for name in each.__dataclass_fields__}
    assert own.keys() <= names


def test_check_of_logs_fails_when_the_run_ends_early_or_a_robot_is_silent(
        ros, tmp_path, monkeypatch, capsys):
    logs = LogsDemo(options('--output', str(tmp_path)))
    monkeypatch.setattr('leader_election.ros.demo.logs.draw_agreement', lambda *given: None)
    for tracker in logs.trackers.values():
        tracker.first_heard.update(dict.fromkeys(logs.ids, 0.0))
    for name in logs.agreements:
        logs.agreements[name] = agreement(*[1] * (int(logs.length) + 1))
    assert logs._report(None) == 0
    logs.agreements['by_odometry'] = agreement(*[1] * (int(logs.length) - 5))
    del logs.trackers['by_truth'].first_heard[logs.ids[0]]
    capsys.readouterr()
    assert logs._report(None) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if line.startswith('  FAIL')]
    assert len(failed) == 2 and ' were compared' in failed[0]
    assert 'by_truth: 4 of 5 robots were heard' in failed[1]


def agreement(*leaders: int) -> Agreement:
    """Return the agreement of two robots, with these leaders of robot 2, second by second."""
    made = Agreement()
    for second, leader in enumerate(leaders):
        one, other = ({1: view(1), 2: view(each)} for each in (leader, 1))
        made.compare(float(second), Snapshot(0.0, one, {}), Snapshot(0.0, other, {}))
    return made


def view(leader: int) -> RobotView:
    return Namespace(leader=leader)  # type: ignore[return-value]


def test_report_prints_shares_of_robots_and_of_rounds_in_which_all_agree(
        ros, tmp_path, monkeypatch, capsys):
    logs = LogsDemo(options('--output', str(tmp_path), '--sightings'))
    monkeypatch.setattr('leader_election.ros.demo.logs.draw_agreement', lambda *given: None)
    logs.agreements.update(by_odometry=agreement(1, 2, 2, 2), by_truth_again=agreement(1, 1, 1, 2),
                           with_filter=agreement(1, 1, 2, 1))
    logs._report(None)
    lines = [line.split(maxsplit=2) for line in capsys.readouterr().out.splitlines()[2:5]]
    assert sorted(lines) == [
        ['62.5%;', '25.0%', 'by odometry'], ['87.5%;', '75.0%', 'by true poses, a second time'],
        ['87.5%;', '75.0%', 'with filter']]
