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

"""Strict reading of YAML: plain values, no duplicate keys, limited depth and size."""

import re
from typing import Any

import yaml

DEEPEST = 20
TOO_DEEP = f'is nested more than {DEEPEST} levels deep'
LEADING_ZERO = re.compile(r'[-+]?0[0-9_]+')
MOST = 100000
"""The greatest number of values. The target of an alias counts each time."""
TOO_MANY = f'has more than {MOST} values, with those of aliases counted'


def read(text: str) -> Any:
    """
    Return the value of a YAML text.

    :raises ValueError: if it is not YAML, has a duplicate key, is nested too deeply or is too
        large. The error's text is one line for users.

    >>> read('messages: {loss: 0.2}')
    {'messages': {'loss': 0.2}}
    >>> read('{loss: 0.2, loss: 0.3}')
    Traceback (most recent call last):
    ...
    ValueError: has loss twice, again in line 1
    """
    try:
        value = yaml.load(text, _Loader)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    except (yaml.YAMLError, AttributeError, LookupError, TypeError, OverflowError) as error:
        # All but the first, if a tag such as !!int does not fit its value.
        mark = getattr(error, 'problem_mark', None)
        if mark is not None and mark.buffer and mark.buffer[mark.pointer:][:1] == '\t':
            raise ValueError(f'has a tab in line {mark.line + 1}; YAML takes spaces') from None
        raise ValueError(f'is not YAML ({" ".join(str(error).split())})') from None
    # Level by level, each value once: an alias may refer to its own parent.
    level = [value]
    for _ in range(DEEPEST + 1):
        level = list({id(inner): inner for outer in level for inner in _inside(outer)}.values())
    if level:
        raise ValueError(TOO_DEEP)
    if _size(value, {}) > MOST:
        raise ValueError(TOO_MANY)
    return value


def _size(value: Any, known: dict[int, int]) -> int:
    """Return the number of values in an acyclic value, itself included."""
    if id(value) not in known:
        known[id(value)] = 1 + sum(_size(inner, known) for inner in _inside(value))
    return known[id(value)]


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _ambiguous(node: yaml.ScalarNode, why: str, instead: str) -> str:
    return (f'{node.value} is not allowed in line {node.start_mark.line + 1}: {why}; write '
            f"{instead and f'{instead}, or '}'{node.value}' in quotes")


class _Loader(yaml.SafeLoader):
    """
    A loader that refuses duplicate keys, of which YAML's own would use the last one.

    It also refuses numbers that YAML 1.1 reads in another base: ``010`` is 8, ``1:30`` is 90, and
    ``08`` is a text.
    """

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node = super().compose_scalar_node(anchor)
        kind, text = node.tag.rpartition(':')[2], node.value
        if node.style is not None and kind not in ('int', 'float'):  # As !!int "010" is.
            return node
        if LEADING_ZERO.fullmatch(text):
            raise ValueError(_ambiguous(node, 'a number with a leading zero is octal in YAML',
                                        str(int(text.replace('_', '')))))
        if kind in ('int', 'float') and ':' in text:
            raise ValueError(_ambiguous(node, 'YAML reads it as a number to the base 60', ''))
        return node

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        # Here, since the time of parsing grows with the square of the depth.
        if self._depth > 2 * DEEPEST:
            raise ValueError(TOO_DEEP)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        super().flatten_mapping(node)
        # Of several merges (<<) of one key the last counts. Checking all of them would not end
        # with aliases of values that are merges of aliases themselves.
        node.value = list({(key.tag, key.value) if isinstance(key, yaml.ScalarNode) else id(key):
                           (key, value) for key, value in node.value}.values())

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        keys = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in keys:
                    raise ValueError(f'has {" ".join(key.value.split())} twice, again in line '
                                     f'{key.start_mark.line + 1}')
                keys.add((key.tag, key.value))
        return node
