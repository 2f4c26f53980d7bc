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
"""Collection by hand: what each way hands on, on networks small enough to look at."""

from math import inf
from typing import Any, NamedTuple

from election.regions.regions import columns
from leader_election.election.algorithms.fields import NOBODY
from leader_election.election.regions.collection import (
    ADD,
    collect_contributions,
    collect_multi_path,
    collect_tree,
    gather_contributions,
    LATE,
    LEAST,
    LEAST_WEIGHT,
    RANKED,
    shares_of,
    SummaryLayout,
    weight,
)
import pytest

BOTH = SummaryLayout((ADD, LEAST), (0, 1, 2), (0, 0))
"""A count and a least number."""
ONE = SummaryLayout((LEAST,), (0, 1), (0,))


def test_tree_sums_children_of_any_region():
    """Two of three neighbours name robot 7 as their parent. Another robot leads one of them."""
    said = columns({'parent': 7, 'leader': 1, 'summary': (2.0, 30.0)},
                   {'parent': 8, 'leader': 1, 'summary': (40.0, 1.0)},
                   {'parent': 7, 'leader': 2, 'summary': (3.0, 20.0)})
    found = collect_tree(7, (1.0, 25.0), said, [1.0, 1.0, 1.0], BOTH)
    assert list(found) == [6.0, 20.0]
    assert list(collect_tree(7, (1, 25), columns({'parent': 7, 'summary': (0.5, 20.5)}), [1.0],
                             BOTH)) == [1.5, 20.5]
    # Columns may be longer than there are neighbours.
    assert list(collect_tree(7, (1.0, 25.0), said, [1.0], BOTH)) == [3.0, 25.0]
    assert list(collect_tree(7, (1.0, 25.0), said, [], BOTH)) == [1.0, 25.0]


@pytest.mark.parametrize(('apart', 'drop', 'link_range', 'expected'), [
    (1.0, 1.0, 2.0, 0.5 + LEAST_WEIGHT),
    (2.0, 1.0, 2.0, LEAST_WEIGHT),
    (9.0, 1.0, 2.0, LEAST_WEIGHT),      # Out of range, but heard: still the least.
    (1.0, 0.25, 2.0, 0.25 * (0.5 + LEAST_WEIGHT)),
    (1.0, 0.25, inf, 0.25),
    (LATE, 0.25, inf, 0.25 * LEAST_WEIGHT ** 2),
    (inf, 0.25, inf, 0.25 * LEAST_WEIGHT ** 2),
])
def test_weight_falls_with_distance_and_grows_with_the_drop(apart, drop, link_range, expected):
    assert weight(apart, drop, link_range) == expected


def test_shares_are_split_by_weight():
    """Downhill by 3 m and by 1 m, without a range: three quarters and one."""
    said = columns({'device': 1, 'leader': 0, 'distance': 1.0},
                   {'device': 2, 'leader': 0, 'distance': 3.0})
    assert list(shares_of(0, 4.0, said, [3.0, 3.0], inf, 2)[1]) == [0.75, 0.25]
    # With a range of 4 m: a quarter of it left, against three, and the least for both.
    near, far = 1.0 * (0.75 + LEAST_WEIGHT), 3.0 * (0.25 + LEAST_WEIGHT)
    assert list(shares_of(0, 4.0, said, [3.0, 1.0], 4.0, 2)[1]) == pytest.approx(
        [far / (near + far), near / (near + far)])


@pytest.mark.parametrize(('drops', 'expected'), [((1.0, 1.0, 1.0), [0, 1]),
                                                  ((1.0, 1.0, 2.0), [2, 1])])
def test_first_of_equal_parents_is_kept_or_else_replaced(drops, expected):
    said = columns(*({'device': i, 'leader': 0, 'distance': 8.0 - drop}
                     for i, drop in enumerate(drops)))
    assert list(shares_of(0, 8.0, said, [1.0] * 3, inf, 2)[0]) == expected


@pytest.mark.parametrize('drops', [
    (1.0, 3.0, 2.0, 6.0), (3.0, 1.0, 6.0, 2.0), (6.0, 3.0, 2.0, 1.0), (2.0, 1.0, 0.5, 3.0),
    (3.0, 2.0, 0.5, 6.0)])
def test_two_heaviest_parents_get_shares_in_any_order(drops):
    """Behind neighbours of another region, of the same distance, and out of range."""
    others = [{'leader': 5, 'distance': 1.0}, {'leader': 0, 'distance': 8.0},
              {'leader': 0, 'distance': 1.0}]
    said = columns(*({'device': 9, **each} for each in others), *(
        {'device': i, 'leader': 0, 'distance': 8.0 - drop} for i, drop in enumerate(drops)))
    recipients, shares = shares_of(0, 8.0, said, [1.0, 1.0, inf] + [1.0] * 4, inf, 2)
    heaviest = sorted(drops)[2:]
    assert dict(zip(recipients, shares)) == pytest.approx(
        {drops.index(drop): drop / sum(heaviest) for drop in heaviest})


