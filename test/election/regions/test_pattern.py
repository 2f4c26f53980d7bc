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
"""The pattern by hand: what is known after each round on a line, a star, a diamond and a grid."""

from math import inf

from election.algorithms.networks import grid, links
from election.regions.regions import (
    change,
    columns,
    COUNT,
    decisions,
    DIAMOND,
    network_of,
    summaries,
)
from leader_election.election.algorithms import Device
from leader_election.election.algorithms.fields import NOBODY
from leader_election.election.regions.pattern import coordinate, Member, resized, with_borders
from leader_election.election.regions.region import (
    initial_region,
    parameters_of,
    RegionSettings,
    RELAY,
    WORKER,
)
from leader_election.election.regions.summary_layout import ADD, LEAST, RANKED, SummaryLayout
import pytest

WAYS = pytest.mark.parametrize('collection', ['tree', 'multi-path', 'gossip'])
LINE = links((0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0))
FIRST = {i: -float(i) for i in range(9)}
"""Strengths with which 0 leads."""


@pytest.mark.parametrize(('collection', 'exact'), [('tree', 5), ('multi-path', 5), ('gossip', 7)])
def test_line_collects_and_spreads_one_link_per_round(collection, exact):
    """
    0 leads. All count themselves. News goes one link in each round in which all go together.

    In round 2 each has the stronger neighbour, its lower one, as leader and parent, and it stays
    the parent: 3's one is with 2 in round 3, with 1 in round 4, with 0 in round 5. By gossip
    robots of one region only hear each other, and 3 is in that of 0 in round 4. Its one is with 2
    in round 5 and with 0 in round 7. 0 decides at once, and three rounds later all know.
    """
    network = network_of('bounded', collection, LINE, FIRST)
    for n in range(1, exact + 6):
        network.lockstep()
        assert (network.states[0].summary == (4.0,)) == (n >= exact)
        know = [i for i, told in decisions(network).items() if told == (4.0,)]
        assert know == [0, 1, 2, 3][:max(0, n - exact + 1)]
    if collection != 'gossip':
        assert list(summaries(network).values()) == [(4.0,), (3.0,), (2.0,), (1.0,)]


def test_diamond_uses_one_side_by_tree_and_both_by_multi_path():
    """The top's contribution takes one side by tree, and halves take both by multi-path."""
    found = {}
    for collection in ('tree', 'multi-path'):
        network = network_of('bounded', collection, DIAMOND, FIRST)
        for _ in range(8):
            network.lockstep()
        found[collection] = summaries(network)
    assert found['tree'] == {0: (4.0,), 1: (2.0,), 2: (1.0,), 3: (1.0,)}
    assert found['multi-path'] == {0: (4.0,), 1: (1.5,), 2: (1.5,), 3: (1.0,)}


def test_grid_by_multi_path_splits_counts_between_parents():
    """
    0 in the corner leads. By multi-path each splits in halves what it has, or hands it on whole.

    ::

        9    3    1      (3 + 3 of 9 - 1: both sides of the corner have 4)
        0 <- 1 <- 2          8 has 1; 7 and 5 have 1 + 1/2; 4 has 1 + 3/4 + 3/4 = 5/2;
        3 <- 4 <- 5          6 and 2 have 1 + 3/4; 3 and 1 have 1 + 7/4 + 5/4 = 4;
        6 <- 7 <- 8          0 has 9.
    """
    network = network_of('bounded', 'multi-path', grid(3), FIRST)
    for _ in range(12):
        network.lockstep()
    assert [row[0] for row in summaries(network).values()] == [
        9.0, 4.0, 1.75, 4.0, 2.5, 1.5, 1.75, 1.5, 1.0]


