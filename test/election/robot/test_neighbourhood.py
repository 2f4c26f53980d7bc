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

"""The probability of a wrong leader is that with which drawn distances elect another; names."""

import math

from hypothesis import given, strategies
from leader_election.election.algorithms.algorithm import Device
from leader_election.election.algorithms.bounded import (
    bounded_round,
    Candidacies,
    Candidacy,
    configure,
)
from leader_election.election.robot.codec import Message
from leader_election.election.robot.neighbourhood import (
    doubt,
    leader_name,
    no_view,
    Offer,
)
import numpy as np
import pytest

RANGE, RADIUS, OWN, STRENGTH = 2.5, 3.0, 1, 5.0
DRAWS = 2000


def offers() -> strategies.SearchStrategy[list[Offer]]:
    """Draw the candidacies of three leaders of their own, and how far they are."""
    return strategies.lists(
        strategies.tuples(strategies.floats(0.5, 4.0), strategies.floats(0.01, 1.0)),
        min_size=3, max_size=3).map(lambda rows: [
            Offer(Candidacy(-4.0 - k, 0.0, k + 2), *row) for k, row in enumerate(rows)])


def elected(found: list[Offer], distances: list[float], leader: int, hysteresis: float) -> int:
    """Return the leader of a round with these distances."""
    near = [k for k, distance in enumerate(distances) if distance <= RANGE]
    state = Candidacy(-STRENGTH, 0.0, leader)
    columns = zip(*(found[k].candidacy for k in near)) if near else [()] * 4
    return bounded_round(Device(OWN, STRENGTH), state, Candidacies(*map(list, columns)),
                         [distances[k] for k in near],
                         configure(RADIUS, 'id', radius_hysteresis=hysteresis)).leader


@given(offers(), strategies.sampled_from([0.0, 0.2]))
def test_as_often_do_drawn_distances_elect_another_leader(
        found: list[Offer], hysteresis: float) -> None:
    leader = elected(found, [each.distance for each in found], OWN, hysteresis)
    value = next((each.candidacy.value for each in found if each.candidacy.leader == leader),
                 -STRENGTH)
    expected = doubt(Candidacy(value, 1.0, leader), OWN, found, RANGE,
                     configure(RADIUS, 'id', radius_hysteresis=hysteresis))
    drawn = np.random.default_rng(0).normal(
        [each.distance for each in found], [each.deviation for each in found], (DRAWS, 3))
    others = sum(elected(found, row, leader, hysteresis) != leader for row in drawn.tolist())
    assert others / DRAWS == pytest.approx(expected, abs=4.0 * 0.5 / math.sqrt(DRAWS))


def test_several_senders_of_one_leader_and_its_own_candidacy_do_not_add_up() -> None:
    sent, parameters = Candidacy(-9.0, 1.0, 2, 1), configure(RADIUS, 'id')
    state = Candidacy(-9.0, 2.0, 2, 2)
    one = doubt(state, OWN, [Offer(sent, 1.9, 0.1)], RANGE, parameters)
    assert 0.1 < one < 0.2
    several = [Offer(sent, 1.9, 0.1), Offer(sent, 1.95, 0.1),
               Offer(Candidacy(-STRENGTH, 0.5, OWN), 1.0, 0.1)]
    assert doubt(state, OWN, several, RANGE, parameters) == one
    assert doubt(state, OWN, [Offer(sent._replace(hops=7), 0.1, 0.1)], RANGE,
                 parameters._replace(hop_limit=7)) == 0.0


def test_a_leader_that_no_neighbour_follows_has_no_name() -> None:
    export = Candidacy(-9.0, 0.0, 2)
    message = Message(2, 'map', None, export, names={2: '/red'})
    view = no_view()._replace(messages=[message], exports=[export])
    assert leader_name(view, 2) == '/red' and leader_name(view, 3) == ''
