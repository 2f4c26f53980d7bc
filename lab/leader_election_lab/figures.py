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
Figures that suit any scenario: over time, over one key that varies, or a map over two.

Curves are means over seeds, and bands the 95 % intervals of these means: where bands of
two algorithms do not overlap, their means differ. Where bands overlap, the means may still differ:
paired differences decide (:mod:`leader_election_lab.analysis.paired_differences`).

Instability alone misleads: devices that all follow a leader that is gone are very stable. So
curves over a key show the part of devices with a live leader as well. The map has two contests.
Algorithms that make regions compete by instability, if they lead enough devices. Algorithms that
elect one leader for all compete by the part of devices that follow the same leader.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

from leader_election.swarm.view.charts import FAINT, FONT, INK, new_figure, tidy
from leader_election.swarm.view.formatting import Colour, colour, PALETTE
from leader_election_lab.analysis import measures
from leader_election_lab.analysis.measures import half_widths
from leader_election_lab.analysis.paired_differences import p_of_mean
from leader_election_lab.runs.files import check_writable, replacing, ResultError
from leader_election_lab.runs.results import varied
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import LogLocator
import numpy as np
import xarray as xr

MEASURE = 'instability'
LOWEST = 1e-4
"""The lower end of the logarithmic axis of instability, at most."""
FOLLOWING = 'part of devices whose leader leads'
LABELS = {measures.LED: FOLLOWING, measures.UNITED: 'part of devices in the largest region'}


def draw_own(results: xr.Dataset, measure: str | None = None) -> Figure:
    """
    Draw the figure that suits the keys that a scenario varies.

    No key: the measure over time. One key: its means against the values. Two keys: the map of the
    best algorithms. With a given measure or more keys: curves against the first key.

    :param results: of a scenario (see :mod:`leader_election_lab.runs.results`).
    :param measure: one of :func:`leader_election_lab.analysis.measures.measures_of`; ``None``:
        instability, and against keys also the part of devices that are led, and leaders.
    :raises ResultError: for an unknown measure, or one without values over time.
    """
    keys = varied(results)
    if not keys:
        return draw_over_time(results, measure or MEASURE)
    if len(keys) == 2 and measure is None:
        return draw_map(results)
    shown = None if measure is None else xr.Dataset({measure: measures.each_run(results, measure)})
    return draw_sweep(results, shown)


def over_time(results: xr.Dataset, measure: str) -> xr.DataArray:
    """
    Return a measure of each run over time.

    :raises ResultError: for an unknown measure, or one of whole runs.
    """
    measures.each_run(results, measure)  # Raises the error that lists all measures.
    if measure in measures.DERIVED:
        return measures.DERIVED[measure](results)
    if measure not in results or 'time' not in results[measure].dims:
        raise ResultError(f'measure {measure!r} is one number of a whole run, and has no '
                          'curve over time')
    return results[measure]


def draw_over_time(results: xr.Dataset, measure: str) -> Figure:
    """
    Draw a measure of each algorithm over time, with 95 % intervals.

    :param results: of a scenario that varies nothing.
    """
    values = over_time(results, measure)
    figure = new_figure(
        9.0, 4.6, results.attrs.get('title', ''),
        f'mean over {count_seeds(values)}; band: 95 % interval of the mean at each time; '
        'grey: not in averages')
    axes = figure.subplots()
    end = float(values['time'].max())
    axes.axvspan(0.0, measures.WARM_UP * end, color=FAINT, alpha=0.08, linewidth=0)
    labels = [str(label) for label in values['algorithm'].values]
    tints = colours_of(labels)
    for label in labels:
        one = values.sel(algorithm=label)
        if one.notnull().any():
            curve(axes, one, label, tints[label],
                        (0.0, 1.0) if measure in measures.PARTS else None)
    scale(axes, values, measure)
    axes.set(xlim=(0.0, end), xlabel='time [s]', ylabel=LABELS.get(measure, axis_label(measure)))
    tidy(axes)
    legend(figure, axes)
    return figure


def scale(axes: Axes, values: xr.DataArray, measure: str) -> None:
    """Set the scale of the vertical axis: logarithmic for instability over more than a decade."""
    if measure == MEASURE and is_wide(values):
        mean = values.mean('seed').values
        positive = mean[mean > 0.0]
        least = float(positive.min()) / 2.0 if positive.size else LOWEST
        axes.set_yscale('log', nonpositive='clip')
        axes.set_ylim(float(np.clip(least, LOWEST, 0.1)), 1.0)
    else:
        axes.set_ylim(min(0.0, axes.dataLim.y0), 1.02 if measure in measures.PERCENT else None)


