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

"""Checks of what arrives: messages between robots, odometry, clocks; and of what they need."""

from collections.abc import Iterator
from itertools import product
import math
from statistics import median

from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.reception import HEARD, ROUNDS
from leader_election.localisation.parameters import GIVEN
from leader_election.localisation.source import POSE_SOURCE
from leader_election.swarm.doctor.observations import (
    BRIDGES,
    by_key,
    CLOCK,
    Endpoint,
    find_radio_topics,
    Level,
    listing,
    Observations,
    ODOMETRY,
    Symptom,
)
from leader_election.swarm.fleet.receive_buffers import buffers_too_small, MANY_ROBOTS

LOSS = 0.2
"""The greatest share of lost messages that is tolerated."""
FEW = 5
OFFSET = 0.25
"""The greatest tolerated offset of a clock, including delays of messages [s]."""


def shared_topic(swarm: Observations) -> Iterator[Symptom]:
    """Find robots that publish on a topic without other subscribers."""
    nodes = {endpoint.node for endpoint in swarm.nodes}
    if len(nodes) < 2:
        return
    topics = find_radio_topics(swarm)
    alone = sorted({(e.robot, e.topic) for e in swarm.endpoints
                    if e.publishes and e.node in nodes and e.topic in topics
                    and not any(r.node != e.node for r in swarm.subscriptions(e.topic))})
    if alone:
        yield Symptom(Level.ERROR, tuple(robot for robot, _ in alone), 'no other robot receives '
                      'what it publishes on ' + listing([topic for _, topic in alone]))


def profiles(swarm: Observations) -> Iterator[Symptom]:
    """Find publishers and subscriptions of one topic whose profiles are incompatible."""
    nodes = {endpoint.node for endpoint in swarm.nodes}
    for topic in sorted({e.topic for e in swarm.endpoints if e.node in nodes}):
        publishers, subscriptions = swarm.publishers(topic), swarm.subscriptions(topic)
        for fault, pairs in by_key(
                (fault, pair) for pair in product(publishers, subscriptions)
                for fault in _incompatibilities(*pair)).items():
            receivers = sorted({subscription.node for _, subscription in pairs})
            senders = sorted({publisher.node for publisher, _ in pairs})
            # A tool that receives nothing disturbs no robot.
            level = Level.ERROR if nodes.intersection(receivers) else Level.WARN
            robots = {e.robot for pair in pairs for e in pair if e.node in nodes}
            yield Symptom(level, tuple(sorted(robots)),
                          f'{topic}: {listing(receivers)} cannot receive from '
                          f'{listing(senders)}: {fault}')


def _incompatibilities(publisher: Endpoint, subscription: Endpoint) -> Iterator[str]:
    """Yield each policy for which the subscription requests more than the publisher offers."""
    if subscription.reliable and not publisher.reliable:
        yield 'reliability: best effort is offered, reliable requested'
    if subscription.latched and not publisher.latched:
        yield 'durability: volatile is offered, transient local requested'


def reception(swarm: Observations) -> Iterator[Symptom]:
    """Find robots that receive nothing, or only robots that are out of range."""
    for robot, own in swarm.ids.items():
        reach = swarm.setting(robot, vocabulary.COMMUNICATION_RANGE)
        reports = [report for report in swarm.reports_of(robot) if HEARD in report.values]
        if swarm.increase(robot, HEARD) > 0.0:
            # Few have no neighbours. Only for these the distances to all robots are compared.
            if all(report.values.get(vocabulary.NEIGHBOURS) == '0' for report in reports):
                nearest = min((swarm.distance_between(own, other)
                               for other in swarm.sent if other != own), default=0.0)
                if nearest > reach:
                    yield Symptom(Level.WARN, (robot,), 'it has no neighbours: the nearest robot '
                                  f'is {nearest:.1f} m away, and '
                                  f'{vocabulary.COMMUNICATION_RANGE} is {reach:g} m')
        elif len(reports) > 1:
            near = sum(reports[0].received <= heard.received <= reports[-1].received
                       for other, messages in swarm.sent.items() if other != own
                       and swarm.distance_between(other, own) <= reach for heard, _ in messages)
            if near >= FEW:
                yield Symptom(Level.ERROR, (robot,),
                              'it received nothing, while messages of robots near it arrived here')


def loss(swarm: Observations) -> Iterator[Symptom]:
    """Find robots many of whose messages are lost."""
    for robot, own in swarm.ids.items():
        reports = [report for report in swarm.reports_of(robot) if ROUNDS in report.values]
        # Each round sends one message. One may be under way at the beginning or at the end.
        if own in swarm.sent and (sent := swarm.increase(robot, ROUNDS)) >= FEW:
            arrived = sum(reports[0].received < heard.received <= reports[-1].received
                          for heard, _ in swarm.sent[own])
            if arrived + 1 < (1.0 - LOSS) * sent:
                yield Symptom(Level.WARN, (robot,),
                              f'of {sent:g} messages sent {arrived:g} arrived here')


FIRST_PORT, PORTS, DOMAINS = 7400, 250, 233
"""The ports of a domain: so many from ``FIRST_PORT + PORTS * domain`` on (RTPS 2.3, 9.6.1)."""


def domains(text: str) -> set[int]:
    r"""
    Return the domains with processes on this computer, by the ports of their announcements.

    :param text: of the file ``/proc/net/udp``. It may be empty.

    >>> domains('sl local_address\n732: 0100007F:1CE8 0:0\n9: 0:1CF3 0:0\n12: 0:1FD6 0:0\n')
    {0, 3}
    """
    offsets = {int(row.split()[1].rpartition(':')[2], 16) - FIRST_PORT
               for row in text.splitlines()[1:]}
    return {offset // PORTS for offset in offsets
            if offset % PORTS == 0 and offset // PORTS in range(DOMAINS)}


def links(swarm: Observations) -> Iterator[Symptom]:
    """Find links between domains that report a problem."""
    for status in swarm.links:
        if status.level > 0:
            robot = status.name.rpartition(': ')[0].strip('/')
            yield Symptom(Level.ERROR, (robot,), f'its link reports: {status.message}')


def receive_buffers(swarm: Observations) -> Iterator[Symptom]:
    """Find buffers that are too small for Gazebo."""
    small = buffers_too_small(swarm.receive_buffers)
    if small and any(e.node.rpartition('/')[2] in BRIDGES for e in swarm.endpoints):
        yield Symptom(Level.WARN if len(swarm.robots) > MANY_ROBOTS else Level.NOTE, (),
                      f'Gazebo Sim announces all topics at once, every second: {small}')


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
