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
True positions of a recording, and the errors of localisation against them over time.

Positions are *aligned*: compared after the best rigid motion (rotation and translation, no scale)
of all robots' positions onto the true ones. The shared frame drifts as a whole where no robot
knows its absolute position, and an election does not depend on that.
"""

from collections.abc import Iterator, Mapping, Sequence
import math
from typing import NamedTuple

from leader_election.election.messages.codec import Position
from leader_election.swarm.accuracy import Accuracy, AccuracyFigures, compare_messages, within
from leader_election.swarm.snapshot import Snapshot
import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

LONGEST_GAP = 3.0
"""The longest gap of a track over which the true position is interpolated [s]."""

Tracks = Mapping[int, Sequence[tuple[float, float, float, float]]]
"""Time [s] and pose x, y, yaw [m, rad] in the order of time, by the robot's id."""


class Track:
    """The true poses of one robot over time."""

    def __init__(self, track: Sequence[tuple[float, float, float, float]]) -> None:
        self._table = np.array(track)
        finite = np.isfinite(self._table[:, 3])
        self._table[finite, 3] = np.unwrap(self._table[finite, 3])

    def at(self, times: ArrayLike) -> Array:
        """Return interpolated poses at these times [s], shape (n, 3), NaN if unknown."""
        wanted = np.asarray(times, dtype=float)
        at = self._table[:, 0]
        places = np.column_stack([
            np.interp(wanted, at, along, left=np.nan, right=np.nan)
            for along in self._table[:, 1:].T])
        after = np.clip(np.searchsorted(at, wanted), 1, len(at) - 1)
        places[at[after] - at[after - 1] > LONGEST_GAP] = np.nan
        return places


def usable(tracks: Tracks) -> dict[int, Track]:
    """Return the tracks of more than one pose."""
    return {robot: Track(track) for robot, track in tracks.items() if len(track) > 1}


def aligned(places: Array, target: Array) -> Array:
    """
    Return places after the best rigid motion in the plane onto a target.

    :param places, target: [m], shape (n, 2).

    >>> target = np.array([(0.0, 0.0), (2.0, 0.0), (0.0, 1.0)])
    >>> turned = target @ np.array([(0.0, 1.0), (-1.0, 0.0)]) + (5.0, 7.0)
    >>> np.allclose(aligned(turned, target), target)
    True
    """
    moved, centre = places - places.mean(axis=0), target.mean(axis=0)
    # The angle that minimises the sum of squares (Kabsch 1976, in the plane).
    angle = math.atan2((moved[:, 0] * (target - centre)[:, 1]
                        - moved[:, 1] * (target - centre)[:, 0]).sum(),
                       (moved * (target - centre)).sum())
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.asarray(moved @ np.array(((cosine, sine), (-sine, cosine))) + centre)


def true_positions(snapshots: Sequence[Snapshot], tracks: Tracks) -> list[dict[int, Position]]:
    """
    Return the true positions for each snapshot, by id, in the frame of the robots.

    They are those at the times of the robots' messages, after the best rigid motion of all onto
    the positions in messages: true poses may have a frame of their own.

    :return: of robots with both positions, where there are two or more.
    """
    true: list[dict[int, Position]] = [{} for _ in snapshots]
    for robot, track in usable(tracks).items():
        at = [(row, view.heard) for row, snapshot in enumerate(snapshots)
              if (view := snapshot.robots.get(robot)) is not None and view.position is not None]
        for (row, _), (x, y, _) in zip(at, track.at([heard for _, heard in at]).tolist()):
            if math.isfinite(x + y):
                true[row][robot] = x, y
    return [_moved(found, snapshot) if len(found) > 1 else {}
            for found, snapshot in zip(true, snapshots)]


def _moved(true: Mapping[int, Position], snapshot: Snapshot) -> dict[int, Position]:
    """Return true positions after the rigid motion onto the positions of a snapshot."""
    believed = np.array([snapshot.robots[robot].position for robot in true])
    return {robot: (x, y) for robot, (x, y) in zip(
        true, aligned(np.array(list(true.values())), believed).tolist())}


PERIOD = 1.0
"""Time between two evaluations of positions [s]."""
DistanceRow = tuple[float, int, float, float]
"""Time [s], id of the neighbour, distance to it [m], standard deviation of the distance [m]."""
Distances = Mapping[int, Sequence[DistanceRow]]
"""The published distances of neighbours, by the publishing robot's id."""


