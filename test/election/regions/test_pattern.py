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

from itertools import accumulate
from math import inf, sqrt
from typing import Any, NamedTuple

from election.regions.regions import change, columns, COUNT, decisions, FIRST, LINE, network_of
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.algorithms import Device
from leader_election.election.algorithms.fields import NOBODY
from leader_election.election.regions.collection import ADD, LEAST, RANKED, SummaryLayout
from leader_election.election.regions.pattern import (
    coordinate,
    decay,
    DECISION_EXPIRY,
    freshest,
    KEPT,
    Member,
    resized,
    scaled,
    smoothed,
    with_borders,
)
from leader_election.election.regions.region import (
    initial_region,
    MOST_VERSION,
    parameters_of,
    RegionSettings,
)
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
    for leader, distance, load, announced in (
            (2, 0.0, 7.0 if gain else 4.0, 0.5), (2, inf, 4.0, inf), (5, 0.0, 4.0, inf)):
        after = coordinate(Device(2, 1.0), leader, distance, before, columns(), [], p, None)
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


def test_leader_collects_what_is_not_added_up_from_members_that_send_it_no_share():
    least = SummaryLayout((ADD, LEAST), (0, 1, 2), (0, 0))
    regions = RegionSettings(collection='multi-path')
    p = parameters_of(regions, least, radius=9.0, link_range=inf, undecided=())
    before = Member(2, 0.0, *initial_region(regions, (1.0, 5.0), (0.0, inf), undecided=()))
    said = columns({'leader': 2, 'distance': 1.0, 'summary': (1.0, 3.0)})
    after = coordinate(Device(2, 1.0), 2, 0.0, before, said, [1.0], p, None)
    assert list(after.summary) == [1.0, 3.0]


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
    ([], (7, MOST_VERSION, 3), (KEPT, MOST_VERSION, 4)), ([], (7, 1, 3), (KEPT, 1, 4)),
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


# Feedback: where it comes to rest, and when it swings, worked out by hand.

BASE = parameters_of(
    RegionSettings(collection='tree', feedback_gain=0.5, feedback_alpha=0.01, feedback_target=4.0,
                   feedback_most=1.5), COUNT, radius=10.0, link_range=inf, undecided='')


@pytest.mark.parametrize(('load', 'expected'), [
    (4.0, 10.0),    # The target: its radius.
    (6.0, 7.5),     # Half a target above it, a gain of 0.5: less by a quarter.
    (2.0, 12.5),    # And half a target below.
    (0.0, 15.0),    # 1 + 0.5: the most.
    (10.0, 2.5),    # 1 - 0.75: the least.
    (50.0, 2.5),
])
def test_resized_radius_follows_the_load_within_its_limits(load, expected):
    assert resized(load, BASE) == expected


def test_smoothed_load_weights_the_new_load_by_alpha():
    assert smoothed(10.0, 0.0, BASE._replace(alpha=0.25)) == 2.5
    assert smoothed(8.0, 4.0, BASE._replace(alpha=0.25)) == 5.0
    assert smoothed(8.0, 4.0, BASE._replace(alpha=1.0)) == 8.0
    assert smoothed(8.0, 4.0, BASE._replace(alpha=0.0)) == 4.0
    assert smoothed(0.0, 4.0, BASE._replace(alpha=0.25)) == 3.0
    assert smoothed(1e9, 1e9, BASE._replace(alpha=0.25)) == 400.0, 'a hundred times the target'


def radii(load_of, p, rounds, delay=0):
    """
    Return a leader's radius round by round.

    :param load_of: the load of a region by its radius.
    :param delay: so many rounds later the load is that of the radius.
    """
    load, radius = p.target, [p.radius] * (delay + 1)
    for _ in range(rounds):
        load = smoothed(load_of(radius[-1 - delay]), load, p)
        radius.append(resized(load, p))
    return radius


BY_AREA = BASE._replace(gain=1.0, most=1.0)
"""With the load below the radius is 10 (2 - load / 4) m, from 2.5 to 10 m."""


def area(radius):
    """Twice the target at the full radius, and in proportion to the area."""
    return 8.0 * (radius / 10.0) ** 2


@pytest.mark.parametrize('delay', [0, 3, 6])
def test_radius_meets_a_load_by_area_without_oscillation(delay):
    """With s = radius / 10: s = 2 - 8 s s / 4, so s = (sqrt(17) - 1) / 4."""
    found = radii(area, BY_AREA, 1000, delay)
    assert all(before >= after for before, after in zip(found, found[1:]))
    assert found[-1] == pytest.approx(10.0 * (sqrt(17.0) - 1.0) / 4.0)


def test_scaled_distances_grow_with_a_reduced_reach_within_limits():
    """Distances to a leader of half the radius double. Beyond the limits the limits apply."""
    reach = [10.0, 5.0, 15.0, 0.0, 1e300, -7.0, 1.0]
    assert scaled(reach, [3.0] * 6, BASE).tolist() == [3.0, 6.0, 2.0, 12.0, 2.0, 12.0]
    assert scaled(reach, [3.0] * 6, BASE._replace(radius=0.0)).tolist() == [3.0] * 6
    assert scaled([0.25], [3.0], BASE._replace(radius=0.5)).tolist() == [6.0]


@given(st.floats(allow_nan=False), st.floats(0.01, 100.0))
def test_scaled_distance_is_within_its_limits_for_any_reach(reach, apart):
    far, = scaled([reach], [apart], BASE)
    assert 0.66 * apart <= far <= 4.01 * apart


def course(rounds, value, *arguments):
    return list(accumulate(range(rounds), lambda value, _: decay(value, *arguments),
                           initial=value))


@pytest.mark.parametrize(('radius', 'found', 'gain'), [(7.0, 7.0, 0.5), (inf, 0.0, 0.0)])
def test_feedback_is_off_without_a_radius(radius, found, gain):
    p = parameters_of(RegionSettings(feedback_gain=0.5), COUNT, radius=radius,
                      link_range=inf, undecided='')
    assert (p.radius, p.gain, p.border) == (found, gain, -1)


def test_decay_by_a_step_stops_at_its_floor():
    assert course(4, 3.0, 1.0, 1.0, 0.75) == [3.0, 2.25, 1.5, 1.0, 1.0]


def test_decay_takes_the_factor_before_the_step():
    assert decay(8.0, 0.0, factor=0.5, step=1.0) == 3.0
