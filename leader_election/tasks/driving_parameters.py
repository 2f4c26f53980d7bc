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

"""What whoever drives a robot is told of it: its body, its scanner, its wheels."""

from dataclasses import dataclass

from leader_election.parameters import parameter
from leader_election.tasks.steering import Limits


@dataclass(frozen=True)
class DrivingParameters:
    """What a robot can do, and what it keeps to."""

    speed: float = parameter(
        0.5, 'The greatest forward speed.', unit='m/s', lower=0.01, upper=20.0)
    turn_rate: float = parameter(
        1.5, 'The greatest turning speed.', unit='rad/s', lower=0.01, upper=20.0)
    robot_radius: float = parameter(
        0.15, 'The robot is a disc of this radius round its laser scanner.',
        unit='m', lower=0.01, upper=100.0)
    margin: float = parameter(
        0.1, 'The room that it leaves round itself.', unit='m', lower=0.01, upper=100.0)
    reaction: float = parameter(
        0.4, 'For how long it may drive on by one scan: the age of a scan and the time to the '
        'next one. It stops when none comes.', unit='s', lower=0.01, upper=100.0)
    scan_yaw: float = parameter(
        0.0, 'How far its laser scanner is turned against it, to the left: where the beam of '
        'angle 0 looks. 1.5708 on a TurtleBot 4.', unit='rad', lower=-3.1416, upper=3.1416)
    stamped: bool = parameter(
        False, 'Say cmd_vel as TwistStamped, which newer drivers want, instead of Twist.')
    tolerance: float = parameter(
        0.1, 'So near to a place it has arrived.', unit='m', lower=0.001, upper=100.0)
    patience: float = parameter(
        6.0, 'A place that it comes no nearer to for so long is given up for the next one.',
        unit='s', lower=0.1, upper=1e6)


def limits_of(settings: DrivingParameters) -> Limits:
    """Return what steering takes."""
    return Limits(settings.speed, settings.turn_rate, settings.robot_radius, settings.margin,
                  settings.reaction, settings.tolerance)


def apart(settings: DrivingParameters) -> float:
    """
    Return how far apart the places of two robots have to be [m].

    >>> apart(DrivingParameters(robot_radius=0.15, margin=0.1))
    0.5
    """
    return 2 * (settings.robot_radius + settings.margin)
