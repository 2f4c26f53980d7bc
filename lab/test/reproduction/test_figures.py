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

"""The figures of the papers, for results made by hand."""

from example_results import results
from leader_election.swarm.view.formatting import GONE
from leader_election_lab.simulation.run import Snapshot
import numpy as np
import pytest
import reproduction
from reproduction.figures import draw_instability, draw_leaders, draw_partitions, draw_snapshots
from small_scenario import row

TIMES = np.arange(1.0, 61.0)


def lines(axes):
    """Return the lines on axes, by their labels."""
    return {line.get_label(): line for line in axes.get_lines()}


def test_band_ends_at_0_and_1():
    # Of two seeds the interval exceeds both.
    dataset = results(['bounded'], TIMES, 2, instability=np.reshape([0.0, 1.0], (2, 1)))
    [axes] = draw_instability(dataset).axes
    heights = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (0.0, 1.0)


def test_published_means_are_drawn_dashed_in_the_colour_of_their_algorithm():
    reference = reproduction.instability('acsos2022_random')
    figure = draw_instability(results(['bounded', 'resilient-1'], TIMES), reference, early=True)
    whole, early = figure.axes
    for axes in (whole, early):
        found = lines(axes)
        assert set(found) == {'bounded', 'bounded, published', 'resilient-1'}
        dashed = found['bounded, published']
        assert dashed.get_xdata()[100] == 100.0 and dashed.get_ydata()[100] == 0.0538695
        assert dashed.get_linestyle() == '--'
        assert dashed.get_color() == found['bounded'].get_color()
        assert dashed.get_linewidth() < found['bounded'].get_linewidth()
    assert early.get_xlim() == (0.0, 40.0) and whole.get_xlim() == (0.0, 60.0)


def test_figure_of_leaders_has_its_algorithms_alone():
    # Named by two seeds: 5 and 7 up to round 20, then 1.
    named = np.where(TIMES <= 20, np.reshape([5.0, 7.0], (2, 1)), 1.0)
    runs = results(['resilient-2', 'resilient-3', 'colour'], TIMES, 2, named=named)
    runs['named'].loc[{'algorithm': 'colour'}] = 9.0
    [axes] = draw_leaders(('resilient-2', 'resilient-3'), {'resilient-2': 36.0}, runs).axes
    found = lines(axes)
    assert {'resilient, K = 2', 'resilient, K = 3'} <= set(found)
    assert 'colour (Datta et al.)' not in found
    for name in ('resilient, K = 2', 'resilient, K = 3'):
        assert found[name].get_ydata()[[0, 19, 20]].tolist() == [6.0, 6.0, 1.0]
    assert len(axes.collections) == 2
    # The published number is a line in the colour of its algorithm.
    [mark] = [line for line in axes.get_lines() if line.get_linestyle() == ':']
    assert mark.get_xdata() == [36.0, 36.0]
    assert mark.get_color() == found['resilient, K = 2'].get_color()
    # All have one leader from round 21 on: the axis ends soon after that.
    assert axes.get_xlim() == (0.0, pytest.approx(23.0))
    assert draw_leaders(('colour',), {}, runs).axes[0].get_xlim() == (0.0, 60.0)


def snapshot(leader, position, running=None, ids=None, pairs=(), time=0.0):
    """Return a snapshot. Ids count from 0 if they are not given."""
    ids = np.arange(len(leader)) if ids is None else np.asarray(ids)
    running = np.ones(len(ids), bool) if running is None else np.asarray(running)
    leader = np.asarray(leader)
    return Snapshot(time=time, id=ids, position=np.asarray(position, float), leader=leader,
                    is_leader=(leader == ids) & running, running=running,
                    pairs=np.asarray(pairs, np.int32).reshape(-1, 2))


def test_devices_have_the_colours_of_their_leaders():
    # 10 leads 11; 13 leads itself; 12 follows 99, which does not exist; 14 does not run.
    shown = snapshot([10, 10, 99, 13, 13], [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0]],
                     [True, True, True, True, False], [10, 11, 12, 13, 14], [[0, 1], [2, 3]])
    [axes] = draw_snapshots({'bounded': shown}, 'A title', 'seed 0').axes
    links, devices, leaders = axes.collections
    assert [segment.tolist() for segment in links.get_segments()] == [
        [[0, 0], [1, 0]], [[2, 0], [3, 0]]]
    assert devices.get_offsets().tolist() == [[1, 0], [2, 0], [4, 0]]
    assert leaders.get_offsets().tolist() == [[0, 0], [3, 0]]
    first, second = leaders.get_facecolor()[:, :3].tolist()
    assert first != second
    assert devices.get_facecolor()[:, :3].tolist() == [first, list(GONE), list(GONE)]
    assert axes.get_title() == 'bounded: 2 leaders'


def test_partitions_are_simulated_for_each_algorithm():
    four = row(4, 40, algorithms=[{'name': 'bounded', 'radius': 1000},
                                  {'name': 'bounded', 'label': 'near', 'radius': 10}])
    wide, near = draw_partitions(four).axes
    # Half-way all follow the strongest, 3. Within 10 m 3 leads 2, and 1 leads 0.
    assert wide.collections[2].get_offsets().tolist() == [[30, 0]]
    assert sorted(near.collections[2].get_offsets().tolist()) == [[10, 0], [30, 0]]
    assert len(wide.collections[0].get_segments()) == 3
