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

"""Presentation of leaders, numbers and texts: one colour a leader, short labels."""

from collections.abc import Mapping, Sequence
import math
from typing import Any

from leader_election.swarm.snapshot import RobotView

Colour = tuple[float, float, float]
"""Red, green and blue, each in [0, 1]."""

PALETTE = tuple(tuple(int(code[i:i + 2], 16) / 255 for i in (0, 2, 4)) for code in (
    '0072b2', 'e69f00', '009e73', 'cc79a7', 'd55e00', '56b4e9',
    '7b5fc7', 'a39b00', 'b0305c', '3fb8af', '8c6d46', '8fbf4d'))
"""
Distinct for colour-blind people, too, by hue or lightness, and readable on white and on black.
The first six are those of Okabe and Ito (2008).
"""
GONE: Colour = (0.55, 0.55, 0.55)
NOTE: Colour = (0.70, 0.15, 0.12)


class Palette:
    """
    Assigns a colour to each leader, which keeps it.

    The colour depends on the id alone, unless another leader, or a larger region, has it already.

    >>> palette = Palette()
    >>> first = palette.assign({1: (1, 2, 4), 13: (13, 14)})
    >>> first[1] == PALETTE[1], first[13] == PALETTE[2]
    (True, True)
    >>> palette.assign({13: (1, 2, 4, 13, 14)})[13] == first[13]
    True
    >>> palette.assign({2: (1, 2, 4), 13: (13, 14)})[13] == first[13]
    True
    """

    def __init__(self) -> None:
        self._slots: dict[int, int] = {}
        """Index in the palette, by leader."""
        self._shown: set[int] = set()
        """The leaders of the last assignment."""

    def assign(self, regions: Mapping[int, Sequence[int]]) -> dict[int, Colour]:
        """
        Return the colour of each leader.

        :param regions: ids of the members, by the leader's id.
        """
        taken: set[int] = set()
        # A new leader does not take the colour of another one; of several, the largest region's
        # leader chooses first.
        for leader in sorted(regions, key=lambda leader: (
                leader not in self._shown, -len(regions[leader]), leader)):
            preferred = self._slots.get(leader, leader % len(PALETTE))
            order = [(preferred + i) % len(PALETTE) for i in range(len(PALETTE))]
            self._slots[leader] = next((slot for slot in order if slot not in taken), preferred)
            taken.add(self._slots[leader])
        self._shown = set(regions)
        return {leader: colour(self._slots[leader]) for leader in regions}


def colour(slot: int) -> Colour:
    """Return a colour of the palette by its index."""
    red, green, blue = PALETTE[slot]
    return red, green, blue


def hexadecimal(rgb: Colour) -> str:
    """
    Return a colour in the notation of the web.

    >>> hexadecimal((1.0, 0.5, 0.0))
    '#ff8000'
    """
    return '#' + ''.join(f'{round(part * 255):02x}' for part in rgb)


def shortened(text: str, length: int) -> str:
    """
    Return a text, cut off after this number of characters.

    >>> shortened('a decision', 10), shortened('a decision', 5)
    ('a decision', 'a de…')
    """
    return text if len(text) <= length else text[:length - 1] + '…'


def count(number: int, noun: str) -> str:
    """
    Return a number with its noun, in the plural if needed.

    >>> count(1, 'robot'), count(2, 'robot')
    ('1 robot', '2 robots')
    """
    return f'{number} {noun}{"" if number == 1 else "s"}'


def label(leader: RobotView) -> str:
    """
    Return the label of a leader: its id, and the number of members that it counts.

    >>> label(RobotView(7, None, -9.0, 0.0, 7)), label(RobotView(7, None, -9.0, 0.0, 7, (), 12.0))
    ('7', '7 (12)')
    """
    if math.isnan(leader.members):
        return str(leader.id)
    return f'{leader.id} ({leader.members:.0f})'


def mandate_text(over: Mapping[int, tuple[int, int]]) -> str:
    """
    Return the number of acting leaders and of the robots under their mandates.

    >>> mandate_text({3: (2, 3), 9: (0, 1)})
    '1 leader acts, over 2 robots'
    """
    ruled = [number for number, _ in over.values() if number > 0]
    return (f'{count(len(ruled), "leader")} {"acts" if len(ruled) == 1 else "act"}, '
            f'over {count(sum(ruled), "robot")}')


def fields_text(fields: Mapping[str, Any]) -> str:
    """
    Return an algorithm's own fields as a text.

    >>> fields_text({'level': 2, 'heat': 0.123456, 'path': [3, 5]})
    'level=2, heat=0.1235, path=[3, 5]'
    """
    return ', '.join(f'{name}={_value_text(value)}' for name, value in fields.items())


def _value_text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return '[' + ', '.join(map(_value_text, value)) + ']'
    return f'{value:.4g}' if isinstance(value, float) else str(value)


def change_text(robot: int, leader: int, because: str) -> str:
    """
    Return what has happened to a robot in words, with the reason as far as known.

    >>> change_text(12, 12, '34 has been silent for 3.0 s'), change_text(5, 14, '')
    ('robot 12 leads: 34 has been silent for 3.0 s', 'robot 5 follows 14')
    """
    what = 'leads' if leader == robot else f'follows {leader}'
    return f'robot {robot} {what}' + (f': {because}' if because else '')
