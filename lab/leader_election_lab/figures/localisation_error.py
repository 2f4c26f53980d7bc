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
The effect of position errors on instability, and the part of devices that have another leader.

The reference is the leader in the same run with exact positions: the same devices, walks, rounds
and losses. Errors without an effect leave both runs identical to the end, so differences are not
due to chance. With a hysteresis of the radius, a partition depends on earlier ones, and differs
for longer.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

from leader_election.swarm.view.charts import FONT, INK, new_figure, tidy
from leader_election_lab.analysis.measures import Estimate, estimate_mean, led_part, time_average
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.experiment.schema import EXACT
from leader_election_lab.figures.style import axis_label, colour_of, count_seeds
from leader_election_lab.runs.computation import cores
from leader_election_lab.runs.results import dimensions
from leader_election_lab.simulation.simulate import simulate
from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np
from numpy.typing import NDArray
import xarray as xr

DEVIATION, CORRELATION_TIME, MODEL = (
    f'localisation.{key}' for key in ('deviation', 'correlation_time', 'model'))
"""The keys that vary: two in ``localisation_error``, the third in ``localisation_drift``."""
COMPARISONS = 60
"""Approximate number of times in a run at which leaders are compared."""
SPANS = 15
"""Number of spans of time whose averages are a curve over time."""
TABLE_COLUMNS = (
    'algorithm', 'error [m]', 'correlation time [s]', 'instability', 'same leader', 'led')
DRIFT_COLUMNS = ('algorithm', 'positions', 'after [min]', 'instability', 'same leader')
_STYLES = ('-', '--', ':', '-.')
_NAMES: Mapping[str, str] = {
    'exact': 'exact', 'drift': 'odometry', 'scaled': 'odometry, wrong factors',
    'cooperative': 'with the filter'}


def exact_twin(scenario: Scenario) -> Scenario:
    """Return the same scenario with exact positions."""
    kept = scenario.localisation.communication_range
    return scenario.replaced({
        'vary': {}, 'localisation': {'model': EXACT, 'communication_range': kept}})


