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
The JSON Schema of messages, from the declarations of their parts.

``python -m doc.made.schema`` writes it, in the folder of the checkout.
"""

import json
from pathlib import Path
from typing import Any

from leader_election.election.algorithms import Algorithm, ALGORITHMS
from leader_election.election.messages.codec import (
    DEFAULT_ALGORITHM,
    InstanceMessage,
    MAX_LENGTH,
    Message,
    MOST_INSTANCES,
    state_kinds,
    VERSION,
    wire_parts,
)
from leader_election.election.messages.wire import descriptions, properties

SCHEMA = Path('leader_election/election/messages/neighbourhood.schema.json')
SHIPPED = ('bounded', 'classic', 'given', 'recursive', 'recursive-replicated', 'resilient',
           'colour')


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a message."""
    instance = {
        **properties(InstanceMessage),
        'c': {'description': "The fields of the algorithm's state in their order: numbers, null "
                             'for infinity, and vectors without the padding at their end.',
              'type': 'array'}}
    robot: dict[str, Any] = {}
    for part in wire_parts():
        (robot if part.is_of_robot else instance).update(part.properties())
    election = {'allOf': [{'$ref': '#/$defs/export'}]}
    return {
        '$schema': 'https://json-schema.org/draft/2020-12/schema',
        'title': f'Neighbourhood message of leader_election, version {VERSION}',
        'description': 'The message that a robot sends once a round: the data of a '
                       f'std_msgs/String on the neighbourhood topic. At most {MAX_LENGTH} '
                       'characters; all numbers are finite, and where one may be infinite null '
                       'stands for that. Members that are not named here are ignored.',
        'type': 'object', 'required': ['v', 'id', 'frame', 'c'],
        'properties': {
            'v': {'description': 'Version of this format.', 'const': VERSION},
            **properties(Message), **robot, **instance,
            's': {'description': 'The signature of a robot with a swarm key, the last member of '
                                 'the message: 8 characters of base64 for the sequence number '
                                 '(milliseconds, modulo 2^48), and 22 for the first 128 bits of '
                                 'the HMAC-SHA-256 of all the text before them, the sequence '
                                 'number included. Robots without a key that are not told to mix '
                                 '(accept_unverified) do not believe a signed message.',
                  'type': 'string', 'pattern': '^[A-Za-z0-9+/]{30}$'},
            'i': {'description': 'Further instances, by their names: of each algorithm, export '
                                 'and parts. An instance with an algorithm that the reader does '
                                 'not know is ignored.',
                  'type': 'object', 'maxProperties': MOST_INSTANCES,
                  'additionalProperties': {
                      'type': 'object', 'required': ['c'], **election,
                      'properties': {key: {'$ref': f'#/properties/{key}'} for key in instance}}}},
        **election,
        '$defs': {'export': _export()}}


def _export() -> dict[str, Any]:
    return {'description': 'What c holds, by the algorithm.', 'allOf': [
        {'if': {'properties': {'a': {'const': name}}}
         | ({} if name == DEFAULT_ALGORITHM else {'required': ['a']}),
         'then': {'properties': _state(ALGORITHMS.get(name))}} for name in SHIPPED]}


def _state(algorithm: Algorithm) -> dict[str, Any]:
    """Return the member that holds the state of an algorithm."""
    described = descriptions(algorithm.state)
    kinds = state_kinds(algorithm)
    return {'c': {
        'description': ' '.join(f'{field.name}: {described[field.name]}'
                                for field in algorithm.fields),
        'prefixItems': [kind.schema for kind in kinds],
        'minItems': len(kinds), 'maxItems': len(kinds)}}


if __name__ == '__main__':
    SCHEMA.write_text(json.dumps(schema(), indent=1) + '\n', encoding='utf-8')
