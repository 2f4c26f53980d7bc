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

"""A swarm on several computers, with the profiles as they are shipped."""

from pathlib import Path

import pytest
from several_computers import ELECTION, led_by, MEMBERS, RIGHT, SCENE, swarm, WORLD


@pytest.mark.parametrize('name', ['fastdds_peers', 'fastdds_discovery_server'])
def test_swarm_on_several_computers_survives_the_loss_of_one(name: str, tmp_path: Path) -> None:
    """The lost computer is not switched off: its robots go on, and are taken back later."""
    with swarm(name, tmp_path) as run:
        if name == 'fastdds_discovery_server':
            run.serve()
        run.execute(WORLD, 'swarm_world', **SCENE)
        run.watch(WORLD)
        for host, members in MEMBERS.items():
            run.execute(host, 'fleet', **SCENE, **ELECTION, members=members)
        run.until(led_by(8, range(1, 9)))
        run.network.connect(RIGHT, False)
        # Nothing passes the network by, as shared memory of this one machine would.
        run.until(led_by(4, range(1, 5)))
        run.network.connect(RIGHT, True)
        run.until(led_by(8, range(1, 9)))
