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
Fuzzing of every reader of a file, with mutations of small valid files.

A reader fails if it raises an error other than those that commands print as one line, needs more
than :data:`MEMORY`, takes longer than :data:`SECONDS`, or ends the process. Each turn runs in a
process of its own. Failing files are kept in ``.hypothesis/fuzz/files``. ``make fuzz`` runs this.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from io import BytesIO, StringIO
import os
from pathlib import Path
import random
import re
import resource
import shutil
import signal
from tempfile import TemporaryDirectory
import traceback
from typing import Any, NamedTuple

from leader_election.election.robot.zones import Zones
from leader_election.localisation.sighting import read_landmarks
from leader_election.parameters import LeaderElectionError
from leader_election.parameters.parameter_files import effective_parameters
from leader_election.ros.nodes.robot_topics import MandateFile
from leader_election.simulation.log_conversion import convert
from leader_election.simulation.logged_sightings import read_sightings
from leader_election.simulation.robot_logs import read_logs
from leader_election.simulation.scene import load_arena
from leader_election.swarm.fleet.fleet_file import load_fleet
from leader_election.swarm.fleet.key_file import read_keys
from leader_election.swarm.fleet.robot_list import parse_robot_list
from leader_election.swarm.recording import replay_command
from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.runs import store
from leader_election_lab.simulation.build import placements_of
from leader_election_lab.simulation.run import Run
from leader_election_lab.topologies.contacts import read_trace
from leader_election_lab.topologies.graphs import read_graph
import numpy as np
from simulation.test_log_conversion import bag, pose, ranged, twist
from swarm.recording.made import story, write

MEMORY = 500 * 2**20
"""The greatest memory of a reader, beyond that of the process before [bytes]."""
SECONDS = 20
"""The longest time of a reader [s]."""
KEPT = Path('.hypothesis/fuzz/files')
EXAMPLES = 100
"""The number of successive files of a reader."""


class TooSlow(BaseException):
    """A reader took too long. No reader catches this."""


class Reader(NamedTuple):
    """A reader of a folder, and a valid content: bytes by the names of files."""

    read: Callable[[Path], Any]
    files: dict[str, bytes]


_LOG = b't,v,omega,x,y,theta\n0,0.5,0,1,2,0\n0.1,0.5,0.1,1.05,2,0.01\n2.5,0,0,2,2,0.2\n'
_SEEN = b't,subject,range,bearing\n0.1,2,1.5,0.2\n0.2,7,,0.3\n'
_DATA = {
    'Robot1_Odometry.dat': b'# t v w\n1248272272.1 0.1 0\n1248272273.1 0.2 0.5\n',
    'Robot1_Groundtruth.dat': b'# t x y\n1248272272.0 1 2 3\n1248272274.0 2 2 3.1\n',
    'Robot1_Measurement.dat': b'1248272272.5 72 1.5 -0.25\n',
    'Barcodes.dat': b'# Subject Barcode\n1 5\n6 72\n',
    'Landmark_Groundtruth.dat': b'6 1.88 -5.57 0.0001 0.0001\n'}
_GRAPHML = b"""<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="x" attr.type="double"/>
<key id="d1" for="node" attr.name="y" attr.type="double"/>
<graph edgedefault="undirected">
<node id="0"><data key="d0">1.5</data><data key="d1">2</data></node>
<node id="1"><data key="d0">70</data><data key="d1">2</data></node><edge source="0" target="1"/>
</graph></graphml>"""
_SCENARIO = b"""duration: 60
algorithms: [{name: bounded, radius: 20}, {name: classic, radius: 9.5, label: other}]
devices:
- {kind: uniform, count: 20, low: [0, 0], high: [50, 30]}
- {kind: grid, columns: 4, rows: 3, step: [2.0, 3.0]}
motion: {kind: waypoint, speed: [0.5, 1.5], low: [0, 0], high: [50, 30]}
messages: {range: 12, loss: 0.1, delay: [0, 0.5]}
events: [{kind: fail, at: 20, devices: [3]}]
vary: {messages.loss: [0, 0.2]}
"""
_FLEET = b"""defaults: {communication_range: 5.0, radius: 8.0, tasks: 'patrol'}
types: {turtlebot4: {odom_topic: odom, radius: 6.0}}
robots:
  alice: {id: 1, type: turtlebot4, initial_pose: [0, 0, 0], hostname: tb4-07}
  bob: {id: 2, initial_pose: [1, 0, 3.14], patrol: {speed: 0.2}}
"""
_PARAMETERS = b"""/**:
  ros__parameters: {radius: 3.0, use_sim_time: true}
alice: {election_node: {ros__parameters: {strength: 0.5, roster: '1-3'}}}
"""


