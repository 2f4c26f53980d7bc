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

"""The schedule of faults: a sequence of changes, drawn from one seed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
import random
from typing import Any, NamedTuple

from leader_election.parameters import format_ids

KILL, START, PAUSE, GO_ON = 'kill', 'start', 'pause', 'go on'
RADIO, SPLIT, HEAL = 'radio', 'split', 'heal'
ODOMETRY, STRENGTH, CLOCK = 'odometry', 'strength', 'clock'
ATTACK, ATTACK_OVER = 'attack', 'attack over'

NO_TROUBLE: Mapping[str, Any] = {
    'radio_loss': 0.0, 'radio_delay': 0.0, 'radio_jitter': 0.0, 'radio_duplication': 0.0}
"""The settings of a radio that loses and delays nothing."""
MOST_LOSS = 0.6
MOST_DELAY = 0.3
"""The greatest ``radio_delay`` and ``radio_jitter`` [s]."""
ATTACK_LASTS = 4.0
"""[s]"""
LEAPS = (30.0, 1e6, -3.0)
"""How far the clock leaps [s]."""


@dataclass(frozen=True)
class Change:
    """One change: the beginning of a fault, or the end of a lasting one."""

    kind: str
    text: str
    """For the report."""
    process: str = ''
    """The process concerned, empty for none."""
    robots: tuple[int, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the embedded world or of the robots; of a clock ``leap``, of an attack
    ``name``."""
    judged: bool = True
    """Whether the swarm has to recover from it."""
    extra: float = 0.0
    """The addition of this change to the bound on recovery [s]."""
    lasts: float = 0.0
    """The least time to the next change [s]."""

    @property
    def label(self) -> str:
        """Return the kind, with the name of an attack."""
        name = self.settings.get('name')
        return f'{self.kind}: {name}' if name else self.kind


class Plan(NamedTuple):
    """The schedule's data about the swarm."""

    hosts: Mapping[str, tuple[int, ...]]
    """
    The robots of each process at the start. Those with one robot may be killed.

    They are in the order of their strength, the strongest first.
    """
    joining: Mapping[str, tuple[int, ...]]
    attacks: Sequence[str]
    slot: float
    """The time from most changes to the next: enough to recover [s]."""
    expiry: float
    """``message_expiry`` of the robots [s]."""
    odometry_expiry: float
    """``odometry_expiry`` of the robots [s]."""
    simulated_clock: bool = False