@pytest.mark.parametrize('wrong', [
    {'leader': 5, 'distance': 1.0},       # Of another region.
    {'leader': 0, 'distance': 2.0},       # No nearer.
    {'leader': 0, 'distance': -1.0},      # Nearer than the leader itself.
    {'leader': 0, 'distance': -inf},
    {'leader': 0, 'distance': inf},
])
def test_neighbour_gets_no_share_when_of_another_region_or_not_nearer(wrong):
    recipients, shares = shares_of(0, 2.0, columns({'device': 1, **wrong}), [1.0], inf, 2)
    assert list(recipients) == [NOBODY] * 2 and list(shares) == [0.0] * 2


def test_device_without_a_distance_sends_its_sums_to_nobody():
    said = columns({'device': 1, 'leader': 0, 'distance': 1.0})
    assert list(shares_of(0, inf, said, [1.0], inf, 2)[0]) == [NOBODY, NOBODY]


def test_neighbour_out_of_range_gets_no_share_and_its_share_is_used():
    """
    Device 1, downhill, and 2, uphill, are out of range.

    Device 1 gets nothing, and the half of 2 is used.
    """
    said = columns({'device': 1, 'distance': 1.0},
                   {'device': 2, 'distance': 3.0, 'recipients': (9, NOBODY), 'shares': (0.5, 0.0),
                    'summary': (4.0,)})
    recipients, shares = shares_of(0, 2.0, said, [inf, inf], 3.0, 2)
    assert list(recipients) == [NOBODY] * 2 and list(shares) == [0.0] * 2
    count = SummaryLayout([ADD], [0, 1], [0])
    assert list(collect_multi_path(9, 0, 2.0, (1.0,), said, [inf, inf], count)) == [3.0]


def test_multi_path_scales_sums_and_keeps_idempotent_parts():
    """Robot 1 is at 1 m. The first two of the four neighbours are uphill."""
    said = columns(
        # Names it with a half.
        {'leader': 0, 'distance': 2.0, 'recipients': (2, 1), 'shares': (0.5, 0.5),
         'summary': (4.0, 30.0)},
        # Has another heir, but is uphill: what is idempotent counts.
        {'leader': 0, 'distance': 3.0, 'recipients': (2, -1), 'shares': (1.0, 0.0),
         'summary': (9.0, 20.0)},
        # No farther away from the leader.
        {'leader': 0, 'distance': 1.0, 'recipients': (2, -1), 'shares': (1.0, 0.0),
         'summary': (9.0, 10.0)},
        # Named it as an heir, and then went over to another region: what was on its way counts.
        {'leader': 8, 'distance': 0.5, 'recipients': (1, -1), 'shares': (1.0, 0.0),
         'summary': (2.0, 25.0)})
    found = collect_multi_path(1, 0, 1.0, (1.0, 40.0), said, [1.0] * 4, BOTH)
    assert list(found) == [1.0 + 2.0 + 2.0, 20.0]


@pytest.mark.parametrize(('share', 'expected'), [
    (7.0, 3.0), (inf, 3.0), (-1.0, 1.0), (-inf, 1.0), (float('nan'), 1.0)])
def test_share_is_clipped_to_zero_and_one(share, expected):
    said = columns({'leader': 0, 'distance': 2.0, 'recipients': (1,), 'shares': (share,),
                    'summary': (2.0, 30.0)})
    found = collect_multi_path(1, 0, 1.0, (1.0, 40.0), said, [1.0], BOTH)
    assert list(found) == [expected, 30.0]


class Known(NamedTuple):
    """What is known by gossip."""

    members: list[int]
    ages: list[int]
    contributions: list[float]


def gossip(said: Any, size: int = 4, depth: int = 5, own: float = 70.0) -> Known:
    """Return the contributions that robot 7 knows, its own included, with all neighbours heard."""
    number = len(said.leader)
    found = gather_contributions(7, 0, (own,), said, [1.0] * number, ONE, size, depth)
    return Known(*(column.tolist() for column in found))


def teller(*known: tuple[int, int, float], leader: int = 0) -> dict[str, Any]:
    """Return a neighbour that knows whose offers, how old, and which."""
    members, ages, contributions = zip(*(known + ((-1, 0, inf),) * (4 - len(known))))
    return {'leader': leader, 'members': members, 'ages': ages, 'contributions': contributions}


