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

"""The regions of one robot, as it takes part in them."""

from typing import Any

from election.robot.swarm import line, of_one, Swarm
from leader_election.election.algorithms import BOUNDED, Device
from leader_election.election.messages.codec import Message
from leader_election.election.messages.region_codec import region_part, WRONG_SUMMARY
from leader_election.election.part import ElectionOutcome
from leader_election.election.regions.aggregate import top
from leader_election.election.regions.region import CANDIDATE, RELAY
from leader_election.election.regions.task import Task
from leader_election.election.robot.membership import Membership, previous_state
from leader_election.election.robot.neighbourhood import no_view
import pytest

STATE = BOUNDED.state(-9.0, 2.0, 8, 2)


class Warm(Task):
    """Finds the warmest robot."""

    collects = {'best': top(1)}
    seen: dict[int, Any] = {}

    def sense(self) -> Any:
        return {'best': 3.0}

    def act(self, decision: Any) -> None:
        self.seen[self.member.id] = (self.member.neighbours, self.member.borders)


def alone(rounds: int = 1, instance: str = 'main', **settings: Any) -> Membership:
    """Return the regions of robot 1, which is at (1, 2)."""
    robots = Swarm({1: (1.0, 2.0)}, kinds={'warm': Warm}, **settings)
    robots.sweep(rounds)
    part: Membership = robots.instances(instance)[1].parts['regions']
    return part


def test_region_without_a_round_has_no_decision_and_no_errors() -> None:
    part = alone(0, tasks='warm')
    assert part.decision == [] and part.concern() == ('', '0 members known', {
        'members': '0', 'task_errors': 0, 'rejected_other_tasks': 0, 'rejected_other_summary': 0,
        'decisions_too_long': 0, 'rejected_other_algorithm': 0, 'warm.errors': 0})


def test_contribution_counts_one_robot_and_on_a_level_those_of_a_region() -> None:
    for members, fault, above in ((1.0, None, None), (2.0, WRONG_SUMMARY, None)):
        sent = region_part(members=(7,), ages=(0,), contributions=((members,),))
        for instance, expected in (('main', fault), ('level_1', above)):
            part = alone(0, instance, hierarchy='20', collection='gossip')
            assert part.read(7, STATE, sent, 0)[1] == expected


@pytest.mark.parametrize(('number', 'age'), [(0, 0), (1, 3)])
def test_decision_ages_by_missed_messages(number: int, age: int) -> None:
    sent = region_part(summary=(1.0,), decision_version=number)
    assert alone(0, regions=True).read(7, STATE, sent, 3)[0].decision_age == age


def test_task_knows_the_neighbours_in_its_region_and_a_leader_the_borders() -> None:
    """Robots 1 and 2 follow 1, and robot 3 leads alone."""
    robots = Swarm(line(3), lambda i: of_one(i, {1: 9.0, 3: 8.0}), {'warm': Warm}, radius=1.0,
                   connected=True, tasks='warm')
    robots.sweep(8)
    seen = Warm.seen
    assert seen[1] == ({2: (1.0, 0.0)}, {3: (2.0, 0.0, 1.0)})
    assert seen[2] == ({1: (0.0, 0.0)}, {})
    assert seen[3] == ({}, {1: (0.0, 0.0, 2.0)})


def test_state_before_a_round_is_that_of_the_election_and_of_the_region() -> None:
    region = alone(regions=True).region
    assert previous_state(STATE, region, role=2) == (8, 2.0, *region._replace(role=2))


@pytest.mark.parametrize(('mandate', 'role', 'counted'), [
    (0.0, RELAY, 0.0), (5.0, CANDIDATE, 1.0)])
def test_robot_without_a_position_keeps_the_newest_decision_of_its_leader(
        mandate: float, role: int, counted: float) -> None:
    part = alone(0, regions=True, mandate=mandate)
    leader = BOUNDED.state(-9.0, 0.0, 7, 0)
    state = leader._replace(distance=1.0, hops=1)
    if mandate:
        part._mandates.mandates.number = 100
    for number, text in ((10, '["new"]'), (9, '["old"]')):
        sent = region_part(summary=(1.0,), decision_version=number, decision=text)
        view = no_view()._replace(
            messages=[Message(7, 'map', None, leader)], exports=[leader], metric=[1.0],
            missed=[0], read={'regions': [part.read(7, leader, sent, 0)[0]]})
        part.round(ElectionOutcome(
            Device(1, 0.0), role, role == RELAY, False, 7, 1.0, 9.0, state, state, view,
            no_view()._replace(read={'regions': []}), None, float(20 - number)))
        assert (part.decision, part.region.decision_version) == (['new'], 10)
        assert (part.region.role, part.region.contribution[0]) == (role, counted)


def test_decision_of_a_leader_has_the_number_of_its_beat_with_mandates() -> None:
    robots = Swarm({1: (1.0, 2.0)}, tasks='count', mandate=5.0)
    parts = robots.instances()[1].parts
    parts['mandates'].mandates.number = 50
    robots.sweep(1)
    assert parts['regions'].region.decision_version == parts['mandates'].mandates.part.beat == 51
