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

"""Figures of regions: the axes show the given values."""

from lab.analysis.test_claims import ALPHAS, CHANCES, LATE, made, TIMES
from lab.figures.example_results import results
from leader_election.lab.figures.coordination2019 import (
    collecting_algorithms,
    draw_collections,
    draw_evenness,
    draw_loads,
    draw_served,
)
from leader_election.lab.figures.style import FigureError
import numpy as np
import pytest

LABELS = ['no feedback', 'alpha 0.01', 'alpha 1']


def test_users_served_over_time():
    dataset = made(counted=np.where(LATE, 90.0, 100.0), present=100.0)
    calm = draw_served(dataset, 'bounded', failing=False).axes
    rough = draw_served(dataset, 'bounded').axes
    # A row for each number of users; a column for each chance above 0, or for the chance 0.
    assert len(calm) == 2 and len(rough) == 2 * (len(CHANCES) - 1)
    assert (calm[0].get_title(), rough[0].get_title()) == ('chance 0', 'chance 1')
    for axes in (*calm, *rough):
        *curves, failure = axes.get_lines()
        assert [line.get_label() for line in curves] == LABELS
        assert failure.get_xdata() == [600.0, 600.0]
        for line in curves:
            assert line.get_xdata().tolist() == TIMES.tolist()
            assert line.get_ydata() == pytest.approx(np.where(LATE, 90.0, 100.0))
    # Oscillating curves are drawn behind the others.
    orders = [line.get_zorder() for line in calm[0].get_lines()[:-1]]
    assert orders == sorted(orders, reverse=True)


def test_loads_over_time_are_those_of_the_middle_number_of_users():
    panels = draw_loads(made(), 'bounded').axes
    assert len(panels) == 2 * len(CHANCES)
    for axes, height in zip(panels, [100.0] * 2 + [50.0] * 2):
        assert axes.get_lines()[1].get_ydata() == pytest.approx(height)


def test_the_variation_of_loads_against_alpha():
    figure = draw_evenness(made(), 'bounded')
    assert [axes.get_title() for axes in figure.axes] == ['before leaders fail', 'after, chance 1']
    for axes in figure.axes:
        assert [line.get_label() for line in axes.get_lines()] == ['100 users', '1000 users']
        for line in axes.get_lines():
            assert line.get_ydata() == pytest.approx([1.0, 0.5, 2.0])
        assert [text.get_text() for text in axes.get_xticklabels()] == [
            f'{alpha:g}' for alpha in ALPHAS]


def test_an_algorithm_without_results_is_an_error():
    with pytest.raises(FigureError, match='^there are no results of classic; lab run example'):
        draw_loads(made())


def test_collection_methods_are_recognised_by_labels():
    labels = ['bounded-tree', 'bounded-multi-path', 'bounded-gossip', 'colour-tree',
              'colour-multi-path', 'colour-gossip']
    counted = np.reshape([90.0, 100.0, 140.0, 60.0, 80.0, 100.0], (6, 1, 1, 1))
    dataset = results(labels, TIMES, 2, {'messages.loss': [0.0, 0.2]}, counted=counted,
                      present=100.0)
    assert collecting_algorithms(dataset) == ['bounded', 'colour']
    panels = draw_collections(dataset).axes
    assert [axes.get_title() for axes in panels] == [
        'part of messages lost: 0', 'part of messages lost: 0.2']
    for axes in panels:
        [image] = axes.get_images()
        assert image.get_array().tolist() == [
            pytest.approx(line) for line in ([0.1, 0.0, 0.4], [0.4, 0.2, 0.0])]
        assert [text.get_text() for text in axes.texts] == [
            '10.0%\n(-10.0%)', '0.0%\n(+0.0%)', '40.0%\n(+40.0%)', '40.0%\n(-40.0%)',
            '20.0%\n(-20.0%)', '0.0%\n(+0.0%)']
