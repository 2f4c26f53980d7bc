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
Converts links between documents for the built pages.

In the sources, links are relative paths that work in a view of the repository. In the built pages,
a link to a file becomes a link to Sphinx's copy of it, and a link to a folder becomes plain text.
Some documents outside of ``doc/`` have a page of their own.
"""

from pathlib import Path
import posixpath
import re

PAGES = {
    'CHANGELOG.rst': '/changelog.rst',
    'CONTRIBUTING.md': '/contributing.md',
    'QUALITY_DECLARATION.md': '/quality.md',
    'README.md': '/index.rst',
    'leader_election/lab/published/findings.md': '/findings.md',
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
    return convert_links((root / file).read_text(), root, folder, 'doc')
