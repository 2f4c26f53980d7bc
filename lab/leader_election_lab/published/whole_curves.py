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
Whole curves of instability, compared with the published ones.

The largest difference of two mean curves is compared with the largest one that chance would make.
The interval is for the whole curve at once: 95 % of pairs of samples of one distribution stay
within it at all rounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from leader_election_lab.analysis import measures
import numpy as np
from scipy.special import ndtri, stdtrit  # type: ignore[import-untyped]
import xarray as xr

SAMPLES = 2000
"""The number of random curves that tell what chance makes."""
INSIDE, OUTSIDE = 'inside', '**outside**'


@dataclass(frozen=True)
class Curve:
    """The largest difference of a measured mean curve from the published one."""

    quantity: str
    difference: float
    """The measured mean less the published one, in the round in which they differ most."""
    at: float
    """That round."""
    chance: float
    """The largest difference in any round in 95 % of cases by chance, nan for a single seed."""
    met: None = None
    """A difference has no aim."""

    @property
    def inside(self) -> bool | None:
        """Return whether chance explains the difference, ``None`` for a single seed."""
        return None if np.isnan(self.chance) else bool(abs(self.difference) <= self.chance)

    def cells(self) -> tuple[str, ...]:
        """Return the row of a table, as :meth:`Number.cells` does."""
        verdict = '' if self.inside is None else INSIDE if self.inside else OUTSIDE
        chance = '' if np.isnan(self.chance) else f'chance: ± {self.chance:.2g}'
        return (self.quantity, f'{self.difference:+.2g} in round {self.at:g}', chance, '', '', '',
                '', verdict)


def largest_by_chance(curves: measures.Floats, seeds: int) -> float:
    """
    Return the largest difference of two mean curves that chance makes in 95 % of cases.

    Random weights of the seeds' deviations from their mean give random curves with the same
    spread, and the same dependence between rounds (multiplier bootstrap: V. Chernozhukov, D.
    Chetverikov, K. Kato, Annals of Statistics 41, 2013).

    :param curves: the measured curves, shape (seeds, rounds).
    :param seeds: the number of seeds of the other mean curve, of the same spread.
    """
    count = len(curves)
    if count < 2:
        return np.nan
    deviations = (curves - curves.mean(axis=0)) / np.sqrt(count - 1.0)
    weights = np.random.default_rng(0).standard_normal((SAMPLES, count))
    largest = abs(weights @ deviations).max(axis=1) * np.sqrt(1.0 / count + 1.0 / seeds)
    # The spread of few seeds is uncertain, as for a mean of them.
    part = 0.5 + measures.CONFIDENCE / 2.0
    wider = stdtrit(count - 1, part) / ndtri(part)
    return float(np.quantile(largest, measures.CONFIDENCE) * wider)


def compare_curves(reference: xr.Dataset, results: xr.Dataset, seeds: int) -> Sequence[Curve]:
    """
    Compare the whole curve of each algorithm with the published one.

    :param reference: the published ``mean``, over ``algorithm`` and ``time``.
    :param seeds: the number of its seeds.
    """
    rows = []
    for algorithm in results['algorithm'].values.tolist():
        if algorithm not in reference['algorithm']:
            continue
        curves = measures.seeds_of(results['instability'].sel(algorithm=algorithm),
                                   results['counts'].sel(algorithm=algorithm))
        theirs = reference['mean'].sel(algorithm=algorithm)
        times = np.intersect1d(curves['time'].values, theirs['time'].values)
        ours = curves.sel(time=times).transpose('seed', 'time').values
        differences = ours.mean(axis=0) - theirs.sel(time=times).values
        at = int(np.argmax(abs(differences)))
        rows.append(Curve(
            f'{algorithm}: largest difference of the curves', float(differences[at]),
            float(times[at]), largest_by_chance(ours, seeds)))
    return rows
