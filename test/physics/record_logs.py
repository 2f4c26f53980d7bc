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
The logs in the package: five robots that wander in Gazebo Classic 11, recorded by this program.

Poses are those of the physics, velocities are what the wheels say, which slip. What the cameras
saw is computed from the poses by the sensor model of the embedded world, since Gazebo has no
sensor that identifies robots. ``make physics-logs`` runs this.
"""

import argparse
from collections.abc import Iterator, Sequence
import math
import os
from pathlib import Path
import sys
import tempfile

from leader_election.parameters import build, ParameterError
from leader_election.world.kinematics import Array
from leader_election.world.logged_sightings import COLUMNS as SIGHTING_COLUMNS
from leader_election.world.logged_sightings import FOLDER
from leader_election.world.logs import COLUMNS, LANDMARKS
from leader_election.world.parameters import WorldParameters
from leader_election.world.scene import make_scene
from leader_election.world.sightings import observe
from leader_election.world.world import make_sighting_sensors
from nav_msgs.msg import Odometry
import numpy as np
from physics.fetch import is_there, root
from physics.swarm import in_gazebo, Settings
import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

ROBOTS = 5
WIDTH, HEIGHT = 5.0, 7.0
"""The sides of the arena [m]."""
SPEED = 0.3
"""The most that robots drive [m/s]."""
RATE = 10.0
"""Rows a second [Hz]."""
WARM_UP = 2.0
"""The time before the logs begin, in which the robots start [s]."""
LANDMARKS_A_SIDE = 3, 5
"""The number of landmarks on the short and on the long walls, without those in the corners."""
CAMERA = {'camera_rate': 2.0, 'camera_loss': 0.5}
"""The parameters of the cameras, beside the defaults."""
TOPICS = 'odom', 'ground_truth'


class Recorder(Node):
    """Keeps what the wheels of robots say and the true poses, by the time of their stamps."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__('recorder')
        self.rows: dict[str, list[list[tuple[float, ...]]]] = {
            topic: [[] for _ in names] for topic in TOPICS}
        for topic in TOPICS:
            for name, rows in zip(names, self.rows[topic]):
                def keep(message: Odometry, rows: list[tuple[float, ...]] = rows) -> None:
                    place, turn = message.pose.pose.position, message.pose.pose.orientation
                    stamp = message.header.stamp
                    rows.append((stamp.sec + stamp.nanosec * 1e-9, place.x, place.y,
                                 2.0 * math.atan2(turn.z, turn.w)))
                self.create_subscription(Odometry, f'{name}/{topic}', keep, 100)

    def poses(self, topic: str, times: Array) -> Array:
        """Return the poses of all robots at some times, shape (times, robots, 3)."""
        found = []
        for rows in self.rows[topic]:
            table = np.array(rows)
            table[:, 3] = np.unwrap(table[:, 3])
            found.append(np.stack([np.interp(times, table[:, 0], column)
                                   for column in table[:, 1:].T], axis=-1))
        return np.stack(found, axis=1)


