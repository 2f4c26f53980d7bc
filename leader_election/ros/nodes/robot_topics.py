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
The topics of a robot: the interface of those of its parts, and its outputs.

Its state is latched and published on change, and all of it is in one message. The topics of the
first instance are in the robot's namespace, those of another instance in a
namespace with the name of that instance.

Where the package leader_election_msgs is installed, typed outputs say what ``leadership`` and
``region`` say, with numbers and times in place of texts. Between robots nothing has these types:
with some middlewares another definition of a type is a message that is dropped without a word.
"""

from collections.abc import Mapping
import json
import math
import os
from pathlib import Path
from typing import Any, TYPE_CHECKING

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Point32, PolygonStamped
from leader_election.election.mandates import parameters as mandates
from leader_election.election.mandates.part import lease_in, MANDATE_OF, MANDATE_TERM
from leader_election.election.messages.codec import Position
from leader_election.election.messages.wire import usual_namespace
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.instance import Instance
from leader_election.election.robot.reasons import NO_LEADER
from leader_election.election.robot.robot import Robot
from leader_election.parameters import ParameterError
from leader_election.parameters.files import expanded, write_durably
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.process import MissingInput
from leader_election.ros.nodes.qos import advertise, OUTPUT, PROMISES, repeated
from rclpy.node import Node
from std_msgs.msg import Bool, Float64, Header, Int64, Int64MultiArray, String

if TYPE_CHECKING:
    from leader_election.ros.nodes.election import Election

try:
    from leader_election_msgs.msg import Leadership, Mandate, Region
except ImportError:
    Leadership = Region = None


class PartTopics:
    """
    The topics of one part in all instances of a robot. A subclass overrides what it needs.

    :ivar host: connects the robot to its node.
    :ivar uses_heading: whether the part needs the heading of the robot.
    """

    uses_heading = False

    def __init__(self, host: 'Election') -> None:
        """Make the topics, before the robot."""
        self.host = host

    def tool(self, instance: str) -> Any:
        """Return the tool of the part of an instance (:class:`.PartSetup`)."""
        return None

    def attach(self, robot: Robot) -> None:
        """Create the topics that depend on the robot."""

    def publish(self) -> None:
        """Publish the result of a round."""

    def withdraw(self) -> None:
        """Publish that the robot takes part no more."""

    def missing(self) -> list[MissingInput]:
        """Return the missing inputs."""
        return []


class StatePublishers:
    """Publish the leader, role, distance and neighbours, and a leader's region."""

    def __init__(self, node: Node, robot: Robot, instance: Instance) -> None:
        self._node, self._robot, self._instance = node, robot, instance
        self._kinds: dict[str, Any] = {
            'leader': Int64, 'is_leader': Bool, 'role': String, 'distance': Float64,
            'neighbours': Int64MultiArray, 'region': PolygonStamped}
        prefix = robot.parameters.outputs_of(instance.name)
        self._publishers = {
            name: advertise(node, kind, prefix + name, OUTPUT, PROMISES[:1])
            for name, kind in self._kinds.items()}
        self._typed = Region and advertise(node, Region, f'{prefix}region/typed', OUTPUT, PROMISES)
        self._last: dict[str, Any] = {}

    def publish(self) -> None:
        """Publish the topics whose values have changed."""
        instance = self._instance
        self._send({
            'leader': instance.leader, 'is_leader': instance.leads, 'role': instance.role,
            'distance': instance.distance,
            'neighbours': [message.id for message in instance.view.messages]})
        self._send_region(*self._region() if instance.leads else ([], []))

    def withdraw(self) -> None:
        """Publish that the robot neither leads nor follows, if it has published otherwise."""
        if not self._last:
            return
        self._send({'leader': NO_LEADER, 'is_leader': False, 'role': vocabulary.INACTIVE,
                    'distance': math.inf, 'neighbours': []})
        self._send_region([], [])

    def _send(self, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            if name not in self._last or self._last[name] != value:
                self._last[name] = value
                self._publishers[name].publish(self._kinds[name](data=value))

    def _region(self) -> tuple[list[int], list[Position]]:
        """Return the ids of a leader's known members, and their positions."""
        view, own = self._instance.view, self._robot.parameters.robot_id
        members = [message for message, export in zip(view.messages, view.exports)
                   if export.leader == own]
        places = [self._robot.position, *(message.position for message in members)]
        return [message.id for message in members], sorted(p for p in places if p is not None)

    def _send_region(self, members: list[int], known: list[Position]) -> None:
        """Publish the region. An empty one when the robot does not lead."""
        before = self._last.get('region', ([], []))
        if (members, known) == before:
            return
        self._last['region'] = members, known
        message = PolygonStamped()
        message.header.frame_id = self._robot.parameters.frame
        message.header.stamp = self._node.get_clock().now().to_msg()
        if known:
            # Imported here, since shapely loads slowly, and few robots lead.
            from leader_election.election.robot.zones import outline
            ring = outline(known).exterior.coords[:-1]
            message.polygon.points = [Point32(x=x, y=y) for x, y in ring]
        if known != before[1]:
            self._publishers['region'].publish(message)
        if self._typed is not None:
            self._typed.publish(Region(
                header=message.header, leader=self._robot.parameters.robot_id,
                instance=self._instance.name, members=sorted(members), outline=message.polygon))


class LeadershipPublisher:
    """
    Publishes a status for each instance of a robot, in each of its rounds.

    Without a subscriber it publishes only changes of a leader or a role, for those who come later:
    the rest would cost a thousand robots 5 % of a processor.

    ``diagnostic_msgs/DiagnosticArray`` is the one type of the common packages that has a header
    and named values, so that values can be added and all tools read them. Its level is ``STALE``
    in the last message of a robot that stops.
    """

    def __init__(self, host: 'Election') -> None:
        """Create the publisher."""
        node, robot, parameters = host.node, host.robot, host.parameters
        self._host, self._node, self._robot = host, node, robot
        self._namespace = node.get_namespace()
        if self._namespace != usual_namespace(host.topic, parameters.robot_id):
            robot.name = self._namespace
        profile, topic = repeated(parameters.message_expiry), vocabulary.LEADERSHIP
        self._publisher = advertise(
            node, DiagnosticArray, parameters.outputs_of() + topic, profile, PROMISES)
        self._typed = [advertise(
            node, Leadership, f'{parameters.outputs_of(name)}{topic}/typed', profile, PROMISES)
            for name in robot.instances] if Leadership else []
        self._message = DiagnosticArray()
        self._message.status = [DiagnosticStatus(
            name=vocabulary.status_name(host.name, instance),
            hardware_id=vocabulary.hardware_id(parameters.robot_id))
            for instance in robot.instances]
        self._values: list[dict[str, str]] = [{} for _ in self._message.status]
        self._last: list[tuple[int, str]] = []
        """Leader and role of each instance in the last message, empty if it takes no part."""

    def publish(self, active: bool = True) -> None:
        """
        Publish the present state.

        :param active: whether the robot takes part, otherwise the message is its last one, and
            none is sent where none was before.
        """
        instances = self._robot.instances.values()
        last = [(instance.leader, instance.role) for instance in instances] if active else []
        watched = active and any(publisher.get_subscription_count()
                                 for publisher in (self._publisher, *self._typed))
        if last == self._last and not watched:
            return
        self._last = last
        message = self._message
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.header.frame_id = self._robot.parameters.frame
        for i, instance in enumerate(instances):
            self._update(i, instance, active)
        self._publisher.publish(message)
        for typed, present in zip(self._typed, self._values):
            typed.publish(_typed_leadership(message.header, present))

    def _update(self, i: int, instance: Instance, active: bool) -> None:
        """Update the status of an instance. Most values are those of the last round."""
        status, before = self._message.status[i], self._values[i]
        stamp = self._message.header.stamp
        now = vocabulary.leadership_values(
            self._robot, instance, self._namespace, self._host.topic, active)
        leader = now[vocabulary.LEADER]
        now[vocabulary.SINCE] = (
            before[vocabulary.SINCE] if before.get(vocabulary.LEADER) == leader
            else f'{stamp.sec}.{stamp.nanosec:09d}')
        # Both clocks now: the process may have been stopped since the round.
        now |= vocabulary.part_values(instance, clock.of_stamp(stamp), active, self._host.now())
        if now == before:
            return
        self._values[i] = now
        status.values = [KeyValue(key=key, value=value) for key, value in now.items()]
        status.message = vocabulary.leadership_text(instance) if active else vocabulary.INACTIVE
        status.level = DiagnosticStatus.STALE if not active else (
            DiagnosticStatus.WARN if leader == str(NO_LEADER) else DiagnosticStatus.OK)


def _typed_leadership(header: Header, values: Mapping[str, str]) -> Any:
    """Return the values of an election on the topic ``leadership`` as a typed message."""
    lease = lease_in(values, 0.0)
    own = [] if lease is None else [Mandate(
        acting=lease.term is not None, acting_until=_time(lease.until), term=lease.term or 0,
        over=list(lease.over), over_until=[_time(until) for until in lease.over.values()],
        leader=int(values[MANDATE_OF]), leader_term=int(values[MANDATE_TERM] or 0))]
    since, _, fraction = values[vocabulary.SINCE].partition('.')
    return Leadership(
        header=header, id=int(values[vocabulary.ID]), name=values[vocabulary.NAMESPACE],
        instance=values[vocabulary.INSTANCE], leader=int(values[vocabulary.LEADER]),
        leader_namespace=values[vocabulary.LEADER_NAMESPACE],
        is_leader=values[vocabulary.IS_LEADER] == 'true', role=values[vocabulary.ROLE],
        distance=float(values[vocabulary.DISTANCE]), hops=int(values[vocabulary.HOPS] or -1),
        tasks=[task for task in values[vocabulary.TASKS].split(',') if task],
        since=Time(sec=int(since), nanosec=int(fraction or 0)),
        reason=values[vocabulary.REASON], because=values[vocabulary.BECAUSE], mandate=own)


def _time(seconds: float) -> Time:
    whole = math.floor(seconds)
    return Time(sec=whole, nanosec=min(int((seconds - whole) * 1e9), 10**9 - 1))


MOST_PROMISE = 2.0 * 3600.0
"""No mandate has a longer promise [s]."""
MARK_STEPS = range(2_000_000)
"""Those of the versions that a roster may have."""


class MandateFile(mandates.Memory):
    """Keeps the mandates of a robot in one line of JSON."""

    def __init__(self, path: Path) -> None:
        """Read the file. Where it is damaged the robot grants nothing."""
        super().__init__()
        self._path = path
        try:
            with path.open(encoding='ascii') as file:
                self.kept = _kept_in(file.read(1000))
        except FileNotFoundError:
            pass
        except (OSError, ArithmeticError, LookupError, RecursionError, TypeError,
                ValueError) as error:
            self.kept = mandates.Kept(math.inf)
            self.fault = (f'grants nothing: {str(path)!r} cannot be read '
                          f'({type(error).__name__}); when no robot has granted for the longest '
                          'mandate, remove it, and start the robot again')

    def write(self) -> None:
        """Write the file as a whole or not at all."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_durably(self._path, json.dumps(self.kept._asdict()) + '\n')
            self.fault = ''
        except OSError as error:
            effect = ('a restart forgets the promises' if self.kept.taken == mandates.NO_MARK else
                      'the robot grants nothing')
            self.fault = (f'roster and promises cannot be kept in {str(self._path)!r} '
                          f'({error.strerror}), and {effect}; let the user of the robot write to '
                          'this folder')


def _kept_in(text: str) -> mandates.Kept:
    """
    Return what a file has kept.

    :raises Exception: of several kinds, for a file of another form.
    """
    values = json.loads(text)
    promise = float(values['promise'])
    taken, proven = (mandates.RosterMark(*map(int, values[name])) for name in ('taken', 'proven'))
    for mark in taken, proven:
        if mark != mandates.NO_MARK and not (
                mark.step in MARK_STEPS and mark.digest >> mandates.DIGEST_BITS == 0):
            raise ValueError
    if not 0.0 <= promise <= MOST_PROMISE:
        raise ValueError
    return mandates.Kept(promise, taken, proven)


class MandateFiles(PartTopics):
    """The files of one robot, one for each instance."""

    def tool(self, instance: str) -> mandates.MandateTool:
        """Return clock and memory of the mandates of an instance."""
        domain = os.environ.get('ROS_DOMAIN_ID') or '0'
        name = f'mandates_{domain}_{self.host.parameters.robot_id}_{instance}.json'
        return mandates.MandateTool(self.host.lag, lambda: MandateFile(_folder() / name))


def _folder() -> Path:
    """
    Return the folder of the files.

    :raises ParameterError: if this user has no home.
    """
    try:
        return expanded(os.environ.get('XDG_STATE_HOME') or '~/.local/state') / 'leader_election'
    except ValueError:
        raise ParameterError('quorum', problem=': promises are kept below ~/.local/state, and '
                             'this user has no home; set XDG_STATE_HOME to a folder that stays '
                             'over restarts') from None
