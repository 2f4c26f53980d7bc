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


"""The report of a robot on its localisation."""

from collections import Counter
import math
from typing import Any

from leader_election.localisation.neighbourhood_filter import ACCEPTED, REJECTED, UNKNOWN
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.poses import wrap
from leader_election.localisation.report import WINDOW
from leader_election.localisation.sighting import Extraction, Sighting
from leader_election.localisation.source import Estimate, make_source, PoseSource
from localisation.simulation import Neighbourhood
import pytest


def source(pose_source: str = 'cooperative', **parameters: Any) -> tuple[PoseSource, Counter[str]]:
    """Return the pose source of robot 1 after one message of odometry, and its counters."""
    counts = Counter[str]()
    found = make_source(
        1, LocalisationParameters(pose_source=pose_source, **parameters), expiry=3.0,
        top_speed=10.0, counts=counts, landmarks={})
    found.take_odometry((1.0, 2.0), 0.0, 0.0, is_given=pose_source == 'tf')
    found.begin_round(0.0)
    return found, counts


def drive(robot: PoseSource, metres: int) -> None:
    """Drive straight on, by odometry."""
    for k in range(metres):
        robot.take_odometry((1.0 + k, 2.0), 0.0, k + 1.0)
    robot.begin_round(float(metres))


def test_odometry_reports_a_fault_when_its_deviation_is_beyond_the_limit() -> None:
    robot, _ = source('odometry', max_deviation=1.0)
    assert robot.fault(0.0) == ''
    assert robot.text(0.0) == 'odometry, deviation 0.05 m'
    drive(robot, 60)
    assert float(robot.values(60.0)['deviation']) > 1.0
    found = robot.fault(60.0)
    assert found.startswith('distances are too uncertain: their deviation is ')
    assert found.endswith(
        ' m, beyond 1 m (max_deviation); use pose_source cooperative with a sensor that sees '
        'other robots, a localisation (pose_source tf), or metric range or hops')
    robot.limit = math.inf
    assert robot.fault(60.0) == ''


def test_report_has_no_deviation_when_a_localisation_gives_the_pose() -> None:
    robot, _ = source('tf')
    assert robot.fault(0.0) == '' and robot.text(0.0) == 'by a localisation (tf)'
    assert 'deviation' not in robot.values(0.0)


def test_cooperating_robot_is_judged_by_its_own_deviation_when_alone() -> None:
    robot, _ = source(max_deviation=1.0)
    drive(robot, 60)
    assert 'more sightings are needed' in robot.fault(60.0)


def test_robot_reports_uncertain_distances_and_no_known_pose_when_sensors_are_dark() -> None:
    """Before, it reports distances and no fault."""
    swarm = Neighbourhood(4, 5)
    own = swarm.robots[1]
    own.limit = 1.0
    for now in swarm.run(60):
        assert own.fault(now) == ''
    assert own.claimed(now) is not None
    values, text = own.values(now), own.text(now)
    assert 0.0 < float(values['distance_deviation']) < 1.0 and values['neighbours_localised'] == 3
    assert text.startswith('deviation ')
    assert 'm; neighbours localised: 3, deviation of distances 0.' in text
    swarm.reach = 0.0
    faults = [own.fault(now) for now in swarm.run(90)]
    assert faults[-1].startswith('distances are too uncertain: their deviation is ')
    assert ' m, beyond 1 m (max_deviation): no sighting for 90 s; more sightings' in faults[-1]
    assert own.claimed(swarm.now) is None
    assert own.text(swarm.now).endswith('covariance unknown: the deviation is too great')


def test_doubtful_leader_is_reported_with_its_cause() -> None:
    robot, _ = source()
    assert robot.fault(1.0, doubt=0.25) == ''
    assert robot.fault(1.0, doubt=0.3) == (
        'the leader is wrong with a probability of 30%, since the deviation of distances is '
        '0.05 m: no sighting yet')


