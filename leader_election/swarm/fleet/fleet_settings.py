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

"""Settings of robots in a fleet file: parameters of nodes and tasks, and topics; all checked."""

from collections.abc import Iterable, Mapping
import re
from typing import Any, NamedTuple

from leader_election.election.regions.task import task_class
from leader_election.election.robot.parameters import (
    built,
    chosen_entries,
    ElectionParameters,
    further_names,
    InstanceParameters,
    prefix_of,
)
from leader_election.election.robot.task_runner import task_label
from leader_election.election.tasks.driving import DriverParameters
from leader_election.parameters import did_you_mean, names_in, Parameter, ParameterError, table
from leader_election.parameters.parameter_files import flatten
from leader_election.swarm.fleet.transports import LinkParameters

SHARED_TOPIC = 'neighbourhood'
TOPICS = {SHARED_TOPIC: '/neighbourhood', 'odom_topic': 'odom', 'scan_topic': 'scan',
          'cmd_vel_topic': 'cmd_vel', 'tf_topic': '/tf', 'pose_topic': 'pose',
          'measurements_topic': 'measurements',
          'detections_topic': 'detections', 'tags_topic': 'tags'}
"""The keys of a robot's topics in a fleet file, with the default topics."""
ROBOT_KEYS = ('id', 'initial_pose', 'type', 'hostname', 'enabled')
"""Keys that only a robot may have: they identify it and are not settings."""
QOS_OVERRIDES = 'qos_overrides.'
"""The prefix of parameters that rclpy reads itself. They are passed on unchecked."""
LINK = 'link'
"""The key of the parameters of node ``link``. A robot has the node if it has one of them."""
TOPIC = r'(?!.*__)/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*'
"""Arguments of ROS that rename take no two underscores in a row."""

_PARAMETERS = {p.name: p for p in table(ElectionParameters)
               if p.name not in ('robot_id', *ROBOT_KEYS)}
_DRIVING = {p.name: p for p in table(DriverParameters)}
_LINK = {f'{LINK}.{p.name}': p for p in table(LinkParameters)}


class RobotSettings(NamedTuple):
    """All settings of a robot that are set, without defaults."""

    parameters: dict[str, Any]
    topics: dict[str, str]
    """Topics, by the keys of ``TOPICS``."""
    driving: dict[str, Any]
    """``DriverParameters``, for all tasks and nodes that drive it."""
    link: dict[str, Any]
    """``LinkParameters``, empty for no node ``link``."""


class SettingsLayer:
    """
    The settings in one part of a fleet file: in ``defaults``, a type, or a robot.

    Names with a dot belong to instances, tasks and what is chosen by name, such as an algorithm.
    They are checked in :func:`merge_layers`, when these are known.

    :ivar values: by name. Nested mappings are flattened to names with a dot.
    :ivar place: of this part in the file, for messages.
    """

    def __init__(self, place: str, raw: Mapping[str, Any]) -> None:
        """
        Check all settings that do not depend on other parts of the file.

        :param place: of this part in the file, for messages.
        :param raw: the part, as YAML has it.
        :raises ParameterError: for an unknown name or a wrong value.
        """
        self.place = place
        if LINK in raw and (not isinstance(raw[LINK], Mapping) or not raw[LINK]):
            raise ParameterError(f'{place}.{LINK}', raw[LINK], 'parameters of link, as '
                                 '{kind: udp, port: 7447}', kind='')
        self.values = {name: self._checked(name, value) for name, value in flatten(raw).items()}

    def _checked(self, name: str, value: Any) -> Any:
        if name in ('robot_id', *ROBOT_KEYS):
            instead = 'id' if name == 'robot_id' else name
            raise ParameterError(self.place, kind='', problem=f': {name} is not allowed; it takes '
                                 f'a line {instead}: under each robot itself')
        if name in TOPICS:
            return check_topic(name, value, f'{self.place}.{name}')
        if name.startswith(f'{LINK}.'):
            if name not in _LINK:
                raise unknown_key(self.place, name, _LINK, ', '.join(_LINK))
            return check_value(f'{self.place}.{LINK}', _LINK[name], value)
        for known in (_PARAMETERS, _DRIVING):
            if name in known:
                return check_value(self.place, known[name], value)
        if '.' not in name:
            raise unknown_key(self.place, name,
                              (*ROBOT_KEYS, *TOPICS, LINK, *_PARAMETERS, *_DRIVING,
                               *further_names({})),
                              'link, topics ' + ', '.join(TOPICS) + ', the parameters of '
                              'election_node, and those of driving: ' + ', '.join(_DRIVING))
        return value


