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

"""The watch over a neighbourhood: what it reports, and when it is content again."""

from collections import Counter

from election.robot.test_robot import robot, says
from leader_election.election.robot.reception import DROPPED, HEARD, NeighbourhoodWatch, ROUNDS

EXPIRY = 3.0


def test_what_was_rejected_is_reported_once():
    me, watch = robot(), NeighbourhoodWatch()
    assert watch.fault(me.counts, EXPIRY, 0.0) == ''
    for payload in ('{', '[', says(7, frame='moon'), says(7)):
        me.receive(payload, 0.5)
    assert watch.fault(me.counts, EXPIRY, 1.0) == (
        'messages are refused: rejected_malformed 2, rejected_frame 1')
    me.receive(says(7), 1.5)
    assert watch.fault(me.counts, EXPIRY, 2.0) == ''


def test_what_was_dropped_is_reported():
    me, watch = robot(hearing_budget=1), NeighbourhoodWatch()
    for k in range(4):
        me.receive(says(10 + k), 0.5)
    assert me.counts[DROPPED] == 3
    assert watch.fault(me.counts, EXPIRY, 1.0) == 'messages are refused: messages_dropped 3'


def test_silence_is_reported_after_three_expiries_while_rounds_run():
    watch, counts = NeighbourhoodWatch(), Counter[str]()
    faults = []
    for second in range(0, 40):
        if second == 20:
            counts[HEARD] += 1
        # A round each ten seconds, and a look each second.
        counts[ROUNDS] = 1 + second // 10
        faults.append(watch.fault(counts, EXPIRY, float(second)))
    reported = [second for second, fault in enumerate(faults) if fault]
    assert reported == [*range(10, 20), *range(30, 40)]
    assert faults[12] == 'no message of another robot for 12 s, although rounds run'


def test_no_silence_without_rounds():
    """A managed node that is inactive."""
    watch = NeighbourhoodWatch()
    assert {watch.fault(Counter(), EXPIRY, 10.0 * k) for k in range(9)} == {''}
