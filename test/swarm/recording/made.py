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

"""Recordings for tests."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Point, PoseStamped
from leader_election.ros.nodes.recorder import message_definition, Recording
from leader_election.swarm.recording.content import Entry
from leader_election.swarm.recording.options import ReplaySettings, rosbag2_qos
from leader_election.swarm.recording.replay import Replay, Run
from nav_msgs.msg import Odometry
from rclpy.serialization import serialize_message
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Float64MultiArray, String
from visualization_msgs.msg import Marker, MarkerArray

START = 1000.0
"""The beginning of recordings on their clock [s]."""
Said = tuple[float, str, Any]
"""Time from the start [s], topic, message."""


def word(robot: int, leader: int, place: tuple[float, float] = (0.0, 0.0),
         distance: float = 0.0) -> String:
    """Return the message of a robot. Each leader is as strong as its id."""
    return String(data=f'{{"v":1,"id":{robot},"frame":"map","p":[{place[0]},{place[1]}],'
                       f'"c":[-{leader}.0,{distance},{leader},{int(robot != leader)}]}}')


def localised(robot: int, leader: int, place: tuple[float, float],
              dead_reckoned: tuple[float, float], deviation: float) -> String:
    """Return the message of a robot that corrects its odometry."""
    said = word(robot, leader, place)
    x, y = dead_reckoned
    said.data = f'{said.data[:-1]},"o":[{x},{y},0.0],"e":[0.0,{deviation},0.01]}}'
    return said


def truth(place: tuple[float, float]) -> Odometry:
    message = Odometry()
    message.pose.pose.position.x, message.pose.pose.position.y = place
    return message


def distances(*rows: tuple[int, float, float]) -> Float64MultiArray:
    """Return the published neighbours of a robot: id, distance, standard deviation."""
    return Float64MultiArray(data=[float(value) for row in rows for value in row])


def pose(place: tuple[float, float]) -> PoseStamped:
    message = PoseStamped()
    message.pose.position.x, message.pose.position.y = place
    return message


def status(robot: int, namespace: str = '', **values: Any) -> DiagnosticArray:
    return DiagnosticArray(status=[DiagnosticStatus(
        name=f'{namespace or f"robot_{robot}"}: election', hardware_id=f'robot {robot}',
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])])


def arena(*corners: tuple[float, float]) -> MarkerArray:
    return MarkerArray(markers=[Marker(
        ns='arena', points=[Point(x=float(x), y=float(y)) for x, y in corners])])


def tick(time: float) -> Clock:
    message = Clock()
    message.clock.sec, message.clock.nanosec = int(time), round(time % 1 * 1e9)
    return message


def kind_of(message: Any) -> str:
    return type(message).__module__.split('.')[0] + '/msg/' + type(message).__name__


def write(path: Path, said: list[Said], flushed: float = 1.0) -> Path:
    """Write a recording, with a flush every now and then [s]."""
    recording, last = Recording(path), 0.0
    offers = rosbag2_qos([('best_effort', 'volatile')])
    for time, topic, message in said:
        if time >= last + flushed:
            recording.flush()
            last = time
        kind = kind_of(message)
        recording.add_topic(topic, kind, message_definition(kind), offers)
        recording.write(topic, serialize_message(message), round((START + time) * 1e9))
    recording.close()
    return path


def entries(*said: Said) -> list[Entry]:
    """Return the entries that a reader yields of a recording."""
    return [Entry(topic, kind_of(message), START + time, message)
            for time, topic, message in said]


def story() -> list[Said]:
    """
    Return 20 s of robots 1, 2, 3 and 4, who speak once a second, 2 m from each other.

    Robot 4, the strongest, leads all until it falls silent after 9 s; from 13 s on 3 does.
    """
    places = {robot: (2.0 * robot, 1.0) for robot in (1, 2, 3, 4)}
    said: list[Said] = [(0.0, '/world', arena((0, 0), (10, 0), (10, 4), (0, 0)))]
    for second in range(21):
        for robot, place in places.items():
            time = second + 0.01 * robot
            if robot == 4 and second > 9:
                continue
            leader = 4 if second < 13 else 3
            said.append((time, '/neighbourhood', word(
                robot, leader, place, 2.0 * abs(leader - robot))))
            said.append((time, f'/robot_{robot}/ground_truth', truth(place)))
        said.append((second + 0.5, '/diagnostics', status(
            1, rounds=second + 1, strength=1.0, radius=6.0, communication_range=2.5)))
    for robot in (2, 3, 4):
        said.append((20.5, '/diagnostics', status(robot, strength=float(robot))))
    return said


def replay(recorded: Iterable[Entry], settings: ReplaySettings) -> Run:
    """Return the run of recorded messages."""
    processor = Replay(settings)
    for entry in recorded:
        processor.add(entry)
    return processor.run()
