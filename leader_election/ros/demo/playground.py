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
The playground without its page: a swarm of real nodes, its parameters and its faults.

Each request sets a parameter (:mod:`.controls`), or makes a fault (:mod:`.faults`), and
returns the command line that does the same.
"""

from collections.abc import Callable, Iterator, Mapping
import math
import os
from pathlib import Path
from queue import SimpleQueue
import shutil
import signal
from typing import Any

from leader_election.election.messages.codec import MAIN, Position
from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import ROS2
from leader_election.ros.demo import controls, faults
from leader_election.ros.demo.processes import DOMAIN
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.observer import SwarmObserver
from leader_election.swarm.fleet.robot_list import format_ids
from leader_election.swarm.history import Statistics
from leader_election.swarm.snapshot import regions
from leader_election.swarm.tracker import ObserverParameters, SwarmTracker
from leader_election.swarm.web.play_page import SWITCHES

LIE = 'forged candidacies'
"""The attack of a liar."""
LEADER, LAST = 'leader', 'last'
"""In place of a robot's id: the leader of the most robots, and the robot of the last fault."""
CURVE = 720
"""The most points of a curve. Each update of the observer adds one."""
NOWHERE = (1e9, 1e9)
NODE = 'robot_{}/election_node'


class Playground(faults.FaultySwarm):
    """
    A swarm in which controls are set and faults are made.

    :ivar controls: the parameters that the page sets, each a choice or a number with a range.
    :ivar observers: of both instances, by name. The caller spins them.
    :ivar beside: the observer of the second instance.
    :ivar values: of all controls and switches, by name.
    :ivar curves: points of time [s] and, of each instance, changes of leader of a robot per
        minute.
    :ivar blind: the robots without odometry.
    :ivar commands: the command lines of the last change, for another terminal.
    :ivar told: the title and the text of the present step of a tour, empty if none runs.
    """

    def __init__(self, folder: Path, pace: float = 1.0, **values: Any) -> None:
        """
        Start nothing yet.

        :param folder: for the logs of the processes.
        :param pace: of tours, 2 for twice as fast.
        :param values: of controls, other than those of the table.
        """
        self.observers = {instance: SwarmObserver(
            f'play_{instance}', ObserverParameters, parameter_overrides=overrides(
                {'instance': instance, 'message_expiry': controls.EXPIRY}))
            for instance in (MAIN, controls.BESIDE)}
        node, self.beside = self.observers.values()
        super().__init__(node, folder)
        self.controls = [*controls.CONTROLS.values()]
        self.values: dict[str, Any] = {
            **{each.name: each.check(values.get(each.name, controls.SETTINGS[each.name]['value']))
               for each in self.controls}, **dict.fromkeys(SWITCHES, False)}
        self._start_values = self._before = self.values
        """The values before all changes, and those before the present tour."""
        self.blind: set[int] = set()
        self.commands = self.told = self._refusal = ''
        self._inbox: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        self._pace, self._next = pace, 0.0
        self._tour: Iterator[float] | None = None
        self._begun, self._now = math.inf, node.snapshot.time
        self.curves: list[tuple[float, ...]] = [(0.0, 0.0, 0.0)]
        self._last = 0
        self._places: dict[int, Position] = dict.fromkeys(
            range(1, controls.MOST_ROBOTS + 1), NOWHERE)
        self._attacker = faults.Attacker(node, self._places, controls.SEED)
        self.acts: Mapping[str, Callable[[Any], str]] = {
            'kill': lambda value: self.kill(self._running(value)),
            'freeze': lambda value: self.pause(self._running(value)),
            'blind': lambda value: self._silence(self.blind | {self._id(value)}),
            'revive': self._revive, 'move': self._move, 'cut': self._cut, 'liar': self._lie,
            'tour': self._begin_tour,
            'reset': lambda _: self._restore(self._start_values)}

    @property
    def ids(self) -> range:
        """Return the ids of all robots, dead or alive."""
        return range(1, self.values['robots'] + 1)

    @property
    def living(self) -> list[int]:
        """Return the ids of the robots whose processes were not killed."""
        return [robot for robot in self.ids if f'robot_{robot}' in self.pids]

    @property
    def error(self) -> str:
        """Return why the last request was refused, empty if it was not."""
        return '; '.join(filter(None, (self._refusal, *self.errors[-1:])))

    def start(self) -> str:
        """Start all processes anew, and return the command lines that do it."""
        line = f'kill -KILL {" ".join(map(str, self.pids.values()))}\n' if self.pids else ''
        for name in list(self.pids):
            self.kill(name)
        self._attacker.stop()
        for instance, observer in self.observers.items():
            observer.tracker = SwarmTracker(
                controls.EXPIRY, self.values['algorithm'], instance=instance)
            observer.statistics = Statistics()
        self.blind = set()
        self.values = {**self.values, **dict.fromkeys(SWITCHES, False)}
        self._places.update(dict.fromkeys(self._places, NOWHERE))
        world = self.run(faults.WORLD, 'swarm_world', controls.world_parameters(self.values))
        for robot in self.ids:
            self.run(f'robot_{robot}', 'fleet', controls.robot_parameters(self.values, str(robot)))
        return f'{line}{world} &\n' + faults.start_commands(
            f'$(seq {len(self.ids)})', 'fleet', controls.robot_parameters(self.values, '{}'))

    def step(self) -> None:
        """
        Execute requests, check the processes, extend the curves, once an update of the observer.

        :raises ProcessDied: if a process has ended, and was not killed.
        """
        now = self.observers[MAIN].snapshot.time
        if now == self._now:
            return
        self._now = now
        while not self._inbox.empty():
            self._try(*self._inbox.get())
        if self._tour is not None and now >= self._next:
            self._next = now + next(self._tour, 0.0)
        ended = self.processes.ended()
        for robot in self.living:
            # A user has typed the command line.
            if ended.get(self.labels[f'robot_{robot}']) == -signal.SIGKILL:
                self.kill(f'robot_{robot}')
        self.check()
        # Times count from the first robot, as those of events.
        self._begun = min(self._begun, now if self.observers[MAIN].snapshot.robots else math.inf)
        if now > self._begun:
            self.curves = [*self.curves[1 - CURVE:], (now - self._begun, *(
                observer.statistics.changes_a_minute for observer in self.observers.values()))]

    def _begin_tour(self, title: str) -> str:
        """Undo what the present tour has changed, and begin one unless its title is empty."""
        line = self._restore(self._before) if self._tour is not None else ''
        self._before, self._next = self.values, 0.0
        self._tour = self._guide(title, controls.TOURS[title]) if title else None
        return line

    def _guide(self, title: str, steps: list[Mapping[str, Any]]) -> Iterator[float]:
        """Make the steps of a tour, and yield the time until the next one after each [s]."""
        yield 0.0
        # A user may have frozen some robots.
        while 2 * len(self.observers[MAIN].snapshot.robots) <= len(self.living):
            yield 0.0
        for step in steps:
            self.told = f'{title}: {step["text"]}'
            if 'control' in step:
                self._try(step['control'], step['value'])
            yield step['wait'] / self._pace
        self._try('tour', '')

    def _restore(self, values: Mapping[str, Any]) -> str:
        """Start the swarm anew with former values, and end the tour."""
        self._tour, self.told, self.values = None, '', dict(values)
        return self.start()

    def request(self, name: str, value: Any) -> None:
        """Request what :meth:`do` does by the next :meth:`step`, from any thread."""
        self._inbox.put((name, value))

    def _try(self, name: str, value: Any) -> None:
        self._refusal = ''
        try:
            self.do(name, value)
        except ParameterError as error:
            self._refusal = str(error)

    def do(self, name: str, value: Any) -> str:
        """
        Set a control, or make or end a fault.

        :param name: a key of :data:`.CONTROLS`; or ``kill``, ``freeze``, ``blind`` or ``revive``,
            which ends all three, with the id of a robot; ``move``, with a list of id, x and y [m];
            ``cut`` or ``liar``, with whether there is one; ``tour``, with its title, empty for
            none; ``reset``.
        :param value: in place of an id also :data:`LEADER` or :data:`LAST`.
        :return: the command lines that do the same, empty if nothing is to be done.
        :raises ParameterError: for another value.
        """
        robots = self.observers[MAIN].snapshot.robots
        self._places.update((robot, view.position) for robot, view in robots.items()
                            if robot in self._places and view.position is not None)
        command = self.acts[name](value) if name in self.acts else self._set(name, value)
        self.commands = _typed(command) if command else self.commands
        return command

    def _set(self, name: str, value: Any) -> str:
        values = controls.changed(self.values, name, value)
        before, self.values = self.values, values
        if values == before or name == controls.LEADERS and not controls.uses_leaders(values):
            return ''
        if 'anew' in controls.SETTINGS[name]:
            return self.start()
        if 'of_world' in controls.SETTINGS[name]:
            return self.set(faults.WORLD, {name: values[name]})
        beside = f'{controls.BESIDE}.{name}'
        also = [beside] if name == 'radius' and controls.taken(beside, values) else []
        settings = dict.fromkeys([name, *also], values[name])
        for robot in self.living:
            self.set(NODE.format(robot), settings)
        one = '; '.join(faults.set_command(NODE.format('$robot'), *each)
                        for each in settings.items())
        return f'for robot in {" ".join(map(str, self.living))}; do {one}; done'

    def _id(self, value: Any) -> int:
        """Return the id of a robot by it or by its role."""
        if value == LEADER:
            followed = {leader: len(members) for leader, members
                        in regions(self.observers[MAIN].snapshot).items() if leader in self.living}
            if not followed:
                raise ParameterError('robot', problem=': no robot of the swarm leads now')
            value = max(followed, key=lambda robot: followed[robot])
        elif value == LAST:
            value = self._last
        if value not in self.ids:
            raise ParameterError('robot', value, f'{self.ids.start} to {self.ids.stop - 1}')
        self._last = int(value)
        return self._last

    def _running(self, value: Any) -> str:
        """Return the name of the process of a robot that was not killed."""
        name = f'robot_{self._id(value)}'
        if name not in self.pids:
            raise ParameterError('robot', problem=f' {self._last} is dead already; '
                                 'restart it first')
        return name

    def _silence(self, robots: set[int]) -> str:
        """Stop the odometry of these robots alone."""
        self.blind = robots
        return self.set(faults.WORLD, {'odom_silent': format_ids(tuple(sorted(robots)))})

    def _revive(self, value: Any) -> str:
        robot = self._id(value)
        name = f'robot_{robot}'
        line = self.go_on(name) if name in self.pids else (
            self.run(name, 'fleet', controls.robot_parameters(self.values, str(robot))) + ' &')
        if robot in self.blind:
            line += '\n' + self._silence(self.blind - {robot})
        return line

    def _move(self, value: Any) -> str:
        robot, x, y = self._id(value[0]), *map(float, value[1:])
        here = self._places[robot]
        by = [round(x - here[0], 2), round(y - here[1], 2), 0.0]
        # A robot that is named again is carried again.
        changes = ('carried_by', by), ('carried_robots', str(robot)), ('carried_robots', '')
        return '' if here == NOWHERE else '\n'.join(
            self.set(faults.WORLD, dict([change])) for change in changes)

    def _cut(self, value: Any) -> str:
        """Put the greater part of the robots, from the left, on a radio channel of its own."""
        by_place = sorted(self.living, key=lambda robot: self._places[robot])
        apart = sorted(by_place[:len(self.ids) // 2 + 1]) if value else ()
        self.values = {**self.values, 'cut': bool(value)}
        return self.set(faults.WORLD, {'radio_groups': format_ids(tuple(apart))})

    def _lie(self, value: Any) -> str:
        robot = self._id(LEADER) if value else 0
        self.values = {**self.values, 'liar': bool(value)}
        if not value:
            self._attacker.stop()
            return ''
        self._attacker.begin(LIE, robot)
        return self._attacker.command(LIE, robot)


def _typed(commands: str) -> str:
    """Return command lines for another terminal."""
    absent = ROS2 in commands.split() and shutil.which(ROS2) is None
    note = f'# {ROS2} is not installed here; it is the command of a sourced ROS 2\n' * absent
    return f'{note}export {DOMAIN}={os.environ.get(DOMAIN) or 0}\n{commands}'
