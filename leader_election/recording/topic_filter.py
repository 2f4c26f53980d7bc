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

"""Which topics are recorded, and how many messages of them."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from leader_election.recording.parameters import RecorderParameters

ODOMETRY = 'nav_msgs/msg/Odometry'


def wanted(topic: str, kind: str, parameters: RecorderParameters) -> bool:
    """
    Return whether a topic is recorded.

    :param topic: the whole name.
    :param kind: the type of its messages, for example ``std_msgs/msg/Int64``.

    >>> by_default = RecorderParameters()
    >>> [wanted(topic, '', by_default) for topic in ('/robot_3/leader', '/robot_3/cmd_vel')]
    [True, False]
    >>> but_one = RecorderParameters(all=True, exclude=('/robot_3/*',))
    >>> [wanted(topic, '', but_one) for topic in ('/robot_3/leader', '/robot_4/cmd_vel')]
    [False, True]
    """
    if kind == ODOMETRY and parameters.odom_rate == 0.0:
        return False
    return ((parameters.all or names(topic, parameters.topics))
            and not names(topic, parameters.exclude))


def names(topic: str, patterns: Sequence[str]) -> bool:
    """
    Return whether one of the patterns names a topic: a whole name, its last part, or with ``*``.

    >>> names('/robot_3/leader', ['leader']), names('/robot_3/is_leader', ['leader'])
    (True, False)
    >>> names('/robot_3/leader', ['/robot_?/*']), names('/robot_3/rescue/leader', ['/leader'])
    (True, False)
    """
    return any(fnmatchcase(topic, pattern if pattern.startswith('/') else f'*/{pattern}')
               for pattern in patterns)


class Thinning:
    """
    Lets so many messages a second through, spread evenly.

    >>> twice = Thinning(2.0)
    >>> [second / 10 for second in range(11) if twice.passes(second / 10)]
    [0.0, 0.5, 1.0]
    """

    def __init__(self, rate: float) -> None:
        self._pause = 1.0 / rate
        self._last = float('-inf')

    def passes(self, now: float) -> bool:
        """Return whether a message that arrives now [s] is let through."""
        # One that is a little early is near enough; and a clock may go backwards.
        if 0.0 <= now - self._last < 0.95 * self._pause:
            return False
        self._last = now
        return True
