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
The command ``play``: a swarm of real nodes and a page of controls, for this computer alone.

Each request of the page sets a parameter (:mod:`.controls`), or makes a fault (:mod:`.faults`),
and returns the command line that does the same.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
import os
from pathlib import Path
from queue import SimpleQueue
import shutil
import signal
from typing import Any

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.algorithms.given import GIVEN, leader_ranges
from leader_election.election.messages.codec import Position
from leader_election.election.robot.parameters import ElectionParameters, prefix_of
from leader_election.parameters import command_line, Parameter, ParameterError, table
from leader_election.ros.demo import faults, processes
from leader_election.ros.demo.task_scenarios import GATE, SCENARIOS
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.monitor import SwarmObserver
from leader_election.ros.nodes.process import init_ros, spin
from leader_election.ros.nodes.web import Page
from leader_election.simulation.odometry import EXACT_ODOMETRY
from leader_election.simulation.parameters import WorldParameters
from leader_election.swarm.history import Statistics
from leader_election.swarm.snapshot import regions
from leader_election.swarm.tracker import ObserverParameters, SwarmTracker
from leader_election.swarm.web.play_page import PLAYGROUND, PlayPage
import rclpy

LEADERS = prefix_of(GIVEN) + 'leaders'
"""The parameter of algorithm ``given``."""
SETTINGS: Mapping[str, Mapping[str, Any]] = PLAYGROUND['settings']
"""The settings of the page by their names on a node."""
TOURS: Mapping[str, Any] = PLAYGROUND['tours']
_ALL, _WORLD, _SENSORS, _ROBOTS = (
    PLAYGROUND['processes'][name] for name in ('all', 'world', 'sensors', 'robots'))
EXPIRY: float = _ROBOTS['message_expiry']
LEADER, LAST = 'leader', 'last'
"""In place of a robot's id: the leader of the most robots, and the robot of the last fault."""
NOWHERE = (1e9, 1e9)
NODE = 'robot_{}/election_node'


def _declared(name: str) -> Parameter:
    """Return the declaration of a setting, with the choices and the upper end of the page."""
    given = SETTINGS[name]
    kind = WorldParameters if 'of_world' in given else ElectionParameters
    known = (*table(kind), *table(GIVEN.parameters, prefix_of(GIVEN)))
    found = next(p for p in known if p.name == name)
    choices = (lambda: tuple(each for each in SCENARIOS if each != GATE)
               ) if name == 'tasks' else found.choices
    return replace(found, choices=choices, upper=given.get('most', found.upper))


CONTROLS = {name: _declared(name) for name in SETTINGS}


def taken(name: str, values: Mapping[str, Any]) -> bool:
    """
    Return whether the algorithm takes a parameter. Parameters of no algorithm are taken by all.

    :param values: of all controls.
    """
    algorithm = ALGORITHMS.get(values['algorithm'])
    if name == LEADERS:
        return algorithm is GIVEN
    return name in algorithm.takes or not any(
        name in ALGORITHMS.get(each).takes for each in ALGORITHMS.names())


