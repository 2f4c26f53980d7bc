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
Devices go where logged robots went.

The logs are read by :func:`leader_election.world.logs.read_logs`; they run from the earliest row
of all, which is at time 0, and after its last row a device stands still.
"""

from dataclasses import dataclass
from typing import NamedTuple

from leader_election.lab.motions.motion import Motion, MOTIONS
from leader_election.parameters import parameter, ParameterError
from leader_election.world.logs import read_logs, SAMPLE
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ReplayParameters:
    """What is replayed."""

    logs: str = parameter(
        SAMPLE, 'A folder of CSV files, one a device, or mrclam6, two minutes of five real '
        'robots.', empty=False)


class Replay(NamedTuple):
    """All logs, one after the other, and where devices are in them."""

    row: NDArray[np.int64]
    """The last row that a device has passed, shape (n,)."""
    end: NDArray[np.int64]
    """The last row of its log, shape (n,)."""
    time: NDArray[np.float64]
    """Of each row [s]."""
    place: NDArray[np.float64]
    """Of each row: x, y [m], shape (rows, 2)."""


def replay_step(motion: Replay, i: int, position: NDArray[np.float64], now: float,
                random: np.random.Generator) -> None:
    """Move device i to where its log has it now, on a straight line between two rows."""
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


def begin_replay(parameters: ReplayParameters, position: NDArray[np.float64], tick: float,
          random: np.random.Generator) -> Replay:
    """Put each device where its log begins; there is one log a device, or a ``ParameterError``."""
    logs = read_logs(parameters.logs)
    if len(logs) != len(position):
        raise ParameterError(f'parameter logs: {parameters.logs} holds {len(logs)} logs, for '
                             f'{len(position)} devices')
    first = np.cumsum([0] + [len(log.t) for log in logs])
    time = np.concatenate([log.t for log in logs])
    place = np.vstack([log.poses[:, :2] for log in logs])
    position[:] = place[first[:-1]]
    return Replay(first[:-1].copy(), first[1:] - 1, time - time.min(), place)


def greatest_speed(parameters: ReplayParameters) -> float:
    """Return the greatest speed between two rows of a log [m/s]."""
    return max((
        float(np.max(np.hypot(*np.diff(log.poses[:, :2], axis=0).T) / np.diff(log.t)))
        for log in read_logs(parameters.logs) if len(log.t) > 1), default=0.0)


REPLAY = MOTIONS.add(Motion(
    name='replay',
    parameters=ReplayParameters,
    state=Replay,
    step=replay_step,
    begin=begin_replay,
    speed=greatest_speed,
))
