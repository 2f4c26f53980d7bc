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

"""
The statuses of a robot on ``/diagnostics``: one for each concern, with its own level.

Names are ``<namespace>: <concern>``, as those of diagnostic_updater, and the hardware id is the
robot's, so that an aggregator can group them (``config/diagnostics.yaml``).
"""

from collections.abc import Mapping
from typing import Any, TYPE_CHECKING

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from leader_election.election.messages.codec import MAIN
from leader_election.election.messages.localisation_codec import SIGHTINGS_LEFT_OUT
from leader_election.election.messages.swarm_key import fingerprint
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.reasons import list_of
from leader_election.election.robot.reception import NeighbourhoodWatch, ROUNDS
from leader_election.election.robot.robot import LEADER_CHANGES, ODOMETRY_WITHOUT_TRANSFORM, Robot
from leader_election.election.robot.sensing import ODOMETRY_REJECTED, SENSING_COUNTERS
from leader_election.localisation.parameters import GIVEN, POSE, TRANSFORM
from leader_election.ros.nodes.qos import EVENTS
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.qos import qos_check_compatible, qos_policy_name_from_kind, QoSCompatibility, QoSProfile

if TYPE_CHECKING:
    from leader_election.ros.nodes.election import Election

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR
OF_ELECTION = (ROUNDS, LEADER_CHANGES)
OF_ODOMETRY = (*SENSING_COUNTERS, ODOMETRY_WITHOUT_TRANSFORM)
"""The counters of these concerns. All others belong to the neighbourhood."""
SETTINGS = (vocabulary.COMMUNICATION_RANGE, vocabulary.MESSAGE_EXPIRY, vocabulary.ROUND_PERIOD)
"""Published parameters, on which robots have to agree."""
Concern = tuple[bytes, str, dict[str, Any]]
"""Level, message and values."""


class DiagnosticsPublisher:
    """
    Publishes the statuses of a robot on ``/diagnostics``, for subscribers only.

    :ivar events: the callbacks of the subscription to ``neighbourhood``, which report publishers
        that are not heard.
    """

    def __init__(self, host: 'Election') -> None:
        """Create the publisher."""
        node = host.node
        self._node, self._robot, self._name = node, host.robot, host.name
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', EVENTS)
        self._watch = NeighbourhoodWatch()
        self._topic = node.resolve_topic_name('neighbourhood')
        self._has_unheard = False
        self.events = SubscriptionEventCallbacks(incompatible_qos=self._report)

    def _report(self, event: Any) -> None:
        if not self._has_unheard:
            self._has_unheard = True
            policy = qos_policy_name_from_kind(event.last_policy_kind)
            self._node.get_logger().warning(
                f'a publisher on {self._topic} offers less than is requested ({policy}): nothing '
                f'is received from it; see qos_overrides.{self._topic}.subscription')

    def _unheard(self, profile: QoSProfile) -> list[str]:
        """Return the other nodes from which a subscription with a profile receives nothing."""
        # The graph is only searched while there are some: that is slow in a large swarm.
        nodes = {
            f'{found.node_namespace.rstrip("/")}/{found.node_name}'
            for found in self._node.get_publishers_info_by_topic(self._topic)
            if qos_check_compatible(found.qos_profile, profile)[0] == QoSCompatibility.ERROR
        } if self._has_unheard else set()
        found = sorted(nodes - {self._node.get_fully_qualified_name()})
        self._has_unheard = bool(found)
        return found

    def publish(self, now: float, hearing: QoSProfile) -> None:
        """
        Publish the statuses. The watches compare with the previous call.

        :param now: the time on the robot's clock [s].
        :param hearing: the profile of the subscription to ``neighbourhood``.
        """
        robot, heeded = self._robot, self._publisher.get_subscription_count() > 0
        refused = self._watch.fault(robot.counts, robot.parameters.message_expiry, now)
        mislocated = ''
        if heeded or robot.sensing.source.cooperates:
            mislocated = robot.sensing.source.fault(now, robot.doubt(now))
        if not heeded:
            return
        unheard = ', '.join(self._unheard(hearing))
        if unheard:
            refused = f'nothing is received from {unheard}, {vocabulary.QOS_FAULT}'
        self._send(statuses(robot, self._name, now, refused, mislocated))

    def publish_change(self, now: float) -> None:
        """Publish the election at once, since its leader has changed."""
        if self._publisher.get_subscription_count() > 0:
            self._send(_as_statuses(self._robot, self._name, {
                vocabulary.ELECTION: _election(self._robot, now)}))

    def _send(self, found: list[DiagnosticStatus]) -> None:
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.status = found
        self._publisher.publish(message)


