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
The part of a message about the sender's localisation: keys ``e``, ``o``, ``z`` and ``w``.

``"e":[0.5,0.12,0.04]`` is the heading, and the standard deviations of position and heading.
``"o":[1.5,2.0,0.5]`` is the pose by odometry alone, never corrected; where it is left out, it is
the position with the heading of ``e``. ``"z":[[4,1.25],[5,2.5,-0.75]]`` are sightings, each of an
id with range and perhaps bearing, ``null`` for no range. ``"w":[[0.3],[null,0.02]]`` are the
standard deviations of these ranges and bearings, where a sensor states its own; ``null`` or left
out: those of the receiver's parameters. Robots of earlier versions ignore these keys.
"""

from itertools import zip_longest
import math
from typing import Any

from leader_election.election.robot.wire import is_whole, RejectReason
from leader_election.localisation.localisation import Estimate, LEAST_DEVIATION
from leader_election.localisation.plane import PlanePose, wrap
from leader_election.localisation.sighting import checked, Sighting

MOST_SIGHTINGS = 32
"""The most sightings in a message that are read."""
FARTHEST = 1e9
"""The farthest from the origin that odometry can be [m]."""
LARGEST_DEVIATION = 1e9
"""The largest deviation [m, rad]; a larger one is sent as this."""


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
    own, odometry = _numbers(document['e']), None
    if (own is None or abs(own[0]) > 4.0
            or not LEAST_DEVIATION <= own[1] <= LARGEST_DEVIATION
            or not LEAST_DEVIATION <= own[2] <= LARGEST_DEVIATION):
        return None, (RejectReason.LOCALISATION,)
    if 'o' in document:
        odometry = _numbers(document['o'])
        if odometry is None or abs(odometry[2]) > 4.0:
            return None, (RejectReason.LOCALISATION,)
    estimate = Estimate(odometry, wrap(own[0]), own[1], own[2])
    if 'z' not in document:
        return estimate, ()
    listed = document['z']
    if type(listed) is not list or len(listed) > MOST_SIGHTINGS:
        return None, (RejectReason.LOCALISATION,)
    weights = document.get('w', ())
    if 'w' in document and (type(weights) is not list or len(weights) != len(listed)):
        return None, (RejectReason.LOCALISATION,)
    sightings = tuple(_sighting(row, document['id'], deviations) for row, deviations
                      in zip_longest(listed, weights, fillvalue=()))
    taken = tuple(sighting for sighting in sightings if sighting is not None)
    return (estimate._replace(sightings=taken),
            (RejectReason.LOCALISATION,) * (len(sightings) - len(taken)))


def _numbers(values: Any) -> PlanePose | None:
    """Return three finite numbers, ``None`` for anything else."""
    if type(values) is not list or len(values) != 3:
        return None
    for value in values:
        if type(value) not in (int, float) or not abs(value) <= FARTHEST:
            return None
    return float(values[0]), float(values[1]), float(values[2])


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