def changed(values: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """
    Return the values of all controls after a change of one.

    :raises ParameterError: for a wrong value, and if its algorithm does not take the parameter.
    """
    after = {**values, name: CONTROLS[name].check(value)}
    if not leader_ranges(after[LEADERS]) and taken(LEADERS, after):
        raise ParameterError(LEADERS, problem=': algorithm given takes the ids of its leaders, '
                             'such as 1, 5; fill in "leaders of given" first')
    if name != LEADERS and not taken(name, after):
        raise ParameterError(name, problem=f': algorithm {values["algorithm"]} does not take it')
    WorldParameters(**{each: after[each] for each in SETTINGS if 'of_world' in SETTINGS[each]})
    return after


def world_parameters(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the world."""
    return {**_ALL, **_WORLD, **_SENSORS.get(values['metric'], {}),
            **SCENARIOS[values['tasks']].world_parameters,
            **{name: values[name] for name in SETTINGS if 'of_world' in SETTINGS[name]}}


def robot_parameters(values: Mapping[str, Any], members: str) -> dict[str, Any]:
    """Return the parameters of the process of a robot, by its id."""
    chosen = {key: value for key, value in values.items()
              if 'of_world' not in SETTINGS[key] and taken(key, values)}
    return {**_ALL, 'robots': values['robots'], 'members': members, **_ROBOTS, **EXACT_ODOMETRY,
            **chosen, **SCENARIOS[values['tasks']].robot_parameters}


class Playground(faults.FaultySwarm):
    """
    A swarm in which controls are set and faults are made.

    :ivar controls: the parameters that the page sets, each a choice or a number with a range.
    :ivar observer: of the swarm. The caller spins it.
    :ivar values: of all controls, by name.
    :ivar commands: the command lines of the last change, for another terminal.
    :ivar told: the title and the text of the present step of a tour, empty if none runs.
    """

    def __init__(self, folder: Path, **values: Any) -> None:
        """
        Start nothing yet.

        :param folder: for the logs of the processes.
        :param values: of controls, other than those of the table.
        """
        self.observer = node = SwarmObserver('play', ObserverParameters, parameter_overrides=(
            overrides({'message_expiry': EXPIRY})))
        super().__init__(node, folder)
        self.controls = [*CONTROLS.values()]
        self.values = self._start_values = {
            name: each.check(values.get(name, SETTINGS[name]['value']))
            for name, each in CONTROLS.items()}
        self.commands = self.told = ''
        self._inbox: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        self._tour: Iterator[float] | None = None
        self._next, self._last = 0.0, 0
        self._places: dict[int, Position] = dict.fromkeys(
            range(1, SETTINGS['robots']['most'] + 1), NOWHERE)
        self._attacker = faults.Attacker(node, self._places)
        self.acts: Mapping[str, Callable[[Any], str]] = {
            'kill': lambda value: self.kill(self._alive(value)),
            'freeze': lambda value: self.pause(self._alive(value)),
            'forge': self._forge, 'move': self._move, 'revive': self._revive,
            'tour': self._begin_tour, 'reset': lambda _: self._restore()}

    @property
    def ids(self) -> range:
        """Return the ids of all robots, dead or alive."""
        return range(1, self.values['robots'] + 1)

    @property
    def living(self) -> list[int]:
        """Return the ids of the robots whose processes were not killed."""
        return [robot for robot in self.ids if f'robot_{robot}' in self.pids]

    def start(self) -> str:
        """Start all processes anew, and return the command lines that do it."""
        line = f'kill -KILL {" ".join(map(str, self.pids.values()))}\n' if self.pids else ''
        for name in list(self.pids):
            self.kill(name)
        self._attacker.stop()
        self.observer.tracker = SwarmTracker(EXPIRY, self.values['algorithm'])
        self.observer.statistics = Statistics()
        world = self.run(faults.WORLD, 'swarm_world', world_parameters(self.values))
        for robot in self.ids:
            self.run(f'robot_{robot}', 'fleet', robot_parameters(self.values, str(robot)))
        return f'{line}{world} &\n' + faults.start_commands(
            f'$(seq {len(self.ids)})', 'fleet', robot_parameters(self.values, '{}'))

    def step(self) -> None:
        """
        Execute requests, go on with a tour, check the processes.

        :raises ProcessDied: if a process has ended, and was not killed.
        """
        while not self._inbox.empty():
            self._try(*self._inbox.get())
        if self._tour is not None and (now := self.observer.snapshot.time) >= self._next:
            self._next = now + next(self._tour, 0.0)
        for name, status in self.ended().items():
            # A user has typed the command line.
            if name != faults.WORLD and status == -signal.SIGKILL:
                self.kill(name)
        self.check()

    def _begin_tour(self, title: str) -> str:
        """Begin a tour, with the values of the start."""
        line = self._restore() if self.told or self.values != self._start_values else ''
        self._tour, self._next = self._guide(title, TOURS[title]), 0.0
        return line

    def _guide(self, title: str, steps: list[Mapping[str, Any]]) -> Iterator[float]:
        """Make the steps of a tour, and yield the time until the next one after each [s]."""
        # Robots start slowly. A user may have frozen some.
        while 2 * len(self.observer.snapshot.robots) <= len(self.living):
            yield 0.0
        for step in steps:
            self.told = f'{title}: {step["text"]}'
            if 'control' in step:
                self._try(step['control'], step['value'])
            yield step['wait']
        self._try('reset', None)

    def _restore(self) -> str:
        """End the tour, and start the swarm anew with the values of the start."""
        self._tour, self.told, self.values = None, '', self._start_values
        return self.start()

    def request(self, name: str, value: Any) -> None:
        """Request what :meth:`do` does by the next :meth:`step`, from any thread."""
        self._inbox.put((name, value))

    def _try(self, name: str, value: Any) -> None:
        self.errors.clear()
        try:
            self.do(name, value)
        except ParameterError as error:
            self.errors.append(str(error))

    def do(self, name: str, value: Any) -> str:
        """
        Set a control, or make or end a fault.

        :param name: a key of :data:`.CONTROLS`; or ``kill``, ``freeze``, ``forge``, which sends
            messages of another robot, or ``revive``, which ends all three, with the id of a
            robot; ``move``, with a list of id, x and y [m]; ``tour``, with its title; ``reset``.
        :param value: in place of an id also :data:`LEADER` or :data:`LAST`.
        :return: the command lines that do the same, empty if nothing is to be done.
        :raises ParameterError: for another value.
        """
        robots = self.observer.snapshot.robots
        self._places.update((robot, view.position) for robot, view in robots.items()
                            if robot in self._places and view.position is not None)
        command = self.acts[name](value) if name in self.acts else self._set(name, value)
        self.commands = _typed(command) if command else self.commands
        return command

    def _set(self, name: str, value: Any) -> str:
        values = changed(self.values, name, value)
        before, self.values = self.values, values
        if values == before or not taken(name, values):
            return ''
        if 'anew' in SETTINGS[name]:
            return self.start()
        if 'of_world' in SETTINGS[name]:
            return self.set(faults.WORLD, {name: values[name]})
        for robot in self.living:
            self.set(NODE.format(robot), {name: values[name]})
        one = faults.set_command(NODE.format('$robot'), name, values[name])
        return f'for robot in {" ".join(map(str, self.living))}; do {one}; done'

    def _id(self, value: Any) -> int:
        """Return the id of a robot by it or by its role."""
        led = regions(self.observer.snapshot)
        value = {LEADER: max(self.living, key=lambda robot: len(led.get(robot, ())), default=0),
                 LAST: self._last}.get(value, value)
        if value not in self.ids:
            raise ParameterError('robot', value, f'{self.ids.start} to {self.ids.stop - 1}')
        self._last = int(value)
        return self._last

    def _alive(self, value: Any) -> str:
        """Return the name of the process of a robot that was not killed."""
        name = f'robot_{self._id(value)}'
        if name not in self.pids:
            raise ParameterError('robot', problem=f' {self._last} is dead already; restart it')
        return name

    def _revive(self, value: Any) -> str:
        name = f'robot_{self._id(value)}'
        self._attacker.stop()
        return self.go_on(name) if name in self.pids else self.run(
            name, 'fleet', robot_parameters(self.values, str(self._last))) + ' &'

    def _forge(self, value: Any) -> str:
        """Send messages of a very strong robot that does not exist to a robot."""
        robot = self._id(value)
        message = faults.forged(self._places[robot])
        return self._attacker.begin(robot, lambda _: message)

    def _move(self, value: Any) -> str:
        robot, x, y = self._id(value[0]), *map(float, value[1:])
        here = self._places[robot]
        by = [round(x - here[0], 2), round(y - here[1], 2), 0.0]
        # A robot that is named again is carried again.
        changes = ('carried_by', by), ('carried_robots', str(robot)), ('carried_robots', '')
        return '' if here == NOWHERE else '\n'.join(
            self.set(faults.WORLD, dict([change])) for change in changes)


def _typed(commands: str) -> str:
    """Return command lines for another terminal."""
    ros2 = command_line.ROS2
    absent = ros2 in commands.split() and shutil.which(ros2) is None
    note = f'# {ros2} is not installed here; it is the command of a sourced ROS 2\n' * absent
    return f'{note}export {processes.DOMAIN}={os.environ.get(processes.DOMAIN) or 0}\n{commands}'


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the playground until it is stopped, and return the exit status."""
    most, usual = (SETTINGS['robots'][name] for name in ('most', 'value'))
    parser = command_line.CommandLineParser(command_line.how_to_run('play'), description=(
        'Start a swarm of real nodes, and a page in the browser on which you change it.'))
    parser.add_argument('--robots', default=usual, type=command_line.number(
        lambda value: 1 <= value <= most, CONTROLS['robots'].allowed(), int),
        help=f'number of robots ({usual})')
    parser.add_argument('--output', type=Path, default=Path('results/play'),
                        help='folder for log files (results/play)')
    options = parser.parse_args(arguments)
    try:
        folder, shared, told = processes.own_place(options.output)
        print(told, flush=True)
        init_ros([])
        playground = Playground(folder / processes.LOG, robots=options.robots)
        stop = processes.stop_request(playground.observer, ['/neighbourhood'], shared)
        page = Page(playground.observer, partial(PlayPage, playground))

        def over() -> bool:
            playground.step()
            return stop.made

        print(f'the playground is at {page.server.url}; Ctrl-C ends it', flush=True)
        try:
            playground.do('reset', None)
            spin([playground.observer], over)
        finally:
            page.server.stop()
            playground.stop(processes.AT_ONCE)
        return command_line.ExitStatus.OK
    except (ParameterError, processes.ProcessDied) as error:
        return command_line.print_error(error)
    finally:
        rclpy.try_shutdown()
