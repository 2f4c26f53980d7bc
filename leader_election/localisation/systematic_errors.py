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

"""Systematic errors in recordings, not described by noise parameters: scale, bias, correlation."""

from leader_election.localisation.recorded_errors import (
    Array,
    motions,
    Recorded,
    Robots,
    sampled,
    Sightings,
    STEP,
)
import numpy as np
from numpy.typing import NDArray

DRIVING = 0.02
"""The least length of a step whose direction gives the front [m]."""
TURNED = 0.05
"""The angle between a reference's front and the robot's beyond which it is reported [rad]."""
ALIKE = 0.3
"""The correlation of successive errors beyond which it is reported."""
SUCCESSIVE = 2.0
"""Sightings of a pair within this time are successive [s]."""


def scales(robots: Robots) -> tuple[float, float]:
    """Return the ratios of true to odometry's path length, and of true to odometry's turn."""
    return _scales([_steps(robot) for robot in robots.values()])


def scale_notes(robots: Robots) -> list[str]:
    """Return lines on the scale of odometry, and on a reference with another front."""
    steps = {number: _steps(robot) for number, robot in robots.items()}
    steps = {number: pair for number, pair in steps.items() if len(pair[0])}
    if not steps:
        return []
    each = [_scales([pair]) for pair in steps.values()]
    notes = [
        f'odometry: the true {what} is {_scales(list(steps.values()))[k]:.3f} of that reported'
        f' (single robots: {min(one[k] for one in each):.3f} to {max(one[k] for one in each):.3f})'
        for k, what in enumerate(('way', 'turn'))]
    for number, pair in steps.items():
        front = _front(*pair)
        if abs(front) > TURNED:
            notes.append(f'robot {number}: the reference has its front {front:+.2f} rad off the '
                         'direction of driving; correct it, or its errors count as noise')
    return notes


def _steps(robot: Recorded) -> tuple[Array, Array]:
    """Return the motions by odometry and by the reference, shape (n, 3) each."""
    begin = max(robot.odometry[0, 0], robot.reference[0, 0])
    end = min(robot.odometry[-1, 0], robot.reference[-1, 0])
    times = np.arange(begin, end, STEP)
    by_odometry, by_reference = (
        motions(sampled(rows, times)) for rows in (robot.odometry, robot.reference))
    good = ~np.isnan(by_odometry + by_reference).any(axis=1)
    return by_odometry[good], by_reference[good]


def _scales(pairs: list[tuple[Array, Array]]) -> tuple[float, float]:
    by_odometry, truth = (np.concatenate(parts) for parts in zip(*pairs))
    found = []
    for columns in ([0, 1], [2]):
        square = float((by_odometry[:, columns] ** 2).sum())
        product = float((by_odometry[:, columns] * truth[:, columns]).sum())
        found.append(product / square if square > 1e-6 else 1.0)
    return found[0], found[1]


def _front(by_odometry: Array, truth: Array) -> float:
    """Return the angle from the reference's front to odometry's [rad]."""
    driving = np.hypot(by_odometry[:, 0], by_odometry[:, 1]) > DRIVING
    if not driving.any():
        return 0.0
    (x, y), (u, v) = by_odometry[driving, :2].T, truth[driving, :2].T
    return float(np.arctan2(np.sum(x * v - y * u), np.sum(x * u + y * v)))


def correlation_note(kind: str, sightings: Sightings, errors: Array,
                     outliers: NDArray[np.bool_] | None) -> list[str]:
    """
    Return lines on the bias of measurements, and on the correlation of successive ones.

    :param kind: their name.
    :param errors: shape (n,), NaN where not measured.
    :param outliers: which of the measured ones are left out.
    """
    if outliers is None:
        return []
    chosen = np.flatnonzero(~np.isnan(errors))[~outliers]
    order = chosen[np.lexsort((
        sightings.time[chosen], sightings.seen[chosen], sightings.observer[chosen]))]
    values, times = errors[order], sightings.time[order]
    same = ((np.diff(sightings.observer[order]) == 0) & (np.diff(sightings.seen[order]) == 0)
            & (np.diff(times) <= SUCCESSIVE))
    bias = float(np.median(values))
    notes = [f'{kind}: off by {bias:+.3f} in the median'
             + (f'; range_offset {-bias:.3f} makes up for it' if kind == 'ranges' else '')]
    if same.sum() >= 20:
        pairs = values[:-1][same], values[1:][same]
        square = float(np.mean(pairs[0] ** 2 + pairs[1] ** 2)) / 2.0
        correlation = float(np.mean(pairs[0] * pairs[1])) / max(square, 1e-300)
        if correlation > ALIKE:
            notes.append(f'{kind}: successive errors of a pair have a correlation of '
                         f'{correlation:.2f}; a filter takes them for independent')
    return notes
