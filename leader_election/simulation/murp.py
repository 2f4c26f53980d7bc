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
Read a trial of MURP, three omnidirectional robots with six UWB antennas each, as published.

"MURP: Multi-Agent Ultra-Wideband Relative Pose Estimation with Constrained Communications in 3D
Environments" (A. Fishberg, B. Quiter, J. How, RA-L 2024), github.com/mit-acl/murp-datasets. A
trial is a folder of ``datasets/parsed``, 01 to 22, with a table for each robot and target:
``<trial>_base-<i>_targ-<j>_win-1_step-1.csv``. Each row is the mean over a second. Its columns:

- ``t`` [s];
- ``A_x``, ``A_y``, ``A_z`` [m], ``A_yaw`` [deg]: the true pose of the base;
- ``r`` [m]: the mean of the ranges of all 36 pairs of antennas. The antennas surround the middle
  of their robot, so this mean differs from the distance of the middles by some 2 cm only.

There is no odometry. The same trials are published as bags of ROS 1, which are not read.
"""

from pathlib import Path
import re

from leader_election.parameters import ParameterError
from leader_election.simulation.data_set import DataSet, in_order, Recorded
from leader_election.simulation.robot_logs import check_steps, read_table
import numpy as np

FILES = 'the folder of a trial of MURP, parsed/01 to 22'
COLUMNS = ('t', 'A_x', 'A_y', 'A_yaw', 'A_z', 'r')


def read(source: Path) -> DataSet | None:
    """
    Return a trial, ``None`` if the folder holds none.

    :raises ParameterError: for files that are missing or wrong.
    """
    robots: dict[int, Recorded] = {}
    for path in sorted(source.glob('*.csv')):
        found = re.fullmatch(r'\d+_base-(\d+)_targ-(\d+)_win-1_step-1\.csv', path.name)
        if found is None:
            continue
        base, target = int(found[1]), int(found[2])
        table, lines = read_table(path, COLUMNS, may_lack=('r',))
        if not lines:
            raise ParameterError(f'{path}: no rows')
        try:
            check_steps(table[:, 0], lines)
        except ValueError as error:
            raise ParameterError(f'{path}: {error}') from None
        truth = in_order(table[:, :5])
        truth[:, 3] = np.radians(truth[:, 3])
        measured = table[np.isfinite(table[:, 5])]
        sightings = np.column_stack((
            measured[:, 0], np.full(len(measured), target), measured[:, 5],
            np.full(len(measured), np.nan)))
        before = robots[base].sightings if base in robots else np.empty((0, 4))
        robots[base] = Recorded(truth, np.empty((0, 4)), np.vstack((before, sightings)))
    if not robots:
        return None
    return DataSet(robots, np.empty((0, 3)))
