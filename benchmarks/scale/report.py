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
"""The tables of the study, in Markdown."""

from collections.abc import Callable, Mapping, Sequence
import math

from benchmarks.scale.networks import Contestant, Network
from benchmarks.scale.phases import BUDGET, LEADERS, LOSSES, Outcome, Phase, SKIPPED, START
from leader_election_lab.analysis.measures import estimate_mean
import numpy as np

Runs = Mapping[tuple[Network, Contestant], Sequence[Outcome]]
NOT_RUN, TOO_MANY, NEVER, LOST, WRONG = '–', 'levels', 'never', 'lost', 'wrong'
LEGEND = f"""\
Columns: devices and hops across; squares, unless stated otherwise. Means over seeds with 95 %
intervals, for three seeds or more; where half of the interval exceeds the mean, the median and
in parentheses the least and the greatest of the seeds. *> N*: not within N rounds, the budget,
in any of the seeds; not run further. *{NOT_RUN}*: not run, since by estimates from smaller
networks it takes more than the budget, or since the phase before it did. *{TOO_MANY}*: not run,
since there are more leaders than the algorithm has levels. *{NEVER}*: leaders no longer change,
but devices still follow a dead leader, or none. *{WRONG}*: leaders no longer change, but they
are not those of the partition that is right by true positions. *classic*, *given* and
*resilient-regions* have partitions of their own and are not judged. Seeds that by chance lose the
only leader with 1 % or 10 % of all devices are left out there, as that is the loss of leaders;
*{LOST}*: all seeds do."""


def table(title: str, cell: Callable[[Sequence[Outcome]], str], runs: Runs,
          networks: Sequence[Network], contestants: Sequence[Contestant]) -> str:
    """
    Return a table: a row for each algorithm, a column for each network.

    :param cell: returns the text for the outcomes of all seeds.
    """
    rows = [[title, *(heading(network, runs) for network in networks)],
            ['---'] * (len(networks) + 1)]
    for contestant in contestants:
        rows.append([contestant.label, *(
            cell_or_reason(cell, runs.get((network, contestant), ()), network, contestant)
            for network in networks)])
    return '\n'.join(f'| {" | ".join(row)} |' for row in rows)


def heading(network: Network, runs: Runs) -> str:
    """Return the heading of a network: its devices, and its diameter as measured."""
    found = [outcome.diameter for (other, _), outcomes in runs.items() if other == network
             for outcome in outcomes]
    hops = round(np.mean(found)) if found else network.hops
    shape = '' if network.shape == 'square' else f'{network.shape} '
    return f'{shape}{network.devices:,}; {hops} hops'


def cell_or_reason(cell: Callable[[Sequence[Outcome]], str], outcomes: Sequence[Outcome],
                   network: Network, contestant: Contestant) -> str:
    """Return the text of a cell, or the reason for missing outcomes."""
    if outcomes:
        return cell(outcomes)
    return TOO_MANY if network.leaders > contestant.most_leaders else NOT_RUN


def mean(values: Sequence[float], digits: int = 0) -> str:
    """
    Return a mean of non-negative numbers with its interval as text.

    An interval that reaches below 0 is not possible: then it is the median with the least and the
    greatest.

    >>> mean([3.0, 5.0, 4.0]), mean([0.123], 2), mean([0.0, 0.0, 0.0, 740.0])
    ('4 ± 2', '0.12', '0 (0 to 740)')
    """
    found = estimate_mean(np.array(values, float))
    if len(values) < 3:
        return f'{found.value:,.{digits}f}'
    if found.low < 0.0:
        low, middle, high = (f'{value:,.{digits}f}'
                             for value in (min(values), np.median(values), max(values)))
        return f'{middle} ({low} to {high})'
    return f'{found.value:,.{digits}f} ± {found.half_width:,.{digits}f}'


