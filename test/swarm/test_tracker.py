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

"""The tracker: living robots, robots that are gone, counters."""

import math

from leader_election.election.mandates.mandates import MandatePart
from leader_election.election.messages import mandate_codec
from leader_election.swarm.tracker import SwarmTracker
from swarm.levels import level_message, register_levels


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
    payloads = ['', '{', 'é', say(1, frame='moon'), '[' * 100000, say(-1), say(3)]
    for payload in payloads:
        tracker.hear(payload, 1.0)
    assert tracker.messages == len(payloads) and tracker.rejected == len(payloads) - 1
    assert tracker.bytes == sum(len(payload.encode()) for payload in payloads)
    assert list(tracker.snapshot(1.0).robots) == [3]


def test_tracker_accepts_all_frames_when_none_is_given():
    tracker = SwarmTracker(expiry=3.0, frame='')
    tracker.hear(say(1, frame='moon'), 0.0)
    assert list(tracker.snapshot(0.0).robots) == [1] and tracker.rejected == 0


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


def test_tracker_follows_one_of_several_instances():
    both = (say(1, leader=5)[:-1] + ',"t":"count","r":{"p":5,"s":[2]},'
            '"i":{"rescue":{"a":"resilient","c":[-3,2,7,9,4,1,6],'
            '"t":"field","r":{"p":7,"s":[4]}}}}')
    assert (seen(both).leader, seen(both).members) == (5, 2.0)
    rescue = seen(both, instance='rescue')
    assert (rescue.leader, rescue.distance) == (7, 2.0)
    assert (rescue.tasks, rescue.members) == (('field',), 4.0)
    assert rescue.position == (1.0, 2.0) and rescue.value == -3.0


def test_robot_without_the_instance_is_not_tracked():
    tracker = SwarmTracker(expiry=3.0, instance='rescue')
    tracker.hear(say(1), 0.0)
    assert tracker.rejected == 1 and tracker.snapshot(0.0) == (0.0, {}, {})


def test_fields_of_a_plug_in_algorithm_are_kept_without_padding(monkeypatch):
    register_levels(monkeypatch)
    tracker = SwarmTracker(expiry=3.0, algorithm='levels')
    tracker.hear(level_message(1, 1, 4, 7, 8), 0.0)
    tracker.hear(level_message(2, 1, 5), 0.0)
    views = tracker.snapshot(0.0).robots
    assert dict(views[1].fields) == {'level': 4, 'trace': [7, 8]}
    assert dict(views[2].fields) == {'level': 5, 'trace': []}
    assert (views[2].leader, views[2].distance, tracker.rejected) == (1, 2.0, 0)


def test_fields_belong_to_the_tracked_instance(monkeypatch):
    register_levels(monkeypatch)
    both = say(1)[:-1] + ',"i":{"rescue":{"a":"levels","c":[1,0,3,[9]]}}}'
    assert dict(seen(both, instance='rescue').fields) == {'level': 3, 'trace': [9]}
    assert dict(seen(both).fields) == {}, 'bounded has none'


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
