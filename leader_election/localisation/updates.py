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
Updates of an extended Kalman filter by sightings, in place.

A sighting depends on three numbers only: the vector from the observer to the target, and the
observer's heading. So one sighting is linearised and iterated with their 3 x 3 covariance, in
plain numbers, because numpy's overhead would exceed the computation. Rows of state and covariance
are those of :mod:`leader_election.localisation.pose_estimates`, and places are relative to the
filter's origin.
"""

from collections.abc import Sequence
import math
from typing import NamedTuple

from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.pose_estimates import correct, OFFSET
from leader_election.localisation.poses import Array, PlanePose, wrap
from leader_election.localisation.sighting import range_variance
import numpy as np

GATES = (0.0, 10.83, 13.82)
"""The gate: 99.9 % quantiles of squared normalised errors, by the number of measured values."""
STRICT_GATES = (0.0, 2.71, 4.61)
"""The gate where sensors often give wrong ids, some of which fit by chance: 90 % quantiles."""
ITERATIONS = 3
"""The iterations of an update with a bearing, each linearised at the last estimate."""
NEAREST = 0.3
"""The least range for computing bearings and curvature [m]."""
LANDMARK = -1
"""Stands for the row of the target when this is a landmark."""


class Earlier(NamedTuple):
    """
    The differences of earlier poses from the present ones, by odometry.

    An error of a robot's frame moves its earlier place with it. So a sighting of an earlier time
    measures the present errors, from the earlier places.
    """

    observer: PlanePose = (0.0, 0.0, 0.0)
    """[m, m, rad]."""
    target: tuple[float, float] = (0.0, 0.0)
    """[m]."""


PRESENT = Earlier()
"""The differences for a prompt sighting."""


class Measurement(NamedTuple):
    """A measurement, and the rows of state and covariance that it concerns."""

    here: int
    """The first row of the observer."""
    there: int
    """The first row of the target, or :data:`LANDMARK`."""
    place: tuple[float, float]
    """The place of the landmark [m]."""
    range: float  # noqa: A003
    """The measured range [m], nan if not measured."""
    bearing: float
    """The measured bearing [rad], nan if not measured."""
    stale: float
    """The variance of the positions due to the age of odometry [m²]."""
    range_deviation: float = math.nan
    """Of the range [m], nan to use the parameters."""
    bearing_deviation: float = math.nan
    """Of the bearing [rad], nan to use the parameters."""
    earlier: Earlier = PRESENT


class Outcome(NamedTuple):
    """The normalised errors of a sighting before the update, nan if not measured."""

    range: float  # noqa: A003
    bearing: float
    accepted: bool
    """Whether the sighting passed the gate, otherwise it changed nothing."""
    range_share: float = 0.0
    """The part of the variance of the range's error that is due to poses, 0 to 1."""
    bearing_share: float = 0.0
    """The same part for the bearing."""


_Vector = tuple[float, float, float]
"""Derivatives by x and y of the vector to the target, and by the observer's heading."""
_Linear = tuple[_Vector, _Vector, float, float, _Vector, _Vector, float, float, float]
"""
A linearised sighting: the slopes of range and bearing, and their errors, zero where not measured;
the covariances of both with vector and heading; the variance of the range's error, the covariance
of both errors, and the variance of the bearing's error.
"""
_Noise = tuple[float, float, float]
"""
The measured range less the error of its linearisation [m], and the variances of range and bearing
[m², rad²].
"""


