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
The interface of election algorithms, and the hop limit.

A round takes ``device.chance``, the number of :func:`~.chance.drawn`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
import inspect
import math
import sys
from typing import Any, NamedTuple

from leader_election.election.algorithms.chance import reads_chance, unseeded
from leader_election.election.algorithms.fields import Field, fields_of, NO_HOP_LIMIT
from leader_election.parameters import LeaderElectionError, NoParameters, ParameterError, table
from leader_election.parameters.registry import is_own, Registry


class Device(NamedTuple):
    """The device that a round runs on."""

    id: int  # noqa: A003
    """Unique in the network."""
    strength: float
    """The device with the largest strength leads."""
    chance: float = 0.0
    """
    A number in [0, 1) for each device and round
    (:func:`~leader_election.election.algorithms.chance.drawn`), 0 where no round reads it.
    """


BARRED = -sys.float_info.max
"""The strength of a device that may not lead: it is weaker than every other."""


@dataclass(frozen=True)
class Algorithm:
    """
    An election algorithm: the types of its state and messages, and its round.

    A round is a plain function of numbers, small arrays and named tuples, without input, output,
    clock, or chance but ``device.chance``. So the same function runs on a robot and is compiled by
    the laboratory. It may call other plain functions by name.
    The model is that of Pianini, Casadei, Viroli (ACSOS 2022), II-B.
    """

    name: str
    """The value of the parameter ``algorithm`` that selects it."""
    round: Callable[[Device, Any, Any, Any, Any], Any]  # noqa: A003
    """
    ``round(device, state, neighbours, metric, parameters) -> state``: the device's own previous
    state, the neighbours' exports (``columns``), the distance to each neighbour [m] in the same
    order, and what ``configure`` returned. The new state is also the export.

    There are ``len(metric)`` neighbours; in the laboratory, columns may be longer than that.
    A vector in the state is a tuple on a robot and a one-dimensional array in the laboratory. A
    round may return it as an array, and leave out entries that stand for nothing at the end of one
    with levels. In ``columns``, row j is the vector of neighbour j.
    """
    state: type[Any]
    """
    The named tuple of the state. Messages hold its fields in this order. A field is an ``int``, a
    ``float``, or a tuple of one of them (:class:`Field`). Two
    fields are required: ``leader``, an id, and ``distance`` to it along the path of the messages
    [m].
    """
    columns: type[Any]
    """The same fields, each as a sequence with one entry per neighbour."""
    start: Callable[[Device], Any]
    """
    Makes the initial state of a device. The vectors in it are the same on all devices: they have
    their final length, and all entries are padding, which stands for "nothing".
    """
    configure: Callable[..., Any]
    """
    Makes the parameters of the round from settings. The names of its arguments select them: those
    that all robots have (``radius``, ``ties``), and the algorithm's own.
    """
    parameters: type[Any] = NoParameters
    """
    The algorithm's own parameters: a frozen dataclass of :func:`leader_election.parameter` fields.
    A robot's node declares them as ``<algorithm>.<name>``. A scenario of the laboratory takes them
    beside the algorithm's name.
    """
    leaders_follow_themselves: bool = False
    """
    Whether a device that exports another leader than itself leads no other device: a robot
    then adopts no candidacy for it from others, since such a candidacy is outdated.
    """
    levels: int = 0
    """
    The number of levels of a recursive election, 0 for none. Its state has a field ``depth``, the
    present level of a device. A round reads entries of a neighbour's
    :data:`PerLevel` vectors only up to its depth. At
    the last level no leader is sought: a device that reaches it leads itself.
    """

    def __post_init__(self) -> None:
        """
        Refuse chance that no seed repeats.

        :raises LeaderElectionError: for such a round, with its file and line.
        """
        code = getattr(self.round, '__code__', None)
        # To look takes milliseconds, and tests have looked at the rounds of this package.
        if code is not None and is_own(code.co_filename) and (place := unseeded(self.round)):
            raise LeaderElectionError(
                f'{place} gives numbers that no seed repeats; a round takes device.chance')

    @cached_property
    def reads_chance(self) -> bool:
        """Return whether the round reads ``device.chance``."""
        return reads_chance(self.round)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Return the fields of the state, in their order."""
        return fields_of(self.state, self.start(Device(0, 0.0)))

    @cached_property
    def takes(self) -> tuple[str, ...]:
        """Return the names of the settings that the round depends on."""
        return tuple(inspect.signature(self.configure).parameters)

    @cached_property
    def as_published(self) -> Mapping[str, Any]:
        """Return the settings with a default in ``configure``: that of the papers."""
        arguments = inspect.signature(self.configure).parameters.values()
        return {each.name: each.default for each in arguments
                if each.default is not inspect.Parameter.empty}

    def round_parameters(self, settings: Mapping[str, Any]) -> Any:
        """
        Return the parameters of the round.

        :param settings: values by name. Names that the algorithm does not take are ignored. A
            missing own parameter of the algorithm has its default, and so has an argument of
            ``configure``.
        :raises ParameterError: if ``configure`` takes a name that is not declared.
        """
        known = {**self.as_published,
                 **{p.name: p.default for p in table(self.parameters)}, **settings}
        for name in self.takes:
            if name not in known:
                raise ParameterError(
                    f'algorithm {self.name}: configure takes {name}, which is not declared; '
                    'declare it in the parameters of the algorithm')
        return self.configure(**{name: known[name] for name in self.takes})

    def compute(self, device: Device, state: Any, exports: Sequence[Any],
                metric: Sequence[float], parameters: Any) -> Any:
        """
        Run a round in plain Python.

        :param exports: the neighbours' states.
        :param metric: the distance to each of them [m].
        :param parameters: the result of :meth:`round_parameters`.
        :return: the new state, in numbers and tuples of numbers.
        """
        columns = zip(*exports) if exports else [()] * len(self.fields)
        return self.plain(self.round(device, state, self.columns(*columns), metric, parameters))

    def aged(self, export: Any, rounds: int) -> Any:
        """
        Return an export aged by a number of rounds, each of which counts as a hop.

        While newer messages are lost, an old message keeps its candidacy. If its age did not
        count, that of a dead leader would survive an expiry at each hop. An export of the leader
        itself, with no hop, does not age: it is valid until it expires.
        """
        if rounds == 0:
            return export

        def older(hops: int) -> int:
            return hops + rounds if hops > 0 else hops

        return export._replace(**{
            field.name: older(getattr(export, field.name)) if field.padding is None
            else tuple(map(older, getattr(export, field.name)))
            for field in self.fields if field.hops})

    def strengths(self, export: Any) -> Iterator[float]:
        """
        Yield the strengths of the devices that an export stands for.

        Left out are fields without a device, and devices that may not lead.

        >>> from leader_election.election.algorithms import BOUNDED, RECURSIVE
        >>> [list(BOUNDED.strengths(BOUNDED.start(Device(1, it)))) for it in (5.0, BARRED)]
        [[5.0], []]
        >>> list(RECURSIVE.strengths(RECURSIVE.start(Device(1, 5.0))))
        []
        """
        for field, value in zip(self.fields, export):
            if field.negated:
                values = (value,) if field.padding is None else value
                yield from (-number for number in values if number < -BARRED)

    def plain(self, state: Any) -> Any:
        """Return a state in numbers and tuples of numbers, which can be compared and sent."""
        return self.state(*(field.plain(value) for field, value in zip(self.fields, state)))


ALGORITHMS: Registry[Algorithm] = Registry('algorithm', 'leader_election.algorithms')


NONE = -1
"""The value of the parameter ``hop_limit`` that stands for :data:`NO_HOP_LIMIT`."""
AUTOMATIC = 0
"""The value of the parameter ``hop_limit`` that stands for :func:`automatic_hop_limit`."""
DEFAULT_HOP_LIMIT = 100
"""The automatic limit where radius and range do not bound the number of hops."""
MOST_AUTOMATIC, MOST_HOPS = 1000, 10000
"""The greatest limits, automatic and set: forged candidacies last no longer, at any radius."""


def automatic_hop_limit(radius: float, link_range: float) -> int:
    """
    Return about twice the largest number of hops to a leader in a swarm at rest.

    If robots hear each other within the range in a straight line, two successive links of a
    shortest path are together longer than the range: otherwise their ends would hear each other.
    So a path within the radius has at most ``floor(2 * radius / link_range) + 1`` hops. While
    robots move, the news of a shorter path is late, and paths are longer for a while: hence the
    factor of two.

    :param radius: the largest distance to a leader [m], >= 0, infinite for no radius.
    :param link_range: the greatest distance of a neighbour [m], > 0, infinite if unknown.

    >>> [automatic_hop_limit(*lengths) for lengths in ((10.0, 5.0), (10.0, math.inf), (1e6, 5.0))]
    [10, 100, 1000]
    >>> automatic_hop_limit(1.0, 0.5), automatic_hop_limit(1.0, 0.0)
    (10, 100)
    """
    if not (math.isfinite(radius) and math.isfinite(link_range) and link_range > 0.0):
        return DEFAULT_HOP_LIMIT
    return int(min(2 * (math.floor(2.0 * radius / link_range) + 1), MOST_AUTOMATIC))


def hop_limit(setting: int, radius: float, link_range: float) -> int:
    """
    Return the limit for a value of the parameter ``hop_limit``.

    :param setting: :data:`AUTOMATIC`, :data:`NONE`, or a number of hops.
    :param radius: the largest distance to a leader [m], infinite for no radius.
    :param link_range: the greatest distance of a neighbour [m], infinite if unknown.

    >>> hop_limit(7, 10.0, 5.0), hop_limit(AUTOMATIC, 10.0, 5.0), hop_limit(NONE, 10.0, 5.0)
    (7, 10, 9007199254740991)
    """
    if setting == NONE:
        return NO_HOP_LIMIT
    return automatic_hop_limit(radius, link_range) if setting == AUTOMATIC else setting
