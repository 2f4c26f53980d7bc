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

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from leader_election.election.messages.codec import MAIN, Message, MOST_INSTANCES
from leader_election.election.part import Part, PARTS, PartSetup
from leader_election.election.robot.instance import ALGORITHM_DIFFERS, Instance
from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.parameters import ElectionParameters, InstanceParameters
from leader_election.parameters import names_in, ParameterError, table

MOST_RADIUS = next(p.upper for p in table(InstanceParameters) if p.name == 'radius') or 0.0
NO_OTHERS: Mapping[str, InstanceParameters] = MappingProxyType({})
Tool = Callable[[str], Any]
"""Makes what a part needs of the node, for an instance by its name."""
NO_TOOLS: Mapping[str, Tool] = MappingProxyType({})


def instance_parameters(parameters: ElectionParameters,
                        others: Mapping[str, InstanceParameters]) -> dict[str, InstanceParameters]:
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
            # Given leaders lead on their own level only. The level above elects among them.
            algorithm = 'bounded' if first.algorithm == 'given' else first.algorithm
            found[name] = replace(first, algorithm=algorithm, radius=radius, over=below,
                                  tasks='', zones='', feedback_gain=0.0)
        except ParameterError as error:
            raise _of(name, error, others) from None
        below = name
    for name in {of_it.over for of_it in found.values()} & found.keys():
        found[name] = replace(found[name], regions=True)
    for name, of_it in found.items():
        try:
            of_it.check_mandate(parameters.round_period)
        except ParameterError as error:
            raise _of(name, error, others) from None
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


def make_instances(parameters: ElectionParameters, others: Mapping[str, InstanceParameters],
                   link_range: float, tools: Mapping[str, Tool],
                   first_number: int) -> dict[str, Instance]:
    """
    Return the instances by name, each after the one below it.

    :param link_range: the greatest distance of a neighbour [m], infinite if unknown.
    :param tools: what the node provides for a part, by its name: makes the tool of an instance.
    :param first_number: numbers that others have to see grow over restarts begin here.
    :raises ParameterError: if an instance is over an unknown one, or over itself.
    """
    waiting = instance_parameters(parameters, others)
    made: dict[str, Instance] = {}
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
            counts = Counter({ALGORITHM_DIFFERS: 0})
            try:
                made[name] = Instance(
                    name, parameters.robot_id, of_it, link_range, counts,
                    parts_of(name, parameters.robot_id, of_it, counts, below, tools, first_number),
                    below, counts_links=METRICS.get(parameters.metric).counts_links)
            except ParameterError as wrong:
                raise _of(name, wrong, others) from None
    return made


def without_excess(message: Message, instances: Mapping[str, Instance]) -> Message | None:
    """
    Return a message without the instances whose strengths are beyond the limits.

    :return: the message itself where all are within, ``None`` if those of the first instance
        are not.
    """
    beyond = [name for name, instance in instances.items() if not instance.admits(message)]
    if MAIN in beyond:
        return None
    if not beyond:
        return message
    return message._replace(others=MappingProxyType({
        name: other for name, other in message.others.items() if name not in beyond}))


def parts_of(name: str, robot_id: int, parameters: InstanceParameters, counts: Counter[str],
             below: Instance | None, tools: Mapping[str, Tool], first_number: int,
             ) -> dict[str, Part]:
    """Return the parts that an instance is configured to have, by their names."""
    found: dict[str, Part] = {}
    for entry in PARTS:
        if entry.part and getattr(parameters, entry.wanted):
            tool = tools.get(entry.name)
            found[entry.name] = entry.load('part')(PartSetup(
                robot_id, parameters, counts, found, None if below is None else below.parts,
                first_number, None if tool is None else tool(name)))
    return found


def _of(name: str, error: ParameterError, others: Mapping[str, InstanceParameters],
        ) -> ParameterError:
    """Return an error with the full name of the parameter, instance included."""
    where = f'{name}.' if name in others else f'hierarchy: {name}: '
    if name == MAIN or error.name.startswith(where):
        return error
    return error.named(f'{where}{error.name}')
