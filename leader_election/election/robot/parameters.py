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
The parameters of a robot: of one election with its regions, and of the robot itself.

An algorithm, a metric or a strength source declares its own parameters. Their names on a node
begin with its name: ``given.leaders``. Those of what is not chosen are refused.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, is_dataclass, replace
import re
from typing import Any, ClassVar, TYPE_CHECKING, TypeVar

from leader_election.election.algorithms import ALGORITHMS, BOUNDED
from leader_election.election.algorithms.algorithm import AUTOMATIC, MOST_HOPS, NONE
from leader_election.election.messages.codec import MAIN, MAX_LENGTH
from leader_election.election.messages.wire import MAX_ID
from leader_election.election.part import PARTS
from leader_election.election.regions.task import task_class, task_names
from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.strength import Limits, STRENGTH_SOURCES, within_limits
from leader_election.election.robot.task_runner import task_label
from leader_election.localisation.parameters import COOPERATIVE, LocalisationParameters
from leader_election.parameters import (
    build,
    names_in,
    NoParameters,
    parameter,
    ParameterError,
    REQUIRED_INT,
    shown,
    table,
)
from leader_election.parameters.registry import Registry

if TYPE_CHECKING:
    from leader_election.election.mandates.parameters import MandateParameters
    from leader_election.election.regions.region import RegionSettings

INFINITE = float('inf')
BY_SOURCE: Limits = (0.0, 0.0)
"""Stands for the limits of strength that the strength source has by default."""
OUTPUT_NAMESPACE = r'[A-Za-z_]\w*(/[A-Za-z_]\w*)*'


if TYPE_CHECKING:
    class PartParameters(MandateParameters, RegionSettings):
        """The parameters of all parts, by :data:`PARTS`. The core uses those of these parts."""
else:
    PartParameters = type('PartParameters', tuple(
        entry.load('parameters') for entry in PARTS if entry.parameters), {})


