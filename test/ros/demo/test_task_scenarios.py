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

"""Scenarios of the demonstration: what they check of a run."""

import json

from leader_election.election.tasks.coverage import packed_cells
from leader_election.ros.demo.main import parse
from leader_election.ros.demo.task_scenarios import (
    ALARM_DELAY,
    CLEAR_DELAY,
    JOBS,
    JOIN_TIME,
    KNOWN_AFTER,
    Observation,
    PEAK,
    SCENARIOS,
)
from leader_election.swarm.snapshot import RobotView, Snapshot
import pytest
from std_msgs.msg import String


def scenario(task, *arguments):
    """Return the scenario of a task."""
    return SCENARIOS[task](parse(['--task', task, *arguments]))


def look(time, *robots, truth=None, steady=True):
    """
    Return an observation of robots. Unless given, true positions are those they report.

    :param robots: id, position and leader of each, and optionally tasks, members and decision.
    """
    views = {}
    for robot, place, leader, *said in robots:
        task, members, decision = said or ((), float('nan'), '')
        views[robot] = RobotView(robot, place, -1.0, 0.0, leader, task, members, decision)
    places = {robot: view.position for robot, view in views.items()} if truth is None else truth
    return Observation(Snapshot(time, views), places, steady)


COUNT = ('count',)


def swarm(first, second, **options):
    """Return two regions of two robots each, with the counts of their leaders."""
    return look(0.0, (1, None, 1, COUNT, first, ''), (2, None, 1),
                (3, None, 3, COUNT, second, ''), (4, None, 3), **options)


@pytest.mark.parametrize(('looks', 'holds'), [
    ([(1.5, 2.0), (2.5, 2.0)], True),  # what is on its way now is there later
    ([(1.85, 2.0), (1.8, 2.0)], True),  # 95.6 %
    ([(1.7, 2.0), (1.8, 2.0)], False), ([(2.2, 2.0), (2.3, 2.0)], False)])
def test_on_average_the_counts_add_up_to_the_swarm(looks, holds):
    count = scenario('count')
    for counts in looks:
        count.observe(swarm(*counts))
    [check] = count.checks()
    assert check.holds == holds


def test_count_scenario_ignores_unsteady_observations():
    count = scenario('count')
    count.observe(swarm(0.0, 0.0, steady=False))
    [check] = count.checks()
    assert not check.holds and 'no time' in check.text
    count.observe(swarm(2.0, 2.0))
    [check] = count.checks()
    assert check.holds and '100.0% of the swarm (a sample is off by at most 0.0%' in check.text


FIELD = ('field',)
PEAK_AT, NOWHERE = PEAK[:2], (100.0, 100.0)


def region(time, member_at, alarm):
    """Return a region whose leader is far from the peak and reports an alarm or none."""
    return look(time, (1, NOWHERE, 1, FIELD, 2.0, f'[{{"alarm":{alarm}}}]'), (2, member_at, 1))


def held(*looks):
    field = scenario('field')
    for each in looks:
        field.observe(each)
    return [(check.holds, check.text.split(', in ')[1]) for check in field.checks()]


def test_alarm_is_required_with_a_member_in_the_peak_after_the_delay():
    early = region(0.0, PEAK_AT, 0)
    alarm, _ = held(early, region(ALARM_DELAY - 0.1, PEAK_AT, 0), region(ALARM_DELAY, PEAK_AT, 5))
    assert alarm == (True, '1 of 1 samples')
    alarm, _ = held(early, region(ALARM_DELAY, PEAK_AT, 0))
    assert alarm == (False, '0 of 1 samples')


def test_alarm_is_wrong_long_after_the_last_robot_left_the_peak():
    early = region(0.0, NOWHERE, 5)
    alarm, quiet = held(
        early, region(CLEAR_DELAY - 0.1, NOWHERE, 1), region(CLEAR_DELAY, NOWHERE, 0))
    assert quiet == (True, '1 of 1 samples')
    assert alarm == (False, '0 of 0 samples'), 'without a robot in the peak nothing was seen'
    _, quiet = held(early, region(CLEAR_DELAY, NOWHERE, 1))
    assert quiet == (False, '0 of 1 samples')


