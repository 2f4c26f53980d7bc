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
"""The bar of a launch that shows how far a large swarm has started."""

from io import StringIO

from leader_election.ros.launching.large_swarm import progress_handlers, ProgressBar, reporting
from rich.console import Console


def drawn(*lines: tuple[str, str]) -> str:
    """Return what a bar of 500 robots draws for what processes print."""
    text = StringIO()
    bar = ProgressBar(500, Console(file=text, width=80, force_terminal=True))
    for process, line in lines:
        bar.take(process, line)
    bar.close()
    return text.getvalue()


def test_progress_adds_up_over_processes() -> None:
    assert '350/500' in drawn(('fleet-2', '[INFO] [fleet_1]: 250 of 250 robots created'),
                              ('fleet-3', '[INFO] [fleet_251]: 100 of 250 robots created'))


def test_without_progress_nothing_is_drawn() -> None:
    assert drawn(('monitor-4', '500 robots, 3 leaders')) == ''


def test_after_all_elect_nothing_is_drawn_any_more() -> None:
    all_elect = [(process, '250 of 250 robots electing') for process in ('fleet-2', 'fleet-3')]
    again = ('fleet-2', '25 of 250 robots created')
    assert drawn(*all_elect, again) == drawn(*all_elect)


def test_without_a_terminal_there_is_no_bar() -> None:
    assert progress_handlers(1000) == []


def test_the_bar_ends_though_a_small_process_reports_nothing() -> None:
    text = StringIO()
    bar = ProgressBar(reporting([60, 60, 10]), Console(file=text, width=80, force_terminal=True))
    for process in ('fleet-1', 'fleet-2'):
        bar.take(process, '60 of 60 robots electing')
    before = text.getvalue()
    bar.take('fleet-1', '50 of 60 robots created')
    assert text.getvalue() == before
