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

"""Compilation of an algorithm before its runs, and a message about it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Event
from time import monotonic

from leader_election.lab.scenario import Scenario
from leader_election.lab.simulate import simulate
from leader_election.lab.terminal import Progress
from numba.core import event


def compile_by_running(scenario: Scenario, label: str, progress: Progress) -> None:
    """Compile an algorithm by a short run, and report it unless the compiled code was cached."""
    began = monotonic()
    with compiling(lambda: progress.note(f'compiling {label} (once; it is kept) ...')) as started:
        simulate(replace(scenario, duration=scenario.measure.interval), label, 0)
    if started.is_set():
        progress.note(f'compiled {label} in {monotonic() - began:.1f} s')


@contextmanager
def compiling(notify: Callable[[], None]) -> Iterator[Event]:
    """
    Call a function once, as soon as numba begins to compile; loading from its cache is ignored.

    :return: an event that is set when compilation begins.
    """
    started = Event()

    class Listener(event.Listener):
        def on_start(self, event: event.Event) -> None:
            if not started.is_set():
                started.set()
                notify()

        def on_end(self, event: event.Event) -> None:
            pass

    with event.install_listener('numba:compile', Listener()):
        yield started
