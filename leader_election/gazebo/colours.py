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

"""A colour a robot, so that they are told apart."""

import colorsys

Colour = tuple[float, float, float]
"""Red, green and blue, each in [0, 1]."""

_GOLDEN = 0.618033988749895
"""The golden ratio's part: hues that are so far apart never come near each other soon."""


def robot_colour(robot_id: int) -> Colour:
    """
    Return the colour of a robot; it depends on its id alone.

    >>> robot_colour(1) != robot_colour(2)
    True
    """
    lightness = 0.45 + 0.15 * (robot_id % 2)
    red, green, blue = colorsys.hls_to_rgb(robot_id * _GOLDEN % 1.0, lightness, 0.75)
    return round(red, 3), round(green, 3), round(blue, 3)
