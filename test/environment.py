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

"""The environment of tests: the variables of processes that they start, and missing packages."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
import os
from pathlib import Path
import resource
import shutil
import subprocess
import sys
import sysconfig

import pytest

ROOT = Path(__file__).parents[1]
LABORATORY = ('numba', 'scipy', 'networkx', 'xarray', 'netCDF4')
"""The modules that the laboratory needs."""


def variables(*folders: Path) -> dict[str, str]:
    """
    Return the environment variables of processes that import the sources of this checkout.

    Of colcon's copy, which comes first under colcon test, the engine would be compiled once more.
    A sourced ROS 2 is found by the same variable, so what it holds stays. The arguments that
    colcon gives to pytest do not apply to a pytest that a test runs.

    :param folders: further folders to import from.
    """
    path = [*map(str, (ROOT, ROOT / 'lab', *folders)),
            *filter(None, [os.environ.get('PYTHONPATH')])]
    kept = {name: text for name, text in os.environ.items() if name != 'PYTEST_ADDOPTS'}
    return {**kept, 'PYTHONPATH': os.pathsep.join(path)}


def needs(*modules: str) -> pytest.MarkDecorator:
    """Return a mark that skips a test where modules are missing, as beside a sourced ROS 2."""
    lacking = [name for name in modules if find_spec(name) is None]
    return pytest.mark.skipif(bool(lacking), reason=f'not installed: {", ".join(lacking)}')


needs_laboratory = needs(*LABORATORY)


WITHOUT = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, *others):
        if name.split('.')[0] not in MISSING:
            return self.finder.find_spec(name, *others)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
"""
"""Code that hides the modules MISSING from imports."""
def without(missing: tuple[str, ...], code: str) -> 'subprocess.CompletedProcess[str]':
    """Run code in a process in which modules are missing."""
    return subprocess.run(
        [sys.executable, '-c', f'MISSING = {missing}\n{WITHOUT}\n{code}'], cwd=ROOT, timeout=600,
        capture_output=True, text=True, env=variables())


WITHOUT_CPP = """
find_package(rosidl_default_generators REQUIRED)
list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX _cpp:)
"""
"""Code of CMake that leaves out what is generated for C++, half of the time of the compiler."""


def with_messages(folder: Path) -> dict[str, str]:
    """
    Build the package of messages, and return the environment variables of processes that use it.

    Beside wheels from PyPI, which have no rclcpp, it is built without its part for C++.

    :param folder: what is built is written here.
    """
    for tool in ('cmake', 'c++', 'colcon'):
        if shutil.which(tool) is None:
            pytest.skip(f'{tool} is not installed')
    if not Path(sysconfig.get_path('include'), 'Python.h').exists():
        pytest.skip('the headers of Python are not installed')
    wheels = os.environ.get('ROS_DISTRO') is None
    if wheels and find_spec('ament_package') is None:
        pytest.skip('not installed: requirements/messages.txt')
    (folder / 'without_cpp.cmake').write_text(WITHOUT_CPP)
    arguments = ['--cmake-args', f'-DCMAKE_PROJECT_INCLUDE={ROOT}/msgs/wheels.cmake',
                 f'-DCMAKE_PROJECT_leader_election_msgs_INCLUDE={folder}/without_cpp.cmake']
    built = subprocess.run(
        ['colcon', '--log-base', 'log', 'build', '--base-paths', str(ROOT / 'msgs'),
         *(arguments if wheels else ())],
        cwd=folder, capture_output=True, text=True, timeout=600)
    assert built.returncode == 0, built.stdout + built.stderr
    sourced = subprocess.run(
        ['sh', '-c', '. install/setup.sh; env -0'], cwd=folder, env=variables(),
        capture_output=True, text=True, check=True)
    return dict(line.split('=', 1) for line in sourced.stdout.split('\0') if line)


@contextmanager
def disk_with_room(size: int) -> Iterator[None]:
    """Let this process write no file that is longer than a size [bytes]."""
    usual, compiles = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    # A module that is imported meanwhile would have its byte code cut off, for good.
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        sys.dont_write_bytecode = compiles
