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

"""Figures over time, and the figure that suits a scenario."""

from pathlib import Path

from lab.figures.example_results import results
from leader_election.lab import published
from leader_election.lab.analysis.measures import estimate_mean
from leader_election.lab.figures import draw_instability, draw_leaders, LIMITS
from leader_election.lab.figures.curves import draw_over_time, draw_own
from leader_election.lab.figures.style import colour_of, colours_of, FigureError
from leader_election.lab.runs.results import ResultError
from matplotlib.colors import to_rgb
import numpy as np
import pytest
import xarray as xr

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


SHORT = np.arange(1.0, 13.0)
VALUES = np.random.default_rng(0).uniform(0.1, 0.3, (2, 5, 12))


def made(vary: dict[str, list[float]] | None = None) -> xr.Dataset:
    values = VALUES.reshape(2, *(1 for _ in vary or ()), 5, 12)
    return results(['bounded', 'mine'], SHORT, 5, vary, instability=values, leaders=3, correct=3,
                   mean_size=20).assign(message_bytes=(('algorithm', 'seed'), np.ones((2, 5))))


def test_without_varied_keys_it_is_a_curve_over_time_with_intervals() -> None:
    [axes] = draw_own(made()).axes
    assert [line.get_label() for line in axes.get_lines()] == ['bounded', 'mine']
    assert axes.get_lines()[1].get_ydata() == pytest.approx(VALUES[1].mean(axis=0))
    _, high = axes.collections[1].get_paths()[0].get_extents().intervaly
    assert high == pytest.approx(max(estimate_mean(VALUES[1, :, k]).high for k in range(12)))
    assert axes.get_yscale() == 'log' and axes.get_ylabel() == 'instability'
    # Averages leave out the grey part: a sixth of 12 s.
    grey = axes.patches[0].get_extents().transformed(axes.transData.inverted())
    assert grey.width == pytest.approx(2.0)


def test_other_measures_have_a_linear_scale() -> None:
    [axes] = draw_own(made(), 'led').axes
    # Three leaders of 20 devices each lead 60 of 100.
    assert axes.get_lines()[0].get_ydata() == pytest.approx(np.full(12, 0.6))
    assert axes.get_yscale() == 'linear' and axes.get_ylim() == (0.0, 1.02)
    with pytest.raises(FigureError, match="measure 'bytes' is one number of a whole run"):
        draw_own(made(), 'bytes')
    with pytest.raises(ResultError, match="measure 'nix' is not allowed"):
        draw_own(made(), 'nix')


def test_one_seed_has_no_band_and_a_missing_algorithm_no_curve() -> None:
    alone = made().isel(seed=[0])
    alone['instability'][1] = np.nan
    [axes] = draw_over_time(alone, 'instability').axes
    assert [line.get_label() for line in axes.get_lines()] == ['bounded']
    assert not axes.collections[0].get_paths()


def test_a_curve_against_a_varied_key() -> None:
    loss = {'messages.loss': [0.0, 0.5]}
    assert len(draw_own(made(loss)).axes) == 3
    [axes] = draw_own(made(loss), 'instability').axes
    average = VALUES[:, :, 2:].mean(axis=2)
    for line, of_seeds in zip(axes.get_lines(), average):
        assert line.get_xdata().tolist() == [0.0, 0.5]
        assert line.get_ydata() == pytest.approx(np.full(2, of_seeds.mean()))
    low, high = axes.collections[0].get_paths()[0].get_extents().intervaly
    assert (low, high) == pytest.approx(estimate_mean(average[0])[1:])
    assert axes.get_xlabel() == 'part of messages lost'


def test_two_keys_make_a_map_and_with_a_measure_a_column_for_each_value() -> None:
    both = {'messages.loss': [0.0, 0.5], 'motion.speed': [1, 2, 3]}
    assert len(draw_own(made(both)).axes[0].images) == 1
    assert len(draw_own(made(both), 'leaders').axes) == 3


def test_algorithms_in_one_figure_differ_in_colour() -> None:
    labels = ['bounded', 'resilient', 'resilient-2', *(f'own {k}' for k in range(9))]
    colours = colours_of(labels)
    # The first three have fixed colours, the same one for the latter two.
    assert len({colours[label] for label in labels[:2] + labels[3:]}) == 11


def test_the_figure_is_written(tmp_path: Path) -> None:
    out = tmp_path / 'own.png'
    draw_own(made()).savefig(out)
    assert out.stat().st_size > 10000
