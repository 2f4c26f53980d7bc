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

A sighting depends on three numbers only: the vector from the observer to the target, and
the observer's heading. One sighting is therefore linearised and iterated with their 3 x 3
covariance, in plain numbers; numpy's overhead would exceed the computation. Many ranges are
processed at once, linearised once. Rows of state and covariance are those of
:mod:`leader_election.localisation.block`, and places are relative to the filter's origin.
"""

from collections.abc import Sequence
import math
from typing import NamedTuple

from leader_election.localisation.block import correct
from leader_election.localisation.doubtful_ranges import DoubtfulRanges, Pair
from leader_election.localisation.noise import Array, range_variance
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.plane import PlanePose, wrap
from leader_election.localisation.sensor_bias import BiasEstimate, BY_BEARING, BY_RANGE
import numpy as np

GATES = (0.0, 10.83, 13.82)
"""The gate: 99.9 % quantiles of squared normalised errors, by the number of measured values."""
ITERATIONS = 3
"""The iterations of an update with a bearing, each linearised at the last estimate."""
NEAREST = 0.3
"""The least range for computing bearings and curvature [m]."""
BENT = 0.1
"""The curvature error beyond which sightings are processed one by one [m]."""
LANDMARK = -1
"""In place of the row of the target: a landmark at a known place."""


class Earlier(NamedTuple):
    """
    Earlier poses less the present ones, by odometry.

    An error of a robot's frame moves its earlier place with it. So a sighting of an earlier time
    measures the present errors, from the earlier places.
    """

    here: PlanePose = (0.0, 0.0, 0.0)
    """The observer's [m, m, rad]."""
    there: tuple[float, float] = (0.0, 0.0)
    """The target's [m]."""


PRESENT = Earlier()
"""Those of a sighting of now."""


class Line(NamedTuple):
    """A sighting, and the rows of state and covariance that it concerns."""

    here: int
    """The first row of the observer."""
    there: int
    """The first row of the target, or :data:`LANDMARK`."""
    place: tuple[float, float]
    """Of the landmark [m]."""
    range: float  # noqa: A003
    """The measured range [m]; nan: not measured."""
    bearing: float
    """The measured bearing [rad]; nan: not measured."""
    stale: float
    """The variance of the positions due to the age of odometry [m2]."""
    range_deviation: float = math.nan
    """Of the measurement [m]; nan: that of the parameters."""
    bearing_deviation: float = math.nan
    """Of the measurement [rad]; nan: that of the parameters."""
    earlier: Earlier = PRESENT
    """Where both were at the time of the measurement."""
    pair: Pair = (0, 0)
    """The ids of observer and target."""


class Outcome(NamedTuple):
    """The normalised errors of a sighting before the update; nan: not measured."""

    range: float  # noqa: A003
    bearing: float
    accepted: bool
    """Whether it passed the gate; otherwise it changed nothing."""
    range_share: float = 0.0
    """The part of the variance of the range's error that poses have, not the sensor, 0 to 1."""
    bearing_share: float = 0.0
    """The same of the bearing's."""
    waits: bool = False
    """Whether it passed the gate, but waits for a range that says the same; it is not accepted."""


