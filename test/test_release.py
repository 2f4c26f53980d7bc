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

"""The conditions of a release by bloom: one version, a changelog in catkin's form, one address."""

from pathlib import Path
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import leader_election
import pytest

ROOT = Path(__file__).parents[1]
MANIFEST = ElementTree.parse(ROOT / 'package.xml')
VERSION = MANIFEST.findtext('version')
TEXTS = ('*.py', '*.md', '*.toml', '*.cfg', '*.xml', '*.rst', 'leader_election/**/*.py',
         'doc/**/*.md', 'doc/**/*.rst', 'doc/*.py', 'launch/*', 'config/**/*.*', 'requirements/*')


def metadata(*names: str) -> list[str]:
    """Return values of setup.py."""
    ran = subprocess.run([sys.executable, 'setup.py', '--quiet', *(f'--{name}' for name in names)],
                         cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    return ran.stdout.splitlines()


def test_version_is_the_same_everywhere() -> None:
    assert leader_election.__version__ == VERSION
    assert f'\nversion: {VERSION}\n' in (ROOT / 'CITATION.cff').read_text()
    # catkin_prepare_release replaces a literal of exactly this form.
    assert re.findall(r"version='(\d+\.\d+\.\d+)',", (ROOT / 'setup.py').read_text()) == [VERSION]


def test_the_address_is_in_the_manifest_alone() -> None:
    maintainer = MANIFEST.find('maintainer')
    assert maintainer is not None
    email = maintainer.get('email') or ''
    urls = {url.get('type'): url.text for url in MANIFEST.iter('url')}
    assert urls.keys() == {'website', 'repository', 'bugtracker'} and all(urls.values())
    assert metadata('maintainer', 'maintainer-email', 'url') == [
        maintainer.text, email, urls['website']]
    others = {path for pattern in TEXTS for path in ROOT.glob(pattern) if path.is_file()
              and path.name != 'package.xml'}
    for address in (email, *urls.values()):
        assert not [path for path in others
                    if re.search(rf'{re.escape(address or "")}(?!\w)', path.read_text())]


def test_all_licences_are_listed_with_their_texts() -> None:
    licences = {licence.text or '': licence.get('file') or ''
                for licence in MANIFEST.iter('license')}
    assert metadata('license') == [' AND '.join(licences)]
    for name, file in licences.items():
        assert {'Apache-2.0': 'Apache License', 'MIT': 'MIT License'}[name] in (
            ROOT / file).read_text()
    # Texts of licences elsewhere in the package would be licences that are not listed.
    found = {str(path.relative_to(ROOT)) for pattern in ('LICEN*', 'leader_election/**/LICEN*')
             for path in ROOT.glob(pattern)}
    assert found == set(licences.values())


def test_the_changelog_has_catkins_form() -> None:
    lines = (ROOT / 'CHANGELOG.rst').read_text().splitlines()
    title = 'Changelog for package leader_election'
    assert lines[:3] == ['^' * len(title), title, '^' * len(title)]
    titles = [(lines[n - 1], line) for n, line in enumerate(lines) if re.fullmatch('-{3,}', line)]
    assert all(len(text) == len(underline) for text, underline in titles)
    # At the commit of a release there is nothing forthcoming.
    released = [text for n, (text, _) in enumerate(titles) if n or text != 'Forthcoming']
    assert released and all(re.fullmatch(r'\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)', text)
                            for text in released)
    assert released[0].split()[0] == VERSION


def test_catkins_own_reader_reads_the_changelog() -> None:
    """Where catkin_pkg is installed, as it is with colcon and bloom."""
    changelog = pytest.importorskip('catkin_pkg.changelog')
    pytest.importorskip('docutils')
    found = changelog.get_changelog_from_path(str(ROOT))
    assert [version for version, _, _ in found.foreach_version()] == [VERSION]
    (content,) = found.get_content_of_version(VERSION)
    assert len(content.bullets) > 10


def test_the_manifest_is_one_for_catkin() -> None:
    package = pytest.importorskip('catkin_pkg.package')
    warnings: list[str] = []
    package.parse_package(str(ROOT / 'package.xml'), warnings=warnings)
    assert warnings == []
