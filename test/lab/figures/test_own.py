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

"""Figures of any scenario's results."""

from pathlib import Path

from lab.figures.example_results import results
from leader_election.lab.analysis.statistics import estimate_mean
from leader_election.lab.figures.own import draw_over_time, draw_own
from leader_election.lab.figures.style import colours_of, FigureError
from leader_election.lab.runs.results import ResultError
import numpy as np
import pytest
import xarray as xr

TIMES = np.arange(1.0, 13.0)
VALUES = np.random.default_rng(0).uniform(0.1, 0.3, (2, 5, 12))


def made(vary: dict[str, list[float]] | None = None) -> xr.Dataset:
    values = VALUES.reshape(2, *(1 for _ in vary or ()), 5, 12)
    return results(['bounded', 'mine'], TIMES, 5, vary, instability=values, leaders=3, correct=3,
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