def update(state: Array, covariance: Array, line: Line, parameters: LocalisationParameters,
           bias: BiasEstimate | None = None, doubtful: DoubtfulRanges | None = None) -> Outcome:
    """
    Update state and covariance by one sighting.

    :param state: the blocks of robots, shape (6 n,); changed in place.
    :param covariance: shape (6 n, 6 n); changed in place, and symmetric to the last bit.
    :param bias: the estimate of constant errors beside it; ``None``: no estimate.
    :param doubtful: decides on ranges without a bearing that pass the gate; ``None``: all are
        used.
    """
    here, there = line.here, line.there
    px, py, yaw = (state[here:here + 3] + line.earlier.here).tolist()
    rows = [here, here + 1, here + 2]
    if there == LANDMARK:
        x, y = line.place
        by_errors = np.array(((-1.0, 0.0, py), (0.0, -1.0, -px), (0.0, 0.0, 1.0)))
    else:
        x, y = (state[there:there + 2] + line.earlier.there).tolist()
        rows += (there, there + 1, there + 2)
        by_errors = np.array(((-1.0, 0.0, py, 1.0, 0.0, -y), (0.0, -1.0, -px, 0.0, 1.0, x),
                              (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)))
    # The covariances of vector and heading with the whole state, shape (3, 6 n).
    way = by_errors @ covariance.take(rows, axis=0)
    own = way.take(rows, axis=1) @ by_errors.T
    x, y = x - px, y - py
    (xx, xy, xt), (_, yy, yt), (_, _, tt) = own.tolist()

    ranged, turned = not math.isnan(line.range), not math.isnan(line.bearing)
    length = math.sqrt(max(x * x + y * y, 1e-4))
    bend = _bend((y * y * xx - 2.0 * x * y * xy + x * x * yy) / (length * length),
                 (x * yt - y * xt) / length, tt, length)
    of_range = _range_variance(line, length, bend, parameters)
    of_bearing = line.stale / max(length, NEAREST) ** 2 + (
        parameters.bearing_noise if math.isnan(line.bearing_deviation)
        else line.bearing_deviation) ** 2
    measured = line.range - min(bend, 0.5 * line.range) if ranged else 0.0

    outcome = Outcome(math.nan, math.nan, False)
    step_x = step_y = turn = 0.0
    # The derivatives of range and bearing; without a measurement they stay zero.
    cos = sin = side_x = side_y = heading = range_error = bearing_error = 0.0
    for k in range(ITERATIONS if turned else 1):
        ahead_x, ahead_y = x + step_x, y + step_y
        length = math.sqrt(max(ahead_x * ahead_x + ahead_y * ahead_y, 1e-4))
        if ranged:
            cos, sin = ahead_x / length, ahead_y / length
            range_error = measured - length + cos * step_x + sin * step_y
        if turned:
            side_x, side_y, heading = (
                -ahead_y / (length * length), ahead_x / (length * length), -1.0)
            bearing_error = (
                wrap(line.bearing - math.atan2(ahead_y, ahead_x) + yaw + turn)
                + side_x * step_x + side_y * step_y - turn)
        # The covariances of vector and heading with range and bearing, then those of these two.
        rx, ry, rt = cos * xx + sin * xy, cos * xy + sin * yy, cos * xt + sin * yt
        bx = side_x * xx + side_y * xy + heading * xt
        by = side_x * xy + side_y * yy + heading * yt
        bt = side_x * xt + side_y * yt + heading * tt
        rr = cos * rx + sin * ry + of_range
        rb = cos * bx + sin * by
        bb = side_x * bx + side_y * by + heading * bt + of_bearing
        determinant = rr * bb - rb * rb
        by_range = (bb * range_error - rb * bearing_error) / determinant
        by_bearing = (rr * bearing_error - rb * range_error) / determinant
        if k == 0:
            square = range_error * by_range + bearing_error * by_bearing
            outcome = Outcome(
                range_error / math.sqrt(rr) if ranged else math.nan,
                bearing_error / math.sqrt(bb) if turned else math.nan,
                square <= GATES[ranged + turned], 1.0 - of_range / rr, 1.0 - of_bearing / bb)
            if not outcome.accepted:
                return outcome
            if doubtful is not None and not turned and not doubtful.believes(
                    line.pair, range_error, of_range):
                return outcome._replace(accepted=False, waits=True)
        step_x = rx * by_range + bx * by_bearing
        step_y = ry * by_range + by * by_bearing
        turn = rt * by_range + bt * by_bearing

    # By Cholesky's factor of the innovation's covariance; the last row is the step of the state.
    first = math.sqrt(rr)
    mixed = rb / first
    second = math.sqrt(determinant) / first
    factors = np.array((
        (cos / first, sin / first, 0.0),
        ((side_x - mixed * cos / first) / second, (side_y - mixed * sin / first) / second,
         heading / second),
        (cos * by_range + side_x * by_bearing, sin * by_range + side_y * by_bearing,
         heading * by_bearing)))
    changes = factors @ way
    correct(state, changes[2])
    covariance -= changes[:2].T @ changes[:2]
    if bias is not None:
        slopes = factors[:2] @ (by_errors @ bias.sensitivity.take(rows, axis=0))
        other = int(here > 0)
        if ranged:
            slopes[0, BY_RANGE + other] += 1.0 / first
            slopes[1, BY_RANGE + other] -= mixed / (first * second)
        if turned:
            slopes[1, BY_BEARING + other] += 1.0 / second
        error = range_error / first
        bias.take(slopes, np.array((error, (bearing_error - mixed * error) / second)),
                  changes[:2])
    return outcome


