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

"""Checks of clocks, by the delays of messages."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from statistics import median

from leader_election.doctor.observations import CLOCK, Level, listing, Observations, Symptom

APART = 0.25
"""Clocks may be so far apart, and messages so long on their way [s]."""
BACKWARDS = 1e-3
"""Two messages may have changed places on the way if they are no farther apart [s]."""


def simulated_time(seen: Observations) -> Iterator[Symptom]:
    """Find simulated time that comes from several, from none, or that only some go by."""
    writers = sorted(endpoint.node for endpoint in seen.writers(CLOCK))
    reading = {endpoint.node for endpoint in seen.readers(CLOCK)}
    by = sorted({e.robot for e in seen.nodes if e.node in reading})
    without = sorted({e.robot for e in seen.nodes if e.node not in reading})
    if len(writers) > 1:
        yield Symptom(Level.ERROR, (), f'{len(writers)} publish {CLOCK}: {listing(writers)}')
    if by and without:
        yield Symptom(Level.ERROR, tuple(without), 'they do not go by simulated time; these '
                   f'do: {listing(by)}')
    elif by and not writers and not seen.clock:
        yield Symptom(Level.ERROR, tuple(by), f'they go by simulated time, and nobody publishes '
                   f'{CLOCK}: their time stands still')
    elif writers and without:
        yield Symptom(Level.WARN, tuple(without), f'{listing(writers)} publishes {CLOCK}, and '
                   'they do not go by it')


def jumps(seen: Observations) -> Iterator[Symptom]:
    """Find time that goes backwards, or leaps."""
    back = _most_back(seen.clock)
    if back > BACKWARDS:
        yield Symptom(Level.WARN, (), f'{CLOCK} went back by {back:.3f} s')
    for robot, topic in seen.heard_odometry():
        back = _most_back([reading.stamp for reading in seen.odometry.get(topic, ())])
        if back > BACKWARDS:
            yield Symptom(Level.WARN, (robot,), f'stamps of {topic} went back by {back:.3f} s')
    yield from _leaps(seen)


def _leaps(seen: Observations) -> Iterator[Symptom]:
    """Find clocks that were set; where all were at once it is the one here."""
    leaps = {about: leap([delay for _, delay in row]) for about, row in _delays(seen).items()}
    by = {about: most for about, most in leaps.items() if most}
    if len(by) == len(leaps) and len({robot for robot, _ in leaps}) > 1:
        yield Symptom(
            Level.WARN, (), f'the clock here was set by {max(map(abs, by.values())):.2f} s'
        )
        return
    for (robot, what), most in by.items():
        yield Symptom(
            Level.WARN,
            (robot,),
            f'{what} went {"forward" if most > 0.0 else "back"} by '
            f'{abs(most):.2f} s from one message to the next',
        )


def drifts(seen: Observations) -> Iterator[Symptom]:
    """Find clocks that go faster or slower than the one here."""
    for (robot, what), row in _delays(seen).items():
        delays = [delay for _, delay in row]
        rate = 0.0 if leap(delays) else drift([time for time, _ in row], delays)
        if rate:
            yield Symptom(
                Level.WARN,
                (robot,),
                f'{what} falls behind by {1e3 * rate:.1f} ms a second'
                if rate > 0.0
                else f'{what} gains {-1e3 * rate:.1f} ms a second',
            )


def _delays(seen: Observations) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """
    Return when messages came, and their delays [s], by robot and by what stamps them.

    Without those that were held back on their way: they tell of the network, not of clocks.
    """
    found = {}
    for robot_id, messages in seen.said.items():
        found[seen.named(robot_id)[0], 'its clock'] = [
            (heard.received, heard.delay) for heard, _ in messages if heard.delay is not None]
    for robot, topic in () if seen.simulated else seen.heard_odometry():
        readings = seen.odometry.get(topic, ())
        back = _most_back([reading.stamp for reading in readings])
        if any(reading.stamp for reading in readings) and back <= BACKWARDS:
            found[robot, f'the stamp of {topic}'] = [
                (reading.received, reading.delay) for reading in readings]
    return {about: flowing(row) for about, row in found.items() if row}


def _most_back(times: Sequence[float]) -> float:
    return max((before - after for before, after in zip(times, times[1:])), default=0.0)


def offsets(seen: Observations) -> Iterator[Symptom]:
    """Find clocks that are not set to one time."""
    for robot_id, messages in seen.said.items():
        delays = [heard.delay for heard, _ in messages if heard.delay is not None]
        if delays and abs(median(delays)) > APART:
            yield Symptom(Level.WARN, seen.named(robot_id), _apart('its computer', median(delays)))
    for robot, topic in seen.heard_odometry():
        readings = seen.odometry.get(topic, ())
        if readings and all(reading.stamp == 0.0 for reading in readings):
            yield Symptom(Level.WARN, (robot,), f'{topic} has no stamps')
        elif readings and not seen.simulated:
            delay = median(reading.delay for reading in readings)
            if abs(delay) > APART:
                yield Symptom(Level.WARN, (robot,), _apart(f'the stamp of {topic}', delay))


def _apart(what: str, delay: float) -> str:
    return f'{what} is {abs(delay):.2f} s {"behind" if delay > 0.0 else "ahead of"} the time here'


NEAR = 3
"""A clock that was set is known by so many delays before and after: one may be late [messages]."""
LEAP = 0.25
"""By less than this a clock may go off from one message to the next [s]."""
FEW = 3 * NEAR
"""Of fewer messages nothing can be said of drift."""
DRIFT = 0.1
"""So much a clock has to have gone off in all to be told, beyond what delays vary [s]."""


def leap(delays: Sequence[float]) -> float:
    """
    Return by how much the sender's clock was set, at most [s]; positive: forward; 0: it was not.

    Delays go from one level to another then, at once and for good. The level is the least delay:
    a network that pauses lengthens many, but shortens none.

    >>> leap([0.01, 0.01, 0.02, -2.0, -2.0, -2.0]), leap([0.01, 0.01, 0.9, 0.01, 0.01])
    (2.01, 0.0)
    """
    before = list(accumulate(delays, min))
    after = list(accumulate(reversed(delays), min))[::-1]
    most = 0.0
    for k in range(NEAR, len(delays) - NEAR + 1):
        at_once = median(delays[k - NEAR:k]) - median(delays[k:k + NEAR])
        for_good = before[k - 1] - after[k]
        if at_once * for_good > 0.0:
            most = max(most, min(at_once, for_good, key=abs), key=abs)
    return most if abs(most) > LEAP else 0.0


def flowing(row: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """
    Return the messages, by time of coming and delay [s], that were not held back.

    One that was comes together with the next: sooner before it than their delays differ.

    >>> flowing([(1.0, 0.1), (2.6, 0.7), (2.6, 0.2), (3.1, 0.2)])
    [(1.0, 0.1), (2.6, 0.2), (3.1, 0.2)]
    """
    return [(time, delay) for (time, delay), (following, shorter) in zip(row, row[1:])
            if following - time >= delay - shorter] + list(row[-1:])


def drift(times: Sequence[float], delays: Sequence[float]) -> float:
    """
    Return how fast the delay grows, where it does so all the time [s/s]; 0: it does not.

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
    grown = last - first
    steady = abs(middle - (first + last) / 2) < abs(grown) / 4
    return grown / (late - early) if steady and abs(grown) > DRIFT else 0.0
