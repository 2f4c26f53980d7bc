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

"""The mailbox: expiry, and the limit."""

from leader_election.election.algorithms import BOUNDED
from leader_election.election.robot.codec import Message
from leader_election.election.robot.mailbox import (
    Mailbox,
    PLACE_TOLERANCE,
    ReceivedMessage,
    reserve_left,
    velocity_after,
)
from leader_election.localisation.localisation import Estimate


def message(sender: int, value: float = 0.0) -> Message:
    return Message(sender, 'map', (0.0, 0.0), BOUNDED.state(value, 0.0, sender))


def put(mailbox: Mailbox, received: Message, now: float) -> bool:
    return mailbox.put(ReceivedMessage(received, now))


def senders(mailbox: Mailbox, now: float) -> list[int]:
    return [entry.message.id for entry in mailbox.valid(now)]


def test_the_last_message_of_each_sender_in_their_order():
    mailbox = Mailbox(expiry=3.0, limit=10)
    for sender, value in ((7, -1.0), (2, -2.0), (7, -3.0)):
        assert put(mailbox, message(sender, value), now=0.0)
    assert [entry.message for entry in mailbox.valid(1.0)] == [message(2, -2.0), message(7, -3.0)]
    assert mailbox.entry(3) is None


def test_expires_from_receipt():
    mailbox = Mailbox(expiry=3.0, limit=10)
    put(mailbox, message(1), now=10.0)
    put(mailbox, message(2), now=11.0)
    assert senders(mailbox, 13.0) == [1, 2], 'exactly as old as the expiry: it still counts'
    assert senders(mailbox, 13.001) == [2]
    assert mailbox.expired == 1
    put(mailbox, message(2), now=13.5)
    assert senders(mailbox, 16.5) == [2], 'heard again: it counts anew'
    assert senders(mailbox, 100.0) == []
    assert mailbox.expired == 2


def test_limit():
    mailbox = Mailbox(expiry=3.0, limit=2)
    assert put(mailbox, message(1), now=0.0)
    assert put(mailbox, message(2), now=1.0)
    assert not put(mailbox, message(3), now=1.0), 'no room'
    assert put(mailbox, message(2, -9.0), now=2.0), 'known: it has its place'
    assert senders(mailbox, 2.0) == [1, 2]
    assert put(mailbox, message(3), now=3.5), '1 has expired and makes room'
    assert senders(mailbox, 3.5) == [2, 3]


def test_forget():
    mailbox = Mailbox(expiry=3.0, limit=10)
    put(mailbox, message(1), now=0.0)
    mailbox.forget(1)
    mailbox.forget(2)
    assert mailbox.valid(0.0) == []
    assert mailbox.expired == 0, 'forgotten is not fallen silent'


def test_velocity_is_smoothed_over_a_period():
    first = ReceivedMessage(message(7)._replace(position=(0.0, 0.0)), 0.0)
    further = message(7)._replace(position=(0.5, -1.0))
    assert velocity_after(None, further, 1.0, 1.0) == (0.0, 0.0)
    assert velocity_after(first, further, 1.0, 1.0) == (0.5, -1.0)
    assert velocity_after(first, further, 2.0, 1.0) == (0.25, -0.5)
    # Half a period counts half.
    assert velocity_after(first, further, 0.5, 1.0) == (0.5, -1.0)
    assert velocity_after(first, further, 0.0, 1.0) == (0.0, 0.0), 'no time has passed'
    assert velocity_after(first, further._replace(position=None), 1.0, 1.0) == (0.0, 0.0)


def test_a_correction_of_the_position_is_no_leap():
    def at(x: float, odometry: float) -> Message:
        told = Estimate((odometry, 0.0, 0.0), 0.0, 0.1, 0.1)
        return message(7)._replace(position=(x, 0.0), localisation=told)

    first = ReceivedMessage(at(0.0, 0.0), 0.0)
    corrected, leapt = at(5.0, 0.1), at(0.0, 5.0)
    assert reserve_left(first, corrected, 1.0, top_speed=0.5) == PLACE_TOLERANCE
    assert reserve_left(first, leapt, 1.0, top_speed=0.5) == 1.0 + 0.5 - 5.0
    without = [each._replace(localisation=None) for each in (at(0.0, 0.0), corrected)]
    assert reserve_left(ReceivedMessage(without[0], 0.0), without[1], 1.0, 0.5) < 0.0
