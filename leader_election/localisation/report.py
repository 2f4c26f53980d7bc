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

"""The report of a cooperating robot: faults of sensors and poses, and their causes."""

from collections import deque
from collections.abc import Mapping
import math
from statistics import median
from typing import Any, TYPE_CHECKING

from leader_election.localisation.neighbourhood_filter import ACCEPTED, REJECTED, UNKNOWN
from leader_election.localisation.own_sightings import KEPT, LATE
from leader_election.localisation.source import NAMES_PASSED_OVER, TOO_SHORT

if TYPE_CHECKING:
    from leader_election.localisation.cooperative import CooperativeSource

COVARIANCE, DISTANCE_DEVIATION = 'pose_covariance', 'distance_deviation'
LOCALISED, LANDMARKS = 'neighbours_localised', 'landmarks'
FACTORS = ('distance_factor', 'turn_factor', 'turn_per_metre', 'range_offset')
"""The values with the factors of odometry, in the order of :class:`.Factors`."""
WINDOW = 30.0
"""The window of the sightings that are judged [s]."""
LEAST = 10
SHARE = 0.5
"""The greatest share of rejections that is normal. Bad radios have 0.4 outliers."""
LONG_UNSEEN = 10.0
"""The time without sightings that is named as the cause of a deviation [s]."""
DOUBTFUL = 0.25
"""
The probability of a wrong leader beyond which there is a warning. On MRCLAM 6 with a camera it
warns in 78 % of the time with a wrong leader by own distances, and in 3 % of that with a right
one; with 0.15 in 92 and 5 %. Among barriers it is 75 and 13 %, with 0.45 it would be 30 and 3 %.
Ten further quantities, among them means over some seconds, add 2 % to the 30 %.
"""
WRONG_FACTOR = 0.1
"""The error of odometry's scale that is named as the cause of a deviation."""
JUDGED = (ACCEPTED, REJECTED, UNKNOWN, NAMES_PASSED_OVER, LATE, TOO_SHORT)


class RecentCounts:
    """The growth of counters within the window."""

    def __init__(self) -> None:
        """Start without a reading."""
        self._readings: deque[tuple[float, dict[str, int]]] = deque()

    def growth(self, counts: Mapping[str, int], now: float) -> dict[str, int]:
        """Record the counters, and return their growth within the window."""
        self._readings.append((now, {name: counts[name] for name in JUDGED}))
        while len(self._readings) > 2 and now - self._readings[1][0] >= WINDOW:
            self._readings.popleft()
        first = self._readings[0][1]
        return {name: counts[name] - first[name] for name in JUDGED}


def values(source: 'CooperativeSource', now: float) -> dict[str, Any]:
    """Return the values of the report beside those of odometry."""
    found = {
        DISTANCE_DEVIATION: f'{distance_deviation(source, now):.3f}',
        COVARIANCE: ('ambiguous' if source.is_ambiguous else
                     'unknown' if source.claimed(now) is None else 'known'),
        'covariance_factor': f'{source.consistency.factor:.3f}',
        'innovations_mean_square': f'{source.consistency.mean:.3f}',
        LOCALISED: len(source.localised),
        LANDMARKS: len(source.landmarks)}
    for name, factor, deviation in zip(FACTORS, *source.odometry_factors):
        found |= {name: f'{factor:.3f}', f'{name}_deviation': f'{deviation:.3f}'}
    return found


def text(source: 'CooperativeSource', now: float) -> str:
    """Return the text of the report without a fault."""
    return (f'deviation {source.deviation:.2f} m; neighbours localised: {len(source.localised)}, '
            f'deviation of distances {distance_deviation(source, now):.2f} m'
            f'{_unknown_covariance(source, now)}')


def distance_deviation(source: 'CooperativeSource', now: float) -> float:
    """Return the median of the deviations of distances to neighbours [m], NaN for none."""
    deviations = [deviation for _, _, deviation in source.distances(now)]
    return median(deviations) if deviations else math.nan


def sensor_fault(source: 'CooperativeSource', now: float) -> str:
    """Return the text on a wrong own sensor, empty without a fault."""
    if source.robot in source.repeating(now):
        return ('the own sensor repeats its readings, though robots move: they are not used; '
                'check the sensor and its driver')
    if source.robot in source.contradicting:
        return ('most own sightings contradict odometry and those of others; check ids, '
                'initial_pose, sensor_pose, and the sensor')
    return ''