def test_region_that_receives_messages_of_a_robot_in_the_peak_is_undecided():
    # Robot 9, of another region, is in the peak. Robot 2 is 3.9 m away from it, and hears it.
    def border(time):
        return look(time, (1, NOWHERE, 1, FIELD, 2.0, '[{"alarm":5}]'),
                    (2, (PEAK_AT[0] + 3.9, PEAK_AT[1]), 1), (9, PEAK_AT, 9))
    # Only region 9 itself is in the peak, and it says nothing.
    assert [text for _, text in held(border(0.0), border(CLEAR_DELAY))] == [
        '0 of 1 samples', '0 of 0 samples']


def test_delay_restarts_when_a_member_enters_or_leaves_the_peak():
    looks = [region(time, PEAK_AT if int(time) % 2 else NOWHERE, 0) for time in range(40)]
    assert [text for _, text in held(*looks)] == ['0 of 0 samples'] * 2


def test_overlapping_robots_are_a_collision():
    # Robots are discs of 0.15 m.
    rally = scenario('rally')
    rally.observe(look(0.0, (1, (0.0, 0.0), 1), (2, (0.31, 0.0), 1)))
    rally.observe(look(0.1, (1, (0.0, 0.0), 1), (2, (0.31, 0.4), 1)))
    apart, drove, _ = rally.checks()
    assert apart.holds and '0.31 m' in apart.text
    assert drove.holds and 'drove 0 m' in drove.text
    rally.observe(look(0.2, (1, (0.0, 0.0), 1), (2, (0.29, 0.0), 1)))
    assert not rally.checks()[0].holds


@pytest.mark.parametrize(('away', 'holds'), [(2.4, True), (2.6, False)])
def test_members_are_near_their_leader_after_the_join_time(away, holds):
    # A circle of 1.5 m, and 1 m for being behind. It is true places that count.
    rally = scenario('rally')
    rally.observe(look(0.0, (1, (0.0, 0.0), 1), (2, (9.0, 0.0), 1)))
    rally.observe(look(JOIN_TIME, (1, (0.0, 0.0), 1), (2, None, 1),
                       truth={1: (0.0, 0.0), 2: (away, 0.0)}))
    assert rally.checks()[-1].holds == holds


def test_join_time_restarts_in_another_region():
    rally = scenario('rally')
    rally.observe(look(0.0, (1, (0.0, 0.0), 1), (2, (0.0, 1.0), 1), (3, (9.0, 0.0), 3)))
    rally.observe(look(5.0, (1, (0.0, 0.0), 1), (2, (0.0, 1.0), 3), (3, (9.0, 0.0), 3)))
    rally.observe(look(JOIN_TIME, (1, (0.0, 0.0), 1), (2, (0.0, 1.0), 3), (3, (9.0, 0.0), 3)))
    # Only leaders have been in a region for long enough: no member counts as in place.
    assert '0% of its members' in rally.checks()[-1].text and not rally.checks()[-1].holds
    rally.observe(look(5.0 + JOIN_TIME, (2, (8.0, 0.0), 3), (3, (9.0, 0.0), 3)))
    assert rally.checks()[-1].holds


def test_places_near_a_path_are_visited():
    # Of 19 m x 13 m, a strip of 2 m all along the middle is 2/13.
    patrol = scenario('patrol', '--world', 'empty')
    for time, x in enumerate((-12.0, 0.0, 12.0)):
        patrol.observe(look(time, (1, (x, 0.0), 1)))
    assert patrol.visited() == pytest.approx(2 / 13)
    assert not patrol.checks()[-1].holds
    for number, y in enumerate((-5.5, -3.5, -1.5, 2.0, 4.0), start=2):
        for time, x in enumerate((-12.0, 12.0)):
            patrol.observe(look(time, (number, (x, y), 1)))
    # Five strips more; those at -1.5 and 0 overlap by half a metre.
    assert patrol.visited() == pytest.approx(11.5 / 13)
    assert patrol.checks()[-1].holds


def knowing(sweep, cells):
    """Return the decision of a leader that knows cells to be visited in a sweep."""
    return json.dumps([{'known': [sweep, *packed_cells({(k, 0) for k in cells}, 1.0)]}])


