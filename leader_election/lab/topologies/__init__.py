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

"""Kinds of topology: initial positions, and fixed links; :data:`TOPOLOGIES` has them by name."""

from leader_election.lab.topologies.from_files import EDGE_LIST, LOGS
from leader_election.lab.topologies.placement import (
    GRID,
    LINE,
    Placement,
    RING,
    TOPOLOGIES,
    Topology,
    UNIFORM,
)
from leader_election.lab.topologies.scale_free import SCALE_FREE

__all__ = [
    'EDGE_LIST', 'GRID', 'LINE', 'LOGS', 'Placement', 'RING', 'SCALE_FREE', 'TOPOLOGIES',
    'Topology', 'UNIFORM',
]
