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

"""Checks of links between domains, from both ends: each tells the others what it hears of them."""

from collections.abc import Iterator

from leader_election.election.messages.packets import FLOODED, HEARD, STRANGE
from leader_election.swarm.doctor.communication import FEW, LOSS
from leader_election.swarm.doctor.observations import by_key, Level, listing, Observations, Symptom
from leader_election.swarm.fleet.link_status import PeerCounts, TOO_LONG, UNSENT

DAMAGED = 'damaged'
COUNTED = (
    (TOO_LONG, Level.ERROR, 'its link left out {} that are too long for it'),
    (UNSENT, Level.ERROR, 'its link could not send {}'),
    (FLOODED, Level.WARN, 'its link left out {}, more than most_packets of one sender'),
    (STRANGE, Level.WARN, 'at its link {} arrived that are not from a link'))
"""Counters whose increase is a symptom."""


def links(swarm: Observations) -> Iterator[Symptom]:
    """Find links that hear nobody or are not heard, and what they lose, refuse and leave out."""
    for (robot, _), reports in by_key(
            ((report.robot, report.id), report) for report in swarm.links).items():
        first, last = reports[0], reports[-1]
        if not last.peers:
            yield Symptom(Level.ERROR, (robot,), f'its link hears no other link: {last.message}')
        grown = {key: value - first.counts.get(key, value) for key, value in last.counts.items()}
        for key, level, text in COUNTED:
            if (number := grown.get(key, 0)) > 0:
                yield Symptom(level, (robot,), text.format(
                    f'{number} packets' if number > 1 else 'a packet')
                    + (f': {last.message}' if key in (UNSENT, TOO_LONG) else ''))
        if (text := _lost(grown.get(HEARD, 0), grown.get(DAMAGED, 0))):
            yield Symptom(Level.WARN, (robot,), f'at its link {text} frames were damaged')
        for peer, counts in last.peers.items():
            yield from _peer(robot, counts, first.peers.get(peer), _name(swarm, peer, counts))


def _peer(robot: str, counts: PeerCounts, before: PeerCounts | None, name: str,
          ) -> Iterator[Symptom]:
    """Find what is lost between a link and another one."""
    if counts.heard_there == 0:
        yield Symptom(Level.ERROR, (robot,), f'its link is not heard by that of {name}, which it '
                      'hears')
    if before is None:
        return
    if (text := _lost(counts.heard - before.heard, counts.lost - before.lost)):
        yield Symptom(Level.WARN, (robot,), f'its link lost {text} packets of {name}')
    if counts.heard_there is not None and before.heard_there is not None and (text := _lost(
            counts.heard_there - before.heard_there, counts.lost_there - before.lost_there)):
        yield Symptom(Level.WARN, (robot,), f'{text} packets of its link were lost before {name}')


def _lost(heard: int, lost: int) -> str:
    """Return how many packets were lost, empty where these are few."""
    return f'{lost} of {heard + lost}' if lost >= FEW and lost > LOSS * (heard + lost) else ''


def _name(swarm: Observations, peer: str, counts: PeerCounts) -> str:
    """Return the robots behind another link, by name where they are known here."""
    names = [name for robot in counts.robots for name in swarm.names_of(robot)]
    return listing(names) if names else f'link {peer[:8]}'
