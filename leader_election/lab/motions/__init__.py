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

"""Kinds of motion; :data:`MOTIONS` has them by name."""

from leader_election.lab.motions.motion_kind import Motion, MOTIONS, REPLAY, STATIC
from leader_election.lab.motions.streets import STREETS
from leader_election.lab.motions.walks import LEVY, SHUTTLE, WAYPOINT

__all__ = ['LEVY', 'MOTIONS', 'Motion', 'REPLAY', 'SHUTTLE', 'STATIC', 'STREETS', 'WAYPOINT']
