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

"""Pictures of networks: devices in their leaders' colours."""

from collections.abc import Sequence
import math
from typing import Any

from leader_election.swarm.view.charts import FONT, INK
from leader_election.swarm.view.formatting import GONE, Palette
from leader_election_lab.simulation.run import Snapshot
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
import numpy as np
from numpy.typing import NDArray

_LINKS = '#c3c7cc'


def draw_network(axes: Axes, snapshot: Snapshot, bounds: Sequence[float]) -> None:
    """
    Draw a network: devices in their leaders' colours, leaders as stars, and links.

    Devices that do not run, or whose leader is not one of the devices, are grey.

    :param bounds: of the visible area: left, bottom, right, top [m].
    """
    left, bottom, right, top = bounds
    pad = 0.06 * max(right - left, top - bottom, 1e-9)
    axes.set(xlim=(left - pad, right + pad), ylim=(bottom - pad, top + pad), aspect='equal',
             xticks=[], yticks=[])
    axes.spines[:].set_color(_LINKS)
    position, leads, tints = snapshot.position, snapshot.is_leader, _tints(snapshot)
    # By zorder links are drawn below the devices that they link.
    axes.add_collection(LineCollection(list(position[snapshot.pairs]), colors=_LINKS,
                                       linewidths=0.4, zorder=1), autolim=False)
    size = float(np.clip(13000.0 / len(position), 5.0, 60.0))
    axes.scatter(position[~leads, 0], position[~leads, 1], s=size, c=tints[~leads],
                 linewidths=0, zorder=2)
    axes.scatter(position[leads, 0], position[leads, 1], s=max(5 * size, 110.0), c=tints[leads],
                 marker='*', edgecolors=INK, linewidths=0.8, zorder=3)
    length = nice_length(0.25 * (right - left))
    axes.plot([left, left + length], [bottom - 0.6 * pad] * 2, color=INK, linewidth=2.0)
    axes.annotate(f'{length:g} m', (left + length, bottom - 0.6 * pad), (4, 0),
                  textcoords='offset points', va='center', fontsize=FONT - 2, color=INK)


def _tints(snapshot: Snapshot) -> NDArray[np.float64]:
    """Return the colour of each device, shape (n, 3)."""
    known = snapshot.running & np.isin(snapshot.leader, snapshot.id)
    members: dict[int, list[int]] = {}
    for device, leader in zip(snapshot.id[known].tolist(), snapshot.leader[known].tolist()):
        members.setdefault(leader, []).append(device)
    colours: Any = Palette().assign(members)
    return np.array([colours[leader] if is_known else GONE for leader, is_known
                     in zip(snapshot.leader.tolist(), known.tolist())])


def nice_length(most: float) -> float:
    """
    Return the greatest length of 1, 2 or 5 times a power of ten up to a limit.

    >>> nice_length(7.5), nice_length(0.3), nice_length(25.0)
    (5.0, 0.2, 20.0)
    """
    power = 10.0 ** math.floor(math.log10(max(most, 1e-6)))
    return float(max(factor for factor in (1.0, 2.0, 5.0) if factor * power <= most * 1.000001
                     or factor == 1.0) * power)


def bounds_of(snapshots: Sequence[Snapshot]) -> tuple[float, float, float, float]:
    """Return the bounding box of all devices of all snapshots: left, bottom, right, top [m]."""
    places = np.concatenate([snapshot.position for snapshot in snapshots])
    (left, bottom), (right, top) = places.min(axis=0), places.max(axis=0)
    return float(left), float(bottom), float(right), float(top)


def shape_of(bounds: tuple[float, float, float, float]) -> float:
    """Return the ratio of height to width of panels for a visible area."""
    left, bottom, right, top = bounds
    return float(np.clip((top - bottom) / max(right - left, 1e-9), 0.3, 1.5))
