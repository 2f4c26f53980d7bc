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

"""Checks of what robots sense: odometry, and the places that come of it."""

from collections.abc import Iterator, Sequence
import math

from leader_election.doctor.observations import (
    Level,
    listing,
    needs_position,
    Observations,
    Reading,
    setting,
    Symptom,
)

SLOW = 2.0
"""A robot whose odometry comes less often is seen where it was [1/s]."""
SAME_PLACE = 1e-3
"""Two robots that are nearer to each other are at one place [m]."""


def _needed(seen: Observations) -> list[tuple[str, str]]:
    """Return each robot that is of no use without a position, and the topic of its odometry."""
    return [(robot, topic) for robot, topic in seen.heard_odometry()
            if needs_position(seen, robot)]


def odometry(seen: Observations) -> Iterator[Symptom]:
    """Find odometry that does not arrive, or seldom, or from two."""
    for robot, topic in _needed(seen):
        writers = seen.writers(topic)
        readings = seen.odometry.get(topic, ())
        if not writers and not readings:
            yield Symptom(Level.ERROR, (robot,), f'nobody publishes {topic}')
            continue
        if len(writers) > 1:
            yield Symptom(Level.ERROR, (robot,), f'{len(writers)} publish {topic}: '
                       + listing(sorted(writer.node for writer in writers)))
        if not readings:
            yield Symptom(Level.ERROR, (robot,),
                       f'{topic} is published by {writers[0].node}, but nothing came of it')
            continue
        yield from _arriving(seen, robot, topic, readings)


def _arriving(seen: Observations, robot: str, topic: str,
              readings: Sequence[Reading]) -> Iterator[Symptom]:
    age = seen.end - readings[-1].received
    rate = _rate(readings)
    if age > setting(seen, robot, 'odometry_expiry'):
        yield Symptom(Level.ERROR, (robot,), f'{topic} has stopped: the last came {age:.1f} s ago')
    elif rate is not None and rate < SLOW:
        yield Symptom(Level.WARN, (robot,), f'{topic} comes only {rate:.1f} times a second')
    if not all(math.isfinite(c) for reading in readings for c in reading.position):
        yield Symptom(Level.ERROR, (robot,), f'{topic} says what no place can be')


def _rate(readings: Sequence[Reading]) -> float | None:
    """Return how often readings come [1/s], ``None`` where that cannot be told."""
    span = readings[-1].received - readings[0].received
    return (len(readings) - 1) / span if span > 0.0 else None


def odometry_frames(seen: Observations) -> Iterator[Symptom]:
    """Find headers that name no frames, or others from message to message."""
    for robot, topic in _needed(seen):
        readings = seen.odometry.get(topic, ())
        used = sorted({(reading.frame, reading.child) for reading in readings})
        if len(used) > 1:
            yield Symptom(Level.ERROR, (robot,), f'{topic} is in several frames by turns: '
                       + listing([f'{frame!r} to {child!r}' for frame, child in used]))
        for frame, child in used[:1]:
            if not frame:
                yield Symptom(Level.WARN, (robot,), f'{topic} names no frame (header.frame_id)')
            elif frame == child:
                yield Symptom(Level.WARN, (robot,), f'{topic} goes from {frame!r} to itself '
                           '(child_frame_id)')
            elif not child:
                yield Symptom(Level.NOTE, (robot,), f'{topic} names no child_frame_id')


def places(seen: Observations) -> Iterator[Symptom]:
    """Find several robots at one place."""
    at: dict[tuple[int, int], list[str]] = {}
    for robot_id, messages in seen.said.items():
        place = messages[-1][1].position
        robots = [name for name in seen.named(robot_id)[:1] if needs_position(seen, name)]
        if place is not None:
            cell = (round(place[0] / SAME_PLACE), round(place[1] / SAME_PLACE))
            at.setdefault(cell, []).extend(robots)
    for (x, y), robots in at.items():
        if len(robots) > 1:
            where = (f'at the origin of {_frame(seen)}' if x == y == 0
                     else f'at ({x * SAME_PLACE:g}, {y * SAME_PLACE:g})')
            yield Symptom(Level.ERROR, tuple(robots), f'{len(robots)} robots say that they are '
                       f'{where}')


def _frame(seen: Observations) -> str:
    return next(iter(seen.said.values()))[0][1].frame