@dataclass(frozen=True)
class InstanceParameters(PartParameters):
    """
    The parameters of one instance. A robot may run several at once.

    The parameters of parts are declared with these and inherited here.
    """

    algorithm: str = parameter(
        'bounded', 'The election algorithm.', choices=ALGORITHMS.names)
    radius: float = parameter(
        10.0, 'The greatest distance of a member from its leader, by the metric along the path '
        'of the messages.',
        unit='m (hops, with metric hops)', lower=0.0, upper=1e6, dynamic=True)
    radius_hysteresis: float = parameter(
        0.25, 'Algorithm bounded: a robot joins a leader within (1 - radius_hysteresis) of the '
        'radius, and leaves it beyond the radius. Leaders then last longer '
        'while robots move, and there are more of them. 0: the setting of the paper.',
        lower=0.0, upper=0.9, dynamic=True)
    hop_limit: int = parameter(
        AUTOMATIC, 'The greatest number of hops to a leader. A dead leader is forgotten within '
        'message_expiry and hop_limit - 1 rounds. 0: about twice the hops that the radius takes '
        'at rest, from radius and communication_range, at most 1000. 100 where one of them is not '
        'known or is no length. -1: none, as in the papers. A forged candidacy then lasts.',
        unit='hops', lower=NONE, upper=MOST_HOPS, dynamic=True)
    ties: str = parameter(
        'id', 'The order of equal strengths: by the lower id, or by the nearer leader as in the '
        'paper (each of two equal neighbours then leads itself).',
        choices=lambda: ('id', 'nearest'))

    strength_source: str = parameter(
        'constant', "The source of this robot's strength: the parameter strength, the charge on "
        'topic battery_state, the number of neighbours, the number on topic strength, the speed '
        '(stillness: the slowest robot leads), the data rate [Mbit/s] on topic data_rate, 0 '
        'after input_expiry, or the trust in this robot on topic trust (below 0.5, or without one '
        'for input_expiry, the robot does not lead).',
        choices=STRENGTH_SOURCES.names)
    strength: float = parameter(
        0.0, 'The strength: the strongest robot leads. With a source other than constant: the '
        'value used until the source has delivered one, and after input_expiry without one.',
        lower=-1e300, upper=1e300, dynamic=True)
    strength_hysteresis: float = parameter(
        -1.0, 'The least difference between the source and the announced strength at which a new '
        'strength is announced. Negative: the default of the source.',
        lower=-1.0, upper=1e300, dynamic=True)
    strength_limits: tuple[float, ...] = parameter(
        BY_SOURCE, 'The least and the greatest strength that any robot of the swarm can have, the '
        'same on all robots. A message with a candidacy beyond them is refused, and so is a '
        "number of this robot's own source. [0, 0]: 0 to 1 with strength_source battery, "
        'otherwise none.', lengths=(2,), dynamic=True)
    tasks: str = parameter(
        '', "The tasks of regions, for example 'count' or 'field,patrol': by name, or as "
        'module:Class. Empty: none.')
    regions: bool = parameter(
        False, 'Whether robots form regions that count their members even without a task.')
    zones: str = parameter(
        '', "Fixed regions: a YAML file with a line 'name: [[x, y], ...]' for each polygon [m], "
        'in the shared frame, or these lines themselves in braces. A leader is elected inside '
        'each, and radius has no effect.')
    connected: bool = parameter(
        False, 'Whether leaders receive the announcements of the leaders of neighbouring regions.')
    over: str = parameter(
        '', 'The name of another instance (main: the first), whose leaders are the candidates of '
        'this one, each with the summary of its region. Empty: all robots are candidates.')

    own: Mapping[str, Any] = field(default_factory=dict)
    """
    The own parameters of the chosen algorithm, source and metric, by its name, not a parameter
    itself (:func:`own_parameters`).
    """

    @property
    def limits(self) -> Limits:
        """Return the least and the greatest strength that a robot of the swarm can have."""
        if self.strength_limits == BY_SOURCE:
            return STRENGTH_SOURCES.get(self.strength_source).limits
        least, greatest = self.strength_limits
        return least, greatest

    @property
    def task_names(self) -> tuple[str, ...]:
        """Return the tasks, in their order."""
        return names_in(self.tasks)

    @property
    def forms_regions(self) -> bool:
        """Return whether the instance forms regions, beside its election."""
        return (self.tasks != '' or self.regions or self.connected or self.over != '')

    def __post_init__(self) -> None:
        """Refuse contradicting parameters, and those that the algorithm does not take."""
        algorithm = ALGORITHMS.get(self.algorithm)
        names = {p.name: p.name for p in table(InstanceParameters)} | {
            p.name: prefix_of(algorithm) + p.name for p in table(algorithm.parameters)}
        takes = [names[name] for name in algorithm.takes if name in names]
        published = BOUNDED.as_published
        others = {name for known in ALGORITHMS.names() for name in ALGORITHMS.get(known).takes}
        for p in table(InstanceParameters):
            value = getattr(self, p.name)
            if (p.name in others and p.name not in takes
                    and value not in (p.default, published.get(p.name))):
                shown = f'{value:g}' if isinstance(value, float) else repr(value)
                instead = ', '.join(takes) or 'no other setting'
                raise ParameterError(p.name, problem=f': {shown} is not allowed; algorithm '
                                     f'{self.algorithm} takes no {p.name}, but {instead}')
        least, greatest = self.limits
        if least > greatest:
            raise ParameterError('strength_limits', list(self.strength_limits),
                                 'the least strength, then the greatest')
        if not within_limits(self.strength, self.limits):
            raise ParameterError('strength', self.strength, f'{least:g} to {greatest:g}, by '
                                 f'strength_limits and strength_source {self.strength_source}')
        if self.feedback_gain > 0.0 and (
                'radius' not in takes or self.zones or not self.forms_regions):
            why = 'zones have no radius' if self.zones else 'it takes tasks, or regions: true'
            if 'radius' not in takes:
                why = f'algorithm {self.algorithm} takes no radius'
            raise ParameterError('feedback_gain', problem=f': {self.feedback_gain:g} is not '
                                 f'allowed; {why}')
        if self.over and self.tasks:
            raise ParameterError('tasks', problem=f': {self.tasks!r} is not allowed; over '
                                 f'{self.over} it gathers what is collected there')


