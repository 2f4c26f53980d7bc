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

"""Pictures of an AprilTag by a camera without distortion."""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

MATRIX = np.array(((600.0, 0.0, 320.0), (0.0, 600.0, 240.0), (0.0, 0.0, 1.0)))
"""The calibration of the camera [pixels]."""
WIDTH, HEIGHT = 640, 480
BLACK, PAPER = 400, 500
"""The widths of the black square and of the paper, as printed [pixels]."""


def rendered(tag: int, side: float, x: float, z: float, turn: float) -> NDArray[np.uint8]:
    """
    Return a grey picture of a tag.

    :param tag: its number in the family 36h11.
    :param side: the width of its black square [m].
    :param x: to the right of the camera [m].
    :param z: ahead of it [m].
    :param turn: about its vertical axis, 0 if it faces the camera [rad].
    """
    margin = (PAPER - BLACK) // 2
    printed = np.full((PAPER, PAPER), 255, dtype=np.uint8)
    printed[margin:margin + BLACK, margin:margin + BLACK] = cv2.aruco.generateImageMarker(
        cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11), tag, BLACK)
    half = 0.5 * side * PAPER / BLACK
    places = np.array([
        (x + u * math.cos(turn), v, z + u * math.sin(turn))
        for u, v in ((-half, -half), (half, -half), (half, half), (-half, half))])
    pixels = places @ MATRIX.T
    warp = cv2.getPerspectiveTransform(
        np.array(((0, 0), (PAPER, 0), (PAPER, PAPER), (0, PAPER)), dtype=np.float32),
        (pixels[:, :2] / pixels[:, 2:]).astype(np.float32))
    found: NDArray[np.uint8] = cv2.GaussianBlur(cv2.warpPerspective(
        printed, warp, (WIDTH, HEIGHT), flags=cv2.INTER_AREA, borderValue=127), (3, 3), 0)
    return found
