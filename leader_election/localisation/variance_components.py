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

"""
Components of variance: the contributions of several sources of noise to errors.

The covariance of each error is a sum of known matrices, each times one unknown variance. Maximum
likelihood by Fisher scoring (C. R. Rao, J. Kleffe, Estimation of Variance Components, 1988);
outliers are left out by a gate, whose effect on the rest is corrected for. Intervals by bootstrap
over blocks (H. Kunsch, Ann. Stat. 1989), since successive errors are not independent.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MEDIANS = (0.0, 0.455, 1.386, 2.366)
"""Medians of chi-square, by degrees of freedom."""
GATES = (0.0, 10.83, 13.82, 16.27)
"""99.9 % quantiles of chi-square."""
SHRUNK = (1.0, 0.98838, 0.99310, 0.99488)
"""The factor by which the gate reduces the variance of normal errors."""
ITERATIONS, SWEEPS = 60, 60
ENOUGH, ENOUGH_RESAMPLED = 1e-4, 2e-3
"""The relative changes of deviations at which iterations end."""
STEP = 16.0
"""The greatest factor by which a variance falls in one iteration."""
LEAST = 1e-6
"""The fraction of its first value below which a deviation counts as 0."""

RESAMPLES = 100
CONFIDENCE = 0.95


class Components(NamedTuple):
    """The result of :func:`fit`."""

    deviations: Array
    """The standard deviation of each source, shape (p,)."""
    outliers: NDArray[np.bool_]
    """Which errors were left out, shape (n,), bool."""


class Bounds(NamedTuple):
    """The result of :func:`intervals`: bounds of the deviations, shape (p,) each."""

    lower: Array
    upper: Array


def fit(errors: Array, sources: Array, start: Array, fixed: NDArray[np.bool_],
        weights: Array | None = None, restart: bool = True,
        enough: float = ENOUGH) -> Components:
    """
    Return the deviations that make the errors most likely.

    :param errors: shape (n, k), k from 1 to 3, with expectation 0.
    :param sources: the covariance of each error for a unit of each source, shape (n, p, k, k).
    :param start: deviations to start with, shape (p,), positive.
    :param fixed: which of them are known, shape (p,).
    :param weights: how often each error counts, shape (n,); by default once.
    :param restart: whether ``start`` is only a guess, which is first scaled to the errors' median.
    :param enough: the relative change of deviations at which iterations end.

    >>> rng = np.random.default_rng(1)
    >>> errors = np.concatenate((0.5 * rng.normal(size=(900, 1)), np.full((100, 1), 40.0)))
    >>> found = fit(errors, np.ones((1000, 1, 1, 1)), np.array((3.0,)), np.array((False,)))
    >>> round(float(found.deviations[0]), 1), round(float(found.outliers.mean()), 2)
    (0.5, 0.1)
    """
    n, p, k = sources.shape[:3]
    each = np.ones(n) if weights is None else weights
    # One row for each element of each covariance.
    rows = np.ascontiguousarray(np.moveaxis(sources, 1, 3)).reshape(n * k * k, p)
    variances = np.square(start)
    if restart:
        distances = _normalise(errors, rows, variances)[0]
        scale = max(float(np.median(distances)), 1e-12) / MEDIANS[k]
        variances = np.where(fixed, variances, variances * scale)
    floor = np.square(LEAST) * variances
    inside = np.ones(n, dtype=bool)
    for _ in range(ITERATIONS):
        distances, inverses, scaled = _normalise(errors, rows, variances)
        inside = distances <= GATES[k]
        counted = np.where(inside, each, 0.0)
        # tr(S^-1 M_p S^-1 M_q), and y' M_p y with y = S^-1 e.
        turned = (inverses[:, np.newaxis] @ sources).reshape(n, p, k * k)
        across = np.swapaxes(turned.reshape(n, p, k, k), 2, 3).reshape(n, p, k * k)
        information = np.einsum('nps,nqs->pq', turned * counted[:, np.newaxis, np.newaxis],
                                across, optimize=True)
        squares = (scaled[:, :, np.newaxis] * scaled[:, np.newaxis, :]
                   * counted[:, np.newaxis, np.newaxis])
        explained = squares.reshape(-1) @ rows / SHRUNK[k]
        new = _least_squares(information, explained, variances, fixed)
        new = np.where(fixed, variances, np.maximum(np.maximum(new, variances / STEP), floor))
        change = np.abs(np.sqrt(new) - np.sqrt(variances))
        variances = new
        if np.all(change <= enough * (np.sqrt(variances) + 0.01 * start)):
            break
    deviations = np.where(variances <= floor, 0.0, np.sqrt(variances))
    return Components(np.where(fixed, start, deviations), ~inside)


def intervals(errors: Array, sources: Array, blocks: NDArray[np.int64], start: Array,
              fixed: NDArray[np.bool_], seed: int = 0) -> Bounds:
    """
    Return bounds that contain the deviations with a probability of 95 %.

    :param blocks: the number of the block that each error belongs to, shape (n,), from 0 on.
    :param start: the deviations by :func:`fit`.
    :param seed: of the choice of blocks.
    """
    rng = np.random.default_rng(seed)
    number = int(blocks.max()) + 1
    first = np.maximum(start, 0.01 * float(start.max()))
    drawn = np.array([
        fit(errors, sources, np.where(fixed, start, first), fixed, np.bincount(
            rng.integers(number, size=number), minlength=number)[blocks].astype(float),
            restart=False, enough=ENOUGH_RESAMPLED).deviations
        for _ in range(RESAMPLES)])
    beyond = 0.5 * (1.0 - CONFIDENCE)
    return Bounds(np.quantile(drawn, beyond, axis=0), np.quantile(drawn, 1.0 - beyond, axis=0))


def _normalise(errors: Array, rows: Array, variances: Array) -> tuple[Array, Array, Array]:
    """Return squared normalised errors (n,), inverse covariances, and errors times these."""
    n, k = errors.shape
    # Where nothing moved a covariance is next to zero.
    covariances = (rows @ variances).reshape(n, k, k) + 1e-15 * np.eye(k)
    inverses = np.linalg.inv(covariances).astype(np.float64, copy=False)
    scaled = (inverses @ errors[:, :, np.newaxis])[:, :, 0]
    squares: Array = np.einsum('ni,ni->n', errors, scaled)
    return squares, inverses, scaled


def _least_squares(information: Array, explained: Array, variances: Array,
                   fixed: NDArray[np.bool_]) -> Array:
    """Return the variances, none negative, at which the score is zero."""
    free = np.flatnonzero(~fixed & (np.diagonal(information) > 0.0))
    found: Array = variances.copy()
    matrix = information[np.ix_(free, free)]
    known = np.delete(np.arange(len(found)), free)
    right = explained[free] - information[np.ix_(free, known)] @ found[known]
    solved = np.linalg.lstsq(matrix, right, rcond=1e-12)[0]
    if (solved >= 0.0).all():
        found[free] = solved
        return found
    own = found[free]
    for _ in range(SWEEPS):
        for p in range(len(free)):
            residual = right[p] - matrix[p] @ own + matrix[p, p] * own[p]
            own[p] = max(residual / matrix[p, p], 0.0)
    found[free] = own
    return found