def rejections(source: 'CooperativeSource', more: Mapping[str, int]) -> str:
    """
    Return the text on unused sightings, empty without a fault.

    :param more: the growth of the counters within the window.
    """
    judged = more[ACCEPTED] + more[REJECTED]
    if judged >= LEAST and more[REJECTED] > SHARE * judged:
        return (f'{more[REJECTED]} of {judged} sightings contradict odometry and the other '
                'sightings; check ids, initial_pose, sensor_pose, units, and range_noise')
    if more[LATE] >= max(LEAST, more[ACCEPTED]):
        return (f'{more[LATE]} own sightings were more than {KEPT:g} s old, or older than the '
                'odometry, by their stamps: the detector is too slow for its computer, or the '
                'clock of the sensor is wrong')
    if more[TOO_SHORT] >= max(LEAST, more[ACCEPTED]):
        return (f'{more[TOO_SHORT]} ranges are shorter than the difference of heights: check z of '
                'odometry, sensor_pose and landmarks')
    if more[ACCEPTED]:
        return ''
    if more[NAMES_PASSED_OVER] >= LEAST:
        return (f"{more[NAMES_PASSED_OVER]} detections have names that are no robot's, the last "
                f'one {source.last_passed_over[:40]!r}: set tag_names')
    if more[UNKNOWN] >= LEAST:
        return (f'{more[UNKNOWN]} sightings are of robots that are not heard, and of no '
                'landmarks: check the ids that the sensor reports')
    return ''


def pose_fault(source: 'CooperativeSource', now: float) -> str:
    """Return the text on an own pose that sightings contradict, empty without a fault."""
    if source.robot not in source.elsewhere(now):
        return ''
    return ('the own pose contradicts sightings: it is or was searched for; the robot was '
            'carried, its odometry began anew or is wrong')


def leader_fault(source: 'CooperativeSource', now: float, doubt: float, deviation: float) -> str:
    """
    Return the text on a leader that may be wrong and on the cause, empty without a fault.

    :param doubt: the probability that it is wrong, nan if unknown.
    :param deviation: of distances [m].
    """
    if not doubt > DOUBTFUL:
        return ''
    return (f'the leader is wrong with a probability of {doubt:.0%}, since the deviation of '
            f'distances is {deviation:.2f} m{_cause(source, now)}')


def unseen(source: 'CooperativeSource', now: float) -> str:
    """Return the text on the time without sightings, empty if there are some."""
    last = source.last_sighting
    if now - last < LONG_UNSEEN:
        return ''
    return f': no sighting for {now - last:.0f} s' if last > -math.inf else ': no sighting yet'


def _cause(source: 'CooperativeSource', now: float) -> str:
    """Return the text on the cause of uncertain distances, empty if it is only noise."""
    repeating, contradicting = source.repeating(now), source.contradicting
    if repeating or contradicting:
        return (f': the sensor of robot {min(repeating or contradicting)} '
                f'{"repeats its readings" if repeating else "contradicts the others"}')
    elsewhere = source.elsewhere(now)
    if elsewhere:
        return f': the pose of robot {min(elsewhere)} contradicts sightings'
    factors, _ = source.odometry_factors
    name, factor = max((('ways', factors.distance), ('turns', factors.turn)),
                       key=lambda each: abs(each[1] - 1.0))
    return unseen(source, now) or (
        f': the own {name} are {factor:.2f} times those that odometry reports'
        if abs(factor - 1.0) > WRONG_FACTOR else '')


def _unknown_covariance(source: 'CooperativeSource', now: float) -> str:
    """Return the text on why the own covariance is unknown, empty if it is known."""
    if source.claimed(now) is not None:
        return ''
    if source.robot in source.elsewhere(now):
        why = 'sightings contradict the own pose'
    elif source.is_ambiguous:
        why = ('the poses of three robots with ranges alone are ambiguous, since a mirror image '
               'has the same ranges; a fourth robot, bearings or motion decide')
    elif source.deviation > source.limit:
        why = 'the deviation is too great'
    elif source.consistency.mean > 1.0:
        why = (f'squares of innovations are {source.consistency.mean:.1f} times as great as '
               'expected')
    else:
        why = 'too few sightings so far'
    return f'; covariance unknown: {why}'
