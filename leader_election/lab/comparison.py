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

"""Comparison of the laboratory's numbers with those published in the papers, and its aims."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from leader_election.lab import published
from leader_election.lab.statistics import (
    Estimate,
    estimate_mean,
    estimate_of_curve,
    seeds_of,
    settling_time,
    time_average,
    time_to_one_leader,
)
import numpy as np
import xarray as xr

INSTABILITY_AIM, SETTLING_AIM, ROUNDS_AIM = 0.08, 0.25, 0.10
"""Allowed deviations from the published numbers, relative to these."""
SETTLED = 0.001
"""A network has settled when its instability is below this."""
SWITCHES = (0, 100, 200, 300, 400, 500)
"""Times at which strengths switch in the scale-free network [s]."""


@dataclass(frozen=True)
class Number:
    """A measured number, and the published one."""

    quantity: str
    ours: Estimate
    """The measured number; nan where there is none, as the settling time of no settled run."""
    published: float | None = None
    aim: float | None = None
    """Allowed deviation, relative to the published number."""

    @property
    def ratio(self) -> float | None:
        """Return the measured number by the published one."""
        return None if self.published is None else self.ours.value / self.published

    @property
    def met(self) -> bool | None:
        """Return whether the aim is met, ``None`` without an aim."""
        if self.aim is None or self.ratio is None:
            return None
        return abs(self.ratio - 1.0) <= self.aim

    def cells(self) -> tuple[str, ...]:
        """Return the row of a table: quantity, ours, interval, published, ratio, aim, met."""
        value, low, high = self.ours
        return (self.quantity, 'never' if np.isnan(value) else f'{value:.3g}',
                '' if np.isnan(low + high) else f'{low:.3g} to {high:.3g}',
                '' if self.published is None else f'{self.published:.3g}',
                '' if self.ratio is None or np.isnan(self.ratio) else f'{self.ratio:.2f}',
                '' if self.aim is None else f'within {self.aim:.0%}', _yes_or_no(self.met))


@dataclass(frozen=True)
class Order:
    """Algorithms in ascending order of some number, measured and published."""

    quantity: str
    ours: tuple[str, ...]
    published: tuple[str, ...]

    @property
    def met(self) -> bool:
        """Return whether the orders are the same."""
        return self.ours == self.published

    def cells(self) -> tuple[str, ...]:
        """Return the row of a table, as :meth:`Number.cells` does."""
        return (self.quantity, ' < '.join(self.ours), '', ' < '.join(self.published), '',
                'the same', _yes_or_no(self.met))


Row = Number | Order
COLUMNS = ('quantity', 'ours', '95 % interval', 'published', 'ratio', 'aim', 'met')


def compare_instability(scenario: str, results: xr.Dataset) -> list[Row]:
    """
    Compare instability averaged over time, without the warm-up: rounds 101 to 600 of 600.

    Source: ACSOS 2022, section V.
    """
    held = published.instability(scenario)
    theirs = {} if held is None else dict(zip(
        held['algorithm'].values.tolist(), time_average(held['mean']).values.tolist()))
    rows: list[Row] = []
    for algorithm in results['algorithm'].values.tolist():
        averages = time_average(results['instability'].sel(algorithm=algorithm))
        rows.append(Number(
            f'{algorithm}: instability', estimate_mean(
                seeds_of(averages, results['counts'].sel(algorithm=algorithm)).values),
            theirs.get(algorithm), INSTABILITY_AIM if algorithm in theirs else None))
    return [*rows, *_orders('order by instability', rows)]


def compare_settling(scenario: str, results: xr.Dataset) -> list[Row]:
    """
    Compare the rounds from each switch of strengths until the network has settled again.

    It has settled when the mean instability over seeds stays below ``SETTLED`` up to the next
    switch. The recursive algorithm is shown without an aim. Source: ACSOS 2022, section V.
    """
    held = published.instability(scenario)
    rows: list[Row] = []
    for start in SWITCHES:
        end = start + SWITCHES[1]
        at_switch: list[Row] = []
        for algorithm in results['algorithm'].values.tolist():
            curves = seeds_of(results['instability'].sel(algorithm=algorithm),
                              results['counts'].sel(algorithm=algorithm))
            read = partial(settling_time, curves['time'].values, below=SETTLED, start=start,
                           end=end)
            known = held is not None and algorithm in held['algorithm']
            theirs = settling_time(
                held['time'].values, held['mean'].sel(algorithm=algorithm).values, SETTLED, start,
                end) if held is not None and known else None
            at_switch.append(Number(
                f'{algorithm}: rounds to settle from {start}',
                estimate_of_curve(curves.transpose('seed', 'time').values, read), theirs,
                SETTLING_AIM if algorithm in ('bounded', 'classic') and known else None))
        rows += [*at_switch, *_orders(f'order by rounds to settle from {start}', at_switch)]
    return rows


def compare_rounds(scenario: str, results: xr.Dataset, beside: str = '') -> list[Row]:
    """
    Compare the mean number of rounds until all devices have the same leader to the end.

    A seed in which they never do makes it "never". Source: IFAC 2020, the table.

    :param beside: another scenario, whose published numbers are shown without an aim.
    """
    table = published.rounds_to_one_leader()
    # Each network is connected, so that at some time all devices have the same leader.
    devices = int(results['largest_size'].max())
    rows: list[Row] = []
    for algorithm in results['algorithm'].values.tolist():
        runs = seeds_of(results[['named', 'correct', 'largest_size']].sel(algorithm=algorithm),
                        results['counts'].sel(algorithm=algorithm))
        times = runs['time'].values
        rounds = np.array([
            time_to_one_leader(times, runs['named'].sel(seed=seed).values,
                               runs['correct'].sel(seed=seed).values,
                               runs['largest_size'].sel(seed=seed).values, devices)
            for seed in runs['seed'].values])
        theirs = table.get((beside or scenario, algorithm))
        rows.append(Number(f'{algorithm}: rounds until all have the one leader',
                           estimate_mean(rounds), theirs,
                           None if theirs is None or beside else ROUNDS_AIM))
    return rows


COMPARISONS: Mapping[str, Callable[[str, xr.Dataset], list[Row]]] = {
    'acsos2022_random': compare_instability,
    'acsos2022_edge': compare_instability,
    'acsos2022_scale_free': compare_settling,
    'ifac2020_convergence': compare_rounds,
    'ifac2020_perturbed': compare_rounds,
    'ifac2020_by_the_text': partial(compare_rounds, beside='ifac2020_convergence')}
"""The comparison of each of the papers' scenarios."""


def _orders(quantity: str, rows: list[Row]) -> list[Row]:
    """Return the row that compares the order of algorithms; none with fewer than two published."""
    known = [row for row in rows if isinstance(row, Number) and row.published is not None]
    if len(known) < 2:
        return []

    def order(of: Callable[[Number], float]) -> tuple[str, ...]:
        # An algorithm that never settles comes last.
        ranked = sorted(known, key=lambda row: np.nan_to_num(of(row), nan=np.inf))
        return tuple(row.quantity.partition(':')[0] for row in ranked)

    return [Order(quantity, order(lambda row: row.ours.value),
                  order(lambda row: row.published or 0.0))]


def _yes_or_no(met: bool | None) -> str:
    return '' if met is None else 'yes' if met else '**no**'
