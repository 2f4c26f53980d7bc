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

"""What a robot says of itself on ``/diagnostics``."""

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from leader_election.robot.codec import MAIN
from leader_election.robot.robot import ODOMETRY_REJECTED, ODOMETRY_WITHOUT_TRANSFORM, Robot


def status(robot: Robot, name: str, now: float) -> DiagnosticStatus:
    """Return the state of a robot in one line, its level by the worst of it, and all counts."""
    level, text = _summary(robot, now)
    numbers = {
        'leader': robot.state.leader,
        'distance': f'{robot.state.distance:.3f}',
        'strength': f'{robot.strength.announced:g}',
        'neighbours': len(robot.neighbours),
        'senders_expired': robot.mailbox.expired,
        'strength_rejected': robot.strength.rejected,
        **robot.counts,
        **_regions(robot),
    }
    return DiagnosticStatus(
        level=level, name=name, message=text, hardware_id=f'robot {robot.parameters.robot_id}',
        values=[KeyValue(key=key, value=str(value)) for key, value in numbers.items()])


def _summary(robot: Robot, now: float) -> tuple[bytes, str]:
    twin = robot.twin_heard
    if twin is not None and now - twin <= robot.parameters.message_expiry:
        return DiagnosticStatus.ERROR, (
            f'another robot goes by id {robot.parameters.robot_id}: give each its own robot_id')
    if robot.positions_matter() and robot.locate(now) is None:
        return DiagnosticStatus.WARN, f'{_odometry(robot, now)}: no position is announced'
    for instance in robot.instances.values():
        if instance.strength_missing:
            return DiagnosticStatus.WARN, (
                f'strength source {instance.source.name} is silent: the parameter strength holds')
        for duty in instance.duties:
            if duty.trouble:
                last = duty.trouble.strip().splitlines()[-1]
                return DiagnosticStatus.WARN, f'task {duty.name} fails: {last}'
    if robot.leads:
        return DiagnosticStatus.OK, 'leads'
    if robot.state.leader == robot.parameters.robot_id:
        return DiagnosticStatus.OK, 'has no leader yet'
    return DiagnosticStatus.OK, f'follows {robot.state.leader} at {robot.main.distance:.1f} m'


def _regions(robot: Robot) -> dict[str, object]:
    """Return what is to say of each instance beyond elections, and of all but the first."""
    numbers: dict[str, object] = {}
    for name, instance in robot.instances.items():
        start = '' if name == MAIN else f'{name}.'
        numbers[f'{start}role'] = instance.role
        if name != MAIN:
            numbers[f'{start}leader'] = instance.state.leader
            numbers[f'{start}distance'] = f'{instance.distance:.3f}'
        if instance.region is not None:
            numbers[f'{start}members'] = f'{instance.region.summary[0]:g}'
            numbers[f'{start}radius'] = f'{instance.radius:g}'
            numbers |= {start + count: n for count, n in instance.counts.items()}
        for duty in instance.duties:
            numbers[f'{start}{duty.name}.errors'] = duty.errors
            if duty.trouble and not duty.told:
                # Once; it is long.
                duty.told = True
                numbers[f'{start}{duty.name}.traceback'] = duty.trouble
    return numbers


def _odometry(robot: Robot, now: float) -> str:
    """Say what is wrong with odometry."""
    age = robot.odometry_age(now)
    if age is not None:
        return f'odometry is {age:.1f} s old'
    if robot.counts[ODOMETRY_WITHOUT_TRANSFORM]:
        return f'no transform from the frame of odometry to {robot.parameters.frame}'
    if robot.counts[ODOMETRY_REJECTED]:
        return 'odometry says what no place can be'
    return 'no odometry yet'
