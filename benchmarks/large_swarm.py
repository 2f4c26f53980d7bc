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
Large swarms: the time of start and the cost of hundreds of robots, by their number.

Robots of a lattice that hear their eight neighbours, at 1 Hz, with the world's radio, in four
processes. A robot is up once it was heard with a position. A static swarm has elected when the
last robot has changed its leader; the robots are counted that have the right one at the end. A
round is missed when a robot sends fewer messages than there were whole periods. Strengths are
random, as by default; with --strengths id they increase along the rows of the lattice, which is a
bad case: each leader's region depends on those of its stronger neighbours, in a long chain.
"""

import argparse
from collections.abc import Mapping
import json
import math
from pathlib import Path
import tempfile
import time
from typing import Any

from benchmarks import swarm_watch
from benchmarks.hosted_swarm import cpu_seconds, Observer, ros
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.ros.demo.processes import Processes
from leader_election.ros.nodes.process import spin
from leader_election.ros.nodes.qos import NEIGHBOURHOOD
from leader_election.simulation.radio import SENT_TOPIC, unpack
from leader_election.simulation.scene import make_scene, SceneParameters
from leader_election.swarm.fleet.hosting import RobotHostParameters, strength
from leader_election.swarm.fleet.robot_list import format_ids
from leader_election.swarm.view.charts import FONT, INK, new_figure, tidy
from leader_election.swarm.view.formatting import colour
import psutil
from std_msgs.msg import String

SPACING = 0.8
RANGE = 1.2
RADIUS = 8.1
"""No sum of distances between neighbours is as long, so that rounding decides nothing [m]."""
SETTLE = 15.0
"""How long robots that walk are left alone before they are measured [s]."""
DEADLINE = 280.0
ELECTION = 150.0
"""How long a static swarm has from there until no leader changes before it is measured [s]."""
QUIET = 5.0
"""A static swarm has elected once no leader has changed for this time [s]."""
SPEED = 0.37


class LeanObserver(Observer):
    """Receives the bundles in which lean robots send, so that they need not send twice."""

    def __init__(self) -> None:
        super().__init__()
        for subscription in list(self.subscriptions):
            self.destroy_subscription(subscription)
        self.create_subscription(String, SENT_TOPIC, self._take, NEIGHBOURHOOD)

    def _take(self, bundle: String) -> None:
        for payload in unpack(bundle.data):
            self._hear(String(data=payload))


def right_leaders(scene: Mapping[str, Any], strengths: str,
                  leaders: Mapping[int, int]) -> dict[int, int]:
    """
    Return the right leader of each robot of a scene.

    :param strengths: the parameter of ``fleet``.
    :param leaders: of the robots now, since hysteresis keeps them up to the whole radius.
    """
    made = make_scene(SceneParameters(**{
        name: scene[name] for name in ('robots', 'world', 'layout', 'spacing')}))
    place = {robot: start[:2] for robot, start in zip(made.ids, made.starts)}
    host = RobotHostParameters(strengths=strengths)
    return swarm_watch.right_leaders(place, swarm_watch.Rules(
        RADIUS, RANGE, ElectionParameters.radius_hysteresis,
        {i: strength(host, i) or 0.0 for i in place}), leaders)


def measure(robots: int, lean: bool, motion: str, seconds: float, processes: int,
            strengths: str) -> dict[str, Any]:
    """
    Start a swarm and return its figures.

    :param lean: whether robots are lean.
    :param motion: of the world.
    :param seconds: the time for which the cost is measured, after it has settled [s].
    :param processes: that share the robots.
    :param strengths: the parameter of ``fleet``.
    """
    side = math.ceil(math.sqrt(robots)) * SPACING + 4.0
    scene = {'robots': robots, 'world': f'empty:{side:g}x{side:g}', 'layout': 'grid',
             'spacing': SPACING, 'radio': 'relay', 'lean': lean}
    share, ids = -(-robots // processes), tuple(range(1, robots + 1))
    with tempfile.TemporaryDirectory() as folder, Processes(Path(folder)) as children:
        begin = time.monotonic()
        pids = [children.start('world', 'swarm_world', {
            **scene, 'motion': motion, 'speed': SPEED, 'radio_range': RANGE})]
        for i in range(0, robots, share):
            pids.append(children.start(f'fleet_{i}', 'fleet', {
                **scene, 'strengths': strengths, 'radius': RADIUS, 'communication_range': RANGE,
                'members': format_ids(ids[i:i + share])}))
        observer = LeanObserver() if lean else Observer()
        first = observer.tracker.first_heard

        def up() -> bool:
            children.check()
            return len(first) == robots

        spin([observer], up, deadline=DEADLINE)
        found: dict[str, Any] = {
            'robots': robots, 'lean': lean, 'motion': motion, 'strengths': strengths,
            'up': len(first),
            'start': time.monotonic() - begin}
        if len(first) == robots:
            found['start_cpu'] = cpu_seconds(pids)
            if motion == 'static':
                spin([observer], lambda: observer.now() - observer.last_change > QUIET,
                     deadline=ELECTION)
                found['elected'] = time.monotonic() - begin - (
                    observer.now() - observer.last_change)
            else:
                observer.wait(SETTLE)
            observer.heard.clear()
            before, messages, since = (
                cpu_seconds(pids), observer.tracker.messages, time.monotonic())
            observer.wait(seconds)
            elapsed = time.monotonic() - since
            found['cores'] = (cpu_seconds(pids) - before) / elapsed
            found['messages'] = (observer.tracker.messages - messages) / elapsed
            found['missed'] = sum(
                max(0, math.floor(seconds) - observer.heard[robot]) for robot in ids)
            if motion == 'static':
                right = right_leaders(scene, strengths, observer.leaders)
                found['right'] = sum(observer.leaders[i] == right[i] for i in ids)
            found['memory'] = sum(psutil.Process(pid).memory_info().rss for pid in pids) / 1e6
        observer.destroy_node()
        return found


def draw(rows: list[dict[str, Any]], file: Path) -> None:
    """Draw start-up and cost against the number of robots."""
    figure = new_figure(9, 3.6, 'Many robots in a few processes',
                        'static robots, one round a second; processor time includes the world')
    panels = (('start', 'start-up [s]'), ('cores', 'processor time [cores]'))
    for axes, (key, label) in zip(figure.subplots(1, 2), panels):
        for tint, lean in enumerate((True, False)):
            some = sorted((row['robots'], row[key]) for row in rows
                          if row['lean'] == lean and key in row)
            if some:
                axes.plot(*zip(*some), marker='o', markersize=5, linewidth=1.6,
                          color=colour(tint), label='lean' if lean else 'not lean')
        axes.set_xlabel('robots', fontsize=FONT, color=INK)
        axes.set_ylabel(label, fontsize=FONT, color=INK)
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, fontsize=FONT)
        tidy(axes)
    figure.savefig(file)


def main() -> None:
    """Print a line for each number of robots; with --plot draw the curves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('robots', type=int, nargs='+')
    parser.add_argument('--full', action='store_true', help='robots that are not lean')
    parser.add_argument('--motion', default='static', choices=('static', 'levy'))
    parser.add_argument('--strengths', default='random', choices=('random', 'id'))
    parser.add_argument('--seconds', type=float, default=60.5, help='of the measurement')
    parser.add_argument('--processes', type=int, default=4)
    parser.add_argument('--rows', type=Path, help='append the figures to this file (JSON lines)')
    parser.add_argument('--plot', type=Path, help='draw all figures of --rows to this file')
    options = parser.parse_args()
    with ros():
        for robots in options.robots:
            found = measure(
                robots, not options.full, options.motion, options.seconds, options.processes,
                options.strengths)
            print(json.dumps(found), flush=True)
            if options.rows:
                with options.rows.open('a') as file:
                    file.write(json.dumps(found) + '\n')
    if options.plot and options.rows:
        draw([json.loads(line) for line in options.rows.read_text().splitlines()], options.plot)


if __name__ == '__main__':
    main()
