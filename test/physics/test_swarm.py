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

"""A swarm in real physics, beside the same one in the embedded world."""

from pathlib import Path

from leader_election.demo.logs import SIGHTINGS, UWB
from leader_election.world.parameters import WorldParameters
from leader_election.world.sightings import observe
from leader_election.world.world import World
import numpy as np
from physics.swarm import direct, embedded, in_gazebo, Running, Settings
import pytest

SETTINGS = Settings(robots=20)
STRONGEST = 20
FIRST = 10.0
"""The first partition stands so long after the last robot was first heard, at the most [s]."""
RUN = 20.0
"""So long both swarms are watched [s]."""


def test_leaders_as_computed_directly() -> None:
    # 3 hears 2, which hears 1; 3 reaches 1 by way of 2 only within a radius of 6.
    line = {1: (0.0, 0.0), 2: (3.0, 0.0), 3: (6.0, 0.0)}
    assert direct(line, Settings(radius=6.0, reach=4.0)) == {1: 3, 2: 3, 3: 3}
    assert direct(line, Settings(radius=5.9, reach=4.0)) == {1: 1, 2: 3, 3: 3}
    assert direct(line, Settings(radius=9.0, reach=2.9)) == {1: 1, 2: 2, 3: 3}


def test_sensors_are_those_of_the_embedded_world() -> None:
    assert SETTINGS.sensors({}) == ()
    world = World(WorldParameters(robots=20, world='blocks', seed=1, **SIGHTINGS[UWB]))
    seen = observe(SETTINGS.sensors(SIGHTINGS[UWB]), world.time, world.poses, range(20))
    same = world.sightings(range(20))
    assert len(seen) > 20
    np.testing.assert_array_equal(seen, same)


def figures(name: str, running: Running, factor: float) -> tuple[float, float]:
    """Print what came of a run; return first partition [s] and agreement [0, 1]."""
    watch = running.watch
    first = watch.partitioned - max(watch.tracker.first_heard.values())
    share = watch.agreement.share(0.0, float('inf'))
    assert share is not None
    print(f'\n{name}: real-time factor {factor:.2f}, first partition after {first:.1f} s, '
          f'{share.robots:.0%} of robots have the leader that true poses give, '
          f'{watch.statistics.leader_changes} changes of leader in {RUN:.0f} s')
    return first, share.robots


@pytest.mark.gazebo
def test_twenty_robots_elect_in_gazebo_and_survive_their_strongest(
        gazebo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with in_gazebo(gazebo, SETTINGS, tmp_path / 'gazebo', apart=(STRONGEST,)) as running:
        watch = running.watch
        assert running.until(lambda: len(watch.tracker.first_heard) == 20, 30.0)
        factor = running.run(RUN)
        with capfd.disabled():
            first, in_physics = figures('Gazebo', running, factor)
        assert first <= FIRST
        # The robot is gone as it would be on the floor: its body, its driver and its process.
        running.children.kill(f'fleet_{STRONGEST}')
        running.bridge.delete(f'robot_{STRONGEST}')

        def recovered() -> bool:
            said = watch.tracker.snapshot(running.observer.now()).robots
            return len(said) == 19 and all(view.leader in said for view in said.values())
        assert running.until(recovered, 30.0)
    with embedded(SETTINGS, tmp_path / 'embedded') as running:
        assert running.until(lambda: len(running.watch.tracker.first_heard) == 20, 30.0)
        factor = running.run(RUN)
        with capfd.disabled():
            first, in_embedded = figures('Embedded world', running, factor)
    assert first <= FIRST
    # Far from what chance, or a swarm that falls apart, would give.
    assert in_physics > 0.6 and in_embedded > 0.6