@dataclass(frozen=True)
class ElectionParameters(InstanceParameters, LocalisationParameters):
    """The parameters of one robot."""

    GROUPS: ClassVar[Mapping[str, str]] = {
        'What is set first': 'robot_id radius communication_range algorithm strength '
                             'strength_source tasks initial_pose',
        'Election': 'radius_hysteresis hop_limit ties strength_hysteresis instances hierarchy '
                    'over',
        'Regions': 'regions zones connected role collection gossip_members gossip_depth '
                   'spreading feedback_gain feedback_alpha '
                   'feedback_target feedback_most',
        'Mandates': 'mandate clock_rate_error quorum roster',
        'Distances between robots': 'metric input_expiry',
        'Messages and rounds': 'message_expiry neighbour_limit hearing_budget top_speed schedule '
                               'round_period send_topic message_length',
        'Where the robot is': 'frame base_frame pose_source send_transform odometry_expiry '
                              'odometry_timeout slip_sources',
        'Neighbourhood filter (pose_source: cooperative)':
            'odometry_noise_position odometry_noise_turn '
            'initial_deviation range_noise range_noise_scale bearing_noise '
            'landmarks max_deviation sighting_sources '
            'tag_names sensor_frame sensor_pose range_ids range_offset',
        'Security': 'strength_limits swarm_key_file accept_unverified',
        'Outputs and process': 'output_namespace diagnostics_period',
    }
    """The names of all parameters by group, for documents (:func:`.grouped`)."""

    robot_id: int = parameter(
        REQUIRED_INT, 'Number of this robot, unique in the swarm.',
        lower=0, upper=MAX_ID, required=True)

    instances: str = parameter(
        '', "The names of further instances, for example 'charging,rescue', each with parameters "
        'of its own: charging.algorithm, charging.radius, charging.tasks and so on.')
    hierarchy: str = parameter(
        '', "Leaders of leaders: the radius of each level above the first, for example '20, 50'. "
        'The levels are instances level_1, level_2 and so on.', unit='m')

    metric: str = parameter(
        'odometry', 'The distance to a neighbour: by the two positions (odometry), by the '
        'greatest distance within a time (look_ahead), one each (hops), by topic measurements '
        '(range, in metres), by the difference of the values of both on topic reading '
        '(sensor_difference), or by the round-trip time of messages (round_trip, in ms). '
        'Robots without odometry need a communication_range of .inf.',
        choices=METRICS.names)

    communication_range: float = parameter(
        5.0, 'A robot farther away than this is not a neighbour, even if its messages are '
        'received. .inf: every sender is a neighbour, even without a position.',
        unit='m', lower=0.0, upper=INFINITE, dynamic=True)
    message_expiry: float = parameter(
        3.0, 'The time after its receipt at which a message expires. It must exceed round_period.',
        unit='s', lower=0.01, upper=1e6, dynamic=True)
    neighbour_limit: int = parameter(
        500, 'The greatest number of senders whose messages are kept: those known for longest, '
        'and of these the nearest.', lower=1, upper=100000)
    hearing_budget: int = parameter(
        1000, 'The most messages a second that are decoded, beside one a period from each '
        'neighbour. More are dropped, so that rounds keep their time.',
        unit='messages/s', lower=1, upper=1000000)
    top_speed: float = parameter(
        10.0, 'The greatest speed of any robot: a message is dropped if its sender cannot have '
        'reached the position in it since its last message, until that has expired. .inf: none '
        'is.',
        unit='m/s', lower=0.001, upper=INFINITE, dynamic=True)
    input_expiry: float = parameter(
        3.0, 'The time after its receipt at which an input expires: a sighting, the number of a '
        'strength source, a reading for the metric. A strength source then gives what it gave '
        'before its first number. Set it above the period of the slowest topic: 300 where a '
        'battery is reported on changes only.', unit='s', lower=0.01, upper=1e6, dynamic=True)

    schedule: str = parameter(
        'reactive', 'When a round runs: once a period, or also when a message arrives that would '
        'change the candidacy.', choices=lambda: ('periodic', 'reactive'))
    round_period: float = parameter(
        1.0, 'Time between two rounds, each of which sends one message.',
        unit='s', lower=0.01, upper=3600.0, dynamic=True)

    frame: str = parameter(
        'map', 'The frame that all robots share. Messages of another frame are dropped.',
        empty=False, is_frame=True)
    base_frame: str = parameter(
        'base_link', "The robot's own frame, whose transform gives the pose where pose_source is "
        'tf and there is no odometry. On a shared /tf each robot has another one.',
        empty=False, is_frame=True)
    initial_pose: tuple[float, ...] = parameter(
        (0.0, 0.0, 0.0), 'The start pose of odometry in the shared frame: x, y, yaw, or x, y, z, '
        'roll, pitch, yaw.', unit='(m, rad)', lengths=(3, 6))
    send_transform: bool = parameter(
        False, 'Whether, with pose_source cooperative, the transform from frame to the frame of '
        'odometry is sent on /tf (needs tf2_msgs), so that other nodes use the corrected pose. '
        'No other node may send it.')
    odometry_expiry: float = parameter(
        2.0, 'The time after its receipt at which an odometry message expires. This robot then '
        'has no position.', unit='s', lower=0.01, upper=1e6)
    odometry_timeout: float = parameter(
        0.0, 'The time from the start after which the process ends with status 2, where positions '
        'matter and no odometry was received. 0: it waits without limit.',
        unit='s', lower=0.0, upper=1e6)

    send_topic: str = parameter(
        'neighbourhood', 'The topic on which messages are sent, if a radio between senders and '
        'receivers makes it different from the topic on which they are received.')
    message_length: int = parameter(
        MAX_LENGTH, 'The length of the longest message, its signature included. From a longer one '
        'the robot leaves out the parts that it needs least, and counts them. The candidacy is '
        'always sent. For a modem with short frames.', unit='characters', lower=100,
        upper=MAX_LENGTH)
    output_namespace: str = parameter(
        '', "The namespace, below the robot's own, of all topics with its outputs (leader, role, "
        'distance and so on), for example election, where other nodes use such names, too. '
        'Empty: none.')
    swarm_key_file: str = parameter(
        '', 'The file with the key of the swarm, which the command swarm_key makes; ~ stands for '
        'the home directory. Messages are signed with it, and robots without it are not believed. '
        'It is read again when it changes. Empty: no key.')
    accept_unverified: bool = parameter(
        False, 'Whether a robot with a key also believes unsigned messages, and one without a key '
        'signed ones, which it cannot check: while a running swarm is given its key.',
        dynamic=True)
    diagnostics_period: float = parameter(
        1.0, 'Time between two messages on /diagnostics.', unit='s', lower=0.05, upper=3600.0)

    @property
    def forms_regions(self) -> bool:
        """Return whether the robot forms regions. Levels of a hierarchy do."""
        return super().forms_regions or self.hierarchy.strip() != ''

    def outputs_of(self, instance: str = MAIN) -> str:
        """
        Return the start of the names of an instance's outputs, empty or ending in a slash.

        The first instance has none of its own, so that it begins those of the robot.

        >>> spaced = ElectionParameters(robot_id=1, output_namespace='election')
        >>> spaced.outputs_of(), spaced.outputs_of('rescue')
        ('election/', 'election/rescue/')
        >>> ElectionParameters(robot_id=1).outputs_of('rescue')
        'rescue/'
        """
        return (f'{self.output_namespace}/' if self.output_namespace else '') + (
            '' if instance == MAIN else f'{instance}/')

    def __post_init__(self) -> None:
        """Refuse contradicting parameters."""
        super().__post_init__()
        LocalisationParameters.__post_init__(self)
        if self.send_transform and self.pose_source != COOPERATIVE:
            raise ParameterError('send_transform', problem=': true is not allowed; it takes '
                                 f'pose_source cooperative, which is {self.pose_source}')
        if self.output_namespace and not re.fullmatch(
                OUTPUT_NAMESPACE, self.output_namespace, re.ASCII):
            raise ParameterError(
                'output_namespace', self.output_namespace, 'a name of letters, digits and _, the '
                'first no digit, several with / between them, without a leading /')
        if self.message_expiry <= self.round_period:
            raise ParameterError('message_expiry', problem=f': {self.message_expiry:g} is not '
                                 'allowed; it takes more than round_period, which is '
                                 f'{self.round_period:g} s')
        self.check_mandate(self.round_period)


