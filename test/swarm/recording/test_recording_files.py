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

"""Recordings are read as far as they are intact."""

from pathlib import Path
import sqlite3

from budget import examples
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from hypothesis import given, settings, strategies
from leader_election.ros.nodes.recorder import message_definition
from leader_election.swarm.recording.content import RecordingError
from leader_election.swarm.recording.recording_files import Reader
from leader_election.swarm.recording.replay_command import main
from mcap.reader import make_reader
from mcap.records import Schema
from mcap.writer import CompressionType, Writer
from mcap_ros2.decoder import DecoderFactory
from nav_msgs.msg import Odometry
import pytest
from rclpy.serialization import serialize_message
from std_msgs.msg import Int64MultiArray, String
from swarm.recording.made import arena, kind_of, START, story, word, write


def read(path: Path) -> tuple[list[tuple[float, str]], Reader]:
    """Return times from the start and payloads of the messages of robots, and the reader."""
    reader = Reader(path)
    entries = reader.entries(lambda topic, kind: topic == '/neighbourhood')
    return [(round(e.time - START, 3), e.message.data) for e in entries], reader


def test_written_messages_are_read_back(recorded):
    said, reader = read(recorded)
    assert said == [(round(t, 3), m.data) for t, topic, m in story() if topic == '/neighbourhood']
    assert reader.damages == [] and reader.unreadable == 0
    with recorded.open('rb') as file:
        summary = make_reader(file).get_summary()
    assert summary.statistics.message_count == len(story())
    assert len(summary.chunk_indexes) == 21