def update(state: Array, covariance: Array, line: Measurement,
           parameters: LocalisationParameters, gates: Sequence[float] = GATES) -> Outcome:
    """
    Update state and covariance by one sighting.

    :param state: the blocks of robots, shape (7 n,), changed in place.
    :param covariance: shape (7 n, 7 n). Changed in place, and symmetric to the last bit.
    """
    here, there = line.here, line.there
    px, py, yaw = (state[here:here + 3] + line.earlier.observer).tolist()
    rows, offset = [here, here + 1, here + 2], state.item(here + OFFSET)
    by_errors: tuple[tuple[float, ...], ...]
    if there == LANDMARK:
        x, y = line.place
        by_errors = ((-1.0, 0.0, py), (0.0, -1.0, -px), (0.0, 0.0, 1.0))
    else:
        x, y = (state[there:there + 2] + line.earlier.target).tolist()
        rows += (there, there + 1, there + 2)
        offset += state.item(there + OFFSET)
        by_errors = ((-1.0, 0.0, py, 1.0, 0.0, -y), (0.0, -1.0, -px, 0.0, 1.0, x),
                     (0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    x, y = x - px, y - py
    poses = len(rows)
    if math.isnan(line.bearing):
        # The offsets of both radios lengthen the vector, as a motion along the line of sight.
        length = max(math.hypot(x, y), NEAREST)
        radios = [first + OFFSET for first in (here, there) if first != LANDMARK]
        rows += radios
        by_errors = tuple((*row, *[part] * len(radios))
                          for row, part in zip(by_errors, (x / length, y / length, 0.0)))
        line = line._replace(range=line.range - offset)
    derivatives = np.array(by_errors)
    # The covariances of vector and heading with the whole state, shape (3, 7 n).
    way = derivatives @ covariance.take(rows, axis=0)
    own = (way.take(rows, axis=1) @ derivatives.T).tolist()
    noise = _noise(line, x, y, own, parameters)
    linear = _linearised(line, noise, x, y, yaw, (0.0, 0.0, 0.0), own)
    outcome = _judged(line, noise, linear, gates)
    if len(rows) > poses:
        # A wrong pose must not pass for the offset of a radio: the gate is that of the poses.
        slopes = np.array(linear[0]) @ derivatives[:, :poses]
        variance = slopes @ covariance[np.ix_(rows[:poses], rows[:poses])] @ slopes
        outcome = outcome._replace(
            accepted=bool(linear[2] ** 2 <= gates[1] * (noise[1] + variance)))
    if not outcome.accepted:
        return outcome
    turned = not math.isnan(line.bearing)
    for _ in range(ITERATIONS - 1 if turned else 0):
        by_range, by_bearing = _gains(linear)
        _, _, _, _, (rx, ry, rt), (bx, by, bt), *_ = linear
        linear = _linearised(line, noise, x, y, yaw, (
            rx * by_range + bx * by_bearing, ry * by_range + by * by_bearing,
            rt * by_range + bt * by_bearing), own)

    # By Cholesky's factor of the innovation's covariance. The last row is the step of the state.
    range_slopes, bearing_slopes, _, _, _, _, rr, rb, bb = linear
    first = math.sqrt(rr)
    mixed = rb / first
    second = math.sqrt(rr * bb - rb * rb) / first
    whitening = np.array(((1.0 / first, 0.0), (-mixed / (first * second), 1.0 / second),
                          _gains(linear)))
    changes = whitening @ (range_slopes, bearing_slopes) @ way
    correct(state, changes[2])
    covariance -= changes[:2].T @ changes[:2]
    return outcome


def _noise(line: Measurement, x: float, y: float, own: Sequence[Sequence[float]],
           parameters: LocalisationParameters) -> _Noise:
    """
    Return the noise of a sighting.

    :param x: the vector from the observer to the target, with y [m].
    :param own: the covariance of this vector and the observer's heading, 3 x 3.
    """
    (xx, xy, xt), (_, yy, yt), (_, _, tt) = own
    square = max(x * x + y * y, 1e-4)
    length = math.sqrt(square)
    across = (y * y * xx - 2.0 * x * y * xy + x * x * yy) / square
    turned = across - 2.0 * (x * yt - y * xt) + square * tt
    near = max(length, NEAREST)
    # The difference of the expected range from the linearised one. A turn of observer and target
    # together changes no range: the variance across the line of sight is taken in the shared
    # frame or in that of the observer, whichever is less.
    bend = max(min(across, turned), 0.0) / (2.0 * near)
    _, _, _, measured, _, stale, range_deviation, bearing_deviation, *_ = line
    of_range = (range_variance(length, parameters) if math.isnan(range_deviation)
                else range_deviation ** 2) + 2.0 * bend * bend + stale
    of_bearing = stale / near ** 2 + (
        parameters.bearing_noise if math.isnan(bearing_deviation) else bearing_deviation) ** 2
    return (0.0 if math.isnan(measured) else measured - min(bend, 0.5 * measured),
            of_range, of_bearing)


def _linearised(line: Measurement, noise: _Noise, x: float, y: float, yaw: float,
                step: tuple[float, float, float], own: Sequence[Sequence[float]]) -> _Linear:
    """
    Return a sighting linearised at a step from the estimate.

    :param step: of the vector and of the heading.
    """
    (xx, xy, xt), (_, yy, yt), (_, _, tt) = own
    step_x, step_y, turn = step
    ahead_x, ahead_y = x + step_x, y + step_y
    square = max(ahead_x * ahead_x + ahead_y * ahead_y, 1e-4)
    length = math.sqrt(square)
    cos = sin = side_x = side_y = heading = range_error = bearing_error = rb = 0.0
    measured, rr, bb = noise
    rx = ry = rt = bx = by = bt = 0.0
    if line.range == line.range:
        cos, sin = ahead_x / length, ahead_y / length
        range_error = measured - length + cos * step_x + sin * step_y
        rx, ry, rt = cos * xx + sin * xy, cos * xy + sin * yy, cos * xt + sin * yt
        rr += cos * rx + sin * ry
    if line.bearing == line.bearing:
        side_x, side_y, heading = -ahead_y / square, ahead_x / square, -1.0
        bearing_error = (wrap(line.bearing - math.atan2(ahead_y, ahead_x) + yaw + turn)
                         + side_x * step_x + side_y * step_y - turn)
        bx = side_x * xx + side_y * xy - xt
        by = side_x * xy + side_y * yy - yt
        bt = side_x * xt + side_y * yt - tt
        rb = cos * bx + sin * by
        bb += side_x * bx + side_y * by - bt
    return ((cos, sin, 0.0), (side_x, side_y, heading), range_error, bearing_error,
            (rx, ry, rt), (bx, by, bt), rr, rb, bb)


def _gains(linear: _Linear) -> tuple[float, float]:
    """Return the errors of range and bearing, by the inverse of their covariance."""
    _, _, range_error, bearing_error, _, _, rr, rb, bb = linear
    determinant = rr * bb - rb * rb
    return ((bb * range_error - rb * bearing_error) / determinant,
            (rr * bearing_error - rb * range_error) / determinant)


def _judged(line: Measurement, noise: _Noise, linear: _Linear,
            gates: Sequence[float]) -> Outcome:
    """Return the normalised errors of a sighting, and whether they pass the gate."""
    _, _, range_error, bearing_error, _, _, rr, rb, bb = linear
    _, of_range, of_bearing = noise
    ranged, turned = not math.isnan(line.range), not math.isnan(line.bearing)
    square = (bb * range_error * range_error - 2.0 * rb * range_error * bearing_error
              + rr * bearing_error * bearing_error) / (rr * bb - rb * rb)
    # A bool of numpy is no index.
    accepted = bool(square <= gates[ranged + turned])
    return Outcome(range_error / math.sqrt(rr) if ranged else math.nan,
                   bearing_error / math.sqrt(bb) if turned else math.nan, accepted,
                   1.0 - of_range / rr, 1.0 - of_bearing / bb)
