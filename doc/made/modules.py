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

"""The modules of a room of the package, as pages generated from docstrings."""

from pathlib import Path


def modules(root: Path, room: str) -> str:
    """
    Return a section for each module of a room, without the rooms inside, as reStructuredText.

    :param root: the folder of the checkout.
    :param room: the dotted name of a package or module of this package.
    """
    place = root.joinpath(*room.split('.'))
    if not place.is_dir():
        return section(room)
    files = [file.relative_to(root).with_suffix('') for file in sorted(place.glob('*.py'))]
    return '\n'.join(section('.'.join(file.parts)) for file in files if file.name != '__init__')


def section(module: str) -> str:
    """
    Return the section of a module, to be filled by autodoc.

    >>> print(section('leader_election.election.algorithms.bounded'))
    bounded
    -------
    <BLANKLINE>
    .. automodule:: leader_election.election.algorithms.bounded
    <BLANKLINE>
    """
    title = module.rpartition('.')[2]
    return f'{title}\n{"-" * len(title)}\n\n.. automodule:: {module}\n'
