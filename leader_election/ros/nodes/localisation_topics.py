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
The topics of cooperative localisation: sightings, the corrected pose, and distances.

As in REP 105, odometry itself stays continuous: a transform from the shared frame to that of
odometry corrects it.
"""

from array import array
from collections.abc import Callable
from functools import partial
from typing import Any, TYPE_CHECKING

from geometry_msgs.msg import Pose as PoseMessage
from geometry_msgs.msg import TransformStamped
from leader_election.localisation import sighting as sightings
from leader_election.localisation.own_sightings import MEASUREMENTS_REJECTED
from leader_election.localisation.parameters import DETECTIONS, MEASUREMENTS, RANGES, TAGS
from leader_election.localisation.poses import from_quaternion, moved_to, Pose
from leader_election.parameters import frame_name, ParameterError
from leader_election.parameters.registry import message_type
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.qos import EVENTS, SIGHTINGS
from nav_msgs.msg import Odometry
import numpy as np
from std_msgs.msg import Float64MultiArray, MultiArrayDimension
from transforms3d.quaternions import mat2quat

if TYPE_CHECKING:
    from leader_election.ros.nodes.election import Election

TYPES = {DETECTIONS: 'vision_msgs/msg/Detection3DArray', TAGS: 'tf2_msgs/msg/TFMessage',
         RANGES: 'sensor_msgs/msg/Range'}
"""The types of messages from packages that may not be installed, by source."""


def pose_of(place: Any, turn: Any) -> Pose | None:
    """Return the pose of a message's point and quaternion, ``None`` without an orientation."""
    return from_quaternion((place.x, place.y, place.z), (turn.x, turn.y, turn.z, turn.w))


def subscribe_sightings(host: 'Election') -> None:
    """
    Pass sightings on to a robot, from the sources of its parameter ``sighting_sources``.

    :raises ParameterError: if the package of a message is not installed.
    """
    robot, listen = host.robot, host.listen
    # Stamps are of this clock.
    stamp_clock = clock.reader(host.node.get_clock())

    def measure(message: Float64MultiArray) -> None:
        columns = sightings.columns_of(message.layout.dim, len(message.data))
        if columns is None:
            robot.counts[MEASUREMENTS_REJECTED] += 1
        else:
            robot.sensing.take_measurements(
                message.data, host.now(), columns, stamp_clock())

    def take(extract: Callable[..., sightings.Extraction], message: Any) -> None:
        robot.sensing.take_extraction(extract(message, clock=stamp_clock()), host.now())

    parameters = robot.parameters
    mount = sightings.SensorMount(parameters)
    for source in parameters.sources:
        if source == MEASUREMENTS:
            listen(MEASUREMENTS, Float64MultiArray, measure, SIGHTINGS)
            continue
        kind = installed_type(TYPES[source], 'sighting_sources', repr(source), repr(MEASUREMENTS))
        if source == RANGES:
            for neighbour in parameters.ranged:
                listen(f'range/robot_{neighbour}', kind,
                       partial(take, partial(sightings.of_range, robot=neighbour)), SIGHTINGS)
        else:
            extract = sightings.of_detections if source == DETECTIONS else sightings.of_tags
            listen(source, kind, partial(take, partial(extract, mount=mount)), SIGHTINGS)


def installed_type(name: str, parameter: str, value: str, instead: str) -> Any:
    """
    Return the type of messages that a value of a parameter needs.

    :param instead: the value that does without.
    :raises ParameterError: if the package of the type is not installed.
    """
    try:
        return message_type(name)
    except ImportError:
        raise ParameterError(parameter, problem=f': {value} needs the package '
                             f"{name.partition('/')[0]}, which is not installed; install it, or "
                             f'use {instead}') from None


ODOMETRY = 'odometry/cooperative'


