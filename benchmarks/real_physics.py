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
Real physics: elections of wandering robots in Gazebo Classic 11 for five minutes.

Each robot elects by the odometry of its own wheels. Beside it a second set of nodes of the same
robots elects by their true positions. This is the control; the difference between the two is
the loss due to slipping wheels. Both are compared with the partition by true positions, computed
directly. After that the
same swarm runs in the embedded world, where wheels never slip.

With ``--sightings`` there is a third swarm, which corrects its odometry by sightings of each other
(``pose_source: cooperative``). Gazebo has no sensor that identifies robots: the bridge makes the
sightings of true poses, with the errors of the embedded world's sensors.

``make physics`` fetches Gazebo and runs this.
"""

import argparse
from collections.abc import Callable
import os
from pathlib import Path
import signal
import sys
import tempfile
from types import FrameType

from leader_election.demo.logs import CAMERA, SIGHTINGS, UWB
from leader_election.parameters import Parameter, ParameterError
from leader_election.swarm.partition import Share
from leader_election.world.kinematics import relative
from leader_election.world.scene import make_scene
import numpy as np
from physics import swarm
from physics.fetch import is_there, root
from physics.swarm import (
    CONTROL,
    COOPERATIVE,
    embedded,
    in_gazebo,
    Running,
    Settings,
    STEADY,
    Watch,
)
import rclpy
from rclpy.signals import SignalHandlerOptions

STRETCH = 60.0
"""The time of a row of the table [s]."""
EVER = float('inf')
SECONDS = Parameter('seconds', float, 300.0, 'The simulated time of each run.', unit='s',
                    lower=10.0, upper=1e5)
PACE = Parameter('pace', float, swarm.PACE, 'The real-time factor that Gazebo aims at.',
                 lower=0.05, upper=10.0)
SPEED = Parameter('speed', float, Settings.speed, 'The most that robots drive.', unit='m/s',
                  lower=0.01, upper=1.0)
SENSORS = (UWB, CAMERA)
TITLES = {'': 'by odometry', COOPERATIVE: 'with sightings', CONTROL: 'by true positions',
          STEADY: 'by true positions, hysteresis'}
"""The swarms in Gazebo, in the order of their columns, by their namespaces."""
PATIENCE = 60.0
"""The timeout for the first messages of all robots [s]."""


def arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        prog='make physics ARGS=...', description='A swarm in Gazebo Classic 11.')
    parser.add_argument('--robots', type=int, default=20)
    parser.add_argument('--seconds', type=float, default=SECONDS.default, help='of the world')
    parser.add_argument('--world', default='blocks', help='blocks, rooms, empty or a YAML file')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--speed', type=float, default=SPEED.default,
                        help='the greatest speed of robots [m/s] (%(default)s)')
    parser.add_argument('--steady', action='store_true',
                        help="a further swarm by true positions, with the robots' default "
                        'hysteresis of the radius; nothing runs in the embedded world then')
    parser.add_argument('--sightings', choices=SENSORS, default='',
                        help='a third swarm, whose robots see each other by ranging radios (uwb) '
                        'or cameras, made of true poses; nothing runs in the embedded world then')
    parser.add_argument('--pace', type=float, default=PACE.default,
                        help='the real-time factor that Gazebo aims at (%(default)s); less where '
                        'it falls behind, so that information is not late')
    return parser.parse_args()


def settings_of(asked: argparse.Namespace) -> Settings:
    """
    Return the common settings of the swarms.

    :raises ParameterError: for wrong settings, before anything is started.
    """
    SECONDS.check(asked.seconds)
    PACE.check(asked.pace)
    SPEED.check(asked.speed)
    settings = Settings(robots=asked.robots, world=asked.world, seed=asked.seed, speed=asked.speed)
    make_scene(settings.scene)
    if not is_there():
        raise ParameterError(f'Gazebo Classic 11 is not in {root()}; make gazebo fetches it')
    return settings


def drift(running: Running) -> np.ndarray:
    """Return the error of each robot's odometry [m], shape (n,)."""
    assert running.bridge is not None
    starts = np.array(make_scene(running.settings.scene).starts)
    true = relative(starts, running.bridge.truth)
    return np.hypot(*(true - running.bridge.wheels.poses)[:, :2].T)


def summary(watch: Watch, settings: Settings, seconds: float) -> str:
    """Return first partition and instability, as text."""
    first = watch.partitioned - max(watch.tracker.first_heard.values())
    changes = watch.statistics.leader_changes / settings.robots / seconds * 60.0
    whole = watch.agreement.share(0.0, EVER)
    partitions = 'none' if whole is None else f'{whole.partitions:.1%}'
    return (f'first partition {first:.1f} s, agreement {_percent(whole)} of the robots, the whole '
            f'partition right at {partitions} of the looks, '
            f'{changes:.2f} changes of leader a robot and minute')


