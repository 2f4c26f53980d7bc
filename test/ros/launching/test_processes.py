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

"""Processes of a launch: their ends, and commands bound to it."""

from importlib.util import find_spec
import os
from pathlib import Path
import signal
import subprocess
import sys
import time

from launched import left_behind
from leader_election.parameters import ParameterError
from leader_election.ros.launching.bound import BIND, group_prefix, prefix
from leader_election.ros.launching.gazebo_processes import warn_of_buffers
from leader_election.ros.launching.processes import ends_on_error
from leader_election.swarm.fleet.receive_buffers import BUFFER_DEFAULT, ENOUGH_BUFFER
import pytest

LAUNCH = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import ExecuteProcess, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessExit, OnProcessStart
from leader_election.ros.launching.processes import ends_on_error
from leader_election.parameters import ParameterError

@ends_on_error
def nonsense(context):
    raise ParameterError('parameter robots: 0 is not allowed')

before = ExecuteProcess(cmd=['sleep', '100'])
service = LaunchService()
service.include_launch_description(LaunchDescription([
    RegisterEventHandler(OnProcessStart(
        target_action=before, on_start=[OpaqueFunction(function=nonsense)])),
    RegisterEventHandler(OnProcessExit(
        target_action=before, on_exit=lambda event, context: print('stopped', flush=True))),
    before]))
sys.exit(service.run())
"""

AFTER = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import ExecuteProcess
from leader_election.ros.launching.processes import shut_down_with_status, start_after

def process(*words, **options):
    return ExecuteProcess(cmd=['sh', '-c', *words], output='screen', **options)

service = LaunchService()
service.include_launch_description(LaunchDescription(start_after(
    process('exit FIRST'), [
        process('exec sleep 100', on_exit=shut_down_with_status),
        process('echo falls; exit 5', on_exit=shut_down_with_status)], 'it did not come')))
sys.exit(service.run())
"""

needs_launch = pytest.mark.skipif(
    # Not launch itself: a checkout has a folder of that name.
    find_spec('launch_ros') is None, reason='launch_ros is only in a full ROS 2')


def started(script: str, folder: Path) -> 'subprocess.Popen[str]':
    """Start a launch, whose processes are found by the folder."""
    return subprocess.Popen([sys.executable, '-c', script], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, env=os.environ | {'LAUNCHED': str(folder)})


ENDLESS = """
import os, shlex
from launch import LaunchDescription, LaunchService
from launch.actions import ExecuteProcess, OpaqueFunction
from leader_election.ros.launching.bound import prefix
from leader_election.ros.launching.processes import ends_on_error

@ends_on_error
def processes(context):
    return [ExecuteProcess(cmd=['sh', '-c', 'echo here; exec sleep 100'],
                           prefix=shlex.join(prefix()), output='screen') for _ in range(2)]

service = LaunchService()
service.include_launch_description(LaunchDescription([OpaqueFunction(function=processes)]))
raise SystemExit(service.run())
"""


@needs_launch
@pytest.mark.parametrize(('number', 'status'), [
    (signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGHUP, -signal.SIGHUP),
    (signal.SIGKILL, -signal.SIGKILL)])
def test_signal_to_the_launch_alone_leaves_no_process(tmp_path, number, status):
    """
    SIGINT goes on to processes that the terminal has not sent it to.

    The others end the launch at once.
    """
    with started(ENDLESS, tmp_path) as launch:
        await_lines(launch, 'here', 'here')
        launch.send_signal(number)
        said, _ = launch.communicate(timeout=60)
    assert launch.returncode == status, said
    assert left_behind(tmp_path) == []
    assert 'escalating' not in said


INTERRUPTS_START = """
import signal, sys

def interrupt(event, words):
    global started
    if event == 'subprocess.Popen' and 'echo here' in str(words) and not started:
        started = True
        signal.raise_signal(signal.SIGINT)

started = False
sys.addaudithook(interrupt)
"""


@needs_launch
def test_sigint_ends_processes_that_are_being_started(tmp_path):
    """A terminal has not sent it to them: the launch is still starting the first of them."""
    script = INTERRUPTS_START + ENDLESS
    with started(script, tmp_path) as launch:
        said, _ = launch.communicate(timeout=60)
    assert launch.returncode == 0, said
    assert left_behind(tmp_path) == []
    assert 'Traceback' not in said and 'escalating' not in said


def await_lines(launch: 'subprocess.Popen[str]', *parts: str) -> None:
    """Read output until lines with these parts have come, one after another."""
    assert launch.stdout is not None
    for part in parts:
        line = ''
        while part not in line:
            line = launch.stdout.readline()
            assert line, 'the launch has ended'


@needs_launch
@pytest.mark.parametrize(('first', 'status', 'said'), [(0, 5, 'falls'), (3, 3, None)])
def test_actions_start_after_a_process_that_ended_with_status_0(first, status, said):
    """The launch ends with the status of the process that failed."""
    ran = subprocess.run([sys.executable, '-c', AFTER.replace('FIRST', str(first))],
                         capture_output=True, text=True, timeout=60)
    assert ran.returncode == status, ran.stderr
    errors = [line for line in ran.stderr.splitlines() if line.startswith('error: ')]
    assert errors == ([] if said else ['error: it did not come'])
    assert ('falls' in ran.stdout) == bool(said)
    assert 'Traceback' not in ran.stdout + ran.stderr


