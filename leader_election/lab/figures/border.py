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
The bad case of Bounded Election: a strong device that goes to and fro across a border.

Whenever the second strongest device leaves the region of the strongest, it becomes a leader and
takes devices along; whenever it enters, it gives them up.
"""

from collections.abc import Sequence

from leader_election.lab.figures.error import FigureError
from leader_election.lab.figures.instability import LIMITS
from leader_election.lab.figures.style import (
    colour_of,
    count_seeds,
    curve,
    FAINT,
    FONT,
    INK,
    legend,
    new_figure,
    tidy,
)
from leader_election.lab.scenario import Scenario
from leader_election.lab.simulate import simulate, Snapshot
from matplotlib.figure import Figure
import numpy as np
from numpy.typing import NDArray
import xarray as xr

ALGORITHM = 'bounded'
"""The one whose run says how far the moving device is."""


def draw_border(results: xr.Dataset, scenario: Scenario, seed: int = 0) -> Figure:
    """Draw instability over time, and below how far the moving device is from the strongest."""
    entrant = scenario.entrant(ALGORITHM)
    taken = simulate(scenario, ALGORITHM, seed, scenario.times().tolist()).snapshots
    return draw_distance_below(results, scenario.times(), distances(taken),
                               float(entrant.parameters.radius))


def distances(snapshots: Sequence[Snapshot]) -> NDArray[np.float64]:
    """
    Return how far the device that moves most is from the leader that it names most often.

    :param snapshots: of one run, in their order. Times at which it leads itself do not count.
    :raises FigureError: where it names nobody but itself.
    """
    positions = np.array([snapshot.position for snapshot in snapshots])
    walked = np.linalg.norm(np.diff(positions, axis=0), axis=2).sum(axis=0)
    mover = int(walked.argmax())
    own = int(snapshots[0].id[mover])
    named = np.array([snapshot.leader[mover] for snapshot in snapshots])
    others, times = np.unique(named[(named != own) & np.isin(named, snapshots[0].id)],
                              return_counts=True)
    if len(others) == 0:
        raise FigureError(f'device {own}, which moves most, is in no region but its own')
    strongest = int(np.flatnonzero(snapshots[0].id == others[times.argmax()])[0])
    apart: NDArray[np.float64] = np.linalg.norm(
        positions[:, mover] - positions[:, strongest], axis=1)
    return apart


def draw_distance_below(results: xr.Dataset, times: NDArray[np.float64],
                        distance: NDArray[np.float64], radius: float) -> Figure:
    """
    Draw instability over time, and a distance below it.

    :param results: ``instability`` over algorithm, seed and time.
    :param distance: at ``times`` [s], in metres, as the radius is.
    """
    figure = new_figure(
        9.0, 6.0, results.attrs.get('title', ''),
        f'mean over {count_seeds(results["instability"])}, band: one standard deviation')
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    for algorithm in results['algorithm'].values.tolist():
        curve(above, results['instability'].sel(algorithm=algorithm), algorithm,
              colour_of(algorithm), LIMITS)
    above.set_yscale('log', nonpositive='clip')
    above.set_ylim(*LIMITS)
    above.set_ylabel('instability', fontsize=FONT)
    below.plot(times, distance, color=INK, linewidth=1.2)
    below.axhline(radius, color=FAINT, linestyle='--', linewidth=1.0)
    below.annotate('radius', (1.0, radius), (3, 0), xycoords=('axes fraction', 'data'),
                   textcoords='offset points', fontsize=FONT - 1, color=FAINT, va='center')
    below.set_ylabel('moving device to\nstrongest device [m]', fontsize=FONT)
    below.set_ylim(bottom=0.0)
    below.set_xlim(0.0, times[-1])
    below.set_xlabel('time [s]', fontsize=FONT)
    for axes in (above, below):
        tidy(axes)
    legend(figure, above)
    return figure