class Schedule:
    """Makes a sequence of faults, and tracks the state after them."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self._plan = plan
        self._draw = random.Random(seed)
        self._hosts = {**plan.hosts, **plan.joining}
        self._living = set(plan.hosts)
        self._dead: list[str] = []
        self._joining = list(plan.joining)
        self._attacks: list[str] = []
        self._troubled = False

    def faults(self) -> Iterator[tuple[Change, ...]]:
        """
        Yield faults without end: the beginning of each, and the end of a lasting one.

        The caller has to make all faults up to the last one that it takes.
        """
        kinds = [self._kill, self._kill, self._restart, self._restart, self._pause, self._join,
                 self._split, self._trouble, self._no_trouble, self._odometry_silence,
                 self._odometry_jump, self._strength, self._attack, self._attack, self._attack]
        if self._plan.simulated_clock:
            kinds.append(self._leap)
        while True:
            # Each kind in each round, in a new order.
            for kind in self._draw.sample(kinds, len(kinds)):
                fault = tuple(kind())
                if fault:
                    yield fault

    def calm(self) -> Iterator[Change]:
        """Yield the ends of all lasting faults: of the radio, deaths, absences."""
        yield self._new_radio()
        for name in self._dead:
            yield self._start(name, 'starts again', judged=False, lasts=0.0)
        for name in self._joining:
            yield self._start(name, 'joins', judged=False, lasts=0.0)

    def _change(self, kind: str, text: str, **more: Any) -> Change:
        return Change(kind, text, **{'lasts': self._plan.slot, **more})

    def _kill(self) -> Iterator[Change]:
        alone = [name for name, robots in self._hosts.items()
                 if name in self._living and len(robots) == 1]
        if len(alone) > 1:
            # In half of the cases the strongest, which leads.
            name = alone[0] if self._draw.random() < 0.5 else self._draw.choice(alone)
            self._living.discard(name)
            self._dead.append(name)
            yield self._change(KILL, f'{name} is killed', process=name, robots=self._hosts[name])

    def _restart(self) -> Iterator[Change]:
        if self._dead:
            yield self._start(self._dead.pop(0), 'starts again')

    def _join(self) -> Iterator[Change]:
        if self._joining:
            yield self._start(self._joining.pop(0), 'joins')

    def _start(self, name: str, text: str, **more: Any) -> Change:
        self._living.add(name)
        return self._change(
            START, f'{name} {text}', process=name, robots=self._hosts[name], **more)

    def _pause(self) -> Iterator[Change]:
        name = self._draw.choice(sorted(self._living))
        of_it = {'process': name, 'robots': self._hosts[name]}
        yield self._change(PAUSE, f'{name} is stopped', **of_it)
        yield self._change(GO_ON, f'{name} goes on', **of_it)

    def _split(self) -> Iterator[Change]:
        robots = sorted(robot for ids in self._hosts.values() for robot in ids)
        some = tuple(sorted(self._draw.sample(robots, self._draw.randint(1, len(robots) // 2))))
        if self._draw.random() < 0.5:
            # In half of the cases a cut through the arena: ids follow the rows of the layout.
            some = tuple(robots[:len(some)])
        text = f'{len(some)} of {len(robots)} robots are on another channel'
        yield self._change(SPLIT, text, settings={'radio_groups': format_ids(some)}, robots=some)
        yield self._change(HEAL, 'all are on one channel', settings={'radio_groups': ''})

    def _trouble(self) -> Iterator[Change]:
        def up_to(most: float) -> float:
            return round(self._draw.uniform(0.0, most), 3)

        self._troubled = True
        settings = {'radio_loss': up_to(MOST_LOSS), 'radio_delay': up_to(MOST_DELAY),
                    'radio_jitter': up_to(MOST_DELAY), 'radio_duplication': up_to(0.5)}
        yield self._change(RADIO, 'radio: ' + ', '.join(
            f'{name.removeprefix("radio_")} {value:g}' for name, value in settings.items()),
            settings=settings)

    def _no_trouble(self) -> Iterator[Change]:
        if self._troubled:
            yield self._new_radio()

    def _new_radio(self) -> Change:
        self._troubled = False
        return self._change(RADIO, 'the radio is as good as new', settings=NO_TROUBLE)

    def _odometry_silence(self) -> Iterator[Change]:
        return self._odometry('odom_silent', 'no odometry on')

    def _odometry_jump(self) -> Iterator[Change]:
        return self._odometry('odom_shifted', 'odometry is far off on')

    def _odometry(self, name: str, text: str) -> Iterator[Change]:
        living = sorted(robot for host in self._living for robot in self._hosts[host])
        robots = tuple(sorted(self._draw.sample(living, min(3, len(living)))))
        # A robot trusts its last odometry until it expires, and others its last message.
        extra = self._plan.odometry_expiry + self._plan.expiry
        of_it = {'robots': robots, 'extra': extra, 'lasts': self._plan.slot + extra}
        which = format_ids(robots)
        yield self._change(ODOMETRY, f'{text} {which}', settings={name: which}, **of_it)
        yield self._change(ODOMETRY, f'odometry is right again on {which}', settings={name: ''},
                           **of_it)

    def _strength(self) -> Iterator[Change]:
        robot = self._draw.choice(self._hosts[self._draw.choice(sorted(self._living))])
        value = round(self._draw.uniform(-1.0, 2.0), 3)
        yield self._change(STRENGTH, f'robot {robot} has strength {value:g}', robots=(robot,),
                           settings={'strength': value})

    def _leap(self) -> Iterator[Change]:
        leap = self._draw.choice(LEAPS)
        # After a clock was set back, received messages are valid for one more expiry.
        yield self._change(CLOCK, f'the clock leaps by {leap:+g} s', settings={'leap': leap},
                           extra=self._plan.expiry, lasts=self._plan.slot + self._plan.expiry)

    def _attack(self) -> Iterator[Change]:
        if not self._attacks:
            self._attacks = self._draw.sample(list(self._plan.attacks), len(self._plan.attacks))
        name = self._attacks.pop()
        of_it = {'settings': {'name': name}, 'robots': self._hosts[
            self._draw.choice(sorted(self._living))][:1]}
        yield self._change(ATTACK, f'attack: {name}', judged=False, **of_it, lasts=ATTACK_LASTS)
        yield self._change(ATTACK_OVER, f'end of {name}', **of_it)