class Localisation(NamedTuple):
    """The quality of localisation in an interval of time, ``None`` if unknown."""

    begin: float
    """[s]."""
    end: float
    """[s], exclusive."""
    positions_by_odometry: float | None
    """Root mean square error of positions by odometry alone, after alignment [m]."""
    positions: float | None
    """The same of positions corrected by the neighbourhood filter, of robots that run it."""
    distances_by_odometry: float | None
    """Root mean square error of distances of pairs within the communication range [m]."""
    distances: float | None
    """
    The same with the filter: of the distances that robots publish (``neighbour_distances``). Where
    these were not recorded, of those between corrected positions.
    """
    deviation: float | None
    """Mean standard deviation of positions in the shared frame, by the robots themselves [m]."""
    distance_deviation: float | None
    """Mean standard deviation of the distances that robots publish [m]."""
    normalised: float | None
    """Mean of (error / deviation) squared of these distances, 1 where deviations are right."""


QUANTITIES = Localisation._fields[2:]
SQUARED = QUANTITIES[:4]
"""The quantities that are root mean squares."""


class LocalisationErrors:
    """
    Collects samples of the quantities of :class:`Localisation` over time.

    >>> errors = LocalisationErrors()
    >>> errors.add('positions', 0.0, [3.0, 4.0])
    >>> errors.add('deviation', 1.0, [0.1, float('nan'), 0.3])
    >>> found = errors.between(0.0, 2.0)
    >>> round(found.positions, 2), found.deviation, found.distances
    (3.54, 0.2, None)
    """

    def __init__(self) -> None:
        self._samples = {quantity: [np.empty((2, 0))] for quantity in QUANTITIES}
        """Times [s] and values, shape (2, n), by quantity; of squared ones their squares."""

    def add(self, quantity: str, time: ArrayLike, values: ArrayLike) -> None:
        """
        Add the finite values of a quantity.

        :param time: of all values, or of each [s].
        """
        given = np.asarray(values, dtype=float)
        found = np.stack([np.broadcast_to(np.asarray(time, dtype=float), given.shape),
                          given ** 2 if quantity in SQUARED else given])
        self._samples[quantity].append(found[:, np.isfinite(given)])

    @property
    def empty(self) -> bool:
        """Return whether there are no samples."""
        return not any(each.size for samples in self._samples.values() for each in samples)

    def between(self, begin: float, end: float) -> Localisation | None:
        """Return the means over ``[begin, end)`` [s], ``None`` if there are no samples."""
        means = [self._mean(quantity, begin, end) for quantity in QUANTITIES]
        return Localisation(begin, end, *means) if any(m is not None for m in means) else None

    def _mean(self, quantity: str, begin: float, end: float) -> float | None:
        # Put together once for all intervals.
        self._samples[quantity] = [np.hstack(self._samples[quantity])]
        times, values = self._samples[quantity][0]
        inside = values[(begin <= times) & (times < end)]
        if not inside.size:
            return None
        mean = float(inside.mean())
        return math.sqrt(mean) if quantity in SQUARED else mean

    def over_time(self, begin: float, end: float, intervals: int) -> list[Localisation]:
        """Return the means over equal intervals of ``[begin, end]`` [s], without empty ones."""
        bounds = np.linspace(begin, end, intervals + 1).tolist()
        bounds[-1] = math.nextafter(end, math.inf)
        found = (self.between(*pair) for pair in zip(bounds, bounds[1:]))
        return [each for each in found if each is not None]


def localisation_errors(snapshots: Sequence[Snapshot], tracks: Tracks, distances: Distances,
                        communication_range: float) -> LocalisationErrors:
    """
    Evaluate positions, distances and deviations of a run.

    :param snapshots: in the order of time.
    :param tracks: true positions; without them only deviations are evaluated.
    :param distances: distances of neighbours as the robots publish them.
    :param communication_range: pairs farther apart than this do not count [m].
    """
    errors = LocalisationErrors()
    truth = usable(tracks)
    for snapshot in once_a_period(snapshots):
        errors.add('deviation', snapshot.time,
                   [robot.deviation for robot in snapshot.robots.values()])
        _add_positions(errors, snapshot, truth, communication_range, not distances)
    for robot, rows in distances.items():
        _add_distances(errors, robot, rows, truth, communication_range)
    return errors