def statuses(robot: Robot, name: str, now: float, neighbourhood_fault: str = '',
             localisation_fault: str = '') -> list[DiagnosticStatus]:
    """
    Return a status for each concern: election, odometry, localisation, neighbourhood, and others.

    :param name: the prefix of the statuses' names.
    :param now: the time on the robot's clock [s].
    :param neighbourhood_fault: the text on a fault of the neighbourhood, empty for none.
    :param localisation_fault: the text on a fault of the localisation, empty for none.
    """
    concerns = {vocabulary.ELECTION: _election(robot, now),
                vocabulary.ODOMETRY: _odometry_status(robot, now),
                vocabulary.LOCALISATION: _localisation(robot, localisation_fault, now),
                vocabulary.NEIGHBOURHOOD: _neighbourhood(robot, neighbourhood_fault)}
    concerns |= _of_parts(robot)
    if robot.authentication.keys:
        concerns[vocabulary.KEY] = _key(robot)
    return _as_statuses(robot, name, concerns)


def _as_statuses(robot: Robot, name: str,
                 concerns: Mapping[str, Concern]) -> list[DiagnosticStatus]:
    return [DiagnosticStatus(
        level=level, name=vocabulary.status_name(name, concern), message=text,
        hardware_id=vocabulary.hardware_id(robot.parameters.robot_id),
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])
        for concern, (level, text, values) in concerns.items()]


def _election(robot: Robot, now: float) -> Concern:
    values: dict[str, Any] = {vocabulary.STRENGTH: f'{robot.main.strength.announced:g}',
                              'strength_rejected': robot.main.strength.rejected}
    for name, instance in robot.instances.items():
        of_instance = {
            vocabulary.LEADER: instance.leader, vocabulary.ROLE: instance.role,
            vocabulary.DISTANCE: f'{instance.distance:.3f}',
            vocabulary.RADIUS: f'{instance.radius:g}',
            vocabulary.RADIUS_HYSTERESIS: f'{instance.parameters.radius_hysteresis:g}',
            vocabulary.STRENGTH_LIMITS: vocabulary.list_text(instance.strength.limits),
            vocabulary.HOP_LIMIT: instance.hop_limit,
            vocabulary.REASON: instance.watch.change.reason.value,
            vocabulary.BECAUSE: instance.watch.change.because,
            vocabulary.BEFORE: instance.watch.change.before,
            vocabulary.CANDIDACIES: list_of(instance.candidacies()),
            **({vocabulary.HOPS: instance.state.hops} if hasattr(instance.state, 'hops') else {}),
            **{key: value for part in instance.parts.values()
               for key, value in part.settings_shown().items()},
            **{f'state.{field}': value for field, value in vocabulary.own_fields(
                instance.algorithm, instance.state).items()}}
        values |= {vocabulary.key_of(key, name): value for key, value in of_instance.items()}
    values |= {name: robot.counts[name] for name in OF_ELECTION}
    duplicate = robot.reception.duplicate
    if duplicate is not None and now - duplicate <= robot.parameters.message_expiry:
        return ERROR, (f'{vocabulary.DUPLICATE_ID} {robot.parameters.robot_id}: give each its own '
                       'robot_id'), values
    for instance in robot.instances.values():
        if instance.strength.excess is not None:
            return WARN, (f'strength source {instance.source.name} gave '
                          f'{instance.strength.excess:g}, beyond strength_limits '
                          f'{vocabulary.list_text(instance.strength.limits)}'), values
        if instance.strength_missing:
            state = 'does not know its value' if instance.strength.unknown else 'is silent'
            return WARN, (f'strength source {instance.source.name} {state}: the parameter '
                          'strength holds'), values
        for part in instance.parts.values():
            if warning := part.warning(instance.leads, now):
                return WARN, warning, values
    return OK, vocabulary.leadership_text(robot.main), values


