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

"""The tracker: who lives, who is gone, what is counted."""

from leader_election.swarm.tracker import SwarmTracker


def say(robot, leader=1, place=',"p":[1,2]', frame='map'):
    return f'{{"v":1,"id":{robot},"frame":"{frame}"{place},"c":[-1,0,{leader}]}}'


def test_who_falls_silent_is_gone_until_heard_again():
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


def test_what_says_nothing_is_counted_and_dropped():
    tracker = SwarmTracker(expiry=3.0)
    payloads = ['', '{', 'é', say(1, frame='moon'), '[' * 100000, say(-1), say(3)]
    for payload in payloads:
        tracker.hear(payload, 1.0)
    assert tracker.messages == len(payloads) and tracker.rejected == len(payloads) - 1
    assert tracker.bytes == sum(len(payload.encode()) for payload in payloads)
    assert list(tracker.snapshot(1.0).robots) == [3]


def test_no_frame_is_any_frame():
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


def test_time_going_backwards_neither_kills_nor_keeps_for_ever():
    tracker = SwarmTracker(expiry=3.0)
    tracker.hear(say(1), 100.0)
    assert list(tracker.snapshot(5.0).robots) == [1]
    assert list(tracker.snapshot(8.0).robots) == [1]
    assert list(tracker.snapshot(8.1).gone) == [1]
