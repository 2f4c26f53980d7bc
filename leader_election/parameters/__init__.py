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
Parameters: each is declared once, with type, default, range, unit and description.

Their checks, nodes and files are derived from the declaration. A set of parameters is a frozen
dataclass whose fields are made by :func:`parameter`. The dataclass gives the code typed values,
:func:`table` the declarations for nodes, and :func:`to_yaml` the documented configuration file.
"""

from collections.abc import Callable, Iterable, Mapping, Set
from contextlib import suppress
import dataclasses
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
import math
import re
import textwrap
from types import MappingProxyType
from typing import Any, get_type_hints, TypeVar

from leader_election.parameters.files import read_yaml
import yaml

NO_SECTIONS: Mapping[str, type] = MappingProxyType({})
OWN = 'Of one algorithm, strength source, metric or task'
"""The group of parameters that a node has only where their owner is chosen."""
REQUIRED_INT = -1
"""The default of a required integer: outside of its range."""

T = TypeVar('T')


@dataclass(frozen=True)
class Parameter:
    """The declaration of one parameter."""

    name: str
    type: type  # noqa: A003
    """One of ``bool``, ``int``, ``float``, ``str``, ``tuple[float, ...]``, ``tuple[str, ...]``."""
    default: Any
    description: str
    unit: str = ''
    lower: float | None = None
    """The least value, inclusive."""
    upper: float | None = None
    """The greatest value, inclusive."""
    choices: Callable[[], tuple[str, ...]] | None = None
    """The allowed values of a string. A function, since plug-ins add values."""
    lengths: tuple[int, ...] = ()
    """The allowed numbers of elements of an array, empty for any."""
    empty: bool = True
    is_frame: bool = False
    """Whether the string names a coordinate frame."""
    dynamic: bool = False
    """Whether the value may change while the node runs."""
    required: bool = False

    def allowed(self) -> str:
        """Return the allowed values as text."""
        unit = f' {self.unit}' if self.unit else ''
        if self.choices is not None:
            return 'one of ' + ', '.join(self.choices())
        if self.lengths:
            return ' or '.join(str(n) for n in self.lengths) + ' finite numbers' + unit
        if self.lower is not None and self.upper is not None and not math.isinf(self.upper):
            return f'{_number(self.lower)} to {_number(self.upper)}{unit}'
        if self.lower is not None:
            return f'at least {_number(self.lower)}{unit}'
        text = 'a string' if self.empty else 'a string that is not empty'
        return {bool: 'true or false', int: 'a whole number', float: 'a finite number' + unit,
                str: text, tuple[float, ...]: 'a list of finite numbers' + unit,
                tuple[int, ...]: 'a list of whole numbers'}.get(self.type, 'a list of texts')

    def check(self, value: Any) -> Any:
        """
        Return the value in this parameter's type, or raise a :class:`ParameterError`.

        >>> radius = Parameter('radius', float, 10.0, 'Reach.', unit='m', lower=0.0)
        >>> radius.check(5), radius.parse('1e1')
        (5.0, 10.0)
        >>> radius.check(-1.0)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        leader_election.parameters.ParameterError: parameter radius: -1.0 is not ...
        """
        if self.required and value is None:
            raise ParameterError(self.name, problem=f' is missing; it takes {self.allowed()}')
        converted = _convert(value, self.type)
        if self.is_frame and isinstance(converted, str):
            converted = frame_name(converted)
        if converted is None or not self._within(converted):
            hint = did_you_mean(value, self.choices()) if self.choices is not None else ''
            whole = 'a whole number, ' if self.type is int and type(value) is float else ''
            raise ParameterError(self.name, problem=f': {shown(value)} is not allowed; {hint}it '
                                 f'takes {whole}{self.allowed()}')
        return converted

    def parse(self, text: str) -> Any:
        """
        Return the checked value of a text, as a command line has it.

        :raises ParameterError: for a wrong value.

        >>> Parameter('robots', int, 40, 'How many.').parse('12')
        12
        """
        value: Any = text
        if self.type is not str:
            with suppress(ValueError):
                value = read_yaml(text)
        return self.check(value)

    def _within(self, value: Any) -> bool:
        if isinstance(value, tuple):
            finite = all(math.isfinite(x) for x in value if isinstance(x, float))
            return finite and (not self.lengths or len(value) in self.lengths)
        if self.choices is not None:
            return value in self.choices()
        if isinstance(value, float) and not math.isfinite(value):
            return self.upper == value
        if isinstance(value, (int, float)):
            return ((self.lower is None or value >= self.lower)
                    and (self.upper is None or value <= self.upper))
        return self.empty or value != ''


def _number(bound: float) -> str:
    return str(bound) if isinstance(bound, int) else f'{bound:g}'


def _convert(value: Any, wanted: type) -> Any:
    """Return the value in the declared type, ``None`` if information would be lost."""
    if wanted is float and type(value) is int:
        try:
            return float(value)
        except OverflowError:
            return None
    if wanted in (bool, int, float, str):
        return value if type(value) is wanted else None
    # A set has no order and a mapping has keys: neither is a list.
    if isinstance(value, (str, bytes, Set, Mapping)) or not hasattr(value, '__iter__'):
        return None
    element = wanted.__args__[0]  # type: ignore[attr-defined]
    converted = tuple(_convert(x, element) for x in value)
    return None if None in converted else converted


def parameter(default: Any, description: str, **details: Any) -> Any:
    """Declare a parameter as a field of a dataclass. Details are :class:`Parameter`'s fields."""
    return dataclasses.field(
        default=default, metadata={'description': description, **details})


