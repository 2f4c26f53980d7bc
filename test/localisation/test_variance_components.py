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

"""Components of variance: found again where they are known."""

from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.localisation.variance_components import fit, intervals
import numpy as np
import pytest

FREE = np.array((False, False))


def two_sources(rng: np.random.Generator, deviations: tuple[float, float],
                n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return errors of one dimension, whose second source grows with a length."""
    lengths = rng.uniform(0.0, 5.0, n)
    sources = np.ones((n, 2, 1, 1))
    sources[:, 1, 0, 0] = lengths ** 2
    errors = np.hypot(deviations[0], deviations[1] * lengths) * rng.normal(size=n)
    return errors[:, np.newaxis], sources


@settings(max_examples=20)
@given(st.floats(0.05, 1.0), st.floats(0.05, 1.0), st.integers(0, 2**32 - 1))
def test_two_sources_are_told_apart(first: float, second: float, seed: int) -> None:
    errors, sources = two_sources(np.random.default_rng(seed), (first, second), 8000)
    found = fit(errors, sources, np.array((0.3, 0.3)), FREE).deviations
    # The smaller of both is found less well.
    total = np.hypot(first, 2.5 * second)
    assert np.hypot(found[0], 2.5 * found[1]) == pytest.approx(total, rel=0.06)
    assert abs(found[0] ** 2 - first ** 2) < 0.15 * total ** 2
    assert abs(found[1] ** 2 - second ** 2) < 0.03 * total ** 2


def test_a_single_source_is_the_root_mean_square() -> None:
    rng = np.random.default_rng(0)
    errors = rng.normal(size=(500, 1)).clip(-3.0, 3.0)
    found = fit(errors, np.ones((500, 1, 1, 1)), np.array((7.0,)), np.array((False,)))
    assert found.deviations[0] == pytest.approx(np.sqrt((errors ** 2).mean() / 0.98838), rel=1e-3)
    assert not found.outliers.any()


def test_a_known_source_stays() -> None:
    errors, sources = two_sources(np.random.default_rng(1), (0.2, 0.1), 4000)
    found = fit(errors, sources, np.array((0.2, 5.0)), np.array((True, False))).deviations
    assert found[0] == 0.2
    assert found[1] == pytest.approx(0.1, rel=0.1)


def test_a_source_that_is_not_there_is_zero() -> None:
    errors, sources = two_sources(np.random.default_rng(2), (0.3, 0.0), 3000)
    found = fit(errors, sources, np.array((0.3, 0.3)), FREE).deviations
    assert found[0] == pytest.approx(0.3, rel=0.05)
    assert found[1] < 0.03


def test_outliers_are_left_out_and_named() -> None:
    errors, sources = two_sources(np.random.default_rng(3), (0.2, 0.05), 1000)
    errors[::5] += 8.0
    found = fit(errors, sources, np.array((1.0, 1.0)), FREE)
    assert found.outliers[::5].all()
    assert found.outliers.mean() < 0.21
    assert found.deviations == pytest.approx([0.2, 0.05], abs=0.02)


def test_errors_twice_as_great_have_twice_the_deviations() -> None:
    errors, sources = two_sources(np.random.default_rng(4), (0.2, 0.1), 1000)
    start = np.array((0.1, 0.1))
    once = fit(errors, sources, start, FREE).deviations
    assert fit(2.0 * errors, sources, start, FREE).deviations == pytest.approx(2 * once, rel=1e-3)


def test_intervals_of_more_errors_are_shorter_and_of_copies_are_not() -> None:
    """Errors that belong together count as one block."""
    rng = np.random.default_rng(5)
    free = np.array((False,))
    widths = []
    for n, copies in ((50, 1), (800, 1), (50, 16)):
        errors = np.repeat(rng.normal(size=(n, 1)), copies, axis=0)
        sources = np.ones((n * copies, 1, 1, 1))
        found = fit(errors, sources, np.ones(1), free).deviations
        lower, upper = intervals(
            errors, sources, np.repeat(np.arange(n), copies), found, free)
        assert lower[0] <= found[0] <= upper[0]
        widths.append(float(upper[0] - lower[0]))
    assert widths[1] < 0.4 * widths[0]
    assert widths[2] > 0.6 * widths[0]
