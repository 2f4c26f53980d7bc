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
Vocabulary of the diagnostics of node ``link``: names, keys and values, and their parsing.

The hardware id of a link is ``link <start>``, since it knows no robot's id for certain. Its values
are counters, and one for each other link that it hears.
"""

from collections.abc import Mapping
from contextlib import suppress
import json
import re
from typing import NamedTuple

from leader_election.election.messages.packets import Peer
from leader_election.election.robot.diagnostics import LINK, Status

SENT, TOO_LONG, UNSENT, PEERS = 'sent', 'too_long', 'unsent', 'peers'
"""The keys of counters beside those of packets."""
PEER = 'peer '


class PeerCounts(NamedTuple):
    """What a link tells about another one."""

    robots: tuple[int, ...]
    """The ids in its messages."""
    heard: int
    lost: int
    heard_there: int | None = None
    """How many packets of this link the other one has heard, ``None`` if it did not tell."""
    lost_there: int = 0


class LinkReport(NamedTuple):
    """The diagnostics of a link at one time."""

    received: float
    robot: str
    """The name of the robot beside it."""
    id: str  # noqa: A003
    message: str
    counts: Mapping[str, int]
    peers: Mapping[str, PeerCounts]
    """By their ids."""


def link_id(start: int) -> str:
    """
    Return the hardware id of a link.

    >>> link_id(7)
    'link 0000000000000007'
    """
    return f'{LINK} {start:016x}'


def peer_values(peers: Mapping[int, Peer]) -> dict[str, str]:
    """
    Return the values about other links, by their keys.

    :param peers: by the numbers of their starts.

    >>> peer_values({7: Peer(5, 1, 0.0, 0.0, 0.0, heard=4, lost=2, robots={3}, told=(6, 0))})
    ... # doctest: +NORMALIZE_WHITESPACE
    {'peer 0000000000000007':
     '{"robots": [3], "heard": 4, "lost": 2, "heard_there": 6, "lost_there": 0}'}
    """
    return {f'{PEER}{start:016x}': json.dumps(PeerCounts(
        tuple(sorted(peer.robots)), peer.heard, max(peer.lost, 0), *peer.told)._asdict())
        for start, peer in peers.items()}


def _read_peer(text: str) -> PeerCounts | None:
    """Return what a value tells about another link, ``None`` for a wrong one."""
    with suppress(ValueError, TypeError, RecursionError):
        found = PeerCounts(**json.loads(text))
        numbers = *found.robots, found.heard, found.lost, found.heard_there or 0, found.lost_there
        return found if all(type(each) is int for each in numbers) else None
    return None


def parse_link(status: Status, received: float) -> LinkReport | None:
    """
    Return the report of a link, ``None`` for a status of something else.

    :param received: when it was received [s].
    """
    robot, _, concern = status.name.rpartition(': ')
    found = re.fullmatch(rf'{LINK} ([0-9a-f]{{16}})', status.hardware_id)
    if not found or concern != LINK:
        return None
    peers = {key.removeprefix(PEER): peer for key, value in status.values.items()
             if key.startswith(PEER) and (peer := _read_peer(value)) is not None}
    return LinkReport(
        received, robot.strip('/'), found[1], status.message,
        {key: int(value) for key, value in status.values.items()
         if re.fullmatch('-?[0-9]{1,18}', value)}, peers)
