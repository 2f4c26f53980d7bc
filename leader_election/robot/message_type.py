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

"""Types of ROS messages, found by their names."""

from importlib import import_module
from typing import Any


def message_type(name: str) -> Any:
    """
    Return the class of messages of a type, for example ``std_msgs/msg/Float64``.

    :raises ValueError: for what is not ``package/msg/Type``.
    :raises ImportError: where there is no such package.
    :raises AttributeError: where there is no such type in it.
    """
    package, kind, message = name.split('/')
    if kind != 'msg':
        raise ValueError(f'{name!r} is no package/msg/Type')
    return getattr(import_module(f'{package}.msg'), message)
