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

"""The tours of the playground, from ``tours.yaml``: texts and changes, one after the other."""

from collections import deque
from importlib.resources import files
from typing import Any, NamedTuple

from leader_election.parameters import strict_yaml


class Step(NamedTuple):
    """A step of a tour."""

    text: str
    wait: float
    """The time until the next step [s]."""
    control: str = ''
    """As of :meth:`.Playground.do`; empty: nothing changes."""
    value: Any = None


TOURS = {title: tuple(Step(**step) for step in steps) for title, steps in strict_yaml.read(
    files('leader_election.ros.demo').joinpath('tours.yaml').read_text(encoding='utf-8')).items()}
"""All tours of a minute by title."""


class Guide:
    """
    Says which step of a tour is due.

    :param pace: 2: twice as fast.
    :ivar text: title and text of the present step; empty: there is none.

    >>> guide = Guide(pace=2.0)
    >>> guide.begin('Who may act')
    >>> guide.due(5.0).control, guide.due(5.1), guide.due(10.0).control
    ('radius', None, 'communication_range')
    """

    def __init__(self, pace: float = 1.0) -> None:
        self.text = ''
        self._pace, self._title, self._next = pace, '', 0.0
        self._steps: deque[Step] = deque()

    def begin(self, title: str) -> None:
        """Begin the tour with this title, in place of another; empty: none."""
        self._title, self._steps, self._next = title, deque(TOURS.get(title, ())), 0.0

    def due(self, now: float) -> Step | None:
        """Return the step that begins now [s], if one does."""
        if now < self._next:
            return None
        if not self._steps:
            self.text = ''
            return None
        step = self._steps.popleft()
        self.text, self._next = f'{self._title}: {step.text}', now + step.wait / self._pace
        return step