def _odometry_status(robot: Robot, now: float) -> Concern:
    values: dict[str, Any] = {name: robot.counts[name] for name in OF_ODOMETRY}
    values |= {'odometry_needed': robot.sensing.positions_matter,
               'odometry_expiry': f'{robot.parameters.odometry_expiry:g}'}
    if robot.sensing.locate(now) is not None:
        return OK, 'arrives', values
    if not robot.sensing.positions_matter:
        return OK, 'is not needed', values
    return WARN, f'{_odometry_fault(robot, now)}: {vocabulary.NO_POSITION_ANNOUNCED}', values


def _localisation(robot: Robot, fault: str, now: float) -> Concern:
    source = robot.sensing.source
    values = source.values(now)
    if source.cooperates:
        values[vocabulary.LEADER_DOUBT] = f'{robot.doubt(now):.3f}'
    values |= {name: robot.counts[name] for name in _of_localisation(robot)}
    return WARN if fault else OK, fault or source.text(now), values


def _of_localisation(robot: Robot) -> tuple[str, ...]:
    """Return the counters of localisation."""
    return *robot.sensing.source.COUNTERS, SIGHTINGS_LEFT_OUT


def _neighbourhood(robot: Robot, fault: str) -> Concern:
    elsewhere = (*OF_ELECTION, *OF_ODOMETRY, *_of_localisation(robot))
    values = {vocabulary.NEIGHBOURS: len(robot.neighbours),
              vocabulary.METRIC: robot.parameters.metric,
              **{name: f'{getattr(robot.parameters, name):g}' for name in SETTINGS},
              'senders_expired': robot.mailbox.expired,
              **{name: number for name, number in robot.counts.items() if name not in elsewhere}}
    text = f'neighbours: {len(robot.neighbours)}'
    return (WARN, f'{text}; {fault}', values) if fault else (OK, text, values)


def _key(robot: Robot) -> Concern:
    """Return the status of the swarm key. Keys are shown by their fingerprints."""
    authentication = robot.authentication
    prints = [fingerprint(key) for key in authentication.keys]
    values = {vocabulary.SWARM_KEY: prints[0], vocabulary.KEYS_ACCEPTED: ', '.join(prints),
              vocabulary.ACCEPT_UNVERIFIED: authentication.accept_unverified}
    if authentication.file_error:
        return WARN, authentication.file_error, values
    return OK, f'signs with {prints[0]}', values


def _of_parts(robot: Robot) -> dict[str, Concern]:
    """Return the concerns of parts, by their names: each of all instances together."""
    found: dict[str, Concern] = {}
    for instance in robot.instances.values():
        for name, part in instance.parts.items():
            concern = part.concern()
            if concern is None:
                continue
            fault, text, values = concern
            start = '' if instance.name == MAIN else f'{instance.name}.'
            level, before, others = found.get(name, (OK, text, {}))
            if fault and level == OK:
                level, before = WARN, fault
            found[name] = level, before, {**others, **{start + k: v for k, v in values.items()}}
    return found


def _odometry_fault(robot: Robot, now: float) -> str:
    """Return the reason why there is no position."""
    age = robot.sensing.odometry_age(now)
    if age is not None:
        what = 'the pose' if robot.parameters.pose_source in GIVEN else 'odometry'
        return f'{what} is {age:.1f} s old'
    if robot.counts[ODOMETRY_WITHOUT_TRANSFORM]:
        what = 'pose' if robot.parameters.pose_source == POSE else 'transform'
        return f'no {what} from the frame of odometry to {robot.parameters.frame}'
    if robot.sensing.has_no_heading:
        return 'the orientation of odometry is missing (a quaternion of zeros)'
    if robot.counts[ODOMETRY_REJECTED]:
        return 'odometry says what no place can be'
    if robot.parameters.pose_source == TRANSFORM:
        return (f'no odometry, and no transform from {robot.parameters.base_frame} to '
                f'{robot.parameters.frame}')
    return 'no odometry yet'
