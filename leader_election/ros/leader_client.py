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

"""A client for nodes beside a robot: who leads, and whether it may act now."""

from collections.abc import Callable, Mapping
from contextlib import suppress
import math
from threading import RLock
import time

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.election.mandates.part import Lease, lease_in
from leader_election.election.messages.codec import MAIN
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.diagnostics import LEADERSHIP
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.qos import EVENTS
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node

LOOK_PERIOD = 0.1
"""The time between two looks for another leader [s]."""


class LeaderClient:
    """
    Reads the topic ``leadership`` of a robot, and answers at the moment of asking.

    It counts the age of the last message on a clock that neither stops while the computer sleeps
    nor is set by others. The wall clocks of robot and node only tell how long a message took.
    With simulated time it goes by the node's clock.

    With mandates act where :meth:`may_act` is true, and end within 0.25 s after asking
    (:data:`~leader_election.election.mandates.parameters.REACTION`), the way of a message
    included: then no other leader's node acts over the same robot (doc/mandates.md).
    """

    def __init__(self, node: Node, robot: str = '', instance: str = MAIN,
                 expiry: float = ElectionParameters.message_expiry) -> None:
        """
        Subscribe.

        :param node: the user's node, which is spun by the user.
        :param robot: the namespace of the robot, as ``/robot_3``, empty for that of the node.
        :param instance: the name of the election.
        :param expiry: how long a message counts without mandates [s]: ``message_expiry``.
        """
        self._node, self._instance, self._expiry = node, instance, expiry
        self._lock = RLock()
        """Held to read the clock and messages: an executor may have several threads."""
        self._node_clock = node.get_clock()
        self._lease_clock = clock.LeaseClock()
        self._values: Mapping[str, str] = {}
        self._lease: Lease | None = None
        self._sent = self._stamp = -math.inf
        self._subscription = node.create_subscription(
            DiagnosticArray, f'{robot.rstrip("/")}/{LEADERSHIP}' if robot else LEADERSHIP,
            self._receive, EVENTS)
        self._ahead = -math.inf
        """How far the wall clock was ahead of the own one when no message waited [s]."""
        self._take_waiting()

    def _now(self) -> float:
        """Return the time on the clock by which ages count [s]."""
        if getattr(self._node_clock, 'ros_time_is_active', False):
            return clock.seconds(self._node_clock)
        with self._lock:
            return self._lease_clock.seconds()

    def _receive(self, message: DiagnosticArray) -> None:
        with self._lock:
            self._take(message)
            self._take_waiting()

    def _take(self, message: DiagnosticArray) -> None:
        # In this order: a process that freezes in between finds the message older.
        now = self._now()
        if now == 0.0:
            # Simulated time has not begun here, so the age is unknown.
            return
        stamp = clock.of_stamp(message.header.stamp)
        # While the message waited the wall clock may have been set back.
        took = max(0.0, clock.seconds(self._node_clock) - stamp, now + self._ahead - stamp)
        for status in map(vocabulary.status_of, message.status):
            values = status.values
            if values.get(vocabulary.INSTANCE) == self._instance:
                before, self._sent, self._values = self._sent, now - took, values
                self._stamp = stamp
                self._lease = lease_in(values, self._sent - stamp)
                if self._lease is not None and self._sent < before:
                    # Another thread took the newer message, or a clock was set: it may be over.
                    self._lease = Lease()

    def _take_waiting(self) -> None:
        """Take the messages that wait since the node has been busy."""
        waiting = self._subscription.handle
        # The node may have been destroyed. What it has been told still ends in time.
        with suppress(InvalidHandle), self._lock, waiting:
            while (taken := waiting.take_message(DiagnosticArray, False)) is not None:
                self._take(taken[0])
            # In this order: a process that freezes in between finds messages older.
            now = self._now()
            self._ahead = clock.seconds(self._node_clock) - now

    # Answers.

    @property
    def age(self) -> float:
        """Return the age of the last message [s], infinite if there was none."""
        self._take_waiting()
        return self._now() - self._sent

    def _known(self, key: str, default: str = '') -> str:
        """Return a value of the last message, unless it has expired or names no leader."""
        values = self._values if self.age < self._expiry else {}
        return values[key] if int(values.get(vocabulary.LEADER, -1)) >= 0 else default

    @property
    def leads(self) -> bool:
        """Return whether the robot leads, by a message that has not expired."""
        return self._known(vocabulary.IS_LEADER) == 'true'

    @property
    def leader(self) -> int | None:
        """Return the id of the robot's leader, ``None`` if unknown, or the message has expired."""
        leader = self._known(vocabulary.LEADER)
        return int(leader) if leader else None

    @property
    def leader_namespace(self) -> str:
        """Return the namespace of the leader, empty if unknown."""
        return self._known(vocabulary.LEADER_NAMESPACE)

    @property
    def distance(self) -> float:
        """Return the distance to the leader [m], infinite if there is none."""
        return float(self._known(vocabulary.DISTANCE, 'inf'))

    @property
    def since(self) -> float:
        """Return for how long the leader has been the same [s], NaN if it is unknown."""
        since = float(self._known(vocabulary.SINCE, 'nan'))
        return self._stamp - since + self.age

    def wait_for_leader(self, timeout: float = math.inf) -> int | None:
        """
        Wait until the leader is known, and return its id, ``None`` if it is not in time.

        The node need not be spun meanwhile.

        :param timeout: the longest time to wait [s].
        """
        end = time.monotonic() + timeout
        while (leader := self.leader) is None and time.monotonic() < end:
            time.sleep(min(LOOK_PERIOD, max(end - time.monotonic(), 0.0)))
        return leader

    def on_change(self, callback: Callable[[int | None], None]) -> None:
        """
        Have a function called with the leader whenever it changes, also to ``None``.

        It is called while the node is spun, at first with the present leader.
        """
        told: list[int | None] = []

        def look() -> None:
            leader = self.leader
            if told != [leader]:
                told[:] = [leader]
                callback(leader)

        # The end of a message is no event, so time tells.
        clock.create_timer(
            self._node, LOOK_PERIOD, look, Clock(clock_type=ClockType.STEADY_TIME))

    @property
    def term(self) -> int | None:
        """
        Return the term under which the robot acts as a leader, ``None`` if it does not.

        Terms of two leaders grow with a quorum only. Without one a fence must not compare them.
        """
        return None if self.refusal() or self._lease is None else self._lease.term

    @property
    def has_mandates(self) -> bool:
        """Return whether the robot's last message is about mandates too."""
        return self._lease is not None

    def may_act(self, over: int | None = None) -> bool:
        """
        Return whether the node may act now as the leader's.

        :param over: the id of the robot on which it acts, ``None`` if it acts for the region.
        """
        return not self.refusal(over)

    def refusal(self, over: int | None = None) -> str:
        """
        Return the reason why the node may not act now, empty if it may.

        :param over: as of :meth:`may_act`.
        """
        self._take_waiting()
        if not self._values:
            return 'no message on the topic leadership yet'
        if self._lease is None:
            return 'the robot has no mandates: set its parameter mandate'
        return self._lease.refusal(self._now(), over)
