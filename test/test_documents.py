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

"""The documents are finished, and what they link to is there."""

from pathlib import Path
import re

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = (ROOT / 'README.md', *sorted((ROOT / 'doc').glob('*.md')))


@pytest.mark.parametrize('document', DOCUMENTS, ids=lambda path: path.name)
def test_nothing_is_left_to_be_filled_in(document: Path) -> None:
    assert re.findall(r'@[A-Z_]+@', document.read_text()) == []


@pytest.mark.parametrize('document', DOCUMENTS, ids=lambda path: path.name)
def test_files_that_are_linked_to_exist(document: Path) -> None:
    targets = re.findall(r'\]\(([^)#\s]+)[^)]*\)', document.read_text())
    files = [target for target in targets if '://' not in target]
    assert [file for file in files if not (document.parent / file).exists()] == []