def averages(results: xr.Dataset) -> xr.Dataset:
    """Return the metrics that a sweep shows, averaged over time without the warm-up."""
    return xr.Dataset({
        'instability': measures.time_average(results['instability']),
        FOLLOWING: measures.time_average(measures.led_part(results)),
        'leaders': measures.time_average(results['leaders'])})


def draw_sweep(results: xr.Dataset, shown: xr.Dataset | None = None) -> Figure:
    """
    Draw measures against the first key that varies.

    :param results: of a scenario. Each combination of the other keys has its own column.
    :param shown: the measures, over algorithm, the keys and seed, ``None`` for instability,
        devices with a live leader, and leaders.
    :raises ResultError: if the scenario varies nothing.
    """
    keys = varied(results)
    if not keys:
        raise ResultError(f'scenario {results.attrs.get("scenario", "")} varies nothing; '
                          'its results are no sweep')
    shown = averages(results) if shown is None else shown
    labels, numeric = shown[keys[0]].values.tolist(), shown[keys[0]].dtype.kind in 'fi'
    numeric = numeric and bool(np.isfinite(shown[keys[0]]).all())
    if not numeric:
        shown = shown.assign_coords({keys[0]: np.arange(len(labels))})
    rest = {key: shown[key].values.tolist() for key in keys[1:]}
    settings = [dict(zip(rest, combination)) for combination in product(*rest.values())]
    figure = new_figure(
        3.4 + (4.6 if len(settings) == 1 else 3.2 * len(settings)), 1.8 + 2.2 * len(shown),
        results.attrs.get('title', ''),
        f'mean over {count_seeds(next(iter(shown.values())))} of the average over time, '
        'without the first sixth; band: 95 % interval of that mean')
    panels = figure.subplots(len(shown), len(settings), sharex=True, sharey='row', squeeze=False)
    for column, setting in zip(panels.T, settings):
        for axes, measure in zip(column, shown):
            _draw_metric(axes, shown[measure].sel(setting))
        title = ', '.join(f'{axis_label(key)}: {value}' for key, value in setting.items())
        column[0].set_title(title, fontsize=FONT)
        column[-1].set_xlabel(axis_label(keys[0]))
        if not numeric:
            column[-1].set_xticks(range(len(labels)), [str(label) for label in labels])
    for axes, measure in zip(panels[:, 0], shown):
        axes.set_ylabel(str(measure).replace(' devices ', ' devices\n'))
    legend(figure, panels[0, 0])
    return figure


def _draw_metric(axes: Axes, values: xr.DataArray) -> None:
    """Draw a metric of all algorithms: counts of leaders over a decade on a logarithmic scale."""
    counts, whole = values.name == 'leaders', values.name == FOLLOWING
    part = whole or values.name in measures.PARTS
    labels = values['algorithm'].values.tolist()
    tints = colours_of(labels)
    for algorithm in labels:
        curve(axes, values.sel(algorithm=algorithm), algorithm, tints[algorithm],
                    (0.1, np.inf) if counts else (0.0, 1.0) if part else None).set(
            marker='o', markersize=3.5)
    if counts and is_wide(values):
        axes.set_yscale('log', nonpositive='clip')
        count_axis(axes.yaxis)
    else:
        axes.set_ylim(min(0.0, axes.dataLim.y0), 1.02 if whole else None)
    tidy(axes)


ENOUGH = 0.8
"""An algorithm wins only if at least this part of the devices has a leader that leads itself."""
ONE_FOR_ALL = ('bounded-one', 'resilient', 'colour')
"""The labels of algorithms that elect one leader for all devices."""
NO_WINNER = 'none'
_NONE = (0.88, 0.88, 0.88)


def most_stable(results: xr.Dataset) -> xr.Dataset:
    """
    Return the algorithm with the least instability, among those with enough devices led.

    :param results: of algorithms that make regions.
    :return: over the keys that vary: ``winner`` (its label, ``NO_WINNER`` where no algorithm has
        enough devices led), its ``instability``, the part by which that is lower than the next
        one's (``margin``, nan without a next one), the part of devices whose leader leads
        (``led``), half of the 95 % interval of its instability (``half``), and whether its lead is
        within ``chance``.
    """
    each = measures.time_average(results['instability'])
    led = measures.time_average(measures.led_part(results)).mean('seed')
    allowed = each.mean('seed').where(led >= ENOUGH)
    ranked = np.sort(allowed.transpose('algorithm', ...).values, axis=0)  # nan comes last
    best = allowed.min('algorithm')
    place = allowed.fillna(np.inf).argmin('algorithm')
    second = best.copy(data=ranked[1] if len(ranked) > 1 else np.full(best.shape, np.nan))
    # If the next one has no instability, the winner has none either: the margin is 0.
    margin = ((second - best) / second.where(second > 0.0)).where(second > 0.0, second * 0.0)
    winner = _winner(each, place, allowed.notnull())
    return winner.assign(
        winner=winner['winner'].where(best.notnull(), NO_WINNER), instability=best, margin=margin,
        led=_of_winner(led, place).where(best.notnull()))


