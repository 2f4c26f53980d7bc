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

"""The public names of the package, as a table."""

import inspect
from pathlib import Path
import re

from leader_election.election.registry import Registry


def public_names(root: Path, argument: str) -> str:
    """
    Return a table of the names that other packages import, as Markdown.

    Names that share one description, such as the kinds of parts of a summary, share a row.

    :param root: the folder of the checkout; not used.
    :param argument: not used.
    """
    import leader_election
    rows: dict[str, list[str]] = {}
    for name in sorted(leader_election.__all__, key=str.lower):
        if not name.startswith('_'):
            rows.setdefault(description(name), []).append(f'`{name}`')
    lines = [f'| {", ".join(names)} | {text} |' for text, names in rows.items()]
    return '\n'.join(['| name | description |', '|---|---|', *lines])


def description(name: str) -> str:
    """
    Return the first paragraph of a public name's documentation.

    >>> description('METRICS')
    'The registry of the kind metric; entry points of group `leader_election.metrics` add to it.'
    >>> description('top') != '' != description('Unbounded')
    True
    """
    import leader_election
    value = getattr(leader_election, name)
    if isinstance(value, Registry):
        return (f'The registry of the kind {value.kind}; entry points of group `{value.group}` '
                'add to it.')
    if inspect.isclass(value) or inspect.isfunction(value):
        text = inspect.getdoc(value) or ''
    else:
        text = described(value, name)
    text = re.sub(':[a-z]+:`~?', '`', text.partition('\n\n')[0])
    return text.replace('\n', ' ').replace('``', '`').replace('|', '\\|')


def described(value: object, name: str) -> str:
    """Return the text below the assignment of a constant, in the module that assigns it."""
    from leader_election import _HOMES
    from sphinx.pycode import ModuleAnalyzer
    lines = ModuleAnalyzer.for_module(f'leader_election.{_HOMES[name]}').find_attr_docs()
    return '\n'.join(lines['', name]).strip()