def _percent(share: Share | None) -> str:
    return 'none' if share is None else f'{share.robots:.1%}'


def hear_all(running: Running) -> None:
    """
    Wait until a message of each robot was received.

    :raises RuntimeError: after the timeout.
    """
    for watch in running.observer.watches.values():
        def heard(watch: Watch = watch) -> bool:
            return len(watch.tracker.first_heard) == running.settings.robots
        if not running.until(heard, PATIENCE):
            raise RuntimeError(f'only {len(watch.tracker.first_heard)} of '
                               f'{running.settings.robots} robots were heard in {PATIENCE:.0f} s')


def gazebo(settings: Settings, asked: argparse.Namespace, folder: Path,
           check: Callable[[], None]) -> None:
    """Print the figures of the swarms in Gazebo."""
    beside = [*([STEADY] if asked.steady else []), *([COOPERATIVE] if asked.sightings else []),
              CONTROL]
    titles = [TITLES[space] for space in ('', *beside)]
    seconds = asked.seconds
    with in_gazebo(root(), settings, folder, beside=beside, pace=asked.pace, check=check,
                   sightings=SIGHTINGS.get(asked.sightings, {})) as running:
        watches = running.observer.watches
        hear_all(running)
        begin, factors = running.observer.now(), []
        print('| time [s] | real-time factor | odometry off by, mean (worst) [m] | '
              + ' | '.join(titles) + ' | lost to slip |\n' + '|---' * (len(titles) + 4) + '|')
        while running.observer.now() < begin + seconds - 1.0:
            since = running.observer.now()
            factors.append(running.run(min(STRETCH, begin + seconds - since)))
            shares = [watch.agreement.share(since, running.observer.now())
                      for watch in watches.values()]
            off, own, control = drift(running), shares[0], shares[-1]
            lost = control.robots - own.robots if own and control else 0.0
            print(f'| {since - begin:.0f} to {running.observer.now() - begin:.0f} '
                  f'| {factors[-1]:.3f} | {off.mean():.2f} ({off.max():.2f}) | '
                  + ' | '.join(map(_percent, shares)) + f' | {100 * lost:.1f} points |',
                  flush=True)
        took = running.observer.now() - begin
        print(f'real-time factor {sum(factors) / len(factors):.3f}')
        for title, watch in zip(titles, watches.values()):
            print(f'Gazebo, {title}: {summary(watch, settings, took)}', flush=True)


def world(settings: Settings, seconds: float, folder: Path, check: Callable[[], None]) -> None:
    """Print the figures of the same swarm in the embedded world."""
    with embedded(settings, folder, check) as running:
        watch = running.watch
        hear_all(running)
        factor = running.run(seconds)
        print(f'embedded world (real-time factor {factor:.3f}): '
              f'{summary(watch, settings, seconds)}', flush=True)


def main() -> int:
    """Print the figures; return the exit status: 2 for wrong usage, 1 for a failure."""
    asked = arguments()
    stop = Stop()
    try:
        run(settings_of(asked), asked, stop.check)
    except ParameterError as error:
        return refuse(error, 2)
    except (RuntimeError, OSError) as error:
        return refuse(error, 1)
    return 0


def refuse(error: Exception, status: int) -> int:
    """Print the error in one line; return the status."""
    print('error: ' + ' '.join(str(error).split()), file=sys.stderr)
    return status


class Stop:
    """
    Records signals that end this process, to end it at points where all its children are stopped.

    An exception of a handler might be lost, for example while a process is started.
    """

    def __init__(self) -> None:
        self._number = 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # nohup ignores SIGHUP.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._take)

    def _take(self, number: int, frame: FrameType | None) -> None:
        self._number = number

    def check(self) -> None:
        """Exit if there was one, with the status that a shell would give."""
        if self._number:
            sys.exit(128 + self._number)


def run(settings: Settings, asked: argparse.Namespace, check: Callable[[], None]) -> None:
    """Print the figures; the check is made all the time."""
    print(f'## Real physics: {settings.robots} robots, world {settings.world}, radius '
          f'{settings.radius:g} m, range {settings.reach:g} m, {settings.speed:g} m/s'
          + (f', sightings by {asked.sightings}' if asked.sightings else ''), flush=True)
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        with tempfile.TemporaryDirectory() as folder:
            gazebo(settings, asked, Path(folder) / 'gazebo', check)
            if not (asked.sightings or asked.steady):
                world(settings, asked.seconds, Path(folder) / 'embedded', check)
    finally:
        rclpy.try_shutdown()


if __name__ == '__main__':
    sys.exit(main())
