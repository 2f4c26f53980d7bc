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

"""Observation of a run, on made snapshots; attacks, which every robot survives."""


from leader_election.election.robot.diagnostics import Status
from leader_election.ros.demo.checks import (
    Leaderships,
    RIGHT_SHARE,
    RunObserver,
    Timing,
    WRONG_FOR,
)
from leader_election.swarm.reference_partition import PartitionJudge
from leader_election.swarm.snapshot import RobotView, Snapshot
import pytest

HEARD = {1: 0.5, 2: 2.0, 3: 1.0}
LINE = {1: {2: 2.0}, 2: {1: 2.0, 3: 2.0}, 3: {2: 2.0}}
"""Three robots in a line: at a radius of 4 m robot 1, the strongest, leads all."""


def swarm(time, **leaders):
    """Return a snapshot of robots r1, r2, ... with their leaders, and what they say to be near."""
    views = {}
    for name, leader in leaders.items():
        robot = int(name[1:])
        views[robot] = RobotView(robot, (0.0, 0.0), -1.0, 0.0, leader)
    return Snapshot(time, views, {})


@pytest.fixture
def observer():
    return RunObserver(PartitionJudge({1: 9.0, 2: 5.0, 3: 1.0}, 4.0, 0.0, slack=1.0), Timing(4))


def failing(observer, snapshot):
    return [check.text.partition(' robots')[0] for check in observer.checks(snapshot)
            if not check.holds]


def test_observer_waits_for_all_robots(observer):
    observer.observe(swarm(1.0, r1=1, r3=1), {1: 0.5, 3: 1.0}, LINE)
    assert observer.all_heard is None and observer.first_partition is None
    observer.observe(swarm(2.0, r1=1, r2=1, r3=1), HEARD, {})
    assert observer.all_heard is None, 'places are unknown'
    observer.observe(swarm(2.0, r1=1, r2=1, r3=1), HEARD, LINE)
    assert (observer.all_heard, observer.first_partition) == (2.0, 2.0)


@pytest.mark.parametrize('leaders', [
    {'r1': 3, 'r2': 3, 'r3': 3}, {'r1': 1, 'r2': 1, 'r3': 2}],
    ids=['the weakest leads', 'a member is followed'])
def test_first_partition_is_the_right_one(observer, leaders):
    observer.observe(swarm(2.0, **leaders), HEARD, LINE)
    assert observer.first_partition is None
    assert failing(observer, swarm(2.0 + 2.0 * WRONG_FOR, **leaders))[0].startswith('at the end')


def test_recovery_is_when_all_have_the_right_leader_not_the_killed_one(observer):
    observer.observe(swarm(2.0, r1=1, r2=1, r3=1), HEARD, LINE)
    observer.kill(1, 5.0)
    assert list(observer.living_only(swarm(5.1, r1=1, r2=1, r3=3)).robots) == [2, 3]
    # The dead robot's last message is still fresh, and so is its hold on the others.
    observer.observe(swarm(5.1, r1=1, r2=1, r3=1), HEARD, LINE)
    observer.observe(swarm(6.0, r1=1, r2=2, r3=1), HEARD, LINE)
    observer.observe(swarm(7.0, r2=2, r3=3), HEARD, LINE)
    assert observer.recovered is None
    observer.observe(swarm(8.0, r2=2, r3=2), HEARD, LINE)
    assert observer.recovered == 8.0


@pytest.mark.parametrize(('seconds', 'holds'), [(3.0 + 3.0 + 2.0, True), (8.1, False)])
def test_recovery_fails_when_it_takes_longer_than_forgetting_and_spreading(
        seconds, holds, observer):
    """A message of 3 s, 3 further hops of the dead leader, and 2 to the farthest member."""
    observer.observe(swarm(2.0, r1=1, r2=1, r3=1), HEARD, LINE)
    observer.kill(1, 5.0)
    observer.observe(swarm(6.0, r2=1, r3=1), HEARD, LINE)
    assert not observer.recovery_check().holds
    observer.observe(swarm(5.0 + seconds, r2=2, r3=2), HEARD, LINE)
    assert observer.recovery_check().holds == holds
    assert observer.recovery_check().text.endswith(f'{seconds:.1f} s, of at most 8.0 s')


def test_bounds_grow_with_hops_period_expiry_and_loss():
    assert Timing(8).recovery(3) == 3.0 + 7.0 + 3.0 and Timing(8).wrong == 3.0 + 4.0
    assert Timing(8, 0.5).recovery(3) == 3.0 + 7.0 + 6.0 and Timing(8, 0.5).wrong == 3.0 + 8.0
    assert Timing(8, period=0.5, expiry=1.5).wrong == 1.5 + 2.0


