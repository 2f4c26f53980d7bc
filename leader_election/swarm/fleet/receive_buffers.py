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

"""The receive buffers of Linux, which Gazebo Sim with many robots overflows."""

from collections.abc import Mapping
from pathlib import Path

BUFFER_DEFAULT, BUFFER_LIMIT = 'net.core.rmem_default', 'net.core.rmem_max'
"""The settings of Linux: the default size of a buffer, and the largest allowed one [B]."""
ENOUGH_BUFFER = 4 * 2**20
"""The size that suffices for about 100 robots in Gazebo Sim [B]."""
MANY_ROBOTS = 10
"""Robots in Gazebo Sim for which Linux's default buffers suffice, also on two busy cores."""
BUFFER_REMEDY = f'sudo sysctl -w {BUFFER_DEFAULT}={ENOUGH_BUFFER} {BUFFER_LIMIT}={ENOUGH_BUFFER}'


def buffer_sizes() -> dict[str, int]:
    """Return the settings of this computer by name, none where it has others [B]."""
    paths = {name: Path('/proc/sys', *name.split('.')) for name in (BUFFER_DEFAULT, BUFFER_LIMIT)}
    return {name: int(path.read_text(encoding='ascii'))
            for name, path in paths.items() if path.exists()}


def buffers_too_small(settings: Mapping[str, int]) -> str:
    """
    Return the settings that are too small for many robots in Gazebo Sim, empty for none.

    >>> buffers_too_small({BUFFER_DEFAULT: 212992, BUFFER_LIMIT: ENOUGH_BUFFER})
    'net.core.rmem_default is 212992'
    """
    return ', '.join(
        f'{name} is {size}' for name, size in settings.items() if size < ENOUGH_BUFFER)