@dataclass(frozen=True)
class ManagedParameters:
    """Parameters of a managed node, beside those of its robot."""

    autostart: bool = parameter(
        True, 'Configure and activate at the start. Where that fails the process ends. Otherwise '
        'the node waits for a lifecycle manager.')


def further_names(given: Mapping[str, Any]) -> Iterator[str]:
    """
    Yield the names of the parameters that a robot has beside :class:`ElectionParameters`.

    They are those of its instances, of all installed tasks, algorithms, sources and metrics,
    chosen or not, and of the tasks that it names as module:Class.

    :param given: values by name.

    >>> names = set(further_names({'instances': 'rescue'}))
    >>> {'rescue.radius', 'rescue.patrol.lane', 'patrol.lane'} <= names
    True
    """
    for prefix in ('', *(f'{name}.' for name in names_in(str(given.get('instances', ''))))):
        sections = own_sections()
        for task in {*task_names(), *names_in(str(given.get(f'{prefix}tasks', '')))}:
            with suppress(KeyError):
                if is_dataclass(declared := task_class(task).parameters):
                    sections[f'{task_label(task)}.'] = declared
        for section, parameters in {'': InstanceParameters, **sections}.items():
            yield from (p.name for p in table(parameters, prefix + section))


P = TypeVar('P', bound=InstanceParameters)
S = TypeVar('S')


