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

"""The tracker, snapshots, their history, and agreement with a reference."""

import math
import random

from leader_election.election.mandates.mandates import MandatePart
from leader_election.election.messages import mandate_codec
from leader_election.swarm.history import losses, Statistics, WINDOW
from leader_election.swarm.reference_partition import Agreement, Hysteresis, partition
from leader_election.swarm.snapshot import (
    decisions,
    is_partition,
    links,
    member_counts,
    orphans,
    RobotView,
    Snapshot,
)
from leader_election.swarm.tracker import SwarmTracker
import pytest
from swarm.levels import level_message, register_levels


def swarm(*views):
    return Snapshot(0.0, {view.id: view for view in views})


@pytest.mark.parametrize('reach', [0.0, 2.5, math.inf])
def test_links_are_all_pairs_within_range(reach):
    rng = random.Random(1)
    snapshot = swarm(*(
        RobotView(i, (rng.uniform(0, 8), rng.uniform(0, 8)), 0.0, 0.0, i)
        for i in rng.sample(range(1000), 60)))
    near = {(a, b) for a, one in snapshot.robots.items() for b, other in snapshot.robots.items()
            if a < b and math.dist(one.position, other.position) <= reach}
    assert links(snapshot, reach) == sorted(near)


def test_links_include_the_range_and_skip_robots_without_a_position():
    snapshot = swarm(RobotView(5, (0.0, 0.0), 0.0, 0.0, 5), RobotView(4, None, 0.0, 0.0, 4),
                     RobotView(3, (3.0, 0.0), 0.0, 0.0, 3))
    assert links(snapshot, 3.0) == [(3, 5)] and links(snapshot, 2.999) == []
    assert links(swarm(), 3.0) == [] == links(swarm(RobotView(4, None, 0.0, 0.0, 4)), 3.0)


@pytest.mark.parametrize('follower, holds', [
    (RobotView(2, None, -9.0, 5.0, 1), True),
    (RobotView(2, None, -9.0, 5.1, 1), False),  # too far
    (RobotView(2, None, -9.0, 5.0, 7), False),  # of a leader that is not there
    (RobotView(2, None, -9.0, 5.0, 3), False),  # of a leader that follows another
])
def test_partition_has_living_leaders_within_the_radius(follower, holds):
    snapshot = swarm(RobotView(1, None, -9.0, 0.0, 1), follower, RobotView(3, None, -9.0, 1.0, 1))
    assert is_partition(snapshot, 5.0) == holds and not is_partition(swarm(), 5.0)
    assert orphans(snapshot) == ((2,) if follower.leader == 7 else ())


def test_member_counts_include_only_living_leaders():
    views = (RobotView(1, None, -9.0, 0.0, 1, members=2.5),
             RobotView(2, None, -9.0, 1.0, 1, members=1.0),  # a part of its leader's
             RobotView(3, None, -9.0, 0.0, 3),  # runs no regions
             RobotView(4, None, -9.0, 0.0, 4, members=math.inf))  # nonsense
    gone = {5: RobotView(5, None, -9.0, 0.0, 5, members=7.0)}
    assert member_counts(Snapshot(0.0, {view.id: view for view in views}, gone)) == {1: 2.5}


def test_decisions_are_keyed_by_the_tasks_of_the_robot():
    robot = RobotView(1, None, -9.0, 0.0, 1, ('field', 'count'))
    assert decisions(robot) == {}
    assert decisions(robot._replace(decision='[[1,2],{"members":3}]')) == {
        'field': [1, 2], 'count': {'members': 3}}
    # From a robot that is out of its mind.
    assert decisions(robot._replace(decision='[1]')) == {'field': 1}


def at(time: float, **leaders: int) -> Snapshot:
    """Return a look at robots ``r<id>`` with these leaders."""
    return Snapshot(time, {int(name[1:]): RobotView(int(name[1:]), None, 0.0, 0.0, leader)
                           for name, leader in leaders.items()})


