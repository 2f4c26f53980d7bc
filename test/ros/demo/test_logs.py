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
from importlib.resources import files
import math

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import build, ParameterError
from leader_election.ros.demo.checks import overload
from leader_election.ros.demo.logs import swarms, table, true_logs, world_parameters
from leader_election.ros.demo.main import parse
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.robot_logs import read_logs
from leader_election.swarm.fleet.hosting import RobotHostParameters
from leader_election.swarm.reference_partition import Agreement
from leader_election.swarm.snapshot import RobotView, Snapshot
import pytest


def options(*words: str) -> Namespace:
    return parse(['--logs', 'physics5', *words])


def world(*words: str) -> WorldParameters:
    values = {name: tuple(value) if isinstance(value, list) else value
              for name, value in world_parameters(options(*words)).items()}
    return build(WorldParameters, {'logs': 'physics5', **values})


def test_without_sightings_there_are_three_swarms_and_no_sensors():
    assert world_parameters(options()) == {}
    assert swarms(options()) == {
        'by_odometry': {'odom_topic': '/robot_{id}/odom'},
        'by_truth': {'odom_topic': '/robot_{id}/ground_truth'},
        'by_truth_again': {'odom_topic': '/robot_{id}/ground_truth'}}


@pytest.mark.parametrize(('words', 'sensors'), [
    (('--sightings',), (0.0, 0.0, True)), (('--sightings', 'logs'), (0.0, 0.0, True)),
    (('--sightings', 'uwb'), (1.0, 0.0, False)), (('--sightings', 'camera'), (0.0, 2.0, False))])
def test_sightings_are_logged_or_simulated(words, sensors):
    made = world(*words)
    assert (made.ranging_rate, made.camera_rate, made.logged_sightings) == sensors
    assert made.radio == 'shared'
    own = swarms(options(*words))['with_filter']
    assert own == {'odom_topic': '/robot_{id}/odom', 'pose_source': 'cooperative',
                   'measurements_topic': '/robot_{id}/measurements'}
    names = {name for each in (RobotHostParameters, ElectionParameters)
             for name in each.__dataclass_fields__}
    assert own.keys() <= names


def test_faults_change_parameters_of_sensors_and_robots():
    made = world('--sightings', 'uwb', '--outliers', '0.4', '--bias', '0.2', '--carried', '2,4',
                 '--carried-at', '60', '--wrong-start', '3')
    assert (made.ranging_outliers, made.ranging_bias) == (0.4, 0.2)
    assert (made.carried_robots, made.carried_at) == ('2,4', 60.0)
    assert math.hypot(*made.carried_by[:2]) == 2.0
    assert (made.odom_shifted, made.odom_shift) == ('3', 1.0)
    assert world('--sightings', 'camera', '--outliers', '0.4').camera_outliers == 0.4


@pytest.mark.parametrize('words', [('--loss', '0.3'), ('--radio-range', '3')])
def test_all_swarms_lose_messages_but_the_one_they_are_compared_with(words):
    made = world('--sightings', *words)
    assert made.radio == 'relay'
    assert (made.radio_loss, made.radio_range) in ((0.3, math.inf), (0.0, 3.0))
    found = swarms(options('--sightings', *words))
    relayed = [name for name, own in found.items() if own.get('radio') == 'relay']
    assert sorted(relayed) == sorted(made.radio_namespaces)
    assert found.keys() - set(relayed) == {'by_truth'}


def test_landmarks_are_those_of_the_folder(tmp_path):
    path = swarms(options('--sightings', '--landmarks'))['with_filter']['landmarks']
    assert path == str(
        files('leader_election.simulation') / 'logs/physics5/measurements/landmarks.csv')
    with pytest.raises(ParameterError, match='^argument --landmarks: there is no landmarks.csv'):
        swarms(parse(['--logs', str(tmp_path), '--sightings', '--landmarks']))


def agreement(*leaders: int) -> Agreement:
    """Return the agreement of two robots, with these leaders of robot 2, second by second."""
    made = Agreement()
    for second, leader in enumerate(leaders):
        one, other = ({1: view(1), 2: view(each)} for each in (leader, 1))
        made.compare(float(second), Snapshot(0.0, one, {}), Snapshot(0.0, other, {}))
    return made


def view(leader: int) -> RobotView:
    return Namespace(leader=leader)  # type: ignore[return-value]


def test_the_last_column_is_the_filters_and_the_last_row_overall():
    three = {'by_odometry': agreement(1, 2, 2, 2), 'by_truth_again': agreement(1, 1, 1, 2)}
    four = {**three, 'with_filter': agreement(1, 1, 2, 1)}
    assert [line.split() for line in table(three, 2.0)[1:]] == [
        ['0', 'to', '2', 's', '75.0%', '50.0%', '100.0%'],
        ['2', 'to', '4', 's', '50.0%', '0.0%', '75.0%'],
        ['overall', '62.5%', '25.0%', '87.5%']]
    header, *_, last = table(four, 2.0)
    assert header.endswith('   true poses   all, filter   filter')
    assert last.split() == ['overall', '62.5%', '25.0%', '87.5%', '75.0%', '87.5%']
    assert {len(line) for line in table(four, 2.0)} == {len(header)}


def test_a_machine_that_is_too_busy_is_reported():
    good, bad = agreement(1, 1).share(0.0, 9.0), agreement(1, 2).share(0.0, 9.0)
    assert overload(good, {'by_truth': 1.0, 'with_filter': 0.96}) == ''
    assert overload(good, {'by_truth': 1.0, 'with_filter': 0.9}).startswith(
        'robots of with_filter sent late in 10.0% of their time')
    assert 'agree with itself' in overload(bad, {'by_truth': 1.0})
    assert overload(None, {'by_truth': 1.0}) == ''


def test_true_poses_of_a_carried_robot_are_moved():
    options = Namespace(carried='2', carried_at=60.0)
    logs = read_logs('physics5')
    moved = true_logs(logs, [1, 2, 3, 4, 5], options)
    assert moved[1] is logs[0]
    assert moved[2].pose_at(59.0) == pytest.approx(logs[1].pose_at(59.0))
    assert math.dist(moved[2].pose_at(61.0)[:2], logs[1].pose_at(61.0)[:2]) == pytest.approx(2.0)
