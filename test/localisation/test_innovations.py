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

"""Statistics of innovations, by hand."""

import math

from leader_election.localisation.innovations import HALF_LIFE, InnovationStatistics, LONGEST_GAP
from leader_election.localisation.neighbourhood_filter import Innovation
import numpy as np
import pytest


def seen(error: float, observer: int = 1, accepted: bool = True) -> Innovation:
    return Innovation(observer, 2, error, math.nan, accepted)


def test_mean_mean_square_and_correlation() -> None:
    statistics = InnovationStatistics()
    for error in (1.0, 2.0, -1.0):
        statistics.take([seen(error)], 0.0)
    assert statistics.mean == pytest.approx(2.0 / 3.0)
    assert statistics.mean_square == 2.0
    assert statistics.correlation == pytest.approx((1.0 * 2.0 + 2.0 * -1.0) / 2.0 / 2.0)


def test_nothing_is_known_without_sightings() -> None:
    statistics = InnovationStatistics()
    statistics.take([seen(5.0, accepted=False), seen(math.nan)], 0.0)
    assert math.isnan(statistics.mean) and math.isnan(statistics.mean_square)
    assert math.isnan(statistics.correlation) and statistics.white


def test_pairs_are_compared_with_themselves_and_not_after_a_gap() -> None:
    statistics = InnovationStatistics()
    statistics.take([seen(1.0, 1), seen(-1.0, 3)], 0.0)
    statistics.take([seen(1.0, 1), seen(-1.0, 3)], 1.0)
    assert statistics.correlation == pytest.approx(1.0)
    later = InnovationStatistics()
    later.take([seen(1.0)], 0.0)
    later.take([seen(1.0)], LONGEST_GAP + 0.1)
    assert math.isnan(later.correlation)


def test_older_innovations_have_less_weight() -> None:
    statistics = InnovationStatistics()
    statistics.take([seen(1.0)], 0.0)
    statistics.take([seen(-1.0)], HALF_LIFE)
    assert statistics.mean == pytest.approx((0.5 - 1.0) / 1.5)


@pytest.mark.parametrize(('constant', 'white'), [(0.0, True), (0.7, False)])
def test_white_noise_is_told_from_a_constant_error(constant: float, white: bool) -> None:
    random = np.random.default_rng(1)
    statistics = InnovationStatistics()
    for k in range(500):
        statistics.take([seen(constant + random.normal())], float(k))
    assert statistics.white == white


def test_pairs_are_bounded() -> None:
    statistics = InnovationStatistics()
    statistics.take([Innovation(1, k, 1.0, math.nan, True) for k in range(5000)], 0.0)
    statistics.take([seen(1.0)], 1.0)
    assert len(statistics._last) <= 1001