def test_region_recovers_when_all_living_members_follow_a_living_leader():
    """Robot 1 leads 2, 3, 4 and falls silent at 1 s; 4 goes, too. Elsewhere 5 has lost its own."""
    course = [at(0.0, r1=1, r2=1, r3=1, r4=1, r5=9), at(1.0, r1=1, r2=1, r3=1, r4=1, r5=9),
              at(4.5, r2=2, r3=1, r4=1, r5=9), at(5.0, r2=2, r3=2, r5=9)]
    assert losses(course, 3.0) == [(1, 1.0, 3, 5.0)]
    assert losses(course[:-1], 3.0) == [(1, 1.0, 3, None)]


@pytest.mark.parametrize(('course', 'found'), [
    ([at(0.0, r1=1, r2=1), at(3.5, r2=1), at(4.0, r1=1, r2=1)], [(1, 0.0, 1, 4.0)]),
    ([at(0.0, r1=1, r2=1, r3=1), at(1.0, r1=1, r2=2, r3=1), at(2.0, r1=1, r2=2, r3=2),
      at(3.5, r2=2, r3=2)], [(1, 0.0, 2, 2.0)]),
    ([at(0.0, r1=1, r2=2), at(4.0, r2=2)], []), ([at(0.0, r1=2, r2=2), at(4.0, r2=2)], []),
    ([], [])],
    ids=['leader returns', 'before the expiry', 'no members', 'no leader', 'empty'])
def test_loss_ends_with_the_recovery_of_the_members(course, found):
    assert losses(course, 3.0) == found


def observe(statistics, time, leaders, messages=0, size=0):
    views = {i: RobotView(i, None, 0.0, 0.0, leader) for i, leader in leaders.items()}
    statistics.observe(Snapshot(time, views), messages, size)


def test_leader_changes_are_counted_for_a_minute():
    statistics = Statistics()
    observe(statistics, 0.0, {1: 1, 2: 2})
    observe(statistics, 1.0, {1: 1, 2: 1, 3: 3})  # who is new has not changed
    observe(statistics, 2.0, {1: 2, 2: 2})
    assert statistics.changes == 3
    per_robot_and_minute = 60.0 / WINDOW / 2
    assert statistics.changes_a_minute == 3 * per_robot_and_minute
    observe(statistics, 1.0 + WINDOW, {1: 2, 2: 2})
    assert statistics.changes_a_minute == 2 * per_robot_and_minute
    observe(statistics, 2.0 + WINDOW, {1: 2, 2: 2})
    assert statistics.changes_a_minute == 0


def test_statistics_average_traffic_over_the_window():
    statistics = Statistics()
    assert statistics.messages_a_second == 0.0
    for second in range(21):
        sent = 10 * min(second, 10)
        observe(statistics, float(second), {}, sent, 70 * sent)
        if second == 10:
            assert statistics.messages_a_second == 10.0 and statistics.bytes_a_second == 700.0
    assert statistics.messages_a_second == 0.0


def test_history_restarts_when_time_goes_back():
    statistics = Statistics()
    observe(statistics, 100.0, {1: 1}, 50, 500)
    observe(statistics, 101.0, {1: 1}, 60, 600)
    observe(statistics, 3.0, {1: 1}, 70, 700)
    assert statistics.messages_a_second == 0.0
    observe(statistics, 5.0, {1: 1}, 90, 900)
    assert statistics.messages_a_second == 10.0
    assert statistics.duration == 2.0 and Statistics().duration == 0.0


def led_by(*leaders):
    """Return a snapshot of robots 0, 1, ... with these leaders."""
    return Snapshot(0.0, {
        i: RobotView(i, None, 0.0, 0.0, leader) for i, leader in enumerate(leaders)}, {})


def test_comparison_has_shares_of_robots_and_of_whole_partitions():
    agreement = Agreement()
    agreement.compare(1.0, led_by(0, 0, 0, 3), led_by(0, 0, 0, 3))
    agreement.compare(2.0, led_by(0, 0, 0, 3), led_by(0, 0, 2, 3))
    share = agreement.share(0.0, 10.0)
    assert share.robots == pytest.approx(7 / 8)
    assert share.partitions == pytest.approx(1 / 2)


