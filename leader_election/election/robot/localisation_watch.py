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

"""A robot's report of its localisation: the deviation of its pose, and faults."""

from collections import deque
from collections.abc import Mapping
import math
from statistics import median
from typing import Any, NamedTuple

from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.sensing import NAMES_PASSED_OVER, Sensing
from leader_election.localisation.late_sightings import KEPT
from leader_election.localisation.localisation import LATE
from leader_election.localisation.neighbourhood_filter import (
    ACCEPTED,
    REJECTED,
    UNKNOWN,
)
from leader_election.localisation.slip import REASONS

WINDOW = 30.0
"""The window of the sightings that are judged [s]."""
LEAST = 10
"""The least number of sightings that are judged."""
SHARE = 0.5
"""The greatest share of rejections that is normal; bad radios have 0.4 outliers."""
LONG_UNSEEN = 10.0
"""The time without sightings that is named as the cause of a deviation [s]."""
DOUBTFUL = 0.15
"""
The probability of a wrong leader beyond which there is a warning: on MRCLAM 6 with a camera in
92 % of the time with a wrong leader by own distances, and 5 % of that with a right one; with 0.1
97 and 6 %, with 0.2 89 and 4 %.
"""
WRONG_FACTOR = 0.1
"""The error of odometry's scale that is named as the cause of a deviation."""
JUDGED = (ACCEPTED, REJECTED, UNKNOWN, NAMES_PASSED_OVER, LATE)


class _Reading(NamedTuple):
    time: float
    counts: Mapping[str, int]


class LocalisationWatch:
    """Finds faults of a robot's localisation from one report to the next."""

    def __init__(self) -> None:
        """Start without a report."""
        self._readings: deque[_Reading] = deque()

    def fault(self, sensing: Sensing, counts: Mapping[str, int], now: float,
              doubt: float = 0.0) -> str:
        """
        Return the gravest fault; empty: none.

        Faults of other robots are named where they make the leader doubtful.

        :param sensing: of the robot.
        :param counts: the robot's counters.
        :param now: the time, which never goes back [s].
        :param doubt: the probability that the leader is wrong (``Robot.doubt``); NaN: not known.
        """
        more = self._increase(counts, now)
        if sensing.localisation.pose is None:
            return ''
        contradicted = ''
        if sensing.cooperates:
            contradicted = (_sensor_fault(sensing, now) or _rejections(more, sensing)
                            or _elsewhere(sensing, now))
        return (_slip(sensing, now) or contradicted or _worthless(sensing, now)
                or _doubtful(sensing, now, doubt))

    def _increase(self, counts: Mapping[str, int], now: float) -> dict[str, int]:
        """Return the growth of the counters within the window."""
        self._readings.append(_Reading(now, {name: counts[name] for name in JUDGED}))
        while len(self._readings) > 2 and now - self._readings[1].time >= WINDOW:
            self._readings.popleft()
        first = self._readings[0].counts
        return {name: counts[name] - first[name] for name in JUDGED}


def limit(sensing: Sensing) -> float:
    """Return the deviation beyond which distances are too uncertain [m]; infinite: none."""
    return sensing.parameters.max_deviation or math.inf


