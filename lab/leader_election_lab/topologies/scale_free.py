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
Scale-free trees, and their force-directed layouts in the plane.

Each new device links to one that is there, with a probability proportional to its links (A.-L.
Barabasi, R. Albert, "Emergence of Scaling in Random Networks", Science 286, 1999; one link for
each new device). The layout is that of the artefact of D. Pianini, R. Casadei, M. Viroli, ACSOS
2022, section V (Zenodo 6566627).

The forces, their constants and the stopping rule are those that GraphStream describes and ships
for its layout SpringBox (A. Dutot, F. Guinand, D. Olivier, Y. Pigne, "GraphStream: A Tool for
bridging the gap between Complex Systems and Dynamic Graphs", EPNACS 2007; gs-core 2.0). They
stem from T. Fruchterman, E. Reingold, "Graph Drawing by Force-directed Placement", 1991, with
springs that are weaker the more of them pull at a node. Here repulsion is summed over all pairs;
SpringBox approximates distant nodes cell by cell (Barnes, Hut 1986).
"""

import math
import random

from leader_election_lab.engine.compilation import jit
import networkx as nx  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray

ATTRACTION = np.float32(0.06 / 0.1)
"""Factor of a spring's pull: (length - 1), divided by the number of the node's links."""
REPULSION = np.float32(0.024)
"""Factor of two nodes' repulsion: 1 / distance squared, at most 1."""
_ENERGY = np.float32(0.06)
"""Factor of a spring's contribution to the energy of a node: (length - 1)."""
_MEMORY = 256
"""The least number of steps."""
_BACK = (200, 190, 180)
"""Steps before the present one whose mean energy is the reference of the stopping rule."""
_CLOSE = 2.0
"""The greatest difference of the energy at rest from the reference: 1 / stability (0.5)."""
_MOST_STEPS = 20_000


def settle(position: NDArray[np.float64], pairs: NDArray[np.int32]) -> NDArray[np.float64]:
    """
    Return the positions at which nodes come to rest, shape (n, 2). A spring at rest has length 1.

    In each step every node moves by the sum of its forces, at most half the diagonal of all. A
    spring pulls harder at the end with fewer links, so that the whole layout may drift or rotate:
    only relative positions are meaningful. The layout is at rest when the sum of all forces'
    strengths is within 2 of its value about 200 steps before, or after 20000 steps.

    :param position: initial positions, shape (n, 2), no two the same.
    :param pairs: the links, shape (m, 2).

    Two nodes settle where the spring pulls as much as they repel each other, so that
    0.6 (d - 1) = 0.024 / d^2:

    >>> a, b = settle(np.array([[0.0, 0.0], [3.0, 0.0]]), np.array([[0, 1]], np.int32))
    >>> round(float(b[0] - a[0]), 3)
    1.037
    """
    x, y = np.ascontiguousarray(position.T, np.float32)
    links = np.bincount(pairs.ravel(), minlength=len(position)).astype(np.float32)
    _settle(x, y, np.ascontiguousarray(pairs, np.int32), links)
    return np.column_stack((x, y)).astype(np.float64)


@jit
def forces(x, y, pairs, links, force_x, force_y, strength):  # type: ignore[no-untyped-def]
    """
    Write the force on each node, and the sum of the strengths of all of its forces.

    :param x: coordinates of nodes, float32, shape (n,). So is y.
    :param pairs: the links, shape (m, 2).
    :param links: the number of links of each node, float32, shape (n,).
    :param force_x: output, float32, shape (n,). So are force_y and strength. A spring counts by a
        tenth of its pull at a node with one link, negative if it pushes.
    """
    zero, one, least = np.float32(0.0), np.float32(1.0), np.float32(1e-20)
    for i in range(len(x)):
        force_x[i], force_y[i], strength[i] = zero, zero, zero
    for j in range(len(x)):
        # The inner loop writes to different nodes, so that the compiler vectorises it.
        for i in range(len(x)):
            dx, dy = x[i] - x[j], y[i] - y[j]
            square = dx * dx + dy * dy
            far = math.sqrt(square)
            force = REPULSION / (max(square, one) * max(far, least))
            force_x[i] += force * dx
            force_y[i] += force * dy
            strength[i] += force * far
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        dx, dy = x[b] - x[a], y[b] - y[a]
        far = math.sqrt(dx * dx + dy * dy)
        strength[a] += _ENERGY * (far - one)
        strength[b] += _ENERGY * (far - one)
        if far > 0.0:
            force = ATTRACTION * (far - one) / far
            force_x[a] += force / links[a] * dx
            force_y[a] += force / links[a] * dy
            force_x[b] -= force / links[b] * dx
            force_y[b] -= force / links[b] * dy


@jit
def _settle(x, y, pairs, links):  # type: ignore[no-untyped-def]
    n = len(x)
    energies = np.zeros(_MOST_STEPS)
    force_x, force_y, strength = (
        np.zeros(n, np.float32), np.zeros(n, np.float32), np.zeros(n, np.float32))
    for step in range(_MOST_STEPS):
        forces(x, y, pairs, links, force_x, force_y, strength)
        # A loop, since numpy's functions for this take seconds to compile.
        energy, low_x, high_x, low_y, high_y = np.float32(0.0), x[0], x[0], y[0], y[0]
        for i in range(n):
            energy += strength[i]
            low_x, high_x = min(low_x, x[i]), max(high_x, x[i])
            low_y, high_y = min(low_y, y[i]), max(high_y, y[i])
        energies[step] = energy
        most = math.hypot(high_x - low_x, high_y - low_y) / 2
        for i in range(n):
            far = math.hypot(force_x[i], force_y[i])
            part = np.float32(min(1.0, most / far)) if far > 0.0 else np.float32(1.0)
            x[i] += part * force_x[i]
            y[i] += part * force_y[i]
        if step >= _MEMORY:
            before = 0.0
            for back in _BACK:
                before += energies[step - back] / len(_BACK)
            if abs(energies[step] - before) <= _CLOSE:
                return


class GeneratorBits(random.Random):
    """
    Numbers of the standard library's kind from the bits of a numpy generator.

    networkx itself draws them in another way before version 3.3. With this class all versions draw
    one tree.
    """

    def __init__(self, generator: np.random.Generator) -> None:
        """:param generator: yields the bits."""
        super().__init__(0)
        self._generator = generator

    def random(self) -> float:
        """Return a number from 0 to 1, exclusive."""
        return float(self._generator.random())

    def getrandbits(self, k: int, /) -> int:
        """Return a whole number of k bits."""
        size = -(-k // 8)
        return int.from_bytes(self._generator.bytes(size), 'big') >> 8 * size - k


def scale_free_tree(count: int, generator: np.random.Generator) -> NDArray[np.int32]:
    """Return the links of a scale-free tree, the earlier node of each first, shape (n - 1, 2)."""
    tree = nx.barabasi_albert_graph(count, 1, seed=GeneratorBits(generator))
    return np.array(sorted(sorted(pair) for pair in tree.edges), np.int32)


def sprout(pairs: NDArray[np.int32], generator: np.random.Generator) -> NDArray[np.float64]:
    """
    Return initial positions for a layout, shape (n, 2): each device near the one it linked to.

    :param pairs: the links of the tree, the earlier device first, shape (n - 1, 2).
    """
    offset = generator.uniform(-1.0, 1.0, (len(pairs) + 1, 2))
    position: NDArray[np.float64] = offset.copy()
    for earlier, later in sorted(pairs.tolist(), key=lambda pair: int(pair[1])):
        position[later] = position[earlier] + offset[later]
    return position
