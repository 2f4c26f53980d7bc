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

"""Observations of three robots without faults, which tests change."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from leader_election.swarm.doctor.observations import (
    Endpoint,
    HeardMessage,
    Observations,
    ODOMETRY,
    OdometryReading,
    RobotReport,
    Symptom,
)
import pytest

NAMES = ('alice', 'bob', 'carol')
IDS = dict(zip(NAMES, (1, 2, 3)))
BOB = ('bob',)
SECONDS = 10
AIR = '/neighbourhood'


def payload(robot_id: int, x: float = 0.0, frame: str = 'map', more: str = '') -> str:
    place = f',"p":[{x or 2.0 * robot_id},1.0]'
    return f'{{"v":1,"id":{robot_id},"frame":"{frame}"{more}{place},"c":[-3.0,1.0,3,1]}}'


def said(robot_id: int, **of_it: Any) -> list[HeardMessage]:
    """Return a message a second."""
    return [HeardMessage(t + 0.1 * robot_id, payload(robot_id, **of_it), AIR, 0.001)
            for t in range(SECONDS)]


def node(robot: str) -> str:
    return f'/{robot}/election_node'


def wiring(robot: str, radio_topic: str = AIR) -> list[Endpoint]:
    """Return the endpoints of a robot's node and of its driver."""
    own, driver = node(robot), f'/{robot}/driver'
    return [
        Endpoint(f'/{robot}/is_leader', 'std_msgs/msg/Bool', True, own, True, True),
        Endpoint(radio_topic, 'std_msgs/msg/String', True, own),
        Endpoint(radio_topic, 'std_msgs/msg/String', False, own),
        Endpoint(f'/{robot}/odom', ODOMETRY, False, own),
        Endpoint(f'/{robot}/odom', ODOMETRY, True, driver, True)]


def readings(count: int = 10 * SECONDS, delay: float = 0.01,
             until: float = SECONDS) -> list[OdometryReading]:
    """Return evenly spaced readings up to a time."""
    times = [until * (k + 1) / count for k in range(count)]
    return [OdometryReading(t, delay) for t in times]


def statuses(robot: str, robot_id: int, level: int = 0, message: str = 'leads',
             **growing: int) -> list[RobotReport]:
    """Return a robot's reports, one a second. Counters grow by so much each time."""
    counts = {'messages_heard': 2, 'rounds': 1, **growing}
    return [RobotReport(t + 0.05, robot, robot_id, level, message,
                        {name: str(7 + by * t) for name, by in counts.items()})
            for t in range(SECONDS)]


def healthy(**changes: Any) -> Observations:
    """Return observations of three robots that hear each other, but for changes."""
    swarm = Observations(
        float(SECONDS), float(SECONDS),
        sorted(heard for i in IDS.values() for heard in said(i)),
        {f'/{name}/odom': readings() for name in NAMES},
        [status for name, i in IDS.items() for status in statuses(name, i)],
        [endpoint for name in NAMES for endpoint in wiring(name)])
    return replace(swarm, **changes)


def without(robot_id: int) -> list[HeardMessage]:
    """Return the messages of the others."""
    return sorted(heard for i in IDS.values() if i != robot_id for heard in said(i))


def rewired(robot: str, *endpoints: Endpoint) -> list[Endpoint]:
    """Return the wiring with that of one robot another one."""
    return [e for name in NAMES if name != robot for e in wiring(name)] + list(endpoints)


def told(robot: str, *others: RobotReport) -> list[RobotReport]:
    """Return the reports of all robots, those of one replaced."""
    return [s for name, i in IDS.items() if name != robot for s in statuses(name, i)] + [*others]


def saying(**values: str) -> list[RobotReport]:
    """Return the reports of all robots, with these values beside."""
    return [report._replace(values={**report.values, **values})
            for report in healthy().diagnostics]


def signs(look: Callable[[Observations], Any], **changes: Any) -> list[tuple[Sequence[str], str]]:
    """Return subjects and texts of the symptoms that a check finds."""
    found: list[Symptom] = list(look(healthy(**changes)))
    return [(sign.subjects, sign.what) for sign in found]


def symptoms(cases: dict[str, tuple[Any, dict[str, Any], list[Any]]]) -> Any:
    """Return a mark for tests of cases: a check, changes of a healthy swarm, what is found."""
    return pytest.mark.parametrize(('check', 'changes', 'found'), cases.values(), ids=cases)
