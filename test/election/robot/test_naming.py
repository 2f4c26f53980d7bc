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

"""The namespaces of robots in messages, and how those of leaders spread."""

import json
from typing import Any

from election.robot.swarm import line, of_one, Swarm
from leader_election.election.algorithms import BOUNDED
from leader_election.election.robot.codec import codec_for, MAX_LENGTH
from leader_election.election.robot.wire import LONGEST, MOST_NAMES, RejectReason
import pytest


def named(swarm: Swarm) -> dict[int, str]:
    """Return what each robot calls its leader."""
    return {i: robot.leader_name(robot.main) for i, robot in swarm.robots.items()}


@pytest.mark.parametrize('wrong', [
    [], {'7': 'alice'}, {'7': '/a b'}, {'7': '/a/'}, {'7': ''}, {'7': 5}, {'x': '/a'},
    {'-1': '/a'}, {'9999999999999999': '/a'}, {'7': '/a' * LONGEST},
    {str(i): '/a' for i in range(MOST_NAMES + 1)}])
def test_wrong_names_are_ignored_and_counted(wrong: Any) -> None:
    def decoded(names: Any) -> Any:
        return codec_for(BOUNDED).decode(json.dumps(
            {'v': 1, 'id': 3, 'frame': 'map', 'c': [-7.0, 3.25, 8], 'n': names}))
    assert decoded(wrong).names == {} and decoded(wrong).faults == (RejectReason.NAMES,)
    assert decoded({'7': '/'}).names == {7: '/'} and decoded({'7': '/'}).faults == ()


def test_usual_robots_send_no_names() -> None:
    swarm = Swarm(line(3), lambda i: of_one(i, {3: 9.0}), radius=9.0)
    swarm.sweep(3)
    assert all('n' not in json.loads(payload) for payload in swarm.said.values())


def test_the_name_of_a_leader_spreads_with_its_candidacy_and_changes_with_it() -> None:
    """Robot 4 leads all of a line, is renamed, gets the usual name, and dies."""
    swarm = Swarm(line(4), lambda i: of_one(i, {4: 9.0}), radius=9.0)
    for name in ('/tb3_3', '/alice', ''):
        swarm.robots[4].name = name
        swarm.sweep(6)
        assert named(swarm) == dict.fromkeys(swarm.robots, name)
    swarm.robots[4].name = '/alice'
    swarm.robots[1].name = '/bob'
    swarm.sweep(6)
    assert json.loads(swarm.said[1])['n'] == {'4': '/alice', '1': '/bob'}
    swarm.silent.add(4)
    swarm.sweep(12)
    assert {i: name for i, name in named(swarm).items() if i != 4} == {
        i: '/bob' if leader == 1 else '' for i, leader in swarm.leaders().items()}


def test_names_are_left_out_where_a_message_would_be_too_long() -> None:
    swarm = Swarm(line(1), frame='m' * (MAX_LENGTH - 150))
    swarm.robots[1].name = '/' + 'a' * 20
    swarm.sweep()
    assert 'n' in json.loads(swarm.said[1])
    swarm.robots[1].name = '/' + 'a' * 100
    swarm.sweep()
    assert 'n' not in json.loads(swarm.said[1])
