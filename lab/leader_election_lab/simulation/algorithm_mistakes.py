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
Mistakes in the code of a user's algorithm, as one line that names their place.

numba reports a mistake in more than a hundred lines. Python itself, which runs the same round on a
robot, says it in one, so it is asked first.
"""

from collections.abc import Iterator
from contextlib import contextmanager
import math
from pathlib import Path
import re
from typing import Any, NamedTuple

from leader_election.election.algorithms import Algorithm, Device
from leader_election.parameters.registry import at, explained, is_own, place_of
from leader_election_lab.experiment.parser import ScenarioError
from leader_election_lab.experiment.schema import Entrant
from leader_election_lab.states import state_layout
import numpy as np
from numpy.typing import NDArray

DEVICES, ROUNDS = 3, 3
"""The size of the trial in plain Python."""


@contextmanager
def one_line(entrant: Entrant) -> Iterator[None]:
    """
    Convert errors of a user's code within a block into a :class:`ScenarioError`.

    Errors in which no such code takes part are left as they are.
    """
    try:
        yield
    except ScenarioError:
        raise
    except Exception as error:
        text = explained(error) if place_of(error) else \
            trial(entrant.algorithm, entrant.parameters) or of_numba(str(error))
        if not text:
            raise
        raise ScenarioError(text) from None


def trial(algorithm: Algorithm, parameters: Any) -> str:
    """Return the error of some rounds in plain Python in one line, or no text without one."""
    devices = [Device(k, float(k)) for k in range(DEVICES)]
    try:
        states = list(map(algorithm.start, devices))
        for _ in range(ROUNDS):
            for k, device in enumerate(devices):
                others = states[:k] + states[k + 1:]
                after = algorithm.round(
                    device, states[k], algorithm.columns(*zip(*others)), [1.0] * len(others),
                    parameters)
                if not isinstance(after, algorithm.state):
                    return (f'{defined(algorithm)}: {algorithm.round.__name__} returns '
                            f'{after!r}; it takes a {algorithm.state.__name__}')
                states[k] = algorithm.plain(after)
    except Exception as error:
        return explained(error) if place_of(error) else ''
    return ''


def defined(algorithm: Algorithm) -> str:
    """Return the file and line that define the round of an algorithm."""
    code = algorithm.round.__code__
    return at(code.co_filename, code.co_firstlineno)


def of_numba(text: str) -> str:
    """
    Return the innermost cause in an error text of numba in one line, or no text if unknown.

    >>> of_numba('''Failed in nopython mode pipeline (step: nopython frontend)
    ... No implementation of function ...
    ...     TypingError: Failed in nopython mode pipeline (step: nopython frontend)
    ...   failed to unpack float64
    ...
    ...   During: typing of exhaust iter at /opt/my_robots/loyal.py (28)''')
    '/opt/my_robots/loyal.py, line 28: failed to unpack float64'
    """
    if 'inlined control' in text:
        return ('numba refuses a conditional inside a call with more than 15 arguments by name; '
                'compute the value in a line above the call')
    inner = re.split(r'Failed in nopython mode pipeline \(step: [^)]*\)\n', text)[-1]
    cause = inner.strip().splitlines()[0].partition(' Raised from ')[0]
    call = re.search('>>> (.*)', inner)
    if call is not None and cause.startswith('No implementation of function'):
        cause = f'no {call[1]}'
    places = re.findall(r'(?:at|from|location:) (/\S+) \((\d+)\)', inner)
    places += [(str(Path(file).resolve()), line)
               for file, line in re.findall(r'File "([^"]+)", line (\d+):', inner)]
    own = [at(file, int(line)) for file, line in places if is_own(file)]
    return f'{own[0]}: {cause}' if own else ''


class NotFinite(NamedTuple):
    """A number of a state that is none."""

    device: int
    field: str
    value: float


def not_finite(algorithm: Algorithm, exports: NDArray[np.int64]) -> list[NotFinite]:
    """Return the numbers of states that are nan, or infinite where a field is finite."""
    found = []
    for field, column in zip(algorithm.fields, state_layout(algorithm).columns(exports)):
        if field.type is float:
            bad = np.isnan(column) if field.infinite or field.kept else ~np.isfinite(column)
            for place in np.argwhere(bad) if bad.any() else ():
                name = field.name if len(place) == 1 else f'{field.name}[{place[1]}]'
                found.append(NotFinite(int(place[0]), name, float(column[tuple(place)])))
    return found


def check_numbers(simulation: Any) -> None:
    """
    Raise a :class:`ScenarioError` for a position that is not finite, and a number of a state.

    A state may hold infinity only where its field allows it. The run is then repeated from its
    start, round by round, to find the first such number.
    """
    devices = simulation.network.devices
    nowhere = np.flatnonzero(~np.isfinite(devices.position).all(axis=1))
    if len(nowhere):
        raise ScenarioError(
            f'motion {simulation.scenario.motion.name}: the position of device '
            f'{devices.id[nowhere[0]]} is {devices.position[nowhere[0]].tolist()} '
            f'(seed {simulation.of[2]})')
    if not_finite(simulation.entrant.algorithm, simulation.network.exports):
        find_first(simulation)


def find_first(simulation: Any) -> None:
    """Raise a :class:`ScenarioError` for the first number of a run that is not finite."""
    scenario, entrant, seed = simulation.of
    again = type(simulation)(scenario, entrant, seed)
    devices, rounds = again.network.devices, scenario.rounds
    ran, last = np.zeros(len(devices.id), int), devices.sent.copy()
    # No device runs two rounds in one step.
    step = 0.5 * rounds.period * (1.0 - rounds.spread) * (1.0 - rounds.jitter)

    def follow(_: Any) -> None:
        ran[devices.sent != last] += 1
        last[:] = devices.sent
        found = not_finite(entrant.algorithm, again.network.exports)
        if found:
            one = min(found, key=lambda each: float(devices.sent[each.device]))
            value = 'nan' if math.isnan(one.value) else 'infinite'
            raise ScenarioError(
                f'algorithm {entrant.label}: state.{one.field} of device '
                f'{devices.id[one.device]} is {value} after round {ran[one.device]} '
                f'(seed {seed}); {defined(entrant.algorithm)}')
    again.watch_every(step, follow)
    again.play()
