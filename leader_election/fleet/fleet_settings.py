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
from typing import Any, NamedTuple

from leader_election.coordination.task import task_class, task_names
from leader_election.parameters import build, Parameter, ParameterError, table
from leader_election.parameters.parameter import shown
from leader_election.robot.parameters import ElectionParameters, InstanceParameters, names_in
from leader_election.robot.task_runner import label
from leader_election.tasks.steering import DrivingParameters

SHARED = 'neighbourhood'
"""The topic that all robots share."""
TOPICS = {SHARED: '/neighbourhood', 'odom_topic': 'odom', 'scan_topic': 'scan',
          'cmd_vel_topic': 'cmd_vel', 'tf_topic': '/tf'}
"""What a robot's topics are called, and where they are unless a fleet file says otherwise."""
OWN = ('id', 'initial_pose', 'type', 'hostname', 'enabled')
"""The keys that only a robot has: who it is, not how it is set."""
OVERRIDES = 'qos_overrides.'
"""What parameters begin with that rclpy reads, not we."""
TOPIC = r'/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*'

_PARAMETERS = {p.name: p for p in table(ElectionParameters) if p.name not in ('robot_id', *OWN)}
_DRIVING = {p.name: p for p in table(DrivingParameters)}


class Settled(NamedTuple):
    """The settings of a robot; only what is set is there."""

    parameters: dict[str, Any]
    """Of its node."""
    topics: dict[str, str]
    """Those of ``TOPICS``."""
    driving: dict[str, Any]
    """What holds for whatever drives it."""


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
            return check_topic(name, value, f'{self.place}.{name}')
        for known in (_PARAMETERS, _DRIVING):
            if name in known:
                value = check(self.place, known[name], value)
                if name == 'tasks':
                    _check_tasks(self.place, value)
                return value
        if '.' not in name:
            raise unknown(self.place, name, (*OWN, *TOPICS, *_PARAMETERS, *_DRIVING),
                          'topics ' + ', '.join(TOPICS) + ', the parameters of election_node, and '
                          'those of driving: ' + ', '.join(_DRIVING))
        return value


def _check_tasks(place: str, value: str) -> None:
    """Refuse the name of a task that seems to be another one's, misspelt."""
    known = task_names()
    for name in names_in(value):
        near = get_close_matches(name, known, 1)
        # What is not installed here may be on the robot.
        if name not in known and ':' not in name and near:
            raise ParameterError(f'{place}.tasks: there is no task {shown(name)}; did you mean '
                                 f'{near[0]}?')


def settle(layers: Iterable[Settings]) -> Settled:
    """
    Return what holds for a robot out of its settings; what comes first goes before.

    The parameters of a task that is not installed here are taken as they are: the robot's node
    will look at them.

    :raises ParameterError: for what does not fit together, and for parameters with a dot that
        belong to no instance and no task of the robot's.

    >>> settle([Settings('robots.alice', {'radius': 3}),
    ...         Settings('defaults', {'radius': 8, 'odom_topic': 'wheels', 'scan_yaw': 1.5})])
    Settled(parameters={'radius': 3.0}, topics={'odom_topic': 'wheels'}, driving={'scan_yaw': 1.5})
    """
    values: dict[str, tuple[Any, str]] = {}
    for layer in layers:
        for name, value in layer.values.items():
            values.setdefault(name, (value, layer.place))
    topics, driving = ({name: values.pop(name)[0] for name in names if name in values}
                       for names in (TOPICS, _DRIVING))
    plain = {name: value for name, (value, _) in values.items()}
    known = _with_a_dot(plain)
    for name, (value, place) in values.items():
        if '.' in name and not name.startswith(OVERRIDES):
            plain[name] = _check_with_a_dot(place, name, value, known)
    build(ElectionParameters,
          {'robot_id': 0} | {name: plain[name] for name in _PARAMETERS if name in plain})
    return Settled(plain, topics, driving)


def for_tasks(driving: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return what holds for whatever drives a robot as parameters of the tasks that do.

    :param parameters: the robot's, which say what tasks it has.

    >>> for_tasks({'scan_yaw': 1.5}, {'tasks': 'count,rally'})
    {'rally.scan_yaw': 1.5}
    """
    return {start + name: value
            for start, known in _with_a_dot(parameters).items()
            for name, value in driving.items() if name in (known or ())}


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
    place = f'{place}.{start}'.rstrip('.')
    value = check(place, parameters[rest], value)
    if rest == 'tasks':
        _check_tasks(place, value)
    return value


def check(place: str, p: Parameter, value: Any) -> Any:
    """Return a parameter's value, checked; an error says where it stands."""
    try:
        return p.check(value)
    except ParameterError as error:
        raise ParameterError(
            place + str(error).removeprefix('parameter').replace(' ', '.', 1)) from None


def check_topic(name: str, value: Any, place: str) -> str:
    """
    Return where a topic is, checked.

    :param name: what it is called in ``TOPICS``.
    :param place: where it stands, for messages.

    >>> check_topic('odom_topic', 'wheels/odom', 'defaults.odom_topic')
    'wheels/odom'
    """
    if not isinstance(value, str) or not re.fullmatch(TOPIC, value, re.ASCII):
        raise ParameterError(f'{place}: {shown(value)} is not allowed; it takes the name of a '
                             "topic, for example 'odom', or '/odom' outside of the namespace")
    if name == SHARED and not value.startswith('/'):
        raise ParameterError(f'{place}: {shown(value)} is not allowed, since each robot would '
                             'have its own; it takes the topic that all share, for example '
                             f"'/{value}'")
    return value


def unknown(place: str, name: str, known: Iterable[str], list_of_all: str) -> ParameterError:
    """Return the error for a key that there is not, with the one that may be meant."""
    near = get_close_matches(name, list(known), 1)
    instead = f'did you mean {near[0]}?' if near else f'there are: {list_of_all}'
    return ParameterError(f'{place}: unknown key {shown(name)}; {instead}')


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
