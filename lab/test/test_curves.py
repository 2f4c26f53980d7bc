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

"""Figures over time and against varied keys, the map, and the figure that suits a scenario."""

from example_results import results
from leader_election_lab.analysis.measures import estimate_mean
from leader_election_lab.figures import (
    colours_of,
    draw_map,
    draw_over_time,
    draw_own,
    draw_sweep,
    most_stable,
    most_united,
    NO_WINNER,
)
from leader_election_lab.runs.files import ResultError
import numpy as np
import pytest
import xarray as xr

TIMES = np.arange(1.0, 61.0)


SHORT = np.arange(1.0, 13.0)
VALUES = np.random.default_rng(0).uniform(0.1, 0.3, (2, 5, 12))


def made(vary: dict[str, list[float]] | None = None) -> xr.Dataset:
    values = VALUES.reshape(2, *(1 for _ in vary or ()), 5, 12)
    return results(['bounded', 'mine'], SHORT, 5, vary, instability=values, leaders=3, correct=3,
                   mean_size=20).assign(message_bytes=(('algorithm', 'seed'), np.ones((2, 5))))


def test_figure_shows_curves_over_time_when_no_key_varies() -> None:
    [axes] = draw_own(made()).axes
    assert [line.get_label() for line in axes.get_lines()] == ['bounded', 'mine']
    assert axes.get_lines()[1].get_ydata() == pytest.approx(VALUES[1].mean(axis=0))
    _, high = axes.collections[1].get_paths()[0].get_extents().intervaly
    assert high == pytest.approx(max(estimate_mean(VALUES[1, :, k]).high for k in range(12)))
    # Over less than a decade the axis is linear.
    assert axes.get_yscale() == 'linear' and axes.get_ylabel() == 'instability'
    wide = made().assign(instability=made()['instability'] ** np.arange(1, 13))
    assert draw_own(wide).axes[0].get_yscale() == 'log'
    # Averages leave out the grey part: a sixth of 12 s.
    grey = axes.patches[0].get_extents().transformed(axes.transData.inverted())
    assert grey.width == pytest.approx(2.0)


def test_figure_of_another_measure_has_a_linear_scale() -> None:
    [axes] = draw_own(made(), 'led').axes
    # Three leaders of 20 devices each lead 60 of 100.
    assert axes.get_lines()[0].get_ydata() == pytest.approx(np.full(12, 0.6))
    assert axes.get_yscale() == 'linear' and axes.get_ylim() == (0.0, 1.02)
    with pytest.raises(ResultError, match="measure 'bytes' is one number of a whole run"):
        draw_own(made(), 'bytes')
    with pytest.raises(ResultError, match="measure 'nix' is not allowed"):
        draw_own(made(), 'nix')


def test_one_seed_has_no_band_and_a_missing_algorithm_no_curve() -> None:
    alone = made().isel(seed=[0])
    alone['instability'][1] = np.nan
    [axes] = draw_over_time(alone, 'instability').axes
    assert [line.get_label() for line in axes.get_lines()] == ['bounded']
    assert not axes.collections[0].get_paths()


def test_two_keys_make_a_map_and_with_a_measure_a_column_for_each_value() -> None:
    both = {'messages.loss': [0.0, 0.5], 'motion.speed': [1, 2, 3]}
    assert len(draw_own(made(both)).axes[0].images) == 1
    assert len(draw_own(made(both), 'leaders').axes) == 3


def test_algorithms_in_one_figure_differ_in_colour() -> None:
    labels = ['bounded', 'resilient', 'resilient-2', *(f'own {k}' for k in range(9))]
    colours = colours_of(labels)
    # The first three have fixed colours, the same one for the latter two.
    assert len({colours[label] for label in labels[:2] + labels[3:]}) == 11


LOSS = {'messages.loss': [0.0, 0.2, 0.6]}
PLACES = {'messages.loss': [0.0, 0.2], 'motion.speed': [1, 5]}
SIX = np.arange(1.0, 7.0)


