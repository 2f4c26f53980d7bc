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

"""Poses in the plane: x, y, yaw [m, rad], yaw in [-pi, pi)."""

import math

PlanePose = tuple[float, float, float]


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
