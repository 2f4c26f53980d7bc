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
The command ``swarm_roster``: changes the roster of running robots, step by step.

It sets parameters only: each robot refuses a step that would be unsafe. So it can be stopped at
any time and run again, by anybody.
"""

from collections import Counter
from collections.abc import Sequence
import os
import sys
import time
from typing import Any

from leader_election.election.mandates.parameters import roster_in, version_text
from leader_election.parameters import command_line, ParameterError
from leader_election.ros.nodes.process import init_ros, spin
from rcl_interfaces.srv import GetParameters, SetParameters
import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.utilities import remove_ros_args

ROBOT_NODE = 'election_node'
DISCOVERY = 2.0
FOUND = 10.0
"""The time in which more than half of the new roster have to be found [s]."""
ANSWER = 3.0
PAUSE = 0.5


def first_step(target: str, texts: Sequence[str]) -> str:
    """
    Return the first of the two steps to a roster, empty if all robots have it already.

    :param texts: the rosters of the robots.
    :raises ParameterError: if the roster does not have the next version.

    >>> first_step('v1 1-10', ['1-9', '1-9', 'v1 1-10'])
    'v1 1-9 to 1-10'
    """
    version, _, ids = roster_in(target)
    known = [roster_in(text) for text in texts]
    begun = [old for number, old, new in known if (number, new) == (version, ids) and old]
    before = begun or [new for number, old, new in known if number == version - 1 and not old]
    if before:
        return version_text(version, Counter(before).most_common(1)[0][0], ids)
    if all((number, new) == (version, ids) for number, _, new in known):
        return ''
    newest = max(number for number, _, _ in known)
    raise ParameterError(f'the robots have version {newest} of their roster, so the next one is '
                         f'v{newest + 1}, not v{version}')


class RosterNode(Node):
    """Reads and sets the rosters of all nodes of robots that it finds."""

    def __init__(self) -> None:
        super().__init__(f'swarm_roster_{os.getpid()}', enable_rosout=False,
                         start_parameter_services=False, use_global_arguments=False)
        self._made: dict[tuple[type, str], Any] = {}

    def read(self) -> dict[str, tuple[int, str]]:
        """Return id and roster of the robots with a roster that answer, by their nodes' names."""
        request = GetParameters.Request(names=['robot_id', 'roster', 'quorum'])
        found = self._ask(GetParameters, 'get_parameters', {
            f'{space.rstrip("/")}/{name}': request for name, space
            in self.get_node_names_and_namespaces() if name == ROBOT_NODE})
        values = {robot: answer.values for robot, answer in found.items()}
        return {robot: (number.integer_value, roster.string_value)
                for robot, (number, roster, quorum) in values.items()
                if quorum.string_value == 'majority'}

    def set(self, robot: str, text: str) -> str:  # noqa: A003
        """Set the roster of a robot, and return why it was refused, empty if it was set."""
        found = self._ask(SetParameters, 'set_parameters', {robot: SetParameters.Request(
            parameters=[Parameter('roster', value=text).to_parameter_msg()])})
        if robot not in found:
            return 'it does not answer'
        result = found[robot].results[0]
        return '' if result.successful else str(result.reason)

    def _ask(self, kind: Any, service: str, requests: dict[str, Any]) -> dict[str, Any]:
        for robot in requests:
            if (kind, robot) not in self._made:
                self._made[kind, robot] = self.create_client(kind, f'{robot}/{service}')
        clients = {robot: self._made[kind, robot] for robot in requests}
        spin([self], lambda: all(each.service_is_ready() for each in clients.values()), ANSWER)
        asked = {robot: client.call_async(requests[robot]) for robot, client in clients.items()
                 if client.service_is_ready()}
        spin([self], lambda: all(each.done() for each in asked.values()), ANSWER)
        return {robot: answer.result() for robot, answer in asked.items() if answer.done()}


def change(node: RosterNode, target: str, seconds: float) -> bool:
    """
    Change the roster of all robots that are found, and print each step.

    A robot takes the second step only once a leader acts in the first one, which needs more than
    half of the old and of the new roster. So the steps are tried again until all have the roster.

    :param seconds: the time after which it gives up.
    :return: whether more than half of the new roster have it.
    """
    wanted, begin = roster_in(target), time.monotonic()
    end, latest = begin + seconds, begin + FOUND
    reasons: dict[str, str] = {}
    spin([node], lambda: False, DISCOVERY)
    while True:
        rosters = node.read()
        running = wanted[2] & {robot for robot, _ in rosters.values()}
        if not reasons and len(running) <= len(wanted[2]) // 2:
            # Nobody could act in a step to it, and no robot takes a step back.
            if time.monotonic() > min(end, latest):
                raise ParameterError(
                    f'{len(running)} of {len(wanted[2])} robots of {target} were found with '
                    'quorum majority, and a roster takes more than half; start them')
            spin([node], lambda: False, PAUSE)
            continue
        first = first_step(target, [text for _, text in rosters.values()])
        done = {robot for robot, (_, text) in rosters.items() if roster_in(text) == wanted}
        for robot, (_, text) in rosters.items() if first else ():
            # A robot that was started with the new roster takes the first step now. One that has
            # taken both refuses it.
            for step in (first,) if robot in done else (target, first):
                if roster_in(step) != roster_in(text):
                    reasons[robot] = node.set(robot, step)
                    if reasons[robot] == '':
                        print(f'{robot}: {step}', flush=True)
                        done = done | {robot} if step == target else done - {robot}
                        break
        have = wanted[2] & {rosters[robot][0] for robot in done}
        enough = len(have) > len(wanted[2]) // 2
        if enough and len(done) == len(rosters) or time.monotonic() > end:
            break
        spin([node], lambda: False, PAUSE)
    print(f'{len(have)} of {len(wanted[2])} robots of {target} have it')
    for robot in sorted(rosters.keys() - done):
        print(f'{robot} has it not yet: {reasons.get(robot, "")}')
    return enough


def main() -> int:
    """Change the roster, and return the exit status: 0 if more than half of it have it."""
    parser = command_line.CommandLineParser(
        prog=command_line.how_to_run('swarm_roster'), description='Change the roster of running '
        'robots (quorum: majority), while a leader acts. It can be run again when interrupted.')
    parser.add_argument('roster', nargs='+', help='the new roster with its version: v1 1-10')
    parser.add_argument('--seconds', type=command_line.POSITIVE, default=60.0,
                        help='give up after this time (default: 60)')
    try:
        options = parser.parse_args(remove_ros_args(sys.argv)[1:])
        version, old, ids = roster_in(' '.join(options.roster))
        if not version or old or not ids:
            raise ParameterError('roster', ' '.join(options.roster), 'a version and ids, for '
                                 'example v1 1-10')
        init_ros()
        node = RosterNode()
        done = change(node, version_text(version, (), ids), options.seconds)
        return command_line.ExitStatus.OK if done else command_line.ExitStatus.FAILED
    except KeyboardInterrupt:
        return command_line.ExitStatus.INTERRUPTED
    except (ParameterError, RuntimeError) as error:
        return command_line.print_error(error)
    finally:
        rclpy.try_shutdown()
