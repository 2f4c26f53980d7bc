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

from election.regions.regions import (
    change,
    columns,
    COUNT,
    FIRST,
    LINE,
    network_of,
)
from leader_election.election.algorithms import Device
from leader_election.election.algorithms.fields import NOBODY
from leader_election.election.regions.pattern import coordinate, Member, resized, with_borders
from leader_election.election.regions.region import (
    initial_region,
    parameters_of,
    RegionSettings,
)
from leader_election.election.regions.summary_layout import ADD, RANKED, SummaryLayout
import pytest

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
