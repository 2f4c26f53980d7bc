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

"""A report for people."""

from collections.abc import Iterator

from leader_election.recording.report import Report
from leader_election.view.words import count

MOST_REIGNS = 12
"""So many leaders are listed, those who led for longest."""


def in_words(of: Report) -> str:
    """Return a report as lines of text."""
    return '\n'.join([*_swarm(of), *_elections(of), *_leaders(of), *_losses(of), *_truth(of)])


def _swarm(of: Report) -> Iterator[str]:
    silent = f', {of.silent} of them silent in the end' if of.silent else ''
    yield f'{of.duration:.1f} s, {count(of.robots, "robot")}{silent}'
    rate = f'{of.messages / of.duration:.1f} a second, ' if of.duration else ''
    yield (f'{count(of.messages, "message")}, {rate}{of.bytes / max(of.messages, 1):.0f} bytes '
           f'each; {of.rejected} said nothing')
    if of.missing is not None:
        yield (f'by the count of the robots {of.missing:.2%} of what they sent is not in the '
               'recording')


def _elections(of: Report) -> Iterator[str]:
    fewest, mean, most = of.regions
    yield (f'{fewest} to {most} regions, {mean:.1f} on average; the largest had '
           f'{count(of.largest, "robot")}')
    within = '' if of.radius is None else f', within {of.radius:g} m'
    first = 'never' if of.first_partition is None else f'first after {of.first_partition:.1f} s'
    yield (f'a whole partition, each robot with a living leader that leads itself{within}: '
           f'{first}, at {of.whole:.0%} of the looks')
    yield (f'{count(of.changes, "change")} of leader, {of.instability:.2f} a robot and minute')


def _leaders(of: Report) -> Iterator[str]:
    longest = sorted(of.reigns, key=lambda reign: reign.begin - reign.end)[:MOST_REIGNS]
    if not longest:
        return
    yield f'{count(len({reign.leader for reign in of.reigns}), "leader")} in all; for longest led'
    yield '    leader       from         to        for   most robots'
    for reign in longest:
        yield (f'{reign.leader:>10} {reign.begin:8.1f} s {reign.end:8.1f} s '
               f'{reign.end - reign.begin:8.1f} s {reign.most:>13}')


def _losses(of: Report) -> Iterator[str]:
    for loss in of.losses:
        ending = 'its region did not recover' if loss.recovered is None else \
            f'recovered {loss.recovered - loss.time:.1f} s later'
        again = '' if loss.returned is None else \
            f'; it was heard again {loss.returned - loss.time:.1f} s later'
        yield (f'leader {loss.leader}, who led {count(loss.led, "other")}, fell silent at '
               f'{loss.time:.1f} s: {ending}{again}')


def _truth(of: Report) -> Iterator[str]:
    if not of.agreement:
        return
    yield 'a robot has the leader that it would have by true places; and so have all at once'
    for share in of.agreement[:-1]:
        yield (f'{share.begin:8.1f} to {share.end:6.1f} s {share.robots:8.1%} '
               f'{share.partitions:8.1%}')
    whole = of.agreement[-1]
    yield f'{"overall":>20} {whole.robots:10.1%} {whole.partitions:8.1%}'
