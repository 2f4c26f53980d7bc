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
"""The picture of the study: rounds by size and by diameter, recovery, and bytes sent."""

from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.scale.networks import Contestant, Network
from benchmarks.scale.phases import BUDGET, LEADERS, Outcome, Phase, SKIPPED, START
from benchmarks.scale.report import Runs
from leader_election.swarm.view.charts import FAINT, FONT, new_figure, tidy
from leader_election.swarm.view.formatting import colour
from leader_election_lab.figures import colour_of, legend_outside
from leader_election_lab.runs.files import check_writable, replacing
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter
import numpy as np

WIDTH, HEIGHT = 12.0, 8.5
TINTS = {'given': colour(10), 'resilient-regions': colour(3), 'bounded-all': colour(9),
         'resilient-1': colour(5), 'resilient-2': colour(6)}
"""The colours of algorithms without a colour common to all figures."""
SAME_SIZE = range(9_000, 11_000)
"""Networks of about 10,000 devices, whose diameters differ."""
ROUNDS = 'rounds until leaders stay the same'
MARKERS = 'os^vDp*XhP'


def draw(runs: Runs, networks: Sequence[Network], contestants: Sequence[Contestant],
         out: Path) -> Path:
    """
    Draw the picture to a file, and return its path.

    :raises ResultError: if it cannot be written.
    """
    check_writable(out, ['.png', '.svg', '.pdf'])
    squares = [network for network in networks if network.shape == 'square']
    alike = [network for network in networks if network.devices in SAME_SIZE]
    figure = new_figure(WIDTH, HEIGHT, 'From 100 to 1,000,000 devices', (
        'mean over seeds; dashed: one leader for all; an arrow: not within the budget; no point: '
        'not run, never, or wrong'))
    grid = figure.subplots(2, 2)
    panels: list[tuple[Axes, str, str, Sequence[Network], Measure, bool]] = [
        (grid[0, 0], 'from the start, squares', ROUNDS, squares,
         lambda outcome: _rounds(outcome.phases[START]), True),
        (grid[0, 1], 'from the start, about 10,000 devices', ROUNDS, alike,
         lambda outcome: _rounds(outcome.phases[START]), True),
        (grid[1, 0], 'after the loss of all leaders, squares', ROUNDS, squares,
         lambda outcome: _rounds(outcome.phases[LEADERS]), True),
        (grid[1, 1], 'from the start, squares', 'kB that a device sends', squares, _kilobytes,
         False)]
    for axes, title, label, shown, measure, guided in panels:
        by_size = shown is squares
        for k, contestant in enumerate(contestants):
            _line(axes, runs, shown, contestant, measure, by_size, MARKERS[k % len(MARKERS)])
        axes.set_title(title, fontsize=FONT)
        axes.set(ylabel=label, xlabel='devices' if by_size else 'diameter [hops]')
        if any(len(line.get_xdata()) for line in axes.lines):
            axes.set(xscale='log', yscale='log')
            if guided:
                _guide(axes, [network.devices if by_size else network.hops for network in shown],
                       by_size)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f'{value:,.10g}'))
            axis.set_minor_formatter(NullFormatter())
        tidy(axes)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    legend_outside(figure, handles, labels)
    with replacing(out) as temporary:
        figure.savefig(temporary, format=out.suffix[1:])
    return out


Measure = Callable[[Outcome], tuple[float, bool] | None]
"""Returns a value, and whether it is only a lower bound, ``None`` if there is no value."""


def _rounds(phase: Phase) -> tuple[float, bool] | None:
    if phase.ended == SKIPPED or (
            phase.ended != BUDGET and (phase.led is None or phase.wrong)):
        return None
    if phase.ended == BUDGET:
        return float(phase.spent), True
    return float(max(phase.settled or 0, 1)), False


def _kilobytes(outcome: Outcome) -> tuple[float, bool] | None:
    found = _rounds(outcome.phases[START])
    return found and (found[0] * outcome.phases[START].length / 1000, found[1])


def _line(axes: Axes, runs: Runs, networks: Sequence[Network], contestant: Contestant,
          measure: Measure, by_size: bool, marker: str) -> None:
    """Draw the means of an algorithm, and an arrow for a lower bound."""
    tint = TINTS.get(contestant.label) or colour_of(contestant.label)
    points, bounds = [], []
    for network in networks:
        values = [measure(outcome) for outcome in runs.get((network, contestant), ())]
        found = [value for value in values if value is not None]
        if not found or len(found) < len(values):
            continue
        diameters = [outcome.diameter for outcome in runs[network, contestant]]
        across = network.devices if by_size else float(np.mean(diameters))
        point = across, float(np.mean([value for value, _ in found]))
        (bounds if any(bound for _, bound in found) else points).append(point)
    axes.plot([x for x, _ in sorted(points)], [y for _, y in sorted(points)], color=tint,
              marker=marker, markersize=5, linewidth=1.6, label=contestant.label,
              linestyle='--' if contestant.one_leader else '-')
    for x, y in bounds:
        axes.annotate('', (x, y * 1.6), (x, y), arrowprops={'arrowstyle': '->', 'color': tint})
        axes.plot([x], [y], color=tint, marker=marker, markersize=5, fillstyle='none')


def _guide(axes: Axes, across: Sequence[float], by_size: bool) -> None:
    """Draw a line with rounds equal to the diameter in hops."""
    ends = np.array([min(across), max(across)], float)
    diameters = ends ** 0.5 if by_size else ends
    axes.plot(ends, diameters, color=FAINT, linewidth=1.0, linestyle=':',
              label='rounds = diameter in hops')
