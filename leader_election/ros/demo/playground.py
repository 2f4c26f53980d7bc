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

from collections import deque
from collections.abc import Callable, Mapping
import math
import os
from pathlib import Path
from queue import SimpleQueue
import shutil
import signal
from typing import Any

from leader_election.election.algorithms.given import leader_ranges
from leader_election.election.messages.codec import MAIN, Position
from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import ROS2
from leader_election.parameters.values import did_you_mean
from leader_election.ros.demo.controls import (
    BESIDE,
    CONTROLS,
    LEADERS,
    MOST_ROBOTS,
    SETTINGS,
    taken,
    TOURS,
)
from leader_election.ros.demo.faults import (
    Attacker,
    FaultySwarm,
    set_command,
    start_command,
    start_commands,
    WORLD,
)
from leader_election.ros.demo.processes import DOMAIN
from leader_election.ros.demo.task_scenarios import SCENARIOS
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.observer import SwarmObserver
from leader_election.simulation.odometry import EXACT_ODOMETRY
from leader_election.swarm.fleet.robot_list import format_ids
from leader_election.swarm.history import Statistics
from leader_election.swarm.snapshot import regions
from leader_election.swarm.tracker import ObserverParameters, SwarmTracker
from leader_election.swarm.web.play_page import PlaygroundState, RESET, TOUR

ARENA = 'empty:18x12'
LIE = 'forged candidacies'
"""The attack of a liar."""
LEADER, LAST = 'leader', 'last'
"""In place of a robot's id: the leader of the most robots, and the robot of the last fault."""
CURVE, CURVE_PERIOD = 360, 0.5
"""The most points of a curve, and the time between two of them [s]."""
NOWHERE = (1e9, 1e9)
EXPIRY = 1.5
"""``message_expiry`` of the robots [s]."""
ROBOTS = 'robot_{}/election_node'


