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

"""The demonstration: its options, and short runs as a process."""

from contextlib import suppress
import fcntl
from importlib.resources import files
import os
from pathlib import Path
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from urllib.request import urlopen

from environment import variables
from leader_election.ros.demo.main import parse
from leader_election.ros.nodes.qos import NEIGHBOURHOOD
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.scene import make_scene
from leader_election.swarm.reference_partition import links_within
from PIL import Image
import pytest
from rclpy.node import Node
from std_msgs.msg import String


def test_defaults_depend_on_logs_and_task():
    plain, patrol, logs = parse([]), parse(['--task', 'patrol']), parse(['--logs', 'physics5'])
    assert (plain.radius, plain.range, plain.robots, plain.duration) == (6.0, 4.0, 40, 30.0)
    assert (patrol.task, patrol.robots, patrol.duration) == ('patrol', 14, 60.0)
    assert (logs.radius, logs.range, logs.real_time_factor) == (3.0, 2.5, 8.0)
    # The filter has more to compute, and what is late spoils it.
    assert parse(['--logs', 'physics5', '--sightings']).real_time_factor == 5.0
    given = parse(['--logs', 'a', '--sightings', '--real-time-factor', '2', '--radius', '9.5'])
    assert (given.radius, given.real_time_factor) == (9.5, 2.0)


@pytest.mark.parametrize('robots', [3, 100])
def test_arena_is_as_large_as_the_robots_need(robots):
    alone = 0
    for seed in range(20):
        options = parse(['--robots', str(robots), '--seed', str(seed)])
        scene = make_scene(SceneParameters(robots=robots, seed=seed, world=options.world))
        places = {robot: (x, y) for robot, (x, y, _) in zip(scene.ids, scene.starts)}
        alone += sum(not near for near in links_within(places, options.range).values())
    assert alone < 0.05 * 20 * robots
    assert parse(['--robots', '4', '--world', 'rooms']).world == 'rooms'


@pytest.mark.parametrize(('arguments', 'named'), [
    (['--robots', '1'], '--robots'),
    (['--task', 'count', '--logs', 'physics5'], '--task'),
    (['--physics', '--logs', 'physics5'], '--physics: not allowed with --logs'),
    (['--task', 'gate', '--kill-period', '20'], '--kill-period: not allowed with'),
    (['--without-mandate'], '--without-mandate: needs --task gate'),
    (['--task', 'gate', '--robots', '2'], '--robots: one robot is killed, so there must be 3'),
    (['--sightings'], '--sightings: needs --logs'),
])
def test_wrong_options_end_with_status_2_and_name_the_option(arguments, named, capsys):
    with pytest.raises(SystemExit) as ended:
        parse(arguments)
    assert ended.value.code == 2
    assert named in capsys.readouterr().err.splitlines()[-1]


DEMO = [sys.executable, '-m', 'leader_election', 'demo']


