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
The bundled topics of a lean swarm: data of many robots in one message.

A topic per robot would cost more than the robot itself: each publisher and each subscription is
compared with all others on the machine, so discovery grows with the square of their number. Each
message on a topic also wakes all processes that subscribe, which costs more than a robot's round.
"""

from collections.abc import Iterable, Iterator, Sequence

from leader_election.simulation.kinematics import Array
import numpy as np

ODOMETRY_TOPIC = 'odom_bundle'
"""The topic of the odometry of all robots, a row for each with the columns of ``COLUMNS``."""
SENT_TOPIC = 'sent_bundle'
"""The topic of messages that robots send."""
HEARD_TOPIC = 'heard_bundle'
"""The topic of messages that the radio has delivered, each with all of its receivers."""
BUNDLE_PERIOD = 0.02
"""The time during which messages are collected into one bundle [s]."""
LARGEST_TEXT = 32_000
"""The most characters of a bundle with more than one message: it fits into one UDP datagram."""
SEPARATOR = '\x1e'
"""Between messages of a bundle: the record separator, which JSON never contains (RFC 7464)."""
INVALID = '\x1f'
COLUMNS = ('id', 'x', 'y', 'yaw', 'linear', 'angular')
"""
A row of odometry: id, pose relative to the start [m, rad], velocities [m/s, rad/s].

Ids are exact up to 2**53, which is above the greatest id.
"""
STANDING_PERIOD = 0.5
"""The time between two odometry messages of a robot at rest [s]."""


class OdometryBundle:
    """
    Selects the robots whose odometry has changed, to be sent.

    Odometry of a robot at rest is sent every ``STANDING_PERIOD``; it must not expire before.
    """

    def __init__(self, ids: Sequence[int]) -> None:
        """:param ids: of the robots, in the order of their rows."""
        self._ids = np.asarray(ids, dtype=float)
        self._last = np.full((len(ids), len(COLUMNS) - 1), np.nan)
        # Spread over the period, so that messages are of about the same length.
        self._due = np.arange(len(ids)) / max(len(ids), 1) * STANDING_PERIOD

    def rows(self, poses: Array, velocities: Array, now: float,
             silent: Iterable[int] = ()) -> Array:
        """
        Return the odometry that is to be sent now.

        :param poses: x, y, yaw of all robots [m, rad], shape (n, 3).
        :param velocities: linear and angular [m/s, rad/s], shape (n, 2).
        :param now: the time since the start by a clock that goes on when the world is late [s].
        :param silent: rows that are left out.
        :return: columns ``COLUMNS``, shape (m, 6).

        >>> bundle = OdometryBundle((7, 8))
        >>> standing = np.zeros((2, 3)), np.zeros((2, 2))
        >>> [bundle.rows(*standing, now)[:, 0].tolist() for now in (0.0, 0.1, 0.3, 0.5)]
        [[7.0, 8.0], [], [8.0], [7.0]]
        """
        told = np.column_stack((poses, velocities))
        sent = (told != self._last).any(axis=1) | (self._due <= now)
        sent[list(silent)] = False
        self._last[sent] = told[sent]
        late = self._due <= now
        self._due[late] += STANDING_PERIOD * (
            np.floor((now - self._due[late]) / STANDING_PERIOD) + 1.0)
        return np.column_stack((self._ids[sent], told[sent]))


def rows_of(data: Sequence[float]) -> Iterator[tuple[float, ...]]:
    """
    Yield the rows of odometry in a flat sequence; an incomplete last one is left out.

    >>> list(rows_of([7.0, 1.0, 2.0, 0.5, 0.0, 0.0, 8.0]))
    [(7.0, 1.0, 2.0, 0.5, 0.0, 0.0)]
    """
    return zip(*[iter(data)] * len(COLUMNS))


def pack(messages: Iterable[str]) -> Iterator[str]:
    r"""
    Yield texts with several messages each, in order.

    :param messages: a separator in one, which no valid message contains, becomes another
        character that none contains.
    :return: as few texts as possible, none longer than ``LARGEST_TEXT`` unless a message is.

    >>> list(pack(['{"v":1}', '{}']))
    ['{"v":1}\x1e{}']
    """
    collected: list[str] = []
    size = 0
    for message in messages:
        if collected and size + len(message) >= LARGEST_TEXT:
            yield SEPARATOR.join(collected)
            collected, size = [], 0
        collected.append(message.replace(SEPARATOR, INVALID))
        size += len(message) + 1
    if collected:
        yield SEPARATOR.join(collected)


def unpack(text: str) -> list[str]:
    """Return the messages of a text of :func:`pack`."""
    return text.split(SEPARATOR)


def delivery(receivers: Iterable[int], payload: str) -> str:
    """
    Return a message with the ids of the robots that receive it.

    >>> delivery((2, 3), '{"v":1}')
    '2,3 {"v":1}'
    """
    return f'{",".join(map(str, receivers))} {payload}'


def parse_delivery(text: str) -> tuple[tuple[int, ...], str]:
    """
    Return the receivers and the message of a :func:`delivery`.

    :raises ValueError: for any other text.

    >>> parse_delivery('2,3 {"v":1}')
    ((2, 3), '{"v":1}')
    """
    ids, _, payload = text.partition(' ')
    return tuple(map(int, ids.split(','))), payload
