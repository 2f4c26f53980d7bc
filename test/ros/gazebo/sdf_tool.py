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

"""Checks of SDF by its own tool, if installed: ``ign sdf`` of Debian 12, or ``gz sdf``."""

from functools import cache
from pathlib import Path
import re
import shutil
import subprocess
from xml.etree import ElementTree

import pytest

TOOL = shutil.which('ign') or shutil.which('gz')
SPECIFICATION = max(Path('/usr/share').glob('sdformat*/1.7'), default=None)
needs_tool = pytest.mark.skipif(
    TOOL is None, reason='neither ign nor gz is installed (Debian 12: ignition-tools, '
                         'libsdformat-dev, sdformat-sdf)')
needs_specification = pytest.mark.skipif(
    SPECIFICATION is None, reason='no /usr/share/sdformat*/1.7 (Debian 12: libsdformat-dev)')


def verdict(file: Path) -> str:
    """Return the output of the tool for a file, ``Valid.`` if it is."""
    assert TOOL is not None
    ran = subprocess.run([TOOL, 'sdf', '-k', file], capture_output=True, text=True, timeout=60)
    # The tool may lack what draws its own backtraces.
    return re.sub(r'Library error: .*\n', '', ran.stdout + ran.stderr).strip()


@cache
def _description(name: str) -> ElementTree.Element:
    """Return the description of an element in a file of the specification."""
    assert SPECIFICATION is not None
    return ElementTree.parse(SPECIFICATION / name).getroot()


def misspelled(element: ElementTree.Element, description: ElementTree.Element | None = None,
               ) -> list[str]:
    """Return the elements and attributes that the specification does not describe."""
    if description is None:
        description = _description('root.sdf')
    if element.tag == 'plugin':
        return []
    known = {child.get('name', ''): child for child in description.findall('element')}
    for include in description.findall('include'):
        name = include.get('filename', '')
        # The specification names some files that are not there yet.
        if SPECIFICATION is not None and (SPECIFICATION / name).exists():
            included = _description(name)
            known[included.get('name', '')] = included
    attributes = {child.get('name') for child in description.findall('attribute')}
    found = [f'{element.tag}/@{name}' for name in element.attrib if name not in attributes]
    for child in element:
        if child.tag in known:
            found += misspelled(child, known[child.tag])
        else:
            found.append(f'{element.tag}/{child.tag}')
    return found
