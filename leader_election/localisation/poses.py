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
Poses in the plane and in space, in metres and radians (REP 103).

A pose in the plane is x, y and yaw, with yaw in [-pi, pi). A pose in space is a 4 x 4 homogeneous
matrix. Odometry starts at an origin of its own (REP 105), so it is composed with the pose of that
origin in the frame that all robots share.
"""

from collections.abc import Sequence
import math

import numpy as np
from numpy.typing import NDArray
from transforms3d.affines import compose as affine
from transforms3d.euler import euler2mat
from transforms3d.quaternions import quat2mat

Array = NDArray[np.float64]
PlanePose = tuple[float, float, float]
Pose = NDArray[np.float64]

IDENTITY: Pose = np.eye(4)


def wrap(angle: float) -> float:
    """
    Return an angle in [-pi, pi) [rad].

    >>> wrap(1.5 * math.pi) == -0.5 * math.pi
    True
    """
    if -math.pi <= angle < math.pi:
        return angle
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


def compose(pose: PlanePose, motion: PlanePose) -> PlanePose:
    """
    Return the pose after a motion.

    :param motion: in the frame of the pose.

    >>> compose((1.0, 2.0, 0.0), (0.5, 0.25, 0.5))
    (1.5, 2.25, 0.5)
    """
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    return (pose[0] + cos * motion[0] - sin * motion[1],
            pose[1] + sin * motion[0] + cos * motion[1], wrap(pose[2] + motion[2]))


def between(pose: PlanePose, later: PlanePose) -> PlanePose:
    """
    Return the motion from one pose to another, in the frame of the first.

    >>> between((1.0, 2.0, 0.0), (1.5, 2.25, 0.5))
    (0.5, 0.25, 0.5)
    """
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    x, y = later[0] - pose[0], later[1] - pose[1]
    return cos * x + sin * y, cos * y - sin * x, wrap(later[2] - pose[2])


def from_parameter(numbers: Sequence[float]) -> Pose:
    """
    Return the pose given as x, y, yaw or as x, y, z, roll, pitch, yaw.

    >>> position(from_parameter([1.0, 2.0, 0.5]))
    (1.0, 2.0)
    """
    if len(numbers) == 3:
        x, y, yaw = numbers
        z = roll = pitch = 0.0
    else:
        x, y, z, roll, pitch, yaw = numbers
    return np.asarray(affine([x, y, z], euler2mat(roll, pitch, yaw, 'sxyz'), np.ones(3)))


def from_quaternion(point: Sequence[float], orientation: Sequence[float]) -> Pose | None:
    """
    Return the pose of a ROS message.

    :param point: x, y, z [m].
    :param orientation: the quaternion x, y, z, w, of any length but zero.
    :return: ``None`` if a number is not finite or the quaternion has no length.
    """
    x, y, z, w = orientation
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if not all(map(math.isfinite, (*point, length))) or length < 1e-6:
        return None
    return np.asarray(affine(point, quat2mat([w, x, y, z]), np.ones(3)))


def position(pose: Pose, point: Sequence[float] = (0.0, 0.0, 0.0)) -> tuple[float, float]:
    """
    Return x and y [m], in tenths of a millimetre, of a point in the frame of a pose.

    Roll and pitch matter: a path up a slope is shorter on the map.

    >>> up = from_parameter([0.0, 0.0, 0.0, 0.0, -math.pi / 3, 0.0])
    >>> position(up, (2.0, 0.0, 0.0))
    (1.0, 0.0)
    """
    x, y = (float(row[0] * point[0] + row[1] * point[1] + row[2] * point[2] + row[3])
            for row in pose[:2].tolist())
    return round(x, 4), round(y, 4)


def moved_to(pose: Pose, place: Sequence[float]) -> Pose:
    """
    Return the motion on the map, about its vertical axis, that moves a pose to a place.

    :param place: x, y, yaw [m, rad].

    >>> pose = from_parameter([1.0, 0.0, 0.7, 0.1, 0.2, 0.3])
    >>> after = moved_to(pose, (3.0, 4.0, 1.0)) @ pose
    >>> position(after), heading(after), round(float(after[2, 3]), 6)
    ((3.0, 4.0), 1.0, 0.7)
    """
    turn = place[2] - math.atan2(float(pose[1, 0]), float(pose[0, 0]))
    motion = np.array(euler2mat(0.0, 0.0, turn, 'sxyz'))
    shift = (*place[:2], 0.0) - motion @ (*pose[:2, 3], 0.0)
    return np.asarray(affine(shift, motion, np.ones(3)))


def yaw_of(orientation: Sequence[float]) -> float | None:
    """
    Return the yaw of a quaternion x, y, z, w [rad], ``None`` if it has no length.

    >>> yaw_of((0.0, 0.0, 0.0, 1.0)), yaw_of((0.0, 0.0, 0.0, 0.0))
    (0.0, None)
    """
    x, y, z, w = orientation
    length = x * x + y * y + z * z + w * w
    if not math.isfinite(length) or length < 1e-12:
        return None
    return math.atan2(2 * (w * z + x * y), w * w + x * x - y * y - z * z)


def height(pose: Pose, point: Sequence[float] = (0.0, 0.0, 0.0)) -> float:
    """
    Return z [m] of a point in the frame of a pose.

    >>> height(from_parameter([0.0, 0.0, 0.5, 0.0, 0.0, 1.0]), (2.0, 0.0, 0.25))
    0.75
    """
    up = pose[2].tolist()
    return float(up[0] * point[0] + up[1] * point[1] + up[2] * point[2] + up[3])


def heading(pose: Pose) -> float:
    """
    Return the heading of a pose on the map, its yaw [rad].

    >>> heading(from_parameter([1.0, 2.0, 0.5]))
    0.5
    """
    return round(math.atan2(float(pose[1, 0]), float(pose[0, 0])), 6)
