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

"""True positions of robots in a recording, and the motion that aligns positions with others."""

from collections.abc import Mapping, Sequence
import math

from leader_election.election.messages.codec import Position
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
        """Return poses at these times [s], interpolated, shape (n, 3); NaN: not known."""
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
    Return places after the best rigid motion in the plane onto others.

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
    """Return true positions after the motion onto those of a snapshot."""
    believed = np.array([snapshot.robots[robot].position for robot in true])
    return {robot: (x, y) for robot, (x, y) in zip(
        true, aligned(np.array(list(true.values())), believed).tolist())}
