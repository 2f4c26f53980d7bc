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

"""The check of links between domains, and the reports that it reads."""

from typing import Any

from leader_election.election.robot.diagnostics import Status
from leader_election.swarm.doctor import communication
from leader_election.swarm.doctor.diagnoses import examine
from leader_election.swarm.fleet.link_status import LinkReport, parse_link, PeerCounts
import pytest
from swarm.doctor.scene import healthy, signs

OF_2 = PeerCounts((2,), 100, 0, 90, 0)
UP = (2,), 200, 0, 190, 0


def reports(peer: PeerCounts | None = None, **grown: int) -> list[LinkReport]:
    """Return alice's first and last reports, with these increases, and this peer at last."""
    return [
        LinkReport(0.0, 'alice', 'a', 'hears 1 link', dict.fromkeys(grown, 5) | {'heard': 100},
                   {'b': OF_2}),
        LinkReport(9.0, 'alice', 'a', 'why', {k: 5 + n for k, n in grown.items()} | {'heard': 150},
                   {'b': peer or PeerCounts(*UP)})]


def test_links_that_hear_each_other_are_well() -> None:
    assert signs(communication.links, links=reports(strange=0, too_long=0, lost=3)) == []
    assert all(f.check != 'links' for f in examine(healthy(links=reports())))


@pytest.mark.parametrize(('grown', 'what'), [
    ({'too_long': 3}, 'its link left out 3 packets that are too long for it: why'),
    ({'unsent': 1}, 'its link could not send a packet: why'),
    ({'flooded': 2}, 'its link left out 2 packets, more than most_packets of one sender'),
    ({'strange': 2}, 'at its link 2 packets arrived that are not from a link'),
    ({'damaged': 50}, 'at its link 50 of 100 frames were damaged')])
def test_counter_of_a_link_that_grows_is_a_finding_with_a_remedy(
        grown: dict[str, int], what: str) -> None:
    swarm: dict[str, Any] = {'links': reports(**grown)}
    assert signs(communication.links, **swarm) == [(('alice',), what)]
    (finding,) = [each for each in examine(healthy(**swarm)) if each.check == 'links']
    assert finding.remedy != 'See the parameters of link.'


@pytest.mark.parametrize(('peer', 'what'), [
    (PeerCounts((2,), 200, 0, 0, 0), 'its link is not heard by that of bob, which it hears'),
    (PeerCounts((), 200, 0, 0, 0), 'its link is not heard by that of link b, which it hears'),
    (PeerCounts((2, 9), 130, 30, 190, 0), 'its link lost 30 of 60 packets of bob, id 9'),
    (PeerCounts((2,), 200, 0, 130, 30), '30 of 70 packets of its link were lost before bob')])
def test_loss_between_links_is_found_in_both_directions(peer: PeerCounts, what: str) -> None:
    swarm: dict[str, Any] = {'links': reports(peer)}
    assert signs(communication.links, **swarm) == [(('alice',), what)]
    (finding,) = [each for each in examine(healthy(**swarm)) if each.check == 'links']
    assert finding.remedy != 'See the parameters of link.'


def test_link_without_others_is_found_and_few_lost_packets_are_not() -> None:
    silent = reports()[1]._replace(peers={}, message='no other link was heard for 17 s')
    assert signs(communication.links, links=[silent]) == [
        (('alice',), 'its link hears no other link: no other link was heard for 17 s')]
    assert signs(communication.links, links=reports(PeerCounts((2,), 101, 4, None, 0))) == []


@pytest.mark.parametrize('value', [
    '', '[]', '{}', '{"robots": 1, "heard": 1, "lost": 0}', '[' * 100000,
    '{"robots": [1.5], "heard": 1, "lost": 0}', '{"robots": [], "heard": true}'])
def test_wrong_value_of_a_link_is_left_out(value: str) -> None:
    status = Status('r/a: link', 'link 00000000000000ff',
                    {'peer 01': value, 'heard': '7', 'sent': 'x', 'lost': '-1'})
    assert parse_link(status, 1.0) == LinkReport(
        1.0, 'r/a', '00000000000000ff', '', {'heard': 7, 'lost': -1}, {})
    assert parse_link(status._replace(hardware_id='robot 1'), 1.0) is None
