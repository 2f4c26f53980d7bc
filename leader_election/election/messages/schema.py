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

``python -m leader_election.election.messages.schema`` writes ``neighbourhood.schema.json``
beside it.
"""

import ast
from collections.abc import Mapping
import inspect
import json
from pathlib import Path
import textwrap
from typing import Any

from leader_election.election.algorithms import Algorithm, ALGORITHMS
from leader_election.election.messages.codec import (
    DEFAULT_ALGORITHM,
    InstancePart,
    MAX_LENGTH,
    Message,
    MOST_INSTANCES,
    state_kinds,
    VERSION,
)
from leader_election.election.messages.localisation_codec import LocalisationPart
from leader_election.election.messages.region_codec import FIELDS, RegionPart
from leader_election.election.messages.wire import MAX_DECISION, members, MOST_LEVELS
from leader_election.election.regions.region import Region

SCHEMA = Path(__file__).with_name('neighbourhood.schema.json')
SHIPPED = ('bounded', 'classic', 'given', 'recursive', 'recursive-replicated', 'resilient',
           'colour')
"""The algorithms of the package."""


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a message."""
    instance = {
        **_properties(InstancePart),
        'c': {'description': "The fields of the algorithm's state in their order: numbers, null "
                             'for infinity, and vectors without the padding at their end.',
              'type': 'array'},
        **_properties(RegionPart),
        'r': {'$ref': '#/$defs/region'},
        'd': {'description': "The leader's decision: an entry for each task, null for none. At "
                             f'most {MAX_DECISION} characters, and {MOST_LEVELS} nested lists '
                             'and objects.', 'type': 'array'}}
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
            **_properties(Message), **_properties(LocalisationPart), **instance,
            's': {'description': 'The signature of a robot with a swarm key, the last member of '
                                 'the message: 8 characters of base64 for the sequence number '
                                 '(milliseconds, modulo 2^48), and 22 for the first 128 bits of '
                                 'the HMAC-SHA-256 of all the text before them, the sequence '
                                 'number included. Robots without a key that are not told to mix '
                                 '(accept_unverified) do not believe a signed message.',
                  'type': 'string', 'pattern': '^[A-Za-z0-9+/]{30}$'},
            'i': {'description': 'Further instances, by their names: of each algorithm, export, '
                                 'tasks, region and decision. An instance with an algorithm that '
                                 'the reader does not know is ignored.',
                  'type': 'object', 'maxProperties': MOST_INSTANCES,
                  'additionalProperties': {
                      'type': 'object', 'required': ['c'], **election,
                      'properties': {key: {'$ref': f'#/properties/{key}'} for key in instance}}}},
        **election,
        '$defs': {'export': _export(), 'region': _region()}}


def _properties(part: type[Any]) -> dict[str, Any]:
    """Return the members of a part, by their keys."""
    described = _descriptions(part)
    return {member.key: {'description': described[name], **member.kind.schema}
            for name, member in members(part).items()}


def _region() -> dict[str, Any]:
    described = _descriptions(Region)
    return {
        'description': 'The region part: the fields that are not empty. Identities (null) at the '
                       'end of a row are left out.',
        'type': 'object',
        'properties': {field.key: {'description': described[field.name], **field.kind.schema}
                       for field in FIELDS}}


def _export() -> dict[str, Any]:
    return {'description': 'What c holds, by the algorithm.', 'allOf': [
        {'if': {'properties': {'a': {'const': name}}}
         | ({} if name == DEFAULT_ALGORITHM else {'required': ['a']}),
         'then': {'properties': _state(ALGORITHMS.get(name))}} for name in SHIPPED]}


def _state(algorithm: Algorithm) -> dict[str, Any]:
    """Return the member that holds the state of an algorithm."""
    described = _descriptions(algorithm.state)
    kinds = state_kinds(algorithm)
    return {'c': {
        'description': ' '.join(f'{field.name}: {described[field.name]}'
                                for field in algorithm.fields),
        'prefixItems': [kind.schema for kind in kinds],
        'minItems': len(kinds), 'maxItems': len(kinds)}}


def _descriptions(part: type[Any]) -> Mapping[str, str]:
    """Return the texts below the fields of a class, by the names of these."""
    body = ast.parse(textwrap.dedent(inspect.getsource(part))).body[0]
    assert isinstance(body, ast.ClassDef)
    return {field.target.id: ' '.join(str(text.value.value).split())
            for field, text in zip(body.body, body.body[1:])
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)}


if __name__ == '__main__':
    SCHEMA.write_text(json.dumps(schema(), indent=1) + '\n')
