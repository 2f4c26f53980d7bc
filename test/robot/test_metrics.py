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

"""The metrics, their floor, and what is missing."""

import math

from leader_election.robot.metrics import distance, Metric, METRICS, RangingInput
import pytest


def ranging(own=(0.0, 0.0), neighbour=(3.0, 4.0), measurement=None) -> RangingInput:
    return RangingInput(own, neighbour, measurement, rssi_at_one_metre=-40.0, rssi_exponent=2.0)


@pytest.mark.parametrize('name, seen, expected', [
    ('odometry', ranging(), 5.0),
    ('odometry', ranging(own=None), None),
    ('odometry', ranging(neighbour=None), None),
    ('odometry', ranging(neighbour=(0.0, 0.0)), 0.01),
    ('odometry', ranging(neighbour=(0.0, 0.005)), 0.01),
    ('hops', ranging(own=None, neighbour=None), 1.0),
    ('range', ranging(measurement=2.5), 2.5),
    ('range', ranging(measurement=0.0), None),
    ('range', ranging(measurement=-1.0), None),
    ('range', ranging(measurement=None), None),
    ('rssi', ranging(measurement=-40.0), 1.0),
    ('rssi', ranging(measurement=-80.0), 100.0),
    ('rssi', ranging(measurement=1e308), 0.01),
    ('rssi', ranging(measurement=None), None),
])
def test_distance(name, seen, expected):
    assert distance(METRICS.get(name), seen, floor=0.01) == expected


def test_rssi_too_weak_for_a_float_is_far_but_finite():
    far = distance(METRICS.get('rssi'), ranging(measurement=-1e308), floor=0.01)
    assert far is not None and 1e100 < far < math.inf


def test_a_metric_that_gives_no_number_gives_no_neighbour():
    broken = Metric('broken', lambda seen: math.nan)
    assert distance(broken, ranging(), floor=0.01) is None