def _archive(**arrays: Any) -> bytes:
    file = BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _content(path: Path) -> bytes:
    return path.read_bytes()


def readers(folder: Path) -> dict[str, Reader]:
    """Return all readers by name. Some valid files are made in a folder."""
    write(folder / 'run.mcap', story())
    bag(folder / 'tiers', [
        *((t, f'/vrpn_client_node/turtlebot{robot}_cap/pose', pose(t, robot, 0.1, 3.0))
          for t in (0.0, 2.0) for robot in (1, 3)),
        (0.0, '/turtle01/odom', twist(1.0, 0.0, 0.0)),
        (1.0, '/uwb/tof/n_3/n_7/distance', ranged(4.5, 'frame'))])
    places = np.arange(8.0).reshape(4, 2)
    store.database_of(folder, 'a').parent.mkdir()
    with closing(store.Keeper(folder, 'a')) as keeper:
        keeper.keep(store.packed(Run(places, np.arange(3), 3.0)), ('f', 1))
    arrays = {f'optitrack_turtle0{robot}_{name}_np': values for robot in (1, 2)
              for name, values in (('pose', places), ('orientation', places[:, 0]))}
    murp = b't,A_x,A_y,A_z,A_yaw,r\n0,1,2,0.5,90,2.5\n1,1.5,2,0.5,91,\n2,2,2,0.5,92,2.75\n'

    def graph(name: str) -> Callable[[Path], Any]:
        return lambda inside: read_graph(str(inside / name))

    def one(read: Callable[[str], Any], name: str, content: bytes) -> Reader:
        return Reader(lambda inside: read(str(inside / name)), {name: content})

    def data_set(files: dict[str, bytes], name: str = '') -> Reader:
        return Reader(lambda inside: convert(inside / name, inside / 'logs'), files)

    def recording(inside: Path) -> None:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            replay_command.main([str(inside)])

    def scenario(path: str) -> None:
        placements_of(scenarios.load(path).groups, 0)

    def key(path: str) -> None:
        Path(path).chmod(0o600)
        read_keys(path)

    return {
        'scenario': one(scenario, 'mine.yaml', _SCENARIO),
        'fleet file': one(load_fleet, 'fleet.yaml', _FLEET),
        'parameter file': one(
            lambda path: effective_parameters(path, ['alice/election_node'], {}), 'p.yaml',
            _PARAMETERS),
        'robots': one(lambda path: parse_robot_list(Path(path).read_text(
            encoding='utf-8', errors='replace')), 'robots.txt',
            b'{name: a, pose: {x: 0.5}}; {name: b, id: 1}'),
        'arena': one(load_arena, 'arena.yaml', b'size: [20, 14]\nobstacles: [[[1, 1], [2, 1], '
                     b'[2, 3.5]], [[-3, -3], [-2, -3], [-2, -2]]]\n'),
        'zones': one(Zones, 'zones.yaml', b'hall: [[0, 0], [4, 0], [4, 3]]\n'
                     b'yard: [[10, 0], [14, 0.5], [14, 3]]\n'),
        'key': one(key, 'swarm.key', b'# signs\n' + 64 * b'a' + b'\n' + 64 * b'b' + b'\n'),
        'promises': one(lambda path: MandateFile(Path(path)), 'mandates.json', (
            b'{"promise": 3.5, "taken": [1, 5], "proven": [1, 5]}\n')),
        'landmarks': one(read_landmarks, 'landmarks.csv', b'id,x,y\n7,1,2\n8.0,3.5,-4\n'),
        'logs': Reader(lambda inside: (read_logs(str(inside)), read_sightings(
            str(inside), [1, 2])), {
                'robot_1.csv': _LOG, 'robot_2.csv': b't,x,y\n0,1,2\n1.5,1,2.5\n',
                'measurements/robot_1.csv': _SEEN,
                'measurements/landmarks.csv': b'id,x,y\n7,1,2\n'}),
        'contacts': one(lambda path: read_trace(Path(path)), 'contacts.csv',
                        b't,a,b,up,loss\n0,1,2,1,0.5\n5.5,2,9,1,\n20,1,2,0,0\n'),
        'graph': Reader(graph('town.graphml'), {'town.graphml': _GRAPHML}),
        'GML': Reader(graph('town.gml'), {
            'town.gml': b'graph [ node [ id 1 x 0.5 y 2 ] node [ id 2 x 7 y 2 ] '
                        b'edge [ source 1 target 2 ] ]'}),
        'edge list': Reader(
            lambda inside: read_graph(str(inside / 'links'), str(inside / 'places')),
            {'links': b'# links\n1 2\n2 3 {}\n3 1\n', 'places': b'1 0 0\n2 1.5 0\n3 1 1e1\n'}),
        'MCAP': Reader(recording, {'run.mcap': _content(folder / 'run.mcap')}),
        'MCAP without checksums': Reader(recording, {'run.mcap': _plain(folder / 'run.mcap')}),
        'MRCLAM': data_set(_DATA),
        'TIERS': data_set({'run_0.db3': _content(folder / 'tiers' / 'run_0.db3')}),
        'TIERS, arrays': data_set({'4robots_data_01.npz': _archive(
            **arrays, uwb_range_1_2_np=places[:, 1])}, '4robots_data_01.npz'),
        'MURP': data_set({f'01_base-{base}_targ-{3 - base}_win-1_step-1.csv': murp
                          for base in (1, 2)}),
        'runs of the laboratory': Reader(
            lambda inside: list(store.read(inside, 'a', [('f', 1)])),
            {'a.runs/runs.sqlite': _content(store.database_of(folder, 'a'))}),
    }