def test_comparison_counts_robots_in_both_and_leaves_out_unseen_times():
    agreement = Agreement()
    agreement.compare(0.0, led_by(), led_by())
    assert agreement.share(0.0, 2.0) is None and agreement.end == 0.0
    agreement.compare(1.0, led_by(0, 0), led_by(0))
    agreement.compare(25.0, led_by(0), led_by(1))
    assert [(s.begin, s.end, s.robots) for s in agreement.over_time(10.0)] == [
        (0.0, 10.0, 1.0), (20.0, 30.0, 0.0)]


def test_partition_with_hysteresis_keeps_leaders_up_to_the_radius():
    """A line of three: 3 leads what it reaches, at the whole radius only what follows it."""
    line = {1: {2: 1.0}, 2: {1: 1.0, 3: 1.0}, 3: {2: 1.0}}
    strengths = {1: 1.0, 2: 0.0, 3: 9.0}

    def leaders(following):
        found = partition(line, strengths, 2.0, 'id', Hysteresis(0.25, following))
        return {device: led[0] for device, led in found.items()}

    assert leaders({}) == {1: 1, 2: 3, 3: 3}
    kept = {1: 3, 2: 3, 3: 3}
    assert leaders(kept) == kept == leaders({1: 3})
    # Who does not follow a leader does not hand its candidacy on.
    far = partition(line, strengths, 1.2, 'id', Hysteresis(0.25, {1: 3}))
    assert {device: led[0] for device, led in far.items()} == {1: 1, 2: 2, 3: 3}


def say(robot, leader=1, place=',"p":[1,2]', frame='map'):
    return f'{{"v":1,"id":{robot},"frame":"{frame}"{place},"c":[-1,0,{leader},1]}}'


def test_silent_robot_is_gone_until_heard_again():
    tracker = SwarmTracker(expiry=3.0)
    for robot in (2, 1):
        tracker.hear(say(robot), 10.0)
    tracker.hear(say(1), 12.0)
    assert list(tracker.snapshot(13.0).robots) == [1, 2]
    later = tracker.snapshot(13.1)
    assert list(later.robots) == [1] and list(later.gone) == [2]
    assert later.gone[2].position == (1.0, 2.0)
    tracker.hear(say(2, leader=5), 14.0)
    again = tracker.snapshot(14.0)
    assert again.robots[2].leader == 5 and not again.gone


def test_unreadable_message_is_counted_and_dropped():
    tracker = SwarmTracker(expiry=3.0)
    payloads = ['', 'é', say(1, frame='moon'), '[' * 100000, say(3)]
    for payload in payloads:
        tracker.hear(payload, 1.0)
    assert tracker.messages == len(payloads) and tracker.rejected == len(payloads) - 1
    assert tracker.bytes == sum(len(payload.encode()) for payload in payloads)
    assert list(tracker.snapshot(1.0).robots) == [3]


def test_first_heard_counts_from_a_message_with_a_position():
    tracker = SwarmTracker(expiry=3.0)
    tracker.hear(say(1, place=''), 1.0)
    assert tracker.first_heard == {} and tracker.snapshot(1.0).robots[1].position is None
    for time in (2.0, 3.0):
        tracker.hear(say(1), time)
    assert tracker.first_heard == {1: 2.0}


def test_robots_expire_when_time_goes_back():
    tracker = SwarmTracker(expiry=3.0)
    tracker.hear(say(1), 100.0)
    assert list(tracker.snapshot(5.0).robots) == [1]
    assert list(tracker.snapshot(8.0).robots) == [1]
    assert list(tracker.snapshot(8.1).gone) == [1]


def seen(payload, **options):
    """Return the view of robot 1 after a message."""
    tracker = SwarmTracker(expiry=3.0, **options)
    tracker.hear(payload, 0.0)
    return tracker.snapshot(0.0).robots.get(1)