def values(sensing: Sensing, now: float) -> dict[str, Any]:
    """Return the values of the status of a robot's localisation, except counters."""
    localisation, parameters = sensing.localisation, sensing.parameters
    found: dict[str, Any] = {vocabulary.POSE_SOURCE: parameters.pose_source,
                             vocabulary.MAX_DEVIATION: f'{limit(sensing):g}'}
    estimate = localisation.estimate
    if estimate is not None:
        found[vocabulary.DEVIATION] = f'{estimate.deviation:.3f}'
        found[vocabulary.HEADING_DEVIATION] = f'{estimate.heading_deviation:.3f}'
    if not sensing.cooperates:
        return found
    factors, deviations = localisation.odometry_factors
    return found | {
        vocabulary.DISTANCE_DEVIATION: f'{_distance_deviation(sensing, now):.3f}',
        vocabulary.COVARIANCE: 'unknown' if localisation.claimed(now) is None else 'known',
        'covariance_factor': f'{localisation.consistency.factor:.3f}',
        vocabulary.LOCALISED: len(localisation.localised),
        vocabulary.LANDMARKS: localisation.landmarks,
        'innovations_mean_square': f'{localisation.consistency.mean:.3f}',
        'distance_factor': f'{factors.distance:.3f}',
        'distance_factor_deviation': f'{deviations.distance:.3f}',
        'turn_factor': f'{factors.turn:.3f}',
        'turn_factor_deviation': f'{deviations.turn:.3f}',
        'turn_per_metre': f'{factors.trim:.3f}',
        'turn_per_metre_deviation': f'{deviations.trim:.3f}'}


def text(sensing: Sensing, now: float) -> str:
    """Return the text on a robot's localisation without a fault."""
    estimate = sensing.localisation.estimate
    if estimate is None:
        return 'by a localisation (tf)' if sensing.parameters.pose_source == 'tf' else 'no pose'
    own = f'deviation {estimate.deviation:.2f} m'
    if not sensing.cooperates:
        return f'odometry, {own}'
    return (f'{own}; neighbours localised: {len(sensing.localisation.localised)}, '
            f'deviation of distances {_distance_deviation(sensing, now):.2f} m'
            f'{_unknown_covariance(sensing, now)}')


def _unknown_covariance(sensing: Sensing, now: float) -> str:
    """Return the text on why the covariance of the own pose is unknown; empty: it is known."""
    localisation = sensing.localisation
    if localisation.claimed(now) is not None:
        return ''
    consistency = localisation.consistency
    if sensing.parameters.robot_id in localisation.elsewhere(now):
        why = 'sightings contradict the own pose'
    elif consistency.mean > 1.0:
        why = f'squares of innovations are {consistency.mean:.1f} times as great as expected'
    else:
        why = 'too few sightings so far'
    return f'; covariance unknown: {why}'


def _distance_deviation(sensing: Sensing, now: float) -> float:
    """Return the median of the deviations of distances to neighbours; NaN: there are none [m]."""
    deviations = [deviation for _, _, deviation in sensing.localisation.distances(now)]
    return median(deviations) if deviations else math.nan


def _judged_deviation(sensing: Sensing, now: float) -> float:
    """Return the same, or that of the own position where there are no neighbours [m]."""
    deviation = _distance_deviation(sensing, now) if sensing.cooperates else math.nan
    return sensing.localisation.deviation if math.isnan(deviation) else deviation


def _sensor_fault(sensing: Sensing, now: float) -> str:
    """Return the text on an own sensor that is wrong; empty: it is not."""
    own, localisation = sensing.parameters.robot_id, sensing.localisation
    if own in localisation.repeating(now):
        return ('the own sensor repeats its readings, though robots move: they are not used; '
                'check the sensor and its driver')
    if own in localisation.distrusted:
        return ('the own sensor contradicts odometry, while others see this robot where it is '
                'expected: its sightings are not used; check the sensor, its ids and sensor_pose')
    return ''


def _elsewhere(sensing: Sensing, now: float) -> str:
    """Return the text on a robot that is not where it was expected; empty: it is."""
    if sensing.parameters.robot_id not in sensing.localisation.elsewhere(now):
        return ''
    return ('the own pose contradicts sightings: it is or was searched for; the robot was '
            'carried, its odometry began anew or is wrong')


def _doubtful(sensing: Sensing, now: float, doubt: float) -> str:
    """Return the text on a leader that may be wrong; empty: it hardly is."""
    if not doubt > DOUBTFUL:
        return ''
    return (f'the leader is wrong with a probability of {doubt:.0%}, since the deviation of '
            f'distances is {_judged_deviation(sensing, now):.2f} m{_cause(sensing, now)}')


