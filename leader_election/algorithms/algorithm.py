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

"""The one face that all election algorithms have."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
import inspect
from typing import Any, NamedTuple

from leader_election.algorithms.fields import Field, fields_of
from leader_election.parameters import NoParameters, ParameterError, table
from leader_election.registry import Registry


class Device(NamedTuple):
    """What a round knows of the device that it runs on."""

    id: int
    """Unique in the network."""
    strength: float
    """The greater, the rather this device leads."""


@dataclass(frozen=True)
class Algorithm:
    """
    An election algorithm: the description of its state, and its round.

    A round is a plain function over scalars and small arrays: no input, no output, no clock and no
    object of ours but named tuples, so that the same function runs on a robot and
    is compiled by a laboratory. It may call plain functions, each by its name.
    The model is that of Pianini, Casadei, Viroli (ACSOS 2022), II-B.
    """

    name: str
    """What the parameter ``algorithm`` says to choose it."""
    round: Callable[[Device, Any, Any, Any, Any], Any]
    """
    ``round(device, state, neighbours, metric, parameters) -> state``: the device's own previous
    state, the neighbours' exports (``columns``), the distance to each neighbour [m] in the same
    order, and what ``configure`` returned. The new state is also the export.

    There are ``len(metric)`` neighbours: a laboratory's columns may be longer than that.
    A vector of the state is a tuple on a robot and an array of one dimension in a laboratory; it
    may be returned as an array by either. In ``columns`` a vector of neighbour j is row j.
    """
    state: type[Any]
    """
    The named tuple of the state. Its fields are what travels, in this order: ``int``, ``float``,
    or a tuple of any number of one of them (:mod:`leader_election.algorithms.fields`).
    Two are required: ``leader``, an id, and ``distance`` [m] to it along the path of the news.
    """
    columns: type[Any]
    """The same fields, each holding a sequence with one entry a neighbour."""
    start: Callable[[Device], Any]
    """
    The state of a device that has heard nobody yet. A vector in it is the same for all devices:
    as long as it will ever be, and full of what stands for "nothing".
    """
    configure: Callable[..., Any]
    """
    Makes the round's parameters out of settings. The names of its arguments say which: those that
    all robots have (``radius``, ``ties``), and the algorithm's own.
    """
    parameters: type[Any] = NoParameters
    """
    The algorithm's own parameters: a frozen dataclass of :func:`leader_election.parameter` fields.
    A robot's node declares them as ``<algorithm>.<name>``; a scenario of the laboratory takes them
    beside the algorithm's name.
    """

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the state, in their order."""
        return fields_of(self.state, self.start(Device(0, 0.0)))

    @cached_property
    def takes(self) -> tuple[str, ...]:
        """The names of the settings that the round depends on."""
        return tuple(inspect.signature(self.configure).parameters)

    def round_parameters(self, settings: Mapping[str, Any]) -> Any:
        """
        Return the parameters of the round.

        :param settings: values by name; more than the algorithm takes are allowed. A parameter of
            the algorithm's own that is missing has its default.
        :raises ParameterError: where ``configure`` takes what is declared nowhere.
        """
        known = {**{p.name: p.default for p in table(self.parameters)}, **settings}
        for name in self.takes:
            if name not in known:
                raise ParameterError(
                    f'algorithm {self.name}: configure takes {name}, which is not declared; '
                    'declare it in the parameters of the algorithm')
        return self.configure(**{name: known[name] for name in self.takes})

    def compute(self, device: Device, state: Any, exports: Sequence[Any],
                metric: Sequence[float], parameters: Any) -> Any:
        """
        Run a round in plain Python, and return the new state in plain Python.

        :param exports: the neighbours' states.
        :param metric: the distance to each of them [m].
        """
        columns = zip(*exports) if exports else [()] * len(self.fields)
        return self.plain(self.round(device, state, self.columns(*columns), metric, parameters))

    def plain(self, state: Any) -> Any:
        """Return a state as numbers and tuples of numbers, which can be compared and sent."""
        return self.state(*(field.plain(value) for field, value in zip(self.fields, state)))


ALGORITHMS: Registry[Algorithm] = Registry('algorithm', 'leader_election.algorithms')
