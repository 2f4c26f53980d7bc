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

"""What a gate obeyed, and who believed to lead."""

from leader_election.swarm.gate_log import Answer, GateLog, HOLD, LeaderLog


def test_a_newer_term_takes_the_gate_over_at_once():
    log = GateLog()
    log.add(Answer(9, 5, 0.0, 0.0, True))
    log.add(Answer(8, 7, 1.0, 1.0, True))
    assert [(each.begin, each.robots) for each in log.held()] == [(0.0, (9,)), (1.0, (8,))]
    assert log.at_once() == 0.0 and log.holders(1.0 + HOLD) == ()


def test_a_refused_command_opens_nothing():
    log = GateLog()
    log.add(Answer(9, 5, 0.0, 0.0, False))
    assert log.held() == [] and log.holders(0.1) == ()


def test_a_command_on_its_way_at_a_handover_is_not_outdated():
    log = GateLog()
    log.add(Answer(8, 7, 1.0, 1.1, True))
    log.add(Answer(9, 5, 1.0 - HOLD / 2, 1.2, False))
    assert log.outdated() == []


def test_two_leaders_count_only_while_both_believe_to_lead():
    log = LeaderLog(3.0)
    log.add(9, 0.0, leads=True, until=None)
    log.add(8, 1.0, leads=True, until=None)
    log.add(9, 2.0, leads=False, until=None)
    assert log.two_lead(0.0, 9.0) == 1.0
    assert log.two_lead(1.5, 9.0) == 0.5
    assert log.robots() == {8, 9} and log.leads(8) == [(1.0, 4.0)]


def test_a_mandate_ends_with_the_message_that_says_so():
    log = LeaderLog(3.0)
    for time, until in ((0.0, 2.0), (1.0, 3.0), (2.5, None), (5.0, 6.0)):
        log.add(9, time, leads=True, until=until)
    assert log.acts(9) == [(0.0, 2.5), (5.0, 6.0)]