def most_united(results: xr.Dataset) -> xr.Dataset:
    """
    Return the algorithm with the most devices that follow one and the same leader.

    :return: over the keys that vary: ``winner`` (its label), that part of the devices (``led``),
        its ``instability``, and whether its lead is within ``chance``.
    """
    instability = measures.time_average(results['instability']).mean('seed')
    each = measures.time_average(measures.united_part(results))
    led = each.mean('seed')
    place = led.argmax('algorithm')
    return _winner(-each, place, led.notnull()).assign(
        led=led.max('algorithm'), instability=_of_winner(instability, place))


def _winner(each: xr.DataArray, place: xr.DataArray, allowed: xr.DataArray) -> xr.Dataset:
    """Return ``winner``, ``half`` and ``chance``, with the arguments of :func:`within_chance`."""
    return xr.Dataset({
        'winner': place.copy(data=each['algorithm'].values[place.values]),
        'half': _of_winner(half_widths(each), place),
        'chance': within_chance(each, place, allowed)})


def _of_winner(values: xr.DataArray, place: xr.DataArray) -> xr.DataArray:
    """Return the values of the winners, whose algorithms have these indices."""
    return values.isel(algorithm=place).drop_vars('algorithm')


def within_chance(each: xr.DataArray, place: xr.DataArray, allowed: xr.DataArray) -> xr.DataArray:
    """
    Return whether the 95 % interval of a winner's lead on any rival includes 0.

    Seeds are paired: all algorithms run with the same devices in a seed. The interval is by
    Student's t (:func:`leader_election_lab.analysis.paired_differences.p_of_mean`). A single seed
    has none, so that any lead is within chance.

    :param each: the quantity to minimise, over algorithm, keys and seed.
    :param place: the index of the winner's algorithm, over the keys.
    :param allowed: the algorithms that may win, over algorithm and keys.
    """
    lead = each - _of_winner(each, place)
    p = xr.apply_ufunc(lambda of_seeds: p_of_mean(of_seeds[~np.isnan(of_seeds)]), lead,
                       input_core_dims=[['seed']], vectorize=True, output_dtypes=[float])
    order = xr.DataArray(np.arange(each.sizes['algorithm']), dims='algorithm')
    rival = allowed & (order != place)
    ahead = (lead.mean('seed') > 0.0) & (p < 1.0 - measures.CONFIDENCE)
    return (rival & ~ahead).any('algorithm')


def draw_map(results: xr.Dataset) -> Figure:
    """
    Draw the best algorithm for each pair of values: its colour, and its metrics as text.

    :param results: of a scenario with two keys that vary, the first of which goes across.
    :raises ResultError: for another number of keys.
    """
    keys = varied(results)
    if len(keys) != 2:
        raise ResultError(f'a map takes two keys that vary; these results have {len(keys)}')
    labels = results['algorithm'].values.tolist()
    regions = [label for label in labels if label not in ONE_FOR_ALL]
    one = [label for label in labels if label in ONE_FOR_ALL]
    contests = [contest for contest in (
        ('regions: the least instability', regions, most_stable, _regions_text),
        ('one leader for all: the most devices behind it', one, most_united, _one_leader_text),
    ) if contest[1]]
    rows, columns = results.sizes[keys[1]], results.sizes[keys[0]]
    figure = new_figure(
        3.0 + 1.25 * columns, 1.4 + (0.7 + 0.62 * rows) * len(contests),
        results.attrs.get('title', ''),
        f'mean over {count_seeds(results["instability"])} of the average over time, without '
        f'the first sixth.\nRegions: among those with at least {ENOUGH:.0%} of the devices led; '
        'instability, by how much lower it is than that of the next one, and the part of devices '
        'whose leader leads. One leader: the part of devices behind it, and instability. Hatched, '
        f'tied: the lead is within chance ({measures.CONFIDENCE:.0%} interval, as those after '
        '±, paired by seed; each cell by itself)')
    tints: dict[str, tuple[float, float, float]] = {}
    panels = figure.subplots(len(contests), 1, squeeze=False)[:, 0]
    for axes, (title, competing, choose, text) in zip(panels, contests):
        outcome = choose(results.sel(algorithm=competing)).transpose(keys[1], keys[0])
        tints |= {label: tint for label, tint in colours_of(labels).items() if label in competing}
        if NO_WINNER in outcome['winner'].values:
            tints[NO_WINNER] = _NONE
        _paint(axes, outcome, keys, tints, text)
        axes.set_title(title, fontsize=FONT)
    legend_outside(figure, [Patch(color=tint) for tint in tints.values()], [*tints])
    return figure


