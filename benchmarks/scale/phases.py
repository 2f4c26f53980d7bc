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
"""One run: a start, then three losses, each phase until nothing changes any more."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.scale.reference import right_share
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.simulation.network_events import EVENTS, leading
from leader_election_lab.simulation.run import message_bytes
from leader_election_lab.simulation.simulation import Simulation
from leader_election_lab.states import MEASURES, ROUNDS, SENT
import numpy as np
from numpy.typing import NDArray

LOSSES: Mapping[str, Mapping[str, Any]] = {
    'start': {}, 'loss of 1 %': {'share': 0.01}, 'loss of 10 %': {'share': 0.1},
    'loss of leaders': {'leaders': True}}
"""The phases, and the devices lost at the beginning of each, as in the event ``die``."""
START, LEADERS = 'start', 'loss of leaders'
REST, QUIET, BUDGET, SKIPPED = 'rest', 'quiet', 'budget', 'skipped'
"""
The reasons for the end of a phase: no state can change. Leaders have not changed for long. The
budget was used up; or it did not begin, since it would use up the budget.
"""
PATIENCE = 3
"""The factor by which the quiet time is longer while devices follow a dead leader."""
GRACE = 5
"""Least number of rounds of a phase, since messages of lost devices count for three rounds."""
CHUNK = 1 << 16
_CHANGES, _LEADERS, _CORRECT, _SIZE = (
    MEASURES.index(name) for name in ('changes', 'leaders', 'correct', 'mean_size'))


@dataclass(frozen=True)
class Phase:
    """The measurements from one loss to the next; times in rounds from its beginning."""

    ended: str
    spent: int = 0
    settled: int | None = None
    """The round after which no leader changed, ``None`` if not within the budget."""
    led: int | None = None
    """
    The round from which on the leader of each device was alive and led itself, ``None`` for never.

    Devices that believe no other lead themselves at once: only :attr:`right` tells that.
    """
    right: float | None = None
    """The share of devices with the right leader at the end, ``None`` if it is not judged."""
    outage: float = 0.0
    """Rounds that a device was without such a leader, mean over devices."""
    lost: int = 0
    """The number of leaders among the lost devices."""
    changed: float = 0.0
    """Changes of leader a device."""
    leaders: int = 0
    """At the end."""
    length: float = 0.0
    """The mean length of a message from the start until leaders had settled [bytes]."""

    @property
    def wrong(self) -> bool:
        """Return whether a device had another leader than the right one at the end."""
        return self.right is not None and self.right < 1.0


@dataclass(frozen=True)
class Outcome:
    """The result of a run."""

    devices: int
    diameter: int
    """The greatest number of hops between two devices, before any loss."""
    receivers: float
    """Mean number of devices that a message reaches, before any loss."""
    phases: Mapping[str, Phase]
    """By the keys of ``LOSSES``."""


def run(scenario: Scenario, seed: int, hops: int, quiet: int, budget: int, radius: float | None,
        skipped: frozenset[str] = frozenset()) -> Outcome:
    """
    Return the result of one run, the same for the same arguments.

    :param scenario: of one algorithm, with a period of 1 s, samples each second, no mobility, and
        time for four budgets.
    :param hops: the diameter of the network.
    :param quiet: a phase also ends after this number of rounds without a change of leaders. While
        devices follow a dead leader, after ``PATIENCE`` times the number.
    :param budget: the most rounds of a phase. After a longer phase the others are skipped.
    :param radius: of the reference partition [m], ``None`` if the algorithm has another one.
    :param skipped: phases that do not begin.
    """
    simulation = Simulation(scenario, scenario.entrants[0], seed)
    devices, phases, receivers = len(simulation.network.devices.id), dict[str, Phase](), 0.0
    over = False
    for name, loss in LOSSES.items():
        if over or name in skipped:
            phases[name] = Phase(SKIPPED)
            continue
        lost = 0
        if loss:
            event, before = EVENTS.get('die'), int(leading(simulation.network).sum())
            # Like on robots, the last message of a device counts until it expires.
            simulation.happen(event, event.parameters(linger=True, **loss))
            lost = before - int(leading(simulation.network).sum())
        phase = settle(simulation, quiet, budget)
        over = phase.ended == BUDGET
        judged = None if over or radius is None else right_share(simulation, radius)
        phases[name] = replace(phase, lost=lost, right=judged)
        if name == START:
            counts = simulation.network.watch.counts
            receivers = float(counts[SENT] / counts[ROUNDS])
    return Outcome(devices, hops, receivers, phases)


def settle(simulation: Simulation, quiet: int, budget: int) -> Phase:
    """Run a network until nothing changes, and return the measurements."""
    begun = int(simulation.network.watch.sampled[0])
    now, last_change, ended = begun, 0, BUDGET
    lengths: list[float] = []
    while now - begun < budget:
        step = min(1 + (now - begun) // 16, budget - (now - begun))
        simulation.run(float(now + step))
        if begun == 0:
            lengths += [message_bytes(simulation.entrant, simulation.network)] * step
        changed = np.flatnonzero(simulation.network.watch.samples[now:now + step, _CHANGES])
        if len(changed):
            last_change = now - begun + int(changed[-1]) + 1
        now += step
        since = now - begun - last_change
        if since >= (quiet if _all_led(simulation, now) else PATIENCE * quiet):
            ended = QUIET
            break
        if min(since, now - begun - GRACE) > 0 and now - begun < budget:
            before = digest(simulation.network.exports)
            simulation.run(float(now + 1))
            lengths += lengths[-1:]
            now += 1
            # Each device has run once: if no state has changed, none ever will.
            if (digest(simulation.network.exports) == before).all():
                ended = REST
                break
            if simulation.network.watch.samples[now - 1, _CHANGES]:
                last_change = now - begun
    return _phase(simulation, begun, now, ended, lengths)


def _all_led(simulation: Simulation, now: int) -> bool:
    sample = simulation.network.watch.samples[now - 1]
    led = round(sample[_CORRECT] * sample[_SIZE])
    return bool(led == simulation.network.devices.running.sum())


def _phase(simulation: Simulation, begun: int, now: int, ended: str,
           lengths: list[float]) -> Phase:
    samples = simulation.network.watch.samples[begun:now]
    running = int(simulation.network.devices.running.sum())
    settled = _after_last(samples[:, _CHANGES] > 0)
    led = np.round(samples[:, _CORRECT] * samples[:, _SIZE])
    return Phase(
        ended=ended, spent=now - begun, settled=None if ended == BUDGET else settled,
        led=_led(led != running),
        outage=float((running - led).sum() / max(running, 1)),
        changed=float(samples[:, _CHANGES].sum() / max(running, 1)),
        leaders=int(samples[-1, _LEADERS]),
        length=float(np.mean(lengths[:max(settled, 1)])) if lengths else 0.0)


def _after_last(true: NDArray[np.bool_]) -> int:
    """
    Return the number of entries up to the last true one.

    >>> _after_last(np.array([True, False, True, False])), _after_last(np.array([False]))
    (3, 0)
    """
    found = np.flatnonzero(true)
    return int(found[-1]) + 1 if len(found) else 0


def _led(without: NDArray[np.bool_]) -> int | None:
    """
    Return the first round from which on no sample has a device without a living leader.

    >>> _led(np.array([True, False])), _led(np.array([False])), _led(np.array([True]))
    (2, 0, None)
    """
    if without[-1]:
        return None
    return _after_last(without) + 1 if without.any() else 0


def digest(exports: NDArray[np.int64]) -> NDArray[np.uint64]:
    """
    Return a short digest of the state of each device.

    :param exports: the states, one row a device, of 64-bit words.
    """
    words = exports.view(np.uint64)
    factors = np.random.default_rng(0).integers(
        1, 2**63, words.shape[1], np.uint64) * np.uint64(2) + np.uint64(1)
    found = np.empty(len(words), np.uint64)
    for first in range(0, len(words), CHUNK):
        part = words[first:first + CHUNK]
        found[first:first + CHUNK] = ((part ^ (part >> np.uint64(29))) * factors).sum(axis=1)
    return found
