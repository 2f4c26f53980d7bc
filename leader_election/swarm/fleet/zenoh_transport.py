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

"""The transport over Zenoh: links find each other by multicast, or by a router or peers."""

from collections.abc import Callable, Mapping
import json

from leader_election.parameters import ParameterError
from leader_election.swarm.fleet.transports import is_group, LinkParameters, peer, Transport
import zenoh

CONNECTED = 'connected'


class ZenohTransport(Transport):
    """A peer of Zenoh, which connects again by itself."""

    def __init__(self, parameters: LinkParameters, take: Callable[[bytes], None]) -> None:
        """
        Open the session.

        :raises ParameterError: for a wrong peer or key expression.
        """
        groups, endpoints = _places(parameters)
        config, name = zenoh.Config(), 'key_expression'
        try:
            swarm = zenoh.KeyExpr(parameters.key_expression)
            name = 'peers'
            for key, value in (
                    ('mode', 'peer'), ('connect/endpoints', endpoints),
                    ('listen/endpoints', [f'tcp/[::]:{parameters.port}']),
                    # A router on this computer has the port.
                    ('listen/exit_on_failure', False), ('connect/exit_on_failure', False),
                    ('scouting/multicast/enabled', bool(groups)),
                    *[('scouting/multicast/address', each) for each in groups[:1]]):
                config.insert_json5(key, json.dumps(value))
            self._session = zenoh.open(config)
        except zenoh.ZError as error:
            raise ParameterError(name, problem=f': {getattr(parameters, name)!r} cannot be used '
                                 f'({error})') from None
        self._session.declare_subscriber(swarm, lambda sample: take(bytes(sample.payload)))
        self._publisher = self._session.declare_publisher(swarm)

    def send(self, data: bytes) -> str:
        """Send a packet to all that are connected."""
        if not self.counts()[CONNECTED]:
            return 'no other link, and no router, is connected'
        self._publisher.put(data)
        return ''

    def counts(self) -> Mapping[str, int]:
        """Return the number of peers and routers that are connected."""
        info = self._session.info
        return {CONNECTED: len([*info.peers_zid(), *info.routers_zid()])}

    def close(self) -> None:
        """Close the session."""
        self._session.close()


def _places(parameters: LinkParameters) -> tuple[list[str], list[str]]:
    """Return the multicast groups among the peers, and the endpoints of all others."""
    groups, endpoints = [], []
    for text in parameters.peers.split(','):
        if '/' in text:
            endpoints.append(text.strip())
            continue
        name, port = peer(text, parameters.port)
        if is_group(name):
            groups.append(f'{name}:{port}')
        else:
            endpoints.append(f'tcp/{name}:{port}')
    return groups, endpoints
