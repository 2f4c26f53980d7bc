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

"""Results derived from observations: topics between robots, settings, increases."""

import math

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.swarm.doctor import communication
from leader_election.swarm.doctor.observations import (
    by_robot,
    Endpoint,
    find_radio_topics,
    Observations,
)
from swarm.doctor.scene import AIR, healthy, node, rewired, saying, wiring

STRING = 'std_msgs/msg/String'


def test_radio_topics_are_those_that_robots_publish_and_hear() -> None:
    assert find_radio_topics(healthy()) == {AIR}
    assert find_radio_topics(healthy(radio_topics=['/air'])) == {AIR, '/air'}
    role = Endpoint('/bob/role', STRING, True, node('bob'))
    relay = [Endpoint('/chatter', STRING, writes, '/relay') for writes in (True, False)]
    endpoints = [*rewired('bob', *wiring('bob', radio_topic='/bob/air')), role, *relay]
    assert find_radio_topics(healthy(endpoints=endpoints)) == {AIR, '/bob/air'}


def test_topic_of_a_task_is_no_radio_topic() -> None:
    """Texts of a user's task are no messages between robots, and need no other subscriber."""
    def team(**of_it: bool) -> list[Endpoint]:
        return [Endpoint('/bob/team', STRING, writes, node('bob'), **of_it)
                for writes in (True, False)]

    away = rewired('bob', *wiring('bob', radio_topic='/bob/air'))
    for wires, extra in ((healthy().endpoints, []), (away, ['/bob/air'])):
        swarm = healthy(endpoints=[*wires, *team()], radio_topics=extra)
        assert find_radio_topics(swarm) == {AIR, *extra}
        assert '/bob/team' not in str(list(communication.shared_topic(swarm)))
    # Where the air is not known, by what it offers.
    for of_it in ({'reliable': True}, {'latched': True}):
        assert find_radio_topics(healthy(endpoints=[*away, *team(**of_it)])) == {AIR, '/bob/air'}


def test_setting_is_the_published_one_or_the_default() -> None:
    swarm = healthy(diagnostics=saying(message_expiry='7', communication_range='inf'))
    assert swarm.setting('bob', 'message_expiry') == 7.0
    assert swarm.setting('bob', 'communication_range') == math.inf
    for values in ({}, {'message_expiry': 'soon'}):
        swarm = healthy(diagnostics=saying(**values))
        assert swarm.setting('bob', 'message_expiry') == ElectionParameters.message_expiry
    assert swarm.setting('nobody', 'round_period') == ElectionParameters.round_period


def test_increase_of_a_restarted_counter_is_zero() -> None:
    swarm = healthy()
    assert (swarm.increase('bob', 'rounds'), swarm.increase('bob', 'messages_heard')) == (9, 18)
    assert swarm.increase('bob', 'unknown') == swarm.increase('nobody', 'rounds') == 0.0
    assert healthy(diagnostics=swarm.diagnostics[::-1]).increase('bob', 'rounds') == 0.0


def test_robot_with_an_output_namespace_is_found_by_its_node() -> None:
    own = '/alice/election_node'
    outputs = [Endpoint(f'/alice/election{place}/is_leader', 'std_msgs/msg/Bool', True, own)
               for place in ('', '/rescue')]
    seen = Observations(1.0, endpoints=outputs)
    assert (seen.robots, seen.nodes) == (['alice'], outputs[:1])
    assert by_robot({'alice/election': 3, 'bob': 4}, outputs) == {'alice': 3, 'bob': 4}