class LocalisationPublishers:
    """Publishes ``odometry/cooperative``, ``neighbour_distances``, and ``/tf`` on request."""

    def __init__(self, host: 'Election') -> None:
        """
        Create the publishers.

        :raises ParameterError: if ``send_transform`` is set and tf2_msgs is not installed.
        """
        self._node, self._robot = node, robot = host.node, host.robot
        space = robot.parameters.outputs_of()
        self._odometry = node.create_publisher(Odometry, space + ODOMETRY, EVENTS)
        self._distances = node.create_publisher(
            Float64MultiArray, f'{space}neighbour_distances', EVENTS)
        self._transforms = None
        if robot.parameters.send_transform:
            self._kind = installed_type(
                'tf2_msgs/msg/TFMessage', 'send_transform', 'true', f'topic {ODOMETRY}')
            self._transforms = node.create_publisher(self._kind, '/tf', EVENTS)

    def publish_pose(self, message: Odometry, origin: Pose | None, now: float) -> None:
        """
        Publish the corrected pose for a processed message of odometry.

        :param origin: the pose of odometry's frame in the shared one, ``None`` for the initial
            pose.
        :param now: the time on the robot's clock [s].
        """
        wanted = self._odometry.get_subscription_count() > 0
        estimate = self._robot.sensing.source.pose
        if estimate is None or not (wanted or self._transforms is not None):
            return
        odometry = pose_of(message.pose.pose.position, message.pose.pose.orientation)
        if odometry is None:
            return
        begin = self._robot.sensing.initial_pose if origin is None else origin
        correction = moved_to(begin @ odometry, estimate) @ begin
        if wanted:
            self._odometry.publish(self._corrected(message, correction @ odometry, now))
        if self._transforms is not None:
            self._send(message, correction)

    def publish_distances(self, now: float) -> None:
        """
        Publish the distances to neighbours: rows of id, distance [m], standard deviation [m].

        :param now: the time on the robot's clock [s].
        """
        if self._distances.get_subscription_count() == 0:
            return
        rows = self._robot.sensing.source.distances(now)
        message = Float64MultiArray(data=array('d', np.array(rows, float).tobytes()))
        message.layout.dim = [
            MultiArrayDimension(label='neighbours', size=len(rows), stride=3 * len(rows)),
            MultiArrayDimension(label='id,distance,deviation', size=3, stride=3)]
        self._distances.publish(message)

    def _corrected(self, message: Odometry, pose: Pose, now: float) -> Odometry:
        """Return odometry with another pose, in the shared frame, and its covariance."""
        corrected = Odometry(twist=message.twist)
        corrected.header.stamp = message.header.stamp
        corrected.header.frame_id = self._robot.parameters.frame
        corrected.child_frame_id = message.child_frame_id or self._robot.parameters.base_frame
        corrected.pose.pose = _message(pose)
        # Of x, y and yaw. The others are 0, as in AMCL: RViz draws an ellipse in the plane.
        covariance, estimated = np.zeros((6, 6)), [0, 1, 5]
        claimed = self._robot.sensing.source.claimed(now)
        # Odometry has no value for unknown. Filters that fuse such a pose ignore it.
        covariance[np.ix_(estimated, estimated)] = 1e6 * np.eye(3) if claimed is None else claimed
        corrected.pose.covariance = covariance.ravel()
        return corrected

    def _send(self, message: Odometry, correction: Pose) -> None:
        """Send the transform from the shared frame to that of odometry."""
        frame, child = self._robot.parameters.frame, frame_name(message.header.frame_id)
        if child in ('', frame):
            self._node.get_logger().warning(
                f'send_transform: odometry is in frame {child!r}, so there is no transform from '
                f'{frame} to its frame; set its header.frame_id', once=True)
            return
        transform = TransformStamped(child_frame_id=child)
        transform.header.stamp, transform.header.frame_id = message.header.stamp, frame
        pose, to = _message(correction), transform.transform.translation
        to.x, to.y, to.z = pose.position.x, pose.position.y, pose.position.z
        transform.transform.rotation = pose.orientation
        assert self._transforms is not None
        self._transforms.publish(self._kind(transforms=[transform]))


def _message(pose: Pose) -> PoseMessage:
    """Return a pose as a message."""
    message = PoseMessage()
    place, turn = message.position, message.orientation
    place.x, place.y, place.z = pose[:3, 3].tolist()
    turn.w, turn.x, turn.y, turn.z = mat2quat(pose[:3, :3]).tolist()
    return message