def _paint(axes: Axes, winners: xr.Dataset, keys: Sequence[str],
           tints: dict[str, tuple[float, float, float]],
           text: Callable[[xr.Dataset], str]) -> None:
    """Paint each cell of a map in its winner's colour."""
    axes.imshow([[tints[label] for label in row] for row in winners['winner'].values.tolist()],
                origin='lower', aspect='auto')
    for row in range(winners.sizes[keys[1]]):
        for column in range(winners.sizes[keys[0]]):
            cell = winners.isel({keys[1]: row, keys[0]: column})
            ink = _readable_on(tints[str(cell['winner'].item())])
            if cell['chance']:
                axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1.0, 1.0, fill=False,
                                         hatch='//', edgecolor=(*to_rgb(ink), 0.3), linewidth=0))
            axes.text(column, row, text(cell), ha='center', va='center', fontsize=FONT - 2,
                      linespacing=1.05, color=ink)
    for key, ticks in ((keys[0], axes.set_xticks), (keys[1], axes.set_yticks)):
        ticks(range(winners.sizes[key]), [f'{value}' for value in winners[key].values.tolist()])
    axes.set(xlabel=axis_label(keys[0]), ylabel=axis_label(keys[1]))
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def _regions_text(cell: xr.Dataset) -> str:
    """Return the text of a cell of algorithms that make regions."""
    if cell['winner'].item() == NO_WINNER:
        return NO_WINNER
    margin = float(cell['margin'])
    lead = 'alone' if np.isnan(margin) else (
        f'tied ({margin:.0%})' if cell['chance'] else f'wins by {margin:.0%}')
    return (f'{float(cell["instability"]):.3f}{_interval(cell)}\n{lead}\n'
            f'{float(cell["led"]):.0%} led')


def _interval(cell: xr.Dataset, form: str = '.3f') -> str:
    """Return half of the winner's 95 % interval as text, or no text for a single seed."""
    half = float(cell['half'])
    return '' if np.isnan(half) else f' ± {half:{form}}'


def _one_leader_text(cell: xr.Dataset) -> str:
    """Return the text of a cell of algorithms that elect one leader for all."""
    return (f'{float(cell["led"]):.0%}{_interval(cell, ".0%")} led\n'
            f'{"tied" if cell["chance"] else "wins"}, {float(cell["instability"]):.3f}')


def _readable_on(tint: tuple[float, float, float]) -> str:
    """Return the text colour that differs more in lightness from a background."""
    red, green, blue = tint
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else 'white'


_SLOTS: Mapping[str, int] = {
    'bounded': 0, 'recursive': 4, 'recursive-replicated': 1, 'classic': 2, 'colour': 7,
    'resilient-1': 5, 'resilient-2': 6, 'resilient': 6, 'resilient-3': 3}
"""The index into the palette of each algorithm, by its label."""
_FREE = sorted(set(range(len(PALETTE))) - set(_SLOTS.values()))

_LABELS: Mapping[str, str] = {
    'messages.loss': 'part of messages lost', 'messages.range': 'range of messages [m]',
    'messages.expiry': 'messages expire after [s]', 'messages.delay': 'delay of messages [s]',
    'motion.speed': 'speed of devices [m/s]', 'devices.count': 'devices',
    'algorithms.radius': 'radius of a region [m]', 'rounds.spread': 'spread of periods',
    'localisation.deviation': 'standard deviation of a distance [m]',
    'rounds.jitter': 'jitter of periods', 'rounds.period': 'period of rounds [s]'}


def colour_of(algorithm: str) -> Colour:
    """
    Return the colour of an algorithm, by its label: the same in all figures.

    >>> colour_of('bounded') == colour(0) != colour_of('classic')
    True
    >>> colour_of('mine') == colour_of('mine')
    True
    """
    return colour(_slot_of(algorithm))


def _slot_of(algorithm: str) -> int:
    """Return the index into the palette of an algorithm's usual colour."""
    return _SLOTS.get(algorithm, _FREE[crc32(algorithm.encode()) % len(_FREE)])