def _cause(sensing: Sensing, now: float) -> str:
    """Return the text on what makes distances uncertain; empty: nothing but noise."""
    localisation = sensing.localisation
    repeating, distrusted = localisation.repeating(now), localisation.distrusted
    if repeating or distrusted:
        return (f': the sensor of robot {min(repeating or distrusted)} '
                f'{"repeats its readings" if repeating else "contradicts the others"}')
    elsewhere = localisation.elsewhere(now)
    if elsewhere:
        return f': the pose of robot {min(elsewhere)} contradicts sightings'
    factors, _ = localisation.odometry_factors
    name, factor = max((('ways', factors.distance), ('turns', factors.turn)),
                       key=lambda each: abs(each[1] - 1.0))
    return _unseen(sensing, now) or (
        f': the own {name} are {factor:.2f} times those that odometry reports'
        if abs(factor - 1.0) > WRONG_FACTOR else '')


def _unseen(sensing: Sensing, now: float) -> str:
    """Return the text on the time without sightings; empty: there are some."""
    last = sensing.localisation.last_sighting
    if not sensing.cooperates or now - last < LONG_UNSEEN:
        return ''
    return f': no sighting for {now - last:.0f} s' if last > -math.inf else ': no sighting yet'


def _slip(sensing: Sensing, now: float) -> str:
    """Return the text on wheels that slipped within the window; empty: they did not."""
    slip = sensing.localisation.slip
    if now - slip.last > WINDOW:
        return ''
    return (f'wheels turn, but the robot does not move as they say: {REASONS[slip.reason]}, '
            f'{now - slip.last:.0f} s ago; its odometry is believed less, deviation '
            f'{sensing.localisation.deviation:.2f} m')


def _rejections(more: Mapping[str, int], sensing: Sensing) -> str:
    """Return the text on rejected sightings in the window; empty: none."""
    judged = more[ACCEPTED] + more[REJECTED]
    if judged >= LEAST and more[REJECTED] > SHARE * judged:
        return (f'{more[REJECTED]} of {judged} sightings contradict odometry and the other '
                'sightings; check ids, initial_pose, sensor_pose, units, and range_noise')
    if more[LATE] >= max(LEAST, more[ACCEPTED]):
        return (f'{more[LATE]} own sightings were more than {KEPT:g} s old, or older than the '
                'odometry, by their stamps: the detector is too slow for its computer, or the '
                'clock of the sensor is wrong')
    if more[ACCEPTED]:
        return ''
    if more[NAMES_PASSED_OVER] >= LEAST:
        return (f"{more[NAMES_PASSED_OVER]} detections have names that are no robot's, the last "
                f'one {sensing.last_passed_over[:40]!r}: set tag_names')
    if more[UNKNOWN] >= LEAST:
        return (f'{more[UNKNOWN]} sightings are of robots that are not heard, and of no '
                'landmarks: check the ids that the sensor reports')
    return ''


def _worthless(sensing: Sensing, now: float) -> str:
    """Return the text on distances that are too uncertain; empty: they are not."""
    deviation, greatest = _judged_deviation(sensing, now), limit(sensing)
    if not sensing.positions_matter or not math.isfinite(deviation) or deviation <= greatest:
        return ''
    then = ('; elections go by hops'
            if sensing.parameters.hops_beyond_deviation and sensing.metric.is_length else '')
    remedy = ('more sightings are needed: of more neighbours, more often, or of landmarks'
              if sensing.cooperates else
              'use pose_source cooperative with a sensor that sees other robots, a localisation '
              '(pose_source tf), or metric range or hops')
    return (f'distances are too uncertain: their deviation is {deviation:.2f} m, '
            f'beyond max_deviation {greatest:g} m{_unseen(sensing, now)}{then}; {remedy}')
