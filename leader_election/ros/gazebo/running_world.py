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
A running world in Gazebo Sim, through the command ``gz``: its models, and one more model in it.

Also the command ``gazebo_spawn``. The corresponding command of ros_gz waits forever if the world
does not run, and reports success if a model of that name exists already, as Gazebo does.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
import errno
import hashlib
import json
import math
import os
from pathlib import Path
import re
import socket
import subprocess
import sys
import time

from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import CommandLineParser, ExitStatus, print_error
from leader_election.ros.gazebo.plan import gazebo_topic

ANSWER = 5.0
"""The timeout for an answer of Gazebo [s]."""
ARRIVAL = 10.0
"""The timeout for a new model to appear in the world [s]."""
_PAUSE = 0.5
"""The time between two checks for the model [s]."""
_START = 20.0
"""The further time that the command itself may take [s]."""

Request = Callable[[str, str, str, str], str | None]
"""
A request of a service: its name, the types of request and reply without ``gz.msgs.``, the request.

Requests and replies are protobuf's text format; the reply is ``None`` if there was none.
"""


def gz_service(service: str, request: str, reply: str, text: str) -> str | None:
    """
    Make a request (:data:`Request`) by the command ``gz service``.

    :raises ParameterError: if there is no such command.
    """
    command = ['gz', 'service', '-s', service, '--reqtype', f'gz.msgs.{request}',
               '--reptype', f'gz.msgs.{reply}', '--timeout', str(round(1e3 * ANSWER)),
               '--req', text]
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=ANSWER + _START, check=False)
    except FileNotFoundError:
        raise ParameterError('the command gz of Gazebo Sim is not installed; source ROS, or '
                             'install ros-$ROS_DISTRO-ros-gz') from None
    except subprocess.TimeoutExpired:
        return None
    # Its exit status is 0 in any case, and an empty reply a line without text.
    failed = ran.returncode or 'timed out' in ran.stderr or 'Service call failed' in ran.stdout
    return None if failed else ran.stdout


def model_names(scene: str) -> set[str]:
    r"""
    Return the names of a world's models.

    :param scene: a ``gz.msgs.Scene`` as text.

    >>> model_names('name: "w"\nmodel {\n  name: "a"\n  link {\n    name: "l"\n  }\n}')
    {'a'}
    """
    blocks = re.findall(r'^model \{\n(.*?)^\}', scene, re.MULTILINE | re.DOTALL)
    return {name for block in blocks
            for name in re.findall(r'^  name: "(.*)"$', block, re.MULTILINE)}


def spawn(world: str, name: str, file: Path, pose: tuple[float, float, float, float],
          request: Request = gz_service) -> None:
    """
    Put a model into a running world, and wait until it is there.

    :param world: its name, arbitrary text.
    :param name: of the model.
    :param file: SDF.
    :param pose: x, y, z, yaw [m, rad].
    :param request: how Gazebo is asked.
    :raises ParameterError: if no such world runs, if there is a model of that name already or
        another process adds one, and if the new one does not appear.
    """
    place = gazebo_topic(f'/world/{world}')
    # Gazebo reports success for a second model of that name, and drops it.
    with reserved(f'{os.environ.get("GZ_PARTITION", "")}{place}/{name}') as free:
        if not free:
            raise ParameterError('name', problem=f': {name} is being put into world {world!r} by '
                                 'another process; give the robot another id or name')
        _spawn(world, place, name, file, pose, request)


@contextmanager
def reserved(name: str) -> Iterator[bool]:
    """
    Reserve a name among the processes of this computer.

    :return: whether no other process has it.
    """
    address = f'\0leader_election/spawn/{hashlib.sha256(name.encode()).hexdigest()}'
    # An abstract address: no file, free again at the end of the process.
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as reservation:
        try:
            reservation.bind(address)
        except OSError as error:
            yield error.errno != errno.EADDRINUSE
        else:
            yield True


def _spawn(world: str, place: str, name: str, file: Path,
           pose: tuple[float, float, float, float], request: Request) -> None:
    def models() -> set[str] | None:
        scene = request(f'{place}/scene/info', 'Empty', 'Scene', '')
        return None if scene is None else model_names(scene)

    there = models()
    if there is None:
        running = re.findall('data: "(.*?)"', request(
            '/gazebo/worlds', 'Empty', 'StringMsg_V', '') or '')
        others = f'these run: {", ".join(running)}' if running else (
            'none runs on this computer (or in this GZ_PARTITION); start one with ros2 launch '
            'leader_election gazebo.launch.py')
        raise ParameterError('world_name', problem=f': no world {world!r} answers; {others}')
    if name in there:
        raise ParameterError('name', problem=f': there is a model {name} in world {world!r} '
                             'already; give the robot another id or name')
    x, y, z, yaw = pose
    reply = request(
        f'{place}/create', 'EntityFactory', 'Boolean',
        f'sdf_filename: {_quoted(str(file))}, name: {_quoted(name)}, allow_renaming: false, '
        f'pose: {{position: '
        f'{{x: {x!r}, y: {y!r}, z: {z!r}}}, orientation: '
        f'{{z: {math.sin(yaw / 2)!r}, w: {math.cos(yaw / 2)!r}}}}}')
    deadline = time.monotonic() + ARRIVAL
    while reply is not None and 'true' in reply and time.monotonic() < deadline:
        if name in (models() or ()):
            return
        time.sleep(_PAUSE)
    raise ParameterError('world_name', problem=f': Gazebo did not put {name} into world '
                         f'{world!r}; see the log of its server')


def _quoted(text: str) -> str:
    """Return a string in protobuf's text format, whose escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Put the model of the command line into a running world; return the exit status.

    :param arguments: of the command line, by default those of this process. ROS arguments, as
        launch files give them, are ignored.
    """
    parser = CommandLineParser(
        prog='leader_election gazebo_spawn',
        description='Put a model into a running world of Gazebo Sim, and wait until it is there.')
    for option, text in (('--world', 'name of the running world'), ('--name', 'of the model'),
                         ('--file', 'SDF file with the model')):
        parser.add_argument(option, required=True, metavar='TEXT', help=text)
    for option in ('--x', '--y', '--z', '--yaw'):
        parser.add_argument(option, type=float, default=0.0, metavar='NUMBER',
                            help='initial pose [m, rad]; 0 unless given')
    words = list(sys.argv[1:] if arguments is None else arguments)
    options = parser.parse_args(words[:words.index('--ros-args')] if '--ros-args' in words
                                else words)
    try:
        spawn(options.world, options.name, Path(options.file).resolve(),
              (options.x, options.y, options.z, options.yaw))
    except ParameterError as error:
        return print_error(error)
    return ExitStatus.OK
