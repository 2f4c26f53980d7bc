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
Parameters of ``record``, settings of ``replay``, both command lines, and recorded topics.

rosbag2 plays a topic back with the profiles that it finds in the metadata of the channel, under
``offered_qos_profiles``: a topic that was latched is latched again.
"""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from leader_election.parameters import parameter, ParameterError, table
from leader_election.parameters.command_line import CommandLineParser, how_to_run, PAGE, POSITIVE
from leader_election.swarm.recording.content import ODOMETRY
import yaml

REPLAYED = (
    'neighbourhood', 'leadership', 'leader', 'is_leader', 'distance', 'neighbours', 'role',
    'decision', 'region', 'region_summary', 'diagnostics', 'robots', 'world', 'markers', 'odom',
    'odometry/cooperative', 'neighbour_distances', 'measurements', 'ground_truth', 'clock')
"""The topics that ``replay`` and displays need, by the last part of their names."""


@dataclass(frozen=True)
class RecorderParameters:
    """The topics that are recorded, and the file."""

    output: str = parameter(
        '', 'The file (MCAP) to be written. It must not exist yet. Empty: one in the current '
        'folder, named by the time.')
    topics: tuple[str, ...] = parameter(
        REPLAYED, 'The topics that are recorded: whole names (/robot_3/leader), last parts of '
        'them (leader), or patterns with * and ? (* for all).')
    odom_rate: float = parameter(
        1.0, 'The most messages of odometry and of true poses that are recorded per second and '
        'topic. 0: none.', unit='Hz', lower=0.0, upper=1e4)


class ReplaySettings(NamedTuple):
    """The swarm of a recording that is shown, and its interpretation."""

    topic: str = ''
    """The topic of the robots' messages, empty for the only one that is called neighbourhood."""
    expiry: float = 3.0
    """The silence after which a robot counts as gone [s]."""
    radius: float | None = None
    """The radius of regions [m], ``None`` for the radius in the robots' diagnostics."""
    communication_range: float | None = None
    """[m], likewise."""
    truth: str = 'ground_truth'
    """The last part of the names of the topics with true poses."""


def recorder_options(arguments: Sequence[str]) -> dict[str, Any]:
    """
    Return the parameters of the recorder that a command line sets, by name.

    Each is an option: ``--odom-rate 5`` is ``odom_rate: 5.0``. A wrong one ends the process with
    status 2 and one line on the reason.

    >>> recorder_options(['run.mcap', '--topics', 'leader', '/robot_3/*', '--odom-rate', '5'])
    {'output': 'run.mcap', 'topics': ['leader', '/robot_3/*'], 'odom_rate': 5.0}
    """
    parser = CommandLineParser(
        prog=how_to_run('record'),
        description='Record a swarm to a file (MCAP) that Foxglove, ros2 bag and replay can read, '
        'until Ctrl-C. Each option is also a parameter of the node.')
    known = {p.name: p for p in table(RecorderParameters)}
    for flag, name, kind in (
            ('output', 'output', {'metavar': 'FILE', 'nargs': '?'}),
            ('--topics', 'topics', {'nargs': '+'}), ('--odom-rate', 'odom_rate', {'type': float})):
        default = known[name].default
        shown = ' '.join(default) if isinstance(default, tuple) else default
        # Without the option, ROS sets the value.
        options: dict[str, Any] = {'default': argparse.SUPPRESS, **kind}
        parser.add_argument(flag, **options, help=f'{known[name].description} (default: {shown})')
    given = vars(parser.parse_args(arguments))
    try:
        for name, value in given.items():
            known[name].check(value)
    except ParameterError as error:
        parser.error(str(error))
    # This option takes all arguments behind it.
    for name in given.get('topics', ()):
        if name.endswith('.mcap'):
            parser.error(f'argument --topics: {name} is a file and no topic; name it first, '
                         'before --topics')
    return given


