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

"""Ids and ranges of ids as text, for example ``1-20,25``."""

from leader_election.parameters.parameter import ParameterError

IdRange = tuple[int, int]
"""The first and the last id of a range, inclusive."""


def id_ranges(text: str, parameter: str) -> tuple[IdRange, ...]:
    """
    Parse ids and ranges of ids.

    :param text: for example ``1-20,25``; empty for none.
    :param parameter: the source of the text, for the message.
    :raises ParameterError: for a text of another form.

    >>> id_ranges('1-3, 5', 'members')
    ((1, 3), (5, 5))
    >>> id_ranges('', 'members')
    ()
    """
    if not text.strip():
        return ()
    found = []
    for part in text.split(','):
        first, dash, last = part.partition('-')
        try:
            one = (int(first), int(last if dash else first))
        except ValueError:
            one = (1, 0)
        if one[0] > one[1]:
            raise ParameterError(parameter, text, "ids and ranges of ids, for example '1-20,25'")
        found.append(one)
    return tuple(found)


def within(robot: int, ranges: tuple[IdRange, ...]) -> bool:
    """
    Return whether an id lies in one of the ranges.

    >>> [within(robot, ((1, 3), (5, 5))) for robot in (3, 4, 5)]
    [True, False, True]
    """
    return any(first <= robot <= last for first, last in ranges)
