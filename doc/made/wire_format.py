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

SCHEMA = 'leader_election/robot/neighbourhood.schema.json'


def wire_format(root: Path, part: str) -> str:
    """
    Return a part of the schema in words, as Markdown.

    :param part: ``message``, the members of the document; ``algorithms``, what each sends as
        its ``c``; or ``parts``, what members consist of.
    """
    schema = json.loads((root / SCHEMA).read_text())
    return {'message': _message, 'algorithms': _algorithms, 'parts': _parts}[part](schema)


def _message(schema: Mapping[str, Any]) -> str:
    lines = [schema['description'], '', '| member | is | holds |', '|---|---|---|']
    for name, of_it in schema['properties'].items():
        needed = ', required' if name in schema['required'] else ''
        lines.append(f'| `{name}` | {kind(of_it)}{needed} | {told(of_it, schema)} |')
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
    lines += [f'| {name} | {kind(of_it)} | {of_it.get("description", "")} |'
              for name, of_it in schema['$defs'].items() if name != 'export']
    return '\n'.join(lines)


def told(of_it: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Return what the schema says of something, there or where it refers to."""
    elsewhere = schema['$defs'].get(of_it.get('$ref', '').removeprefix('#/$defs/'), {})
    return str(of_it.get('description') or elsewhere.get('description', ''))


def kind(of_it: Mapping[str, Any]) -> str:
    """
    Return what kind of value is meant, with its bounds.

    >>> kind({'type': 'integer', 'minimum': 0, 'maximum': 1000})
    'integer, 0 to 1000'
    >>> kind({'type': 'array', 'items': {'type': ['number', 'null']}, 'maxItems': 64})
    'array of number or null, at most 64'
    >>> kind({'$ref': '#/$defs/row'}), kind({'const': 1})
    ('row', '1')
    """
    if '$ref' in of_it:
        return str(of_it['$ref']).removeprefix('#/$defs/')
    if 'const' in of_it:
        return str(of_it['const'])
    types = of_it.get('type', 'any')
    text = types if isinstance(types, str) else ' or '.join(types)
    if 'type' in of_it.get('items', {}) or '$ref' in of_it.get('items', {}):
        text += f' of {kind({k: v for k, v in of_it["items"].items() if k in ("type", "$ref")})}'
    return ', '.join([text, *_bounds(of_it)])


def _bounds(of_it: Mapping[str, Any]) -> Iterator[str]:
    if 'minimum' in of_it and 'maximum' in of_it:
        yield f'{of_it["minimum"]:.16g} to {of_it["maximum"]:.16g}'
    elif 'minimum' in of_it:
        yield f'at least {of_it["minimum"]:.16g}'
    for least, most, unit in (
            ('minItems', 'maxItems', ''), ('minProperties', 'maxProperties', ''),
            ('minLength', 'maxLength', ' characters')):
        if least in of_it and of_it.get(least) == of_it.get(most):
            yield f'{of_it[least]} of them'
        elif most in of_it:
            yield f'at most {of_it[most]}{unit}'
    if 'default' in of_it:
        yield f'default `{of_it["default"]}`'
