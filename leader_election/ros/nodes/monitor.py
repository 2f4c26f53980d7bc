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
The observer of a swarm by its messages, and the node ``monitor``, which presents it.

The monitor shows the swarm in the terminal, and as markers for RViz. The page derives from the
observer, too (:mod:`~leader_election.ros.nodes.web`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
import math
import os
from pathlib import Path
import sys
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Point
from leader_election.election.messages.codec import Position
from leader_election.election.robot.zones import outline
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.declare import declare_all
from leader_election.ros.nodes.process import MissingInput, run
from leader_election.ros.nodes.qos import advertise, EVENTS, NEIGHBOURHOOD, STATE, subscribe
from leader_election.swarm.history import Statistics
from leader_election.swarm.snapshot import links, positions, regions, RobotView, Snapshot
from leader_election.swarm.tracker import MonitorParameters, ObserverParameters, SwarmTracker
from leader_election.swarm.view import formatting
from leader_election.swarm.view.frame import Frame, Rings, rings_of, silence, thinned, Trails
from rclpy.node import Node
from std_msgs.msg import ColorRGBA, String
from visualization_msgs.msg import Marker, MarkerArray

REFRESH_PERIOD = 0.25


class SwarmObserver(Node):
    """
    Observes a swarm. It subscribes to ``neighbourhood`` and ``world``.

    :ivar steady_clock: the clock of all times here.
    :ivar tracker: the last message of each robot.
    :ivar statistics: changes and rates over time.
    :ivar frame: the swarm at the last update, as it is drawn.
    :ivar rings: outlines of arena and obstacles, once received.
    :ivar note: a line of text that is shown with the swarm from the next update on.
    :ivar upcoming: likewise, where people watch alone: what happens next.
    :ivar title: a line above the swarm in a terminal.
    :ivar keys: the keys that are read in a terminal.
    :ivar remarks: texts beside robots, by id.
    :ivar watchers: called at each update.
    :ivar explain: returns why a robot has a leader, as it says itself, empty if unknown.
    """

    def __init__(self, name: str, parameters: type[ObserverParameters], **options: Any) -> None:
        """
        Declare the parameters and subscribe.

        :param options: for ``rclpy.node.Node``, such as ``parameter_overrides``.
        :raises ParameterError: when the value of a parameter is not allowed.
        """
        super().__init__(name, **options)
        self.parameters = declare_all(self, parameters).values
        self.steady_clock = clock.steady_clock(self)
        self.tracker = SwarmTracker(
            expiry=self.parameters.message_expiry, algorithm=self.parameters.algorithm,
            frame=self.parameters.frame)
        self.statistics = Statistics()
        self.frame = Frame(Snapshot(clock.seconds(self.steady_clock), {}), {})
        self.rings = Rings()
        self.note = self.upcoming = self._news = self.keys = ''
        self.title = 'swarm'
        self.remarks: dict[int, str] = {}
        self.watchers: list[Callable[[], None]] = []
        self.explain: Callable[[int, int], str] = lambda robot, leader: ''
        self._palette = formatting.Palette()
        subscribe(self, String, 'neighbourhood', self._hear, NEIGHBOURHOOD)
        subscribe(self, MarkerArray, 'world', self._see_world, STATE)
        clock.create_timer(self, REFRESH_PERIOD, self.refresh, self.steady_clock)

    @property
    def snapshot(self) -> Snapshot:
        """Return the swarm at the last update."""
        return self.frame.snapshot

    def _hear(self, message: String) -> None:
        self.tracker.hear(message.data, clock.seconds(self.steady_clock))

    def _see_world(self, message: MarkerArray) -> None:
        self.rings = rings_of(message.markers)

    def refresh(self) -> None:
        """Update the snapshot, and show it."""
        snapshot = self.tracker.snapshot(clock.seconds(self.steady_clock))
        self.statistics.observe(snapshot, self.tracker.messages, self.tracker.bytes)
        before = self.frame.snapshot.robots
        because = {robot: self.explain(robot, view.leader)
                   for robot, view in snapshot.robots.items()
                   if robot in before and before[robot].leader != view.leader}
        # A change between leading and following is the greater news.
        known = sorted((robot in (before[robot].leader, snapshot.robots[robot].leader), robot)
                       for robot, text in because.items() if text)
        if known:
            _, robot = known[-1]
            self._news = formatting.change_text(
                robot, snapshot.robots[robot].leader, because[robot])
        colours = self._palette.assign(regions(snapshot))
        warning = silence(snapshot, os.getloadavg()[0], len(os.sched_getaffinity(0)))
        self.frame = Frame(
            snapshot, colours, self.note, self.upcoming, warning, dict(self.remarks),
            because=because, news=self._news)
        self.show()
        for watch in self.watchers:
            watch()

    def show(self) -> None:
        """Show the frame."""

    def missing(self) -> list[MissingInput]:
        """Return the missing inputs: messages of robots, until one arrives."""
        if self.tracker.first_heard:
            return []
        topic, name = self.resolve_topic_name('neighbourhood'), self.get_name()
        if self.tracker.rejected:
            return [MissingInput('messages of this algorithm', topic,
                                 f'give {name} the algorithm and frame of the robots',
                                 f'{self.tracker.rejected} messages were rejected')]
        return [MissingInput(
            'messages of robots', topic, f'start robots (fleet, election_node), and {name} in '
            'their namespace and with their ROS_DOMAIN_ID')]


ROBOT_SIZE = 0.3
"""Diameter of a robot's sphere. A leader's is twice as large [m]."""
MARGIN = 0.35
"""Distance of a region's outline from its members [m]."""
CIRCLE = [(math.cos(math.pi * k / 12), math.sin(math.pi * k / 12)) for k in range(25)]
"""The points of a circle of radius 1, closed."""


class Markers:
    """
    Converts frames to markers, and deletes markers that are no longer valid.

    Namespaces: ``robots``, ``leaders``, ``gone`` and ``links``, one marker each; ``regions``,
    ``labels`` and, where leaders decide, ``decisions``, one marker per leader; ``fields``, one
    marker per robot, if the algorithm has its own fields; ``deviations``, one marker per robot
    that publishes its deviation: a circle whose radius is the standard deviation of its position.
    Leaders that may not act, and robots under no mandate, are translucent.
    """

    def __init__(self, frame_id: str) -> None:
        self._frame_id = frame_id
        self._shown: dict[tuple[str, int], Marker] = {}

    def update(self, frame: Frame, communication_range: float) -> MarkerArray:
        """
        Return the markers that bring a display from the previous frame to this one.

        :param communication_range: robots within this distance are linked by a line [m].
        """
        snapshot, robots = frame.snapshot, frame.snapshot.robots
        placed = [robot for robot in robots.values() if robot.position is not None]
        leaders = [robot for robot in placed if robot.leader == robot.id]
        markers = [
            self._spheres('robots', placed, frame, ROBOT_SIZE),
            self._spheres('leaders', leaders, frame, 2 * ROBOT_SIZE),
            self._marker('gone', Marker.CUBE_LIST, ROBOT_SIZE,
                         points=(robot.position for robot in snapshot.gone.values())),
            self._marker('links', Marker.LINE_LIST, 0.02, alpha=0.4, points=(
                p for pair in links(snapshot, communication_range)
                for p in positions(snapshot, pair))),
            *(self._text('labels', robot, formatting.label(robot), 0.6, 0.0) for robot in leaders),
            *(self._text('decisions', robot, robot.decision, 0.3, -0.6) for robot in leaders),
            *(self._text('fields', robot, formatting.fields_text(robot.fields), 0.2, -0.9)
              for robot in placed if robot.fields),
            *(self._deviation(robot, frame) for robot in placed if robot.deviation > 0.0),
            *(self._region(leader, positions(snapshot, members), frame.colours[leader])
              for leader, members in regions(snapshot).items())]
        new = {(marker.ns, marker.id): marker for marker in markers
               if marker.points or marker.text}
        invalid = [Marker(ns=ns, id=number, action=Marker.DELETE)
                   for ns, number in self._shown if (ns, number) not in new]
        self._shown = new
        return MarkerArray(markers=[*invalid, *new.values()])

    def _marker(self, namespace: str, kind: int, scale: float,
                colour: formatting.Colour = formatting.GONE, alpha: float = 1.0,
                points: Iterable[Position | None] = (), robot_id: int = 0) -> Marker:
        # The id has 31 bits. Of two equal ones only one would be shown.
        marker = Marker(ns=namespace, id=robot_id % 2**31, type=kind, action=Marker.ADD)
        marker.header.frame_id = self._frame_id
        marker.pose.orientation.w = 1.0
        marker.scale.x = marker.scale.y = marker.scale.z = scale
        marker.color = _rgba(colour, alpha)
        marker.points = _points(points)
        return marker

    def _spheres(self, namespace: str, robots: list[RobotView], frame: Frame,
                 size: float) -> Marker:
        marker = self._marker(namespace, Marker.SPHERE_LIST, size,
                              points=(robot.position for robot in robots))
        marker.colors = [_rgba(frame.colours[robot.leader], 1.0 if robot.ruled else 0.35)
                         for robot in robots]
        return marker

    def _deviation(self, robot: RobotView, frame: Frame) -> Marker:
        """Return a circle, not a disc: deviations of odometry alone soon overlap."""
        marker = self._marker(
            'deviations', Marker.LINE_STRIP, 0.03, frame.colours[robot.leader], 0.6,
            ((robot.deviation * x, robot.deviation * y) for x, y in CIRCLE), robot.id)
        [marker.pose.position] = _points([robot.position])
        return marker

    def _text(self, namespace: str, robot: RobotView, text: str, size: float,
              above: float) -> Marker:
        """Return a text of this height at a robot, shifted along y by ``above`` [m]."""
        marker = self._marker(
            namespace, Marker.TEXT_VIEW_FACING, size, (0.1, 0.1, 0.1), robot_id=robot.id)
        [marker.pose.position] = _points([robot.position])
        marker.pose.position.y += above
        marker.pose.position.z = 0.6
        marker.text = formatting.shortened(text, 48)
        return marker

    def _region(self, leader: int, members: list[Position], colour: formatting.Colour) -> Marker:
        ring = outline(members, MARGIN).exterior.coords if members else ()
        return self._marker('regions', Marker.LINE_STRIP, 0.06, colour, 0.8, ring, leader)

    def trails(self, paths: Mapping[int, Sequence[Position]], frame: Frame) -> MarkerArray:
        """
        Return the trails of robots as one marker ``trails``, each in the colour of its leader.

        :param paths: points of each robot's trail, by id [m].
        """
        marker = self._marker('trails', Marker.LINE_LIST, 0.04)
        for robot, path in paths.items():
            view = frame.snapshot.robots.get(robot)
            colour = _rgba(frame.colours[view.leader] if view else formatting.GONE, 0.5)
            ends = [end for segment in zip(path, path[1:]) for end in segment]
            marker.points += _points(ends)
            marker.colors += [colour] * len(ends)
        if not marker.points:
            marker.action = Marker.DELETE
        return MarkerArray(markers=[marker])


def _points(places: Iterable[Position | None]) -> list[Point]:
    return [Point(x=place[0], y=place[1]) for place in places if place is not None]


def _rgba(colour: formatting.Colour, alpha: float = 1.0) -> ColorRGBA:
    return ColorRGBA(r=colour[0], g=colour[1], b=colour[2], a=alpha)


LINE_PERIOD = 5.0
TRAIL_PERIOD = 0.5
FRAME_PERIOD = 0.5
"""The time between two frames of the animation [s]. Of a long run, frames are left out."""
KEPT_FRAMES, MOST_FRAMES = 600, 160
"""Frames that are kept; beyond, every other one goes and the period doubles. Of an animation."""


class Monitor(SwarmObserver):
    """
    Presents a swarm in the terminal and as markers, and for a demonstration in two files.

    It publishes ``markers``, ``robots`` (their namespaces) and, less often, ``trails``, which are
    long.

    :ivar files: of the picture (PNG) and the animation (GIF) that it writes at its end, if any.
    :ivar frames: of the animation so far.
    """

    parameters: MonitorParameters

    def __init__(self, **options: Any) -> None:
        """
        Declare the parameters and subscribe.

        :param options: for ``rclpy.node.Node``, such as ``parameter_overrides``.
        :raises ParameterError: when the value of a parameter is not allowed.
        """
        super().__init__('monitor', MonitorParameters, **options)
        self.files: tuple[Path, Path] | None = None
        self.frames: list[Frame] = []
        self._frame_period = FRAME_PERIOD
        self._markers = Markers(self.parameters.frame)
        self._line_time = float('-inf')
        self._live: Any = None
        self._lines = self.parameters.live and not sys.stdout.isatty()
        if self.parameters.live and not self._lines:
            from rich.console import Console
            from rich.live import Live
            self._live = Live(console=Console(), auto_refresh=False)
            self._live.start()
        self._publisher = advertise(self, MarkerArray, 'markers', EVENTS)
        self._robots = self.create_publisher(DiagnosticArray, 'robots', copy(STATE))
        self._namespaces: dict[int, str] = {}
        if self.parameters.trail > 0.0:
            self._trails = Trails(self.parameters.trail)
            self._trails_out = self.create_publisher(MarkerArray, 'trails', copy(EVENTS))
            clock.create_timer(self, TRAIL_PERIOD, self._trail, self.steady_clock)

    def show(self) -> None:
        """Publish the frame, and show it."""
        self._publisher.publish(
            self._markers.update(self.frame, self.parameters.communication_range))
        self._publish_namespaces()
        self._record_frame()
        self._show()

    def _publish_namespaces(self) -> None:
        """Publish the map from ids to namespaces, when it has changed."""
        found = self.tracker.namespaces(self.resolve_topic_name('neighbourhood'))
        if found == self._namespaces:
            return
        self._namespaces = found
        message = DiagnosticArray(status=[DiagnosticStatus(
            name='robots', message='namespaces by id',
            values=[KeyValue(key=str(i), value=name) for i, name in found.items()])])
        message.header.stamp = self.get_clock().now().to_msg()
        message.header.frame_id = self.parameters.frame
        self._robots.publish(message)

    def _trail(self) -> None:
        """Publish the trails of the robots."""
        self._trails.update(self.snapshot)
        self._trails_out.publish(self._markers.trails(self._trails.paths, self.frame))

    def _record_frame(self) -> None:
        """Record a frame for the animation, when it is due."""
        if self.files is None:
            return
        # The timer may be a little early: half a period of tolerance.
        least = self._frame_period - REFRESH_PERIOD / 2
        if self.frames and 0.0 <= self.snapshot.time - self.frames[-1].snapshot.time < least:
            return
        self.frames.append(self.frame)
        if len(self.frames) >= KEPT_FRAMES:
            self.frames = self.frames[::2]
            self._frame_period *= 2

    def _show(self) -> None:
        from leader_election.swarm.view.terminal import line, render
        if self._live is not None:
            self._live.update(render(
                self.frame, self.statistics, self._live.console.size, self.rings, self.title,
                self.keys), refresh=True)
        elif self._lines and not 0.0 <= self.snapshot.time - self._line_time < LINE_PERIOD:
            self._line_time = self.snapshot.time
            print(line(self.frame, self.statistics), flush=True)

    def stop_live(self) -> None:
        """Stop the live view: the terminal is as before."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def close(self) -> None:
        """Stop the live view, and write the files."""
        self.stop_live()
        if self.files is None:
            return
        # Imported only here, since matplotlib loads slowly.
        from leader_election.swarm.view.picture import animate, draw
        reach = self.parameters.communication_range
        start = self.snapshot.time - self.statistics.duration
        picture, animation = self.files
        draw(self.frame, self.rings, picture, reach, start)
        if self.frames:
            animate(thinned(self.frames, MOST_FRAMES), self.rings, animation, reach, start)


def main() -> int:
    """Run the monitor until it is stopped, and return the exit status."""
    return run(lambda: [Monitor()])
