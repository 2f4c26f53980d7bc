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

"""The mandates of a robot as a part of an instance."""

from typing import Any

from leader_election.election.mandates.mandates import (
    Follows,
    MandatePart,
    Mandates,
    NeighbourPart,
    NO_ONE,
)
from leader_election.election.part import Elected, Part, PartSetup

ACTING, ACTING_UNTIL, TERM = 'acting', 'acting_until', 'term'
ACTS_OVER, ACTS_UNTIL = 'acts_over', 'acts_until'
MANDATE_OF, MANDATE_TERM = 'mandate_of', 'mandate_term'
"""The names of values on the topic ``leadership``."""
TOO_FEW = 'takes more than half'
"""The end of the warning of a leader without a quorum."""


class MandatesOfRobot(Part):
    """
    Receives and sends grants and beats, and reports over which robots a leader may act.

    :ivar mandates: the mandates themselves.
    :ivar left_out: the number of members whose grants the last message had no room for.
    """

    name = 'mandates'

    def __init__(self, setup: PartSetup) -> None:
        self.mandates = Mandates(
            setup.robot_id, setup.parameters.mandate_settings, setup.first_number, setup.tool)
        self.left_out = 0

    def read(self, sender: int, export: Any, sent: MandatePart | None, missed: int,
             ) -> tuple[NeighbourPart | None, str | None]:
        """Return the part about mandates of a neighbour."""
        return (None if sent is None
                else NeighbourPart(sender, export.leader, export.distance, sent)), None

    def process(self, sender: int, export: Any, sent: MandatePart, now: float) -> bool:
        """Process grants and notices at their receipt; return whether they ask for a round."""
        news = self.mandates.hear(NeighbourPart(sender, export.leader, export.distance, sent), now)
        self.is_news = self.mandates.news
        return news

    def round(self, elected: Elected) -> None:  # noqa: A003
        """Renew the mandates."""
        self.mandates.round(
            Follows(elected.leader, float(elected.state.distance), elected.leads,
                    not elected.is_relay),
            filter(None, elected.view.read[self.name]), elected.now)
        self.is_news = False

    def sent(self) -> MandatePart:
        """Return the part of the next message."""
        return self.mandates.part

    def was_sent(self, sent: MandatePart | None) -> None:
        """Count the grants that the message had no room for."""
        self.left_out = len(self.mandates.part.grants) - (0 if sent is None else len(sent.grants))

    def leadership(self, stamp: float, now: float | None, active: bool) -> dict[str, str]:
        """Return over which robots the leader may act, and until when."""
        mandates = self.mandates
        now = mandates.time if now is None else now
        acting, bound = (mandates.acting(now) if active else None), mandates.bound(now)
        over = mandates.over(now) if active else {}
        return {
            ACTING: str(acting is not None).lower(),
            ACTING_UNTIL: '' if acting is None else f'{stamp + acting.until - now:.6f}',
            TERM: '' if acting is None else str(acting.term),
            ACTS_OVER: ','.join(map(str, sorted(over))),
            ACTS_UNTIL: ','.join(f'{stamp + over[robot].until - now:.6f}'
                                 for robot in sorted(over)),
            MANDATE_OF: str(NO_ONE if bound is None else bound.leader),
            MANDATE_TERM: '' if bound is None else str(bound.first),
        }

    def status(self) -> int | None:
        """Return the term under which the robot acts as a leader; ``None``: it does not."""
        acting = self.mandates.acting(self.mandates.time)
        return None if acting is None else acting.term

    def events(self, before: int | None, after: int | None) -> list[dict[str, Any]]:
        """Return the loss and the acquisition of mandates."""
        found: list[dict[str, Any]] = []
        if before != after and before is not None:
            found.append({'event': 'mandate_lost', 'term': before})
        if before != after and after is not None:
            found.append({'event': 'mandate_acquired', 'term': after})
        return found

    def warning(self, leads: bool, now: float) -> str:
        """Return why a leader may not act, or which members are under no mandate."""
        if leads and self.mandates.acting(now) is None:
            over, roster = self.mandates.over(now).keys(), self.mandates.settings.roster
            why = (f'acts over {len(over & roster)} of {len(roster)} robots of the roster, and '
                   f'{TOO_FEW}' if roster else 'has no mandate over itself yet')
            return f'leads, but {why}'
        if self.left_out:
            return (f'{self.left_out} members are under no mandate: the message with their '
                    'grants would be too long')
        return ''
