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

"""The parameters of the executables, read from their declarations."""

import math
from pathlib import Path
from typing import Any

from leader_election.parameters import grouped, Parameter


def parameters(root: Path, argument: str) -> str:
    """
    Return a section for each parameter file in ``config/``, as Markdown.

    :param root: the folder of the checkout; not used.
    :param argument: not used.
    """
    from leader_election.config import FILES
    return '\n'.join(section(file, *content) for file, content in FILES.items())


def section(file: str, kind: type, title: str) -> str:
    """Return the parameters of one file by group, each with an anchor: ``#election-radius``."""
    link = f'[`config/{file}`](../../config/{file})'
    lines = [f'## {file}\n\n{title} As a file: {link}.\n']
    for group, declared in grouped(kind).items():
        lines += [f'### {group}\n'] * bool(group)
        lines += [f'({Path(file).stem}-{p.name})=\n{entry(p)}' for p in declared]
    return '\n'.join(lines)


def entry(p: Parameter) -> str:
    """
    Return a parameter as an entry of a definition list: name, default, description, range.

    >>> print(entry(Parameter('radius', float, 10.0, 'Reach.', unit='m', lower=0.0)))
    `radius` = `10.0`
    : Reach. Takes at least 0 m.
    <BLANKLINE>
    """
    has = '**required**' if p.required else f'= `{shown(p.default)}`'
    notes = [p.description, f'Takes {p.allowed()}.', *(['May change at run time.'] * p.dynamic)]
    text = ' '.join(notes).replace('<', '\\<').replace('*', '\\*').replace('_', '\\_')
    return f'`{p.name}` {has}\n: {text}\n'


def shown(value: Any) -> str:
    """
    Return a value in the notation of a YAML parameter file.

    >>> shown(True), shown((0.0, 1.5)), shown(''), shown(math.inf)
    ('true', '[0.0, 1.5]', "''", '.inf')
    """
    if isinstance(value, tuple):
        return '[' + ', '.join(map(shown, value)) + ']'
    if isinstance(value, bool):
        return str(value).lower()
    return '.inf' if value == math.inf else repr(value)
