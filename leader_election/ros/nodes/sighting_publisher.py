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

"""The publisher of simulated robots' sightings of each other and of landmarks."""

from array import array
from collections.abc import Callable, Sequence

from builtin_interfaces.msg import Time
from leader_election.simulation.kinematics import Array
from leader_election.simulation.sensors import OBSERVER
import numpy as np
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

COLUMNS = 'id,range,bearing'
"""The label of the columns of sightings."""


class SightingPublisher:
    """Publishes ``<robot>/measurements``; only those with a subscriber are computed."""

    def __init__(self, node: Node, robots: Sequence[str],
                 observe: Callable[[Sequence[int]], Array]) -> None:
        """
        Create the publishers.

        :param node: that publishes.
        :param robots: their names, in the order of their rows.
        :param observe: returns the new sightings of the robots with the given rows, with the
            columns of :mod:`leader_election.simulation.sensors`.
        """
        self._observe = observe
        self._publishers = [
            node.create_publisher(Float64MultiArray, f'{robot}/measurements', 10)
            for robot in robots]
        self._message = Float64MultiArray()
        self._message.layout.dim = [MultiArrayDimension(label='sightings'),
                                    MultiArrayDimension(label=COLUMNS, size=3, stride=3)]

    def publish(self, stamp: Time) -> None:
        """
        Publish the sightings since the last call, one message per robot.

        :param stamp: unused, since ``std_msgs/Float64MultiArray`` has no stamp.
        """
        observers = [row for row, publisher in enumerate(self._publishers)
                     if publisher.get_subscription_count() > 0]
        seen = self._observe(observers)
        seen = seen[np.argsort(seen[:, OBSERVER], kind='stable')]
        rows, begins = np.unique(seen[:, OBSERVER], return_index=True)
        for row, sightings in zip(rows.tolist(), np.split(seen, begins[1:])):
            first = self._message.layout.dim[0]
            first.size, first.stride = len(sightings), 3 * len(sightings)
            self._message.data = array('d', sightings[:, 1:].tobytes())
            self._publishers[int(row)].publish(self._message)
