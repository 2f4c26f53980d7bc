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
The engine: runs networks of devices by the robots' own rounds, compiled.

What a device exports is what neighbours read, as long as they have heard its last message: only
older messages, and those in flight, are copied. Devices are in each other's rows of links as long
as they can come into range before the rows are made anew.
"""

from leader_election.lab.engine.advance import (
    advance,
    Calls,
    detach,
    DONE,
    MORE_PAIRS,
    MORE_POOL,
    MORE_ROOM,
    rebuild,
)
from leader_election.lab.engine.compilation import call
from leader_election.lab.engine.entry_points import (
    Entry,
    FRAME,
    NO_ENTRY,
    round_entry,
    step_entry,
)
from leader_election.lab.engine.event_queue import event_queue, EventQueue
from leader_election.lab.engine.links import (
    FRESH,
    larger_links,
    Links,
    links,
    OLDER,
    slots,
    TOLD,
)
from leader_election.lab.engine.messages import larger_pool, Pool, pool
from leader_election.lab.engine.network import Devices, Lists, Medium, Network, Room, room
from leader_election.lab.engine.samples import COLUMNS, COUNTERS, MEASURES, Watch, watch
from leader_election.lab.engine.states import ABSENT, Places, state_layout, StateLayout

SKIN = 0.4
"""How much farther than the range rows of links look, as a part of the range: rows are made anew
when devices may have moved by half of that, and longer rows cost more in each round."""

__all__ = [
    'ABSENT', 'COLUMNS', 'COUNTERS', 'Calls', 'DONE', 'Devices', 'Entry', 'EventQueue', 'FRAME',
    'FRESH', 'Links', 'Lists', 'MEASURES', 'MORE_PAIRS', 'MORE_POOL', 'MORE_ROOM', 'Medium',
    'NO_ENTRY', 'Network', 'OLDER', 'Places', 'Pool', 'Room', 'SKIN', 'StateLayout', 'TOLD',
    'Watch', 'advance', 'call', 'detach', 'event_queue', 'larger_links', 'larger_pool', 'links',
    'pool', 'rebuild', 'room', 'round_entry', 'slots', 'state_layout', 'step_entry', 'watch',
]
