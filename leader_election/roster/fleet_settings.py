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

"""The settings of a robot in a fleet file: parameters of its node, and topics, each checked."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
import re
from typing import Any

from leader_election.coordination.tasks import task_class
from leader_election.parameters import build, Parameter, ParameterError, table
from leader_election.robot.duty import label
from leader_election.robot.instance_parameters import InstanceParameters, names_in
from leader_election.robot.parameters import ElectionParameters

TOPICS = {'neighbourhood': '/neighbourhood', 'odom_topic': 'odom', 'scan_topic': 'scan',
          'cmd_vel_topic': 'cmd_vel'}
"""What a robot's topics are called, and where they are unless a fleet file says otherwise."""
OWN = ('id', 'initial_pose', 'type', 'hostname', 'enabled')
"""The keys that only a robot has: who it is, not how it is set."""
OVERRIDES = 'qos_overrides.'
"""What parameters begin with that rclpy reads, not we."""
TOPIC = r'/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*'

_PARAMETERS = {p.name: p for p in table(ElectionParameters) if p.name not in ('robot_id', *OWN)}


class Settings:
    """
    What one part of a fleet file sets: ``defaults``, a type, or a robot.

    Names with a dot, which belong to instances and tasks, are only understood once it is known
    which a robot has: :func:`settle`.

    :ivar values: by name; those of mappings inside have the mapping's name and a dot before them.
    :ivar place: where they stand, for messages.
    """

    def __init__(self, place: str, raw: Mapping[str, Any]) -> None:
        """
        Check what needs no knowledge of the rest.

        :raises ParameterError: for a name that there is not, or a value it does not take.
        """
        self.place = place
        self.values = {name: self._checked(name, value) for name, value in flat(raw).items()}

    def _checked(self, name: str, value: Any) -> Any:
        if name in ('robot_id', *OWN):
            instead = 'id' if name == 'robot_id' else name
            raise ParameterError(f'{self.place}: {name} is not allowed; it takes a line '
                                 f'{instead}: under each robot itself')
        if name in TOPICS:
            return check_topic(f'{self.place}.{name}', value)
        if name in _PARAMETERS:
            return check(self.place, _PARAMETERS[name], value)
        if '.' not in name:
            raise unknown(self.place, name, (*OWN, *TOPICS, *_PARAMETERS),
                          'topics ' + ', '.join(TOPICS) + ' and the parameters of election_node')
        return value


def settle(layers: Iterable[Settings]) -> tuple[dict[str, Any], dict[str, str]]:
    """
    Return the parameters and topics of a robot out of its settings; what comes first goes before.

    Only what is set is there. The parameters of a task that is not installed here are taken as
    they are: the robot's node will look at them.

    :raises ParameterError: for what does not fit together, and for parameters with a dot that
        belong to no instance and no task of the robot's.

    >>> settle([Settings('robots.alice', {'radius': 3}),
    ...         Settings('defaults', {'radius': 8, 'ties': 'nearest', 'odom_topic': 'wheels'})])
    ({'radius': 3.0, 'ties': 'nearest'}, {'odom_topic': 'wheels'})
    """
    values: dict[str, tuple[Any, str]] = {}
    for layer in layers:
        for name, value in layer.values.items():
            values.setdefault(name, (value, layer.place))
    topics = {name: values.pop(name)[0] for name in TOPICS if name in values}
    plain = {name: value for name, (value, _) in values.items()}
    known = _with_a_dot(plain)
    for name, (value, place) in values.items():
        if '.' in name and not name.startswith(OVERRIDES):
            plain[name] = _check_with_a_dot(place, name, value, known)
    build(ElectionParameters,
          {'robot_id': 0} | {name: plain[name] for name in _PARAMETERS if name in plain})
    return plain, topics


def _with_a_dot(values: Mapping[str, Any]) -> dict[str, Mapping[str, Parameter] | None]:
    """Return the parameters of a robot's instances and tasks; ``None``: nobody here knows."""
    known: dict[str, Mapping[str, Parameter] | None] = {}
    for instance in ('', *names_in(values.get('instances', ''))):
        start = f'{instance}.' if instance else ''
        if instance:
            known[start] = {p.name: p for p in table(InstanceParameters)}
        tasks = values.get(f'{start}tasks', '')
        for task in names_in(tasks) if isinstance(tasks, str) else ():
            known[f'{start}{label(task)}.'] = _of_task(task)
    return known


def _of_task(task: str) -> Mapping[str, Parameter] | None:
    # What is named by its module may be on the robot alone, and is not loaded to read a file.
    if ':' in task:
        return None
    try:
        return {p.name: p for p in table(task_class(task).parameters)}
    except KeyError:
        return None


def _check_with_a_dot(
        place: str, name: str, value: Any, known: Mapping[str, Mapping[str, Parameter] | None],
) -> Any:
    start = max((start for start in known if name.startswith(start)), key=len, default='')
    if not start:
        names = ', '.join(start.rstrip('.') for start in known) or 'none'
        raise ParameterError(f'{place}: {name} belongs to no instance and no task of the robot; '
                             f'those are: {names}')
    parameters, rest = known[start], name.removeprefix(start)
    if parameters is None:
        return value
    if rest not in parameters:
        raise unknown(place, name, [start + p for p in parameters], ', '.join(parameters))
    return check(f'{place}.{start}'.rstrip('.'), parameters[rest], value)


def check(place: str, p: Parameter, value: Any) -> Any:
    """Return a parameter's value, checked; an error says where it stands."""
    try:
        return p.check(value)
    except ParameterError as error:
        raise ParameterError(
            place + str(error).removeprefix('parameter').replace(' ', '.', 1)) from None


def check_topic(place: str, value: Any) -> str:
    """
    Return the name of a topic, checked.

    >>> check_topic('defaults.odom_topic', 'wheels/odom')
    'wheels/odom'
    """
    if not isinstance(value, str) or not re.fullmatch(TOPIC, value, re.ASCII):
        raise ParameterError(f'{place}: {shown(value)} is not allowed; it takes the name of a '
                             "topic, for example 'odom', or '/odom' outside of the namespace")
    return value


def unknown(place: str, name: str, known: Iterable[str], list_of_all: str) -> ParameterError:
    """Return the error for a key that there is not, with the one that may be meant."""
    near = get_close_matches(name, list(known), 1)
    instead = f'did you mean {near[0]}?' if near else f'there are: {list_of_all}'
    return ParameterError(f'{place}: unknown key {shown(name)}; {instead}')


def shown(value: Any) -> str:
    """Return a value for a message, in one line, not too long."""
    text = repr(value)
    return text if len(text) < 80 else text[:76] + '...'


def flat(raw: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return a mapping whose inner mappings are taken apart.

    >>> flat({'radius': 3, 'rescue': {'radius': 9, 'tasks': 'count'}})
    {'radius': 3, 'rescue.radius': 9, 'rescue.tasks': 'count'}
    """
    found: dict[str, Any] = {}
    for name, value in raw.items():
        if isinstance(value, Mapping):
            found |= flat({f'{name}.{inner}': of_it for inner, of_it in value.items()})
        else:
            found[str(name)] = value
    return found
