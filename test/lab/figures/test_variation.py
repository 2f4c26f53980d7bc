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

"""Figures of what varies: sweeps and the map."""

from lab.figures.example import results
from leader_election.lab.figures.error import FigureError
from leader_election.lab.figures.map import draw_map, NOBODY, winners
from leader_election.lab.figures.style import colour_of
from leader_election.lab.figures.sweep import draw_sweep
import numpy as np
import pytest

LOSS = {'messages.loss': [0.0, 0.2, 0.6]}
PLACES = {'messages.loss': [0.0, 0.2], 'motion.speed': [1, 5]}
TIMES = np.arange(1.0, 7.0)


def test_a_sweep_draws_averages_over_time_against_what_varies():
    # After the first sixth, which is 9, there is 0.1 for no loss, 0.2 and 0.4.
    after = np.reshape([0.1, 0.2, 0.4], (3, 1, 1))
    dataset = results(['bounded', 'classic'], TIMES, 2, LOSS,
                      instability=np.where(TIMES <= 1, 9.0, after))
    [axes] = draw_sweep(dataset).axes
    assert [line.get_label() for line in axes.get_lines()] == ['bounded', 'classic']
    for line in axes.get_lines():
        assert line.get_xdata().tolist() == LOSS['messages.loss']
        assert line.get_ydata() == pytest.approx([0.1, 0.2, 0.4])
    assert axes.get_xlabel() == 'part of messages lost'


def test_what_is_no_number_stands_side_by_side():
    dataset = results(['bounded'], TIMES, 2, {'messages.delay': ['[0, 0]', '[0, 3]']},
                      instability=0.1)
    [axes] = draw_sweep(dataset).axes
    assert axes.get_lines()[0].get_xdata().tolist() == [0, 1]
    assert [text.get_text() for text in axes.get_xticklabels()] == ['[0, 0]', '[0, 3]']


def test_a_second_key_has_a_panel_for_each_value():
    values = np.reshape([[0.1, 0.2], [0.3, 0.4]], (2, 2, 1, 1))
    figure = draw_sweep(results(['bounded'], TIMES, 2, PLACES, instability=values))
    assert [axes.get_title() for axes in figure.axes] == [
        'speed of devices [m/s]: 1', 'speed of devices [m/s]: 5']
    assert [axes.get_lines()[0].get_ydata() for axes in figure.axes] == [
        pytest.approx([0.1, 0.3]), pytest.approx([0.2, 0.4])]


def test_what_varies_nothing_is_no_sweep():
    with pytest.raises(FigureError, match='example varies nothing'):
        draw_sweep(results(['bounded'], TIMES))


def contest():
    """
    Return three algorithms at four places.

    Rows are losses, columns speeds; 100 leaders are named by all.

    - a has 0.10 everywhere, and names 1 leader in 100 that is none;
    - b has 0.08, 0.20 / 0.08, 0.20, and 2 in 100;
    - c has 0.04 everywhere, and 30 in 100, but at (0, 5) only 5, which is just allowed;
    - at (0.2, 5) all name 50.
    """
    instability = np.reshape([[[0.10, 0.10], [0.10, 0.10]], [[0.08, 0.20], [0.08, 0.20]],
                              [[0.04, 0.04], [0.04, 0.04]]], (3, 2, 2, 1, 1))
    spurious = np.reshape([[[1, 1], [1, 50]], [[2, 2], [2, 50]], [[30, 5], [30, 50]]],
                          (3, 2, 2, 1, 1))
    return results(['a', 'b', 'c'], TIMES, 2, PLACES, instability=instability, named=100,
                   spurious=spurious)


def test_the_winner_has_the_least_instability_of_those_that_elect():
    won = winners(contest()).transpose('messages.loss', 'motion.speed')
    assert won['winner'].values.tolist() == [['b', 'c'], ['b', NOBODY]]
    assert won['instability'].values == pytest.approx(
        np.array([[0.08, 0.04], [0.08, np.nan]]), nan_ok=True)
    # 0.08 is a fifth less than 0.10; 0.04 is three fifths less.
    assert won['margin'].values == pytest.approx(
        np.array([[0.2, 0.6], [0.2, np.nan]]), nan_ok=True)
    assert won['spurious'].values == pytest.approx(
        np.array([[0.02, 0.05], [0.02, np.nan]]), nan_ok=True)


def test_who_elects_alone_has_no_margin():
    won = winners(contest().sel(algorithm=['a', 'c']))
    assert won['winner'].sel({'messages.loss': 0.0, 'motion.speed': 1}) == 'a'
    assert np.isnan(won['margin'].sel({'messages.loss': 0.0, 'motion.speed': 1}))
    assert np.isnan(winners(contest().sel(algorithm=['a']))['margin']).all()


def test_two_without_any_instability_are_as_good_as_each_other():
    won = winners(results(['a', 'b'], TIMES, 2, PLACES, named=1))
    assert (won['winner'] == 'a').all() and (won['margin'] == 0.0).all()


def test_the_map_shows_winners_by_colour_and_text():
    figure = draw_map(contest())
    [axes] = figure.axes
    # Across: losses; up: speeds.
    pixels = axes.images[0].get_array()
    assert pixels[:, :, :3].tolist() == [
        [list(colour_of('b')), list(colour_of('b'))],
        [list(colour_of('c')), [0.88, 0.88, 0.88]]]
    texts = {text.get_position(): text.get_text() for text in axes.texts}
    assert texts == {
        (0, 0): '0.08\n20% lower\n2.0% spurious', (1, 0): '0.08\n20% lower\n2.0% spurious',
        (0, 1): '0.04\n60% lower\n5.0% spurious', (1, 1): NOBODY}
    assert [label.get_text() for label in axes.get_xticklabels()] == ['0.0', '0.2']


def test_a_map_takes_two_keys():
    with pytest.raises(FigureError, match='these results have 1'):
        draw_map(results(['a'], TIMES, 2, LOSS))
