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

"""Write the declarations as a documented ROS parameter file."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
import re
import textwrap
from types import MappingProxyType
from typing import Any

from leader_election.parameters.parameter import Parameter, table

NO_SECTIONS: Mapping[str, type] = MappingProxyType({})


def to_yaml(parameters: type, title: str, sections: Mapping[str, type] = NO_SECTIONS) -> str:
    """
    Return the text of a parameter file that holds every default, each with its description.

    What has to be given has no default: its line is a comment.

    :param sections: further dataclasses of parameters, by what their names begin with on the node,
        for example ``greedy.``.
    """
    lines = [f'# {title}', '/**:', '  ros__parameters:', *_lines(table(parameters))]
    for prefix, own in sections.items():
        lines += _lines([replace(p, name=prefix + p.name) for p in table(own)])
    return '\n'.join(lines) + '\n'


def _lines(parameters: Iterable[Parameter]) -> list[str]:
    """Return the lines of some parameters."""
    lines: list[str] = []
    for p in parameters:
        note = f'{p.description} Takes {p.allowed()}.'
        if p.dynamic:
            note += ' May change at run time.'
        lines += textwrap.wrap(note, 94, initial_indent='    # ', subsequent_indent='    # ')
        lines.append(f'    {"# " if p.required else ""}{p.name}: {_value(p)}')
    return lines


def _value(p: Parameter) -> str:
    if p.required:
        return '1'
    if isinstance(p.default, tuple):
        return '[' + ', '.join(_scalar(x) for x in p.default) + ']'
    return _scalar(p.default)


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        # YAML wants a point: 1e-06 would be a text.
        return '.inf' if value == float('inf') else re.sub(r'^(-?\d+)e', r'\1.0e', repr(value))
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)
