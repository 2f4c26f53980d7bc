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

"""Bundles of messages: what goes in comes out, in texts that fit into a datagram."""

from hypothesis import given
from hypothesis import strategies as st
from leader_election.simulation.bundles import (
    delivery,
    LARGEST_TEXT,
    pack,
    parse_delivery,
    SEPARATOR,
    unpack,
)

messages = st.lists(st.text(st.characters(exclude_characters=SEPARATOR), min_size=1))


@given(messages)
def test_messages_survive_bundling(sent: list[str]) -> None:
    assert [message for text in pack(sent) for message in unpack(text)] == sent


def test_a_text_is_no_longer_than_a_datagram_holds() -> None:
    sent = ['x' * 300] * 500 + ['y' * 2 * LARGEST_TEXT]
    texts = list(pack(sent))
    assert [len(text) <= LARGEST_TEXT for text in texts] == [True] * (len(texts) - 1) + [False]
    assert len(texts) == 1 + -(-500 * 301 // LARGEST_TEXT)
    assert [message for text in texts for message in unpack(text)] == sent


def test_a_message_with_a_separator_remains_one_invalid_message() -> None:
    text, = pack([f'{{"v":1}}{SEPARATOR}{{}}', '{}'])
    assert unpack(text) == ['{"v":1}\x1f{}', '{}']


@given(st.lists(st.integers(0, 2**53), min_size=1), st.text())
def test_a_delivery_names_its_receivers(receivers: list[int], payload: str) -> None:
    assert parse_delivery(delivery(receivers, payload)) == (tuple(receivers), payload)