def test_sweep_draws_averages_over_time_against_the_varied_key():
    # After the first sixth, which is 9, there is 0.1 for no loss, 0.2 and 0.4.
    after = np.reshape([0.1, 0.2, 0.4], (3, 1, 1))
    # 4 leaders, of which 3 lead themselves. Each of these has 30, 20, 10 of the 100 devices.
    sizes = np.reshape([30, 20, 10], (3, 1, 1))
    dataset = results(['bounded', 'classic'], SIX, 2, LOSS, leaders=4, correct=3,
                      mean_size=sizes, instability=np.where(SIX <= 1, 9.0, after))
    panels = draw_own(dataset).axes
    expected = [[0.1, 0.2, 0.4], [0.9, 0.6, 0.3], [4, 4, 4]]
    assert len(panels) == 3
    for axes, values in zip(panels, expected):
        assert [line.get_label() for line in axes.get_lines()] == ['bounded', 'classic']
        for line in axes.get_lines():
            assert line.get_xdata().tolist() == LOSS['messages.loss']
            assert line.get_ydata() == pytest.approx(values)
    assert panels[-1].get_xlabel() == 'part of messages lost'
    assert len(draw_own(dataset, 'leaders').axes) == 1


def test_values_that_are_no_numbers_are_drawn_side_by_side():
    dataset = results(['bounded'], SIX, 2, {'messages.delay': ['[0, 0]', '[0, 3]']},
                      instability=0.1, leaders=1)
    axes = draw_sweep(dataset).axes[-1]
    assert axes.get_lines()[0].get_xdata().tolist() == [0, 1]
    assert [text.get_text() for text in axes.get_xticklabels()] == ['[0, 0]', '[0, 3]']


def test_scenario_without_varied_keys_is_no_sweep():
    with pytest.raises(ResultError, match='example varies nothing'):
        draw_sweep(results(['bounded'], SIX))


def contest():
    """
    Return three algorithms that make regions at four places, and two that elect one leader.

    Rows are losses, columns speeds; of 100 devices

    - a has 0.10 everywhere, and 10 leaders of 9 devices each, 90 led in all;
    - b has 0.08, 0.20 / 0.08, 0.20, and 90 led;
    - c has 0.04 everywhere, and 70 led, but at (0, 5) 80, which is just allowed;
    - at (0.2, 5) each has 50 led;
    - colour has 60 behind one leader, resilient has 70, 50 / 50, 50.
    """
    instability = np.reshape([
        [[0.10, 0.10], [0.10, 0.10]], [[0.08, 0.20], [0.08, 0.20]], [[0.04, 0.04], [0.04, 0.04]],
        [[0.01, 0.01], [0.01, 0.01]], [[0.02, 0.02], [0.02, 0.02]]], (5, 2, 2, 1, 1))
    size = np.reshape([
        [[9, 9], [9, 5]], [[9, 9], [9, 5]], [[7, 8], [7, 5]],
        [[6, 6], [6, 6]], [[9, 9], [9, 9]]], (5, 2, 2, 1, 1))
    largest = np.reshape([
        [[20, 20], [20, 20]], [[20, 20], [20, 20]], [[20, 20], [20, 20]],
        [[60, 60], [60, 60]], [[70, 50], [50, 50]]], (5, 2, 2, 1, 1))
    return results(['a', 'b', 'c', 'colour', 'resilient'], SIX, 8, PLACES, correct=10,
                   instability=instability, mean_size=size, largest_size=largest)


def test_winner_has_the_least_instability_among_those_with_enough_devices_led():
    regions = contest().sel(algorithm=['a', 'b', 'c'])
    best = most_stable(regions).transpose('messages.loss', 'motion.speed')
    assert best['winner'].values.tolist() == [['b', 'c'], ['b', NO_WINNER]]
    assert best['instability'].values == pytest.approx(
        np.array([[0.08, 0.04], [0.08, np.nan]]), nan_ok=True)
    # 0.08 is a fifth less than 0.10; 0.04 is three fifths less.
    assert best['margin'].values == pytest.approx(
        np.array([[0.2, 0.6], [0.2, np.nan]]), nan_ok=True)
    assert best['led'].values == pytest.approx(np.array([[0.9, 0.8], [0.9, np.nan]]), nan_ok=True)
    # At (0, 1) c is stabler than b, but has too few led.
    assert not best['chance'].any()
    assert np.isnan(most_stable(regions.sel(algorithm=['a']))['margin']).all()
    assert len(draw_map(regions).axes) == 1