def test_restarted_robot_is_a_right_leader_from_its_first_message_on(observer):
    observer.observe(swarm(2.0, r1=1, r2=1, r3=1), HEARD, LINE)
    observer.kill(1, 5.0)
    for time in (8.0, 10.0, 18.0):
        observer.observe(swarm(time, r2=2, r3=2), HEARD, LINE)
        observer.start(1)
    assert not observer.judge.wrong and observer.judge.right_time.time == 0.0, 'not judged'
    [end, _] = observer.checks(swarm(18.0, r2=2, r3=2))
    assert not end.holds and end.text.startswith('at the end 2 of 3 ')
    assert end.text.endswith('all but [1]')
    observer.observe(swarm(19.0, r1=1, r2=2, r3=2), HEARD, LINE)
    observer.observe(swarm(22.0, r1=1, r2=2, r3=2), HEARD, LINE)
    assert observer.judge.wrong == {2: 22.0, 3: 22.0}, 'leaders of the last second are right'
    assert observer.missing(swarm(22.0, r1=1, r2=2, r3=2)) == []


def test_share_is_of_the_time_from_the_first_partition_on_without_recoveries(observer):
    observer.observe(swarm(1.0, r1=1, r2=2, r3=3), HEARD, LINE)
    for time in (2.0, 4.0, 6.0, 8.0):
        observer.observe(swarm(time, r1=1, r2=2 if time == 6.0 else 1, r3=1), HEARD, LINE)
    assert observer.judge.right_time.share == pytest.approx(8 / 9)
    [end, share] = observer.checks(swarm(8.0, r1=1, r2=1, r3=1))
    assert end.holds and not share.holds and RIGHT_SHARE == 0.9
    assert share.text.startswith('robots had this leader in 88.9% of their time')


def test_stable_time_counts_from_the_first_partition_the_recovery_or_the_last_start(observer):
    assert observer.stable_for(1.0) == 0.0
    observer.observe(swarm(2.0, r1=1, r2=1, r3=1), HEARD, LINE)
    assert observer.stable_for(4.5) == 2.5
    observer.kill(1, 5.0)
    assert observer.stable_for(6.0) == 0.0
    observer.observe(swarm(8.0, r2=2, r3=2), HEARD, LINE)
    assert observer.stable_for(9.0) == 1.0
    observer.start(1)
    observer.observe(swarm(12.0, r2=2, r3=2), HEARD, LINE)
    assert observer.stable_for(14.0) == 0.0, 'others may hear it first'
    observer.observe(swarm(15.0, r1=1, r2=1, r3=1), HEARD, LINE)
    assert observer.stable_for(18.0) == 3.0


@pytest.mark.parametrize(('over', 'seconds', 'said'), [
    ('{},3', 0.25, 'under those of two leaders for 0.50 s'),
    ('', 0.0, 'under a mandate in 0.0% of their time')])
def test_two_mandates_over_a_robot_or_none_are_found(over, seconds, said, ros):
    """Their nodes both may act over robot 3 for a quarter of each second, or over nobody."""
    leaderships = Leaderships(())
    [nothing] = leaderships.checks(5.0)
    assert not nothing.holds
    for second in range(3):
        leaderships.add([Status(f'r{robot}: main', f'robot {robot}', {
            'instance': 'main', 'leader': f'{robot}', 'acts_over': over.format(robot),
            'acts_until': f'{second + 9.0},{second + seconds * robot}' if over else ''})
            for robot in (1, 2)], float(second))
    check, _ = leaderships.checks(5.0)
    assert not check.holds and said in check.text


@pytest.mark.parametrize(('seconds', 'holds'), [(5, True), (6, False)])
def test_robot_that_its_leader_never_acts_over_is_found(seconds, holds, ros):
    """Robot 3 never grants its leader a mandate. Robot 2 does."""
    leaderships = Leaderships(())
    for second in range(seconds + 1):
        leaderships.add([Status(f'r{robot}: main', f'robot {robot}', {
            'instance': 'main', 'leader': '1', 'acts_over': '1,2' if robot == 1 else '',
            'acts_until': f'{second + 2.0},{second + 2.0}' if robot == 1 else ''})
            for robot in (1, 2, 3)], float(second))
    _, check = leaderships.checks(5.0)
    assert check.holds == holds and f'for {seconds}.0 s, robot 3, of at most 5.0 s' in check.text


def test_time_under_a_mandate_ends_with_it(ros):
    """Robot 2 is named in two messages of four, robot 1 in three, each for 0.75 s."""
    leaderships = Leaderships(())
    for second, over in enumerate(('', '1,2', '1,2', '1')):
        leaderships.add([Status(f'r{robot}: main', f'robot {robot}', {
            'instance': 'main', 'leader': '1', 'acts_over': acts,
            'acts_until': ','.join(f'{second + 0.75}' for _ in acts.split(','))})
            for robot, acts in ((1, over), (2, ''))], float(second))
    assert (leaderships.heard, leaderships.under_one, leaderships.under_two) == (6.0, 3.0, 0.0)
    assert all(check.holds for check in leaderships.checks(5.0))
