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

"""Curves over time: the axes show the given values."""

from lab.figures.example_results import results
from leader_election.lab import published
from leader_election.lab.figures.curves import draw_instability, draw_leaders, LIMITS
from leader_election.lab.figures.style import colour_of
from matplotlib.colors import to_rgb
import numpy as np
import pytest

TIMES = np.arange(1.0, 61.0)


def lines(axes):
    """Return the lines on axes, by their labels."""
    return {line.get_label(): line for line in axes.get_lines()}


def test_the_mean_over_seeds_is_drawn_in_the_colour_of_its_algorithm():
    # Seeds at 0.2 and 0.4, deviation 0.1: the mean is 0.3, the band 0.2 to 0.4.
    dataset = results(['bounded', 'classic'], TIMES, 2,
                      instability=np.reshape([0.2, 0.4], (2, 1)))
    [axes] = draw_instability(dataset).axes
    assert set(lines(axes)) == {'bounded', 'classic'}
    for algorithm, line in lines(axes).items():
        assert line.get_xdata().tolist() == TIMES.tolist()
        assert line.get_ydata() == pytest.approx(0.3)
        assert to_rgb(line.get_color()) == colour_of(algorithm)
    [corners] = {tuple(np.unique(band.get_paths()[0].vertices[:, 1].round(9)))
                 for band in axes.collections}
    assert corners == (0.2, 0.4)
    assert axes.get_yscale() == 'log' and axes.get_ylim() == LIMITS


def test_the_band_ends_where_the_axis_does():
    # Mean 0.5, deviation 0.5: from 0, which a logarithmic axis does not have, to 1.
    dataset = results(['bounded'], TIMES, 2, instability=np.reshape([0.0, 1.0], (2, 1)))
    [axes] = draw_instability(dataset).axes
    heights = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == LIMITS


def test_published_means_are_drawn_dashed_in_the_colour_of_their_algorithm():
    reference = published.instability('acsos2022_random')
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


def test_missing_runs_do_not_count():
    dataset = results(['bounded'], TIMES, 3, instability=0.3)
    dataset['instability'].loc[{'seed': 2}] = np.nan
    figure = draw_instability(dataset)
    assert figure.axes[0].get_lines()[0].get_ydata() == pytest.approx(0.3)
    assert any(text.get_text().startswith('mean over 2 seeds') for text in figure.texts)


def test_the_leaders_of_the_algorithms_of_a_figure():
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
