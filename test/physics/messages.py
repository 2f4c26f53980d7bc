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

"""Gazebo's messages, compiled from the definitions that it comes with."""

from pathlib import Path
from typing import Any

DEFINITIONS = 'usr/include/gazebo-11/gazebo/msgs/proto'
"""Where the definitions are, from where Gazebo is."""
PACKAGE = 'gazebo.msgs.'


class Messages:
    """
    The classes of all messages, by name: ``messages['PosesStamped']``.

    They are compiled once, by grpcio-tools, into a file beside Gazebo.
    """

    def __init__(self, root: Path) -> None:
        """:param root: the folder that Gazebo is in."""
        # Only here: who does not run Gazebo need not have it.
        from google.protobuf.descriptor_pb2 import FileDescriptorSet
        from google.protobuf.descriptor_pool import DescriptorPool
        from google.protobuf.message_factory import GetMessageClassesForFiles
        compiled = root / 'messages.desc'
        if not compiled.exists():
            _compile(root / DEFINITIONS, compiled)
        files = FileDescriptorSet.FromString(compiled.read_bytes()).file
        pool = DescriptorPool()
        for file in files:
            pool.Add(file)
        self._classes = GetMessageClassesForFiles([file.name for file in files], pool)

    def __getitem__(self, name: str) -> Any:
        return self._classes[PACKAGE + name]


def _compile(definitions: Path, into: Path) -> None:
    from grpc_tools import protoc
    part = into.with_suffix('.part')
    status = protoc.main(
        ['protoc', f'-I{definitions}', f'--descriptor_set_out={part}', '--include_imports',
         *(str(file) for file in sorted(definitions.glob('*.proto')))])
    if status:
        raise RuntimeError(f'protoc does not compile {definitions}')
    part.rename(into)
