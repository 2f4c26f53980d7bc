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
The name, the unit and the description of every variable of results.

They are attributes of the datasets (``long_name``, ``units``, ``description``, by the conventions
for climate and forecast metadata, CF) and of the exported columns. This table is not part of the
engine: a change of its texts changes no fingerprint.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.lab.experiment.scenario import Scenario
from leader_election.parameters import table

ONE = '1'
"""The unit of numbers without one: counts and parts."""
DISTANCE = 'distance'
"""Placeholder for the unit of the scenario's metric: metres, or none (hops, costs)."""


class Label(NamedTuple):
    """The label of a variable."""

    long_name: str
    units: str
    """As UDUNITS writes them; ``DISTANCE``: the unit of the scenario's metric."""
    description: str


LABELS: Mapping[str, Label] = {name: Label(*label) for name, label in {
    'algorithm': ('algorithm under test', '', 'Its label in the scenario.'),
    'seed': ('seed', ONE, 'It determines all random numbers of a run. Runs of different '
             'algorithms with the same seed have the same devices, walks and losses.'),
    'time': ('time', 's', 'Simulated time since the start.'),
    'counter': ('counter', '', 'Messages are counted once for each receiver in range.'),
    'fingerprint': ('fingerprint', '', 'Digests of the scenario, the algorithm, and the code.'),
    'round_period': ('period of rounds', 's', 'Time between two rounds of a device.'),
    'instability_window': ('window of instability', ONE, 'Number of rounds of instability.'),
    'instability': ('instability', ONE, 'Part of the last measure.window rounds in which the '
                    'leader of a device changed, mean over devices (ACSOS 2022, section V-C).'),
    'changes': ('changes of leaders', ONE, 'Number since the sample before, over all devices.'),
    'leaders': ('leaders', ONE, 'Number of devices that lead themselves.'),
    'named': ('leaders that are named', ONE, 'Number of different leaders that devices have.'),
    'correct': ('named leaders that lead', ONE, 'Number of named leaders that exist, run, and '
                'lead themselves.'),
    'spurious': ('named leaders that do not lead', ONE, 'named less correct.'),
    'mean_size': ('mean size of a region', ONE, 'Devices that have the same leader, mean over '
                  'leaders that lead themselves.'),
    'largest_size': ('size of the largest region', ONE, 'Devices that have the same leader, of '
                     'those leaders that lead themselves.'),
    'mean_radius': ('mean radius of a region', DISTANCE, 'Greatest distance to the leader that '
                    'a device of the region knows of, mean over leaders that lead themselves.'),
    'largest_radius': ('radius of the widest region', DISTANCE, 'Greatest distance to a leader '
                       'that a device knows of, of those leaders that lead themselves.'),
    'counted': ("sum of the leaders' counts", ONE, 'Sum of the first number of the aggregates '
                'of all leaders, in the unit of the contributions.'),
    'present': ('true value of counted', ONE, 'The sum of the contributions of all devices that '
                'run.'),
    'informed': ('part of devices with a decision', ONE, 'Devices that have a decision of their '
                 'leader, as a part of all.'),
    'agreeing': ("part of devices with their leader's decision", ONE, 'Devices whose decision is '
                 'the present one of their leader, as a part of all.'),
    'load_mean': ('mean load of leaders', ONE, "Mean of the leaders' counts."),
    'load_sigma': ('deviation of the loads of leaders', ONE, 'Standard deviation of the '
                   "leaders' counts."),
    'mean_reach': ('mean radius by feedback', DISTANCE, 'Mean over leaders of the radius within '
                   'which devices join their regions.'),
    'counts': ('counters', ONE, 'Over the whole run; -1 where it is missing. See counter.'),
    'message_bytes': ('length of a message', 'byte', 'Mean length of the messages that devices '
                      'would send at the end of the run, as robots do.'),
    'rounds': ('rounds', ONE, 'Number of rounds that devices have run.'),
    'moves': ('moves', ONE, 'Number of steps of devices that move.'),
    'sent': ('messages sent', ONE, 'One for each receiver in range.'),
    'duplicated': ('messages duplicated', ONE, 'Additional copies of messages.'),
    'lost': ('messages lost', ONE, 'Messages that the radio lost.'),
    'delivered': ('messages delivered', ONE, 'Messages that reached a mailbox.'),
    'overwritten': ('messages overwritten', ONE, 'Delivered messages that a later one replaced.'),
    'expired': ('messages expired', ONE, 'Delivered messages that became too old in the mailbox.'),
    'departed': ('messages of the departed', ONE, 'Delivered messages that were removed since '
                 'the sender was out of range.'),
    'undelivered': ('messages undelivered', ONE, 'Messages whose receiver was gone or out of '
                    'range at their arrival.'),
    'rebuilt': ('lists rebuilt', ONE, 'Number of rebuilds of the neighbour lists; internal to '
                'the engine.'),
    'out_of_levels': ('rounds out of levels', ONE, 'Number of rounds that ended at the last level '
                      'of a recursive election.'),
    'led': ('part of devices whose leader leads', ONE, 'Devices whose leader exists and leads '
            'itself, as a part of the mean number of devices that run.'),
    'united': ('part of devices in the largest region', ONE, 'Of the regions whose leader leads '
               'itself, as a part of the mean number of devices that run.'),
}.items()}
"""The labels of all variables, coordinates, counters, and derived measures."""


