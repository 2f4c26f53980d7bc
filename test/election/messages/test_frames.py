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

"""Frames of a serial line: each packet whole or not at all, whatever happens to the bytes."""

from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.election.messages.frames import frame, FrameReader, room
import pytest

LENGTH = 300


@settings(max_examples=examples(100))
@given(st.lists(st.binary(min_size=1, max_size=room(LENGTH)), max_size=5), st.integers(1, 50))
def test_packets_are_read_whole_when_bytes_come_in_pieces(packets: list[bytes], step: int) -> None:
    stream, reader = b''.join(map(frame, packets)), FrameReader(LENGTH)
    found = [packet for i in range(0, len(stream), step)
             for packet in reader.read(stream[i:i + step])]
    assert (found, reader.damaged) == (packets, 0)


@pytest.mark.parametrize('byte', [b'\0', b'\1', b'\xff'])
@pytest.mark.parametrize('length', [128, 254, 255, 256, 257, 258, 508, 509, 1000])
def test_frame_is_never_longer_than_its_length(length: int, byte: bytes) -> None:
    packet = byte * room(length)
    assert len(frame(packet)) <= length
    assert [*FrameReader(length).read(frame(packet))] == [packet]


@settings(max_examples=examples(200))
@given(st.binary(min_size=1, max_size=60), st.data())
def test_frame_with_a_wrong_bit_is_left_out_and_the_next_is_read(
        packet: bytes, data: st.DataObject) -> None:
    bits = bytearray(frame(packet))
    where = data.draw(st.integers(1, len(bits) - 2))
    bits[where] ^= 1 << data.draw(st.integers(0, 7))
    reader = FrameReader(LENGTH)
    assert [*reader.read(bytes(bits) + frame(b'next'))] == [b'next']
    assert reader.damaged in (1, 2)


@settings(max_examples=examples(200))
@given(st.binary(max_size=2000), st.integers(0, 60))
def test_garbage_and_half_frames_are_left_out(garbage: bytes, cut: int) -> None:
    reader = FrameReader(LENGTH)
    assert [*reader.read(garbage + frame(b'half a frame')[:cut - 1] + frame(b'next'))][-1:] == [
        b'next']
    for _ in range(2):
        assert [*reader.read(b'x' * 100000)] == [] and len(reader._rest) == LENGTH + 1


def test_longest_frame_is_read_and_a_longer_one_is_not() -> None:
    packet = b'x' * 294
    length = len(frame(packet)) - 2
    assert [*FrameReader(length).read(frame(packet))] == [packet]
    assert [*FrameReader(length - 1).read(frame(packet))] == []


@pytest.mark.parametrize('wrong', [b'\1', b'\5abcd', b'\xff', b'x' * (LENGTH + 1)])
def test_wrong_frame_is_counted(wrong: bytes) -> None:
    reader = FrameReader(LENGTH)
    for number in (1, 2):
        assert [*reader.read(b'\0' + wrong + b'\0')] == [] and reader.damaged == number
