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

"""Checks of what robots depend on: odometry, bases, and clocks, by the delays of messages."""

from collections.abc import Iterator
import math
from statistics import median

from leader_election.election.robot import diagnostics as vocabulary
from leader_election.localisation.parameters import GIVEN
from leader_election.localisation.source import POSE_SOURCE
from leader_election.swarm.doctor.observations import (
    BRIDGES,
    CLOCK,
    Level,
    listing,
    Observations,
    ODOMETRY,
    Symptom,
)

SLOW_ODOMETRY = 2.0
"""Rate of odometry below which positions in messages are outdated [Hz]."""


def odometry(swarm: Observations) -> Iterator[Symptom]:
    """Find odometry that is missing, has stopped or is slow."""
    unused = _unused(swarm)
    hint = f'; odometry is published on {listing(unused)}, which no node uses' if unused else ''
    absent: list[tuple[str, str]] = []
    for robot, topic in swarm.inputs(ODOMETRY):
        if not swarm.needs_position(robot):
            continue
        publishers, readings = swarm.publishers(topic), swarm.odometry.get(topic, ())
        if not readings and publishers:
            yield Symptom(
                Level.ERROR, (robot,),
                f'{topic} is published by {publishers[0].node}, but no message was received')
        elif not readings:
            if swarm.value(robot, POSE_SOURCE) not in GIVEN:
                absent.append((robot, topic))
        else:
            age = (swarm.end - readings[-1].received) * swarm.pace
            span = readings[-1].received - readings[0].received
            rate = (len(readings) - 1) / span if span > 0.0 else math.inf
            if age > swarm.setting(robot, vocabulary.ODOMETRY_EXPIRY):
                yield Symptom(Level.ERROR, (robot,), f'{topic} has stopped: the last message was '
                              f'received {age:.1f} s ago')
            elif rate < SLOW_ODOMETRY * swarm.pace:
                yield Symptom(Level.WARN, (robot,), f'{topic} has a rate of only {rate:.1f} Hz')
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


OFFSET = 0.25
"""The greatest tolerated offset of a clock, including delays of messages [s]."""


_COMMANDS = ('geometry_msgs/msg/Twist', 'geometry_msgs/msg/TwistStamped')
_SIMULATED = ('swarm_world', *BRIDGES)
"""Nodes that take commands and move no real robot."""


def wheels(swarm: Observations) -> Iterator[Symptom]:
    """Find robots that the package drives, whose bases may go on when its node is killed."""
    ours = {endpoint.node for endpoint in swarm.nodes}
    topics = {each.topic for each in swarm.endpoints
              if each.publishes and each.type in _COMMANDS
              and (each.node in ours or each.node.endswith('/wander'))}
    driven = {base.node: topic for topic in topics for base in swarm.subscriptions(topic)
              if not base.node.endswith(_SIMULATED)}
    if driven:
        yield Symptom(
            Level.NOTE, (), f'{listing(sorted(driven))} drive by '
            f'{listing(sorted(set(driven.values())))}; whether they stop when commands stay '
            'away cannot be seen from here')


def simulated_time(swarm: Observations) -> Iterator[Symptom]:
    """Find simulated time that stands still, or that only some robots use."""
    subscribers = {endpoint.node for endpoint in swarm.subscriptions(CLOCK)}
    using = tuple(sorted(e.robot for e in swarm.nodes if e.node in subscribers))
    # Discovery may not have found the subscription of a robot of which nothing is heard.
    without = tuple(sorted({e.robot for e in swarm.nodes if e.robot in swarm.ids} - {*using}))
    if using and (not swarm.simulated or swarm.pace == 0.0):
        yield Symptom(Level.ERROR, using, f'use_sim_time is true, but no node advances {CLOCK}: '
                      'its time stands still')
    elif using and without:
        yield Symptom(Level.ERROR, without,
                      f'use_sim_time is false, but {CLOCK} is used by {listing(using)}')


def offsets(swarm: Observations) -> Iterator[Symptom]:
    """Find clocks whose time differs from the observer's."""
    computers = {name: median(delays) for robot_id, messages in swarm.sent.items()
                 if (delays := [heard.delay for heard, _ in messages if heard.delay is not None])
                 for name in swarm.names_of(robot_id)}
    for robot, delay in computers.items():
        if abs(delay) > OFFSET:
            yield Symptom(Level.WARN, (robot,), _offset_text('its computer', delay))
    for robot, topic in swarm.inputs(ODOMETRY):
        readings = swarm.odometry.get(topic, ())
        if readings and not swarm.simulated:
            delay = median(reading.delay for reading in readings)
            # The driver's stamps are wrong by as much as its computer's clock.
            if min(abs(delay), abs(delay - computers.get(robot, 0.0))) > OFFSET:
                yield Symptom(Level.WARN, (robot,), _offset_text(f'the stamp of {topic}', delay))


def _offset_text(what: str, delay: float) -> str:
    return f'{what} is {abs(delay):.2f} s {"behind" if delay > 0.0 else "ahead of"} the time here'
