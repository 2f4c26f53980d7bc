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
Estimation of the noise parameters of odometry and sightings from recordings with a reference.

Real odometry errs systematically: its scale and its heading are off by some per cent for minutes.
Errors over ten seconds are then greater than ten independent errors of one second each, and no
single set of parameters is right at all times. The neighbourhood filter assumes independent errors
of steps, and its covariances have to be right when the next sighting arrives. So errors are taken
over windows as long as the typical time between sightings.
"""

from collections.abc import Sequence
import math
from typing import NamedTuple

from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.recorded_errors import (
    compared_sightings,
    Errors,
    odometry_windows,
    Places,
    Robots,
    sighting_age,
    sighting_blocks,
    Sightings,
    STEP,
)
from leader_election.localisation.systematic_errors import (
    correlation_note,
    scale_notes,
    scales,
)
from leader_election.localisation.variance_components import Array, fit, intervals
from leader_election.parameters import ParameterError, table
import numpy as np
from numpy.typing import NDArray

ODOMETRY = ('odometry_noise_position', 'odometry_noise_turn', 'odometry_noise_heading',
            'odometry_noise_rest')
RANGE, BEARING = ('range_noise', 'range_noise_scale'), ('bearing_noise',)
SHORTEST_WINDOW, LONGEST_WINDOW = 2.0, 30.0
USUAL_WINDOW = 10.0
"""The window without sightings of robots [s]."""
LEAST_SAMPLES = 20
"""The least number of errors for an estimate."""
MOST_SAMPLES = 4000
"""The greatest number of errors; of more, every second, third, ... is used."""
MOST_OUTLIERS = 0.5
"""The greatest share of outliers with which an estimate means anything."""
VAGUE = 4.0
"""The greatest ratio of bounds with which the data determine a parameter."""


class Figure(NamedTuple):
    """The estimate of one parameter."""

    name: str
    value: float
    samples: int
    """The number of errors used."""
    lower: float = 0.0
    """The 95 % interval."""
    upper: float = math.inf
    kept: str = ''
    """The reason for using the default; empty: it was estimated."""
    at_most: bool = False
    """Whether it is the upper bound: this noise may be zero."""


class Estimate(NamedTuple):
    """The result of :func:`estimate`."""

    figures: tuple[Figure, ...]
    notes: tuple[str, ...]
    """Further findings, one line each."""
    window: float
    """The length of the windows of odometry [s]."""


def estimate(robots: Robots, places: Places | None = None, window: float | None = None,
             interval: float | None = None) -> Estimate:
    """
    Estimate the parameters of noise.

    :param robots: recordings by the robots' ids.
    :param places: of landmarks, by id [m].
    :param window: over which errors of odometry are taken [s]; by default the median age of the
        sightings of a pair, 2 to 30 s, and 10 s without any.
    :param interval: the least time between two sightings of a pair [s]; by default that of
        parameter ``sighting_interval``.
    :raises ParameterError: if most errors of a kind fit no noise: the recording is wrong.
    """
    sightings = compared_sightings(
        robots, places or {}, interval or LocalisationParameters.sighting_interval)
    age = sighting_age(robots, sightings)
    chosen = window if window is not None else _window(age)
    notes = [_why(window, age, chosen)]
    windows = odometry_windows(robots, chosen)
    figures, outliers = _figures(ODOMETRY, windows)
    scale = scale_notes(robots)
    notes += _share(outliers, 'windows of odometry', 'carried off, or wheels that slipped', (
        'odometry and true poses that belong together (--odometry, --reference), with x ahead, '
        'and minutes of driving straight on and of turning; ' + '; '.join(scale[:2])))
    notes += scale
    if len(windows.errors) >= LEAST_SAMPLES:
        notes += _other_windows(robots, chosen)
    found = list(figures)
    for names, errors, kind, of in (
            (RANGE, sightings.range_error, 'ranges', 'metres'),
            (BEARING, sightings.bearing_error, 'bearings', 'radians, left positive')):
        data = _sighting_errors(names, sightings, errors)
        figures, outliers = _figures(names, data)
        found += figures
        notes += _share(outliers, kind, 'outliers', (
            f'{kind} in {of}, with the ids of the true poses, at the same times'))
        notes += correlation_note(kind, sightings, errors, outliers)
    return Estimate(tuple(found), tuple(notes), chosen)


def _window(age: float | None) -> float:
    """Return the length of windows in whole steps [s]."""
    wanted = USUAL_WINDOW if age is None else min(max(age, SHORTEST_WINDOW), LONGEST_WINDOW)
    return STEP * round(wanted / STEP)


def _why(window: float | None, age: float | None, chosen: float) -> str:
    if window is not None:
        return f'errors of odometry over {chosen:g} s, as asked for'
    if age is None:
        return f'errors of odometry over {chosen:g} s: there are no sightings of robots'
    return (f'errors of odometry over {chosen:g} s: the latest sighting of a robot nearby is '
            f'{age:.1f} s old in the median')


def _sighting_errors(names: Sequence[str], sightings: Sightings, errors: Array) -> Errors:
    """Return the errors of ranges or bearings, and their sources."""
    measured = ~np.isnan(errors)
    sources = np.ones((int(measured.sum()), len(names), 1, 1))
    if len(names) == 2:
        sources[:, 1, 0, 0] = sightings.distance[measured] ** 2
    return Errors(errors[measured][:, np.newaxis], sources, sighting_blocks(sightings, measured))


def _figures(names: Sequence[str], data: Errors) -> tuple[list[Figure], NDArray[np.bool_] | None]:
    """Return the estimates, and the outliers among the errors; ``None``: too few errors."""
    declared = {p.name: p for p in table(LocalisationParameters)}
    defaults = np.array([declared[name].default for name in names])
    n = len(data.errors)
    if n < LEAST_SAMPLES:
        why = 'nothing was recorded' if n == 0 else f'{n} samples are too few'
        return [Figure(name, declared[name].default, n, kept=why) for name in names], None
    some = data.thinned(MOST_SAMPLES)
    # A robot that never turns, for example, has no data on the noise of turning.
    fixed = np.array([not some.sources[:, k].any() for k in range(len(names))])
    while True:
        found = fit(some.errors, some.sources, defaults, fixed).deviations
        lower, upper = intervals(some.errors, some.sources, some.blocks, found, fixed)
        vague = ~fixed & (upper > VAGUE * lower)
        unknown = vague & (lower <= defaults) & (defaults <= upper)
        if not unknown.any():
            break
        spread = np.where(unknown, upper / np.maximum(lower, 1e-9), -1.0)
        fixed[int(np.argmax(spread))] = True
    figures = []
    for k, name in enumerate(names):
        p, value, bounds = declared[name], float(found[k]), (float(lower[k]), float(upper[k]))
        if fixed[k]:
            figures.append(Figure(
                name, p.default, n, kept='the recording cannot tell it from other noise'))
            continue
        at_most = bool(vague[k] and defaults[k] > upper[k])
        within = min(max(bounds[1] if at_most else value, p.lower or 0.0), p.upper or math.inf)
        figures.append(Figure(name, within, n, *bounds, at_most=at_most))
    everything = np.ones(len(names), dtype=bool)
    return figures, fit(data.errors, data.sources, found, everything, restart=False).outliers


def _share(outliers: NDArray[np.bool_] | None, what: str, why: str, needed: str) -> list[str]:
    """Return a note on what was left out; refuse a recording of which most would be."""
    if outliers is None:
        return []
    if np.mean(outliers) > MOST_OUTLIERS:
        raise ParameterError(f'{what}: {np.mean(outliers):.0%} of {len(outliers)} fit no noise, '
                             f'so there is no estimate; it needs {needed}')
    return [f'{what}: {np.mean(outliers):.1%} of {len(outliers)} left out ({why})']


def _other_windows(robots: Robots, chosen: float) -> list[str]:
    """Return the estimates with other windows, and with odometry corrected in scale."""
    notes = []
    for window, factors, what in (
            (SHORTEST_WINDOW, (1.0, 1.0), f'over {SHORTEST_WINDOW:g} s'),
            (LONGEST_WINDOW, (1.0, 1.0), f'over {LONGEST_WINDOW:g} s'),
            (chosen, scales(robots), 'over the same windows, odometry calibrated')):
        data = odometry_windows(robots, window, factors)
        if len(data.errors) < LEAST_SAMPLES or (window == chosen and factors == (1.0, 1.0)):
            continue
        some = data.thinned(MOST_SAMPLES)
        defaults = np.array([p.default for p in table(LocalisationParameters)
                             if p.name in ODOMETRY])
        found = fit(some.errors, some.sources, defaults, np.zeros(4, dtype=bool)).deviations
        numbers = ', '.join(f'{name.rpartition("_")[2]} {value:.2g}'
                            for name, value in zip(ODOMETRY, found))
        notes.append(f'{what}: {numbers}')
    return notes