def axis_label(key: str) -> str:
    """
    Return the label of an axis for a dotted key of a scenario.

    >>> axis_label('motion.speed'), axis_label('measure.window')
    ('speed of devices [m/s]', 'measure window')
    """
    return _LABELS.get(key, key.replace('.', ' ').replace('_', ' '))


def legend(figure: Figure, axes: Axes) -> None:
    """Add the legend of some axes on the right, outside of them."""
    legend_outside(figure, *axes.get_legend_handles_labels())


def legend_outside(figure: Figure, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """
    Add a legend at the upper right, and let all axes end left of it.

    The locations ``outside ...`` do the same, but came with matplotlib 3.7.
    """
    figure.legend(handles, labels, loc='upper right', frameon=False)
    make_room(figure)


def make_room(figure: Figure) -> None:
    """Let all axes end left of the legend, again after a change of the size."""
    for added in figure.legends:
        box = added.get_window_extent().transformed(figure.transFigure.inverted())
        figure.set_layout_engine('constrained', rect=(0.0, 0.0, box.x0, 1.0))


def count_axis(axis: Axis) -> None:
    """Label a logarithmic axis of counts in full: 1, 2, 5, 10."""
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter('{x:g}')
    axis.set_minor_formatter('')


def is_wide(values: xr.DataArray) -> bool:
    """
    Return whether the means over seeds span more than a decade, so that a logarithm helps.

    >>> [is_wide(xr.DataArray([[1.0], [most]], dims=('time', 'seed'))) for most in (9.0, 11.0)]
    [False, True]
    """
    mean = values.mean('seed').values
    positive = mean[mean > 0.0]
    return bool(positive.size) and float(positive.max()) > 10.0 * float(positive.min())


def colours_of(algorithms: Sequence[str]) -> dict[str, Colour]:
    """
    Return the colours of algorithms in one figure: all different, if the palette suffices.

    >>> colours_of(['mine', 'bounded'])['bounded'] == colour_of('bounded')
    True
    >>> len(set(colours_of([f'mine {k}' for k in range(len(PALETTE))]).values())) == len(PALETTE)
    True
    """
    chosen = {label: _SLOTS[label] for label in algorithms if label in _SLOTS}
    for label in algorithms:
        usual = _slot_of(label)
        free = [slot for slot in (usual, *_FREE, *range(len(PALETTE)))
                if slot not in chosen.values()]
        chosen.setdefault(label, free[0] if free else usual)
    return {label: colour(chosen[label]) for label in algorithms}


def curve(axes: Axes, values: xr.DataArray, label: str, tint: Colour,
          limits: tuple[float, float] | None = None) -> Line2D:
    """
    Draw the mean over seeds against the other dimension, with a band: its 95 % interval.

    A band of one standard deviation would reach below 0, and be a spike on a logarithmic axis.

    :param values: over ``seed`` and one other dimension, nan for missing runs. A single seed has
        no band.
    :param limits: to which the band is clipped.
    :return: the line of the mean.
    """
    mean = values.mean('seed')
    half = half_widths(values)
    [dimension] = mean.dims
    across, least, most = mean[dimension].values, (mean - half).values, (mean + half).values
    if limits is not None:
        least, most = np.clip(least, *limits), np.clip(most, *limits)
    [line] = axes.plot(across, mean.values, color=tint, linewidth=1.6, label=label)
    axes.fill_between(across, least, most, color=tint, alpha=0.15, linewidth=0)
    return line


def count_seeds(values: xr.DataArray) -> str:
    """
    Return the number of seeds as text, or the least and the greatest one if runs are missing.

    >>> count_seeds(xr.DataArray([[1.0, 2.0], [1.0, np.nan]], dims=('algorithm', 'seed')))
    '1 to 2 seeds'
    """
    others = [dimension for dimension in values.dims if dimension not in ('time', 'seed')]
    run = values.notnull()
    run = (run.any('time') if 'time' in values.dims else run).sum('seed')
    least, most = int(run.min(others)), int(run.max(others))
    numbers = f'{most}' if least == most else f'{least} to {most}'
    return f'{numbers} seed{"" if numbers == "1" else "s"}'


def draw_to(draw: Callable[[], Figure], out: Path) -> Path:
    """
    Draw a figure to a file, and return its path.

    :param draw: called once the file is known to be writable.
    :param out: its suffix is the format: .png, .svg, .pdf and all others of matplotlib.
    :raises ResultError: if it cannot be written there.
    """
    check_writable(out, [f'.{kind}' for kind in FigureCanvasBase.get_supported_filetypes()])
    figure = draw()
    with replacing(out) as temporary:
        figure.savefig(temporary, format=out.suffix[1:])
    return out