def merge_layers(layers: Iterable[SettingsLayer]) -> RobotSettings:
    """
    Merge the layers of settings of one robot and check the result.

    Parameters of a task that is not installed on this computer are not checked: the robot's node
    checks them.

    :param layers: in order of precedence, the highest first.
    :raises ParameterError: for values that contradict each other, and for names with a dot that
        belong to nothing that the robot has.

    >>> robot = SettingsLayer('robots.alice', {'radius': 3})
    >>> defaults = SettingsLayer(
    ...     'defaults', {'radius': 8, 'odom_topic': 'wheels', 'scan_yaw': 1.5,
    ...                  'link': {'port': 7000}})
    >>> parameters, topics, driving, link = merge_layers([robot, defaults])
    >>> parameters, topics, driving, link
    ({'radius': 3.0}, {'odom_topic': 'wheels'}, {'scan_yaw': 1.5}, {'port': 7000})
    """
    values: dict[str, tuple[Any, str]] = {}
    for layer in layers:
        for name, value in layer.values.items():
            values.setdefault(name, (value, layer.place))
    topics, driving, link = ({name: values.pop(name)[0] for name in names if name in values}
                             for names in (TOPICS, _DRIVING, _LINK))
    plain = {name: value for name, (value, _) in values.items()}
    known = _dotted_parameters(plain)
    for name, (value, place) in values.items():
        if '.' in name and not name.startswith(QOS_OVERRIDES):
            plain[name] = _check_dotted(place, name, value, known)
    built(ElectionParameters, {**plain, 'robot_id': 0})
    return RobotSettings(plain, topics, driving,
                         {_LINK[name].name: value for name, value in link.items()})


def task_parameters(driving: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return driving parameters as parameters of those tasks of a robot that drive.

    :param driving: ``DriverParameters`` of the robot, by name.
    :param parameters: of the robot's node, which name its tasks.
    :return: values by name, each with the task's prefix.

    >>> task_parameters({'scan_yaw': 1.5}, {'tasks': 'count,rally'})
    {'rally.scan_yaw': 1.5}
    """
    return {start + name: value
            for start, known in _dotted_parameters(parameters).items()
            for name, value in driving.items() if name in (known or ())}


def _dotted_parameters(values: Mapping[str, Any]) -> dict[str, Mapping[str, Parameter] | None]:
    """
    Return the parameters of a robot's instances, of what each chooses and of its tasks, by prefix.

    ``None`` stands for the parameters of a task that is not installed on this computer.
    """
    known: dict[str, Mapping[str, Parameter] | None] = {}
    for instance in ('', *names_in(values.get('instances', ''))):
        start = f'{instance}.' if instance else ''
        if instance:
            known[start] = {p.name: p for p in table(InstanceParameters)}
        known |= {start + prefix_of(entry): {p.name: p for p in table(entry.parameters)}
                  for entry in chosen_entries(values, start)}
        tasks = values.get(f'{start}tasks', '')
        for task in names_in(tasks) if isinstance(tasks, str) else ():
            known[f'{start}{task_label(task)}.'] = _parameters_of_task(task)
    return known


def _parameters_of_task(task: str) -> Mapping[str, Parameter] | None:
    # A task given as module:Class may exist on the robot alone; reading a file imports no module.
    if ':' in task:
        return None
    try:
        return {p.name: p for p in table(task_class(task).parameters)}
    except KeyError:
        return None


def _check_dotted(place: str, name: str, value: Any,
                  known: Mapping[str, Mapping[str, Parameter] | None]) -> Any:
    start = max((start for start in known if name.startswith(start)), key=len, default='')
    if not start:
        names = ', '.join(start.rstrip('.') for start in known) or 'none'
        raise ParameterError(place, problem=f': {name} belongs to no instance, task, algorithm, '
                             f'source or metric of the robot; it has: {names}', kind='')
    parameters, rest = known[start], name.removeprefix(start)
    if parameters is None:
        return value
    if rest not in parameters:
        raise unknown_key(place, name, [start + p for p in parameters], ', '.join(parameters))
    return check_value(f'{place}.{start}'.rstrip('.'), parameters[rest], value)


def check_value(place: str, p: Parameter, value: Any) -> Any:
    """
    Return the checked value of a parameter.

    :param place: in the file, for the message.
    :raises ParameterError: for a wrong value. The message names place and parameter.
    """
    try:
        return p.check(value)
    except ParameterError as error:
        raise error.named(f'{place}.{error.name}', kind='') from None


def check_topic(name: str, value: Any, place: str) -> str:
    """
    Return the checked name of a topic.

    :param name: its key in ``TOPICS``.
    :param value: any value.
    :param place: in the file, for messages.
    :raises ParameterError: for a value that is not a topic name, and for a shared topic that is
        relative to the robot's namespace.

    >>> check_topic('odom_topic', 'wheels/odom', 'defaults.odom_topic')
    'wheels/odom'
    """
    topic = check_topic_name(value, place)
    if name == SHARED_TOPIC and not topic.startswith('/'):
        raise ParameterError(place, problem=f': {topic!r} is not allowed, since each robot '
                             'would have its own; it takes the topic that all share, for example '
                             f"'/{topic}'", kind='')
    return topic


def check_topic_name(value: Any, place: str) -> str:
    """Return the checked name of any topic; for all else see :func:`check_topic`."""
    if not isinstance(value, str) or not re.fullmatch(TOPIC, value, re.ASCII):
        raise ParameterError(place, value, "the name of a topic, for example 'odom', or '/odom' "
                             'outside of the namespace', kind='')
    return value


def unknown_key(place: str, name: str, known: Iterable[str], list_of_all: str) -> ParameterError:
    """
    Return the error for an unknown key, with the most similar known one.

    :param place: of the key in the file.
    :param name: the unknown key.
    :param known: all keys that are allowed there.
    :param list_of_all: the text that lists them, for keys without a similar one.
    """
    instead = did_you_mean(name, known).rstrip() or f'there are: {list_of_all}'
    return ParameterError(place, problem=f': unknown key {name!r}; {instead}', kind='')
