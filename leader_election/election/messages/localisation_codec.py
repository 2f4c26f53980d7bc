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

"""The part of a message about the sender's localisation: keys ``e o h z w``."""

import math
from typing import Annotated, Any, NamedTuple

from leader_election.election.messages import wire
from leader_election.election.messages.wire import Rejected, RejectReason
from leader_election.localisation.poses import PlanePose, wrap
from leader_election.localisation.sighting import FARTHEST, LEAST_DEVIATION, Sighting
from leader_election.localisation.source import Estimate

MOST_SIGHTINGS = 32
FARTHEST_ODOMETRY = 1e9
"""The farthest from the origin that odometry can be [m]."""
LARGEST_DEVIATION = 1e9
"""The largest deviation [m, rad]. A larger one is sent as this."""

_YAW = wire.number(-4.0, 4.0, decimals=4)
_COORDINATE = wire.number(-FARTHEST_ODOMETRY, FARTHEST_ODOMETRY, decimals=4)
_DEVIATION = wire.number(LEAST_DEVIATION, LARGEST_DEVIATION, decimals=3)
_SIGHTING = wire.record(
    wire.whole(), wire.number(wire.POSITIVE, FARTHEST, null=math.nan, decimals=3),
    wire.number(-2.0 * math.pi, 2.0 * math.pi, null=math.nan, decimals=3), least=2)
_WEIGHT = wire.number(wire.POSITIVE, LARGEST_DEVIATION, null=math.nan, decimals=3)
_WEIGHTS = wire.record(_WEIGHT, _WEIGHT, least=0)
# Their entries are read later, so that wrong ones are left out.
_LIST_OF_SIGHTINGS, _LIST_OF_WEIGHTS = (
    wire.row(kind._replace(read=lambda value: value), MOST_SIGHTINGS)
    for kind in (_SIGHTING, _WEIGHTS))


class LocalisationPart(NamedTuple):
    """The members of a message. Wrong values in ``e``, ``o``, ``h``, ``z`` are ignored."""

    odometry: Annotated[PlanePose, wire.Sent('o', wire.record(_COORDINATE, _COORDINATE, _YAW))]
    """
    The sender's pose by odometry alone, never corrected: x, y in the frame [m], heading [rad].
    Left out where it is p with the heading of e.
    """
    estimate: Annotated[
        tuple[float, ...], wire.Sent('e', wire.record(_YAW, _DEVIATION, _DEVIATION))]
    """
    The sender's estimate of its own pose: heading [rad], standard deviations of the position [m]
    and of the heading [rad]. What is wrong in e, o, h and z is ignored. The message counts.
    """
    height: Annotated[float, wire.Sent('h', wire.number(-FARTHEST, FARTHEST, decimals=2))]
    """The height of the sender's sensor in the frame [m], left out where it is 0."""
    sightings: Annotated[Any, wire.Sent('z', _LIST_OF_SIGHTINGS)]
    """
    What the sender's sensor measured of robots and landmarks, from its pose at the time of
    sending, each: id, range [m] or null, and, if it was measured, bearing from the sender's
    heading, left positive [rad].
    """
    deviations: Annotated[Any, wire.Sent('w', _LIST_OF_WEIGHTS)]
    """
    The standard deviations of the range [m] and the bearing [rad] of each sighting in z, where the
    sensor states them; null or left out: those of the receiver's parameters.
    """


_KINDS = {member.key: member.kind for member in wire.members(LocalisationPart).values()}
_read_sighting, _read_weights = _SIGHTING.read, _WEIGHTS.read
_READ = {key: kind.read for key, kind in _KINDS.items()}


def write(estimate: Estimate) -> dict[str, Any]:
    """
    Return the members of a message.

    >>> write(Estimate((1.0, 2.0, 0.5), 0.51234, 0.1, 0.05, (Sighting(4, 1.25), ), 0.004))
    {'o': [1.0, 2.0, 0.5], 'e': [0.5123, 0.1, 0.05], 'z': [[4, 1.25]]}
    """
    values: dict[str, Any] = {
        'o': estimate.odometry,
        'e': (wrap(estimate.yaw), estimate.deviation, estimate.heading_deviation),
        'h': round(estimate.height, 2),
        'z': estimate.sightings,
        'w': [sighting[3:] for sighting in estimate.sightings]}
    document = {key: _KINDS[key].write(value) for key, value in values.items() if value}
    if not any(document.get('w', ())):
        document.pop('w', None)
    return document


def read(document: Any) -> tuple[Estimate | None, tuple[RejectReason, ...]]:
    """
    Return the sender's estimate, ``None`` if there is none, and the faults in it.

    A wrong sighting is left out. Any other error makes the whole part invalid.
    """
    if 'e' not in document:
        return None, ((RejectReason.LOCALISATION,) if 'o' in document or 'z' in document else ())
    keys = 'oehzw' if 'z' in document else 'oeh'
    try:
        found = {key: _READ[key](document[key]) for key in keys if key in document}
        listed = found.get('z', ())
        weights = found.get('w', ((),) * len(listed))
        if len(weights) != len(listed):
            raise Rejected
    except Rejected:
        return None, (RejectReason.LOCALISATION,)
    sender, sightings = document['id'], []
    faults: tuple[RejectReason, ...] = ()
    for one, weight in zip(listed, weights):
        try:
            sightings.append(_sighting(one, weight, sender))
        except Rejected:
            faults += (RejectReason.LOCALISATION,)
    yaw, deviation, heading_deviation = found['e']
    return Estimate(
        found.get('o'), wrap(yaw), deviation, heading_deviation, tuple(sightings),
        found.get('h', 0.0)), faults


def _sighting(listed: Any, weight: Any, sender: Any) -> Sighting:
    """Return a sighting, or raise :class:`Rejected` for an invalid one, or one of the sender."""
    values = _read_sighting(listed)
    seen, distance, bearing = values if len(values) == 3 else (*values, math.nan)
    if seen == sender or math.isnan(bearing) and math.isnan(distance):
        raise Rejected
    if bearing < -math.pi or bearing >= math.pi:
        bearing = wrap(bearing)
    if not weight:
        return Sighting(seen, distance, bearing)
    # Deviations that are too small to be true count as the least.
    return Sighting(seen, distance, bearing, *[
        max(each, LEAST_DEVIATION) for each in _read_weights(weight)])


SIGHTINGS_LEFT_OUT = 'sightings_left_out'
LOCALISATION = wire.WirePart(
    'localisation', read, write, lambda: wire.properties(LocalisationPart),
    (wire.Shortening(1, SIGHTINGS_LEFT_OUT, lambda estimate: estimate._replace(sightings=())),),
    is_of_robot=True)
