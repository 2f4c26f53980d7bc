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

"""Checks of odometry: missing, stopped, slow, not finite, or of several publishers."""

from collections.abc import Iterator, Sequence
import math

from leader_election.election.robot import diagnostics as vocabulary
from leader_election.swarm.doctor.observations import (
    Level,
    listing,
    Observations,
    ODOMETRY,
    OdometryReading,
    Symptom,
)

SLOW = 2.0
"""The lowest rate of odometry; below it positions in messages are outdated [Hz]."""
STOPPED, LATE = 'has stopped', 'has a rate of only'
"""Parts of descriptions, by which other findings explain them."""


def _needed(swarm: Observations) -> list[tuple[str, str]]:
    """Return each robot that depends on its position, and the topic of its odometry."""
    return [(robot, topic) for robot, topic in swarm.inputs(ODOMETRY)
            if swarm.needs_position(robot)]


def odometry(swarm: Observations) -> Iterator[Symptom]:
    """Find odometry that is missing, slow, invalid or published by several nodes."""
    unused = _unused(swarm)
    hint = f'; odometry is published on {listing(unused)}, which no node uses' if unused else ''
    absent = []
    for robot, topic in _needed(swarm):
        publishers = swarm.publishers(topic)
        readings = swarm.odometry.get(topic, ())
        if not publishers and not readings:
            absent.append((robot, topic))
            continue
        if len(publishers) > 1:
            yield Symptom(Level.ERROR, (robot,), f'{len(publishers)} nodes publish {topic}: '
                          + listing(sorted(publisher.node for publisher in publishers)))
        if not readings:
            yield Symptom(
                Level.ERROR, (robot,),
                f'{topic} is published by {publishers[0].node}, but no message was received')
            continue
        yield from _quality(swarm, robot, topic, readings)
    if absent:
        yield Symptom(Level.ERROR, tuple(robot for robot, _ in absent),
                      f'no node publishes {listing([topic for _, topic in absent])}{hint}')


def _unused(swarm: Observations) -> list[str]:
    """Return the topics of odometry without a subscription, except robots' outputs and truths."""
    used = {e.topic for e in swarm.endpoints if not e.publishes}
    robots = {e.node for e in swarm.nodes}
    return sorted({e.topic for e in swarm.endpoints
                   if e.publishes and e.type == ODOMETRY and e.topic not in used
                   and e.node not in robots and not e.topic.endswith('/ground_truth')})


def _quality(swarm: Observations, robot: str, topic: str,
             readings: Sequence[OdometryReading]) -> Iterator[Symptom]:
    """Find odometry that has stopped, is slow or is not finite."""
    age = (swarm.end - readings[-1].received) * swarm.pace
    rate = _rate(readings)
    if age > swarm.setting(robot, vocabulary.ODOMETRY_EXPIRY):
        yield Symptom(Level.ERROR, (robot,),
                      f'{topic} {STOPPED}: the last message was received {age:.1f} s ago')
    elif rate is not None and rate < SLOW * swarm.pace:
        yield Symptom(Level.WARN, (robot,), f'{topic} {LATE} {rate:.1f} Hz')
    if not all(math.isfinite(c) for reading in readings for c in reading.position):
        yield Symptom(Level.ERROR, (robot,), f'{topic} has a position that is not finite')


def _rate(readings: Sequence[OdometryReading]) -> float | None:
    """Return the rate of readings [Hz], ``None`` if unknown."""
    span = readings[-1].received - readings[0].received
    return (len(readings) - 1) / span if span > 0.0 else None