def velocities(poses: Array) -> Array:
    """
    Return linear and angular velocities from each row to the next, and 0 in the last row.

    :param poses: x, y, yaw by the wheels of one robot, shape (rows, 3).

    >>> velocities(np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    step = np.diff(poses, axis=0)
    middle = poses[:-1, 2] + step[:, 2] / 2.0
    forward = step[:, 0] * np.cos(middle) + step[:, 1] * np.sin(middle)
    return np.append(np.column_stack((forward, step[:, 2])) * RATE, np.zeros((1, 2)), axis=0)


def landmarks() -> dict[int, tuple[float, float]]:
    """Return places on the walls, evenly spaced along each, by ids after those of the robots."""
    across, along = LANDMARKS_A_SIDE
    places = [(WIDTH * (k + 1) / (across + 1) - WIDTH / 2, side * HEIGHT / 2)
              for side in (-1, 1) for k in range(across)]
    places += [(side * WIDTH / 2, HEIGHT * (k + 1) / (along + 1) - HEIGHT / 2)
               for side in (-1, 1) for k in range(along)]
    return {ROBOTS + 1 + k: place for k, place in enumerate(places)}


def seen(truth: Array, times: Array, folder: Path, seed: int) -> Array:
    """
    Return what the cameras saw: rows of time, observer's row, subject, range, bearing.

    :param truth: poses, shape (times, robots, 3).
    :param times: [s].
    :param folder: in which the file of landmarks is.
    :param seed: of the errors.
    """
    parameters = build(WorldParameters, {
        'robots': ROBOTS, 'world': 'empty', 'seed': seed, **CAMERA,
        'landmarks': str(folder / LANDMARKS)})
    sensors = make_sighting_sensors(make_scene(parameters), parameters)

    def pictures() -> Iterator[Array]:
        for time, poses in zip(times.tolist(), truth):
            rows = observe(sensors, time, poses, range(ROBOTS))
            yield np.column_stack((np.full(len(rows), time), rows))
    return np.concatenate(list(pictures()))


def write(recorder: Recorder, begin: float, seconds: float, folder: Path, seed: int) -> None:
    """Write the logs of a recording, the sightings and the landmarks."""
    times = np.arange(round(seconds * RATE) + 1) / RATE
    wheels, truth = (recorder.poses(topic, begin + times) for topic in TOPICS)
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    table(folder / FOLDER / LANDMARKS, ('id', 'x', 'y'), (
        f'{landmark},{x:.3f},{y:.3f}' for landmark, (x, y) in landmarks().items()))
    sightings = seen(truth, times, folder / FOLDER, seed)
    for row in range(ROBOTS):
        name = f'robot_{row + 1}.csv'
        poses = truth[:, row]
        poses[:, 2] = np.remainder(poses[:, 2] + np.pi, 2.0 * np.pi) - np.pi
        table(folder / name, COLUMNS, (
            f'{t:.1f},' + ','.join(f'{value + 0.0:.4f}' for value in values) for t, values in zip(
                times.tolist(), np.hstack((velocities(wheels[:, row]), poses)).tolist())))
        table(folder / FOLDER / name, SIGHTING_COLUMNS, (
            f'{t:.1f},{subject:.0f},{distance:.3f},{bearing:.3f}'
            for t, observer, subject, distance, bearing in sightings.tolist() if observer == row))


def table(path: Path, header: Sequence[str], lines: Iterator[str]) -> None:
    """Write a CSV file."""
    path.write_text('\n'.join((','.join(header), *lines)) + '\n')


def record(seconds: float, seed: int, folder: Path) -> None:
    """Run the robots, and write their logs."""
    with tempfile.TemporaryDirectory() as place:
        world = Path(place) / 'arena.yaml'
        world.write_text(f'size: [{WIDTH}, {HEIGHT}]\nobstacles: []\n')
        settings = Settings(ROBOTS, str(world), seed, radius=3.0, reach=2.5, speed=SPEED)
        with in_gazebo(root(), settings, Path(place) / 'log') as running:
            recorder = Recorder([f'robot_{robot}' for robot in range(1, ROBOTS + 1)])
            running.nodes.append(recorder)
            running.run(WARM_UP)
            begin = running.observer.now()
            factor = running.run(seconds + 1.0)
            write(recorder, begin, seconds, folder, seed)
    print(f'{folder}: {ROBOTS} robots, {seconds:g} s, real-time factor {factor:.2f}')


def main() -> int:
    """Record; return the exit status."""
    parser = argparse.ArgumentParser(prog='make physics-logs ARGS=...', description=(
        'Record logs of five robots in Gazebo Classic 11.'))
    parser.add_argument('folder', type=Path, help='for the logs')
    parser.add_argument('--seconds', type=float, default=120.0, help='of the world')
    parser.add_argument('--seed', type=int, default=1)
    asked = parser.parse_args()
    if not is_there():
        parser.error(f'Gazebo Classic 11 is not in {root()}; make gazebo fetches it')
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        record(asked.seconds, asked.seed, asked.folder)
    except (ParameterError, RuntimeError, OSError) as error:
        parser.error(' '.join(str(error).split()))
    finally:
        rclpy.try_shutdown()
    return 0


if __name__ == '__main__':
    sys.exit(main())
