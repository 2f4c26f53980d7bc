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
Mirrored poses of three robots, which ranges alone do not tell apart.

The ranges of three robots are those of a triangle and of its mirror image. While the three stand
almost on a line, only headings tell on which side of the line the third robot leaves it.
"""

from leader_election.localisation.pose_estimates import places, SIZE
from leader_election.localisation.poses import Array
import numpy as np

POSSIBLE = 2.0
"""The greatest normalised distance of a mirror image that is possible."""
TURNED = 0.5
"""The deviation of the headings of two robots from which on motion does not decide [rad]. With
infrequent ranges it finds all of 52 mirrored seconds in six runs. A limit of 0.7 finds 6.
"""


def may_be_mirrored(state: Array, covariance: Array) -> bool:
    """
    Return whether three robots may be mirrored: by their places, and for lack of two headings.

    :param state: the blocks of the robots, shape (21,).
    :param covariance: shape (21, 21).
    """
    if np.sort(covariance.diagonal()[2::SIZE])[1] < TURNED ** 2:
        return False
    area, by_errors = signed_area(state)
    # From one image to the other the area changes by twice its size.
    return (2.0 * area) ** 2 <= POSSIBLE ** 2 * float(by_errors @ covariance @ by_errors)


def signed_area(state: Array) -> tuple[float, Array]:
    """Return twice the signed area of a triangle of robots [m²], and its derivatives by errors."""
    here = places(state)
    after, before = np.roll(here, -1, axis=0), np.roll(here, 1, axis=0)
    by_errors = np.zeros((len(here), SIZE))
    by_errors[:, 0] = after[:, 1] - before[:, 1]
    by_errors[:, 1] = before[:, 0] - after[:, 0]
    # Errors are invariant: a turn moves a robot about the origin.
    by_errors[:, 2] = here[:, 0] * by_errors[:, 1] - here[:, 1] * by_errors[:, 0]
    return float(here[:, 0] @ by_errors[:, 0]), by_errors.ravel()