def accuracy_of_messages(snapshots: Sequence[Snapshot], tracks: Tracks,
                         communication_range: float) -> dict[str, AccuracyFigures]:
    """
    Return the accuracy of the poses in messages, by odometry alone and with the filter.

    Absolute figures hold where the true poses are in the frame of the robots.

    :param communication_range: pairs farther apart than this do not count [m].
    """
    truth = usable(tracks)
    found = {'odometry': Accuracy(), 'filter': Accuracy()}
    for snapshot in once_a_period(snapshots):
        true = {i: truth[i].at([robot.heard])[0].tolist()
                for i, robot in snapshot.robots.items() if i in truth}
        compare_messages(snapshot, {i: (x, y, yaw) for i, (x, y, yaw) in true.items()
                                    if math.isfinite(x + y + yaw)},
                         communication_range, *found.values())
    return {name: each.figures() for name, each in found.items()}


def once_a_period(snapshots: Sequence[Snapshot]) -> Iterator[Snapshot]:
    """Yield one snapshot in each :data:`PERIOD`."""
    last = -math.inf
    for snapshot in snapshots:
        # Rounding may make a snapshot a little early.
        if not 0.0 <= snapshot.time - last < 0.99 * PERIOD:
            last = snapshot.time
            yield snapshot


def _add_positions(errors: LocalisationErrors, snapshot: Snapshot, truth: Mapping[int, Track],
                   communication_range: float, between_positions: bool) -> None:
    """
    Add the errors of positions in a snapshot, and of distances between them.

    Each position is compared with the true one at the time of its message.

    :param between_positions: whether distances between corrected positions are added, too.
    """
    known = [(robot, place) for i, robot in snapshot.robots.items()
             if robot.position is not None and i in truth
             and np.isfinite(place := truth[i].at([robot.heard])[0, :2]).all()]
    filtered = [row for row in known if row[0].dead_reckoned is not None]
    for suffix, rows in (('_by_odometry', known), ('', filtered)):
        if len(rows) < 2:
            continue
        places = np.array([(robot.dead_reckoned[:2] if suffix and robot.dead_reckoned
                            else robot.position) for robot, _ in rows])
        true = np.array([place for _, place in rows])
        errors.add(f'positions{suffix}', snapshot.time,
                   np.hypot(*(aligned(places, true) - true).T))
        if suffix or between_positions:
            real = _pairs(true)
            errors.add(f'distances{suffix}', snapshot.time,
                       (_pairs(places) - real)[real <= communication_range])


def _pairs(places: Array) -> Array:
    """Return the distances of all pairs [m], shape (n (n - 1) / 2,)."""
    one, other = np.triu_indices(len(places), 1)
    return np.asarray(np.hypot(*(places[one] - places[other]).T))


def _add_distances(errors: LocalisationErrors, robot: int, rows: Sequence[DistanceRow],
                   truth: Mapping[int, Track], communication_range: float) -> None:
    """Add the distances that a robot has published."""
    times, others, distances, deviations = np.array(rows, dtype=float).reshape(-1, 4).T
    true = np.full(len(rows), np.nan)
    if robot in truth:
        own = truth[robot].at(times)[:, :2]
        for other in np.unique(others):
            if int(other) in truth:
                those = others == other
                true[those] = np.hypot(*(truth[int(other)].at(times[those])[:, :2] - own[those]).T)
    near = np.where(np.isnan(true), distances, true) <= communication_range
    off = distances - true
    normalised = np.divide(off, deviations, out=np.full(len(rows), np.nan),
                           where=deviations > 0.0) ** 2
    for name, values in (('distances', off), ('distance_deviation', deviations),
                         ('normalised', normalised)):
        errors.add(name, times[near], values[near])


def localisation_lines(shares: Sequence[Localisation], communication_range: float,
                       ) -> Iterator[str]:
    """
    Yield the lines of a report.

    :param shares: of consecutive intervals, and at last of the whole.
    :param communication_range: the greatest distance of counted pairs [m].
    """
    if not shares:
        return
    overall = shares[-1]
    yield 'localisation [m]: RMS errors of positions, after alignment of the swarm,'
    yield (f'and of the distances of pairs{within(communication_range)}; mean deviations; '
           'normalised error')
    yield f'{"":18}{"positions":>18}{"distances":>18}{"deviation of":>18}{"norm.":>7}'
    yield f'{"":18}' + ''.join(f'{word:>9}' for word in (
        'odometry', 'filter', 'odometry', 'filter', 'position', 'distance')) + f'{"error":>7}'
    for share in shares[:-1]:
        yield f'{share.begin:6.1f} to {share.end:6.1f} s{_columns(share)}'
    yield f'{"overall":>18}{_columns(overall)}'


def _columns(share: Localisation) -> str:
    widths = (9, 9, 9, 9, 9, 9, 7)
    texts = ('-' if value is None else f'{value:.2f}' for value in share[2:])
    return ''.join(f'{text:>{width}}' for text, width in zip(texts, widths))
