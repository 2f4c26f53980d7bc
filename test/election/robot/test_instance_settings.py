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

"""The settings of an election's round on a robot."""

import math

from leader_election.election.algorithms import BOUNDED, RESILIENT
from leader_election.election.algorithms.algorithm import DEFAULT_HOP_LIMIT
from leader_election.election.robot.instance import election_settings
from leader_election.election.robot.parameters import InstanceParameters
from leader_election.parameters import build
import pytest


def settings(algorithm=BOUNDED, link_range=5.0, zone_radius=None, counts_links=False, **values):
    return election_settings(
        algorithm, build(InstanceParameters, {'algorithm': algorithm.name, **values}), link_range,
        zone_radius=zone_radius, counts_links=counts_links)


def test_hops_by_radius_and_range():
    assert settings(radius=10.0)['hop_limit'] == 10
    assert settings(radius=10.0, hop_limit=7)['hop_limit'] == 7
    assert settings(radius=10.0, link_range=math.inf)['hop_limit'] == DEFAULT_HOP_LIMIT
    assert settings(RESILIENT)['hop_limit'] == DEFAULT_HOP_LIMIT


def test_feedback_may_make_the_radius_larger():
    grown = settings(radius=10.0, regions=True, feedback_gain=1.0, feedback_most=2.0)
    assert (grown['hop_limit'], grown['radius']) == (18, 10.0)


def test_zones_have_a_radius_and_no_hysteresis():
    found = settings(radius=1.0, radius_hysteresis=0.5, zone_radius=20.0)
    assert (found['radius'], found['radius_hysteresis'], found['hop_limit']) == (20.0, 0.0, 18)


@pytest.mark.parametrize('radius, joining', [(1.0, 1.0), (2.0, 2.0), (4.0, 3.0), (10.0, 8.0)])
def test_a_part_of_a_hop_is_a_whole_one(radius, joining):
    found = settings(radius=radius, radius_hysteresis=0.25, counts_links=True)
    assert radius * (1.0 - found['radius_hysteresis']) == pytest.approx(joining)
    assert settings(radius=0.0, counts_links=True)['radius'] == 0.0