@pytest.mark.parametrize(('known', 'kept'), [
    ((4, range(10)), '100.0%'), ((4, range(9)), '90.0%'), ((5, range(1)), '100.0%'),
    ((3, range(10)), '0.0%'), (None, None)])
def test_patrol_compares_the_next_leader_with_a_killed_one(known, kept):
    def led(time, leader, known, *others):
        seen = look(time, *((i, (0.0, 0.0), leader) for i in others))
        views = {i: RobotView(i, (9.0, 9.0), -1.0, 0.0, i, decision=knowing(*each) if each else '')
                 for i, each in ((leader, known), (9, (8, range(10))))}
        return seen._replace(snapshot=seen.snapshot._replace(
            robots={**seen.snapshot.robots, **views}))

    patrol = scenario('patrol')
    patrol.observe(led(1.0, 3, (4, range(10)), 1, 2))
    patrol.observe(led(2.0, 2, None, 1))
    patrol.observe(led(9.0, 2, known, 1))
    assert ('leader' in patrol.checks()[-1].text) == (kept == '100.0%')
    patrol.observe(led(22.5, 2, known, 1))
    check = patrol.checks()[-1]
    if kept is None:
        assert 'leader' not in check.text
        return
    assert f'at least {kept}' in check.text and check.holds == (kept == '100.0%')
    assert f'at most {7.0 if check.holds else 20.5} s' in check.text


def dispatched(*arguments, dies=False):
    """Return a scenario whose jobs came to two robots; the one with the last job may die."""
    dispatch = scenario('dispatch', *arguments)
    dispatch._topics = {robot: Topic() for robot in (1, 2)}
    for time in range(200):
        last = dispatch.put.get(JOBS - 1)
        alive = [i for i in (1, 2) if not (dies and last and last.robot == i)]
        dispatch.observe(look(float(time), *((i, (0.0, float(i)), 1) for i in alive)))
    return dispatch


class Topic:
    """Keeps the jobs that are put on it."""

    def __init__(self):
        self.jobs = []

    def publish(self, message):
        self.jobs.append(json.loads(message.data))


def finish(dispatch, jobs, robot=1):
    for job in jobs:
        dispatch.receive(robot, String(data=json.dumps({'id': job, 'state': 'done'})))


def test_all_jobs_have_to_be_done():
    *_, done, _, waited = scenario('dispatch').checks()
    assert not done.holds and not waited.holds, 'none was put'
    dispatch = dispatched()
    jobs = [job['id'] for topic in dispatch._topics.values() for job in topic.jobs]
    assert sorted(jobs) == [*range(JOBS)] == sorted(dispatch.put)
    finish(dispatch, jobs[1:])
    dispatch.receive(1, String(data=''))
    *_, done, _, _ = dispatch.checks()
    assert not done.holds and done.text.endswith(
        f'not job {jobs[0]} of robot {dispatch.put[jobs[0]].robot}')
    finish(dispatch, jobs[:1])
    *_, done, twice, waited = dispatch.checks()
    assert done.holds and twice.holds and '0 of them' in twice.text and waited.holds


def test_job_of_a_robot_that_dies_at_once_does_not_have_to_be_done():
    dispatch = dispatched(dies=True)
    last = dispatch.put[JOBS - 1]
    late = {job for job, put in dispatch.put.items()
            if put.robot == last.robot and put.time >= last.time + 1.0 - KNOWN_AFTER}
    finish(dispatch, dispatch.put.keys() - late)
    *_, done, _, _ = dispatch.checks()
    assert done.holds and f'{len(late)} more' in done.text


@pytest.mark.parametrize(('arguments', 'holds'), [((), True), (('--mandate', '3'), False)])
def test_job_that_is_done_twice_fails_the_check_with_mandates_only(arguments, holds):
    dispatch = dispatched(*arguments)
    finish(dispatch, [*dispatch.put, 3])
    assert dispatch.checks()[-2].holds, 'a latched message came again'
    finish(dispatch, [3], robot=2)
    *_, twice, _ = dispatch.checks()
    assert '1 of them were done twice' in twice.text and twice.holds == holds