def own_parameters(entry: Any, parameters: Any) -> Any:
    """
    Return the own parameters of an algorithm, a metric or a strength source on a robot.

    :param entry: from its registry.
    :param parameters: the robot's, or those of one of its instances.
    """
    return parameters.own.get(entry.name) or entry.parameters()


def prefix_of(entry: Any) -> str:
    """
    Return the prefix of an entry's own parameters on a node.

    >>> prefix_of(ALGORITHMS.get('recursive-replicated'))
    'recursive_replicated.'
    """
    return str(entry.name).replace('-', '_') + '.'


CHOICES: Mapping[str, Registry[Any]] = {
    'algorithm': ALGORITHMS, 'strength_source': STRENGTH_SOURCES, 'metric': METRICS}
"""The parameters that choose an entry with parameters of its own."""


def own_sections() -> dict[str, type]:
    """Return the own parameters of all entries of :data:`CHOICES`, by their prefix on a node."""
    return {prefix_of(entry): entry.parameters for registry in CHOICES.values()
            for entry in map(registry.get, registry.names())
            if entry.parameters is not NoParameters}


def chosen_entries(values: Mapping[str, Any], prefix: str) -> list[Any]:
    """
    Return the chosen entries that have parameters of their own.

    :param values: of a robot's parameters by name, not all of them and unchecked.
    :param prefix: of the instance's parameters.

    >>> [entry.name for entry in chosen_entries({'top.algorithm': 'given'}, 'top.')]
    ['given']
    """
    chosen = [registry.get(values[prefix + key]) for key, registry in CHOICES.items()
              if values.get(prefix + key) in registry.names()]
    return [entry for entry in chosen if entry.parameters is not NoParameters]


def refuse_unchosen(values: Mapping[str, Any], prefix: str) -> None:
    """
    Refuse own parameters of what is not chosen. A parameter file may name them with the default.

    :param values: as :func:`chosen_entries` takes them.
    :raises ParameterError: for the first one.
    """
    chosen = [prefix_of(entry) for entry in chosen_entries(values, prefix)]
    for section, parameters in own_sections().items():
        for p in table(parameters, prefix + section):
            if (section not in chosen and p.name in values
                    and p.check(values[p.name]) != p.default):
                raise ParameterError(p.name, problem=f': {shown(values[p.name])} is not allowed; '
                                     f'{section[:-1]} is not chosen')


def built(kind: type[P], values: Mapping[str, Any], prefix: str = '') -> P:
    """
    Return checked parameters of a robot or an instance, with those of what it chooses.

    :param values: by their names on a node. Others than these parameters are ignored.
    :param prefix: of the instance's parameters.
    :raises ParameterError: for a wrong value. It has the name on the node.
    """
    def section(kind: type[S], prefix: str) -> S:
        try:
            return build(kind, {p.name: values[prefix + p.name] for p in table(kind)
                                if prefix + p.name in values})
        except ParameterError as error:
            raise error.named(prefix + error.name) from None

    refuse_unchosen(values, prefix)
    return replace(section(kind, prefix), own={
        entry.name: section(entry.parameters, prefix + prefix_of(entry))
        for entry in chosen_entries(values, prefix)})
