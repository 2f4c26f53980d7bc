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

"""The code and the commands of the tutorials do what the tutorials say."""

from collections import Counter
from contextlib import ExitStack
from dataclasses import fields
import importlib.util
import json
import math
from pathlib import Path
import re
import shlex
import signal
import subprocess
import sys
from typing import Any

from benchmarks.logged_swarm import LoggedSwarm
from environment import needs, needs_laboratory, variables
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.localisation.own_sightings import MEASUREMENTS_REJECTED
from leader_election.localisation.sighting import rows_of
from leader_election.ros.nodes.qos import SENSOR
from leader_election.simulation.motion import compose
from leader_election.simulation.parameters import WorldParameters
from nav_msgs.msg import Odometry
import numpy as np
import pytest
from rclpy.node import Node
from ros.nodes.bench import Bench, robot
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Float64MultiArray, Header
from support import spin_until, write_files
import yaml

ROOT = Path(__file__).parents[1]


def run(folder: Path, *arguments: str) -> str:
    """Run Python in the folder, as the tutorial says, and return what it printed."""
    ran = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=variables(folder), timeout=240,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


@pytest.mark.parametrize(('tutorial', 'count'), [
    ('write_a_task.md', 1), ('write_an_algorithm.md', 3)])
def test_tests_of_a_tutorial_pass(tutorial: str, count: int, tmp_path: Path) -> None:
    write_files(f'tutorials/{tutorial}', tmp_path)
    if (tmp_path / 'setup.py').exists():
        run(tmp_path, 'setup.py', '-q', 'egg_info')
    said = run(tmp_path, '-m', 'pytest', '-q', '-p', 'no:cacheprovider')
    assert f'{count} passed' in said


@needs_laboratory
def test_commands_of_the_laboratory_section_run(tmp_path: Path) -> None:
    """Run all commands with fewer devices and for less time."""
    write_files('tutorials/write_an_algorithm.md', tmp_path)
    run(tmp_path, 'setup.py', '-q', 'egg_info')
    scenario = (tmp_path / 'loyal.yaml').read_text()
    for usual, less in (('600', '20'), ('300', '10'), ('200', '12'), ('24, 24', '6, 6')):
        assert usual in scenario
        scenario = scenario.replace(usual, less)
    (tmp_path / 'loyal.yaml').write_text(scenario)
    lines = [line for block in blocks('write_an_algorithm.md', 'sh')
             for line in block.splitlines() if ' lab ' in line]
    assert [line.split()[4] for line in lines] == ['run', 'compare', 'figure', 'report', 'run']
    # In one process, since each compiles anew what it needs.
    said = run(tmp_path, '-c', 'import sys\nfrom leader_election_lab.commands import main\n'
               f'for line in {lines!r}:\n'
               '    sys.argv = line.split()[3:]\n'
               '    assert main() == 0, line\n')
    assert said.count('rounds are as in plain Python, within their neighbours, and finite') == 2
    assert said.count('Differences to bounded, over the same seeds') == 2
    assert [line.split()[:3] for line in said.splitlines()
            if line.startswith('  loyal   ') and 'bounded' in line] == [
        ['loyal', 'bounded', '5']] * 2
    assert (tmp_path / 'loyal.png').stat().st_size > 10000
    assert (tmp_path / 'results' / 'loyal.md').exists()
    assert '10 of 40 runs are there already' in said


@needs_laboratory
def test_laboratory_varies_the_parameters_of_the_tutorial(tmp_path: Path) -> None:
    write_files('tutorials/write_an_algorithm.md', tmp_path)
    *_, declared, returned = [block for block in blocks('write_an_algorithm.md', 'python')
                              if not block.startswith('# ')]
    module = (tmp_path / 'my_robots' / 'loyal.py').read_text()
    for usual, other in (
            ('class Reach(NamedTuple):       # the parameters of the round\n    radius: float\n',
             declared), ("name='loyal',", "name='loyal', parameters=LoyalParameters,"),
            ('    return kept if kept.distance <= parameters.radius else best\n', returned)):
        assert module.count(usual) == 1
        module = module.replace(usual, other)
    (tmp_path / 'my_robots' / 'loyal.py').write_text(module)
    run(tmp_path, 'setup.py', '-q', 'egg_info')
    [vary] = [block for block in blocks('write_an_algorithm.md', 'yaml')
              if block.startswith('vary: ')]
    with (tmp_path / 'loyal.yaml').open('a') as scenario:
        scenario.write(vary)
    said = run(tmp_path, '-c',
               'from leader_election_lab.experiment.scenario import load\n'
               'print([variant.entrant("loyal").parameters.advantage '
               'for _, variant in load("loyal.yaml").variants()])')
    assert said.strip() == '[0.0, 0.1, 1000000000.0]'


