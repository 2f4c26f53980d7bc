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

"""The command line of ``swarm_doctor``."""

import argparse
from collections.abc import Mapping, Sequence
import math
from typing import NoReturn

from leader_election.fleet.fleet_file import load_fleet
from leader_election.fleet.fleet_settings import SHARED, TOPICS
from leader_election.parameters import ParameterError

DESCRIPTION = """
Listen to a swarm for some seconds, on a robot or on any machine of its network, check what usually
goes wrong, and say what to do. It only listens. The exit status is 0 where all is well, 1 where
something was found, 2 for wrong usage.
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Refuse in one line, as nodes do."""
        raise ParameterError(f'{message}; swarm_doctor --help tells what it takes')


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 1.0 <= number <= 3600.0:
        raise argparse.ArgumentTypeError(f'{text!r} is not allowed; it takes 1 to 3600 s')
    return number


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """
    Return the options.

    :raises ParameterError: where one is wrong.
    """
    parser = _Parser(prog='swarm_doctor', description=DESCRIPTION)
    parser.add_argument('--robot', default='', metavar='NAME',
                        help='only this robot, by its namespace (default: all)')
    parser.add_argument('--seconds', type=_seconds, default=10.0, metavar='S',
                        help='how long to listen; several rounds (default: 10)')
    parser.add_argument('--fleet-file', default='', metavar='FILE',
                        help='the fleet file: which robots there should be')
    parser.add_argument('--json', action='store_true', help='one JSON document instead of text')
    options = parser.parse_args(arguments)
    options.robot = options.robot.strip('/')
    options.expected, options.radio_topics = expected(options.robot, options.fleet_file)
    return options


def expected(robot: str, fleet_file: str) -> tuple[Mapping[str, int | None], tuple[str, ...]]:
    """
    Return the robots that there should be, and the topics that they should talk on.

    Ids, and topics, are there where these are known.

    :raises ParameterError: where the fleet file cannot be read, or does not have the robot.
    """
    if not fleet_file:
        return ({robot: None} if robot else {}), ()
    fleet = load_fleet(fleet_file)
    chosen = [fleet.robot(robot)] if robot else [r for r in fleet.robots if r.enabled]
    radio_topics = {r.topics.get(SHARED, TOPICS[SHARED]) for r in chosen}
    return {r.entry.name: r.entry.id for r in chosen}, tuple(sorted(radio_topics))
