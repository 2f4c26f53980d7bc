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

"""Mandates without one of their rules: each rule, the mutation of the code, what finds it."""

from pathlib import Path
import sys
from types import ModuleType
from typing import Any, NamedTuple

from leader_election.election.mandates import mandates

_SOURCE = Path(mandates.__file__).read_text(encoding='utf-8')


class Mutation(NamedTuple):
    """A rule, and code that violates it."""

    rule: str
    found_by: str
    """``explicit``, ``adversary``, ``handover``, or the name of a test of :mod:`test_mandates`."""
    replaced: tuple[tuple[str, str], ...]
    """Pieces of the code, and what stands in their place."""

    def mandates(self) -> type[Any]:
        """Return the class with the mutation."""
        source = _SOURCE
        for old, new in self.replaced:
            assert old in source, old
            source = source.replace(old, new)
        module = ModuleType('mutated_mandates')
        sys.modules[module.__name__] = module
        exec(compile(source, mandates.__file__, 'exec'), module.__dict__)  # noqa: S102
        kind: type[Any] = module.Mandates
        return kind


def _one(rule: str, found_by: str, old: str, new: str) -> Mutation:
    return Mutation(rule, found_by, ((old, new),))


MUTATIONS = (
    # What a robot promises.
    Mutation('mandates end before promises, by whichever clocks', 'explicit', (
        ('self.settings.promise', 'self.settings.duration'),
        ('self.settings.mandate', 'self.settings.duration'))),
    _one('a restarted robot is silent', 'explicit',
         ' or now - self._lag() < self.silent_until', ''),
    _one('a bound robot grants no other leader', 'explicit',
         ' or (promise is not None and promise.leader != leader)', ''),
    _one('a robot grants only beats above all that it has granted', 'explicit',
         'or beat <= self.highest', 'or beat == NO_BEAT'),
    _one('a newer beat prolongs the promise', 'adversary',
         'Promise(leader, first, beat, now - self._lag() + self.settings.promise)',
         'Promise(leader, first, beat, promise.until if promise else '
         'now - self._lag() + self.settings.promise)'),
    _one('a grant names a beat of the leader that it is for',
         'test_robot_grants_beats_of_its_own_leader',
         'if heard.leader == follows.leader), default', '), default'),
    _one('a grant names the leader of the promise', 'adversary',
         'promise is not None and promise.leader == follows.leader', 'promise is not None'),
    # What a leader counts.
    _one('a mandate lasts from its beat on', 'explicit',
         'until, held = made + self', 'until, held = now + self'),
    _one('only beats of the present leadership count', 'explicit',
         'self.held, self._beats, self._void = {}, {}, {}', 'self.held, self._void = {}, {}'),
    _one('a leader that stops leading drops its mandates', 'explicit',
         'self.held, self._beats, self._void = {}, {}, {}', 'self._beats, self._void = {}, {}'),
    _one('only grants to this leader count', 'explicit',
         'if heard.leader == self._id:\n                self._count', 'if True:\n'
         '                self._count'),
    _one('only grants to the same leader are passed on', 'explicit',
         'if heard.leader == follows.leader and heard.distance > follows.distance:',
         'if heard.distance > follows.distance:'),
    _one('the term of a mandate that has lapsed is not the one of the next',
         'test_mandate_that_has_lapsed_begins_anew',
         'if held is None or now >= held.until:', 'if held is None:'),
    _one('beats are above all numbers heard', 'handover',
         'self.number = max(self.number, heard.part.number)', 'pass'),
    # Releases.
    _one('a notice ends the mandate', 'explicit', 'del self.held[notice.member]', 'pass'),
    _one('grants up to the notice do not count afterwards', 'explicit',
         'self._void[notice.member] = max(', '_ = max('),
    _one('a release is for grants up to its beat', 'explicit',
         'and notice.beat >= promise.last for notice', 'for notice'),
    _one('a release is for one member', 'explicit',
         '(notice.member, notice.leader) == (self._id, promise.leader)',
         'notice.leader == promise.leader'),
    _one('a release is from one leader',
         'test_release_of_another_leader_does_not_count',
         '(notice.member, notice.leader) == (self._id, promise.leader)',
         'notice.member == self._id'),
    _one('a leader that follows another one releases beats up to its number', 'explicit',
         '\n                      and heard.part.number >= promise.last)', ')'),
    _one('a started leader answers no notice',
         'test_restarted_leader_releases_nobody_for_the_time_of_a_promise',
         'if now - self._lag() >= self.silent_until:\n', 'if True:\n'),
    _one('a started leader that follows another one releases nobody',
         'test_restarted_leader_releases_nobody_for_the_time_of_a_promise',
         'and heard.sender in heard.part.grants', ''),
    # A quorum.
    Mutation('a quorum is more than half', 'explicit', (
        ('ends[len(roster) // 2]) if len(ends) > len(roster) // 2',
         'ends[-1]) if len(ends) >= max(1, len(roster) // 2)'),
        ('needed = len(self.settings.roster) // 2 + 1',
         'needed = max(1, len(self.settings.roster) // 2)'))),
    _one('a quorum has granted its term, and renewed it since', 'explicit',
         'if held.first <= term <= held.last)', ')'),
    # Nobody waits without need.
    _one('beats are passed on', 'handover', 'if heard.leader == follows.leader), default=NO_BEAT)',
         'if heard.sender == follows.leader), default=NO_BEAT)'),
    _one('grants are passed on', 'handover',
         'if member != self._id and beat > grants.get(member, NO_BEAT):', 'if False:'),
    _one('a robot that has changed its leader says so', 'handover',
         '_keep(leaving, Notice(self._id, promise.leader, promise.last))', 'pass'),
    _one('notices are passed on', 'handover',
         'elif notice.leader in near and self._takes(notice, heard):', 'elif False:'),
    _one('notices are answered', 'handover',
         '_keep(released, notice)\n                elif', 'pass\n                elif'),
    _one('answers are passed on', 'handover',
         'if notice[:2] in carried and notice.member != self._id:', 'if False:'),
    _one('a leader that follows another one is free itself',
         'test_leader_that_steps_down_is_free_itself',
         'if promise is not None and promise.leader == self._id:', 'if False:'),
    _one('a leader that follows another one releases who hears it',
         'test_leader_that_steps_down_releases_its_members',
         'if steps_down or any(', 'if any('),
)
