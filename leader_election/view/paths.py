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

"""The ways that robots took, as a picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from leader_election.robot.codec import Position
from leader_election.view.colours import colour, PALETTE
from leader_election.view.frame import Rings
from matplotlib.figure import Figure


def draw_paths(paths: Mapping[int, Sequence[Position]], rings: Rings, path: Path) -> None:
    """
    Draw the way of each robot, with its id where it ends, as a PNG.

    :param paths: places in their order [m], by the robot's id.
    :raises OSError: when the file cannot be written.
    """
    figure = Figure(figsize=(8.0, 6.0), dpi=200, layout='constrained')
    axes = figure.subplots()
    for ring in rings.obstacles:
        axes.fill(*zip(*ring), facecolor='#d5d8dc', edgecolor='#a3a9b1', linewidth=1)
    for ring in rings.arena:
        axes.fill(*zip(*ring), facecolor='none', edgecolor='#2b2f36', linewidth=1.6)
    for robot, way in sorted(paths.items()):
        if way:
            tint = colour(robot % len(PALETTE))
            axes.plot(*zip(*way), color=tint, linewidth=1.0)
            axes.plot(*way[-1], marker='o', markersize=6, color=tint, markeredgecolor='white')
            axes.annotate(str(robot), way[-1], (0, 7), textcoords='offset points', fontsize=8,
                          ha='center')
    axes.set(xlabel='x [m]', ylabel='y [m]', aspect='equal')
    axes.spines[:].set_visible(False)
    figure.savefig(path)
