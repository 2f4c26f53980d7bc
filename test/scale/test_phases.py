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
"""The phases of a run, in networks with figures computed by hand."""

from collections.abc import Mapping
from typing import Any

from benchmarks.scale.networks import (
    Contestant,
    CONTESTANTS,
    diameter,
    Network,
    NETWORKS,
    scenario_of,
)
from benchmarks.scale.phases import BUDGET, digest, QUIET, REST, run, SKIPPED
from leader_election_lab.experiment.scenario import parse, Scenario
from leader_election_lab.simulation.build import placements_of
import numpy as np
import pytest

LOCKSTEP = {'rounds': {'phase': 'together'}, 'messages': {
    'range': 1.5, 'delay': [0.5, 0.5], 'metric': 'hops', 'expiry': 3.0}}


def line(count: int, algorithm: Mapping[str, Any], budget: int = 200) -> Scenario:
    """Return devices in a line; the last one is the strongest, and rounds are in lockstep."""
    return parse({
        'duration': 4 * budget + 4, 'algorithms': [algorithm], 'strength': {'cycle': ['id']},
        'devices': [{'kind': 'line', 'count': count}], **LOCKSTEP}, 'line')


def test_the_candidacy_of_one_leader_for_all_takes_a_round_a_hop():
    scenario = line(20, {'name': 'bounded', 'radius': 1000, 'hop_limit': 30})
    outcome = run(scenario, 0, 19, 100, 200)
    start = outcome.phases['start']
    # In its first round a device has no message; then the candidacy takes 19 rounds.
    assert start.settled == 20
    assert start.led == 20
    # Until the candidacy reaches them, devices follow a device that no longer leads.
    assert (start.leaders, start.ended) == (1, REST)
    assert outcome.receivers == pytest.approx(2 * 19 / 20, rel=1e-2)
    assert start.length > 50.0


def test_one_leader_for_all_that_is_lost_is_followed_up_to_the_hop_limit():
    """The last message counts for three rounds; then the hops of circulating messages grow."""
    lost = {limit: run(line(20, {'name': 'bounded', 'radius': 1000, 'hop_limit': limit}),
                       0, 19, 100, 200).phases['loss of leaders'] for limit in (30, 60)}
    assert lost[60].led is not None and lost[30].led is not None
    assert lost[60].led - lost[30].led == 30
    # The earlier losses have split the line; each part has its own leader.
    assert lost[30].leaders == lost[60].leaders < 5
    assert lost[30].outage > 20.0


def test_the_recovery_of_regions_does_not_depend_on_the_length_of_the_line():
    found = {count: run(line(count, {'name': 'bounded', 'radius': 3, 'hop_limit': 4}),
                        0, count, 100, 200).phases for count in (20, 160)}
    assert found[20]['start'].leaders == 5
    assert found[160]['start'].leaders == 40
    # Strengths that rise along the line make each region wait for the one before it.
    assert found[160]['start'].settled == 160
    for phases in found.values():
        assert all(phase.ended == REST and phase.led is not None for phase in phases.values())


def test_if_each_device_leads_itself_losses_change_nothing():
    phases = run(line(200, {'name': 'bounded', 'radius': 0.5}), 3, 199, 100, 200).phases
    assert [phase.settled for phase in phases.values()] == [0, 0, 0, 0]
    assert [phase.outage for phase in phases.values()] == [0.0, 0.0, 0.0, 0.0]
    one, ten, none = (phases[f'loss of {what}'].leaders for what in ('1 %', '10 %', 'leaders'))
    assert (one, none) == (198, 0)
    # Some of the selected tenth were lost before.
    assert 178 <= ten <= 180


def test_recursive_election_follows_dead_leaders_for_ever():
    # The distance to them grows up to the radius.
    phases = run(line(20, {'name': 'recursive', 'radius': 1000}), 0, 19, 40, 200).phases
    # It does not gossip in its first round.
    assert phases['start'].led == 21
    assert phases['loss of leaders'].ended in (REST, QUIET)
    assert phases['loss of leaders'].led is None


def test_a_phase_beyond_the_budget_is_cut_off_and_the_next_ones_are_skipped():
    scenario = line(60, {'name': 'bounded', 'radius': 1000, 'hop_limit': 90}, budget=30)
    phases = run(scenario, 0, 59, 100, 30).phases
    assert (phases['start'].ended, phases['start'].spent) == (BUDGET, 30)
    assert phases['start'].settled is None
    assert {phase.ended for name, phase in phases.items() if name != 'start'} == {SKIPPED}


def test_states_that_never_rest_end_by_quiet_leaders():
    """The clocks of replicated gossip never stop."""
    scenario = line(10, {'name': 'recursive-replicated', 'radius': 1000, 'replicate_period': 8})
    start = run(scenario, 0, 9, 50, 200).phases['start']
    assert start.ended == QUIET
    assert start.settled is not None and start.spent >= start.settled + 50


def test_different_states_have_different_digests():
    states = np.random.default_rng(1).integers(-9, 9, (70_000, 5))
    changed = states.copy()
    changed[66_000, 3] += 1
    swapped = states.copy()
    swapped[7, [0, 1]] = [5, 6]
    other = swapped.copy()
    other[7, [0, 1]] = [6, 5]
    assert np.flatnonzero(digest(states) != digest(changed)).tolist() == [66_000]
    assert np.flatnonzero(digest(swapped) != digest(other)).tolist() == [7]


# Networks and algorithms of the study: sizes and diameters, settings, estimates.


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