def test_gossip_forgets_a_lost_member_after_its_depth():
    """
    Robot 3 leaves the end of the line, and 2 forgets it.

    The other robots increase the age of its contribution. When 3 leaves, that age is 3 rounds
    on 0, 2 on 1 and 1 on 2. The smallest age grows by 1 each round, so with a depth of 5
    nobody knows it after 5 rounds.
    """
    network = network_of('bounded', 'gossip', LINE, FIRST,
                         regions=RegionSettings(gossip_members=4, gossip_depth=5))
    for _ in range(10):
        network.lockstep()
    assert network.states[0].members == (0, 1, 2, 3)
    assert network.states[0].ages == (0, 1, 2, 3)
    network.remove(3)
    known = []
    for _ in range(5):
        network.lockstep()
        known.append(sum(3 in state.members for state in network.states.values()))
    assert known[0] > 0 and known[4] == 0
    assert network.states[0].summary == (3.0,)


@WAYS
def test_worker_and_relay_do_not_lead(collection):
    """
    On the line 3 is the strongest, but a worker.

    Robot 2 comes next, but is a relay. So 1 leads 0. The relay contributes nothing, and
    forwards the contribution of 3.
    """
    network = network_of('bounded', collection, LINE, {0: 0.0, 1: 1.0, 2: 8.0, 3: 9.0})
    change(network, 3, role=WORKER)
    change(network, 2, role=RELAY, contribution=(0.0,))
    for _ in range(10):
        network.lockstep()
        assert all(state.decision == (inf,) for state in network.states.values()
                   if state.leader in (2, 3)), 'one who may not lead decides'
    assert {state.leader for state in network.states.values()} == {1}
    assert network.states[1].summary == (3.0,)
    assert set(decisions(network).values()) == {(3.0,)}


@WAYS
@pytest.mark.parametrize('role', [WORKER, RELAY])
def test_nobody_decides_when_there_is_no_candidate(collection, role):
    network = network_of('bounded', collection, LINE, FIRST)
    for i in LINE:
        change(network, i, role=role)
    for _ in range(8):
        network.lockstep()
        assert set(decisions(network).values()) == {(inf,)}


BORDER = SummaryLayout((ADD, RANKED), (0, 1, 7), (0, 3))
"""A count, and records of two other regions: key and id, which are its leader's, and a word."""


def test_leaders_collect_announcements_of_bordering_regions():
    """
    Two regions of two robots are on the line: 0 leads 0 and 1, and 3 leads 2 and 3.

    Each leader announces its number. Robot 2 hears the announcement of 0 across the border,
    and forwards it to 3. The announcement of 3 reaches 0 likewise.
    """
    network = network_of(
        'bounded', 'multi-path', LINE, {0: 5.0, 1: 0.0, 2: 0.0, 3: 4.0}, radius=1.0, layout=BORDER,
        contribution=(1.0, *[inf] * 6), identity=(0.0, *[inf] * 6), announcement_size=1, border=1)
    change(network, 0, own_announcement=(0.25,))
    change(network, 3, own_announcement=(0.75,))
    for _ in range(10):
        network.lockstep()
    assert {i: state.leader for i, state in network.states.items()} == {0: 0, 1: 0, 2: 3, 3: 3}
    assert network.states[0].summary == (2.0, 3.0, 3.0, 0.75, inf, inf, inf)
    assert network.states[3].summary == (2.0, 0.0, 0.0, 0.25, inf, inf, inf)
    assert network.states[2].announcement == (0.75,)
    # One region is left, and with it no border.
    network.remove(3)
    network.devices[0] = Device(0, 9.0)
    network.parameters = network.parameters._replace(
        election=network.parameters.election._replace(radius=9.0, joining_radius=9.0))
    for _ in range(12):
        network.lockstep()
    assert network.states[0].summary == (3.0, *[inf] * 6)


