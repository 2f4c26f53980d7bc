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
The engine: a compiled simulation of networks of devices that run the robots' own rounds.

``advance.py`` is the event loop, ``device_round.py`` one round of a device, ``rebuild.py`` the
rebuild of neighbour lists. The latest message of a device is not copied: its neighbours read it
from the device's state. Only older messages, and messages in flight, are stored in a pool.
"""

from leader_election.lab.engine.advance import advance, EntryPoints
from leader_election.lab.engine.compilation import call_compiled
from leader_election.lab.engine.entry_points import (
    Entry,
    FRAME,
    NO_ENTRY,
    round_entry,
    step_entry,
)
from leader_election.lab.engine.event_queue import event_queue, EventQueue
from leader_election.lab.engine.links import (
    empty_links,
    FRESH,
    FRESH_AT_NEIGHBOUR,
    larger_links,
    Links,
    OLDER,
    slots,
)
from leader_election.lab.engine.messages import (
    empty_pool,
    larger_pool,
    Pool,
    store_sent_messages,
)
from leader_election.lab.engine.network import (
    Devices,
    DONE,
    empty_workspace,
    LINKS_FULL,
    Medium,
    NeighbourLists,
    Network,
    POOL_FULL,
    Workspace,
    WORKSPACE_FULL,
)
from leader_election.lab.engine.rebuild import rebuild
from leader_election.lab.engine.samples import new_watch, Watch

SKIN = 0.4
"""The skin of neighbour lists, the distance beyond the range up to which devices are listed, as a
fraction of the range. With a larger skin rebuilds are rarer, but rounds test more devices."""

__all__ = [
    'DONE', 'Devices', 'Entry', 'EntryPoints', 'EventQueue', 'FRAME', 'FRESH',
    'FRESH_AT_NEIGHBOUR', 'LINKS_FULL', 'Links', 'Medium', 'NO_ENTRY', 'NeighbourLists', 'Network',
    'OLDER', 'POOL_FULL', 'Pool', 'SKIN', 'WORKSPACE_FULL', 'Watch', 'Workspace', 'advance',
    'call_compiled', 'empty_links', 'empty_pool', 'empty_workspace', 'event_queue', 'larger_links',
    'larger_pool', 'new_watch', 'rebuild', 'round_entry', 'slots', 'step_entry',
    'store_sent_messages',
]
