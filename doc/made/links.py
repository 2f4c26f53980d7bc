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
Links from one document to another: as they stand they hold where the repository is looked at.

In the built pages a link to a file of the repository is one to a copy of it, which Sphinx makes; a
link to a folder of it has nowhere to go, and becomes plain text. Some documents that lie elsewhere
have a page of their own.
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
"""The pages that documents become which do not lie in ``doc/``."""

_LINK = re.compile(r'(?<!!)\[([^\]]*)\]\(([^)#\s]+)([^)]*)\)')


def mended(text: str, root: Path, folder: str, page: str = '') -> str:
    """
    Return Markdown in which links go to pages where there are some, and nowhere for folders.

    :param folder: the one of the document, seen from the root, as ``doc/tutorials``.
    :param page: the folder of the page that it goes into, where that is another one.

    >>> mended('[the code](../leader_election) and [a page](regions.md#tasks)', Path('.'), 'doc')
    'the code and [a page](regions.md#tasks)'
    >>> mended('[how](../CONTRIBUTING.md#tests)', Path('.'), 'doc')
    '[how](/contributing.md#tests)'
    >>> mended('[all](doc/regions.md)', Path('.'), '.', 'doc')
    '[all](regions.md)'
    >>> mended('[bench](../README.md#on-robots)', Path('.'), 'doc')
    '[bench](/index.rst)'
    """
    def instead(match: 're.Match[str]') -> str:
        words, target, rest = match.groups()
        if '://' in target or target.startswith('/'):
            return match[0]
        place = posixpath.normpath(posixpath.join(folder, target))
        if (root / place).is_dir():
            return words
        if place in PAGES:
            # The start page has other sections than the README.
            return f'[{words}]({PAGES[place]}{"" if place == "README.md" else rest})'
        return f'[{words}]({posixpath.relpath(place, page or folder)}{rest})'
    return _LINK.sub(instead, text)


def document(root: Path, file: str) -> str:
    """
    Return a document that has a page of its own, to be filled into that.

    :param file: its path from the root.
    """
    folder = posixpath.dirname(file) or '.'
    return mended((root / file).read_text(), root, folder, 'doc')
