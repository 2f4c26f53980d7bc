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

"""The messages between robots, from their JSON Schema."""

from collections.abc import Iterator, Mapping
import json
from pathlib import Path
from typing import Any

from made.schema import SCHEMA


def wire_format(root: Path, part: str) -> str:
    """
    Return a part of the schema as a Markdown table.

    :param root: the folder of the checkout.
    :param part: ``message``: the members of the document; ``algorithms``: the content of ``c``
        for each of them; ``parts``: the parts that members consist of.
    """
    schema = json.loads((root / SCHEMA).read_text(encoding='utf-8'))
    return {'message': _message, 'algorithms': _algorithms, 'parts': _parts}[part](schema)


def _message(schema: Mapping[str, Any]) -> str:
    lines = [schema['description'], '', '| member | is | holds |', '|---|---|---|']
    for name, member in schema['properties'].items():
        needed = ', required' if name in schema['required'] else ''
        lines.append(f'| `{name}` | {kind(member)}{needed} | {description_of(member, schema)} |')
    return '\n'.join(lines)


def _algorithms(schema: Mapping[str, Any]) -> str:
    lines = ['| `a` | `c` |', '|---|---|']
    for choice in schema['$defs']['export']['allOf']:
        name = choice['if']['properties']['a']['const']
        export = choice['then']['properties']['c']
        lines.append(f'| `{name}` | {export["description"]} |')
    return '\n'.join(lines)


def _parts(schema: Mapping[str, Any]) -> str:
    lines = ['| part | is | holds |', '|---|---|---|']
    lines += [f'| `{key}` of `{name}` | {kind(member)} | {member["description"]} |'
              for name, whole in schema['properties'].items()
              for key, member in whole.get('properties', {}).items()]
    return '\n'.join(lines)


def description_of(member: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Return the description of a member, its own or that of its ``$ref``."""
    elsewhere = schema['$defs'].get(member.get('$ref', '').removeprefix('#/$defs/'), {})
    return str(member.get('description') or elsewhere.get('description', ''))


def kind(member: Mapping[str, Any]) -> str:
    """
    Return the type of a value, with its bounds.

    >>> kind({'type': 'integer', 'minimum': 0, 'maximum': 1000})
    'integer, 0 to 1000'
    >>> kind({'type': 'array', 'items': {'type': ['number', 'null']}, 'maxItems': 64})
    'array of number or null, at most 64'
    >>> kind({'$ref': '#/$defs/row'}), kind({'const': 1})
    ('row', '1')
    """
    if '$ref' in member:
        return str(member['$ref']).removeprefix('#/$defs/')
    if 'const' in member:
        return str(member['const'])
    types = member.get('type', 'any')
    text = types if isinstance(types, str) else ' or '.join(types)
    if 'type' in member.get('items', {}) or '$ref' in member.get('items', {}):
        text += f' of {kind({k: v for k, v in member["items"].items() if k in ("type", "$ref")})}'
    return ', '.join([text, *_bounds(member)])


def _bounds(member: Mapping[str, Any]) -> Iterator[str]:
    if 'minimum' in member and 'maximum' in member:
        yield f'{member["minimum"]:.16g} to {member["maximum"]:.16g}'
    elif 'minimum' in member:
        yield f'at least {member["minimum"]:.16g}'
    for least, most, unit in (
            ('minItems', 'maxItems', ''), ('minProperties', 'maxProperties', ''),
            ('minLength', 'maxLength', ' characters')):
        if least in member and member.get(least) == member.get(most):
            yield f'{member[least]} of them'
        elif most in member:
            yield f'at most {member[most]}{unit}'
    if 'default' in member:
        yield f'default `{member["default"]}`'
