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

"""The checks of clocks, and what delays show of clocks."""

from dataclasses import replace

from leader_election.swarm.doctor import timing
from leader_election.swarm.doctor.diagnoses import examine
from leader_election.swarm.doctor.observations import CLOCK, Endpoint, Level
from swarm.doctor.scene import (
    healthy,
    NAMES,
    node,
    readings,
    rewired,
    said,
    signs,
    told,
    wiring,
    without,
)

ODOM = '/bob/odom'
SIMULATOR = Endpoint(CLOCK, 'rosgraph_msgs/msg/Clock', True, '/gazebo')


def goes_by_it(robot: str) -> Endpoint:
    return SIMULATOR._replace(publishes=False, node=node(robot))


ALL = [e for name in NAMES for e in (*wiring(name), goes_by_it(name))]


def test_simulated_time_without_a_clock_or_used_by_some_is_reported():
    assert signs(timing.simulated_time, endpoints=[*ALL, SIMULATOR]) == []
    assert signs(timing.simulated_time, endpoints=ALL) == [
        (NAMES, 'use_sim_time is true, but no node publishes /clock: its time stands still')]
    assert signs(timing.simulated_time, endpoints=[*ALL, SIMULATOR], pace=0.0) == [
        (NAMES, '/clock of /gazebo does not advance: its time stands still')]
    alone = [*rewired('bob', *wiring('bob')), goes_by_it('bob')]
    assert signs(timing.simulated_time, endpoints=alone) == [
        (('bob',), 'use_sim_time is true, but no node publishes /clock: its time stands still; '
         'it is false for alice, carol')]
    two = [*ALL, SIMULATOR, SIMULATOR._replace(node='/bridge')]
    assert signs(timing.simulated_time, endpoints=two) == [
        ((), '2 nodes publish /clock: /bridge, /gazebo')]
    mixed = [*rewired('bob', *wiring('bob')), goes_by_it('alice'), SIMULATOR]
    assert signs(timing.simulated_time, endpoints=mixed) == [
        (('bob', 'carol'), 'use_sim_time is false, but /clock is published, and used by alice')]
    assert signs(timing.simulated_time, endpoints=[*healthy().endpoints, SIMULATOR]) == [
        (NAMES, 'use_sim_time is false, but /clock is published')]
    assert signs(timing.simulated_time, endpoints=mixed, diagnostics=told('bob')) == [
        (('carol',), 'use_sim_time is false, but /clock is published, and used by alice')]


def test_slow_simulation_is_reported_once_and_explains_silence():
    """At 0.3 of real time messages are 3.3 s apart, longer than the expiry of 3 s."""
    slow, reports = ([each._replace(received=each.received / 0.3) for each in row]
                     for row in (healthy().messages, healthy().diagnostics))
    late = {f'/{name}/odom': [r._replace(received=r.received / 0.3) for r in readings(40)]
            for name in NAMES}
    swarm = healthy(endpoints=[*ALL, SIMULATOR], messages=slow, odometry=late, end=33.0,
                    diagnostics=reports, seconds=33.0, pace=0.3)
    found = examine(swarm)
    assert [(f.check, f.level, f.what) for f in found] == [
        ('simulated_time', Level.NOTE, 'simulated time runs at 0.3 of real time: swarm_doctor '
         'heard 9.9 s of it in 33 s')]
    # Too slow to hear all robots: that is the one warning.
    found = examine(replace(swarm, diagnostics=told('bob'), pace=0.03))
    assert ('silent', 'simulated_time') in {(f.check, f.explained_by) for f in found}
    assert [(f.check, f.level) for f in found if not f.explained_by] == [
        ('simulated_time', Level.WARN)]


def test_differing_clocks_are_reported():
    late, unknown = ([heard._replace(delay=delay) for heard in said(2)] for delay in (0.4, None))
    assert signs(timing.offsets, messages=without(2) + late) == [
        (('bob',), 'its computer is 0.40 s behind the time here')]
    assert signs(timing.offsets, messages=without(2) + unknown) == []
    ahead = {ODOM: readings(delay=-3.0)}
    assert signs(timing.offsets, odometry=ahead) == [
        (('bob',), f'the stamp of {ODOM} is 3.00 s ahead of the time here')]
    assert signs(timing.offsets, odometry=ahead, endpoints=[*ALL, SIMULATOR]) == []
    assert signs(timing.offsets, odometry={
        ODOM: [reading._replace(stamp=0.0, delay=1e9) for reading in readings()]}) == [
        (('bob',), f'{ODOM} has no stamps')]
