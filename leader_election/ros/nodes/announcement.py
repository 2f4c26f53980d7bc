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

"""The log line of robots at their start: the settings that a swarm must agree on."""

from collections.abc import Iterable

from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.swarm_key import fingerprint
from leader_election.ros.nodes.election import Election
from leader_election.swarm.fleet.robot_list import format_ids


def announcement(election: Election) -> str:
    """Return the line of one robot: its id, and its settings."""
    return f'robot {election.parameters.robot_id}: {settings(election)}'


def announcements(elections: Iterable[Election]) -> list[str]:
    """Return one line for all robots of the same settings, in the order of the first of each."""
    ids: dict[str, list[int]] = {}
    for election in elections:
        ids.setdefault(settings(election), []).append(election.parameters.robot_id)
    return [f'{"robots" if len(own) > 1 else "robot"} {format_ids(tuple(own))}: {text}'
            for text, own in ids.items()]


def settings(election: Election) -> str:
    """Return the algorithm, radius, range, topic and key of a robot, as a text."""
    parameters, keys = election.parameters, election.robot.authentication.keys
    unit = '' if METRICS.get(parameters.metric).counts_links else ' m'
    return (f'algorithm {parameters.algorithm}, radius {parameters.radius:g}{unit}, '
            f'communication range {parameters.communication_range:g} m, '
            f'topic {election.topic}, '
            + (f'key {fingerprint(keys[0])}' if keys else 'no key'))