def rounds(name: str) -> Callable[[Sequence[Outcome]], str]:
    """Return the cell of the rounds of a phase until leaders are settled."""
    def cell(outcomes: Sequence[Outcome]) -> str:
        found = with_a_leader(name, outcomes)
        return unfinished(found) or mean([float(phase.settled or 0) for phase in found])
    return cell


def outage(name: str) -> Callable[[Sequence[Outcome]], str]:
    """Return the cell of the rounds that a device is without a living leader."""
    def cell(outcomes: Sequence[Outcome]) -> str:
        found = with_a_leader(name, outcomes)
        return unfinished(found) or mean([phase.outage for phase in found], 2)
    return cell


def with_a_leader(name: str, outcomes: Sequence[Outcome]) -> list[Phase]:
    """Return a phase of all seeds except those that by chance lost the only leader in it."""
    return [phase for phase, before in (
        (outcome.phases[name], _before(name, outcome)) for outcome in outcomes)
        if name in (START, LEADERS) or phase.lost == 0 or phase.lost < before]


def _before(name: str, outcome: Outcome) -> int:
    """Return the number of leaders at the end of the phase before."""
    names = list(LOSSES)
    return outcome.phases[names[names.index(name) - 1]].leaders if name != START else 0


def unfinished(found: Sequence[Phase]) -> str:
    """Return the reason why some seeds have no number for a phase, empty if all have one."""
    if not found:
        return LOST
    if any(phase.ended == BUDGET for phase in found):
        return f'> {max(phase.spent for phase in found if phase.ended == BUDGET):,}'
    if any(phase.ended == SKIPPED for phase in found):
        return NOT_RUN
    if any(phase.led is None for phase in found):
        return NEVER
    return WRONG if any(phase.wrong for phase in found) else ''


def has_wrong(runs: Runs) -> bool:
    """Return whether leaders no longer change in any phase, and are not the right ones."""
    return any(unfinished([phase]) == WRONG for outcomes in runs.values()
               for outcome in outcomes for phase in outcome.phases.values())


def message(outcomes: Sequence[Outcome]) -> str:
    """Return the cell of the length of a message until leaders have settled [bytes]."""
    found = [outcome.phases[START] for outcome in outcomes]
    begun = [phase.length for phase in found if phase.ended != SKIPPED]
    return mean(begun) if begun else NOT_RUN


def sent(outcomes: Sequence[Outcome]) -> str:
    """Return the cell of the bytes that a device sends until leaders have settled [kB]."""
    found = [outcome.phases[START] for outcome in outcomes]
    return unfinished(found) or mean(
        [phase.length * float(phase.settled or 0) / 1000 for phase in found], 1)


def receivers(network: Network, runs: Runs) -> float:
    """Return the mean number of receivers of a message over all runs, nan without runs."""
    found = [outcome.receivers for (other, _), outcomes in runs.items() if other == network
             for outcome in outcomes if outcome.phases[START].ended != SKIPPED]
    return float(np.mean(found)) if found else math.nan


def report(runs: Runs, networks: Sequence[Network], contestants: Sequence[Contestant]) -> str:
    """Return all tables, with their legend."""
    titles = {
        'rounds from the start until leaders stay the same': rounds(START),
        **{f'rounds after the {name} until leaders stay the same': rounds(name)
           for name in LOSSES if name != START},
        **{f'rounds that a device is without a living leader, after the {name}': outage(name)
           for name in LOSSES if name != START},
        'bytes of a message': message,
        'kB that a device sends until leaders stay the same': sent}
    reached = ', '.join(f'{receivers(network, runs):.1f} in {heading(network, runs)}'
                        for network in networks if not math.isnan(receivers(network, runs)))
    tables = [table(title, cell, runs, networks, contestants) for title, cell in titles.items()]
    return '\n\n'.join(['# Does it scale?', LEGEND, *tables,
                        'A device sends one message a round. Mean number of devices that receive '
                        f'a message: {reached}.']) + '\n'
