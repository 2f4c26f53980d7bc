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
Real nodes, of which a tenth lie: the time of honest robots under an honest living leader.

The robots, their places and the lies are those of ``benchmarks.insiders``; the messages go over
DDS, through the radio of the world. First with the swarm key alone, then with identities. The exit
status is 0 if with identities the share is at least ``AIM``, and no honest robot is dropped.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
import random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.chaos.swarm import ChaosObserver, enrol, make_insider
from benchmarks.hosted_swarm import hosted_swarm, HostedSwarm
from benchmarks.insiders import APART, LIES, LOOK, QUIET, RADIUS, RANGE, UNTRUSTED
from leader_election.simulation.scene import make_scene
from leader_election.swarm.fleet.hosting import RobotHostParameters
from leader_election.swarm.fleet.robot_list import format_ids

AIM = 0.95
"""Of the time of honest robots."""
PROCESSES = 3
WEAK = -10.0
"""The strength of liars, and what they are granted: less than any robot has."""
SCENE = {'world': 'empty', 'layout': 'grid', 'spacing': APART}


class Case(NamedTuple):
    """A case; the time in seconds."""

    kinds: tuple[str, ...]
    identities: bool
    robots: int = 40
    share: float = 0.1
    """Of robots that lie."""
    seconds: float = 60.0
    quiet: float = QUIET
    seed: int = 0


class Figures(NamedTuple):
    """The figures of a case."""

    led: float
    """The share of the time of honest robots under an honest leader that leads itself."""
    dropped: int
    """Honest robots that any robot dropped as liars."""
    convicted: int
    """Liars that any did."""


def measure(case: Case) -> Figures:
    """Return the figures of a case."""
    scene = make_scene(RobotHostParameters(robots=case.robots, **SCENE))
    places = {robot: (x, y) for robot, (x, y, _) in zip(scene.ids, scene.starts)}
    chance = random.Random(case.seed)
    liars = chance.sample(scene.ids, max(1, round(case.share * case.robots)))
    honest = [robot for robot in scene.ids if robot not in liars]
    with TemporaryDirectory() as folder:
        files = enrol(Path(folder), {**dict.fromkeys(honest), **dict.fromkeys(liars, WEAK)})
        if not case.identities:
            files = {'swarm_key_file': files['swarm_key_file']}
        robots = {'radius': RADIUS, 'communication_range': RANGE, 'schedule': 'reactive', **files}
        with hosted_swarm(
                len(honest), [format_ids(tuple(honest[i::PROCESSES])) for i in range(PROCESSES)],
                'relay', {**SCENE, 'robots': case.robots}, strengths='random',
                observer=lambda: ChaosObserver(places, case.seed), **robots) as swarm:
            observer = swarm.observer
            assert isinstance(observer, ChaosObserver)
            now = observer.now()
            observer.insiders = [make_insider({**robots, 'robot_id': liar, 'strength': WEAK},
                                              now, places) for liar in liars]
            swarm.go()
            observer.wait(case.quiet)
            kinds = chance.sample(case.kinds, len(case.kinds))
            for n, insider in enumerate(observer.insiders):
                insider.begin(kinds[n % len(kinds)], places[insider.id], observer.now())
            looks = list(_looks(swarm, honest, case.seconds))
            return Figures(sum(looks) / len(looks), len(observer.convicted & set(honest)),
                           len(observer.convicted & set(liars)))


def _looks(swarm: HostedSwarm, honest: Sequence[int], seconds: float) -> Iterator[float]:
    """Let insiders lie; yield the share of honest robots that are led, now and again."""
    observer = swarm.observer
    assert isinstance(observer, ChaosObserver)
    leaders: Mapping[int, int] = observer.leaders

    def lie() -> bool:
        observer.let_insiders_lie()
        return False

    end = observer.now() + seconds
    while observer.now() < end:
        observer.wait(LOOK, lie)
        yield sum(leaders[robot] in honest and leaders[leaders[robot]] == leaders[robot]
                  for robot in honest) / len(honest)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table; return the exit status."""
    parser = argparse.ArgumentParser('insiders_dds', description=__doc__)
    parser.add_argument('--robots', type=int, default=Case._field_defaults['robots'])
    parser.add_argument('--share', type=float, default=Case._field_defaults['share'],
                        help='of liars; at least one lies')
    parser.add_argument('--seconds', type=float, default=Case._field_defaults['seconds'])
    parser.add_argument('--quiet', type=float, default=QUIET, help='before liars begin [s]')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--each', action='store_true', help='each kind of lies by itself')
    parser.add_argument('--kind', default='', help='only kinds with this in their name')
    options = vars(parser.parse_args(arguments))
    each, kind = options.pop('each'), options.pop('kind')
    kinds = tuple(name for name in (LIES if kind else UNTRUSTED) if kind in name)
    cases = {name: (name,) for name in kinds} if each else {'mixed': kinds}
    print('| lie | protection | under an honest leader | honest dropped | liars convicted |')
    print('|---|---|---|---|---|')
    found = []
    for name, of_it in cases.items():
        for identities in (False, True):
            figures = measure(Case(of_it, identities, **options))
            print(f'| {name} | {"identities" if identities else "key"} | {figures.led:.1%} '
                  f'| {figures.dropped} | {figures.convicted} |', flush=True)
            found += [figures] * identities
    met = all(figures.led >= AIM and not figures.dropped for figures in found)
    print(f'with identities {AIM:.0%} of the time under an honest leader, and no honest robot '
          f'dropped: {"met" if met else "missed"}')
    return 0 if met else 1


if __name__ == '__main__':
    raise SystemExit(main())
