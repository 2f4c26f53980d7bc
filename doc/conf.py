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
Sphinx configuration; ``make docs`` builds the documentation into ``build/docs``.

rosdoc2 executes this file as text, from a copy of this folder. Therefore the folder of the package
is searched for.
"""

from importlib.util import find_spec
from pathlib import Path
import sys

ROOT = next((folder for start in (Path(__file__), Path.cwd() / 'here')
             for folder in start.resolve().parents
             if (folder / 'leader_election' / '__init__.py').exists()), None)
if ROOT is None:
    sys.exit('error: the package is not above the documentation, nor above the working folder; '
             'run this in the folder of package.xml')
sys.path[:0] = [str(ROOT), str(ROOT / 'doc')]

from made import stand_ins  # noqa: E402

stand_ins.install()

import leader_election  # noqa: E402
from made import pages  # noqa: E402

project = 'leader_election'
author = 'The leader_election authors'
copyright = f'2026, {author}'  # noqa: A001
version = release = leader_election.__version__

extensions = ['myst_parser', 'sphinx.ext.autodoc']
exclude_patterns = ['made', 'README.md']
myst_enable_extensions = ['deflist']
myst_heading_anchors = 3
suppress_warnings = [
    # An included document continues the heading levels of the page that includes it.
    'myst.header']

autodoc_member_order = 'bysource'
autodoc_typehints = 'signature'
autodoc_preserve_defaults = True
# There are none, and to look for them takes time.
autodoc_use_type_comments = False
autodoc_default_options = {'members': True, 'undoc-members': True, 'show-inheritance': True}
nitpicky = True
# Only public names have an entry to link to.
nitpick_ignore_regex = [('py:.*', r'(?!leader_election\.\w+$).*')]

html_theme = 'furo' if find_spec('furo') else 'sphinx_rtd_theme'
html_title = f'leader_election {release}'
html_show_sphinx = False
html_copy_source = False


def setup(app):
    """Connect the generators of pages to Sphinx."""
    pages.setup(app, ROOT)