def test_truncated_recording_is_read_up_to_the_cut(recorded, tmp_path):
    everything, _ = read(recorded)
    content, path, last = recorded.read_bytes(), tmp_path / 'cut.mcap', 0
    for length in range(8, len(content), len(content) // 20):
        path.write_bytes(content[:length])
        said, reader = read(path)
        assert said == everything[:len(said)] and len(said) >= last
        assert reader.damages == [path]
        last = len(said)
    assert last == len(everything)


@settings(max_examples=examples(60))
@given(strategies.data())
def test_reader_stops_at_a_wrong_byte(recorded, data):
    content = bytearray(recorded.read_bytes())
    place = data.draw(strategies.integers(8, len(content) - 1))
    content[place] ^= data.draw(strategies.integers(1, 255))
    path = recorded.parent / 'wrong.mcap'
    path.write_bytes(content)
    before = recorded.parent / 'before.mcap'
    before.write_bytes(content[:place])
    said, _ = read(path)
    sure, _ = read(before)
    assert said[:len(sure)] == sure


@pytest.mark.parametrize('options', [
    {'use_chunking': False}, {'compression': CompressionType.NONE},
    {'compression': CompressionType.LZ4}], ids=str)
def test_recordings_with_any_chunks_and_compression_are_read(options, tmp_path):
    path = tmp_path / 'bag_0.mcap'
    with path.open('wb') as file:
        writer = Writer(file, **options)
        writer.start('ros2', 'libmcap 1.3')
        schema = writer.register_schema('std_msgs/msg/String', 'ros2msg', b'string data')
        other = writer.register_schema('odd_msgs/msg/Odd', 'ros2idl', b'struct Odd {};')
        channel = writer.register_channel('/neighbourhood', 'cdr', schema, {})
        odd = writer.register_channel('/neighbourhood', 'cdr', other, {})
        for sequence, data in enumerate((b'\0\1\0\0\3\0\0\0hi\0', b'\0\1\0\0\3\0')):
            writer.add_message(channel, round(START * 1e9), data, 0, sequence)
            writer.add_message(odd, 1, b'\0\1\0\0', 0)
        writer.add_metadata('rosbag2', {'serialized_metadata': 'version: 9'})
        writer.finish()
    said, reader = read(path)
    assert said == [(0.0, 'hi')]
    assert reader.unreadable == 1 and reader.damages == []


def test_messages_are_read_by_log_time_over_all_files(recorded, tmp_path):
    """As a tool writes them that puts topics one after the other, and as robots record them."""
    everything, _ = read(recorded)
    write(tmp_path / 'topics.mcap', sorted(story(), key=lambda each: each[1]))
    found, reader = read(tmp_path / 'topics.mcap')
    assert sorted(found) == sorted(everything) and reader.damages == []
    assert [time for time, _ in found] == [time for time, _ in everything]
    parts = tmp_path / 'parts'
    parts.mkdir()
    for number in (1, 2):
        write(parts / f'robot_{3 - number}.mcap', story()[number - 1::2])
    assert [time for time, _ in read(parts)[0]] == [time for time, _ in everything]


def test_folder_of_ros2_bag_is_read_file_by_file(tmp_path):
    for number in (10, 9, 0):
        write(tmp_path / f'bag_{number}.mcap', [(float(number), '/neighbourhood', word(1, 1))])
    (tmp_path / 'metadata.yaml').write_text('rosbag2_bagfile_information:')
    (tmp_path / 'bag_1.mcap').touch()
    said, reader = read(tmp_path)
    assert [time for time, _ in said] == [0.0, 9.0, 10.0]
    assert reader.damages == [tmp_path / 'bag_1.mcap']


def test_reader_prints_one_line_when_a_file_is_of_another_kind(tmp_path):
    (tmp_path / 'empty.mcap').touch()
    (tmp_path / 'nothing').mkdir()
    (tmp_path / 'nothing' / 'bag_0.mcap.zstd').touch()
    for name, line in (('empty.mcap', 'is not a recording'), ('none.mcap', 'No such file'),
                       ('nothing', r'folder of files \*.mcap or \*.db3, unpacked')):
        with pytest.raises(RecordingError, match=line):
            Reader(tmp_path / name)


def in_sqlite(path: Path, recording: Path, defined: bool = True) -> Path:
    """Write the content of a recording as a bag in SQLite, with the tables of rosbag2."""
    with recording.open('rb') as source, sqlite3.connect(path) as file:
        file.executescript("""
            CREATE TABLE topics (id INTEGER PRIMARY KEY, name TEXT, type TEXT,
                                 serialization_format TEXT, offered_qos_profiles TEXT);
            CREATE TABLE messages (id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER,
                                   data BLOB);""")
        if defined:
            file.execute('CREATE TABLE message_definitions (id INTEGER PRIMARY KEY, topic_type '
                         'TEXT, encoding TEXT, encoded_message_definition TEXT)')
        reader = make_reader(source)
        summary = reader.get_summary()
        for channel in summary.channels.values():
            schema = summary.schemas[channel.schema_id]
            file.execute('INSERT INTO topics VALUES (?, ?, ?, ?, ?)',
                         (channel.id, channel.topic, schema.name, 'cdr', ''))
        for schema in summary.schemas.values() if defined else ():
            file.execute('INSERT INTO message_definitions VALUES (?, ?, ?, ?)',
                         (schema.id, schema.name, schema.encoding, schema.data.decode()))
        file.executemany('INSERT INTO messages (topic_id, timestamp, data) VALUES (?, ?, ?)', (
            (channel.id, message.log_time, message.data)
            for _, channel, message in reader.iter_messages()))
    return path


def test_bag_in_sqlite_is_read_like_a_recording(recorded, tmp_path):
    bag = in_sqlite(tmp_path / 'bag_0.db3', recorded)
    said, reader = read(tmp_path)
    assert said == read(recorded)[0]
    assert (reader.damages, reader.unreadable, reader.undefined) == ([], 0, {})
    bag.write_bytes(bag.read_bytes()[:bag.stat().st_size // 2])
    part, reader = read(bag)
    assert part == said[:len(part)]
    assert reader.damages == [bag]
    bag.write_bytes(b'SQLite format 3')
    assert read(bag)[1].damages == [bag]


def test_bag_in_sqlite_without_definitions_names_the_remedy(recorded, tmp_path):
    said, reader = read(in_sqlite(tmp_path / 'bag.db3', recorded, defined=False))
    assert said == []
    assert 'ros2 bag convert' in reader.undefined['/neighbourhood']


def raw(path: Path, encoding: str, definition: bytes, data: bytes) -> Path:
    """Write a recording of two messages on ``/neighbourhood``."""
    with path.open('wb') as file:
        writer = Writer(file)
        writer.start('ros2', 'libmcap 1.3')
        schema = writer.register_schema('std_msgs/msg/String', encoding, definition)
        channel = writer.register_channel('/neighbourhood', 'cdr', schema, {})
        for sequence in (0, 1):
            writer.add_message(channel, sequence, data, 0, sequence)
        writer.finish()
    return path


@pytest.mark.parametrize('encoding, definition, data, line', [
    ('ros2msg', b'\xff\xfe $$$', b'', 'the definition of std_msgs/msg/String cannot be parsed'),
    ('', b'', b'', 'the definition of std_msgs/msg/String is missing; ros2 bag '),
    ('ros2idl', b'module std_msgs {};', b'', 'cannot be parsed; it takes ros2msg and cdr'),
    ('ros2msg', b'int32 data', b'\0\1\0\0\3\0\0\0',
     'messages that do not match their types, or hold no possible place or time, were left '
     'out: 2'),
], ids=str)
def test_reader_prints_one_line_when_the_encoding_is_unknown(
        encoding, definition, data, line, tmp_path, capsys):
    assert main([str(raw(tmp_path / 'run.mcap', encoding, definition, data))]) == 2
    out, err = capsys.readouterr()
    assert out == '' and err.startswith('error: ') and err.count('\n') == 1 and line in err


def test_damage_is_reported_by_file(tmp_path, capsys):
    """The first is cut off. The other is no recording."""
    path = write(tmp_path / 'bag_0.mcap', [
        (float(t), '/neighbourhood', word(1, 1)) for t in range(20)])
    content = path.read_bytes()
    path.write_bytes(content[:len(content) // 2])
    (tmp_path / 'bag_1.mcap').write_bytes(content[:100])
    assert main([str(tmp_path)]) == 0
    assert sorted(capsys.readouterr().err.splitlines()) == [
        f'warning: {tmp_path}/bag_{number}.mcap is cut off or damaged; its intact part was read'
        for number in (0, 1)]


@pytest.mark.parametrize('message', [
    String(data='ünï'), Int64MultiArray(data=[3, 5]), Odometry(child_frame_id='base'),
    arena((0.0, 1.0), (2.0, 3.0)), DiagnosticArray(status=[DiagnosticStatus(
        level=b'\1', name='n', values=[KeyValue(key='k', value='v')])])], ids=kind_of)
def test_recorded_type_is_read_by_its_definition(message):
    kind = kind_of(message)
    text = message_definition(kind)
    decode = DecoderFactory().decoder_for('cdr', Schema(1, text.encode(), 'ros2msg', kind))
    same(decode(serialize_message(message)), message)


def same(read, message):
    """Compare what was read with a message, field by field, all the way down."""
    if hasattr(message, 'get_fields_and_field_types'):
        for field in message.get_fields_and_field_types():
            same(getattr(read, field), getattr(message, field))
    elif hasattr(message, 'tolist'):
        assert list(read) == message.tolist()
    elif isinstance(message, (list, tuple)) or type(message).__name__ == 'array':
        assert len(read) == len(message)
        for one, other in zip(read, message):
            same(one, other)
    elif isinstance(message, bytes):
        assert bytes([read]) == message
    else:
        assert read == message
