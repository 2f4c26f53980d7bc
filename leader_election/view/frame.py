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

"""What there is to draw at one moment."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from leader_election.robot.codec import Position
from leader_election.swarm.snapshot import Snapshot
from leader_election.view.colours import Colour

Ring = tuple[Position, ...]
"""The corners of a polygon [m]; the last may repeat the first."""


class Rings(NamedTuple):
    """What does not move, as outlines."""

    arena: tuple[Ring, ...] = ()
    obstacles: tuple[Ring, ...] = ()


def rings_of(markers: Iterable[Any]) -> Rings:
    """
    Return the outlines that are in markers of the embedded world.

    :param markers: ``visualization_msgs/msg/Marker``, or whatever has the same fields.
    """
    def named(namespace: str) -> tuple[Ring, ...]:
        return tuple(tuple((point.x, point.y) for point in marker.points) for marker in shown
                     if marker.ns == namespace and marker.points)

    # Action 0 adds a marker; others delete some.
    shown = [marker for marker in markers if marker.action == 0]
    return Rings(named('arena'), named('obstacles'))


class Frame(NamedTuple):
    """The swarm at one moment, and how it is shown."""

    snapshot: Snapshot
    colours: dict[int, Colour]
    """Of each leader, by id."""
    note: str = ''
    """What is said under it, for example ``robot 7 was killed``."""
