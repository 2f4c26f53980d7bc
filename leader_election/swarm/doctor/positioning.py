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

"""Checks of odometry and scans, of positions and their deviations, and of sightings."""

from collections.abc import Iterator, Sequence
import math

from leader_election.election.messages.localisation_codec import LOCALISATION
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.localisation.neighbourhood_filter import ACCEPTED, REJECTED, UNKNOWN
from leader_election.localisation.parameters import COOPERATIVE
from leader_election.localisation.report import DISTANCE_DEVIATION, DOUBTFUL, LANDMARKS
from leader_election.localisation.source import (
    DEVIATION,
    MAX_DEVIATION,
    NAMES_PASSED_OVER,
    POSE_SOURCE,
    SLIPS,
)
from leader_election.swarm.doctor.observations import (
    Level,
    listing,
    Observations,
    ODOMETRY,
    OdometryReading,
    RobotReport,
    SCAN,
    Symptom,
)

SLOW = 2.0
"""The lowest rate of odometry; below it positions in messages are outdated [Hz]."""
STOPPED, LATE = 'has stopped', 'has a rate of only'
"""Parts of descriptions, by which other findings explain them."""
SAME_PLACE = 1e-3
"""Two robots closer to each other have the same position [m]."""


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


def scans(swarm: Observations) -> Iterator[Symptom]:
    """Find laser scans that a robot's task waits for, and that do not come."""
    for robot, topic in swarm.inputs(SCAN):
        publishers = swarm.publishers(topic)
        if not publishers:
            yield Symptom(Level.ERROR, (robot,), f'no node publishes {topic}')
        elif topic not in swarm.scanned:
            yield Symptom(Level.ERROR, (robot,), f'{topic} is published by {publishers[0].node}, '
                          'but no message was received')


def odometry_frames(swarm: Observations) -> Iterator[Symptom]:
    """Find headers whose frames are missing, equal or change from message to message."""
    for robot, topic in _needed(swarm):
        readings = swarm.odometry.get(topic, ())
        used = sorted({(reading.frame, reading.child) for reading in readings})
        if len(used) > 1:
            yield Symptom(Level.ERROR, (robot,), f'{topic} alternates between frames: '
                          + listing([f'{frame!r} to {child!r}' for frame, child in used]))
        for frame, child in used[:1]:
            if not frame:
                yield Symptom(Level.WARN, (robot,), f'{topic} names no frame (header.frame_id)')
            elif frame == child:
                yield Symptom(Level.WARN, (robot,),
                              f'{topic} goes from {frame!r} to itself (child_frame_id)')
            elif not child:
                yield Symptom(Level.NOTE, (robot,), f'{topic} names no child_frame_id')


def places(swarm: Observations) -> Iterator[Symptom]:
    """Find several robots at the same position."""
    robots_at: dict[tuple[int, int], list[str]] = {}
    for robot_id, messages in swarm.sent.items():
        position = messages[-1][1].position
        robots = [name for name in swarm.names_of(robot_id)[:1] if swarm.needs_position(name)]
        if position is not None:
            cell = (round(position[0] / SAME_PLACE), round(position[1] / SAME_PLACE))
            robots_at.setdefault(cell, []).extend(robots)
    for (x, y), robots in robots_at.items():
        if len(robots) > 1:
            where = (f'at the origin of {_frame(swarm)}' if x == y == 0
                     else f'at ({x * SAME_PLACE:g}, {y * SAME_PLACE:g})')
            yield Symptom(Level.ERROR, tuple(robots),
                          f'{len(robots)} robots publish the same position, {where}')


def _frame(swarm: Observations) -> str:
    return next(iter(swarm.sent.values()))[0][1].frame


LARGE = 0.2
"""The deviation, relative to range or radius, that costs about a tenth of right leaders."""
LEAST = 10
"""The least number of sightings that are judged."""
DOUBTED = 'the leader is wrong'
"""The begin of a robot's own warning."""
SHARE = 0.5
"""The greatest share of rejections that is chance."""


