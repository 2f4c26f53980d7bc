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
Decentralised leader election and regions for robot swarms on ROS 2.

Packages that extend this one import the names in ``__all__``::

    from leader_election import Algorithm, Metric, parameter, StrengthSource, Task

Nodes beside a robot import :class:`LeaderClient`, the one name that imports rclpy.

All other modules may change from one version to the next. Each name is imported when it is first
used, and none imports the laboratory's compiler.
"""

from importlib import import_module
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from leader_election.election.algorithms import Algorithm, ALGORITHMS, Device
    from leader_election.election.algorithms.fields import (
        Count,
        Hops,
        Id,
        Kept,
        Negated,
        Ticks,
        Unbounded,
    )
    from leader_election.election.mandates.part import Fence
    from leader_election.election.messages.codec import Codec, Message
    from leader_election.election.regions.aggregate import (
        Aggregate,
        AGGREGATES,
        AggregateSet,
        all_of,
        any_of,
        count,
        greatest,
        histogram,
        least,
        mean,
        top,
        total,
        union,
    )
    from leader_election.election.regions.collection import ADD, combine, LEAST, OWN, RANKED
    from leader_election.election.regions.task import DecisionOrigin, Member, Task
    from leader_election.election.robot.metrics import (
        Metric,
        METRICS,
        RangingInput,
        ReadingInput,
        ReceivedReading,
    )
    from leader_election.election.robot.strength import (
        RobotKnowledge,
        STRENGTH_SOURCES,
        StrengthSource,
    )
    from leader_election.localisation.source import PoseSource
    from leader_election.parameters import (
        build,
        LeaderElectionError,
        NoParameters,
        parameter,
        ParameterError,
    )
    from leader_election.ros.leader_client import LeaderClient  # noqa: F401

__version__ = '0.1.0'

_MODULES = {
    'election.algorithms': ('ALGORITHMS', 'Algorithm', 'Device'),
    'election.algorithms.fields': (
        'Count', 'Hops', 'Id', 'Kept', 'Negated', 'Ticks', 'Unbounded'),
    'election.regions.aggregate': (
        'AGGREGATES', 'Aggregate', 'AggregateSet', 'all_of', 'any_of', 'count', 'greatest',
        'histogram', 'least', 'mean', 'top', 'total', 'union'),
    'election.regions.collection': ('ADD', 'LEAST', 'OWN', 'RANKED', 'combine'),
    'election.regions.task': ('DecisionOrigin', 'Member', 'Task'),
    'localisation.source': ('PoseSource',),
    'parameters': (
        'LeaderElectionError', 'NoParameters', 'ParameterError', 'build', 'parameter'),
    'election.mandates.part': ('Fence',),
    'election.messages.codec': ('Codec', 'Message'),
    'election.robot.metrics': (
        'METRICS', 'Metric', 'RangingInput', 'ReadingInput', 'ReceivedReading'),
    'ros.leader_client': ('LeaderClient',),
    'election.robot.strength': ('RobotKnowledge', 'STRENGTH_SOURCES', 'StrengthSource'),
}
"""The module of each public name."""
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    'ADD', 'AGGREGATES', 'ALGORITHMS', 'Aggregate', 'AggregateSet', 'Algorithm', 'Codec', 'Count',
    'DecisionOrigin', 'Device', 'Fence', 'Hops', 'Id', 'Kept', 'LEAST',
    'LeaderElectionError', 'METRICS', 'Member', 'Message', 'Metric', 'Negated', 'NoParameters',
    'OWN', 'ParameterError', 'PoseSource', 'RANKED', 'RangingInput', 'ReadingInput',
    'ReceivedReading', 'RobotKnowledge', 'STRENGTH_SOURCES', 'StrengthSource', 'Task', 'Ticks',
    'Unbounded',
    '__version__', 'all_of', 'any_of', 'build', 'combine', 'count', 'greatest', 'histogram',
    'least', 'mean', 'parameter', 'top', 'total', 'union',
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value = getattr(import_module(f'{__name__}.{_HOMES[name]}'), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, also the one that needs rclpy."""
    return sorted({*__all__, 'LeaderClient'})
