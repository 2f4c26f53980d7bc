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

"""The figure of a device that crosses the border of a region."""

from lab.figures.example_results import results
from lab.figures.test_partition import snapshot
from leader_election.lab.figures.border import (
    changes_per_crossing,
    distances,
    draw_distance_below,
)
from leader_election.lab.figures.style import FigureError
import numpy as np
import pytest


def test_the_distance_of_the_moving_device_to_its_leader():
    # Device 5 walks along y = 0 away from 9, which it follows at first; it follows 7 only once.
    steps = [snapshot([leader, 7, 9], [[x, 0], [0, 40], [-3, 0]], ids=[5, 7, 9], time=float(x))
             for x, leader in ((0, 9), (1, 9), (2, 7), (3, 5), (4, 5), (5, 5))]
    assert distances(steps).tolist() == [3, 4, 5, 6, 7, 8]


def test_a_device_that_follows_no_other_has_no_distance():
    steps = [snapshot([0, 1], [[x, 0], [9, 0]]) for x in (0, 1)]
    with pytest.raises(FigureError, match='device 0'):
        distances(steps)


# The border, at 10 m, is crossed out, in, out, in; the first sample is the warm-up.
TO_AND_FRO = np.array([9.0, 9.0, 11.0, 9.0, 11.0, 9.0])


def test_changes_are_counted_from_crossing_to_crossing():
    """5 changes outside and 3 inside, twice; the time after the last crossing is left out."""
    changes = results(['bounded'], np.arange(1.0, 7.0), changes=[7, 0, 5, 3, 5, 3])
    assert changes_per_crossing(changes, TO_AND_FRO, 10.0).values == pytest.approx(4.0)
    # Not crossed often enough.
    assert np.isnan(changes_per_crossing(changes, TO_AND_FRO, 30.0)).all()


def test_the_distance_is_drawn_below_the_changes():
    times = np.arange(1.0, 7.0)
    figure = draw_distance_below(
        results(['bounded', 'classic'], times, changes=[7, 0, 5, 3, 5, 3]), times, TO_AND_FRO,
        10.0)
    *rows, below = figure.axes
    assert [axes.texts[0].get_text() for axes in rows] == [
        'bounded\n4 changes a crossing', 'classic\n4 changes a crossing']
    distance, radius = below.get_lines()
    assert distance.get_ydata().tolist() == TO_AND_FRO.tolist()
    assert radius.get_ydata() == [10.0, 10.0]
