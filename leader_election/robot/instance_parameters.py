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

"""The parameters of an instance: an election, its regions, and what they do."""

from dataclasses import dataclass

from leader_election.algorithms import ALGORITHMS
from leader_election.algorithms.replicated import MOST_REPLICATES
from leader_election.coordination.settings import RegionSettings
from leader_election.parameters import parameter, ParameterError, table
from leader_election.robot.strength import STRENGTH_SOURCES


@dataclass(frozen=True)
class InstanceParameters(RegionSettings):
    """What holds for one instance; a robot may run several at once."""

    algorithm: str = parameter(
        'bounded', 'The election algorithm.', choices=ALGORITHMS.names)
    radius: float = parameter(
        10.0, 'The farthest that a leader reaches, measured by the metric along the path of the '
        'messages. A dead leader is forgotten once its candidacy has grown beyond it, so do not '
        'make it much larger than the swarm.',
        unit='m (hops, with metric hops)', lower=0.0, upper=1e6, dynamic=True)
    ties: str = parameter(
        'id', 'How equal strengths are told apart: by the lower id, or by the nearer leader as '
        'the paper prints it (each of two equal neighbours then leads itself).',
        choices=lambda: ('id', 'nearest'))
    diameter_factor: float = parameter(
        2.0, 'Algorithm resilient: a leader reaches as far as this many times the depth of its '
        'region, and one hop more. From 1 on there is one leader for the swarm, at 2 and more '
        'soon; the greater, the longer a leader that is gone is remembered. Below 1 there are '
        'several, each with a region of about 1 / (1 - diameter_factor) hops.',
        lower=0.0, upper=1000.0)
    radius_inclusive: bool = parameter(
        False, 'Algorithm resilient: whether a robot exactly as far from its leader as the leader '
        'reaches passes its news on, too. By the text of the paper it does not; the figures of '
        'the paper come out if it does.')
    replicates: int = parameter(
        3, 'Algorithm recursive-replicated: how many replicates of the gossip live at once.',
        lower=2, upper=MOST_REPLICATES)
    replicate_period: int = parameter(
        20, 'Algorithm recursive-replicated: from the start of one replicate to that of the next. '
        'News has to get across the swarm within (replicates - 1) periods.',
        unit='rounds', lower=1, upper=1000000)

    strength_source: str = parameter(
        'constant', 'Where this robot has its strength from: the parameter strength, the charge '
        'on topic battery_state, its number of neighbours, or the number on topic strength.',
        choices=STRENGTH_SOURCES.names)
    strength: float = parameter(
        0.0, 'The greater, the rather this robot leads. With a source other than constant: what '
        'holds until the source has spoken.', lower=-1e300, upper=1e300, dynamic=True)
    strength_hysteresis: float = parameter(
        -1.0, 'By how much the source has to move away from the strength announced before '
        'a new one is announced. Negative: the default of the source.',
        lower=-1.0, upper=1e300, dynamic=True)
    tasks: str = parameter(
        '', "What regions do, for example 'count' or 'field,patrol': tasks by name, or "
        'module:Class. Empty: nothing.')
    regions: bool = parameter(
        False, 'Whether robots form regions that count their members even without a task.')
    zones: str = parameter(
        '', "Regions fixed beforehand: a YAML file with a line 'name: [[x, y], ...]' for each "
        'polygon [m], in the shared frame, or such lines themselves in braces. A leader is '
        'elected inside each; radius plays no part.')
    outline: bool = parameter(
        False, 'Whether leaders get to know how far their regions extend, so that topic region '
        'holds all members and not only those that the leader hears itself; 8 numbers a message.')
    connected: bool = parameter(
        False, 'Whether leaders get to know the regions next to theirs, and what those say.')
    over: str = parameter(
        '', 'The name of another instance (main: the first), whose leaders are the candidates of '
        'this one, each with what its region has collected. Empty: all robots are.')

    @property
    def task_names(self) -> tuple[str, ...]:
        """Return the tasks, in their order."""
        return names_in(self.tasks)

    @property
    def forms_regions(self) -> bool:
        """Return whether there is more to do than elections."""
        return (self.tasks != '' or self.regions or self.outline or self.connected
                or self.over != '')

    def __post_init__(self) -> None:
        """Refuse what makes no sense together, and what the algorithm does not take."""
        takes = ALGORITHMS.get(self.algorithm).takes
        others = {name for known in ALGORITHMS.names() for name in ALGORITHMS.get(known).takes}
        for p in table(InstanceParameters):
            value = getattr(self, p.name)
            if p.name in others and p.name not in takes and value != p.default:
                shown = f'{value:g}' if isinstance(value, float) else repr(value)
                instead = 'but ' + ', '.join(takes) if takes else 'nor any other setting'
                raise ParameterError(
                    f'parameter {p.name}: {shown} is not allowed; algorithm {self.algorithm} '
                    f'takes no {p.name}, {instead}')
        if self.feedback_gain > 0.0 and (
                'radius' not in takes or self.zones or not self.forms_regions):
            why = 'zones have no radius' if self.zones else 'it takes tasks, or regions: true'
            if 'radius' not in takes:
                why = f'algorithm {self.algorithm} takes no radius'
            raise ParameterError(f'parameter feedback_gain: {self.feedback_gain:g} is not '
                                 f'allowed; {why}')
        if self.over and (self.tasks or self.outline):
            name, value = ('tasks', repr(self.tasks)) if self.tasks else ('outline', 'true')
            raise ParameterError(f'parameter {name}: {value} is not allowed; over {self.over} it '
                                 'gathers what is collected there')


def names_in(text: str) -> tuple[str, ...]:
    """
    Return the names in a list with commas.

    >>> names_in('count, patrol')
    ('count', 'patrol')
    """
    return tuple(name.strip() for name in text.split(',') if name.strip())