def blocks(tutorial: str, language: str) -> list[str]:
    """Return the blocks of a language in a tutorial."""
    text = (ROOT / 'doc' / 'tutorials' / tutorial).read_text()
    return re.findall(rf'```{language}\n(.*?)```', text, re.DOTALL)


DRIFT = 'my_swarm_drifts.md'


def test_robots_accept_the_range_message_of_the_tutorial() -> None:
    [block] = blocks(DRIFT, 'python')
    made: dict[str, Any] = {}
    exec(block, made)
    message = made['message']
    rows, columns = message.layout.dim
    assert (rows.size, columns.size) == (2, 3) and len(message.data) == 6
    robot = Robot(ElectionParameters(robot_id=1, pose_source='cooperative'))
    names = columns.label.split(',')
    robot.sensing.take_measurements(message.data, 0.0, names)
    assert robot.counts[MEASUREMENTS_REJECTED] == 0
    sightings = rows_of(message.data, names)
    assert [(each.id, each.range) for each in sightings] == [(4, 2.31), (7, 0.87)]
    assert all(math.isnan(each.bearing) for each in sightings)


def test_ranging_radios_correct_the_drift_in_the_tutorial(tmp_path: Path) -> None:
    """Run the swarm of the tutorial in simulated time: its ten robots in its world."""
    write_files(f'tutorials/{DRIFT}', tmp_path)
    values: dict[str, Any] = {}
    for name in ('drift.yaml', 'uwb.yaml'):
        for entry in yaml.safe_load((tmp_path / name).read_text()).values():
            values |= entry['ros__parameters']
    world = {each.name: values.pop(each.name) for each in fields(WorldParameters)
             if each.name in values}
    assert values.pop('radius_hysteresis') == 0.0, 'as in a logged swarm'
    swarm = LoggedSwarm(world, radius=values.pop('radius'),
                        reach=values.pop('communication_range'), **values)
    starts = swarm.world.poses.copy()
    swarm.run(30.0)
    swarm.errors.clear()
    drifted = []
    for _ in range(10):
        swarm.run(1.0)
        true, odometry = (
            np.linalg.norm(poses[:, None, :2] - poses[:, :2], axis=-1)
            for poses in (swarm.world.poses, compose(starts, swarm.world.odometry)))
        drifted.append((odometry - true)[(0.0 < true) & (true < world['ranging_range'])])
    assert np.mean(np.square(swarm.errors)) < 0.25 * np.mean(np.square(np.concatenate(drifted)))


@needs('mcap', 'mcap_ros2')
def test_commands_of_the_drift_tutorial_run(ros: None, tmp_path: Path) -> None:
    """Run all commands with three robots until each has corrected its distances."""
    write_files(f'tutorials/{DRIFT}', tmp_path)
    (tmp_path / 'few.yaml').write_text(yaml.safe_dump({'/**': {'ros__parameters': {'robots': 3}}}))
    *live, replay = [shlex.split(line)[3:] for block in blocks(DRIFT, 'sh')
                     if ' uwb.mcap' in block for line in block.splitlines()]
    running = [subprocess.Popen(
        [sys.executable, '-m', 'leader_election', *command,
         *(('--params-file', 'few.yaml') if '--params-file' in command else ())],
        cwd=tmp_path, env=variables()) for command in live]
    try:
        node, heard = Node('watch'), Counter[int]()
        for robot_id in (1, 2, 3):
            node.create_subscription(
                Float64MultiArray, f'/robot_{robot_id}/neighbour_distances',
                lambda message, robot_id=robot_id: heard.update([robot_id]), 10)
        spin_until([node], lambda: min(heard[robot_id] for robot_id in (1, 2, 3)) > 6)
    finally:
        for process in running:
            process.send_signal(signal.SIGINT)
        codes = [process.wait(60.0) for process in running]
    assert codes == [0] * len(running)
    said = run(tmp_path, '-m', 'leader_election', *replay, '--json')
    *_, overall = json.loads(said)['localisation']
    assert overall['distances'] > 0.0 and overall['distances_by_odometry'] > 0.0
    assert (tmp_path / 'uwb.png').stat().st_size > 10000