def same_leader_part(scenario: Scenario, seeds: Sequence[int]) -> xr.DataArray:
    """
    Return the part of devices that have the same leader as with exact positions.

    :param scenario: all its variants and algorithms are run, as given and with exact positions.
    :return: over algorithm, the keys that vary, seed and time [s]; 0 to 1.
    """
    variants = [variant for _, variant in scenario.variants()]
    twins = [exact_twin(variant) for variant in variants]
    labels = [entrant.label for entrant in scenario.entrants]
    times = scenario.times()[::max(1, len(scenario.times()) // COMPARISONS)].tolist()
    runs = {(each.text, label, seed): each for each in (*variants, *twins)
            for label in labels for seed in seeds}

    def leaders(key: tuple[str, str, int]) -> NDArray[np.int64]:
        """Return the leader of each device at each time, shape (times, n)."""
        _, label, seed = key
        return np.array([
            snapshot.leader[np.argsort(snapshot.id)]
            for snapshot in simulate(runs[key], label, seed, times).snapshots])
    with ThreadPoolExecutor(cores()) as pool:
        found = dict(zip(runs, pool.map(leaders, runs)))
    same = [np.mean(found[variant.text, label, seed] == found[twin.text, label, seed], axis=1)
            for label in labels for variant, twin in zip(variants, twins) for seed in seeds]
    coordinates = {'algorithm': labels, **dimensions(scenario), 'seed': list(seeds),
                   'time': times}
    shape = [len(values) for values in coordinates.values()]
    return xr.DataArray(np.reshape(same, shape), coordinates, tuple(coordinates))


def estimates(values: xr.DataArray) -> list[Estimate]:
    """Return the mean over seeds and its 95 % interval, at each value of the other dimension."""
    [other] = (dimension for dimension in values.dims if dimension != 'seed')
    return [estimate_mean(row[~np.isnan(row)])
            for row in values.transpose(other, 'seed').values.astype(float)]


def in_spans(values: xr.DataArray, duration: float) -> xr.DataArray:
    """
    Return the averages over spans of time, each at its middle.

    >>> values = xr.DataArray(np.arange(30.0), {'time': np.arange(30.0) + 1.0})
    >>> spans = in_spans(values, 30.0)
    >>> spans.values[:2].tolist(), spans['time'].values[:2].tolist()
    ([0.5, 2.5], [1.0, 3.0])
    """
    length = duration / SPANS
    span = (np.ceil(values['time'] / length - 1e-9) - 0.5) * length
    return values.groupby(span.rename('middle')).mean().rename(middle='time')


def table_rows(results: xr.Dataset, scenario: Scenario) -> list[tuple[str, ...]]:
    """Return the rows of the table of bounded errors: means with 95 % intervals."""
    same = time_average(same_leader_part(scenario, results['seed'].values.tolist()))
    measures = time_average(results['instability']), same, time_average(led_part(results))
    rows: list[tuple[str, ...]] = []
    keys = [results[name].values.tolist() for name in ('algorithm', CORRELATION_TIME, DEVIATION)]
    for label, lasting, deviation in product(*keys):
        at = {'algorithm': label, CORRELATION_TIME: lasting, DEVIATION: deviation}
        instability, shared, led = (estimate_mean(each.sel(at).values) for each in measures)
        rows.append((label, f'{deviation:g}', f'{lasting:g}', _number(instability),
                     _percent(shared), _percent(led)))
    return rows


def drift_rows(results: xr.Dataset, scenario: Scenario) -> list[tuple[str, ...]]:
    """Return the rows of the table of odometry with and without the filter, over time."""
    same = same_leader_part(scenario, results['seed'].values.tolist())
    instability = in_spans(results['instability'], scenario.duration)
    shared = in_spans(same, scenario.duration)
    return [(label, _NAMES[model], f'{time / 60.0:.1f}',
             _number(estimate_mean(instability.sel(at).values)),
             _percent(estimate_mean(shared.sel(at).values)))
            for label in results['algorithm'].values.tolist()
            for model in results[MODEL].values.tolist()
            for time in instability['time'].values[[1, SPANS // 2, -1]].tolist()
            for at in [{'algorithm': label, MODEL: model, 'time': time}]]


def _number(estimate: Estimate) -> str:
    """
    Return an instability with half of its interval.

    >>> _number(Estimate(0.0745, 0.0721, 0.0769))
    '.0745 ± .0024'
    """
    return f'{estimate.value:.4f} ± {estimate.half_width:.4f}'.replace('0.', '.')


def _percent(estimate: Estimate) -> str:
    """
    Return a part with half of its interval.

    >>> _percent(Estimate(0.952, 0.944, 0.96))
    '95.2 ± 0.8 %'
    """
    return f'{estimate.value * 100.0:.1f} ± {estimate.half_width * 100.0:.1f} %'


def draw_localisation_error(
    errors: xr.Dataset, drifts: xr.Dataset, scenario: Scenario, drifting: Scenario,
) -> Figure:
    """
    Draw instability and the part with the same leader, against bounded errors and over time.

    :param errors: results over algorithm, deviation, correlation time, seed and time.
    :param drifts: results over algorithm, model, seed and time.
    :param scenario: the scenario of ``errors``, which is run again with exact positions.
    :param drifting: the scenario of ``drifts``, likewise.
    """
    seeds = [count_seeds(each['instability']) for each in (errors, drifts)]
    figure = new_figure(
        13.0, 8.0, errors.attrs.get('title', ''),
        f'mean over {" and, right, ".join(dict.fromkeys(seeds))}; band: 95 % interval. Left: '
        'average over time, without the first sixth; right: over spans of '
        f'{drifting.duration / SPANS:g} s')
    panels = figure.subplots(2, 2, sharey='row')
    same = same_leader_part(scenario, errors['seed'].values.tolist())
    for axes, values in zip(panels[:, 0], (errors['instability'], same)):
        _draw_family(axes, time_average(values), CORRELATION_TIME, DEVIATION)
    same = same_leader_part(drifting, drifts['seed'].values.tolist())
    for axes, values in zip(panels[:, 1], (drifts['instability'], same)):
        spans = in_spans(values, drifting.duration)
        _draw_family(axes, spans.assign_coords(time=spans['time'] / 60.0), MODEL, 'time')
    panels[0, 0].set_ylabel('instability')
    panels[0, 0].set_ylim(bottom=0.0)
    panels[1, 0].set(ylabel='part of devices with the leader\nthat exact positions give',
                     ylim=(0.0, 1.02), xlabel=axis_label(DEVIATION))
    panels[1, 1].set_xlabel('time [min]')
    panels[0, 0].set_title('errors that do not grow', fontsize=FONT)
    panels[0, 1].set_title('odometry, with and without the filter', fontsize=FONT)
    _label(panels[0, 0], errors, CORRELATION_TIME, 'upper left',
           'correlation time {:g} s'.format)
    _label(panels[0, 1], drifts, MODEL, 'upper right', _NAMES.get)
    for axes in panels.flat:
        tidy(axes)
    return figure


def _draw_family(axes: Axes, values: xr.DataArray, by: str, across: str) -> None:
    """Draw a curve for each algorithm, by colour, and each value of a key, by line style."""
    for label, (style, value) in product(
            values['algorithm'].values.tolist(), zip(_STYLES, values[by].values.tolist())):
        found = np.array(estimates(values.sel({'algorithm': label, by: value})))
        axes.plot(values[across].values, found[:, 0], style, color=colour_of(label),
                  linewidth=1.6)
        axes.fill_between(values[across].values, found[:, 1], found[:, 2], alpha=0.12,
                          color=colour_of(label), linewidth=0)


def _label(axes: Axes, results: xr.Dataset, by: str, place: str, name: Any) -> None:
    """Add a legend of colours and line styles."""
    for label in results['algorithm'].values.tolist():
        axes.plot([], [], color=colour_of(label), linewidth=3.0, label=label)
    for style, value in zip(_STYLES, results[by].values.tolist()):
        axes.plot([], [], style, color=INK, linewidth=1.4, label=name(value))
    axes.legend(loc=place, frameon=False, fontsize=FONT - 1)
