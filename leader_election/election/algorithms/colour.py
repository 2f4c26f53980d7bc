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
Colour: one leader for the network. Its tree grows only at devices of one of two colours.

A. K. Datta, L. L. Larmore, P. Vemula, "Self-stabilizing leader election in optimal space under an
arbitrary scheduler", Theoretical Computer Science 412 (2011); the baseline of Mo et al. (IFAC
2020). The rules below are reconstructed from public descriptions of that algorithm and of later
implementations. They may differ from the printed rules in detail.

Every device has a *key*, (leader, level), compared in this order, the leader by (value, id).
Smaller is better. It has a parent, a colour and a mark ``done``. The successor of a key is the
same leader one level (hop) farther. Device x is

- a *true root* if its key is (itself, 0);
- a *true child* if its leader is better than itself and its key succeeds its parent's;
- a *false root* otherwise.

A neighbour whose parent is x is a true child of x if its key succeeds that of x, and a false
child otherwise. A neighbour is a *recruit* of x if the successor of x's key would be better for
it than its own key. In a round, x does the first of these that applies:

1. **Join.** x has no false children, and of its recruiting neighbours (colour 1, leader better
   than x itself) the one with the best key offers a successor better than x's key, or x is a
   false root: x takes that successor and that parent, with colour 0.
2. **Leave.** x is a false root: it becomes a true root, with colour 1.
3. **Flip** the colour. It is that of x's parent (a root's always is), and of no true child of x
   that is not done; and, to go from 1 to 0: x has no recruits and is not done.

x is *done* if it has no recruits and all its true children are done. A true root's parent is x.

Why this removes trees of a leader that does not exist (false trees): a device that joins cannot
recruit before it has flipped, and between two of its flips its parent has to flip. Only a true
root flips without its parent. A false root leaves at once. Then its children are false roots and
leave, level by level. So at the top of a false tree no device flips more than once, one level
below not more than twice, and so on: the number of flips left is bounded, every new level costs
some, and the tree disappears from the top. ``done`` ends the flipping, so that a converged network
sends no more changes. The argument depends on parents alone. Distances are levels, that is hops,
with any metric.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from leader_election.election.algorithms.algorithm import Algorithm, ALGORITHMS, Device
from leader_election.election.algorithms.fields import Id, make_columns, Negated, NO_HOP_LIMIT


class Key(NamedTuple):
    """A device's place in its tree."""

    value: Negated[float]
    """The leader's strength, negated: smaller is better."""
    distance: float
    """The level: distance to the leader [hops], 0 on the leader itself."""
    leader: int
    """The leader's id."""
    colour: int
    """1 if neighbours may join, otherwise 0."""
    done: int
    """1: no device is left to join this device or those below it in its tree."""
    id: Id  # noqa: A003
    """The device's own id."""
    tree_parent: Id
    """The id of the neighbour one level above, the device's own on a root."""


Keys: Any = make_columns('Keys', Key._fields)


class ColourParameters(NamedTuple):
    """The parameters of a round, the same on all devices."""

    hop_limit: int = NO_HOP_LIMIT
    """The largest distance to a leader [hops], >= 1; greater than the diameter of the network."""


def colour_round(device: Device, state: Key, neighbours: Any, metric: Sequence[float],
                 parameters: ColourParameters) -> Key:
    """
    Return a device's place in its tree: it joins, leaves, or flips its colour.

    Device 2 receives the key of device 1, of the same strength, which leads and recruits: it
    joins. In the next round its colour differs from its parent's, so it waits.

    >>> one = Key(value=-5.0, distance=0.0, leader=1, colour=1, done=0, id=1, tree_parent=1)
    >>> two = Device(id=2, strength=5.0)
    >>> joined = colour_round(two, start(two), Keys(*zip(one)), [1.0], ColourParameters())
    >>> joined
    Key(value=-5.0, distance=1.0, leader=1, colour=0, done=0, id=2, tree_parent=1)
    >>> colour_round(two, joined, Keys(*zip(one)), [1.0], ColourParameters())
    Key(value=-5.0, distance=1.0, leader=1, colour=0, done=1, id=2, tree_parent=1)
    """
    own = -device.strength, device.id
    leader = state.value, state.leader
    level = state.distance
    true_root = leader == own and level == 0.0
    true_child, alike_above = False, true_root
    best, best_level, chosen = own, 0.0, -1
    false_children, recruits, alike_below, done = False, False, False, 1
    for j in range(len(metric)):
        other, other_level = (neighbours.value[j], neighbours.leader[j]), neighbours.distance[j]
        # A key that names this device as the leader is outdated: the device knows its own state.
        lies = other[1] == device.id or other_level >= parameters.hop_limit
        if neighbours.colour[j] == 1 and other < own and not lies:
            rank = other, other_level, neighbours.id[j]
            if chosen < 0 or rank < (best, best_level, neighbours.id[chosen]):
                best, best_level, chosen = other, other_level, j
        if neighbours.id[j] == state.tree_parent and not true_root:
            if leader == other and level == other_level + 1.0:
                true_child = leader < own and not lies
                alike_above = neighbours.colour[j] == state.colour
        if neighbours.tree_parent[j] == device.id:
            if other == leader and other_level == level + 1.0:
                if neighbours.done[j] != 1:
                    done = 0
                    alike_below = alike_below or neighbours.colour[j] == state.colour
            else:
                false_children = True
        recruits = recruits or (leader, level + 1.0) < (other, other_level)

    false_root = not (true_root or true_child)
    if chosen >= 0 and not false_children:
        if false_root or (best, best_level + 1.0) < (leader, level):
            return Key(best[0], best_level + 1.0, best[1], 0, 0, device.id, neighbours.id[chosen])
    if false_root:
        return start(device)
    if recruits:
        done = 0
    colour = state.colour
    if alike_above and not alike_below and (colour == 0 or (not recruits and done == 0)):
        colour = 1 - colour
    parent = device.id if true_root else state.tree_parent
    return Key(leader[0], level, leader[1], colour, done, device.id, parent)


def start(device: Device) -> Key:
    """Return the initial state: the key of a root, which recruits."""
    return Key(-device.strength, 0.0, device.id, 1, 0, device.id, device.id)


COLOUR = ALGORITHMS.add(Algorithm(
    name='colour',
    round=colour_round,
    state=Key,
    columns=Keys,
    start=start,
    configure=ColourParameters,
))
