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
"""The store of runs: one file each, so that an interrupted study can continue."""

from dataclasses import asdict
from functools import cache
import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from benchmarks.scale import phases
from benchmarks.scale.contestants import Contestant
from benchmarks.scale.networks import Network, scenario_of
from benchmarks.scale.phases import BUDGET, Outcome, Phase, SKIPPED
from leader_election.lab.runs.results import replacing
from leader_election.lab.runs.store import fingerprint


class Key(NamedTuple):
    """The identity of a run."""

    network: Network
    contestant: Contestant
    seed: int


def path_of(folder: Path, key: Key) -> Path:
    """Return the file of a run."""
    return folder / f'{key.network.name},{key.contestant.label},{key.seed}.json'


@cache
def digest_of(network: Network, contestant: Contestant) -> str:
    """Return a digest of all inputs of the runs of an algorithm in a network."""
    # The budget determines the end of a run, not its results until then.
    scenario = scenario_of(network, contestant, 1000)
    parts = (fingerprint(scenario, contestant.label), contestant.quiet(network.hops),
             Path(phases.__file__).read_text())
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def keep(folder: Path, key: Key, digest: str, budget: int, outcome: Outcome) -> None:
    """
    Write a run to its file, atomically.

    :param budget: of this run [rounds a phase].
    """
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(path_of(folder, key)) as temporary:
        temporary.write_text(json.dumps(
            {'digest': digest, 'budget': budget, **asdict(outcome)}, indent=1))


def kept(folder: Path, key: Key, digest: str, budget: int) -> Outcome | None:
    """
    Return a stored run; ``None`` if it has to be run.

    It has to be run again after an end by a smaller budget, or with other code or settings.

    :param budget: the present one [rounds a phase].
    """
    try:
        found = json.loads(path_of(folder, key).read_text())
        outcome = Outcome(found['devices'], found['diameter'], found['receivers'], {
            name: Phase(**phase) for name, phase in found['phases'].items()})
        complete = not any(phase.ended in (BUDGET, SKIPPED) for phase in outcome.phases.values())
        current = found['digest'] == digest and (complete or found['budget'] >= budget)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return outcome if current else None
