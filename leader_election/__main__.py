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

"""Run an executable by its name: ``python -m leader_election election_node --ros-args ...``."""

import sys

from leader_election import cli

if __name__ == '__main__':
    names = ('demo', 'election_node', 'fleet', 'gazebo_world', 'lab', 'managed_election_node',
             'monitor', 'record', 'replay', 'swarm_doctor', 'swarm_world', 'wander')
    if len(sys.argv) < 2 or sys.argv[1] not in names:
        sys.exit(f'usage: python -m leader_election {"|".join(names)} ...')
    getattr(cli, sys.argv.pop(1))()
