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

"""The common style of all figures."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from leader_election.swarm.view.formatting import Colour, colour, PALETTE
from leader_election_lab.analysis.measures import half_widths
from leader_election_lab.runs.files import check_writable, replacing
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator
import numpy as np
import xarray as xr

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
