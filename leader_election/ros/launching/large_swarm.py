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
"""The automatic settings of a launch of hundreds of robots, so that they fit on one machine."""

from collections.abc import Iterable
import math
import sys
from typing import Any

from leader_election.ros.launching.arguments import ROBOTS_PER_PROCESS
from leader_election.swarm.fleet.hosting import CREATED, ELECTING, LEAST, PROGRESS
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

LARGE = 200
"""The number of robots from which on a swarm is large."""
PROCESSES = 4
"""The processes that share the robots of a large swarm."""
NEIGHBOURS = 8
"""The mean number of robots within range of each other in the arena of a large swarm."""
RADIO_RANGE = 5.0
"""The range that the arena is made for if none is known [m]."""
SHARE = (f'{ROBOTS_PER_PROCESS.description} Empty: {ROBOTS_PER_PROCESS.default}; from {LARGE} '
         f'robots on a {PROCESSES}th of all.')
"""The description of the argument with the number of robots per process."""


def robots_per_process(robots: int) -> int:
    """
    Return the number of robots per process.

    >>> robots_per_process(40), robots_per_process(1000)
    (20, 250)
    """
    few: int = ROBOTS_PER_PROCESS.default
    return few if robots < LARGE else math.ceil(robots / PROCESSES)


def large_swarm_scene(
        robots: int, radio_range: float | None, room: float = 0.0) -> dict[str, Any]:
    """
    Return the parameters of the scene of a large swarm that are not set otherwise.

    :param robots: their number.
    :param radio_range: [m]; ``None``: not known.
    :param room: the side of the square that each robot needs at least [m].
    :return: empty for a small swarm.

    >>> large_swarm_scene(1000, None)
    {'lean': True, 'radio': 'relay', 'world': 'empty:100x100'}
    >>> large_swarm_scene(200, 0.5, 0.6)['world']
    'empty:10x10'
    """
    if robots < LARGE:
        return {}
    reach = radio_range if radio_range and math.isfinite(radio_range) else RADIO_RANGE
    side = math.ceil(max(math.sqrt(robots * math.pi / NEIGHBOURS) * reach,
                         (math.sqrt(robots) + 1.0) * room))
    return {'lean': True, 'radio': 'relay', 'world': f'empty:{side}x{side}'}


def explanation(robots: int, chosen: dict[str, Any]) -> str:
    """Return one line on the settings made for a large swarm; empty: none."""
    if not chosen:
        return ''
    return (f'{robots} robots: ' + ', '.join(
        f'{name}:={str(value).lower()}' for name, value in chosen.items())
        + '; give these arguments to have it otherwise')


class ProgressBar:
    """Draws a bar for each phase until all robots elect, by what processes log."""

    def __init__(self, robots: int, console: Console) -> None:
        """
        Draw nothing before the first progress.

        :param robots: their number.
        :param console: to draw on.
        """
        self._robots = robots
        self._bars = Progress(
            TextColumn('robots {task.description:8}'), BarColumn(), MofNCompleteColumn(),
            TimeElapsedColumn(), console=console, auto_refresh=False)
        self._tasks = {phase: self._bars.add_task(phase, total=robots)
                       for phase in (CREATED, ELECTING)}
        self._done: dict[str, dict[str, int]] = {phase: {} for phase in self._tasks}
        """The number of robots that have reached a phase, by phase and process."""
        self._begun = self._over = False

    def take(self, process: str, text: str) -> None:
        """
        Draw changes.

        :param process: the name of a process.
        :param text: its output: one or more lines, of which others than those on progress count
            nothing.
        """
        found = PROGRESS.findall(text)
        if self._over or not found:
            return
        for number, phase in found:
            of_phase = self._done[phase]
            of_phase[process] = max(int(number), of_phase.get(process, 0))
        if not self._begun:
            self._begun = True
            self._bars.start()
        for phase, task in self._tasks.items():
            self._bars.update(task, completed=sum(self._done[phase].values()))
        self._bars.refresh()
        if sum(self._done[ELECTING].values()) >= self._robots:
            self.close()

    def close(self) -> None:
        """Stop drawing; the terminal stays as it is."""
        if self._begun and not self._over:
            self._bars.stop()
        self._over = True


def reporting(shares: Iterable[int]) -> int:
    """
    Return the number of robots whose progress is reported.

    :param shares: the number of robots of each process; small ones report nothing.

    >>> reporting([60, 60, 10])
    120
    """
    return sum(share for share in shares if share >= LEAST)


def progress_handlers(robots: int) -> list[Any]:
    """
    Return the actions that draw the bar, if there are many robots and a terminal.

    :param robots: whose progress is reported (:func:`reporting`).
    """
    if robots < LEAST or not sys.stdout.isatty():
        return []
    from launch.actions import RegisterEventHandler
    from launch.event_handlers import OnProcessIO, OnShutdown
    bar = ProgressBar(robots, Console())

    def take(event: Any) -> None:
        bar.take(event.process_name, event.text.decode(errors='replace'))

    return [RegisterEventHandler(OnProcessIO(on_stdout=take, on_stderr=take)),
            RegisterEventHandler(OnShutdown(on_shutdown=lambda event, context: bar.close()))]
