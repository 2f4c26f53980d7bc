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
"""Networks and algorithms of the study: sizes and diameters, settings, estimates."""

from benchmarks.scale.contestants import Contestant, CONTESTANTS
from benchmarks.scale.networks import diameter, Network, NETWORKS, scenario_of
from benchmarks.scale.phases import run
from leader_election.lab.simulation.build import placements_of
import numpy as np
import pytest


def test_networks_reach_from_a_hundred_to_a_million_devices_and_from_ten_to_a_thousand_hops():
    assert {10**2, 10**4, 10**6} <= {network.devices for network in NETWORKS}
    assert (min(network.hops for network in NETWORKS),
            max(network.hops for network in NETWORKS)) == (10, 1000)
    assert len({network.name for network in NETWORKS}) == len(NETWORKS)


def test_there_are_few_devices_with_many_hops_and_many_with_few():
    ten_thousand = [network for network in NETWORKS if network.devices == 10_000]
    assert [network.shape for network in ten_thousand] == ['square', 'strip', 'long range']
    assert sorted(network.hops for network in ten_thousand) == [14, 100, 1000]


@pytest.mark.parametrize('network', NETWORKS[:2] + (NETWORKS[5], NETWORKS[8]),
                         ids=lambda network: network.name)
def test_the_diameter_is_about_that_of_the_rule_of_thumb(network: Network):
    scenario = scenario_of(network, CONTESTANTS[0], 10)
    [placement] = placements_of(scenario.groups, 0)
    assert len(placement.position) == network.devices
    assert diameter(placement.position, network.range) == pytest.approx(network.hops, rel=0.15)


def test_the_diameter_of_a_lattice_is_exact():
    across = np.indices((4, 7)).reshape(2, -1).T.astype(float)
    assert diameter(across, 1.1) == 3 + 6


@pytest.mark.parametrize('contestant', CONTESTANTS, ids=lambda contestant: contestant.label)
def test_settings_fit_the_diameter(contestant: Contestant):
    for network in (NETWORKS[0], NETWORKS[-2]):
        scenario = scenario_of(network, contestant, 7)
        [entrant] = scenario.entrants
        assert entrant.label == contestant.label
        assert scenario.events == ()
        assert len(scenario.times()) == 4 * 7 + 4
        if contestant.label == 'bounded-all':
            assert entrant.parameters.hop_limit == 1.5 * network.hops
        if contestant.label == 'recursive-replicated':
            # The oldest replicate has two periods to cross the network.
            assert 2 * entrant.parameters.period > network.hops


def test_the_estimate_for_one_leader_grows_with_the_network():
    for contestant in CONTESTANTS:
        grows = contestant.foreseen(1000, True) > contestant.foreseen(100, True)
        assert grows == (contestant.one_leader or contestant.label == 'recursive-replicated')


def test_gateways_lead_one_for_a_hundred_devices():
    [given] = [contestant for contestant in CONTESTANTS if contestant.gateways]
    for network, gateways in ((NETWORKS[0], 1), (NETWORKS[1], 16), (Network(100, 10), 10)):
        scenario = scenario_of(network, given, 100)
        phases = run(scenario, 0, 100, 100, 100).phases
        assert phases['start'].leaders == gateways
        # All are within the radius of a gateway, and no other device leads.
        assert phases['start'].led is not None
        assert phases['loss of leaders'].leaders == 0
        assert phases['loss of leaders'].led is None
