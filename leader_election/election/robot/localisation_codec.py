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

"""The part of a message about the sender's localisation: keys ``e``, ``o``, ``z`` and ``w``."""

from collections.abc import Mapping
import math
from typing import Annotated, Any, NamedTuple

from leader_election.election.robot.wire import (
    is_whole,
    Kind,
    members,
    number,
    record,
    Rejected,
    RejectReason,
    row,
    Sent,
    whole,
)
from leader_election.localisation.localisation import Estimate, LEAST_DEVIATION
from leader_election.localisation.plane import PlanePose, wrap
from leader_election.localisation.sighting import checked, Sighting

MOST_SIGHTINGS = 32
"""The most sightings in a message that are read."""
FARTHEST = 1e9
"""The farthest from the origin that odometry can be [m]."""
LARGEST_DEVIATION = 1e9
"""The largest deviation [m, rad]; a larger one is sent as this."""


_DEVIATION, _YAW = number(LEAST_DEVIATION, LARGEST_DEVIATION), number(-4.0, 4.0)
_COORDINATE = number(-FARTHEST, FARTHEST)


def _any_rows(schema: Mapping[str, Any]) -> Kind:
    """Return the kind of lists whose wrong entries are left out later, one by one."""
    anything = Kind(lambda value: value, {'type': 'array', **schema})
    return row(anything, MOST_SIGHTINGS)


class LocalisationPart(NamedTuple):
    """The members of a message; what is wrong in ``e``, ``o`` and ``z`` is ignored."""

    estimate: Annotated[tuple[float, ...], Sent('e', record(_YAW, _DEVIATION, _DEVIATION))]
    """
    The sender's estimate of its own pose: heading [rad], standard deviations of the position [m]
    and of the heading [rad]. What is wrong in e, o and z is ignored; the message counts.
    """
    odometry: Annotated[PlanePose, Sent('o', record(_COORDINATE, _COORDINATE, _YAW))]
    """
    The sender's pose by odometry alone, never corrected: x, y in the frame [m], heading [rad].
    Left out where it is p with the heading of e.
    """
    sightings: Annotated[Any, Sent('z', _any_rows({
        'prefixItems': [
            whole().schema,
            {'type': ['number', 'null'], 'exclusiveMinimum': 0, 'maximum': 10000},
            _YAW.schema],
        'minItems': 2, 'maxItems': 3}))]
    """
    What the sender's sensor measured of robots and landmarks, from its pose at the time of
    sending, each: id, range [m] or null, and, if it was measured, bearing from the sender's
    heading, left positive [rad].
    """
    deviations: Annotated[Any, Sent('w', _any_rows({
        'items': {'type': ['number', 'null'], 'exclusiveMinimum': 0,
                  'maximum': LARGEST_DEVIATION},
        'maxItems': 2}))]
    """
    The standard deviations of the range [m] and the bearing [rad] of each sighting in z, where the
    sensor states them; null or left out: those of the receiver's parameters.
    """


_READ = {member.key: member.kind.read for member in members(LocalisationPart).values()}


def write(estimate: Estimate | None) -> dict[str, Any]:
    """
    Return the members of a message.

    >>> write(Estimate((1.0, 2.0, 0.5), 0.51234, 0.1, 0.05, (Sighting(4, 1.25), )))
    {'o': [1.0, 2.0, 0.5], 'e': [0.5123, 0.1, 0.05], 'z': [[4, 1.25]]}
    """
    if estimate is None:
        return {}
    document: dict[str, Any] = {}
    if estimate.odometry is not None:
        x, y, yaw = estimate.odometry
        document['o'] = [round(x, 4), round(y, 4), round(yaw, 4)]
    deviations = (round(min(max(deviation, LEAST_DEVIATION), LARGEST_DEVIATION), 3)
                  for deviation in (estimate.deviation, estimate.heading_deviation))
    document['e'] = [round(wrap(estimate.yaw), 4), *deviations]
    if estimate.sightings:
        document['z'] = [_row(sighting) for sighting in estimate.sightings]
        weights = [_deviations(sighting) for sighting in estimate.sightings]
        if any(weights):
            document['w'] = weights
    return document


def _deviations(sighting: Sighting) -> list[float | None]:
    """Return the known deviations of range and bearing; trailing unknown ones are left out."""
    row = [None if math.isnan(value) else min(max(round(value, 3), 0.001), LARGEST_DEVIATION)
           for value in (sighting.range_deviation, sighting.bearing_deviation)]
    while row and row[-1] is None:
        row.pop()
    return row


def _row(sighting: Sighting) -> list[Any]:
    distance = None if math.isnan(sighting.range) else max(round(sighting.range, 3), 0.001)
    if math.isnan(sighting.bearing):
        return [sighting.id, distance]
    return [sighting.id, distance, round(sighting.bearing, 3)]


def read(document: Any) -> tuple[Estimate | None, tuple[RejectReason, ...]]:
    """
    Return the sender's estimate, ``None`` where there is none, and the faults in it.

    A wrong sighting is left out; any other error makes the whole part invalid.
    """
    if 'e' not in document:
        return None, ((RejectReason.LOCALISATION,) if 'o' in document or 'z' in document else ())
    try:
        yaw, deviation, heading_deviation = _READ['e'](document['e'])
        odometry = _READ['o'](document['o']) if 'o' in document else None
        listed = _READ['z'](document['z']) if 'z' in document else ()
        weights = (_READ['w'](document['w']) if 'z' in document and 'w' in document
                   else ((),) * len(listed))
        if len(weights) != len(listed):
            raise Rejected
    except Rejected:
        return None, (RejectReason.LOCALISATION,)
    sightings = [_sighting(row, document['id'], known)
                 for row, known in zip(listed, weights)]
    taken = tuple([sighting for sighting in sightings if sighting is not None])
    return (Estimate(odometry, wrap(yaw), deviation, heading_deviation, taken),
            (RejectReason.LOCALISATION,) * (len(sightings) - len(taken)))


def _sighting(row: Any, sender: Any, deviations: Any) -> Sighting | None:
    """Return a sighting by a sender, ``None`` for an invalid one or one of the sender itself."""
    if type(row) is not list or not 2 <= len(row) <= 3:
        return None
    seen, distance = row[0], _measured(row[1])
    bearing = _measured(row[2]) if len(row) == 3 else math.nan
    if distance is None or bearing is None or not is_whole(seen) or seen == sender:
        return None
    if not deviations:
        return checked(Sighting(int(seen), distance, bearing))
    if type(deviations) is not list or len(deviations) > 2:
        return None
    weights = [_measured(value) for value in deviations]
    known = [value for value in weights if value is not None and not value <= 0.0]
    return checked(Sighting(int(seen), distance, bearing, *known)) if (
        len(known) == len(weights)) else None


def _measured(value: Any) -> float | None:
    """Return a measured number, not a number for ``null``; ``None`` for anything else."""
    if value is None:
        return math.nan
    if type(value) in (int, float) and abs(value) <= FARTHEST:
        return float(value)
    return None