def test_two_algorithms_without_instability_tie():
    best = most_stable(results(['a', 'b'], SIX, 2, PLACES, correct=10, mean_size=10))
    assert (best['winner'] == 'a').all() and (best['margin'] == 0.0).all()


def test_winner_among_one_leader_algorithms_has_the_most_followers():
    best = most_united(contest().sel(algorithm=['colour', 'resilient'])).transpose(
        'messages.loss', 'motion.speed')
    assert best['winner'].values.tolist() == [['resilient', 'colour'], ['colour', 'colour']]
    assert best['led'].values == pytest.approx(np.array([[0.7, 0.6], [0.6, 0.6]]))
    assert best['instability'].values == pytest.approx(np.array([[0.02, 0.01], [0.01, 0.01]]))


def test_lead_within_chance_is_marked():
    """
    The winner a has 0.10 in all four seeds. Paired by seed, it leads in the mean by 0.01.

    At (0, 1) b is 0.10, 0.12, 0.10, 0.12: leads 0, 0.02, 0, 0.02, deviation 0.01155, error
    0.00577, t = 1.73. At (0.2, 1) it is 0.105, 0.115, 0.105, 0.115: t = 3.46, and the quantile is
    3.18. At (0, 5) both are equal, at (0.2, 5) all seeds are, which are too few.
    """
    b = np.array([[[0.10, 0.12, 0.10, 0.12], [0.10] * 4], [[0.105, 0.115] * 2, [0.11] * 4]])
    instability = np.stack([np.full((2, 2, 4), 0.10), b])[..., np.newaxis]
    drawn = results(['a', 'b'], SIX, 4, PLACES, correct=10, mean_size=10, instability=instability)
    best = most_stable(drawn).transpose('messages.loss', 'motion.speed')
    assert (best['winner'] == 'a').all()
    assert best['chance'].values.tolist() == [[True, True], [False, True]]
    [axes] = draw_map(drawn).axes
    assert sorted(patch.get_xy() for patch in axes.patches) == [
        (-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)]
    # One seed gives no standard error. A single algorithm needs no lead.
    assert most_stable(drawn.isel(seed=[0]))['chance'].all()
    assert not most_stable(drawn.sel(algorithm=['a']))['chance'].any()


def test_lead_in_followers_within_chance_is_marked():
    # Colour has 50 or 60 of 100, resilient 50: leads 0, 0.1 with t = 1.58; or 60 always.
    largest = np.stack([np.full((2, 2, 6), 50), np.broadcast_to(
        np.reshape([[50, 60, 50, 60, 50, 50], [60] * 6], (2, 1, 6)), (2, 2, 6))])[..., np.newaxis]
    best = most_united(results(['resilient', 'colour'], SIX, 6, PLACES, largest_size=largest))
    best = best.transpose('messages.loss', 'motion.speed')
    assert (best['winner'] == 'colour').all()
    assert best['chance'].values.tolist() == [[True, True], [False, False]]


def test_map_shows_winners_by_colour_and_text():
    above, below = draw_map(contest()).axes
    # Across: losses; up: speeds.
    pixels = above.images[0].get_array()
    tints = colours_of(contest()['algorithm'].values.tolist())
    assert len(set(tints.values())) == 5
    assert pixels[:, :, :3].tolist() == [
        [list(tints['b']), list(tints['b'])],
        [list(tints['c']), [0.88, 0.88, 0.88]]]
    texts = {text.get_position(): text.get_text() for text in above.texts}
    assert texts == {
        (0, 0): '0.080 ± 0.000\nwins by 20%\n90% led',
        (1, 0): '0.080 ± 0.000\nwins by 20%\n90% led',
        (0, 1): '0.040 ± 0.000\nwins by 60%\n80% led', (1, 1): NO_WINNER}
    assert [label.get_text() for label in above.get_xticklabels()] == ['0.0', '0.2']
    assert [text.get_text() for text in below.texts] == [
        '70% ± 0% led\nwins, 0.020', *['60% ± 0% led\nwins, 0.010'] * 3]


def test_map_is_refused_without_two_keys():
    with pytest.raises(ResultError, match='these results have 1'):
        draw_map(results(['a'], SIX, 2, LOSS))
