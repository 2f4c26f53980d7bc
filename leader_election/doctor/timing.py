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

"""Checks of clocks."""

from collections.abc import Iterator, Sequence
from statistics import median

from leader_election.doctor.delays import drift, flowing, leap
from leader_election.doctor.finding import Level, Symptom
from leader_election.doctor.observations import CLOCK, listing, Observations

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
