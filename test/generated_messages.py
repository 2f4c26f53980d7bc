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
Message packages of ROS 2 that PyPI does not have, generated and compiled for tests.

The generators of ROS 2 (rosidl) are there, and so are the headers of the packages that these ones
depend on. A C++ compiler is needed. The result is kept in ``build/messages``.
"""

from collections.abc import Iterator
import contextlib
from importlib.util import find_spec
import os
from pathlib import Path
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from typing import Any

import numpy as np
import pytest

KEPT = Path(__file__).parents[1] / 'build' / 'messages'
DEFINITIONS = {
    'tf2_msgs': {'TFMessage': ['geometry_msgs/TransformStamped[] transforms']},
    'nav2_msgs': {'NavigateToPose': [
        'geometry_msgs/PoseStamped pose', 'string behavior_tree', '---', 'uint16 error_code',
        'string error_msg', '---', 'geometry_msgs/PoseStamped current_pose',
        'builtin_interfaces/Duration navigation_time',
        'builtin_interfaces/Duration estimated_time_remaining', 'int16 number_of_recoveries',
        'float32 distance_remaining']}}
"""The fields of the messages and of the action, by package and type."""
NEEDED = ('builtin_interfaces', 'geometry_msgs', 'std_msgs', 'action_msgs', 'service_msgs',
          'unique_identifier_msgs')
"""The packages of the messages in these."""
GENERATOR, TYPESUPPORT = 'rosidl_generator_c', 'rosidl_typesupport_c'
FASTRTPS, INTROSPECTION = 'rosidl_typesupport_fastrtps_c', 'rosidl_typesupport_introspection_c'
RUNTIME = ('fastcdr', 'rcutils', 'rmw', 'rosidl_runtime_c', TYPESUPPORT, FASTRTPS,
           'rosidl_typesupport_fastrtps_cpp', INTROSPECTION)
"""The libraries of ROS 2 that they are linked with, beside those of these packages."""

_modules: dict[str, dict[str, Any]] = {}
"""The modules of each generated package: a compiled one is not loaded twice."""


@contextlib.contextmanager
def installed(package: str) -> Iterator[None]:
    """Have a package of messages for a while, generated where it is not installed."""
    if find_spec(package) is not None:
        yield
        return
    site = str(_site(package))
    sys.path.insert(0, site)
    sys.modules.update(_modules.get(package, {}))
    try:
        yield
    finally:
        sys.path.remove(site)
        _modules[package] = {name: sys.modules.pop(name) for name in list(sys.modules)
                             if name.partition('.')[0] == package}


def _site(package: str) -> Path:
    """Return the folder with a generated package. Skip the test where there can be none."""
    if find_spec('rosidl_generator_py') is None:
        pytest.skip(f'{package} is neither installed nor can it be generated, without rosidl')
    if shutil.which('c++') is None or not Path(sysconfig.get_path('include'), 'Python.h').exists():
        pytest.skip(f'{package} is not installed, and there is no C++ compiler to build it')
    from ament_index_python import get_package_prefix
    prefix = Path(get_package_prefix('std_msgs'))
    kept = KEPT / f'{sys.implementation.cache_tag}-{prefix.name}' / package
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
            made = _generate(package, prefix, Path(folder))
            with contextlib.suppress(OSError):  # Another process was faster.
                os.rename(made, kept)
    return kept


def _generate(package: str, prefix: Path, folder: Path) -> Path:
    """Generate and compile a package, and return the folder to import it from."""
    from rosidl_adapter.action import convert_action_to_idl
    from rosidl_adapter.msg import convert_msg_to_idl
    from rosidl_generator_c.cli import GenerateC
    from rosidl_generator_py.cli import GeneratePython
    from rosidl_typesupport_c.cli import GenerateCTypesupport
    from rosidl_typesupport_fastrtps_c.cli import GenerateFastRTPSCTypesupport
    from rosidl_typesupport_introspection_c.cli import GenerateIntrospectionCTypesupport
    source, idl, site = folder / 'source', folder / 'idl', folder / 'site'
    files = []
    for name, fields in DEFINITIONS[package].items():
        kind, convert = (('action', convert_action_to_idl) if '---' in fields
                         else ('msg', convert_msg_to_idl))
        (source / kind).mkdir(parents=True, exist_ok=True)
        (source / kind / f'{name}.{kind}').write_text(''.join(f'{field}\n' for field in fields))
        convert(source, package, Path(kind, f'{name}.{kind}'), idl / package / kind)
        files.append(f'{idl / package}:{kind}/{name}.idl')
    include = [str(prefix / 'share' / needed) for needed in NEEDED] + [str(idl / package)]
    generators = {
        GENERATOR: GenerateC('c'), FASTRTPS: GenerateFastRTPSCTypesupport('fastrtps_c'),
        INTROSPECTION: GenerateIntrospectionCTypesupport('introspection_c'),
        TYPESUPPORT: GenerateCTypesupport('c', typesupport_implementations=[
            FASTRTPS, INTROSPECTION]),
        'site': GeneratePython('py', typesupport_implementations=[TYPESUPPORT])}
    for name, generator in generators.items():
        (folder / name / package).mkdir(parents=True, exist_ok=True)
        generator.generate(package, files, include, output_path=folder / name / package)
    (site / package / '__init__.py').touch()
    headers = [*(folder / name for name in generators), prefix / 'include',
               *(path for path in (prefix / 'include').iterdir() if path.is_dir()),
               sysconfig.get_path('include'), np.get_include()]
    compiler = ['c++', '-O0', '-fPIC', '-w', *(f'-I{header}' for header in headers)]
    libraries = [*RUNTIME, *(f'{needed}__{name}' for needed in NEEDED
                             for name in (*generators, 'rosidl_generator_py') if name != 'site')]
    made: list[str] = []
    for name in generators:
        objects = []
        for path in sorted((folder / name).rglob('*.c*')):
            objects.append(f'{path}.o')
            language = ['-x', 'c', '-std=gnu11'] if path.suffix == '.c' else ['-std=c++17']
            subprocess.run([*compiler, *language, '-c', path, '-o', objects[-1]], check=True)
        # The module loads the libraries, so that they are there when they are opened by name.
        library = f'lib{package}__{name}.so'
        if name == 'site':
            suffix = sysconfig.get_config_var('EXT_SUFFIX')
            library = f'{package}_s__{TYPESUPPORT}{suffix}'
        subprocess.run(
            ['c++', '-shared', *objects, '-o', library, f'-Wl,-soname,{library}',
             '-Wl,--no-as-needed', *made, '-Wl,-rpath,$ORIGIN', f'-L{prefix / "lib"}',
             f'-Wl,-rpath,{prefix / "lib"}', *(f'-l{each}' for each in libraries)],
            check=True, cwd=site / package)
        made.append(library)
    return site
