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

"""YAML as people write it: plain values, each key once, and not nested without end."""

from typing import Any

import yaml

DEEPEST = 20
"""So many levels of lists and mappings a text may have."""
TOO_DEEP = f'is nested more than {DEEPEST} levels deep'
MOST = 100000
"""So many values it may have; what an alias stands for counts each time."""
TOO_MANY = f'has more than {MOST} values, those counted that aliases stand for'


def read(text: str) -> Any:
    """
    Return what a text says.

    :raises ValueError: where it is not YAML, says a key twice, is nested too deeply or too large;
        the text is one line for people.

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
    except (yaml.YAMLError, AttributeError, LookupError) as error:
        # The last two, where a tag such as !!int does not fit what it is put on.
        raise ValueError(f'is not YAML ({" ".join(str(error).split())})') from None
    # Level by level, each value once: an alias may stand for what it is part of.
    level = [value]
    for _ in range(DEEPEST + 1):
        level = list({id(inner): inner for outer in level for inner in _inside(outer)}.values())
    if level:
        raise ValueError(TOO_DEEP)
    if _size(value, {}) > MOST:
        raise ValueError(TOO_MANY)
    return value


def _size(value: Any, known: dict[int, int]) -> int:
    """Return how many values there are in a value that is no part of itself, with it."""
    if id(value) not in known:
        known[id(value)] = 1 + sum(_size(inner, known) for inner in _inside(value))
    return known[id(value)]


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


class _Loader(yaml.SafeLoader):
    """Refuses a key that is given twice, where YAML's own would take the last."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        super().flatten_mapping(node)
        # Of what is merged in (<<) under one key the last counts; all of it would be without end
        # where aliases stand for what is itself merged of aliases.
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
