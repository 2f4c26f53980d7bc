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

"""Spreading by gossip: small cases by hand, wrong versions, and leaders that are gone."""

from math import inf
from typing import Any, NamedTuple

from election.regions.regions import change, decisions, FIRST, LINE, network_of
from leader_election.election.algorithms.fields import NOBODY
from leader_election.election.regions.region import MOST_VERSION, RegionSettings
from leader_election.election.regions.spreading import DECISION_EXPIRY, freshest, KEPT
import pytest


class Told(NamedTuple):
    """What spreading looks at: of one device, or columns of neighbours."""

    leader: Any
    decision_version: Any
    decision_age: Any


def fresh(*neighbours, own=(7, 0, 0), metric=None, device=3):
    """Return the choice of device 3 with leader 7 among rows (leader, version, age)."""
    columns = Told(*zip(*neighbours)) if neighbours else Told([], [], [])
    return freshest(device, 7, Told(*own), columns, metric or [1.0] * len(neighbours))


@pytest.mark.parametrize('neighbours, own, expected', [
    ([], (7, 0, 0), (NOBODY, 0, 0)),
    # The higher version, whatever its age, of the same the younger. The first of equal ones.
    ([(7, 4, 1), (7, 5, 3), (7, 5, 2), (7, 5, 2)], (7, 0, 0), (2, 5, 3)),
    # Its own, a round older, unless a neighbour's is as new and younger.
    ([(7, 4, 1)], (7, 5, 3), (KEPT, 5, 4)),
    ([(7, 5, 2)], (7, 5, 3), (0, 5, 3)),
    ([(7, 5, 3)], (7, 5, 3), (KEPT, 5, 4)),
    ([], (7, MOST_VERSION, 3), (KEPT, MOST_VERSION, 4)),
    # Of another region, without any, or from before the leader changed.
    ([(8, 9, 0), (7, 0, 0)], (7, 0, 0), (NOBODY, 0, 0)),
    ([(8, 9, 0), (7, 0, 0), (7, 1, 4)], (7, 0, 0), (2, 1, 5)),
    ([], (8, 5, 0), (NOBODY, 0, 0)),
    # Too old, at the limit, and what no device says.
    ([(7, 5, DECISION_EXPIRY)], (7, 5, DECISION_EXPIRY), (NOBODY, 0, 0)),
    ([(7, 5, DECISION_EXPIRY - 1)], (7, 4, 9), (0, 5, DECISION_EXPIRY)),
    ([(7, -5, 0), (7, 5, -1), (7, MOST_VERSION + 1, 0)], (7, MOST_VERSION + 1, 0), (NOBODY, 0, 0)),
])
def test_freshest_takes_the_highest_version_then_the_youngest(neighbours, own, expected):
    assert fresh(*neighbours, own=own) == expected
    assert fresh((7, 9, 0), *neighbours, own=own, metric=[inf] + [1.0] * len(neighbours)) == (
        expected[0] + (expected[0] >= 0), *expected[1:]), 'the first is out of range'


@pytest.mark.parametrize('neighbours, own, version', [
    ([], (7, 0, 0), 1), ([], (7, 5, 0), 6), ([], (8, 5, 0), 1),
    # From its region it hears of a later one: it goes on from there.
    ([(7, 90, 4), (8, 99, 0)], (7, 5, 0), 91),
    ([(7, MOST_VERSION, 4)], (7, 5, 0), MOST_VERSION)])
def test_leader_continues_from_the_highest_known_version(neighbours, own, version):
    assert fresh(*neighbours, own=own, device=7) == (NOBODY, version, 0)


def gossiping(graph, **settings):
    """Return a network that spreads by gossip, where 0 leads, after enough rounds."""
    network = network_of('bounded', 'tree', graph, FIRST, regions=RegionSettings(
        spreading='gossip', **settings))
    for _ in range(12):
        network.lockstep()
    return network


@pytest.mark.parametrize('version', [1000, MOST_VERSION - 1, MOST_VERSION])
def test_leader_overtakes_a_version_from_the_future(version):
    """The version is on the end of the line, 3 hops away. It takes 7 rounds there and back."""
    network = gossiping(LINE)
    change(network, 3, decision_version=version, decision_age=0, decision=(99.0,))
    for i in network.mailboxes[2]:
        network.mailboxes[2][i] = network.states[i]
    for n in range(7):
        assert (99.0,) in decisions(network).values() or n > 2
        network.lockstep()
    assert set(decisions(network).values()) == {(4.0,)}
    assert network.states[0].decision_version >= min(version + 1, MOST_VERSION)


def test_decision_of_a_dead_leader_expires():
    """Recursive election still names the dead leader. The region then has no decision."""
    network = network_of('recursive', 'tree', LINE, FIRST, regions=RegionSettings(
        spreading='gossip'))
    for _ in range(12):
        network.lockstep()
    assert decisions(network)[3] == (4.0,)
    network.remove(0)
    for n in range(DECISION_EXPIRY + 1):
        assert n > DECISION_EXPIRY - 3 or network.states[1].decision == (4.0,)
        network.lockstep()
    assert {state.leader for state in network.states.values()} == {0}
    assert set(decisions(network).values()) == {(inf,)}


def test_reach_and_announcement_are_spread_with_the_decision():
    network = network_of('bounded', 'tree', LINE, FIRST, radius=9.0, announcement_size=1,
                         regions=RegionSettings(spreading='gossip', feedback_gain=0.25,
                                                feedback_target=2.0, feedback_alpha=1.0))
    for i in LINE:
        change(network, i, own_announcement=(10.0 + i,))
    for _ in range(30):
        network.lockstep()
    # Four members, two too many: a quarter less than the radius.
    assert {state.reach for state in network.states.values()} == {6.75}
    assert {state.announcement for state in network.states.values()} == {(10.0,)}
