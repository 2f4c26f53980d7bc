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

"""One robot of a swarm, as everything that brings a swarm up is told of it."""

from collections.abc import Sequence
import math
import re
from typing import Any, NamedTuple

from leader_election.parameters import ParameterError, strict_yaml
from leader_election.parameters.parameter import shown
from leader_election.robot.wire import MAX_ID


class Entry(NamedTuple):
    """A robot, before it is started."""

    name: str
    """Its namespace, and its model's name in a simulator; unique."""
    id: int
    """Unique."""
    pose: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where its odometry starts in the shared frame: x, y, yaw [m, rad]."""
    type: str = ''
    """What kind of robot it is, by name; empty: there is only one kind."""


def check_unique(entries: Sequence[Entry], parameter: str) -> None:
    """
    Refuse two robots of one name, or of one id.

    :param parameter: where they were given, for the message.
    :raises ParameterError: naming both.

    >>> check_unique([Entry('alice', 1), Entry('bob', 1)], 'robots')
    Traceback (most recent call last):
    ParameterError: ...
    """
    ids: dict[int, str] = {}
    names: set[str] = set()
    for entry in entries:
        if entry.name in names:
            raise ParameterError(f'parameter {parameter}: two robots are called {entry.name}; '
                                 'give each robot a name of its own')
        if entry.id in ids:
            raise ParameterError(f'parameter {parameter}: {ids[entry.id]} and {entry.name} both '
                                 f'have id {entry.id}; give each robot an id of its own')
        names.add(entry.name)
        ids[entry.id] = entry.name


_NAME = re.compile(r'(?!.*__)[A-Za-z]\w*', re.ASCII)
"""What is both a ROS namespace and the name of a model."""
_IN_THE_PLANE = ('x', 'y', 'yaw')
_ABOVE_IT = ('z', 'roll', 'pitch')
"""nav2 has these, too; robots stand on the ground."""
_FORM = '{name: robot_1, pose: {x: 0.5, y: 0.5, yaw: 0.0}}; {name: robot_2, ...}'


def listed_robots(text: str, parameter: str = 'robots') -> tuple[Entry, ...]:
    """
    Return the robots of a text.

    What a pose does not say is 0. A robot without an ``id`` has the lowest from 1 on that no other
    has.

    :param parameter: where the text was given, for messages.
    :raises ParameterError: for what is no such list, and two robots of one name or id.

    >>> [tuple(r[:3]) for r in listed_robots('{name: a, pose: {x: 0.5}}; {name: b, id: 1}')]
    [('a', 2, (0.5, 0.0, 0.0)), ('b', 1, (0.0, 0.0, 0.0))]
    """
    parts = [part.strip() for part in text.split(';')]
    read = [_robot(part, parameter) for part in parts if part]
    if not read:
        raise ParameterError(f'parameter {parameter}: {text!r} names no robot; it takes a number, '
                             f'or a list such as {_FORM}')
    taken = {number for _, number, _ in read if number is not None}
    free = (number for number in range(1, MAX_ID) if number not in taken)
    entries = tuple(Entry(name, next(free) if number is None else number, pose)
                    for name, number, pose in read)
    check_unique(entries, parameter)
    return entries


def listing(entries: Sequence[Entry]) -> str:
    """
    Write robots down so that :func:`listed_robots` reads them.

    >>> listing([Entry('a', 2, (0.5, 0.0, 1.0))])
    "{name: 'a', id: 2, pose: {x: 0.5, y: 0.0, yaw: 1.0}}"
    """
    # A name may be a word that YAML takes for a truth or a number.
    return '; '.join(
        f"{{name: '{entry.name}', id: {entry.id}, pose: {{"
        + ', '.join(f'{key}: {_number(value)}' for key, value in zip(_IN_THE_PLANE, entry.pose))
        + '}}' for entry in entries)


def is_name(text: str) -> bool:
    """
    Return whether a robot may be called so.

    >>> is_name('robot_1'), is_name('1'), is_name('robot__1')
    (True, False, False)
    """
    return _NAME.fullmatch(text) is not None


def check_name(name: Any, parameter: str) -> str:
    """Return the name of a robot, or refuse what is no namespace."""
    if isinstance(name, str) and is_name(name):
        return name
    raise ParameterError(f'parameter {parameter}: {name!r} is no name for a robot, which is its '
                         'namespace, too; use letters, digits and single underscores, a letter '
                         'first')


def _robot(part: str, parameter: str) -> tuple[str, int | None, tuple[float, float, float]]:
    """Return name, id where there is one, and pose of one part."""
    name, equals, pose_text = part.partition('=')
    if equals and '{' not in name:
        known = {'name': name.strip(), 'pose': _mapping(pose_text, part, parameter)}
    else:
        known = _mapping(part, part, parameter)
    for key in known:
        if key not in ('name', 'id', 'pose'):
            raise ParameterError(f'parameter {parameter}: unknown key {key} in {part!r}; '
                                 'known: name, id, pose')
    if 'name' not in known:
        raise ParameterError(f'parameter {parameter}: {part!r} has no name; it takes {_FORM}')
    checked = check_name(known['name'], parameter)
    return checked, _id(checked, known.get('id'), parameter), _pose(
        checked, known.get('pose'), parameter)


def _mapping(text: str, part: str, parameter: str) -> dict[Any, Any]:
    try:
        found = strict_yaml.read(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ParameterError(
            f'parameter {parameter}: {shown(part)} is no robot; it takes a number, or a list '
            f'such as {_FORM}')
    return found


def _id(name: str, number: Any, parameter: str) -> int | None:
    if number is None or type(number) is int and 0 <= number <= MAX_ID:
        return number
    raise ParameterError(f'parameter {parameter}: the id of {name} is {shown(number)}; it takes '
                         f'0 to {MAX_ID}')


def _pose(name: str, pose: Any, parameter: str) -> tuple[float, float, float]:
    pose = {} if pose is None else pose
    if not isinstance(pose, dict):
        raise ParameterError(f'parameter {parameter}: the pose of {name} is {pose!r}; it takes '
                             '{x: 0.5, y: 0.5, yaw: 0.0}')
    for key, value in pose.items():
        if key not in _IN_THE_PLANE + _ABOVE_IT:
            raise ParameterError(f'parameter {parameter}: unknown key {key} in the pose of '
                                 f'{name}; known: {", ".join(_IN_THE_PLANE)}')
        if not _is_finite(value):
            raise ParameterError(f'parameter {parameter}: {key} of {name} is {shown(value)}; it '
                                 'takes a finite number')
        if key in _ABOVE_IT and value:
            raise ParameterError(f'parameter {parameter}: {key} of {name} is {value!r}; robots '
                                 'stand on the ground, it takes 0')
    x, y, yaw = (float(pose.get(key, 0.0)) for key in _IN_THE_PLANE)
    return x, y, yaw


def _is_finite(value: Any) -> bool:
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:
        # A whole number of some hundreds of digits.
        return False


def _number(value: float) -> str:
    """Write a number so that YAML reads it as one: it wants a point before an exponent."""
    return re.sub(r'^(-?\d+)e', r'\1.0e', repr(value))


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
