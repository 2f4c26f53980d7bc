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

"""What a check finds."""

from enum import IntEnum
from typing import NamedTuple


class Level(IntEnum):
    """How bad it is."""

    NOTE = 0
    """Good to know; nothing is wrong."""
    WARN = 1
    """It works, but not as well as it might, or not for long."""
    ERROR = 2
    """A robot takes no part, or the wrong one."""


class Symptom(NamedTuple):
    """Something that is not as it should be."""

    level: Level
    subjects: tuple[str, ...]
    """The names of the robots that it is about; empty: the whole swarm."""
    what: str
    """In one line."""


class Finding(NamedTuple):
    """A sign, with the check that found it, and what to do."""

    check: str
    level: Level
    subjects: tuple[str, ...]
    what: str
    remedy: str