def test_summary_and_decision_of_a_region_are_kept():
    start = say(1)[:-1]
    # A summary (s) begins with the number of members.
    view = seen(start + ',"t":"count,field","r":{"s":[2.5,7]},"d":[{"members":2},null]}')
    assert (view.tasks, view.members) == (('count', 'field'), 2.5)
    assert view.decision == '[{"members":2},null]'
    # With gossip the known members (m) are listed, robot 1 itself included.
    view = seen(start + ',"r":{"m":[1,4,9],"g":[0,1,1],"c":[[1],[1],[1]]}}')
    assert (view.tasks, view.members, view.decision) == ((), 3.0, '')
    assert math.isnan(seen(say(1)).members)
    assert math.isnan(seen(start + ',"r":{"s":[]}}').members)


def test_tracker_follows_the_first_instance_of_a_frame():
    both = (say(1, leader=5)[:-1] + ',"t":"count","r":{"p":5,"s":[2]},'
            '"i":{"rescue":{"a":"resilient","c":[-3,2,7,9,4,1,6],'
            '"t":"field","r":{"p":7,"s":[4]}}}}')
    assert (seen(both).leader, seen(both).members) == (5, 2.0)
    assert seen(say(1, frame='moon')) is None and seen(say(1, frame='moon'), frame='').id == 1


def test_fields_of_a_plug_in_algorithm_are_kept_without_padding(monkeypatch):
    register_levels(monkeypatch)
    tracker = SwarmTracker(expiry=3.0, algorithm='levels')
    tracker.hear(level_message(1, 1, 4, 7, 8), 0.0)
    tracker.hear(level_message(2, 1, 5), 0.0)
    views = tracker.snapshot(0.0).robots
    assert dict(views[1].fields) == {'level': 4, 'trace': [7, 8]}
    assert dict(views[2].fields) == {'level': 5, 'trace': []}
    assert (views[2].leader, views[2].distance, tracker.rejected) == (1, 2.0, 0)


def test_tracker_reads_deviation_and_dead_reckoning_from_messages():
    plain = seen(say(1))
    assert math.isnan(plain.deviation) and plain.dead_reckoned is None and plain.heard == 0.0
    odometry = seen(say(1)[:-1] + ',"e":[0.5,0.31,0.04]}')
    assert odometry.deviation == 0.31 and odometry.dead_reckoned is None
    filtered = seen(say(1)[:-1] + ',"o":[1.5,2.5,0.5],"e":[0.5,0.31,0.04],"z":[[4,1.25]]}')
    assert filtered.position == (1.0, 2.0) and filtered.dead_reckoned == (1.5, 2.5, 0.5)
    assert filtered.pose == (1.0, 2.0, 0.5) and filtered.heading_deviation == 0.04
    assert plain.pose is None


def test_tracker_reads_terms_and_grants_from_messages():
    tracker = SwarmTracker(expiry=3.0)
    grants = {1: (1, {1: 5}), 2: (1, {2: 9, 3: 9}), 3: (1, {2: 9}), 5: (5, {})}
    for robot, (leader, part) in grants.items():
        written = mandate_codec.write(MandatePart(9, 9, part))['g']
        tracker.hear(say(robot, leader)[:-1] + f',"g":"{written}"}}', 0.0)
    tracker.hear(say(4), 0.0)
    robots = tracker.snapshot(0.0).robots
    assert {i: view.granted for i, view in robots.items()} == {
        1: None, 2: True, 3: False, 4: None, 5: None}
    assert {i: view.term for i, view in robots.items()} == {1: 5, 2: 0, 3: 0, 4: None, 5: 0}


def test_constant_rate_of_changes_is_constant():
    statistics = Statistics()
    for second in range(60):
        observe(statistics, float(second), {1: second % 2, 2: 2})
        if second >= WINDOW:
            assert statistics.changes_a_minute == 30.0
    observe(statistics, 60.0 + 3 * WINDOW, {1: 2, 2: 2})
    assert statistics.changes_a_minute == 60.0 / (1.0 + 3 * WINDOW) / 2