def test_robot_is_at_the_border_when_it_hears_another_announcement():
    network = network_of(
        'bounded', 'tree', LINE, FIRST, layout=BORDER, contribution=(1.0, *[inf] * 6),
        identity=(0.0, *[inf] * 6), announcement_size=1, border=1)
    algorithm, p = network.algorithm, network.parameters.region
    said = [network.states[i]._replace(leader=leader, announcement=(announcement,))
            for i, leader, announcement in ((1, 0, 1.0), (2, 4, inf), (3, 6, 2.0), (3, 5, 3.0))]
    row = with_borders(0, (1.0, *[inf] * 6), algorithm.columns(*zip(*said)), [1.0] * 4, p)
    # 0's own region is none; 4 says nothing; 5 and 6 in the order of their ids.
    assert list(row) == [1.0, 5.0, 5.0, 3.0, 6.0, 6.0, 2.0]
    without = p._replace(layout=COUNT, border=-1)
    assert with_borders(0, (1.0,), algorithm.columns(*zip(*said)), [1.0] * 4, without) == (1.0,)


@pytest.mark.parametrize('gain', [0.0, 0.5])
def test_robot_without_a_parent_spreads_an_announcement_only_as_a_leader(gain):
    """Robot 2 leads, and then has just lost its parent."""
    regions = RegionSettings(feedback_gain=gain, feedback_alpha=0.5, feedback_target=4.0)
    p = parameters_of(regions, COUNT, radius=9.0, link_range=inf, undecided=(inf,))
    before = Member(2, 0.0, *initial_region(
        regions, (10.0,), (0.0,), announcement_size=1, undecided=(inf,))._replace(
            own_announcement=(0.5,)))
    for leader, load, announced in ((2, 7.0 if gain else 4.0, 0.5), (5, 4.0, inf)):
        after = coordinate(Device(2, 1.0), leader, 0.0, before, columns(), [], p, None)
        assert (after.load, list(after.announcement)) == (load, [announced])
        assert after.reach == (resized(load, p) if leader == 2 else 9.0)
        assert (after.decision_version, after.decision_age) == (0, 0)


def test_robot_collects_least_numbers_from_neighbours_uphill_that_do_not_name_it():
    layout = SummaryLayout((ADD, LEAST), (0, 1, 2), (0, 0))
    p = parameters_of(RegionSettings(), layout, radius=9.0, link_range=inf, undecided=(inf,))
    before = Member(5, 1.0, *initial_region(
        RegionSettings(), (1.0, 30.0), (0.0, inf), undecided=(inf,)))
    uphill = columns({'device': 3, 'leader': 5, 'distance': 2.0, 'recipients': (8,),
                      'shares': (1.0,), 'summary': (4.0, 20.0)})
    after = coordinate(Device(2, 1.0), 5, 1.0, before, uphill, [1.0], p, None)
    assert list(after.summary) == [1.0, 20.0]


def test_leader_has_no_parent_when_a_neighbour_claims_a_smaller_distance():
    """A neighbour claims to be nearer to 0 than 0 itself."""
    network = network_of('bounded', 'multi-path', LINE, FIRST)
    lie = network.states[1]._replace(leader=0, distance=-1.0, decision=(99.0,), value=0.0)
    network.mailboxes[0][1] = lie
    network.round(0)
    assert network.states[0].parent == NOBODY
    assert set(network.states[0].recipients) == {NOBODY}
    assert network.states[0].decision == network.states[0].summary == (1.0,)


def test_feedback_shrinks_an_overloaded_region():
    """
    On a line of links of 1 m with a radius of 2 m, robot 0 leads 0, 1 and 2 without feedback.

    With a target of 1 robot and a gain of 0.25, a load of 2 reduces the radius to 3/4, 1.5 m.
    In units of that radius 2 is 2 / 0.75 away, more than 2, so it leads itself. The load of 0
    stays 2.
    """
    network = network_of(
        'bounded', 'tree', LINE, FIRST, radius=2.0, regions=RegionSettings(
            feedback_gain=0.25, feedback_alpha=1.0, feedback_target=1.0))
    for _ in range(20):
        network.lockstep()
    assert {i: state.leader for i, state in network.states.items()} == {0: 0, 1: 0, 2: 2, 3: 2}
    assert network.states[0].reach == network.states[1].reach == 1.5
    assert network.states[1].distance == pytest.approx(1.0 / 0.75)
