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

"""Checks of clocks: simulated time, and the offset of a clock by the delays of messages."""

from collections.abc import Iterator, Sequence
from statistics import median

from leader_election.swarm.doctor.observations import (
    CLOCK,
    Level,
    listing,
    Observations,
    ODOMETRY,
    Symptom,
)

OFFSET = 0.25
"""The greatest tolerated offset of a clock, including delays of messages [s]."""
SLOW = 0.9
"""Simulated time below this share of real time is reported."""
LEAST = 5.0
"""The least simulated time that suffices for the checks [s]."""
STANDS_STILL = 'its time stands still'
SLOW_TIME = 'simulated time runs at'
"""Parts of descriptions, by which other findings are explained."""


def simulated_time(swarm: Observations) -> Iterator[Symptom]:
    """Find simulated time with several publishers, with none, or used by some robots only."""
    publishers = sorted(endpoint.node for endpoint in swarm.publishers(CLOCK))
    subscribers = {endpoint.node for endpoint in swarm.subscriptions(CLOCK)}
    by_time: dict[bool, set[str]] = {True: set(), False: set()}
    for endpoint in swarm.nodes:
        uses = endpoint.node in subscribers
        # Discovery may not have found the subscription of a robot of which nothing is heard.
        if uses or endpoint.robot in swarm.ids:
            by_time[uses].add(endpoint.robot)
    using, without = sorted(by_time[True]), sorted(by_time[False])
    if len(publishers) > 1:
        yield Symptom(Level.ERROR, (),
                      f'{len(publishers)} nodes publish {CLOCK}: {listing(publishers)}')
    if using and not publishers and not swarm.clock:
        yield Symptom(Level.ERROR, tuple(using), 'use_sim_time is true, but no node publishes '
                      f'{CLOCK}: {STANDS_STILL}' + _without(without))
    elif using and swarm.pace == 0.0:
        yield Symptom(Level.ERROR, tuple(using), f'{CLOCK} of {listing(publishers)} does not '
                      f'advance: {STANDS_STILL}' + _without(without),
                      'Let the simulation run: it is paused, has ended, or its clock does not '
                      'arrive (see receive_buffers).')
    elif without and (using or publishers):
        yield Symptom(Level.ERROR if using else Level.WARN, tuple(without),
                      f'use_sim_time is false, but {CLOCK} is published'
                      + (f', and used by {listing(using)}' if using else ''))
    if using and 0.0 < swarm.pace < SLOW:
        yield Symptom(Level.NOTE if swarm.pace * swarm.seconds >= LEAST else Level.WARN, (),
                      f'{SLOW_TIME} {swarm.pace:.2g} of real time: swarm_doctor heard '
                      f'{swarm.pace * swarm.seconds:.3g} s of it in {swarm.seconds:.3g} s',
                      'Simulate fewer robots or sensors, or use a faster computer; where that is '
                      'intended, give swarm_doctor more time with --seconds.')


def _without(robots: Sequence[str]) -> str:
    return f'; it is false for {listing(robots)}' if robots else ''


def offsets(swarm: Observations) -> Iterator[Symptom]:
    """Find clocks whose time differs from the observer's."""
    of_computers: dict[str, float] = {}
    for robot_id, messages in swarm.sent.items():
        delays = [heard.delay for heard, _ in messages if heard.delay is not None]
        if delays and abs(median(delays)) > OFFSET:
            names = swarm.names_of(robot_id)
            of_computers |= dict.fromkeys(names, median(delays))
            yield Symptom(Level.WARN, names, _offset_text('its computer', median(delays)))
    for robot, topic in swarm.inputs(ODOMETRY):
        readings = swarm.odometry.get(topic, ())
        if readings and all(reading.stamp == 0.0 for reading in readings):
            yield Symptom(Level.WARN, (robot,), f'{topic} has no stamps')
        elif readings and not swarm.simulated:
            delay = median(reading.delay for reading in readings)
            # The driver's stamps are wrong by as much as its computer's clock.
            if min(abs(delay), abs(delay - of_computers.get(robot, 0.0))) > OFFSET:
                yield Symptom(Level.WARN, (robot,), _offset_text(f'the stamp of {topic}', delay))


def _offset_text(what: str, delay: float) -> str:
    return f'{what} is {abs(delay):.2f} s {"behind" if delay > 0.0 else "ahead of"} the time here'
