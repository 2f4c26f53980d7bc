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
Stand-ins for the packages that leader_election imports.

docs.ros.org installs none of them. Modules can be imported all the same, and their documentation
read: what a stand-in computes is a stand-in again. They are used wherever the documentation is
built, so that it is the same everywhere.
"""

from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
import sys
from types import ModuleType
from typing import Any

PACKAGES = frozenset((
    'PIL', 'ament_index_python', 'bokeh', 'builtin_interfaces', 'cryptography', 'diagnostic_msgs',
    'geometry_msgs', 'lifecycle_msgs', 'matplotlib', 'mcap', 'mcap_ros2', 'mujoco', 'nav_msgs',
    'numpy', 'rcl_interfaces', 'rclpy', 'rich', 'rosgraph_msgs', 'scipy', 'sensor_msgs', 'serial',
    'shapely', 'std_msgs', 'tf2_msgs', 'tf2_ros', 'tornado', 'transforms3d', 'visualization_msgs',
    'zenoh'))


def _stand_in(*_: Any, **__: Any) -> Any:
    return StandIn


def _attribute(_: Any, name: str) -> Any:
    if name.startswith('__'):
        raise AttributeError(name)
    return StandIn


class _Kind(type):
    """The type of stand-ins, which are types themselves: others inherit from them."""

    def __getitem__(cls, _: Any) -> Any:
        return cls


class StandIn(metaclass=_Kind):
    """What any name of such a package stands for."""

    def __new__(cls, *_: Any, **__: Any) -> Any:
        """Take any arguments."""
        return super().__new__(cls)

    __call__ = _stand_in


for _class in (_Kind, StandIn):
    _class.__getattr__ = _attribute
    _class.__iter__ = lambda _: iter(())
    for _name in ('add', 'radd', 'sub', 'rsub', 'mul', 'rmul', 'truediv', 'rtruediv', 'pow',
                  'rpow', 'neg', 'setitem'):
        setattr(_class, f'__{_name}__', _stand_in)


class _Module(ModuleType):
    """A module, each name of which is a stand-in."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name == '__version__':
            return ''
        if name.startswith('__'):
            raise AttributeError(name)
        made = _Kind(name, (StandIn,), {'__module__': self.__name__})
        setattr(self, name, made)
        return made


class _Finder(MetaPathFinder, Loader):
    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name.partition('.')[0] in PACKAGES else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: there is no code."""


def install() -> None:
    """Let these packages be imported as stand-ins, whether they are installed or not."""
    sys.meta_path.insert(0, _Finder())