class Playground(FaultySwarm):
    """
    A swarm in which controls are set and faults are made.

    :ivar observers: of both instances, by name. The caller spins them.
    :ivar values: of all controls, by key.
    :ivar curves: points of time [s] and, of each instance, changes of leader of a robot per
        minute.
    :ivar blind: the robots without odometry.
    :ivar apart: the robots on a radio channel of their own.
    :ivar commands: the command lines of the last change.
    :ivar state: what pages show.
    """

    def __init__(self, folder: Path, seed: int = 1, pace: float = 1.0, **values: Any) -> None:
        """
        Start nothing yet.

        :param folder: for the logs of the processes.
        :param seed: of the world and of the robots' strengths.
        :param pace: of tours, 2 for twice as fast.
        :param values: of controls, other than those of the table.
        """
        self.observers = {instance: SwarmObserver(
            f'play_{instance}', ObserverParameters, parameter_overrides=overrides(
                {'instance': instance, 'message_expiry': EXPIRY}))
            for instance in (MAIN, BESIDE)}
        node = self.observers[MAIN]
        super().__init__(node, folder)
        self.values = {key: declared.check(values.get(key, SETTINGS[key]['value']))
                       for key, declared in CONTROLS.items()}
        self.blind: set[int] = set()
        self.apart: set[int] = set()
        self.lying = False
        self.commands = ''
        self._inbox: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        self._start_values = self._before = dict(self.values)
        """The values before all changes, and those before the present tour."""
        self._pace, self._tour, self._told, self._next = pace, '', '', 0.0
        self._steps: deque[Mapping[str, Any]] = deque()
        self._error = ''
        self._begun = node.snapshot.time
        self.curves: deque[tuple[float, ...]] = deque([(0.0, 0.0, 0.0)], CURVE)
        self._seed = seed
        self._last = 0
        self._places: dict[int, Position] = dict.fromkeys(range(1, MOST_ROBOTS + 1), NOWHERE)
        self._attacker = Attacker(node, self._places, seed)
        self._acts: Mapping[str, Callable[[Any], str]] = {
            'kill': self._kill, 'revive': self._revive, 'freeze': self._freeze,
            'blind': self._blind, 'move': self._move, 'cut': self._cut, 'liar': self._lie}
        self.state = self._state()

    # Processes.

    @property
    def ids(self) -> range:
        """Return the ids of all robots, dead or alive."""
        return range(1, self.values['robots'] + 1)

    @property
    def living(self) -> list[int]:
        """Return the ids of the robots whose processes were not killed."""
        return [robot for robot in self.ids if f'robot_{robot}' in self.pids]

    @property
    def _scene(self) -> dict[str, Any]:
        return {'robots': self.values['robots'], 'seed': self._seed, 'world': ARENA,
                'radio': 'relay'}

    @property
    def _world(self) -> dict[str, Any]:
        """Return the parameters of the world."""
        # True odometry, so that a robot that is moved knows where it is.
        measured = {'sensor_difference': 'reading_rate', 'range': 'ranging_rate'}
        return {**self._scene, 'radio_range': math.inf, 'odom_source': 'truth',
                'carried_at': 0.0,
                **{rate: 2.0 for metric, rate in measured.items()
                   if metric == self.values['metric']},
                **SCENARIOS[self.values['tasks']].world_parameters,
                **{name: self.values[name] for name in ('radio_loss', 'speed')}}

    def _robot(self, members: str) -> dict[str, Any]:
        """Return the parameters of the process of a robot."""
        values = {**self.values, **{f'{BESIDE}.{key}': self.values[key]
                                    for key in ('radius', LEADERS)}}
        chosen = {key: value for key, value in values.items() if taken(key, self.values)
                  and 'of_world' not in SETTINGS.get(key, ())}
        return {**self._scene, 'members': members, 'round_period': 0.5,
                'message_expiry': EXPIRY, 'mandate': 3.0, 'instances': BESIDE, **EXACT_ODOMETRY,
                **chosen, **SCENARIOS[self.values['tasks']].robot_parameters}

    def start(self) -> str:
        """Start all processes anew, and return the command lines that do it."""
        line = f'kill -KILL {" ".join(map(str, self.pids.values()))}\n' if self.pids else ''
        for name in list(self.pids):
            self.kill(name)
        self._attacker.stop()
        for instance, observer in self.observers.items():
            observer.tracker = SwarmTracker(EXPIRY, self.values['algorithm'], instance=instance)
            observer.statistics = Statistics()
        self.blind, self.apart, self.lying = set(), set(), False
        self._places.update(dict.fromkeys(self._places, NOWHERE))
        self.run(WORLD, 'swarm_world', self._world)
        for robot in self.ids:
            self.run(f'robot_{robot}', 'fleet', self._robot(str(robot)))
        return (line + start_command(WORLD, 'swarm_world', self._world) + ' &\n'
                + start_commands(f'$(seq {len(self.ids)})', 'fleet', self._robot('{}')))

    def step(self) -> None:
        """
        Execute requests, check the processes, extend the curves, several times a second.

        :raises ProcessDied: if a process has ended, and was not killed.
        """
        snapshot = self.observers[MAIN].snapshot
        # A tour begins when most robots are heard. A user may have frozen some.
        runs = self._inbox.empty() and 2 * len(snapshot.robots) > len(self.living)
        while not self._inbox.empty():
            name, value = self._inbox.get()
            if name == RESET:
                self._restore(self._start_values)
            elif name == TOUR:
                if self._tour:
                    self._restore(self._before)
                self._before, self._next = dict(self.values), 0.0
                self._tour, self._steps = value, deque(TOURS.get(value, ()))
            else:
                self._try(name, value)
        if self._tour and snapshot.time >= self._next and (self._told or runs):
            self._step_tour(snapshot.time)
        ended = self.processes.ended()
        for robot in self.living:
            # A user has typed the command line.
            if ended.get(self.labels[f'robot_{robot}']) == -signal.SIGKILL:
                self._kill(robot)
        self.check()
        if snapshot.time - self._begun >= self.curves[-1][0] + CURVE_PERIOD:
            self.curves.append((snapshot.time - self._begun, *(
                observer.statistics.changes_a_minute for observer in self.observers.values())))
        self.state = self._state()

    def _step_tour(self, now: float) -> None:
        """Make the next step of the tour, or end it after the last one. The time is in s."""
        if not self._steps:
            self._restore(self._before)
            return
        step = self._steps.popleft()
        self._told, self._next = f'{self._tour}: {step["text"]}', now + step['wait'] / self._pace
        if 'control' in step:
            self._try(step['control'], step['value'])

    def _restore(self, values: Mapping[str, Any]) -> None:
        """Start the swarm anew with former values, and end the tour."""
        self._tour = self._told = self._error = ''
        self.values = dict(values)
        self.commands = self.start()

    def _state(self) -> PlaygroundState:
        return PlaygroundState(
            {**self.values, 'cut': bool(self.apart), 'liar': self.lying},
            _typed(self.commands),
            '; '.join(filter(None, (self._error, *self.errors[-1:]))), self._told,
            tuple(self.curves), self.observers[BESIDE].frame, self.observers[BESIDE].rings)

    # Requests.

    def request(self, name: str, value: Any) -> None:
        """
        Request a change by the next :meth:`step`, from any thread.

        :param name: as :meth:`do` takes it; or :data:`.TOUR`, with the title of the tour.
        """
        self._inbox.put((name, value))

    def _try(self, name: str, value: Any) -> None:
        self._error = ''
        try:
            self.do(name, value)
        except ParameterError as error:
            self._error = str(error)

    def do(self, name: str, value: Any) -> str:
        """
        Set a control, or make or end a fault.

        :param name: a key of :data:`CONTROLS`; or ``kill``, ``freeze``, ``blind`` or ``revive``,
            which ends all three, with the id of a robot; ``move``, with a list of id, x and y [m];
            ``cut`` or ``liar``, with whether there is one.
        :param value: in place of an id also :data:`LEADER` or :data:`LAST`.
        :return: the command lines that do the same, empty if nothing is to be done.
        :raises ParameterError: for another name or value.
        """
        robots = self.observers[MAIN].snapshot.robots
        self._places.update((robot, view.position) for robot, view in robots.items()
                            if robot in self._places and view.position is not None)
        if name in CONTROLS:
            command = self._set(name, value)
        elif name in self._acts:
            command = self._acts[name](value)
        else:
            known = [*CONTROLS, *self._acts]
            raise ParameterError(f'control {name} is not known; {did_you_mean(name, known)}')
        if command:
            self.commands = command
        return command

    def _set(self, name: str, value: Any) -> str:
        value = CONTROLS[name].check(value)
        if value == self.values[name]:
            return ''
        values = {**self.values, name: value}
        given = any(taken(key, values) for key in (LEADERS, f'{BESIDE}.{LEADERS}'))
        if given and not leader_ranges(values[LEADERS]):
            raise ParameterError(LEADERS, problem=': algorithm given takes the ids of its '
                                 'leaders, such as 1, 5; fill in "leaders of given" first')
        if name == LEADERS and not given:
            leader_ranges(value)
            self.values[name] = value
            return ''
        if name != LEADERS and not taken(name, values):
            raise ParameterError(name, problem=f': algorithm {self.values["algorithm"]} does not '
                                 'take it')
        self.values[name] = value
        if 'anew' in SETTINGS[name]:
            return self.start()
        if 'of_world' in SETTINGS[name]:
            return self._tell(name, value)
        also = f'{BESIDE}.{name}'
        settings = {name: value, **({also: value} if name == 'radius' and taken(also, self.values)
                                    else {})}
        for robot in self.living:
            self.set(ROBOTS.format(robot), settings)
        one = '; '.join(set_command(ROBOTS.format('$robot'), *each) for each in settings.items())
        return f'for robot in {" ".join(map(str, self.living))}; do {one}; done'

    def _tell(self, name: str, value: Any) -> str:
        """Change a parameter of the world."""
        self.set(WORLD, {name: value})
        return set_command(WORLD, name, value)

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

    def _kill(self, value: Any) -> str:
        name = self._running(value)
        pid = self.pids[name]
        self.kill(name)
        return f'kill -KILL {pid}'

    def _freeze(self, value: Any) -> str:
        name = self._running(value)
        self.pause(name)
        return f'kill -STOP {self.pids[name]}'

    def _blind(self, value: Any) -> str:
        self.blind.add(self._id(value))
        return self._tell('odom_silent', format_ids(tuple(sorted(self.blind))))

    def _revive(self, value: Any) -> str:
        robot = self._id(value)
        name = f'robot_{robot}'
        if name in self.pids:
            self.go_on(name)
            line = f'kill -CONT {self.pids[name]}'
        else:
            parameters = self._robot(str(robot))
            self.run(name, 'fleet', parameters)
            line = start_command(name, 'fleet', parameters) + ' &'
        if robot in self.blind:
            self.blind.discard(robot)
            line += '\n' + self._tell('odom_silent', format_ids(tuple(sorted(self.blind))))
        return line

    def _move(self, value: Any) -> str:
        robot, x, y = self._id(value[0]), *map(float, value[1:])
        here = self._places[robot]
        by = [round(x - here[0], 2), round(y - here[1], 2), 0.0]
        # A robot that is named again is carried again.
        return '' if here == NOWHERE else '\n'.join(map(self._tell, (
            'carried_by', 'carried_robots', 'carried_robots'), (by, str(robot), '')))

    def _cut(self, value: Any) -> str:
        """Put the greater part of the robots, from the left, on a radio channel of its own."""
        by_place = sorted(self.living, key=lambda robot: self._places[robot])
        self.apart = set(by_place[:len(self.ids) // 2 + 1] if value else ())
        return self._tell('radio_groups', format_ids(tuple(sorted(self.apart))))

    def _lie(self, value: Any) -> str:
        self.lying = bool(value)
        if not self.lying:
            self._attacker.stop()
            return ''
        robot = self._id(LEADER)
        self._attacker.begin(LIE, robot)
        return self._attacker.command(LIE, robot)


def _typed(commands: str) -> str:
    """Return command lines for another terminal."""
    absent = ROS2 in commands.split() and shutil.which(ROS2) is None
    note = f'# {ROS2} is not installed here; it is the command of a sourced ROS 2\n' * absent
    return f'{note}export {DOMAIN}={os.environ.get(DOMAIN) or 0}\n{commands}'