def update_by_ranges(state: Array, covariance: Array, lines: Sequence[Line],
                     parameters: LocalisationParameters,
                     bias: BiasEstimate | None = None,
                     doubtful: DoubtfulRanges | None = None) -> list[Outcome] | None:
    """
    Update state and covariance by ranges at once.

    :param state: as of :func:`update`.
    :param covariance: as of :func:`update`.
    :param lines: those with a range, and without a bearing.
    :param bias, doubtful: as of :func:`update`.
    :return: ``None``, without an update, if the poses are so uncertain that ranges have to be
        processed one by one, each after the linearisation of the last one.
    """
    m, size, numbers = len(lines), len(state), state.tolist()
    places: list[int] = []
    values: list[float] = []
    lengths = []
    for k, line in enumerate(lines):
        here, there = line.here, line.there
        px, py = numbers[here:here + 2]
        fx, fy = numbers[there:there + 2] if there != LANDMARK else line.place
        if line.earlier is not PRESENT:
            px, py = px + line.earlier.here[0], py + line.earlier.here[1]
            fx, fy = fx + line.earlier.there[0], fy + line.earlier.there[1]
        x, y = fx - px, fy - py
        length = math.sqrt(max(x * x + y * y, 1e-4))
        cos, sin = x / length, y / length
        along, across = k * size + here, (m + k) * size + here
        places += (along, along + 1, along + 2, across, across + 1, across + 2)
        values += (-cos, -sin, cos * py - sin * px, sin, -cos, -sin * py - cos * px)
        if there != LANDMARK:
            along, across = k * size + there, (m + k) * size + there
            places += (along, along + 1, along + 2, across, across + 1, across + 2)
            values += (cos, sin, sin * fx - cos * fy, -sin, cos, sin * fy + cos * fx)
        lengths.append(length)
    rows = np.zeros((2 * m, size))
    rows.put(places, values)
    product = rows @ covariance
    spread = product @ rows.T
    own_variances = spread.diagonal().tolist()

    outcomes, used, errors, variances = [], [], [], []
    for k, (line, length, own, side) in enumerate(zip(
            lines, lengths, own_variances, own_variances[m:])):
        yaw = line.here + 2
        bend = _bend(side, product[m + k, yaw], covariance[yaw, yaw], length)
        if bend > BENT:
            return None
        variance = _range_variance(line, length, bend, parameters)
        error = line.range - length - min(bend, 0.5 * line.range)
        fits = error * error <= GATES[1] * (own + variance)
        accepted = fits and (
            doubtful is None or doubtful.believes(line.pair, error, variance))
        outcomes.append(Outcome(error / math.sqrt(own + variance), math.nan, accepted,
                                own / (own + variance), waits=fits and not accepted))
        if accepted:
            used.append(k)
            errors.append(error)
            variances.append(variance)
    if not used:
        return outcomes
    if len(used) < m:
        rows, product, spread = rows[used], product[used], spread[np.ix_(used, used)]
    else:
        rows, product, spread = rows[:m], product[:m], spread[:m, :m]
    root = np.linalg.inv(np.linalg.cholesky(spread + np.diag(variances)))
    changes = root @ product
    whitened = root @ errors
    correct(state, whitened @ changes)
    covariance -= changes.T @ changes
    if bias is not None:
        slopes = rows @ bias.sensitivity
        for k, each in enumerate(used):
            slopes[k, BY_RANGE + (lines[each].here > 0)] += 1.0
        bias.take(root @ slopes, whitened, changes)
    return outcomes


def _bend(across: float, mixed: float, heading: float, length: float) -> float:
    """
    Return the difference of the expected range from the linearised one [m].

    A turn of observer and target together changes no range; so the variance across the line of
    sight is taken in the shared frame or in that of the observer, whichever is less.

    :param across: the variance across the line of sight, in the shared frame [m2].
    :param mixed: its covariance with the observer's heading [m rad].
    :param heading: the variance of this heading [rad2].
    """
    turned = across - 2.0 * length * mixed + length * length * heading
    return max(min(across, turned), 0.0) / (2.0 * max(length, NEAREST))


def _range_variance(line: Line, length: float, bend: float,
                    parameters: LocalisationParameters) -> float:
    """Return the variance of a measured range [m2]."""
    own = (range_variance(length, parameters) if math.isnan(line.range_deviation)
           else line.range_deviation ** 2)
    return own + 2.0 * bend * bend + line.stale