def test_gossip_takes_the_youngest_contribution_of_each_member():
    said = columns(teller((1, 0, 10.0), (3, 2, 31.0), (7, 1, 0.0)),
                   teller((2, 0, 20.0), (3, 1, 30.0)))
    # One's own is one's own; 3's is as the second says, whose news of it is younger.
    assert gossip(said) == ([7, 1, 2, 3], [0, 1, 1, 2], [70.0, 10.0, 20.0, 30.0])
    # Robots whose ids are alike in their last bits are told apart.
    alike = columns(teller((64, 0, 1.0), (128, 1, 2.0), (256, 1, 3.0)),
                    teller((192, 0, 4.0), (64, 1, 0.0), (128, 1, 0.0), (256, 1, 0.0)))
    assert gossip(alike, 6) == (
        [7, 64, 192, 128, 256, -1], [0, 1, 1, 2, 2, 0], [70.0, 1.0, 4.0, 2.0, 3.0, inf])
    # In the other order of neighbours it is the same.
    said = columns(teller((2, 0, 20.0), (3, 1, 30.0)),
                   teller((1, 0, 10.0), (3, 2, 31.0), (7, 1, 0.0)))
    assert gossip(said) == ([7, 1, 2, 3], [0, 1, 1, 2], [70.0, 10.0, 20.0, 30.0])


def test_gossip_goes_on_after_a_contribution_that_it_leaves_out():
    said = columns(teller((2, 0, 20.0), leader=9), teller((1, 0, 10.0)),
                   teller((1, 1, 11.0), (3, 2, 30.0)))
    assert gossip(said) == ([7, 1, 3, -1], [0, 1, 3, 0], [70.0, 10.0, 30.0, inf])
    # There is no room for robot 5, and the news of robot 3 needs none.
    said = columns(teller((3, 2, 30.0)), teller((3, 1, 31.0), (5, 3, 50.0)))
    assert gossip(said, size=2) == ([7, 3], [0, 2], [70.0, 31.0])


def test_gossip_keeps_the_nearest_then_lowest_ids_when_room_is_short():
    said = columns(teller((1, 0, 10.0), (5, 3, 50.0), (6, 3, 60.0)), teller((2, 0, 20.0)))
    assert gossip(said, size=3) == ([7, 1, 2], [0, 1, 1], [70.0, 10.0, 20.0])
    # As near as another: the lower id, which also pushes out the higher.
    for order in (6, 5), (5, 6):
        said = columns(*(teller((robot, 0, 10.0 * robot)) for robot in order))
        assert gossip(said, size=2) == ([7, 5], [0, 1], [70.0, 50.0])
        assert gossip(said, size=1) == ([7], [0], [70.0])
    said = columns(teller((1, 0, 10.0)), teller((9, 0, 90.0)), teller((5, 0, 50.0)))
    assert gossip(said, size=3) == ([7, 1, 5], [0, 1, 1], [70.0, 10.0, 50.0])


def test_gossip_finds_room_for_as_many_robots_as_neighbours_know():
    said = columns(*(teller(*((10 * j + k, k, 1.0) for k in range(4))) for j in range(1, 5)))
    assert gossip(said, size=17).members == [
        7, *(10 * j + k for k in range(4) for j in range(1, 5))]


def test_gossip_gives_no_room_to_a_robot_without_contribution():
    said = columns(teller((7, 1, 0.0), (3, 2, 30.0)), teller((2, 0, 20.0), (1, 0, 10.0)))
    assert gossip(said, own=inf) == ([1, 2, 3, -1], [1, 1, 3, 0], [10.0, 20.0, 30.0, inf])
    assert gossip(said, size=1, own=inf) == ([1], [1], [10.0])
    assert gossip(said, size=2, own=inf) == ([1, 2], [1, 1], [10.0, 20.0])
    assert gossip(columns(), own=inf).members == [-1] * 4


@pytest.mark.parametrize('known', [
    teller((1, 0, 10.0), leader=9), teller((1, 4, 10.0)),
    *(teller((1, age, 10.0)) for age in (-1, -2 ** 62, 2 ** 62))])
def test_gossip_ignores_other_regions_and_invalid_ages(known):
    assert gossip(columns(known), depth=4).members == [7, -1, -1, -1]
    assert gossip(columns(teller((1, 3, 10.0))), depth=4).members == [7, 1, -1, -1]


def test_known_contributions_are_combined_with_the_own_one():
    found = collect_contributions(7, [7, 1, 2, -1], [0.0, 0.0, 1.0, 30.0, 2.0, 20.0, inf, inf],
                                  (1.0, 40.0), BOTH)
    # One's own row is what one offers, whatever is in its place.
    assert list(found) == [4.0, 20.0]
    # Records of each, the least keys first.
    ranked = SummaryLayout((RANKED,), (0, 4), (2,))
    known = [*[0.0] * 4, 3.0, 1.0, 4.0, 11.0, 1.0, 2.0, inf, inf]
    found = collect_contributions(7, [7, 1, 2], known, (2.0, 7.0, inf, inf), ranked)
    assert list(found) == [1.0, 2.0, 2.0, 7.0]
    # What stands in an empty place does not count.
    assert list(collect_contributions(7, [-1, 2], [5.0] * 4, (1.0, 40.0), BOTH)) == [1.0, 40.0]
    # Who has nothing to offer is not among them.
    assert list(collect_contributions(7, [1, -1], [1.0, 30.0, inf, inf], (0.0, inf), BOTH)) == [
        1.0,
        30.0,
    ]
