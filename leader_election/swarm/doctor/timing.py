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

"""Checks of clocks: simulated time, jumps, drift and offset, by the delays of messages."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
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
REORDERED = 1e-3
"""The greatest step back of stamps that is explained by messages overtaking each other [s]."""
NEAR = 3
"""The number of delays before and after a jump: a single message may be late [messages]."""
LEAP = 0.25
"""The smallest jump of a clock that is reported [s]."""
FEW = 3 * NEAR
"""The least number of messages for computing a drift."""
DRIFT = 0.1
"""The smallest drift over the whole observation that is reported [s]."""

SLOW = 0.9
"""Simulated time below this share of real time is reported."""
LEAST = 5.0
"""The least simulated time that suffices for the checks [s]."""
STANDS_STILL = 'its time stands still'
SLOW_TIME = 'simulated time runs at'
"""Parts of descriptions, by which other findings are explained."""

Delays = list[tuple[float, float]]
"""Time of receipt [s] and delay [s], in the order of receipt."""


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


def jumps(swarm: Observations) -> Iterator[Symptom]:
    """Find time that goes back, and clocks that were set."""
    back = _largest_step_back(swarm.clock)
    if back > REORDERED:
        yield Symptom(Level.WARN, (), f'{CLOCK} went back by {back:.3f} s')
    for robot, topic in swarm.inputs(ODOMETRY):
        back = _largest_step_back([reading.stamp for reading in swarm.odometry.get(topic, ())])
        if back > REORDERED:
            yield Symptom(Level.WARN, (robot,), f'stamps of {topic} went back by {back:.3f} s')
    yield from _clocks_set(swarm)


def _clocks_set(swarm: Observations) -> Iterator[Symptom]:
    """Find clocks that were set; if all were set at once, it is the observer's."""
    leaps = {source: leap([delay for _, delay in row])
             for source, row in _undisturbed(swarm).items()}
    by_source = {source: most for source, most in leaps.items() if most}
    if len(by_source) == len(leaps) and len({robot for robot, _ in leaps}) > 1:
        yield Symptom(
            Level.WARN, (),
            f'the clock here was set by {max(map(abs, by_source.values())):.2f} s')
        return
    for (robot, what), most in by_source.items():
        direction = 'forward' if most > 0.0 else 'back'
        yield Symptom(Level.WARN, (robot,), f'{what} went {direction} by {abs(most):.2f} s from '
                      'one message to the next')


def drifts(swarm: Observations) -> Iterator[Symptom]:
    """Find clocks that run faster or slower than the observer's."""
    for (robot, what), row in _undisturbed(swarm).items():
        delays = [delay for _, delay in row]
        rate = 0.0 if leap(delays) else drift([time for time, _ in row], delays)
        if rate:
            change = f'falls behind by {1e3 * rate:.1f}' if rate > 0.0 else \
                f'gains {-1e3 * rate:.1f}'
            yield Symptom(Level.WARN, (robot,), f'{what} {change} ms a second')


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


def _undisturbed(swarm: Observations) -> dict[tuple[str, str], Delays]:
    """
    Return times of receipt and delays, by robot and by the clock that sets the stamps.

    Messages held back by the network are left out: their delays do not depend on clocks.
    """
    found: dict[tuple[str, str], Delays] = {}
    for robot_id, messages in swarm.sent.items():
        found[swarm.names_of(robot_id)[0], 'its clock'] = [
            (heard.received, heard.delay) for heard, _ in messages if heard.delay is not None]
    for robot, topic in () if swarm.simulated else swarm.inputs(ODOMETRY):
        readings = swarm.odometry.get(topic, ())
        back = _largest_step_back([reading.stamp for reading in readings])
        if any(reading.stamp for reading in readings) and back <= REORDERED:
            found[robot, f'the stamp of {topic}'] = [
                (reading.received, reading.delay) for reading in readings]
    return {source: not_held_back(row) for source, row in found.items() if row}


def _largest_step_back(times: Sequence[float]) -> float:
    return max((before - after for before, after in zip(times, times[1:])), default=0.0)


def leap(delays: Sequence[float]) -> float:
    """
    Return the largest jump of a sender's clock [s]; positive: forward; 0: it was not set.

    A jump moves delays from one level to another, at once and permanently. The level is the
    least delay: a network that pauses lengthens many delays, but shortens none.

    :param delays: in the order of receipt [s].

    >>> leap([0.01, 0.01, 0.02, -2.0, -2.0, -2.0]), leap([0.01, 0.01, 0.9, 0.01, 0.01])
    (2.01, 0.0)
    """
    before = list(accumulate(delays, min))
    after = list(accumulate(reversed(delays), min))[::-1]
    most = 0.0
    for k in range(NEAR, len(delays) - NEAR + 1):
        at_once = median(delays[k - NEAR:k]) - median(delays[k:k + NEAR])
        permanent = before[k - 1] - after[k]
        # Both in the same direction; otherwise it is a burst of late messages.
        if at_once * permanent > 0.0:
            most = max(most, min(at_once, permanent, key=abs), key=abs)
    return most if abs(most) > LEAP else 0.0


def not_held_back(row: Delays) -> Delays:
    """
    Return the messages that the network did not hold back.

    A message that was held back arrives together with the next one: earlier by less than the
    difference of their delays.

    >>> not_held_back([(1.0, 0.1), (2.6, 0.7), (2.6, 0.2), (3.1, 0.2)])
    [(1.0, 0.1), (2.6, 0.2), (3.1, 0.2)]
    """
    return [(time, delay) for (time, delay), (following, shorter) in zip(row, row[1:])
            if following - time >= delay - shorter] + list(row[-1:])


def drift(times: Sequence[float], delays: Sequence[float]) -> float:
    """
    Return the rate at which the delay grows steadily [s/s]; 0: it does not.

    Medians of three thirds are compared: the middle one has to lie near the middle of the others.

    :param times: of receipt [s].
    :param delays: of the same messages [s].

    >>> times = [float(t) for t in range(12)]
    >>> round(drift(times, [0.02 * t for t in times]), 3), drift(times, [0.01] * 12)
    (0.02, 0.0)
    """
    part = len(delays) // 3
    if len(delays) < FEW:
        return 0.0
    parts = (slice(0, part), slice(part, 2 * part), slice(2 * part, None))
    (early, first), (_, middle), (late, last) = (
        (median(times[each]), median(delays[each])) for each in parts)
    growth = last - first
    steady = abs(middle - (first + last) / 2) < abs(growth) / 4
    return growth / (late - early) if steady and abs(growth) > DRIFT else 0.0
