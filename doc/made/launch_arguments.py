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

"""The arguments of a launch file, as it declares them."""

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
"""What launch files import, which PyPI does not have."""


class Argument:
    """What stands in for an argument's declaration, and keeps what was said of it."""

    def __init__(self, name: str, *, default_value: Any = None, description: str = '',
                 choices: Any = None, **others: Any) -> None:
        self.name = name
        self.default = default_value
        self.description = description
        self.choices = choices


class Description(list[Any]):
    """What stands in for a launch description: its actions."""

    def __init__(self, actions: Any = ()) -> None:
        super().__init__(actions)

    def add_action(self, action: Any) -> None:
        self.append(action)


def launch_arguments(root: Path, file: str) -> str:
    """
    Return the arguments of a launch file, as Markdown.

    :param file: its name in ``launch/``, as ``robot.launch.py``.
    """
    lines = []
    for argument in arguments(root / 'launch' / file):
        has = '**required**' if argument.default is None else f"= `{argument.default or repr('')}`"
        text = argument.description.replace('<', '\\<').replace('*', '\\*').replace('_', '\\_')
        lines.append(f'`{argument.name}` {has}\n: {text}\n')
    return '\n'.join(lines)


def arguments(file: Path) -> list[Argument]:
    """Return what a launch file declares; launch itself need not be there."""
    with _stand_ins():
        spec = importlib.util.spec_from_file_location(f'made.{file.stem}', file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        description = module.generate_launch_description()
    return [action for action in description if isinstance(action, Argument)]


@contextmanager
def _stand_ins() -> Iterator[None]:
    """Have launch's modules be stand-ins, which keep what arguments there are."""
    modules: dict[str, Any] = {name: MagicMock(name=name) for name in MODULES}
    modules['launch'].LaunchDescription = Description
    modules['launch.actions'].DeclareLaunchArgument = Argument
    ours = {name: module for name, module in sys.modules.items()
            if name.startswith('leader_election.launching')}
    # Modules of ours that know launch are to meet the stand-ins, and nobody after that.
    with patch.dict(sys.modules, modules):
        for name in ours:
            del sys.modules[name]
        yield
    for name in [name for name in sys.modules if name.startswith('leader_election.launching')]:
        del sys.modules[name]
    sys.modules.update(ours)
