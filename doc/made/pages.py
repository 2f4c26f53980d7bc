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
Fills in the parts of pages that are generated from the code, while Sphinx builds them.

A comment marks the place, on a line of its own: ``<!-- made: NAME ARGUMENT -->`` in
Markdown, ``.. made: NAME ARGUMENT`` in reStructuredText; ``NAME`` is one of :data:`MAKERS`. In
Markdown, the paragraph directly below the comment is a replacement for readers of the source: it
links to the content, and is removed from the built page.

In the sources, links are relative paths that work in a view of the repository. In the built pages,
a link to a file becomes a link to Sphinx's copy of it, and a link to a folder becomes plain text.
Some documents outside of ``doc/`` have a page of their own.
"""

import builtins
from collections.abc import Callable, Mapping
from functools import partial
import inspect
import math
from pathlib import Path
import posixpath
import re
from typing import Any

from leader_election.parameters import grouped, Parameter
from leader_election.parameters.registry import Registry
from made.launch_arguments import launch_arguments
from made.wire_format import wire_format

PAGES = {
    'CHANGELOG.rst': '/changelog.rst',
    'CONTRIBUTING.md': '/contributing.md',
    'QUALITY_DECLARATION.md': '/quality.md',
    'README.md': '/index.rst',
    'lab/reproduction/findings.md': '/findings.md',
    'lab/reproduction/statements.md': '/statements.md',
}
"""The pages of documents outside of ``doc/``."""

_LINK = re.compile(r'(?<!!)\[([^\]]*)\]\(([^)#\s]+)([^)]*)\)')


def convert_links(text: str, root: Path, folder: str, page: str = '') -> str:
    """
    Return Markdown with links to pages where there are any, and plain text for folders.

    :param root: the folder of the checkout.
    :param folder: the folder of the document, relative to the root, as ``doc/tutorials``.
    :param page: the folder of the page that includes the document, if it is another one.

    >>> text = '[the code](../leader_election) and [a page](regions.md#tasks)'
    >>> convert_links(text, Path('.'), 'doc')
    'the code and [a page](regions.md#tasks)'
    >>> convert_links('[how](../CONTRIBUTING.md#tests)', Path('.'), 'doc')
    '[how](/contributing.md#tests)'
    >>> convert_links('[all](doc/regions.md)', Path('.'), '.', 'doc')
    '[all](regions.md)'
    >>> convert_links('[bench](../README.md#on-robots)', Path('.'), 'doc')
    '[bench](/index.rst)'
    """
    def replacement(match: 're.Match[str]') -> str:
        label, target, rest = match.groups()
        if '://' in target or target.startswith('/'):
            return match[0]
        place = posixpath.normpath(posixpath.join(folder, target))
        if (root / place).is_dir():
            return label
        if place in PAGES:
            # The start page has other sections than the README, so the anchor is dropped.
            return f'[{label}]({PAGES[place]}{"" if place == "README.md" else rest})'
        return f'[{label}]({posixpath.relpath(place, page or folder)}{rest})'
    return _LINK.sub(replacement, text)


def document(root: Path, file: str) -> str:
    """
    Return a document outside of ``doc/`` as the content of its page.

    :param root: the folder of the checkout.
    :param file: its path, relative to the root.
    """
    folder = posixpath.dirname(file) or '.'
    return convert_links((root / file).read_text(encoding='utf-8'), root, folder, 'doc')


def diagnoses(root: Path, argument: str) -> str:
    """
    Return a section for each check of the doctor, as Markdown.

    :param root: the folder of the checkout; not used.
    :param argument: not used.
    """
    from leader_election.swarm.doctor.diagnoses import CHECKS
    return '\n'.join(
        f'### {check.question}\n\n{check.meaning}\n\n**What to do:** {check.remedy}\n\n'
        f'(`swarm_doctor` calls this `{check.name}`.)\n' for check in CHECKS)


def parameters(root: Path, argument: str) -> str:
    """
    Return a section for each parameter file in ``config/``, as Markdown.

    :param root: the folder of the checkout; not used.
    :param argument: not used.
    """
    from leader_election.config import FILES, sections
    return '\n'.join(file_section(file, kind, title, sections(kind))
                     for file, (kind, title) in FILES.items())


def file_section(file: str, kind: type, title: str, sections: Mapping[str, type]) -> str:
    """Return the parameters of one file by group, each with an anchor: ``#election-radius``."""
    link = f'[`config/{file}`](../../config/{file})'
    lines = [f'## {file}\n\n{title} As a file: {link}.\n']
    for group, declared in grouped(kind, sections).items():
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


def public_code(root: Path, argument: str) -> str:
    """
    Return the documentation of all public classes and functions, by autodoc, as Markdown.

    :param root: the folder of the checkout; not used.
    :param argument: not used.
    """
    import leader_election
    public = {name: getattr(leader_election, name)
              for name in sorted(dir(leader_election), key=str.lower)}
    lines = [f'.. auto{"class" if inspect.isclass(value) else "function"}:: leader_election.{name}'
             for name, value in public.items()
             if inspect.isclass(value) or inspect.isfunction(value)]
    return '\n'.join(['```{eval-rst}', *lines, '```'])


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


MAKERS: dict[str, Callable[[Path, str], str]] = {
    'diagnoses': diagnoses,
    'document': document,
    'launch_arguments': launch_arguments,
    'parameters': parameters,
    'public_code': public_code,
    'public_names': public_names,
    'wire_format': wire_format,
}
"""Generators by name: functions of the checkout's folder and an argument that return text."""

_MARK = re.compile(
    r'^(?:<!-- made: (\w+) ?(\S*) -->(?:\n.+)*|\.\. made: (\w+) ?(\S*))$', re.MULTILINE)


def filled(text: str, root: Path) -> str:
    """Return the text of a page with all marked places filled in."""
    def made(match: 're.Match[str]') -> str:
        name, argument = (part for part in match.groups() if part is not None)
        return MAKERS[name](root, argument)
    return _MARK.sub(made, text)


def setup(app: Any, root: Path) -> None:
    """Connect the generators to Sphinx, so that it fills in pages as it reads them."""
    app.connect('source-read', partial(_read, root))
    # The generated content may have changed although the source of the page has not.
    app.connect('env-get-outdated', lambda app, env, added, changed, removed: sorted(
        name for name in env.found_docs
        if _MARK.search(Path(env.doc2path(name)).read_text(encoding='utf-8'))))
    app.connect('doctree-read', _keep_built_in)


def _keep_built_in(app: Any, doctree: Any) -> None:
    """
    Remove links from built-in names, such as ``type``, to attributes with that name.

    Sphinx would look among all names of the package for each ``float``, too: a sixth of its time.
    """
    from sphinx.addnodes import pending_xref
    for link in list(doctree.findall(pending_xref)):
        if hasattr(builtins, link.get('reftarget', '')):
            link.replace_self(link.children)


def _read(root: Path, app: Any, name: str, source: list[str]) -> None:
    folder = posixpath.dirname(f'doc/{name}')
    source[0] = convert_links(filled(source[0], root), root, folder)
