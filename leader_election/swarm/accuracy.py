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
Accuracy of localisation against true poses, by the usual figures of the field.

- *Absolute*: the error of positions in the shared frame, without alignment. Its root mean square
  over the run is the absolute trajectory error (ATE) of a robot, or of the team.
- *Relative*: the error of the position of a robot that is truly in range, in the frame of the
  observer. The observer's heading counts, a common drift does not.
- *NEES*: the normalised estimation error squared, ``e' P^-1 e``, per degree of freedom, 1 on
  average where covariances are right (Y. Bar-Shalom, X. Li, T. Kirubarajan, *Estimation with
  Applications to Tracking and Navigation*, 2001, 5.4).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain
import math
from typing import NamedTuple

from leader_election.election.messages.codec import Position
from leader_election.localisation.poses import between, PlanePose
from leader_election.swarm.snapshot import Snapshot
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class AccuracyFigures(NamedTuple):
    """Root mean squares over all samples, and means of NEES, ``None`` if unknown."""

    relative: float | None
    """The error of the positions of robots in range, in the observer's frame [m]."""
    absolute: float | None
    """The error of the positions of all robots in the shared frame [m]."""
    robots: Mapping[int, float]
    """The same of each robot, by its id [m]."""
    nees_pose: float | None
    """The NEES of x, y, yaw in the shared frame, where covariances are known."""


class Accuracy:
    """
    Collects errors of estimates.

    >>> accuracy = Accuracy()
    >>> accuracy.add_pose(1, (3.0, 4.0, 0.1), (0.0, 0.0, 0.0), np.diag((9.0, 16.0, 0.01)))
    >>> accuracy.add_pose(2, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    >>> found = accuracy.figures()
    >>> round(found.absolute, 3), found.robots, round(found.nees_pose, 3), found.relative
    (3.536, {1: 5.0, 2: 0.0}, 1.0, None)
    """

    def __init__(self) -> None:
        self.poses: dict[int, list[float]] = defaultdict(list)
        """The squared errors of positions by robot [m2]."""
        self.relative: list[float] = []
        """The squared errors of relative positions [m2]."""
        self.nees: list[float] = []
        """The NEES of poses."""

    def add_pose(self, robot: int, found: PlanePose, true: PlanePose,
                 covariance: Array | None = None) -> None:
        """
        Add the estimate of a robot's own pose.

        :param found, true: in the shared frame [m, rad].
        :param covariance: of x, y, yaw, shape (3, 3), ``None`` if not published, or unknown.
        """
        error = (found[0] - true[0], found[1] - true[1],
                 math.remainder(found[2] - true[2], 2.0 * math.pi))
        self.poses[robot].append(error[0]**2 + error[1]**2)
        if covariance is not None:
            self.nees.append(nees(np.array(error), covariance))

    def figures(self) -> AccuracyFigures:
        """Return the figures over all samples."""
        return AccuracyFigures(
            _root(self.relative), _root([*chain.from_iterable(self.poses.values())]),
            {robot: _root(squares) or 0.0 for robot, squares in sorted(self.poses.items())},
            mean(self.nees))


def nees(error: Array, covariance: Array) -> float:
    """
    Return the normalised estimation error squared per degree of freedom, nan if not positive.

    :param error: shape (n,).
    :param covariance: shape (n, n).

    >>> nees(np.array([2.0, 0.0]), np.eye(2)), nees(np.zeros(2), np.zeros((2, 2)))
    (2.0, nan)
    """
    try:
        whitened = np.linalg.solve(np.linalg.cholesky(covariance), error)
    except np.linalg.LinAlgError:
        return math.nan
    return float(whitened @ whitened) / len(error)


def relative_error(observer: PlanePose, place: Position, true_observer: PlanePose,
                   true_place: Position) -> tuple[float, float]:
    """
    Return the error of another robot's place, in the frame of the observer [m].

    >>> relative_error((1.0, 1.0, 0.0), (3.0, 0.0), (0.0, 0.0, 0.0), (2.0, 0.0))
    (0.0, -1.0)
    """
    (x, y, _), (true_x, true_y, _) = (between(pose, (*there, 0.0)) for pose, there in (
        (observer, place), (true_observer, true_place)))
    return x - true_x, y - true_y


def compare_messages(snapshot: Snapshot, true: Mapping[int, PlanePose], reach: float,
                     odometry: Accuracy, filtered: Accuracy) -> None:
    """
    Add the poses that robots report in their messages.

    A relative position is that between two reported poses. Messages hold the standard deviations
    of position (along the axis where it is greater) and heading: their NEES is at most that of the
    full covariance.

    :param true: each robot's true pose at the time of its message. Robots without one are left
        out.
    :param reach: pairs farther apart than this do not count [m].
    :param odometry: takes the poses by odometry alone.
    :param filtered: takes those corrected by a filter, of robots that run one.
    """
    for into, by_odometry in (odometry, True), (filtered, False):
        found: dict[int, PlanePose] = {}
        for robot, view in snapshot.robots.items():
            pose = (view.dead_reckoned or view.pose) if by_odometry else view.pose
            if pose is None or robot not in true or not (by_odometry or view.dead_reckoned):
                continue
            found[robot] = pose
            deviations = (view.deviation, view.deviation, view.heading_deviation)
            # Those of the message are the filter's, if there is one.
            known = np.isfinite(deviations).all() and by_odometry != bool(view.dead_reckoned)
            into.add_pose(robot, pose, true[robot],
                          np.diag(np.square(deviations)) if known else None)
        for one, pose in found.items():
            for other in found.keys() - {one}:
                if math.dist(true[one][:2], true[other][:2]) <= reach:
                    x, y = relative_error(pose, found[other][:2], true[one], true[other][:2])
                    into.relative.append(x**2 + y**2)


def accuracy_lines(figures: Mapping[str, AccuracyFigures], reach: float) -> Iterator[str]:
    """
    Yield the lines of a report, none without a figure.

    :param figures: by the name of their row.
    :param reach: the greatest distance of counted pairs [m].
    """
    rows = {name: each for name, each in figures.items() if each.absolute is not None}
    if not rows:
        return
    yield f'accuracy: RMS errors [m] of the relative positions of pairs{within(reach)},'
    yield "in the observer's frame, and of absolute positions (ATE), of the team and by"
    yield 'robot; NEES per degree of freedom, 1: right, where the covariance is known'
    yield f'{"":20}{"relative":>9}{"absolute":>9}{"NEES":>7}  by robot'
    for name, each in rows.items():
        yield (f'{name:>20}{number_text(each.relative):>9}{number_text(each.absolute):>9}'
               f'{number_text(each.nees_pose):>7}  '
               + ' '.join(f'{robot}: {error:.2f}' for robot, error in each.robots.items()))


def within(reach: float) -> str:
    """Return the words for a greatest distance [m], empty if all distances count."""
    return f' within {reach:g} m' if math.isfinite(reach) else ''


def number_text(value: float | None) -> str:
    """Return a figure with two decimals, ``-`` where it is not known."""
    return '-' if value is None else f'{value:.2f}'


def mean(values: list[float]) -> float | None:
    """Return the mean of the finite values, ``None`` if there are none."""
    finite = [value for value in values if math.isfinite(value)]
    return sum(finite) / len(finite) if finite else None


def _root(squares: list[float]) -> float | None:
    found = mean(squares)
    return None if found is None else math.sqrt(found)
