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

"""Launch files of the checkout, as far as they go without a process started."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import yaml

FILES = Path(__file__).parents[1] / 'launch'
INDEX = Path('share', 'ament_index', 'resource_index', 'packages')


def install(prefix: Path, *packages: str) -> None:
    """Have an ament prefix with our package in it, and others, whether installed or not."""
    (prefix / INDEX).mkdir(parents=True)
    for package in ('leader_election', *packages):
        (prefix / INDEX / package).touch()
        (prefix / 'share' / package / 'launch').mkdir(parents=True)


def describe(name: str) -> Any:
    spec = spec_from_file_location(name, FILES / f'{name}.launch.py')
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.generate_launch_description()


def launched(name: str, /, **given: str) -> list[Any]:
    """Return the nodes that would be started, and whatever else would be done."""
    from launch import LaunchContext
    from launch.actions import OpaqueFunction
    from launch_ros.actions import Node
    context = LaunchContext()
    context.launch_configurations.update(given)
    actions: list[Any] = []
    for entity in describe(name).entities:
        found = entity.visit(context)
        if isinstance(entity, OpaqueFunction):
            actions = found
    starting = [a for a in actions if a.condition is None or a.condition.evaluate(context)]
    for action in starting:
        if isinstance(action, Node):
            action._perform_substitutions(context)
    return starting


def parameters(node: Any) -> dict[str, Any]:
    """Return the parameters by name, out of the files that launch_ros writes for the node."""
    values: dict[str, Any] = {}
    for path, is_file in node._Node__expanded_parameter_arguments:
        assert is_file
        # launch_ros tags arrays as Python's tuples; ROS passes over the tag.
        (entry,) = yaml.full_load(Path(path).read_text()).values()
        values |= entry['ros__parameters']
    return values


def executables(nodes: list[Any]) -> list[str]:
    return [node.node_executable for node in nodes]
