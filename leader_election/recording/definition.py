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
What a type of ROS messages is made of, as text: the schema by which a recording is read anywhere.

The form is that of ``ros2msg`` (https://mcap.dev/spec/registry): the ``.msg`` file of the type,
then those of all types in it, each after a line of 80 equals signs and a line ``MSG: name``.
"""

from collections.abc import Callable, Iterator
import re

PRIMITIVES = frozenset((
    'bool', 'byte', 'char', 'float32', 'float64', 'int8', 'uint8', 'int16', 'uint16', 'int32',
    'uint32', 'int64', 'uint64', 'string', 'wstring'))
_FIELD = re.compile(r'\s*([A-Za-z][\w/]*)(?:<=\d+)?(?:\[[^\]]*\])?\s+[A-Za-z]\w*')
_RULE = '=' * 80


def definition(kind: str, find: Callable[[str, str], str]) -> str:
    r"""
    Return the text that defines a type and all that is in it.

    :param kind: for example ``geometry_msgs/msg/Pose``.
    :param find: ``find(package, type)`` returns the text of the type's ``.msg`` file.

    >>> files = {'Line': 'Point a\nPoint b # its end', 'Point': 'float64 x\nfloat64 y'}
    >>> text = definition('my_msgs/msg/Line', lambda package, name: files[name])
    >>> print(text.replace('=' * 80, '==='))
    Point a
    Point b # its end
    ===
    MSG: my_msgs/Point
    float64 x
    float64 y
    """
    package, _, name = kind.split('/')
    parts = [find(package, name).strip('\n')]
    known, left = {(package, name)}, list(_uses(package, parts[0]))
    while left:
        used = left.pop(0)
        if used not in known:
            known.add(used)
            text = find(*used).strip('\n')
            parts += [_RULE, 'MSG: ' + '/'.join(used), text]
            left += _uses(used[0], text)
    return '\n'.join(parts)


def _uses(package: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield package and name of each type that a ``.msg`` file uses, as often as it does."""
    for line in text.splitlines():
        field = _FIELD.match(line.partition('#')[0])
        if field and field[1] not in PRIMITIVES:
            of, _, name = field[1].rpartition('/')
            # Some write package/msg/Type.
            yield of.partition('/')[0] or package, name