def test_help_does_not_load_the_doctor():
    shown = subprocess.run([sys.executable, '-X', 'importtime', *DEMO[1:], '--help'],
                           capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0 and 'demo.task_scenarios' in shown.stderr
    assert 'doctor' not in shown.stderr


def run(tmp_path, *arguments, command=DEMO, env=None):
    return subprocess.run(
        [*command, '--output', str(tmp_path / 'out'), *arguments], env=env,
        capture_output=True, text=True, timeout=150, stdin=subprocess.DEVNULL)


SHORT = [sys.executable, '-c', """
from leader_election.ros.demo import main
from leader_election.ros.nodes import monitor
monitor.FRAME_PERIOD = 2.0
options = main.parse()
if options.kill_period:
    options.kill_period = 12.0
main.parse = lambda: options
raise SystemExit(main.main())
"""]
"""The command with fewer frames to draw, and kills in a shorter period than a user may choose."""


def left_behind(folder):
    """Return the running processes of a demonstration, found by their open log files."""
    found = []
    for process in Path('/proc').glob('[0-9]*'):
        try:
            if str(folder) in str((process / 'fd' / '1').resolve()):
                found.append(process.name)
        except OSError:
            pass
    return found


def test_demo_of_real_logs_passes(tmp_path):
    """The replay has the first 24 s of three logs."""
    for file in (files('leader_election.simulation') / 'logs' / 'physics5').iterdir():
        if file.name in ('robot_1.csv', 'robot_2.csv', 'robot_3.csv'):
            header, *rows = file.read_text().splitlines(keepends=True)
            (tmp_path / file.name).write_text(
                header + ''.join(row for row in rows if float(row.partition(',')[0]) < 24.0))
    done = run(tmp_path, '--logs', str(tmp_path), '--real-time-factor', '8')
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'by_truth_again: 3 of 3 robots were heard' in done.stdout
    (odometry, whole), (again, _) = re.findall(r'(\S+)%; +(\S+)%  by', done.stdout)
    assert 0.0 <= float(whole) <= float(odometry) <= 100.0 and 0.0 < float(again) <= 100.0
    assert Image.open(tmp_path / 'out' / 'agreement.png').width == 1200


def test_interrupted_demo_leaves_no_process(tmp_path):
    with subprocess.Popen([*DEMO, '--robots', '2', '--output', str(tmp_path / 'out')],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None and demo.stdout.readline().startswith('ROS domain ')
        # The command has a line of its own, so that it can be copied from a narrow terminal.
        assert demo.stdout.readline().startswith('  ROS_DOMAIN_ID=')
        # The first line of the monitor tells that it has started the others.
        assert ' robots ' in demo.stdout.readline()
        demo.send_signal(signal.SIGTERM)
        out, error = demo.communicate(timeout=60)
    assert demo.returncode == 130, out + error
    assert out.splitlines()[-1] == 'stopped: not checked' and error == ''
    assert left_behind(tmp_path) == []


def test_demo_in_a_terminal_passes_can_be_paused_and_writes_its_results(tmp_path):
    """The strongest of robots 1 to 4 is killed twice, and started again between."""
    page, output = tmp_path / 'run.html', tmp_path / 'out'
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.executable, [
            *SHORT, '--robots', '4', '--world', 'empty', '--radius', '30', '--range', '30',
            '--duration', '30', '--kill-period', '20', '--physics',
            '--task', 'count', '--html', str(page), '--output', str(output)])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 200, 0, 0))
    shown = ''

    def await_text(pattern: str) -> str:
        """Return what is shown from the last text to this one."""
        nonlocal shown
        while (found := re.search(pattern, shown)) is None:
            shown += os.read(terminal, 4096).decode(errors='replace')
        before, shown = shown[:found.end()], shown[found.end():]
        return before

    *_, address = await_text(r'http://localhost:\d+/').split()
    await_text('the strongest leader, robot 4, is killed')
    os.write(terminal, b' ')
    await_text('paused: the robots stand still')
    os.write(terminal, b' ')
    await_text('led 3 others when its process')
    said = ' '.join(await_text('demo: everything held').split())
    assert ' s, after 2 kills' in said
    assert '3 of 3 living robots have the leader that is right by true positions' in said
    assert 'ok count: on average the leaders count ' in said
    await_text('until a key is pressed')
    assert urlopen(address).status == 200
    os.write(terminal, b'x')
    with suppress(OSError):
        while os.read(terminal, 4096):
            pass
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    assert Image.open(output / 'partition.png').width == 1600
    assert Image.open(output / 'run.gif').n_frames > 3
    written = page.read_text()
    assert '4 robots, 1 of them silent at the end' in written
    assert 'Demonstration count' in written
    assert '"killed"' in written and 'first partition' in written
    assert left_behind(tmp_path) == []


def test_demo_prints_each_failure_when_robots_are_deaf(tmp_path):
    """The robots of all processes are deaf. There is no room for the pictures in the end."""
    (tmp_path / 'sitecustomize.py').write_text(
        'import resource, sys\n'
        'from leader_election.election.robot.reception import Reception\n'
        'Reception.accept = lambda *arguments: None\n'
        'if "demo" in sys.orig_argv:\n'
        '    from leader_election.ros.demo import swarm\n'
        '    from leader_election.ros.nodes import monitor\n'
        '    swarm.PATIENCE, monitor.LINE_PERIOD = 6.0, 0.5\n'
        '    report = swarm.SwarmDemo._report\n'
        '    def without_room(*arguments):\n'
        '        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))\n'
        '        return report(*arguments)\n'
        '    swarm.SwarmDemo._report = without_room\n')
    demo = run(tmp_path, '--robots', '4', '--world', 'empty', '--radius', '30', '--range', '30',
               '--duration', '4', env=variables(tmp_path))
    assert demo.returncode == 1
    failed = [line for line in demo.stdout.splitlines() if line.startswith('  FAIL')]
    for part in ('first right partition', 'the strongest, led 0 others', 'recovery, until',
                 'at the end 1 of 4', 'robots had this leader in 0.0%',
                 'results cannot be written: File too large'):
        assert any(part in line for line in failed), demo.stdout


def test_domain_of_the_user_is_kept_and_refused_when_robots_run_in_it(tmp_path, ros):
    robot = Node('election_node', namespace='robot_1')
    robot.create_publisher(String, '/neighbourhood', NEIGHBOURHOOD)
    done = run(tmp_path, '--robots', '4')
    [line] = done.stderr.splitlines()
    assert done.returncode == 2 and done.stdout.startswith(
        f'ROS domain {os.environ["ROS_DOMAIN_ID"]}; ')
    assert 'robots run in this domain already, among them /robot_1/election_node;' in line
