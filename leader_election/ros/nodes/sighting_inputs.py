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

"""The subscriptions to sightings of neighbours and landmarks by a robot's sensors."""

from collections.abc import Callable
from functools import partial
from typing import Any

from leader_election.election.registry import message_type
from leader_election.election.robot.robot import Robot
from leader_election.election.robot.sensing import SIGNAL_STRENGTH
from leader_election.election.robot.sighting_sources import (
    columns_of,
    DETECTIONS,
    Extraction,
    MEASUREMENTS,
    of_detections,
    of_range,
    of_tags,
    RANGES,
    SensorMount,
    TAGS,
)
from leader_election.localisation.localisation import MEASUREMENTS_REJECTED
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.qos import SIGHTINGS
from std_msgs.msg import Float64MultiArray

TYPES = {DETECTIONS: 'vision_msgs/msg/Detection3DArray', TAGS: 'tf2_msgs/msg/TFMessage',
         RANGES: 'sensor_msgs/msg/Range'}
"""The types of messages from packages that may not be installed, by source."""
Listen = Callable[[str, Any, Callable[[Any], None], Any], Any]
"""A function that subscribes: topic, type, callback, profile."""


class SightingInputs:
    """Passes sightings on to a robot, from the sources of its parameter ``sighting_sources``."""

    def __init__(self, robot: Robot, listen: Listen, clock: Callable[[], float],
                 stamp_clock: Callable[[], float]) -> None:
        """
        Subscribe.

        :param robot: that has the sensors.
        :param listen: creates a subscription.
        :param clock: returns the time on the robot's clock [s].
        :param stamp_clock: returns the time on the clock of stamps, ROS time [s].
        :raises ParameterError: where the package of a message is not installed.
        """
        self._robot = robot
        self._clock, self._stamp_clock = clock, stamp_clock
        parameters = robot.parameters
        mount = SensorMount(parameters)
        sources = parameters.sources
        if parameters.metric == SIGNAL_STRENGTH and not robot.sensing.cooperates:
            # No other source has signal strengths.
            sources = (MEASUREMENTS,)
        for source in sources:
            if source == MEASUREMENTS:
                listen(MEASUREMENTS, Float64MultiArray, self._measure, SIGHTINGS)
            elif source == RANGES:
                for neighbour in parameters.ranged:
                    listen(f'range/robot_{neighbour}', _type(source),
                           partial(self._take, partial(of_range, robot=neighbour)), SIGHTINGS)
            else:
                extract = of_detections if source == DETECTIONS else of_tags
                listen(source, _type(source),
                       partial(self._take, partial(extract, mount=mount)), SIGHTINGS)

    def _measure(self, message: Float64MultiArray) -> None:
        columns = columns_of(message.layout.dim, len(message.data))
        if columns is None:
            self._robot.counts[MEASUREMENTS_REJECTED] += 1
        else:
            self._robot.sensing.take_measurements(
                message.data, self._clock(), columns, self._stamp_clock())

    def _take(self, extract: Callable[..., Extraction], message: Any) -> None:
        self._robot.sensing.take_extraction(
            extract(message, clock=self._stamp_clock()), self._clock())


def _type(source: str) -> Any:
    """Return the type of a source's messages."""
    try:
        return message_type(TYPES[source])
    except ImportError:
        package = TYPES[source].partition('/')[0]
        raise ParameterError('sighting_sources', problem=f': {source!r} needs the package '
                             f'{package}, which is not installed; install it, or use '
                             f'{MEASUREMENTS!r}') from None
