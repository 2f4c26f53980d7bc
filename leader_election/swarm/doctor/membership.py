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

"""
Checks of the members of a swarm: presence, names, ids, and what robots report themselves.

Moreover of what all have to have in common: frame, algorithm, settings, key.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from leader_election.election.mandates.parameters import NAMES
from leader_election.election.messages.swarm_key import is_signed
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.swarm.doctor.observations import by_key, Level, listing, Observations, Symptom

NO_MORE = 'and not any more'


def found(swarm: Observations) -> Iterator[Symptom]:
    """Find swarms with no robot or only one."""
    here = ', '.join(f'{name}={value}' for name, value in swarm.environment.items())
    here = f' (here: {here})' if here else ''
    others = listing(swarm.other_swarms)
    elsewhere = f'; there are robots on other topics: {others}' if others else ''
    if swarm.other_domains:
        elsewhere += ('; on this computer there are ROS nodes with ROS_DOMAIN_ID='
                      + listing(swarm.other_domains))
    if not swarm.robots and not swarm.sent:
        yield Symptom(Level.ERROR, (),
                      f'no robot was found in {swarm.seconds:.3g} s{here}{elsewhere}')
    elif len(swarm.nodes) == len(swarm.robots) == 1 and swarm.sent.keys() <= {*swarm.ids.values()}:
        yield Symptom(Level.WARN, tuple(swarm.robots),
                      f'it is alone: no other robot is visible from here{here}{elsewhere}')


def missing(swarm: Observations) -> Iterator[Symptom]:
    """Find expected robots that are missing or have another id."""
    if not swarm.robots and not swarm.sent:
        return
    for name, robot_id in swarm.expected.items():
        if name not in swarm.robots:
            yield Symptom(Level.ERROR, (name,), 'it was not found')
        elif swarm.ids.get(name, robot_id) != robot_id:
            yield Symptom(Level.ERROR, (name,),
                          f'its id is {swarm.ids[name]}, but {robot_id} is expected')


def silent(swarm: Observations) -> Iterator[Symptom]:
    """Find robots that sent messages and do so no more, and those whose nodes publish nothing."""
    gone = set[str]()
    for robot_id, messages in swarm.sent.items():
        age = (swarm.end - messages[-1][0].received) * swarm.pace
        if age > swarm.setting(swarm.names_of(robot_id)[0], vocabulary.MESSAGE_EXPIRY):
            gone |= {*swarm.names_of(robot_id)}
            yield Symptom(Level.ERROR, swarm.names_of(robot_id), f'it was heard, {NO_MORE}: its '
                          f'last message came {age:.1f} s before the end')
    present = {*swarm.ids.values(), *swarm.sent}
    for name in sorted({known.name for known in swarm.known if known.id not in present}):
        gone.add(name)
        yield Symptom(Level.WARN, (name,), f'it was here before, {NO_MORE}')
    for name in swarm.robots:
        if name in gone:
            continue
        if name not in swarm.ids:
            yield Symptom(Level.ERROR, (name,), 'its node runs, but publishes no diagnostics')
        elif swarm.ids[name] not in swarm.sent and swarm.seconds * swarm.pace >= (
                2.0 * swarm.setting(name, vocabulary.ROUND_PERIOD)):
            yield Symptom(Level.ERROR, (name,), f'no message of id {swarm.ids[name]} was heard')


def ids(swarm: Observations) -> Iterator[Symptom]:
    """Find several robots of the same id, by diagnostics and by their own reports."""
    shared = {i for i, count in Counter(swarm.ids.values()).items() if count > 1}
    for robot_id in sorted(shared):
        yield Symptom(Level.ERROR, swarm.names_of(robot_id), f'they have the same id, {robot_id}')
    reported = {report.id for report in swarm.diagnostics
                if report.level > 1 and vocabulary.DUPLICATE_ID in report.message}
    for robot_id in sorted(reported - shared):
        yield Symptom(Level.ERROR, swarm.names_of(robot_id),
                      f'it receives messages of another robot with its id, {robot_id}')


def refused(swarm: Observations) -> Iterator[Symptom]:
    """Find messages that robots reject, by their own counters."""
    # A robot also receives its own messages, which are no symptom.
    reasons = [reason.value for reason in RejectReason if reason != RejectReason.OWN_ID]
    for counter, robots in by_key(
            (reason, robot) for robot in swarm.robots for reason in reasons
            if swarm.increase(robot, reason) > 0.0).items():
        count = sum(swarm.increase(robot, counter) for robot in robots)
        yield Symptom(Level.WARN, tuple(robots), f'{count:g} messages, or parts of them, were '
                      f'dropped: {counter}')


def self_reported(swarm: Observations) -> Iterator[Symptom]:
    """Find problems that robots report themselves, in their last diagnostics."""
    for robot in swarm.robots:
        reports = swarm.reports_of(robot)
        if reports and reports[-1].level > 0:
            yield Symptom(Level.ERROR if reports[-1].level > 1 else Level.WARN, (robot,),
                          f'it reports: {reports[-1].message}')


MANDATE = 'mandate'
NOT_COUNTED = 'these robots do not count the grants of each other'


SETTINGS = (
    (vocabulary.RADIUS, ' m', Level.WARN, 'a robot leaves leaders that its neighbours keep'),
    (vocabulary.COMMUNICATION_RANGE, ' m', Level.WARN,
     'of two robots only one may have the other as a neighbour'),
    (vocabulary.STRENGTH_LIMITS, '', Level.WARN,
     'robots with narrower limits refuse the messages of others'),
    (vocabulary.METRIC, '', Level.ERROR, 'their distances are not comparable'),
    (vocabulary.RADIUS_HYSTERESIS, '', Level.NOTE,
     'some robots change leaders earlier than others'),
    *((name, ' s' if name == MANDATE else '', Level.ERROR, NOT_COUNTED) for name in NAMES))
"""Parameters that should be the same on all robots: name, unit, level and consequence."""


def frames(swarm: Observations) -> Iterator[Symptom]:
    """Find robots whose frame differs from that of most robots."""
    yield from _differing('the frame', {
        robot: repr(message.frame) for robot_id, messages in swarm.sent.items()
        for _, message in messages for robot in swarm.names_of(robot_id)}, Level.ERROR)


def settings(swarm: Observations) -> Iterator[Symptom]:
    """
    Find parameters that differ among robots.

    A value that the fleet file gives a robot is meant to be different.
    """
    for name, unit, level, consequence in SETTINGS:
        keys = {key for robot in swarm.robots for report in swarm.reports_of(robot)[-1:]
                for key in report.values if key.rpartition('.')[2] == name}
        for key in sorted(keys):
            shown = {}
            for robot in swarm.robots:
                value = swarm.value(robot, key)
                gain = swarm.value(robot, key.removesuffix(name) + vocabulary.FEEDBACK_GAIN)
                # With feedback each region has a radius of its own.
                free = name == vocabulary.RADIUS and gain not in (None, '0')
                if not (value is None or free or key in swarm.planned.get(robot, {})):
                    shown[robot] = value + unit
            yield from _differing(key, shown, level, consequence)


def _differing(what: str, values: Mapping[str, str], level: Level,
               consequence: str = '') -> Iterator[Symptom]:
    """Find robots whose value differs from that of most robots. Name all without a majority."""
    by_value = by_key((value, robot) for robot, value in sorted(values.items()))
    if len(by_value) < 2:
        return
    first, second, *_ = ranked = sorted(by_value, key=lambda value: -len(by_value[value]))
    end = f': {consequence}' if consequence else ''
    if len(by_value[first]) == len(by_value[second]):
        each = ', '.join(f'{value} with {listing(by_value[value])}' for value in ranked)
        yield Symptom(level, tuple(values), f'{what} is {each}{end}')
        return
    for value in ranked[1:]:
        yield Symptom(level, tuple(by_value[value]),
                      f'{what} is {value}, and {first} with {listing(by_value[first])}{end}')


def keys(swarm: Observations) -> Iterator[Symptom]:
    """Find robots with and without a key, and with different keys."""
    signed = {robot: {is_signed(heard.payload) for heard, _ in messages}
              for robot_id, messages in swarm.sent.items() for robot in swarm.names_of(robot_id)}
    yield from _differing('the key', {
        robot: 'missing at times' if found == {True, False} else 'in use' if found == {True}
        else 'missing' for robot, found in signed.items()}, Level.ERROR)
    signs = {robot: key for robot in swarm.robots
             if (key := swarm.value(robot, vocabulary.SWARM_KEY)) is not None}
    signers = by_key((key, robot) for robot, key in signs.items())
    usual = max(signers, key=lambda key: len(signers[key]), default='')
    refusing = tuple(robot for robot in signs
                     if usual not in (
                         swarm.value(robot, vocabulary.KEYS_ACCEPTED) or '').split(', '))
    if refusing:
        yield Symptom(Level.ERROR, refusing, f'it does not accept the key {usual} of '
                      f'{listing(signers[usual])}')
