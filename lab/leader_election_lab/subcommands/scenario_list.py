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

"""The subcommand ``lab list``."""

import argparse
from pathlib import Path

from leader_election.parameters.command_line import ExitStatus
from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.experiment.scenario import count_devices, Scenario
from leader_election_lab.runs import store
from leader_election_lab.terminal_output import console, Rows, terminal_table


def show_list(options: argparse.Namespace) -> int:
    """Print the scenarios that come with the package, and further ones with kept results."""
    rows: list[tuple[str, ...]] = []
    for name in scenarios.names():
        scenario = scenarios.load(name)
        # Labels of algorithms with regions differ by settings: the algorithm's name is enough.
        labels = [e.label if e.regions is None else e.algorithm.name for e in scenario.entrants]
        rows.append((name, scenario.title, ', '.join(dict.fromkeys(labels)),
                     str(count_devices(scenario)), seeds_done(scenario, options.results)))
    for path in sorted(options.results.glob('*.nc')):
        if path.stem not in scenarios.names():
            from leader_election_lab.runs import results
            dataset = results.load(path)
            rows.append((path.stem, dataset.attrs['title'],
                         ', '.join(dataset['algorithm'].values.tolist()),
                         str(count_devices(results.scenario_of(dataset))),
                         str(dataset.sizes['seed'])))
    console().print(terminal_table(Rows(
        '', ('scenario', 'title', 'algorithms', 'devices', 'seeds done'), rows)))
    return ExitStatus.OK


def seeds_done(scenario: Scenario, folder: Path) -> str:
    """
    Return the number of seeds that are done for all algorithms and variants, as text.

    Runs of another text of the scenario, or of other code, are not counted.
    """
    digests, finished = store.digests(scenario), store.finished(folder, scenario.name)
    done = str(store.seeds_done(store.keys_of(finished, digests), scenario))
    current = {str(digest) for digest in digests.values()}
    return done if current.issuperset(finished) else f'{done}, others changed'