def deviation(swarm: Observations) -> Iterator[Symptom]:
    """Find robots with too uncertain distances."""
    for report in _last_reports(swarm):
        values, robot = report.values, report.robot
        own = vocabulary.number(values, DEVIATION)
        cooperates = values.get(POSE_SOURCE) == COOPERATIVE
        of_distances = (
            vocabulary.number(values, DISTANCE_DEVIATION) if cooperates else None)
        found = own if of_distances is None else of_distances
        if found is None or not swarm.needs_position(robot):
            continue
        what = ('its position by odometry' if not cooperates else
                'its position' if of_distances is None else 'its distances to neighbours')
        limit = vocabulary.number(values, MAX_DEVIATION, finite=False)
        if limit is not None and found > limit:
            yield Symptom(Level.ERROR, (robot,), f'{what} may be {found:.1f} m off, beyond '
                                                 f'max_deviation {limit:g} m')
            continue
        doubt = vocabulary.number(values, vocabulary.LEADER_DOUBT)
        if doubt is not None:
            if doubt > DOUBTFUL:
                # As the robot names it, behind the deviation.
                cause = report.message.partition(' m: ')[2] if DOUBTED in report.message else ''
                yield Symptom(Level.WARN, (robot,), 'its leader is wrong with a probability of '
                              f'{doubt:.0%}: {what} may be {found:.1f} m off'
                              + f'; {cause}' * bool(cause))
            continue
        lengths = {name: length for name in (vocabulary.COMMUNICATION_RANGE, vocabulary.RADIUS)
                   if (length := vocabulary.number(values, name)) is not None and length > 0.0}
        shortest = min(lengths, key=lambda name: lengths[name], default=None)
        if shortest is not None and found > LARGE * lengths[shortest]:
            # By odometry alone the deviation follows from the parameters, without a measurement.
            level = Level.WARN if cooperates else Level.NOTE
            yield Symptom(level, (robot,), f'{what} may be {found:.1f} m off, with '
                                           f'{shortest} {lengths[shortest]:g} m')


def slip(swarm: Observations) -> Iterator[Symptom]:
    """Find robots whose wheels turn while they do not move."""
    for report in _last_reports(swarm):
        times = round(swarm.increase(report.robot, SLIPS))
        if times:
            yield Symptom(Level.WARN, (report.robot,), f'its wheels slipped {times} '
                          f'{"time" if times == 1 else "times"}: they turned while it did not '
                          'move as they say')


def sightings(swarm: Observations) -> Iterator[Symptom]:
    """Find sightings that are rejected, of unknown ids, or missing."""
    last = _last_reports(swarm)
    for report in last:
        robot, values = report.robot, report.values
        if values.get(POSE_SOURCE) != COOPERATIVE:
            continue
        accepted, rejected, unknown, passed_over = (
            round(swarm.increase(robot, name))
            for name in (ACCEPTED, REJECTED, UNKNOWN, NAMES_PASSED_OVER))
        judged = accepted + rejected
        if judged >= LEAST and rejected > SHARE * judged:
            yield Symptom(Level.WARN, (robot,), f'{rejected} of {judged} sightings contradict '
                                                'odometry and the other sightings')
        unheard = _unheard(swarm, report)
        if unheard:
            yield Symptom(Level.WARN, (robot,), 'sees ids of which nothing is heard: '
                          + listing(unheard))
        elif unknown >= LEAST and not accepted:
            yield Symptom(Level.WARN, (robot,), f'{unknown} sightings are of robots that it does '
                                                'not hear')
        if passed_over >= LEAST and not judged:
            yield Symptom(Level.WARN, (robot,), f'{passed_over} detections have names that are '
                                                "no robot's")
        elif not (judged or unknown or passed_over) and len(last) > 1 and swarm.seconds >= LEAST:
            yield Symptom(Level.WARN, (robot,), 'cooperates, but neither it nor a neighbour of it '
                                                'has seen anything')


def _last_reports(swarm: Observations) -> list[RobotReport]:
    """Return the last report of each robot with a status of its localisation."""
    reports = {report.robot: report for report in swarm.diagnostics
               if POSE_SOURCE in report.values}
    return [reports[robot] for robot in sorted(reports)]


def _unheard(swarm: Observations, report: RobotReport) -> list[int]:
    """Return the ids in a robot's sightings, except landmarks, without any message."""
    if vocabulary.number(report.values, LANDMARKS) != 0.0:
        return []
    seen = {sighting.id for _, message in swarm.sent.get(report.id, ())
            if LOCALISATION.name in message.parts
            for sighting in message.parts[LOCALISATION.name].sightings}
    return sorted(seen - swarm.sent.keys())
