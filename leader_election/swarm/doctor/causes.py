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

"""Causes and effects among findings: which checks explain which, so that a fault is told once."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from leader_election.election.robot.diagnostics import (
    COMMUNICATION_RANGE,
    DUPLICATE_ID,
    MESSAGE_EXPIRY,
    NO_MESSAGE,
    NO_POSITION_ANNOUNCED,
    QOS_FAULT,
)
from leader_election.election.robot.wire import RejectReason
from leader_election.swarm.doctor.communication import NO_SENDER
from leader_election.swarm.doctor.membership import NO_DIAGNOSTICS, NOT_FOUND
from leader_election.swarm.doctor.observations import by_key, Level, Symptom
from leader_election.swarm.doctor.positioning import LATE, STOPPED
from leader_election.swarm.doctor.timing import SLOW_TIME, STANDS_STILL

K = TypeVar('K')


class Explanation(NamedTuple):
    """A kind of finding that explains another kind."""

    cause: str
    """The check that found the cause."""
    effect: str
    """The check that found the effect."""
    text: str = ''
    """A part of the effect's description."""
    cause_text: str = ''
    """A part of the cause's description."""
    same_robot: bool = True
    """Whether the cause has to concern all robots of the effect."""


def _refusals(cause: str, *reasons: RejectReason) -> list[Explanation]:
    """Return that a cause has messages rejected, by other robots as well."""
    return [Explanation(cause, effect, reason.value, same_robot=False)
            for reason in reasons for effect in ('refused', 'self_reported')]


EXPLANATIONS = (
    Explanation('found', 'reception', NO_SENDER),
    Explanation('found', 'self_reported', NO_MESSAGE),
    Explanation('missing', 'found', cause_text=NOT_FOUND, same_robot=False),
    Explanation('simulated_time', 'silent', cause_text=STANDS_STILL),
    Explanation('simulated_time', 'odometry', cause_text=STANDS_STILL),
    *(Explanation('simulated_time', effect, cause_text=SLOW_TIME, same_robot=False)
      for effect in ('silent', 'loss', 'one_way')),
    Explanation('names', 'ids'),
    Explanation('names', 'silent'),
    *(Explanation(cause, 'self_reported', DUPLICATE_ID) for cause in ('names', 'ids')),
    *(Explanation(cause, effect) for cause in ('names', 'ids')
      for effect in ('places', 'reception', 'one_way', 'odometry_frames', 'jumps')),
    *(_refusals('ids', RejectReason.IMPLAUSIBLE)),
    *_refusals('frames', RejectReason.FRAME),
    *_refusals('algorithms', RejectReason.ALGORITHM),
    *_refusals('readable', RejectReason.SIZE, RejectReason.MALFORMED, RejectReason.NON_FINITE,
               RejectReason.VERSION, RejectReason.ALGORITHM),
    *_refusals('keys', RejectReason.UNSIGNED, RejectReason.SIGNATURE),
    *_refusals('odometry', RejectReason.NO_POSITION),
    Explanation('odometry', 'self_reported', NO_POSITION_ANNOUNCED),
    Explanation('odometry', 'one_way', same_robot=False),
    *(Explanation('refused', 'self_reported', reason.value, reason.value, same_robot=False)
      for reason in RejectReason),
    Explanation('settings', 'one_way', COMMUNICATION_RANGE, COMMUNICATION_RANGE,
                same_robot=False),
    Explanation('places', 'one_way'),
    Explanation('settings', 'loss', MESSAGE_EXPIRY, MESSAGE_EXPIRY, same_robot=False),
    Explanation('profiles', 'odometry'),
    Explanation('profiles', 'self_reported', NO_POSITION_ANNOUNCED),
    *_refusals('profiles', RejectReason.NO_POSITION),
    *(Explanation(cause, effect) for cause in ('shared_topic', 'profiles')
      for effect in ('reception', 'one_way')),
    *(Explanation(cause, 'self_reported', NO_MESSAGE)
      for cause in ('shared_topic', 'profiles', 'reception')),
    Explanation('profiles', 'self_reported', QOS_FAULT),
    Explanation('reception', 'one_way', same_robot=False),
    Explanation('silent', 'reception', NO_SENDER, same_robot=False),
    Explanation('silent', 'reception'),
    Explanation('silent', 'self_reported', NO_MESSAGE, same_robot=False),
    Explanation('receive_buffers', 'loss', same_robot=False),
    *(Explanation('load', effect, text, same_robot=False) for effect, text in (
        ('loss', ''), ('silent', NO_DIAGNOSTICS), ('odometry', LATE), ('odometry', STOPPED),
        ('receive_buffers', 'were lost'), ('drifts', ''), ('offsets', 'its computer'))),
    Explanation('loss', 'one_way', same_robot=False),
    *(Explanation('jumps', effect) for effect in ('drifts', 'offsets')),
    *(Explanation('slip', effect) for effect in ('sightings', 'deviation')),
    *(Explanation(cause, 'self_reported', text) for cause, text in (
        ('slip', 'wheels turn'),
        ('deviation', 'distances are too uncertain'), ('sightings', 'sightings'),
        ('sensor_bias', 'own ranges'))),
)
"""The explanations, in the order in which they are tried; without cycles among checks."""


def root_causes(found: Mapping[K, tuple[str, Symptom]]) -> dict[K, K]:
    """
    Return the first cause of each finding; that of a finding without one is itself.

    A note explains nothing.

    :param found: check and symptom of each finding.

    >>> deaf = Symptom(Level.NOTE, ('r1',), 'it received nothing: no other robot sends')
    >>> alone = Symptom(Level.WARN, ('r1',), 'it is alone')
    >>> root_causes({1: ('reception', deaf), 2: ('found', alone)})
    {1: 2, 2: 2}
    """
    by_check = by_key((check, key) for key, (check, _) in found.items())
    parents: dict[K, K] = {}
    for row in EXPLANATIONS:
        causes = [key for key in by_check.get(row.cause, ())
                  if found[key][1].level > Level.NOTE and row.cause_text in found[key][1].what]
        robots = {robot for key in causes for robot in found[key][1].subjects}
        for key in by_check.get(row.effect, ()) if causes else ():
            effect = found[key][1]
            if key in parents or key in causes or row.text not in effect.what:
                continue
            if not row.same_robot or robots.issuperset(effect.subjects):
                parents[key] = _of_robots(causes, effect.subjects, found)
    return {key: _root(key, parents) for key in found}


def _of_robots(causes: Sequence[K], robots: Sequence[str],
               found: Mapping[K, tuple[str, Symptom]]) -> K:
    """Return the cause that concerns one of the robots; the first one without."""
    return next((key for key in causes if set(found[key][1].subjects) & set(robots)), causes[0])


def _root(key: K, parents: Mapping[K, K]) -> K:
    while key in parents:
        key = parents[key]
    return key
