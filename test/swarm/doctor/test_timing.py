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

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import mul

from hypothesis import given
from hypothesis import strategies as st
from leader_election.swarm.doctor import timing
from leader_election.swarm.doctor.diagnoses import examine
from leader_election.swarm.doctor.observations import CLOCK, Endpoint, HeardMessage, Level
from leader_election.swarm.doctor.timing import drift, leap, not_held_back
import pytest
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


def test_time_that_goes_back_is_reported():
    assert signs(timing.jumps, clock=(1.0, 2.0, 2.0, 2.9995, 2.999)) == []
    assert signs(timing.jumps, clock=(1.0, 7.0, 2.5, 3.0)) == [((), '/clock went back by 4.500 s')]
    back = readings(50) + [r._replace(stamp=r.stamp - 30.0) for r in readings(50)]
    assert signs(timing.jumps, odometry={ODOM: back}) == [
        (('bob',), f'stamps of {ODOM} went back by 39.800 s')]


def at(delay: Callable[[int], float]) -> list[HeardMessage]:
    """Return Bob's messages, with delays by the number of the message."""
    return [heard._replace(delay=delay(k)) for k, heard in enumerate(said(2))]


def leaping(by: float, number: int) -> float:
    return by * (number > 4)


def test_set_clock_is_reported():
    for by, way in ((2.0, 'back'), (-2.0, 'forward')):
        assert signs(timing.jumps, messages=without(2) + at(partial(leaping, by))) == [
            (('bob',), f'its clock went {way} by 2.00 s from one message to the next')]
    one_late = without(2) + at(lambda k: 1.5 * (k == 4))
    assert signs(timing.jumps, messages=one_late) == []
    ahead = [r._replace(stamp=r.stamp + 3.0 * (r.received > 5.0),
                        delay=r.delay - 3.0 * (r.received > 5.0)) for r in readings()]
    assert signs(timing.jumps, odometry={ODOM: ahead}) == [
        (('bob',), f'the stamp of {ODOM} went forward by 3.00 s from one message to the next')]
    assert signs(timing.jumps, odometry={ODOM: ahead}, endpoints=[*ALL, SIMULATOR]) == []


def held_back(row, begin: float, pause: float):
    """Return messages of which none comes in a pause: these come together at its end."""
    end = begin + pause
    return [m._replace(received=end, delay=m.delay + end - m.received)
            if begin < m.received < end else m for m in row]


def test_paused_network_is_no_set_clock():
    """At the beginning, in between, and with the burst cut off at the end."""
    for begin in (0.05, 5.0, 9.35):
        odometry = {ODOM: held_back(readings(), begin, 0.6)}
        assert max(r.delay for r in odometry[ODOM]) > 0.5
        for cut in (0, 1, 3):
            assert signs(timing.jumps, odometry={ODOM: odometry[ODOM][:100 - cut]}) == []
    for begin in (-0.5, 4.0, 6.6):
        assert signs(timing.jumps, messages=held_back(healthy().messages, begin, 2.5)) == []
    for begin in (2.0, 7.3):
        assert signs(timing.drifts, messages=held_back(healthy().messages, begin, 2.5)) == []


def test_set_clock_is_reported_beside_a_paused_network():
    for by, way in ((2.0, 'back'), (-2.0, 'forward')):
        row = [r._replace(delay=r.delay + by * (r.received > 5.0)) for r in readings()]
        assert signs(timing.jumps, odometry={ODOM: held_back(row, 7.0, 0.6)}) == [
            (('bob',), f'the stamp of {ODOM} went {way} by 2.00 s from one message to the next')]


def test_clock_of_the_observer_that_is_set_is_reported():
    all_at_once = [heard._replace(delay=2.0 * (heard.received > 5.0))
                   for i in (1, 2, 3) for heard in said(i)]
    assert signs(timing.jumps, messages=all_at_once, odometry={}) == [
        ((), 'the clock here was set by 2.00 s')]


def test_drifting_clock_is_reported():
    for by, what in ((0.03, 'falls behind by 30.0 ms'), (-0.03, 'gains 30.0 ms')):
        assert signs(timing.drifts, messages=without(2) + at(partial(mul, by))) == [
            (('bob',), f'its clock {what} a second')]
    for delay in (lambda k: 2.0 * (k > 4), lambda k: 0.04 * (k % 2), lambda k: 0.001 * k):
        assert signs(timing.drifts, messages=without(2) + at(delay)) == []


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


BURST = [0.5, 0.4, 0.3, 0.2, 0.1]
CALM = [0.01] * 8
BY = st.floats(0.4, 100.0) | st.floats(-100.0, -0.4)
JITTER = st.lists(st.floats(0.0, 0.1), min_size=3, max_size=20)


@given(JITTER, JITTER, BY)
def test_leap_is_the_step_of_the_clock_with_jitter(before, after, by):
    assert leap(before + [delay - by for delay in after]) == pytest.approx(by, abs=0.1)


@given(st.lists(st.floats(0.0, 10.0), max_size=30))
def test_leap_is_zero_if_delays_return(late):
    assert leap(CALM + [0.01 + delay for delay in late] + CALM) == 0.0


def test_leap_is_zero_in_a_burst():
    assert leap(CALM + BURST + CALM) == 0.0
    assert leap(CALM + [1.5] * 10 + CALM) == 0.0
    # While the clock is set as well.
    behind = [2.0 + delay for delay in CALM + BURST + CALM]
    assert leap(CALM + behind) == pytest.approx(-2.0)
    assert leap(behind + CALM) == pytest.approx(2.0)


def test_leap_is_zero_with_a_drift():
    times = [0.5 * k for k in range(20)]
    for rate in (0.1, -0.1):
        delays = [rate * time for time in times]
        assert leap(delays) == 0.0 and drift(times, delays) == pytest.approx(rate)


def test_not_held_back_drops_messages_of_a_burst():
    """Sent each 0.1 s, and all come at the end of the burst."""
    burst = [(1.0, delay) for delay in BURST]
    calm = [(1.1 + 0.1 * k, delay) for k, delay in enumerate(CALM)]
    assert not_held_back(burst + calm) == burst[-1:] + calm
    assert not_held_back(calm) == calm and not_held_back([]) == []
