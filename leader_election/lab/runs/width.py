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

"""The wanted width of an interval, as an option gives it; imports none of the laboratory."""

from math import inf
import re
from typing import NamedTuple

LEAST = 20
"""The number of seeds to start with."""
LIMIT = 1000
"""The greatest number of seeds that the command runs, unless ``--seeds`` gives another one."""


class Width(NamedTuple):
    """A wanted width: half of an interval, the number after ±."""

    half: float
    """In the unit of the measure, or as a part of a mean."""
    relative: bool
    """Whether it is a part of the mean; for differences, of the mean of the first algorithm."""

    def text(self) -> str:
        """
        Return the width as text.

        >>> Width(0.05, True).text(), Width(0.002, False).text()
        ('± 5% of the mean', '± 0.002')
        """
        return f'± {100.0 * self.half:g}% of the mean' if self.relative else f'± {self.half:g}'


def parse_width(text: str) -> Width:
    """
    Return the width that a text gives: a number in the measure's unit, or a part in per cent.

    :raises ValueError: for another text, and for 0 or less.

    >>> parse_width('5%'), parse_width('2e-3')
    (Width(half=0.05, relative=True), Width(half=0.002, relative=False))
    """
    match = re.fullmatch(r'([0-9.]+(?:e[-+]?[0-9]+)?) ?(%?)', text, re.IGNORECASE)
    half = float(match[1]) / (100.0 if match[2] else 1.0) if match else 0.0
    if match is None or not 0.0 < half < inf:
        raise ValueError(text)
    return Width(half, bool(match[2]))
