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

"""The controls of the playground, with the ranges of its page, and its guided tours."""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from typing import Any, NamedTuple

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import Parameter, strict_yaml, table
from leader_election.ros.demo.task_scenarios import GATE, SCENARIOS
from leader_election.simulation.parameters import WorldParameters

BESIDE = 'beside'
"""The instance of the election that runs beside the first, on the same robots."""
LEADERS = 'leaders'
"""The parameter of algorithm ``given``, of both instances."""
MOST_ROBOTS = 24
"""The most robots: each has a process of its own."""


class Control(NamedTuple):
    """A parameter that the page sets."""

    declared: Parameter
    """With the name on a node, and with the choices and the upper end of the page."""
    value: Any
    """At the start."""
    anew: bool
    of_world: bool


def _control(parameters: type, name: str, value: Any, anew: bool = False,
             **page: Any) -> dict[str, Control]:
    """Return a control by its name, which may begin with that of an instance."""
    (found,) = (p for p in table(parameters) if p.name == name.rpartition('.')[2])
    return {name: Control(replace(found, name=name, **page), value, anew,
                          parameters is WorldParameters)}


CONTROLS = {
    **_control(ElectionParameters, 'radius', 8.0, upper=30.0),
    **_control(ElectionParameters, 'radius_hysteresis', 0.25),
    **_control(ElectionParameters, 'communication_range', 6.0, upper=30.0),
    **_control(WorldParameters, 'radio_loss', 0.0),
    **_control(WorldParameters, 'speed', 0.4, upper=3.0),
    **_control(WorldParameters, 'robots', 12, anew=True, upper=MOST_ROBOTS),
    **_control(ElectionParameters, 'algorithm', 'bounded', anew=True),
    **_control(ElectionParameters, f'{BESIDE}.algorithm', 'classic', anew=True),
    **_control(ElectionParameters, LEADERS, '', anew=True),
    **_control(ElectionParameters, 'metric', 'odometry', anew=True),
    **_control(ElectionParameters, 'tasks', '', anew=True, choices=lambda: tuple(
        name for name in SCENARIOS if name != GATE)),
    **_control(ElectionParameters, 'quorum', 'none', anew=True)}


def taken(key: str, values: Mapping[str, Any]) -> bool:
    """
    Return whether the algorithm of an instance takes a parameter.

    Parameters of no algorithm are taken by all.

    :param key: its name, which may begin with that of an instance.
    :param values: of all controls.
    """
    instance, dot, name = key.rpartition('.')
    algorithm = values[f'{instance}{dot}algorithm']
    return name in ALGORITHMS.get(algorithm).takes or not any(
        name in ALGORITHMS.get(each).takes for each in ALGORITHMS.names())


class Step(NamedTuple):
    """A step of a tour."""

    text: str
    wait: float
    """The time until the next step [s]."""
    control: str = ''
    """The argument of :meth:`.Playground.do`, empty if nothing changes."""
    value: Any = None


TOURS = {title: tuple(Step(**step) for step in steps) for title, steps in strict_yaml.read(
    files('leader_election.ros.demo').joinpath('tours.yaml').read_text(encoding='utf-8')).items()}


class Guide:
    """
    Steps through a tour.

    :param pace: 2: twice as fast.
    :ivar text: title and text of the present step, empty if there is none.

    >>> guide = Guide(pace=2.0)
    >>> guide.begin('Who may act')
    >>> guide.due(5.0).control, guide.due(5.1), guide.due(10.0).control
    ('radius', None, 'communication_range')
    """

    def __init__(self, pace: float = 1.0) -> None:
        self.text = ''
        self._pace, self._title, self._next = pace, '', 0.0
        self._steps: deque[Step] = deque()

    def begin(self, title: str) -> None:
        """Begin the tour of a title in place of a running one. An empty title ends the tour."""
        self._title, self._steps, self._next = title, deque(TOURS.get(title, ())), 0.0

    def due(self, now: float) -> Step | None:
        """Return the step that begins now [s], if one does."""
        if now < self._next:
            return None
        if not self._steps:
            self.text = ''
            return None
        step = self._steps.popleft()
        self.text, self._next = f'{self._title}: {step.text}', now + step.wait / self._pace
        return step
