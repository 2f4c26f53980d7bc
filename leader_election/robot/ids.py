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

"""Sets of robot ids, written down."""

from leader_election.parameters import ParameterError


def parse_ids(text: str, known: tuple[int, ...]) -> tuple[int, ...]:
    """
    Return the ids that a text names, in order; an empty text names all that are known.

    :raises ParameterError: for a text that is no list of ids, or an id that is not known.

    >>> parse_ids('1-3,5', (1, 2, 3, 4, 5))
    (1, 2, 3, 5)
    >>> parse_ids('', (7, 8))
    (7, 8)
    """
    if not text.strip():
        return known
    ids: set[int] = set()
    for part in text.split(','):
        first, _, last = part.partition('-')
        try:
            run = (int(first), int(last or first))
        except ValueError:
            run = (1, 0)
        if run[0] > run[1]:
            raise ParameterError(
                f'parameter members: {text!r} is not allowed; it takes ids and ranges of ids, '
                "for example '1-20,25'")
        for end in run:
            if end not in known:
                raise ParameterError(
                    f'parameter members: no robot {end}; the robots are {format_ids(known)}')
        ids.update(i for i in known if run[0] <= i <= run[1])
    return tuple(sorted(ids))


def format_ids(ids: tuple[int, ...]) -> str:
    """
    Write ids down so that :func:`parse_ids` reads them.

    >>> format_ids((1, 2, 3, 5))
    '1-3,5'
    """
    runs: list[list[int]] = []
    for i in sorted(ids):
        if runs and i == runs[-1][1] + 1:
            runs[-1][1] = i
        else:
            runs.append([i, i])
    return ','.join(str(a) if a == b else f'{a}-{b}' for a, b in runs)
