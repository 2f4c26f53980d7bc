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

"""Who drives the robots of a launch."""

from collections.abc import Mapping, Sequence
from typing import Any

from leader_election.launching.arguments import read
from leader_election.launching.nodes import ours
from leader_election.parameters import Parameter

MOTION = Parameter(
    'motion', str, '', 'Who drives the robots: nobody (static), wander, a node that has them walk '
    'at random past walls and each other, or what you start yourself (none). Empty: wander, but '
    'with tasks, which drive by themselves, none.',
    choices=lambda: ('static', 'wander', 'none'))


def wandering(settings: Mapping[str, str], robots: Sequence[str], arena: str,
              sim_time: bool) -> list[Any]:
    """
    Return the node that has robots wander, where argument motion wants it.

    :param robots: their namespaces.
    :param arena: its name or file; empty: they go by what their laser scanners show.
    """
    motion = read(MOTION, settings[MOTION.name]) if settings[MOTION.name] else ''
    if motion != 'wander' and (motion or settings['tasks']):
        return []
    return [ours(settings, 'wander', 'wander' if len(robots) > 1 else f'wander_{robots[0]}', {
        'robots': ','.join(robots), 'world': arena, 'use_sim_time': sim_time})]