@needs_launch
def test_error_is_one_line_and_status_2_and_stops_processes():
    ran = subprocess.run([sys.executable, '-c', LAUNCH], capture_output=True, text=True,
                         timeout=60)
    assert ran.returncode == 2, ran.stderr
    errors = [line for line in ran.stderr.splitlines() if line.startswith('error: ')]
    assert errors == ['error: parameter robots: 0 is not allowed']
    assert 'Traceback' not in ran.stdout + ran.stderr and 'stopped\n' in ran.stdout


def test_without_a_running_launch_the_error_is_raised():
    class Context:
        asyncio_loop = None

    @ends_on_error
    def nonsense(context: object) -> list[object]:
        raise ParameterError('parameter robots: 0 is not allowed')

    with pytest.raises(ParameterError, match='parameter robots'):
        nonsense(Context())


GROUP = group_prefix()[len(BIND):]
FORKS = """
import os, pathlib, subprocess, sys, time
# As a shell that starts a program: it does not hand signals on.
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])
pathlib.Path(sys.argv[1]).write_text(str(child.pid))
"""


def alive(pid: int) -> bool:
    """Return whether a process lives, and is not only not yet waited for."""
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False


def until_gone(pid: int) -> None:
    end = time.monotonic() + 60.0
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not alive(pid)


def child_of(file: Path) -> int:
    end = time.monotonic() + 60.0
    while not (file.exists() and file.read_text()) and time.monotonic() < end:
        time.sleep(0.05)
    return int(file.read_text())


@pytest.mark.parametrize(('robots', 'size', 'warns'), [
    (11, 212992, True), (10, 212992, False), (75, ENOUGH_BUFFER, False)])
def test_small_receive_buffers_are_warned_of_before_many_robots_start(robots, size, warns, capsys):
    warn_of_buffers(robots, {BUFFER_DEFAULT: size})
    said = capsys.readouterr().err
    assert ('net.core.rmem_default is 212992' in said and 'sudo sysctl -w' in said) == warns


@pytest.mark.parametrize(('words', 'last'), [(prefix(), 44), (group_prefix(), 84)],
                         ids=['alone', 'group'])
def test_sigint_at_the_start_of_a_bound_command_prints_nothing(words, last):
    for pause in range(4, last, 16):
        process = subprocess.Popen([*words, 'sleep', '60'], stderr=subprocess.PIPE, text=True)
        time.sleep(1e-3 * pause)
        process.send_signal(signal.SIGINT)
        assert process.communicate()[1] == ''


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_signal_to_the_wrapper_ends_the_command(tmp_path, number):
    file = tmp_path / 'pid'
    with subprocess.Popen([*GROUP, sys.executable, '-c', FORKS + 'time.sleep(300)', str(file)],
                          stderr=subprocess.DEVNULL) as process:
        child = child_of(file)
        process.send_signal(number)
        assert process.wait(timeout=60) in (1, 128 + number)
    until_gone(child)


def test_processes_of_the_command_end_with_it(tmp_path):
    file = tmp_path / 'pid'
    ran = subprocess.run([*GROUP, sys.executable, '-c', FORKS + 'sys.exit(3)', str(file)],
                         timeout=60)
    assert ran.returncode == 3
    until_gone(child_of(file))


@pytest.mark.parametrize('killed', ['parent', 'group'])
def test_command_ends_when_its_parent_process_ends(tmp_path, killed):
    """Also where that was killed, or the process at the head of the group was."""
    file = tmp_path / 'pid'
    starts = ('import subprocess, sys\n'
              'from leader_election.ros.launching.bound import group_prefix\n'
              'started = subprocess.Popen([*group_prefix(), *sys.argv[1:]])\n'
              'print(started.pid, flush=True)\nstarted.wait()')
    waits = ('import os, pathlib, sys, time\n'
             'pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))\ntime.sleep(300)')
    with subprocess.Popen([sys.executable, '-c', starts, sys.executable, '-c', waits, str(file)],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        group = int(process.stdout.readline())
        command = child_of(file)
        os.kill(process.pid if killed == 'parent' else group, signal.SIGKILL)
        process.wait(timeout=60)
    until_gone(group)
    until_gone(command)


def test_command_of_an_ended_launch_does_not_start(tmp_path):
    """Its process may have been slow to start."""
    with subprocess.Popen([sys.executable, '-c', '']) as launch:
        launch.wait(timeout=60)
    *words, _ = prefix()
    ran = subprocess.run([*words, str(launch.pid), 'touch', str(tmp_path / 'file')], timeout=60)
    assert ran.returncode == 1
    assert not (tmp_path / 'file').exists()


def test_bound_command_has_its_own_status_and_default_signals():
    """Python ignores SIGPIPE, which a command would inherit."""
    ran = subprocess.run([*prefix(), 'sh', '-c', 'kill -s PIPE $$; exit 3'], timeout=60)
    assert ran.returncode == -signal.SIGPIPE
    ran = subprocess.run([*prefix(), 'no-such-program'], capture_output=True, text=True,
                         timeout=60)
    assert ran.returncode == 127 and 'no-such-program: not found' in ran.stderr
