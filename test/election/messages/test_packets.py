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

"""Packets and frames of links: each message once, whatever the network does to them."""

from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.election.messages.packets import (
    COUNTERS,
    frame,
    FrameReader,
    HEADER,
    LARGEST,
    MOST_NEW,
    MOST_PEERS,
    MOST_ROBOTS,
    packet,
    PacketReader,
    RESYNC,
    room,
    WINDOW,
)
import pytest

ME, OTHER = 1, 2


def read(numbers: list[int], rate: float = 1e6) -> tuple[list[str | None], PacketReader]:
    """Return what a reader gives for the packets with these numbers, and the reader."""
    reader = PacketReader(ME, rate)
    return [reader.read(packet(OTHER, number, f'm{number}'), 0.0) for number in numbers], reader


@pytest.mark.parametrize(('numbers', 'given', 'lost', 'repeated'), [
    ([0, 1, 2], 'm0 m1 m2', 0, 0), ([0, 0, 1, 1], 'm0 m1', 0, 2), ([0, 3], 'm0 m3', 2, 0),
    ([0, 3, 1], 'm0 m3 m1', 1, 0), ([5, 4], 'm5 m4', -1, 0), ([0, 100, 1], 'm0 m100', 99, 1),
    ([2**32 - 1, 2**32], 'm4294967295 m4294967296', 0, 0),
    ([0, 1, 0], 'm0 m1', 0, 1), ([0, WINDOW - 1, 0], 'm0 m63', 62, 1),
    ([WINDOW, 1], 'm64 m1', -1, 0), ([WINDOW, 0], 'm64', 0, 1)])
def test_each_packet_is_read_once_and_gaps_are_counted(
        numbers: list[int], given: str, lost: int, repeated: int) -> None:
    found, reader = read(numbers)
    assert ' '.join(each for each in found if each) == given
    assert (reader.counts['lost'], reader.counts['repeated']) == (lost, repeated)


@settings(max_examples=examples(100))
@given(st.lists(st.integers(0, 200), max_size=80), st.integers(0, 2**32 - 1))
def test_no_packet_is_read_twice(numbers: list[int], first: int) -> None:
    reader, given = PacketReader(ME, 1e6), list[int]()
    for number in numbers:
        if reader.read(packet(OTHER, first + number, 'm'), 0.0) is not None:
            given.append(number)
    assert len(given) == len(set(given))
    newest = -1
    for number in numbers:
        if number > newest - WINDOW:
            assert number in given
        newest = max(newest, number)


@settings(max_examples=examples(100))
@given(st.binary(max_size=60), st.binary(max_size=4))
def test_strange_packets_are_counted_and_not_passed_on(data: bytes, start: bytes) -> None:
    reader = PacketReader(ME, 10.0)
    for each in (data, b'LE1' + data, packet(OTHER, 0, '')):
        message = reader.read(each, 0.0)
        assert message is None or each.startswith(b'LE1') and len(each) > HEADER.size
    assert sum(reader.counts.values()) >= 3 and set(reader.counts) == set(COUNTERS)


def test_own_packet_comes_back_unread() -> None:
    reader = PacketReader(ME, 10.0)
    for number in (1, 2):
        assert reader.read(packet(ME, 0, 'm'), 0.0) is None and reader.counts['own'] == number


def test_largest_message_is_read_and_no_larger_one() -> None:
    largest = packet(OTHER, 0, 'x' * LARGEST)
    assert len(largest) == HEADER.size + LARGEST
    assert PacketReader(ME, 10.0).read(largest, 0.0) == 'x' * LARGEST
    assert PacketReader(ME, 10.0).read(largest + b'x', 0.0) is None


def test_flood_of_one_sender_is_left_out_and_others_are_heard() -> None:
    reader = PacketReader(ME, 10.0)
    heard = [reader.read(packet(OTHER, n, 'm'), 0.001 * n) for n in range(1000)]
    assert 15 <= sum(each is not None for each in heard) <= 25
    assert reader.counts['flooded'] == 1000 - reader.counts['heard']
    assert reader.read(packet(3, 0, 'm'), 1.0) == 'm'
    assert reader.read(packet(OTHER, 1000, 'm'), 5.0) == 'm'


@pytest.mark.parametrize('packets', [
    [(0, 0.0, True), (1, 0.0, True), (2, 0.0, True), (3, 0.0, False), (4, 1 / 3, True)],
    # Packet 0 again is left out, and does not change how many may follow.
    [(0, 0.0, True), (1, 0.0, True), (2, 0.0, True), (0, 1 / 3, False), (3, 1 / 3, True),
     (4, 1 / 3, False)]])
def test_three_packets_may_come_at_once_at_three_a_second(
        packets: list[tuple[int, float, bool]]) -> None:
    reader = PacketReader(ME, 3.0)
    for number, now, is_heard in packets:
        assert (reader.read(packet(OTHER, number, 'm'), now) == 'm') == is_heard


def test_oldest_sender_is_forgotten_first() -> None:
    reader = PacketReader(ME, 10.0)
    for start in range(3, 4 + MOST_PEERS):
        reader.read(packet(start, 0, 'm'), float(start))
    last = 4.0 + MOST_PEERS
    assert [reader.read(packet(start, 0, 'm'), last) for start in (4, 3)] == [None, 'm']
    assert len(reader.peers(last + 2.0, 2.0)) == 2 and not reader.peers(last + 2.0, 1.9)


