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

"""Numbers and names as people read them."""

import math

from leader_election.swarm.snapshot import RobotView


def members_in_words(members: float) -> str:
    """
    Return a number of robots; shares of them may be on their way, which makes fractions.

    >>> members_in_words(12.0), members_in_words(11.9621)
    ('12', '11.96')
    """
    return f'{members:.2f}'.rstrip('0').rstrip('.')


def shortened(text: str, length: int) -> str:
    """
    Return a text cut off after so many characters.

    >>> shortened('a decision', 10), shortened('a decision', 5)
    ('a decision', 'a de…')
    """
    return text if len(text) <= length else text[:length - 1] + '…'


def count(number: int, noun: str) -> str:
    """
    Return a number of things in words.

    >>> count(1, 'robot'), count(2, 'robot')
    ('1 robot', '2 robots')
    """
    return f'{number} {noun}{"" if number == 1 else "s"}'


def label(leader: RobotView) -> str:
    """
    Return what is written beside a leader: its id, and the members that it counts.

    >>> label(RobotView(7, None, -9.0, 0.0, 7)), label(RobotView(7, None, -9.0, 0.0, 7, (), 12.0))
    ('7', '7 (12)')
    """
    if math.isnan(leader.members):
        return str(leader.id)
    return f'{leader.id} ({members_in_words(leader.members)})'
