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
The namespaces of robots, by their ids.

The usual namespace of robot 7 is ``robot_7`` beside the topic on which robots send. Messages
hold only the namespaces that differ from it, in the key ``n``: that of the sender and those of
its leaders, so that the name of a leader spreads with its candidacy.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from leader_election.election.robot.grammar import Kind, Rejected, text
from leader_election.election.robot.wire import MAX_ID

NO_NAMES: Mapping[int, str] = MappingProxyType({})
MOST_NAMES = 17
"""The most namespaces in a message: the sender's, and a leader's for each further instance."""
LONGEST = 128
"""The longest namespace [characters]."""
_NAMESPACE = text(LONGEST, pattern='/|(/[A-Za-z_][A-Za-z0-9_]*)+')
_ID = text(16, pattern='[0-9]+')


def usual_namespace(topic: str, robot_id: int) -> str:
    """
    Return the namespace of a robot whose messages give no other one.

    :param topic: the full name of the topic on which robots send.

    >>> usual_namespace('/neighbourhood', 7), usual_namespace('/red/neighbourhood', 7)
    ('/robot_7', '/red/robot_7')
    """
    return f'{topic.rpartition("/")[0]}/robot_{robot_id}'


def own_path(template: str, robot_id: int, namespace: str) -> str:
    """
    Return the path of a file of a robot: ``{id}`` and ``{name}`` stand for its id and namespace.

    >>> own_path('/var/log/{name}_{id}.jsonl', 7, '/red/tb3_0')
    '/var/log/red_tb3_0_7.jsonl'
    """
    name = namespace.strip('/').replace('/', '_') or 'robot'
    return template.replace('{id}', str(robot_id)).replace('{name}', name)


def _read(listed: Any) -> Mapping[int, str]:
    if type(listed) is not dict or len(listed) > MOST_NAMES:
        raise Rejected
    names = {int(_ID.read(key)): _NAMESPACE.read(name) for key, name in listed.items()}
    if max(names, default=0) > MAX_ID:
        raise Rejected
    return MappingProxyType(names)


NAMES = Kind(_read, {
    'type': 'object', 'maxProperties': MOST_NAMES, 'propertyNames': {'pattern': '^[0-9]{1,16}$'},
    'additionalProperties': _NAMESPACE.schema}, dict)
"""The kind of namespaces by ids in a message."""