def as_in(parameters: type, name: str, **default: Any) -> Any:
    """
    Declare a parameter as another dataclass declares it.

    :param default: another default, by the keyword ``default``.
    """
    (field,) = (f for f in dataclasses.fields(parameters) if f.name == name)
    return dataclasses.field(default=default.get('default', field.default),
                             metadata=field.metadata)


@dataclass(frozen=True)
class NoParameters:
    """An empty set of parameters, of an algorithm, metric, strength source or task without any."""


def table(parameters: type, prefix: str = '') -> tuple[Parameter, ...]:
    """
    Return the declarations of a dataclass of parameters, in their order.

    :param prefix: of their names, for example ``greedy.``.
    """
    return _table(parameters, prefix)


@lru_cache
def _table(parameters: Any, prefix: str) -> tuple[Parameter, ...]:
    types = get_type_hints(parameters)
    return tuple(
        Parameter(name=prefix + f.name, type=types[f.name], default=f.default, **f.metadata)
        for f in dataclasses.fields(parameters) if 'description' in f.metadata)


def grouped(parameters: type, sections: Mapping[str, type] = NO_SECTIONS,
            ) -> dict[str, list[Parameter]]:
    """
    Return the declarations by group, in the order of documents.

    A dataclass of many parameters has their names by group in its attribute ``GROUPS``. The last
    group has those that are in no other, such as those of a new part of robots. Without
    ``GROUPS`` it is the only one, and has an empty title and what is required first.

    :param sections: further dataclasses, by their prefix. They are the group :data:`OWN`.
    """
    declared = {p.name: p for p in table(parameters)}
    groups: Mapping[str, str] = getattr(parameters, 'GROUPS', {})
    found = {title: [declared.pop(name) for name in names.split()]
             for title, names in groups.items()}
    others = sorted(declared.values(), key=lambda p: not p.required)
    own = [p for prefix, section in sections.items() for p in table(section, prefix)]
    return (found | ({'Others' if found else '': others} if others else {})
            | ({OWN: own} if own else {}))


def build(parameters: type[T], values: Mapping[str, Any]) -> T:
    """Return checked parameters from values by name. Others have their defaults."""
    known = {p.name: p for p in table(parameters)}
    for name in values:
        if name not in known:
            raise ParameterError(name, problem=f'; {did_you_mean(name, known)}known: '
                                 f"{', '.join(known)}", kind='unknown parameter')
    return parameters(**{
        name: p.check(values.get(name, None if p.required else p.default))
        for name, p in known.items()})


def to_yaml(parameters: type, title: str, sections: Mapping[str, type] = NO_SECTIONS) -> str:
    """
    Return the text of a ROS parameter file with all defaults and descriptions.

    A required parameter has no default: its line is a comment.

    :param parameters: a dataclass of parameters.
    :param title: the first line, a comment.
    :param sections: further dataclasses of parameters, by their prefix on the node.
    """
    lines = [f'# {title}', '/**:', '  ros__parameters:']
    for group, declared in grouped(parameters, sections).items():
        lines += [f'    ## {group}'] * bool(group)
        for p in declared:
            note = f'{p.description} Takes {p.allowed()}.'
            if p.dynamic:
                note += ' May change at run time.'
            lines += textwrap.wrap(note, 94, initial_indent='    # ', subsequent_indent='    # ')
            value = list(p.default) if isinstance(p.default, tuple) else p.default
            text = yaml.safe_dump([value], default_flow_style=True, width=math.inf).strip()[1:-1]
            lines.append(f'    # {p.name}: 1' if p.required else f'    {p.name}: {text}')
    return '\n'.join(lines) + '\n'


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
        return self if not self.name else ParameterError(
            name, problem=self.problem, kind=self.kind if kind is None else kind)


def shown(value: Any) -> str:
    """
    Return a value as text for an error: one line of at most 79 characters.

    >>> shown('so'), len(shown('so' * 100))
    ("'so'", 79)
    """
    text = repr(value)
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
    found = []
    for part in text.split(',') if text.strip() else ():
        ends = re.fullmatch(r'\s*([0-9]{1,16})\s*(?:-\s*([0-9]{1,16})\s*)?', part)
        first, last = (int(ends[1]), int(ends[2] or ends[1])) if ends else (1, 0)
        if first > last:
            raise ParameterError(parameter, text, "ids and ranges of ids, for example '1-20,25'")
        found.append((first, last))
    return tuple(found)


def format_ids(ids: Iterable[int]) -> str:
    """
    Format ids as a text that :func:`id_ranges` parses.

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


def within(robot: int, ranges: tuple[IdRange, ...]) -> bool:
    """
    Return whether an id lies in one of the ranges.

    >>> [within(robot, ((1, 3), (5, 5))) for robot in (3, 4, 5)]
    [True, False, True]
    """
    return any(first <= robot <= last for first, last in ranges)
