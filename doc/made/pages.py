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
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
import os
from pathlib import Path
import re
from typing import Any

from made.diagnoses import diagnoses
from made.launch_arguments import launch_arguments
from made.links import convert_links, document
from made.modules import modules
from made.parameters import parameters
from made.public_names import public_names
from made.wire_format import wire_format

ROS = ('rclpy', 'ament_index_python', 'builtin_interfaces', 'diagnostic_msgs', 'geometry_msgs',
       'lifecycle_msgs', 'nav_msgs', 'rcl_interfaces', 'rosgraph_msgs', 'sensor_msgs',
       'std_msgs', 'tf2_ros', 'visualization_msgs')
"""Modules of ROS, which need not be installed."""

MAKERS: dict[str, Callable[[Path, str], str]] = {
    'diagnoses': diagnoses,
    'document': document,
    'launch_arguments': launch_arguments,
    'modules': modules,
    'parameters': parameters,
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
    with _without_ros():
        return _MARK.sub(made, text)


@contextmanager
def _without_ros() -> Iterator[None]:
    """Replace missing modules of ROS by stand-ins."""
    from sphinx.ext.autodoc.mock import mock
    with mock([name for name in ROS if find_spec(name) is None]):
        yield


def setup(app: Any, root: Path) -> None:
    """Connect the generators to Sphinx, so that it fills in pages as it reads them."""
    app.connect('source-read', partial(_read, root))
    # The generated content may have changed although the source of the page has not.
    app.connect('env-get-outdated', lambda app, env, added, changed, removed: sorted(
        name for name in env.found_docs if _MARK.search(Path(env.doc2path(name)).read_text())))
    app.connect('doctree-read', _keep_built_in)
    app.connect('missing-reference', _resolve_public)


def _keep_built_in(app: Any, doctree: Any) -> None:
    """Remove links from the built-in ``type`` to an attribute of the package with that name."""
    from sphinx.addnodes import pending_xref
    for link in list(doctree.findall(pending_xref)):
        if link.get('reftarget') == 'type':
            link.replace_self(link.children)


def _resolve_public(app: Any, env: Any, node: Any, content: Any) -> Any:
    """Link a public name, as ``leader_election.Task``, to the module that defines it."""
    import leader_election
    package, _, name = node.get('reftarget', '').rpartition('.')
    if package != 'leader_election' or name not in leader_election.__all__:
        return None
    value = getattr(leader_election, name)
    target = f'{value.__module__}.{value.__qualname__}'
    return env.get_domain('py').resolve_xref(
        env, node['refdoc'], app.builder, node['reftype'], target, node, content)


def _read(root: Path, app: Any, name: str, source: list[str]) -> None:
    folder = os.path.dirname(f'doc/{name}')
    source[0] = convert_links(filled(source[0], root), root, folder)
