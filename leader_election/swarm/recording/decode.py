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

"""Extraction of plain values from recorded messages, whose fields may differ from our types."""

from collections.abc import Callable
import math
from typing import Any

from leader_election.election.robot.codec import MAX_COORDINATE
from leader_election.election.robot.diagnostics import Status
from leader_election.localisation.plane import PlanePose
from leader_election.swarm.view.frame import Ring, Rings, rings_of

STRING, MARKERS = 'std_msgs/msg/String', 'visualization_msgs/msg/MarkerArray'
ODOMETRY, CLOCK = 'nav_msgs/msg/Odometry', 'rosgraph_msgs/msg/Clock'
DIAGNOSTICS = 'diagnostic_msgs/msg/DiagnosticArray'
NUMBERS = 'std_msgs/msg/Float64MultiArray'
POSE = 'geometry_msgs/msg/PoseStamped'
POSE_WITH_COVARIANCE = 'geometry_msgs/msg/PoseWithCovarianceStamped'
POSES = (ODOMETRY, POSE, POSE_WITH_COVARIANCE)
"""The types that hold a pose."""


def content(kind: str, message: Any) -> Any:
    """
    Return the content of a message, ``None`` if its fields do not match its type.

    :param kind: one of the types above.
    :return: of a string its text, of markers the outlines (:class:`Rings`), of odometry or a pose
        x, y, yaw [m, rad], of a clock the time [s], of diagnostics a list of
        :class:`Status`, of numbers (``neighbour_distances``) a list of id, distance [m] and its
        standard deviation [m].

    >>> from types import SimpleNamespace
    >>> content(STRING, SimpleNamespace(data='text')), content(STRING, SimpleNamespace(data=3))
    ('text', None)
    """
    try:
        return _READERS[kind](message)
    except (AttributeError, TypeError, ValueError, OverflowError):
        return None


def _text(message: Any) -> str:
    if not isinstance(message.data, str):
        raise TypeError
    return message.data


def _time(message: Any) -> float:
    return float(message.clock.sec) + float(message.clock.nanosec) * 1e-9


def _nested_pose(message: Any) -> PlanePose:
    return _pose(message.pose.pose)


def _stamped_pose(message: Any) -> PlanePose:
    return _pose(message.pose)


def _pose(pose: Any) -> PlanePose:
    x, y, z, w = (float(getattr(pose.orientation, name)) for name in 'xyzw')
    return (float(pose.position.x), float(pose.position.y),
            math.atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z))


def _distances(message: Any) -> list[tuple[int, float, float]]:
    rows = zip(*[iter(map(float, message.data))] * 3, strict=True)
    return [(int(neighbour), distance, deviation) for neighbour, distance, deviation in rows]


def _statuses(message: Any) -> list[Status]:
    return [Status(str(status.name), str(status.hardware_id),
                   {str(value.key): str(value.value) for value in status.values})
            for status in message.status]


def _rings(message: Any) -> Rings:
    """Return the outlines that can be drawn; others would break the scale of a picture."""
    rings = rings_of(message.markers)
    return Rings(tuple(ring for ring in rings.arena if _is_finite(ring) and _is_area(ring)),
                 *(tuple(ring for ring in found if _is_finite(ring))
                   for found in (rings.obstacles, rings.peaks)))


def _is_finite(ring: Ring) -> bool:
    # A comparison with NaN is false.
    return all(math.hypot(x, y) <= MAX_COORDINATE for x, y in ring)


def _is_area(ring: Ring) -> bool:
    return all(max(along) > min(along) for along in zip(*ring))


_READERS: dict[str, Callable[[Any], Any]] = {
    STRING: _text, MARKERS: _rings, ODOMETRY: _nested_pose, POSE: _stamped_pose,
    POSE_WITH_COVARIANCE: _nested_pose, CLOCK: _time, DIAGNOSTICS: _statuses, NUMBERS: _distances}
