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

"""Values as users write them: numbers, ids, similar names, and the error for a wrong one."""

from collections.abc import Iterable
from difflib import get_close_matches
import math
import re
from typing import Any

WITH_EXPONENT = re.compile(r'[-+]?([0-9][0-9_]*(\.[0-9_]*)?|\.[0-9][0-9_]*)[eE][-+]?[0-9]+')
"""YAML 1.1 reads such a number as text unless it has a point and a sign in the exponent."""


def as_number(value: Any) -> Any:
    """
    Return a value where a number is declared: for a text such as ``1e1`` its number.

    For declared numbers only: where a text is declared, ``1e1`` stays a text.

    :param value: as read from YAML.
    :return: the number; any other value unchanged, also a number too large for a float.

    >>> [as_number(value) for value in ('1e1', '-2.5E-3', '.5e2', '1_000e1', 3, 'ten', '1e999')]
    [10.0, -0.0025, 50.0, 10000.0, 3, 'ten', '1e999']
    """
    if not isinstance(value, str) or not WITH_EXPONENT.fullmatch(value):
        return value
    number = float(value.replace('_', ''))
    return number if math.isfinite(number) else value


def as_whole_number(value: Any) -> Any:
    """
    Return a value where a whole number is declared; for a text such as ``1e3`` its number.

    >>> [as_whole_number(value) for value in ('1e3', '2.5e1', '1e-3', 7, 7.0, 'x')]
    [1000, 25, '1e-3', 7, 7.0, 'x']
    """
    number = as_number(value)
    whole = isinstance(value, str) and isinstance(number, float) and number.is_integer()
    return int(number) if whole else value


def frame_name(name: str) -> str:
    """
    Return the name of a coordinate frame in its normal form, that of tf2.

    ROS 1 and some drivers put a slash before it.

    >>> frame_name('/map'), frame_name('alice/odom')
    ('map', 'alice/odom')
    """
    return name.lstrip('/')


class LeaderElectionError(Exception):
    """The base of all errors that users of the package meet. Their texts are one line."""


class ParameterError(LeaderElectionError, ValueError):
    """
    An invalid value of a parameter. Its text is one line for users.

    :ivar name: of the parameter, empty if the error is about another thing, and ``problem`` is
        all.
    :ivar problem: the rest of the text.
    :ivar kind: what is named, as the text has it: ``parameter``, ``unknown parameter`` or nothing.

    >>> wrong = ParameterError('radius', -1.0, 'at least 0 m')
    >>> print(wrong.named('rescue.radius'))
    parameter rescue.radius: -1.0 is not allowed; it takes at least 0 m
    >>> print(ParameterError('logs', problem=' is missing'))
    parameter logs is missing
    """

    def __init__(self, name: str, value: Any = None, allowed: str = '', *, problem: str = '',
                 kind: str = 'parameter') -> None:
        """
        Describe an error, by ``name``, ``value`` and ``allowed`` if the value is not allowed.

        :param name: of the parameter. Where it is the only argument, the whole text.
        :param allowed: the values that are.
        """
        if allowed:
            problem = f': {shown(value)} is not allowed; it takes {allowed}'
        self.name, self.problem, self.kind = (name, problem, kind) if problem else ('', name, '')
        super().__init__(f'{self.kind} {self.name}'.lstrip() + self.problem)

    def named(self, name: str, kind: str | None = None) -> 'ParameterError':
        """Return the same error of a parameter of another name; of nothing named: itself."""
        if not self.name:
            return self
        return ParameterError(
            name, problem=self.problem, kind=self.kind if kind is None else kind)


def shown(value: Any) -> str:
    """
    Return a value as text for an error: one line of at most 79 characters.

    >>> shown('so'), len(shown('so' * 100))
    ("'so'", 79)
    """
    try:
        text = repr(value)
    except ValueError:  # Python writes no integer of more than 4300 digits.
        return 'a number without end'
    return text if len(text) < 80 else text[:76] + '...'


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """
    Return a question that names the most similar known name, ending in a space.

    The same name in a section, after a dot, is the most similar one.

    :param name: as given. Anything but a text has no similar name.
    :return: empty if no known name is similar.

    >>> did_you_mean('raduis', ['range', 'radius']), did_you_mean('colour', ['range', 'radius'])
    ('did you mean radius? ', '')
    >>> did_you_mean('lane', ['land', 'patrol.lane'])
    'did you mean patrol.lane? '
    """
    ordered = sorted(known, key=lambda each: (len(each), each))
    near = ([each for each in ordered if each.endswith(f'.{name}')]
            or get_close_matches(name, ordered, 1)) if isinstance(name, str) else []
    return f'did you mean {near[0]}? ' if near else ''


IdRange = tuple[int, int]
"""The first and the last id of a range, inclusive."""


def names_in(text: str) -> tuple[str, ...]:
    """
    Return the names in a list with commas.

    >>> names_in('count, patrol')
    ('count', 'patrol')
    """
    return tuple(name.strip() for name in text.split(',') if name.strip())


def id_ranges(text: str, parameter: str) -> tuple[IdRange, ...]:
    """
    Parse ids and ranges of ids.

    :param text: for example ``1-20,25``, empty for none.
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
