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

"""The instances of a robot, created from its parameters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from leader_election.election.messages.codec import MAIN, MOST_INSTANCES
from leader_election.election.robot.instance import Instance
from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.parameters import (
    ElectionParameters,
    InstanceParameters,
    names_in,
)
from leader_election.election.robot.task_runner import deciding_copy, task_label, TaskRunner
from leader_election.parameters import ParameterError, table

MOST_RADIUS = next(p.upper for p in table(InstanceParameters) if p.name == 'radius') or 0.0
NO_OTHERS: Mapping[str, InstanceParameters] = MappingProxyType({})


def no_task_runner(instance: str, task: str) -> TaskRunner:
    """Refuse to create a task: the default of a robot without tasks."""
    raise ParameterError('tasks', problem=f': {task!r} is not allowed; no tasks are known here')


def instance_parameters(
    parameters: ElectionParameters, others: Mapping[str, InstanceParameters],
) -> dict[str, InstanceParameters]:
    """
    Return the parameters of all instances, by name: the first, the others, and the levels.

    An instance with another one over it forms regions, whose summaries the other one collects.

    :raises ParameterError: for a duplicate name, or too many instances.
    """
    first = InstanceParameters(**{
        p.name: getattr(parameters, p.name) for p in table(InstanceParameters)}
        | {'regions': parameters.regions or parameters.hierarchy.strip() != '',
           'own': parameters.own})
    found = {MAIN: first, **others}
    below = MAIN
    for number, radius in enumerate(radii(parameters.hierarchy), start=1):
        name = f'level_{number}'
        if name in found:
            raise ParameterError('instances', problem=f': {name!r} is not allowed; hierarchy '
                                 'makes one of that name')
        try:
            # Given leaders lead on their own level only; the level above elects among them.
            algorithm = 'bounded' if first.algorithm == 'given' else first.algorithm
            found[name] = replace(first, algorithm=algorithm, leaders='', radius=radius,
                                  over=below, tasks='', outline=False, zones='',
                                  feedback_gain=0.0)
        except ParameterError as error:
            raise _of(name, error, others) from None
        below = name
    for name in {of_it.over for of_it in found.values()} & found.keys():
        found[name] = replace(found[name], regions=True)
    if len(found) > MOST_INSTANCES:
        raise ParameterError('instances', problem=f': {len(found)} are not allowed; a robot has '
                             f'up to {MOST_INSTANCES}')
    return found


def radii(text: str) -> tuple[float, ...]:
    """
    Return the radii of levels.

    >>> radii('20, 50')
    (20.0, 50.0)
    """
    try:
        found = tuple(float(name) for name in names_in(text))
    except ValueError:
        found = (-1.0,)
    if not all(0.0 < radius <= MOST_RADIUS for radius in found) or (text.strip() and not found):
        raise ParameterError('hierarchy', text, f'radii up to {MOST_RADIUS:g} m with commas, for '
                             "example '20, 50'")
    return found


def make_instances(
    parameters: ElectionParameters, others: Mapping[str, InstanceParameters],
    link_range: float, task_runners: Callable[[str, str], TaskRunner],
) -> dict[str, Instance]:
    """
    Return the instances by name, each after the one below it.

    :param link_range: the greatest distance of a neighbour [m]; infinite: not known.
    :param task_runners: creates the runner of a task: ``task_runners(instance, task)``; for
        instances that are over no other.
    :raises ParameterError: where an instance is over an unknown one, or over itself.
    """
    waiting = instance_parameters(parameters, others)
    made: dict[str, Instance] = {}
    tasks: dict[str, tuple[str, ...]] = {}
    while waiting:
        ready = [name for name, of_it in waiting.items() if of_it.over in ('', *made)]
        if not ready:
            name, of_it = next(iter(waiting.items()))
            others_named = [other for other in (*made, *waiting) if other != name]
            error = ParameterError('over', of_it.over, 'another instance, which is not over this '
                                   f"one in turn: {', '.join(others_named) or 'there is none'}")
            raise _of(name, error, others)
        for name in ready:
            of_it = waiting.pop(name)
            below = made.get(of_it.over)
            # An instance over another one collects its summaries, so it has the same tasks.
            tasks[name] = of_it.task_names if below is None else tasks[of_it.over]
            _differ(name, tasks[name], others)
            # Only one task of a kind may act on a robot; the copies above only decide.
            working = ([task_runners(name, task) for task in tasks[name]] if below is None
                       else [deciding_copy(f'{name}.', runner)
                             for runner in below.membership.task_runners])
            try:
                made[name] = Instance(
                    name, parameters.robot_id, of_it, link_range, working, below,
                    counts_links=METRICS.get(parameters.metric).counts_links)
            except ParameterError as wrong:
                raise _of(name, wrong, others) from None
    return made


def _differ(name: str, tasks: Sequence[str], others: Mapping[str, InstanceParameters]) -> None:
    """Refuse two tasks of the same name."""
    labels = [task_label(task) for task in tasks]
    for task, called in zip(tasks, labels):
        if labels.count(called) > 1:
            error = ParameterError('tasks', problem=f': {task!r} is not allowed; there are two '
                                   f'called {called}')
            raise _of(name, error, others)


def _of(name: str, error: ParameterError, others: Mapping[str, InstanceParameters],
        ) -> ParameterError:
    """Return an error with the full name of the parameter, instance included."""
    if name == MAIN:
        return error
    where = f'{name}.' if name in others else f'hierarchy: {name}: '
    return error.named(f'{where}{error.name}')
