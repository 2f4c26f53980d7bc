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

"""The arguments of the launch files, read from their declarations."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
import importlib.util
from pathlib import Path
import sys
from typing import Any
from unittest.mock import MagicMock, patch

MODULES = (
    'launch', 'launch.actions', 'launch.conditions', 'launch.event_handlers', 'launch.events',
    'launch.launch_description_sources', 'launch.some_substitutions_type', 'launch.substitutions',
    'launch.utilities', 'launch_ros', 'launch_ros.actions', 'launch_ros.descriptions',
    'launch_ros.parameter_descriptions', 'launch_ros.substitutions', 'ament_index_python',
    'ament_index_python.packages')
"""Modules that launch files import; PyPI does not have them."""


class Argument:
    """Stand-in for ``DeclareLaunchArgument`` that keeps its arguments."""

    def __init__(self, name: str, *, default_value: Any = None, description: str = '',
                 choices: Any = None, **others: Any) -> None:
        self.name = name
        self.default = default_value
        self.description = description
        self.choices = choices


class Description(list[Any]):
    """Stand-in for ``LaunchDescription``: the list of its actions."""

    def __init__(self, actions: Any = ()) -> None:
        super().__init__(actions)

    def add_action(self, action: Any) -> None:
        self.append(action)


def launch_arguments(root: Path, argument: str) -> str:
    """
    Return a section for each launch file, with its arguments, as Markdown.

    :param root: the folder of the checkout.
    :param argument: not used.
    """
    return '\n'.join(map(section, sorted((root / 'launch').glob('*.launch.py'))))


def section(file: Path) -> str:
    """Return the docstring of a launch file and its arguments, as Markdown."""
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding='utf-8'))) or ''
    return '\n'.join([f'## {file.name}\n\n{docstring}\n', *map(entry, arguments(file))])


def entry(argument: Argument) -> str:
    """
    Return an argument as an entry of a definition list: name, default, description.

    >>> print(entry(Argument('rviz', default_value='false', description='Whether to start RViz.')))
    `rviz` = `false`
    : Whether to start RViz.
    <BLANKLINE>
    """
    has = '**required**' if argument.default is None else f"= `{argument.default or repr('')}`"
    text = argument.description.replace('<', '\\<').replace('*', '\\*').replace('_', '\\_')
    return f'`{argument.name}` {has}\n: {text}\n'


def arguments(file: Path) -> list[Argument]:
    """Return the arguments that a launch file declares; ``launch`` need not be installed."""
    with _stand_ins():
        spec = importlib.util.spec_from_file_location(f'made.{file.stem}', file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        description = module.generate_launch_description()
    return [action for action in description if isinstance(action, Argument)]


@contextmanager
def _stand_ins() -> Iterator[None]:
    """Replace the modules of launch by stand-ins that collect the arguments."""
    modules: dict[str, Any] = {name: MagicMock(name=name) for name in MODULES}
    modules['launch'].LaunchDescription = Description
    modules['launch.actions'].DeclareLaunchArgument = Argument
    ours = {name: module for name, module in sys.modules.items()
            if name.startswith('leader_election.ros.launching')}
    # Our modules that import launch are imported again with the stand-ins, and removed after.
    with patch.dict(sys.modules, modules):
        for name in ours:
            del sys.modules[name]
        yield
    for name in [name for name in sys.modules if name.startswith('leader_election.ros.launching')]:
        del sys.modules[name]
    sys.modules.update(ours)