def hears(me: PacketReader, other: PacketReader, room: int = 1000, number: int = 9) -> None:
    assert me.read(other.report(number, 0.0, 10.0, room), 0.0) is None


def test_report_tells_a_sender_what_of_its_packets_was_heard_and_lost() -> None:
    me, other = PacketReader(ME, 1e6), PacketReader(OTHER, 1e6)
    hears(me, other, number=0)
    assert me.peers(0.0, 10.0)[OTHER].told == (0, 0), 'it hears nobody'
    for number in (0, 1, 5):
        other.read(packet(ME, number, f'{{"v":1,"id":{number},"frame":"map"}}'), 0.0)
    hears(me, other, number=1)
    assert me.peers(0.0, 10.0)[OTHER].told == (3, 3)
    assert other.peers(0.0, 10.0)[ME].robots == {0, 1, 5}
    assert me.counts['heard'] == 2 and me.counts['lost'] == 0


def test_short_reports_tell_one_sender_after_the_other() -> None:
    me, other = PacketReader(ME, 1e6), PacketReader(OTHER, 1e6)
    for start in (7, 8, ME, 9, 10):
        other.read(packet(start, 0, 'm'), 0.0)
    told = []
    for number in range(3):
        assert len(other.report(number, 0.0, 10.0, 48)) <= HEADER.size + 48
        hears(me, other, 48, number)
        told.append(me.peers(0.0, 10.0)[OTHER].told)
    assert told == [(None, 0), (1, 0), (1, 0)]


def test_counts_and_number_of_a_report_wrap() -> None:
    me, other = PacketReader(ME, 1e6), PacketReader(OTHER, 1e6)
    other.read(packet(ME, 0, 'm'), 0.0)
    peer = other.peers(0.0, 10.0)[ME]
    peer.heard, peer.lost = 2**32 + 1, 2**32 + 2
    hears(me, other, number=2**32)
    assert me.peers(0.0, 10.0)[OTHER].told == (1, 2)


@pytest.mark.parametrize('content', [b'1', bytes(17), bytes(1 + 16)])
def test_wrong_report_is_strange(content: bytes) -> None:
    reader = PacketReader(ME, 10.0)
    assert reader.read(HEADER.pack(b'LR1', OTHER, 0) + content, 0.0) is None
    assert reader.counts['strange'] == 1 and not reader.peers(0.0, 1.0)


def test_robots_of_a_sender_are_bounded() -> None:
    reader = PacketReader(ME, 1e6)
    for number in range(100):
        reader.read(packet(OTHER, number, f'{{"v":1,"id":{number}}}'), 0.0)
    assert reader.peers(0.0, 1.0)[OTHER].robots == set(range(MOST_ROBOTS))


# Attacks by somebody who sends packets, but has no swarm key.

def test_flood_under_new_starts_is_left_out_and_known_senders_are_heard() -> None:
    reader, heard = PacketReader(ME, 50.0), 0
    reader.read(packet(OTHER, 0, 'm'), 0.0)
    for k in range(10000):
        heard += reader.read(packet(1000 + k, 0, 'm'), 1e-3 * k) is not None
        if k % 500 == 0:
            assert reader.read(packet(OTHER, 1 + k, 'm'), 1e-3 * k) == 'm'
    assert heard <= MOST_NEW + 10 and reader.counts['flooded'] == 10000 - heard


def test_new_sender_is_heard_after_a_flood_of_others() -> None:
    reader = PacketReader(ME, 50.0)
    heard = [reader.read(packet(1000 + k, 0, 'm'), 0.0) for k in range(1000)]
    assert heard.count('m') == MOST_NEW
    assert [reader.read(packet(OTHER, 0, 'm'), now) for now in (0.5, 2.0)] == [None, 'm']


def test_forged_packet_far_ahead_silences_its_sender_for_seconds_only() -> None:
    reader = PacketReader(ME, 50.0)
    for second in range(60):
        heard = reader.read(packet(OTHER, second, 'm'), float(second))
        if second == 9:
            reader.read(packet(OTHER, 2**30, 'forged'), 9.5)
        assert (heard is not None) == (not 10 <= second <= 9 + RESYNC)
    assert reader.counts['lost'] <= 100, 'no sender can have sent more'


def test_numbers_begin_anew_after_late_packets_alone() -> None:
    reader = PacketReader(ME, 50.0)
    heard = [reader.read(packet(OTHER, number, 'm'), now) for number, now in (
        (WINDOW, 0.0), (0, RESYNC - 0.1), (0, RESYNC), (0, RESYNC))]
    assert heard == ['m', None, 'm', None] and reader.counts['lost'] == 0


def test_sender_that_restarts_is_heard_at_once() -> None:
    reader = PacketReader(ME, 50.0)
    assert all(reader.read(packet(start, number, 'm'), 0.0)
               for start in (OTHER, 3) for number in range(5))
    assert (reader.counts['lost'], reader.counts['repeated']) == (0, 0)


# Frames of a serial line: each packet whole or not at all, whatever happens to the bytes.

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
