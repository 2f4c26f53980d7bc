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
Kinds of motion: their interface, those at rest or by logs, and all by name in :data:`MOTIONS`.

The logs are read by :func:`leader_election.simulation.robot_logs.read_logs`. Time 0 is the
earliest row of all logs. A device joins with the first row of its log and leaves with its last
one. Logs whose first or last rows are less than a step apart begin or end together.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from leader_election.parameters import NoParameters, ParameterError
from leader_election.parameters.registry import Registry
from leader_election.simulation.robot_logs import first_time, read_logs
from leader_election_lab.motions import streets, walks
from leader_election_lab.topologies import LogsParameters
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Motion:
    """
    A kind of motion: its parameters, its state, and its step.

    A step is a plain function that the engine compiles: ``step(state, i, position, now, random)``
    moves device i by one tick, in place. ``state`` is a named tuple of arrays and numbers with one
    entry (or row) for each device. The type of the state identifies the kind of motion.

    The functions that a step calls are plain functions too, of numbers where speed matters:
    compiled code counts references for each array or generator that is passed. With ``math``
    instead of numpy's functions plain Python gives exactly the numbers that compiled code gives.
    """

    name: str
    parameters: type[Any]
    """A dataclass of ``leader_election.parameters.parameter`` fields."""
    state: type[Any]
    step: Callable[[Any, int, NDArray[np.float64], float, np.random.Generator], None]
    begin: Callable[[Any, NDArray[np.float64], float, np.random.Generator], Any]
    """``begin(parameters, position, tick, random) -> state``. ``position`` has shape (n, 2) [m],
    and may be changed in place, since devices that walk on streets start on one. The caller
    restores the positions of devices that do not move. ``tick`` is the time of a step [s]."""
    speed: Callable[[Any], float]
    """``speed(parameters)`` is the greatest speed of any device [m/s], 0 if no device moves."""
    presence: Callable[[Any], NDArray[np.float64]] | None = None
    """``presence(parameters)``: when each device joins and leaves [s], inf for never: (n, 2).
    ``None``: all are there from the start to the end."""


MOTIONS: Registry[Motion] = Registry('motion', 'leader_election.motions')


class Static(NamedTuple):
    """An empty state."""

    none: NDArray[np.float64]
    """Shape (0,)."""


def stay(motion: Static, i: int, position: NDArray[np.float64], now: float,
         random: np.random.Generator) -> None:
    """Leave device i where it is."""
    return None


def begin_static(parameters: NoParameters, position: NDArray[np.float64], tick: float,
                 random: np.random.Generator) -> Static:
    """Return the state of devices that stay where they are."""
    return Static(np.empty(0))


class Replay(NamedTuple):
    """All logs, concatenated, and the progress of devices in them."""

    row: NDArray[np.int64]
    """The last row that each device has passed, shape (n,)."""
    end: NDArray[np.int64]
    """The last row of each device's log, shape (n,)."""
    time: NDArray[np.float64]
    """Time of each row [s], shape (rows,)."""
    place: NDArray[np.float64]
    """Position of each row: x, y [m], shape (rows, 2)."""


def replay_step(motion: Replay, i: int, position: NDArray[np.float64], now: float,
                random: np.random.Generator) -> None:
    """Move device i to the present position of its log, interpolated linearly between rows."""
    row, end = motion.row[i], motion.end[i]
    while row < end and motion.time[row + 1] <= now:
        row += 1
    motion.row[i] = row
    x, y = motion.place[row, 0], motion.place[row, 1]
    if row < end and now > motion.time[row]:
        part = (now - motion.time[row]) / (motion.time[row + 1] - motion.time[row])
        x += part * (motion.place[row + 1, 0] - x)
        y += part * (motion.place[row + 1, 1] - y)
    position[i, 0], position[i, 1] = x, y


def begin_replay(parameters: LogsParameters, position: NDArray[np.float64], tick: float,
                 random: np.random.Generator) -> Replay:
    """
    Put each device at the first position of its log.

    :raises ParameterError: if there is not one log for each device.
    """
    logs = read_logs(parameters.logs)
    if len(logs) != len(position):
        raise ParameterError('logs', problem=f': {parameters.logs} holds {len(logs)} logs, for '
                             f'{len(position)} devices')
    first = np.cumsum([0] + [len(log.t) for log in logs])
    time = np.concatenate([log.t for log in logs])
    place = np.vstack([log.poses[:, :2] for log in logs])
    position[:] = place[first[:-1]]
    return Replay(first[:-1].copy(), first[1:] - 1, time - time.min(), place)


def greatest_speed(parameters: LogsParameters) -> float:
    """Return the greatest speed between two rows of a log [m/s]."""
    return max((
        float(np.max(np.hypot(*np.diff(log.poses[:, :2], axis=0).T) / np.diff(log.t)))
        for log in read_logs(parameters.logs) if len(log.t) > 1), default=0.0)


def presence_of_logs(parameters: LogsParameters) -> NDArray[np.float64]:
    """Return the times at which each device joins and leaves [s], inf for never: (n, 2)."""
    logs = read_logs(parameters.logs)
    first, last = first_time(logs), max(log.t[-1] for log in logs)
    times = []
    for log in logs:
        # A log of a single row is that of a device at rest.
        steps = np.diff(log.t) if len(log.t) > 1 else [np.inf]
        times.append((log.t[0] - first if log.t[0] - first > steps[0] else 0.0,
                      log.t[-1] - first if last - log.t[-1] > steps[-1] else np.inf))
    return np.array(times)


def usual_speed(parameters: Any) -> float:
    """Return the speed of all devices [m/s]."""
    return float(parameters.speed)


STATIC, REPLAY, LEVY, WAYPOINT, SHUTTLE, STREETS = map(MOTIONS.add, (
    Motion('static', NoParameters, Static, stay, begin_static, speed=lambda parameters: 0.0),
    Motion('replay', LogsParameters, Replay, replay_step, begin_replay, greatest_speed,
           presence_of_logs),
    Motion('levy', walks.LevyParameters, walks.Levy, walks.levy_step, walks.begin_levy,
           usual_speed),
    Motion('waypoint', walks.WaypointParameters, walks.Waypoint, walks.waypoint_step,
           walks.begin_waypoint, speed=lambda parameters: float(parameters.speed[1])),
    Motion('shuttle', walks.ShuttleParameters, walks.Shuttle, walks.shuttle_step,
           walks.begin_shuttle, usual_speed),
    Motion('streets', streets.StreetsParameters, streets.Streets, streets.streets_step,
           streets.begin_streets, usual_speed)))
