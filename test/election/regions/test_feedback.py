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
"""Feedback: where it comes to rest, and when it swings, worked out by hand."""

from itertools import accumulate
from math import inf, sqrt

from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.regions.collection import ADD, SummaryLayout
from leader_election.election.regions.pattern import decay, resized, scaled, smoothed
from leader_election.election.regions.region import (
    GRADIENT,
    parameters_of,
    RegionParameters,
    RegionSettings,
    TREE,
)
import pytest

BASE = RegionParameters(
    layout=SummaryLayout((ADD,), (0, 1), (0,)),
    collection=TREE,
    link_range=inf,
    gossip_depth=1,
    spreading=GRADIENT,
    border=-1,
    radius=10.0,
    alpha=0.01,
    target=4.0,
    gain=0.5,
    most=1.5,
    undecided='',
)


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
    p = parameters_of(RegionSettings(feedback_gain=0.5), BASE.layout, radius=radius,
                      link_range=inf, undecided='')
    assert (p.radius, p.gain, p.border) == (found, gain, -1)


def test_decay_by_a_step_stops_at_its_floor():
    assert course(4, 3.0, 1.0, 1.0, 0.75) == [3.0, 2.25, 1.5, 1.0, 1.0]


def test_decay_takes_the_factor_before_the_step():
    assert decay(8.0, 0.0, factor=0.5, step=1.0) == 3.0