def test_deviation_counts_when_the_doubt_is_unknown_or_its_limit_is_set() -> None:
    robot, _ = source()
    robot.limit = 0.01
    assert robot.fault(1.0).startswith('distances are too uncertain: their deviation is 0.05 m')
    assert robot.fault(1.0, doubt=0.2) == ''
    robot, _ = source(max_deviation=0.01)
    assert robot.fault(1.0, doubt=0.2).startswith('distances are too uncertain')
    assert robot.fault(1.0, doubt=0.9).startswith('distances are too uncertain')


class Backwards(Neighbourhood):
    """A swarm with cameras, of which that of robot 1 looks back, not ahead as its owner thinks."""

    def sightings(self, robot: int) -> list[Sighting]:
        return [each._replace(bearing=wrap(each.bearing + math.pi * (robot == 1)))
                for each in super().sightings(robot)]


def test_wrong_sensor_is_reported_by_its_robot_alone() -> None:
    swarm = Backwards(4, 3, True, reach=8.0)
    faults = {robot: Counter[bool]() for robot in swarm.robots}
    for now in swarm.run(90):
        for robot, own in swarm.robots.items():
            faults[robot]['most own sightings contradict' in own.fault(now)] += 1
    assert faults.pop(1)[True] > 10 and not any(each[True] for each in faults.values())


def test_rejections_are_reported_when_most_recent_sightings_are_rejected() -> None:
    robot, counts = source()
    counts[ACCEPTED] += 50
    assert robot.fault(0.0) == ''
    counts[ACCEPTED] += 4
    counts[REJECTED] += 3
    assert robot.fault(10.0) == '', 'too few to judge'
    counts[REJECTED] += 4
    assert robot.fault(20.0) == (
        '7 of 11 sightings contradict odometry and the other sightings; check ids, initial_pose, '
        'sensor_pose, units, and range_noise')
    assert robot.fault(20.0 + WINDOW) == '', 'that is long ago'


def test_ranges_shorter_than_the_difference_of_heights_are_counted_and_reported() -> None:
    robot, counts = source()
    robot.fault(0.0)
    robot.hear(2, (3.0, 2.0), Estimate((3.0, 2.0, 0.0), 0.0, 0.1, 0.1, height=3.0), 0.0)
    for second in range(1, 11):
        assert robot.take_sightings([Sighting(2, 2.5)], float(second)) == []
    assert counts['ranges_too_short'] == counts['measurements_rejected'] == 10
    assert robot.fault(10.0) == (
        '10 ranges are shorter than the difference of heights: check z of odometry, sensor_pose '
        'and landmarks')


@pytest.mark.parametrize(('extraction', 'text'), [
    (Extraction([Sighting(2, 1.0, age=6.0)]), '10 own sightings were more than 5 s old, or older '
     'than the odometry, by their stamps'),
    (Extraction([], 1, ('person', 'x' * 100)), "20 detections have names that are no robot's, the "
     "last one '" + 'x' * 40 + "': set tag_names")])
def test_fault_is_reported_when_no_sighting_can_be_used(extraction: Extraction, text: str) -> None:
    robot, counts = source()
    robot.fault(0.0)
    for second in range(1, 11):
        robot.take_odometry((1.0, 2.0), 0.0, float(second))
        robot.take_extraction(extraction, float(second))
    assert robot.fault(10.0).startswith(text)
    counts[ACCEPTED] += 11
    assert robot.fault(11.0) == ''


def test_unknown_ids_are_reported_when_nothing_else_is_seen() -> None:
    robot, counts = source()
    robot.fault(0.0)
    counts[UNKNOWN] += 10
    assert 'sightings are of robots that are not heard' in robot.fault(10.0)


def test_slip_is_reported_for_a_while() -> None:
    robot, counts = source('odometry')
    robot.slip.touch(True, 0.9)
    robot.take_odometry((1.5, 2.0), 0.0, 1.0)
    assert robot.fault(2.0).startswith(
        'wheels turn, but the robot does not move as they say: it touches something while they '
        'drive it forward, 1 s ago; its odometry is believed less, deviation 0.5')
    assert counts['slips'] == 1 and robot.fault(40.0) == '' and math.isfinite(robot.deviation)