@needs('cv2')
def test_tag_in_a_picture_corrects_the_pose(
        ros: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture becomes a sighting over DDS, which the filter of the robot accepts."""
    from rendered_tag import HEIGHT, MATRIX, rendered, WIDTH
    write_files('tutorials/one_camera.md', tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    import tag_camera  # type: ignore[import-not-found]
    for x, z, turn, error in ((0.0, 0.8, 0.3, 0.01), (-0.5, 1.5, -0.4, 0.02),
                              (0.4, 3.2, 0.2, 0.08)):
        [(tag, distance, bearing, deviation, *_)] = tag_camera.sightings(
            rendered(7, tag_camera.SIDE, x, z, turn), MATRIX, None, 0.0)
        true = math.hypot(z + tag_camera.AHEAD, x)
        assert tag == 7 and abs(distance - true) < error < 2.0 * deviation
        assert abs(bearing - math.atan2(-x, z + tag_camera.AHEAD)) < 0.01
    node = robot(1, pose_source='cooperative')
    bench = Bench({1: (0.0, 0.0)})
    bench.others[7] = 9.0   # from (1, 0)
    camera = tag_camera.TagCamera(namespace='/r1')
    seen = rendered(7, tag_camera.SIDE, 0.0, 0.9, 0.3)
    info = bench.create_publisher(CameraInfo, '/r1/camera_info', SENSOR)
    pictures = bench.create_publisher(Image, '/r1/image_raw', SENSOR)

    def expose() -> None:
        info.publish(CameraInfo(k=MATRIX.ravel().tolist()))
        # Each pixel three times: rgb8.
        pictures.publish(Image(
            header=Header(stamp=bench.get_clock().now().to_msg()), height=HEIGHT, width=WIDTH,
            encoding='rgb8', step=3 * WIDTH, data=seen.repeat(3, axis=1).tobytes()))

    bench.create_timer(0.1, expose)
    spin_until([bench, node, camera], lambda: node.robot.counts['sightings_accepted'] > 2)
    [sighting] = node.robot.sensing.source.estimate.sightings or [None]
    assert sighting is None or sighting[:3] == pytest.approx((7, 1.0, 0.0), abs=0.02)


def test_gazebo_poses_are_converted_to_ranges(ros: None, tmp_path: Path) -> None:
    write_files('tutorials/gazebo.md', tmp_path)
    values = yaml.safe_load((tmp_path / 'cooperative.yaml').read_text())
    assert values == {'/**': {'ros__parameters': {
        'pose_source': 'cooperative', 'slip_sources': 'bumper'}}}
    spec = importlib.util.spec_from_file_location('ranges', tmp_path / 'ranges.py')
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.NOISE = module.LOSS = 0.0
    ranges, gazebo = module.Ranges([1, 2, 3]), Node('gazebo')
    said: dict[int, dict[float, float]] = {}
    for number in (1, 2, 3):
        def take(message: Float64MultiArray, number: int = number) -> None:
            said[number] = dict(zip(message.data[::2], message.data[1::2]))
        gazebo.create_subscription(
            Float64MultiArray, f'robot_{number}/measurements', take, 10)
    # 3 is beyond the range of 1.
    places = {1: 0.0, 2: 2.0, 3: 6.0}
    truth = {number: gazebo.create_publisher(Odometry, f'robot_{number}/ground_truth', 10)
             for number in places}

    def move() -> None:
        for number, x in places.items():
            message = Odometry()
            message.pose.pose.position.x = x
            truth[number].publish(message)
    gazebo.create_timer(0.1, move)
    spin_until([ranges, gazebo], lambda: said == {
        1: {2.0: 2.0}, 2: {1.0: 2.0, 3.0: 4.0}, 3: {2.0: 4.0}})
    ranges.destroy_node()
    gazebo.destroy_node()


def test_back_end_of_the_tutorial_optimizes_for_two_robots(tmp_path: Path, ros: None) -> None:
    write_files('tutorials/elect_for_slam.md', tmp_path)
    *swarm, optimizer = map(str.split, blocks('elect_for_slam.md', 'sh')[0].splitlines())
    environment = variables() | {'RCUTILS_CONSOLE_OUTPUT_FORMAT': '{message}'}
    with ExitStack() as stack:
        for command in swarm:
            process = stack.enter_context(subprocess.Popen(
                [sys.executable, '-m', *command[2:]], env=environment, stderr=subprocess.DEVNULL))
            stack.callback(process.kill)
        for arguments, expected in (
                (optimizer[1:], r'optimizers \[1, 2, 4, 6\], poses 1.08, 2.25, 3.22\n'),
                (optimizer[1:2], r'optimizers \[\d\], poses 1.08, 2.25, 3.22\n')):
            ungated = len(arguments) > 1
            with subprocess.Popen([sys.executable, *arguments], cwd=tmp_path, env=environment,
                                  text=True, stderr=subprocess.PIPE) as back_ends:
                stack.callback(back_ends.kill)
                assert back_ends.stderr is not None
                said = ''
                while not re.fullmatch(expected, said):
                    said = back_ends.stderr.readline()
                    assert said.startswith('optimizers ') and (
                        ungated or len(said.partition(']')[0].split(',')) == 1)
                back_ends.kill()
