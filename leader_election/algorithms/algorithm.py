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

from collections.abc import Callable, Mapping
from dataclasses import dataclass
import inspect
from typing import Any, NamedTuple

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
    is compiled by a laboratory. The model is that of Pianini, Casadei, Viroli (ACSOS 2022), II-B.
    """

    name: str
    """What the parameter ``algorithm`` says to choose it."""
    round: Callable[[Device, Any, Any, Any, Any], Any]
    """
    ``round(device, state, neighbours, metric, parameters) -> state``: the device's own previous
    state, the neighbours' exports (``columns``), the distance to each neighbour [m] in the same
    order, and what ``configure`` returned. The new state is also the export.
    """
    state: type[Any]
    """
    The named tuple of the state. Its fields, ``int`` or ``float``, are what travels, in this
    order; two are required: ``leader``, and ``distance`` [m] to it along the path of the news.
    """
    columns: type[Any]
    """The same fields, each holding a sequence with one entry a neighbour."""
    start: Callable[[Device], Any]
    """The state of a device that has heard nobody yet."""
    configure: Callable[..., Any]
    """Makes the round's parameters out of settings; the names of its arguments say which."""

    def parameters(self, settings: Mapping[str, Any]) -> Any:
        """Return the round's parameters, taken out of a larger mapping of settings."""
        names = inspect.signature(self.configure).parameters
        return self.configure(**{name: settings[name] for name in names})


ALGORITHMS: Registry[Algorithm] = Registry('algorithm', 'leader_election.algorithms')