def replay_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of ``replay``, or end the process with one line if one is wrong."""
    by_default = ReplaySettings()
    parser = CommandLineParser(
        prog=how_to_run('replay'),
        description='Evaluate a recording of a swarm (MCAP, by record or by ros2 bag record '
        '-s mcap): a report, and pictures. ROS is not needed.')
    parser.add_argument('file', type=Path, help='the recording, or a folder of ros2 bag')
    made = parser.add_argument_group('output')
    for name, what in (('picture', 'the swarm at the end (PNG)'),
                       ('animation', 'the run (GIF)'),
                       ('timeline', 'the leader of each robot over time (PNG)'),
                       ('localisation', 'errors of positions and distances, and deviations, '
                        'over time (PNG)')):
        made.add_argument(f'--{name}', type=Path, metavar='FILE', help=f'write {what}')
    made.add_argument('--html', type=Path, metavar='FILE', help=PAGE)
    made.add_argument('--json', action='store_true', help='the report as a JSON document')
    how = parser.add_argument_group('interpretation')
    how.add_argument('--topic', default=by_default.topic, help="the topic of the robots' "
                     'messages (default: the only topic named neighbourhood)')
    how.add_argument('--radius', type=POSITIVE, help='radius of regions [m] '
                     "(default: as in the robots' diagnostics)")
    how.add_argument('--range', type=POSITIVE, dest='communication_range',
                     help='communication range [m], likewise')
    how.add_argument('--expiry', type=POSITIVE, default=by_default.expiry, metavar='S',
                     help='a robot silent for this long counts as gone [s] (default: %(default)g)')
    how.add_argument('--truth', default=by_default.truth, metavar='NAME',
                     help='last part of the names of topics with true poses: Odometry, '
                     'PoseStamped or PoseWithCovarianceStamped (default: %(default)s)')
    options = parser.parse_args(arguments)
    parser.check_page(options.html)
    return options


def is_recorded(topic: str, kind: str, parameters: RecorderParameters) -> bool:
    """
    Return whether a topic is recorded.

    :param topic: its full name.
    :param kind: the type of its messages, for example ``std_msgs/msg/Int64``.

    >>> by_default = RecorderParameters()
    >>> [is_recorded(topic, '', by_default) for topic in ('/robot_3/leader', '/robot_3/cmd_vel')]
    [True, False]
    >>> is_recorded('/robot_3/cmd_vel', '', RecorderParameters(topics=('*',)))
    True
    """
    return matches(topic, parameters.topics) and not (
        kind == ODOMETRY and parameters.odom_rate == 0.0)


def matches(topic: str, patterns: Sequence[str]) -> bool:
    """
    Return whether a topic matches a pattern: a full name, its last part, or one with wildcards.

    >>> matches('/robot_3/leader', ['leader']), matches('/robot_3/is_leader', ['leader'])
    (True, False)
    >>> matches('/robot_3/leader', ['/robot_?/*']), matches('/robot_3/rescue/leader', ['/leader'])
    (True, False)
    """
    return any(fnmatchcase(topic, pattern if pattern.startswith('/') else f'*/{pattern}')
               for pattern in patterns)


def rosbag2_qos(offers: Iterable[tuple[str, str]]) -> str:
    """
    Return the profiles that publishers offer as YAML, in the form of rosbag2 of Jazzy and later.

    :param offers: the reliability and the durability of each, in the names of ROS.

    >>> print(rosbag2_qos([('reliable', 'transient_local')]))  # doctest: +ELLIPSIS
    - history: unknown
      depth: 0
      reliability: reliable
      durability: transient_local
      deadline:
        sec: 9223372036
    ...
    """
    infinite = {'sec': 9223372036, 'nsec': 854775807}
    # Equal profiles are written once, which suffices for rosbag2. DDS does not transmit a history.
    return ''.join(yaml.safe_dump([{
        'history': 'unknown', 'depth': 0, 'reliability': reliability,
        'durability': durability, 'deadline': {**infinite}, 'lifespan': {**infinite},
        'liveliness': 'automatic', 'liveliness_lease_duration': {**infinite},
        'avoid_ros_namespace_conventions': False}], sort_keys=False)
        for reliability, durability in dict.fromkeys(offers))