def attributes(name: str, scenario: Scenario) -> dict[str, str]:
    """
    Return the attributes of a variable, a coordinate or a counter of a scenario's results.

    :param name: of the variable, or of a key that varies.
    :return: ``long_name``, ``units`` (missing for texts) and ``description``.
    """
    label = LABELS.get(name) or _label_of_key(name, scenario)
    units = _unit_of_distance(scenario) if label.units == DISTANCE else label.units
    return {'long_name': label.long_name, **({'units': units} if units else {}),
            'description': label.description}


def _unit_of_distance(scenario: Scenario) -> str:
    name = scenario.messages.metric
    return 'm' if name == 'distance' or name in METRICS.names() and METRICS.get(
        name).is_length else ONE


def _label_of_key(name: str, scenario: Scenario) -> Label:
    """Return the label of a key that varies, from the table that declares it."""
    key = next(iter(scenario.vary[name][0].keys)) if name in scenario.vary else name
    last, text = key.split('.')[-1], name.replace('.', ' ').replace('_', ' ')
    for declared in _declarations(key.split('.')[0], scenario):
        for parameter in table(declared):
            if parameter.name == last:
                # Without the unit of other cases, in brackets, such as hops.
                units = parameter.unit.partition(' (')[0] or ONE
                return Label(text, units if parameter.type in (int, float) else '',
                             f'Key {key} of the scenario: {parameter.description}')
    return Label(text, '', f'Key {key} of the scenario.')


def _declarations(section: str, scenario: Scenario) -> Iterator[type[Any]]:
    """Yield the dataclasses that declare the parameters of a section."""
    if section == 'algorithms':
        yield ElectionParameters
        for entrant in scenario.entrants:
            yield entrant.algorithm.parameters
            if entrant.regions is not None:
                yield type(entrant.regions)
    elif section == 'devices':
        yield from (group.topology.parameters for group in scenario.groups)
    elif section in ('messages', 'strength'):
        yield type(getattr(scenario, section))
        own = scenario.sensing.metric if section == 'messages' else scenario.sensing.source
        if own is not None:
            yield own.parameters
    elif section == 'motion':
        yield scenario.motion.parameters
    elif section == 'events':
        yield from (event.parameters for event, _ in scenario.events)
    elif hasattr(scenario, section):
        declared = type(getattr(scenario, section))
        if hasattr(declared, '__dataclass_fields__'):
            yield declared