def names() -> list[str]:
    """Return the names of all readers."""
    with TemporaryDirectory() as folder:
        return [*readers(Path(folder))]


def _plain(path: Path) -> bytes:
    """Return a recording without chunks and checksums, whose messages can be damaged alone."""
    from mcap.reader import make_reader
    from mcap.writer import CompressionType, Writer
    output = BytesIO()
    writer = Writer(output, use_chunking=False, compression=CompressionType.NONE,
                    enable_crcs=False, enable_data_crcs=False)
    writer.start('ros2', 'fuzz')
    channels: dict[int, int] = {}
    with path.open('rb') as file:
        for schema, channel, message in make_reader(file).iter_messages():
            if schema is None:
                continue
            if channel.id not in channels:
                channels[channel.id] = writer.register_channel(
                    channel.topic, channel.message_encoding, writer.register_schema(
                        schema.name, schema.encoding, schema.data))
            writer.add_message(channels[channel.id], message.log_time, message.data, 0)
    writer.finish()
    return output.getvalue()


_NUMBER = re.compile(rb'-?\d+\.?\d*(?:[eE][-+]?\d+)?')
NUMBERS = (b'0', b'-1', b'1', b'0.5', b'nan', b'-inf', b'.inf', b'.nan', b'1e300', b'1e400',
           b'-1e-320', b'2147483648', b'9223372036854775808', b'1403636579763555584', b'010',
           b'1:30', b'1_0', b'1,5', b'1e9', b'1e18', 400 * b'9', b'', b'true', b'null', b'"7"',
           b'[1]', b'{a: 1}', b'0x7f', '١'.encode(), b'~', b'*a', b'1000000', b'100000')
