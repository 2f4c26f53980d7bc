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

"""Reports of a robot on its localisation."""

from collections import Counter
import math
from typing import Any

from leader_election.election.robot.localisation_watch import (
    LocalisationWatch,
    text,
    values,
    WINDOW,
)
from leader_election.election.robot.mailbox import Mailbox
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.sensing import Sensing
from leader_election.localisation.neighbourhood_filter import ACCEPTED, REJECTED, UNKNOWN
from leader_election.localisation.sighting import Sighting
from leader_election.localisation.sighting_sources import Extraction
from leader_election.parameters import build
from localisation.drifting import Swarm


def sensing(**parameters: Any) -> tuple[Sensing, Counter[str]]:
    """Return what a robot senses, with one message of odometry, and its counters."""
    counts = Counter[str]()
    found = Sensing(build(ElectionParameters, {'robot_id': 1, **parameters}), Mailbox(3.0, 100),
                    counts)
    found.take_odometry((1.0, 2.0, 0.0), 0.0, yaw=0.0)
    found.begin_round(0.0)
    return found, counts


def cooperating(**parameters: Any) -> tuple[Sensing, Counter[str]]:
    return sensing(pose_source='cooperative', **parameters)


def drive(robot: Sensing, metres: float) -> None:
    """Drive straight on, by odometry."""
    for k in range(round(metres)):
        robot.take_odometry((1.0 + k, 2.0, 0.0), k + 1.0, yaw=0.0)
    robot.begin_round(metres)


def test_odometry_says_how_uncertain_it_is_until_its_distances_are_worth_nothing() -> None:
    robot, counts = sensing(max_deviation=1.0)
    watch = LocalisationWatch()
    assert watch.fault(robot, counts, 0.0) == ''
    assert text(robot, 0.0) == 'odometry, deviation 0.05 m'
    drive(robot, 60.0)
    assert float(values(robot, 60.0)['deviation']) > 1.0
    assert watch.fault(robot, counts, 60.0).startswith(
        'distances are too uncertain: their deviation is ')
    assert watch.fault(robot, counts, 60.0).endswith(
        ' m, beyond max_deviation 1 m; use pose_source cooperative with a sensor that sees other '
        'robots, a localisation (pose_source tf), or metric range or hops')


def test_without_a_limit_or_where_positions_do_not_matter_nothing_is_wrong() -> None:
    for parameters in ({}, {'max_deviation': 1.0, 'metric': 'hops',
                            'communication_range': math.inf}):
        robot, counts = sensing(**parameters)
        drive(robot, 60.0)
        assert LocalisationWatch().fault(robot, counts, 60.0) == ''


def test_elections_that_go_by_hops_then_are_said() -> None:
    robot, counts = sensing(max_deviation=1.0, hops_beyond_deviation=True)
    drive(robot, 60.0)
    assert 'm; elections go by hops; use' in LocalisationWatch().fault(robot, counts, 60.0)


def test_before_the_first_odometry_and_with_a_localisation_nothing_is_said() -> None:
    counts = Counter[str]()
    for source, said in (('cooperative', 'no pose'), ('tf', 'by a localisation (tf)')):
        parameters = build(ElectionParameters, {'robot_id': 1, 'pose_source': source})
        robot = Sensing(parameters, Mailbox(3.0, 100), counts)
        assert LocalisationWatch().fault(robot, counts, 0.0) == ''
        assert text(robot, 0.0) == said
        assert 'deviation' not in values(robot, 0.0)


def test_a_robot_that_cooperates_is_judged_by_its_distances() -> None:
    """Alone, by its own deviation."""
    robot, counts = cooperating(max_deviation=1.0)
    drive(robot, 60.0)
    assert 'more sightings are needed' in LocalisationWatch().fault(robot, counts, 60.0)
    swarm = Swarm(3, seed=1)
    swarm.run(20.0)
    robot.localisation = swarm.robots[1]
    assert LocalisationWatch().fault(robot, counts, swarm.time) == ''
    found = values(robot, swarm.time)
    assert 0.0 < float(found['distance_deviation']) < 1.0 and found['neighbours_localised'] == 2
    assert text(robot, swarm.time).startswith('deviation 0.')
    assert 'm; neighbours localised: 2, deviation of distances 0.' in text(robot, swarm.time)


def test_honest_sensors_are_not_accused() -> None:
    robot, counts = cooperating()
    swarm, watch = Swarm(4, seed=5), LocalisationWatch()
    for _ in range(6):
        swarm.run(10.0)
        robot.localisation = swarm.robots[1]
        assert watch.fault(robot, swarm.counts[1], swarm.time) == ''


def test_a_leader_that_may_be_wrong_is_said_with_the_cause() -> None:
    robot, counts = cooperating()
    watch = LocalisationWatch()
    assert watch.fault(robot, counts, 1.0, doubt=0.15) == ''
    assert watch.fault(robot, counts, 1.0, doubt=0.3) == (
        'the leader is wrong with a probability of 30%, since the deviation of distances is '
        '0.05 m: no sighting yet')


def test_sightings_that_are_rejected_for_the_most_part() -> None:
    robot, counts = cooperating()
    watch = LocalisationWatch()
    counts[ACCEPTED] += 50
    assert watch.fault(robot, counts, 0.0) == ''
    counts[ACCEPTED] += 4
    counts[REJECTED] += 3
    assert watch.fault(robot, counts, 10.0) == '', 'too few to judge'
    counts[REJECTED] += 4
    assert watch.fault(robot, counts, 20.0) == (
        '7 of 11 sightings contradict odometry and the other sightings; check ids, initial_pose, '
        'sensor_pose, units, and range_noise')
    assert watch.fault(robot, counts, 20.0 + WINDOW) == '', 'that is long ago'


def test_sightings_of_robots_that_are_not_heard() -> None:
    robot, counts = cooperating()
    watch = LocalisationWatch()
    watch.fault(robot, counts, 0.0)
    counts[UNKNOWN] += 10
    assert 'sightings are of robots that are not heard' in watch.fault(robot, counts, 10.0)
    counts[ACCEPTED] += 1
    assert watch.fault(robot, counts, 11.0) == ''


def test_sightings_that_come_too_late() -> None:
    robot, counts = cooperating()
    watch = LocalisationWatch()
    watch.fault(robot, counts, 0.0)
    for second in range(1, 11):
        robot.take_odometry((0.0, 0.0, 0.0), float(second), yaw=0.0)
        robot.take_extraction(Extraction([Sighting(2, 1.0, age=6.0)]), float(second))
    assert watch.fault(robot, counts, 10.0).startswith(
        '10 own sightings were more than 5 s old, or older than the odometry, by their stamps')
    counts[ACCEPTED] += 11
    assert watch.fault(robot, counts, 11.0) == ''


def test_names_that_are_not_understood() -> None:
    robot, counts = cooperating()
    watch = LocalisationWatch()
    watch.fault(robot, counts, 0.0)
    for _ in range(10):
        robot.take_extraction(Extraction([Sighting(2, 1.0)], 1, ('person', 'x' * 100)), 1.0)
    assert counts['names_passed_over'] == 20 and counts['measurements_rejected'] == 10
    assert watch.fault(robot, counts, 10.0) == (
        "20 detections have names that are no robot's, the last one '" + 'x' * 40
        + "': set tag_names")