PIECES = (b'\xef\xbb\xbf', b'\0', b'\t', b'\r', b'\n\n', b'#', b'"', b"'", b',', b';', b':', b'{',
          b'[', b'}', b']', b'\xb5', b'&a ', b'<<: ', b'---\n', b'!!float ', b'!!python/name:os ',
          b'\xff\xff\xff\xff', 8 * b'\0', 8 * b'\xff', np.float64('nan').tobytes(),
          np.float64(1e300).tobytes(), np.float64('inf').tobytes(), 3000 * b'[', b'\xed\xa0\x80')


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return a content with one to four mutations of bytes, lines and numbers."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        place = chance.randrange(len(content) + 1)
        after = min(len(content), place + chance.choice((0, 1, 4, 8, 100)))
        kind = chance.randrange(6)
        if kind == 0 and (found := [*_NUMBER.finditer(content)]):
            number = chance.choice(found)
            content = (content[:number.start()] + chance.choice(NUMBERS)
                       + content[number.end():])
        elif kind == 1:
            content = content[:place] + chance.choice(PIECES) + content[after:]
        elif kind == 2:
            content = content[:place] + chance.randbytes(after - place) + content[after:]
        elif kind == 3:
            lines = content.splitlines(keepends=True) or [b'']
            one, other = chance.choices(range(len(lines)), k=2)
            lines[one] = chance.choice((b'', 2 * lines[one], lines[other], lines[one].strip()))
            content = b''.join(lines)
        elif kind == 4:
            content = content[:place] + content[after:]
        else:
            content = content[:place] if chance.random() < 0.3 else content.replace(
                *chance.choice(((b',', b';'), (b'\n', b'\r\n'), (b' ', b'\t'), (b'.', b','))))
    return content


def failures(name: str, seed: int, examples: int) -> Iterator[str]:
    """
    Yield what went wrong with some mutated files of a reader.

    :param name: of the reader.
    :param seed: of the mutations.
    """
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receiving)
        try:
            with os.fdopen(sending, 'w', encoding='utf-8', errors='replace') as told:
                _try(name, seed, examples, lambda text: print(text, file=told, flush=True))
            os._exit(0)
        finally:
            os._exit(1)
    os.close(sending)
    last = ''
    with os.fdopen(receiving, encoding='utf-8', errors='replace') as told:
        for line in told:
            if line.startswith('trying '):
                last = line.strip()
            else:
                yield line.rstrip('\n')
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        yield f'the process ended with {status}, {last}'


def _try(name: str, seed: int, examples: int, tell: Callable[[str], None]) -> None:
    def too_slow(number: int, frame: object) -> None:
        raise TooSlow(f'longer than {SECONDS} s')
    signal.signal(signal.SIGALRM, too_slow)
    with TemporaryDirectory() as made:
        reader = readers(Path(made))[name]
    used = int(Path('/proc/self/statm').read_text(encoding='utf-8').split()[0])
    most = used * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for example in range(examples):
        tell(f'trying seed {seed}, example {example}')
        chance = random.Random(f'{seed} {example}')
        with TemporaryDirectory() as place:
            folder = Path(place) / 'files'
            spoiled = chance.choice([*reader.files])
            for file, content in reader.files.items():
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).write_bytes(
                    mutated(content, chance) if file == spoiled else content)
            signal.alarm(SECONDS)
            try:
                reader.read(folder)
            except LeaderElectionError:
                pass
            except BaseException as error:  # noqa: BLE001 - any other one is a failure
                signal.alarm(0)
                shutil.copytree(folder, KEPT / name / f'{seed}_{example}', dirs_exist_ok=True)
                for line in traceback.format_exception(error)[-4:]:
                    tell(line.rstrip('\n'))
            finally:
                signal.alarm(0)
