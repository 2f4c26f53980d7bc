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
Content of one picture of a swarm: snapshot, colours, symbols, outlines, trails, parts, legend.

Pictures, animations, the page in a browser and the page of a run all show this content.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
import json
import math
from typing import Any, NamedTuple

from leader_election.election.messages.codec import MAX_COORDINATE, Position
from leader_election.election.robot.zones import outline
from leader_election.election.tasks.coverage import area_of, split
from leader_election.swarm import snapshot as snapshots
from leader_election.swarm.history import Statistics
from leader_election.swarm.snapshot import RobotView, Snapshot
from leader_election.swarm.view import formatting
from leader_election.swarm.view.formatting import Colour, count, mandate_text
import numpy as np
import shapely

TRAIL_STEP = 0.25
"""Distance between two points of a trail [m]."""
LARGEST_STRIDE = 2.0
"""A robot that moves farther between two snapshots was relocated: its trail restarts [m]."""
PATROL = 'patrol'
"""The task whose decisions have parts."""
MOST_PARTS = 200

Ring = tuple[Position, ...]
"""The corners of a polygon [m]. The last may repeat the first."""


class Rings(NamedTuple):
    """Outlines of static objects."""

    arena: tuple[Ring, ...] = ()
    obstacles: tuple[Ring, ...] = ()
    peaks: tuple[Ring, ...] = ()
    """Contours of a scalar field's peaks: where a peak has some share of its height."""


class Frame(NamedTuple):
    """The swarm at one moment, and its presentation."""

    snapshot: Snapshot
    colours: dict[int, Colour]
    note: str = ''
    """A text below the picture, for example ``robot 7 was killed``."""
    upcoming: str = ''
    """The next event for a live view, such as ``in 12 s the strongest leader is killed``."""
    warning: str = ''
    """A warning for a live view (:func:`silence`)."""
    remarks: Mapping[int, str] = {}
    """Texts beside robots, by id, for example ``killed``."""
    truth: Mapping[int, Position] = {}
    """True positions, as far as known, by id [m]."""
    because: Mapping[int, str] = {}
    """Why robots have another leader than in the frame before, as they say, by id."""
    news: str = ''
    """The last change of a leader, and why, for a live view."""


def rings_of(markers: Iterable[Any]) -> Rings:
    """
    Return the outlines in markers of the embedded world.

    :param markers: ``visualization_msgs/msg/Marker``, or objects with the same fields.
    """
    def named(namespace: str) -> tuple[Ring, ...]:
        return tuple(tuple((point.x, point.y) for point in marker.points) for marker in shown
                     if marker.ns == namespace and marker.points)

    # Action 0 adds a marker; others delete some.
    shown = [marker for marker in markers if marker.action == 0]
    return Rings(named('arena'), named('obstacles'), named('peaks'))


def bounds(frames: Sequence[Frame], rings: Rings) -> tuple[float, float, float, float]:
    """Return the extent of the arena, or else of all robots: left, bottom, right, top [m]."""
    places = [p for ring in rings.arena for p in ring] or [
        robot.position for frame in frames for robots in frame.snapshot[1:]
        for robot in robots.values() if robot.position is not None]
    x, y = np.array(places).T if places else np.zeros((2, 1))
    pad = 0.0 if rings.arena else 1.0
    return x.min() - pad, y.min() - pad, x.max() + pad, y.max() + pad


def thinned(frames: Sequence[Frame], most: int) -> Sequence[Frame]:
    """
    Return at most this many frames, evenly spaced, the last one among them.

    >>> [*thinned(range(10), 3)]
    [1, 5, 9]
    """
    return frames[::-1][::max(1, -(-len(frames) // most))][::-1]


def caption(frame: Frame, start: float = 0.0) -> str:
    """
    Return a line below a picture: the time, and the numbers of robots and regions.

    :param start: the origin of the time [s].
    """
    return '  ·  '.join((f't = {frame.snapshot.time - start:.1f} s', *_counts(frame.snapshot)))


def _counts(snapshot: Snapshot) -> list[str]:
    """Return the numbers of robots, regions and orphans, and of acting leaders, as texts."""
    over = snapshots.acts_over(snapshot)
    return [
        count(len(snapshot.robots), 'robot')
        + (f' ({len(snapshot.gone)} gone)' if snapshot.gone else ''),
        count(len(snapshots.regions(snapshot)), 'region'),
        f'{len(snapshots.orphans(snapshot))} without a leader',
        *([mandate_text(over)] if over else [])]


def facts(frame: Frame, statistics: Statistics) -> tuple[str, ...]:
    """Return the figures of the whole swarm as texts."""
    uncertain = snapshots.most_uncertain(frame.snapshot)
    return (
        *_counts(frame.snapshot),
        f'{statistics.changes_a_minute:.1f} leader changes per robot and minute',
        f'{statistics.messages_a_second:.0f} msg/s',
        f'{statistics.bytes_a_second / 1000:.1f} kB/s',
        *([] if uncertain is None else
          [f'positions uncertain by up to {uncertain.deviation:.2f} m, one standard deviation '
           f'(robot {uncertain.id})']))


def silence(snapshot: Snapshot, load: float, processors: int) -> str:
    """
    Return a warning where half of a swarm or more has fallen silent; empty otherwise.

    :param load: of the observer's machine: the number of processes that run or wait to run.
    :param processors: of this machine.

    >>> from leader_election.swarm.snapshot import RobotView
    >>> gone = {i: RobotView(i, None, -9.0, 0.0, 1) for i in range(1000)}
    >>> silence(Snapshot(9.0, {}, gone), 14.2, 2)
    'overload: 14 processes want 2 processors, so messages come too late; start fewer robots'
    >>> silence(Snapshot(9.0, {}, gone), 0.5, 2)
    '1000 of 1000 robots are silent: they were stopped, or do not reach this computer'
    >>> silence(Snapshot(9.0, gone, {}), 14.2, 2)
    ''
    """
    living, silent = len(snapshot.robots), len(snapshot.gone)
    if silent < max(living, 2):
        return ''
    if load > processors:
        return (f'overload: {load:.0f} processes want {processors} processors, so messages come '
                'too late; start fewer robots')
    return (f'{silent} of {living + silent} robots are silent: they were stopped, or do not reach '
            'this computer')


class Trails:
    """
    Records the recent paths of robots from consecutive snapshots.

    :param length: of each trail [m].

    >>> from leader_election.swarm.snapshot import RobotView
    >>> trails = Trails(length=0.5)
    >>> for x in (0.0, 0.1, 0.3, 0.6, 0.9):
    ...     trails.update(Snapshot(0.0, {3: RobotView(3, (x, 0.0), 0.0, 0.0, 3)}))
    >>> trails.paths[3]
    [(0.3, 0.0), (0.6, 0.0), (0.9, 0.0)]
    """

    def __init__(self, length: float) -> None:
        self._most_points = round(length / TRAIL_STEP) + 1
        self.paths: dict[int, list[Position]] = {}
        """Points of each living robot's trail, the newest last, by id [m]."""

    def update(self, snapshot: Snapshot) -> None:
        """Add the positions of a snapshot. Trails of robots that are gone are dropped."""
        paths = {}
        for robot, view in snapshot.robots.items():
            path = self.paths.get(robot, [])[:]
            if view.position is not None:
                stride = math.dist(path[-1], view.position) if path else math.inf
                if stride > LARGEST_STRIDE:
                    path = [view.position]
                elif stride >= TRAIL_STEP:
                    path.append(view.position)
            paths[robot] = path[-self._most_points:]
        self.paths = paths


def patrol_parts(snapshot: Snapshot) -> dict[int, Sequence[Ring]]:
    """
    Return the outlines of the parts into which patrolling regions split their territories.

    :return: by the leader of the decision, none for a malformed decision.

    >>> from leader_election.swarm.snapshot import RobotView
    >>> leader = RobotView(3, None, -9.0, 0.0, 3, ('patrol',), 2.0,
    ...                    '[{"area":[[0,0,4,0,4,2,0,2]],"ids":[3,5]}]')
    >>> [len(ring) for ring in patrol_parts(Snapshot(0.0, {3: leader}))[3]]
    [5, 5]
    """
    return {robot.id: _part_rings(json.dumps(snapshots.decisions(robot)[PATROL]))
            for robot in snapshot.robots.values()
            if robot.leader == robot.id and PATROL in snapshots.decisions(robot)}


@lru_cache(maxsize=64)
def _part_rings(decision: str) -> tuple[Ring, ...]:
    """Return the outlines of one decision. Cached, since territories seldom change."""
    try:
        document = json.loads(decision)
        area, number = area_of(document['area']), len(document['ids'])
        if not 0 < number <= MOST_PARTS or max(map(abs, area.bounds)) > MAX_COORDINATE:
            return ()
        parts = shapely.get_parts(split(area, number)).tolist()
    except (KeyError, TypeError, ValueError, AttributeError, shapely.errors.ShapelyError):
        return ()
    return tuple(tuple((x, y) for x, y in part.exterior.coords) for part in parts)


MOST_EVENTS = 12
"""The last events that a history with a span keeps."""


@dataclass(slots=True)
class Bar:
    """A time in which a robot had one leader [s]."""

    robot: int
    leader: int
    left: float
    right: float
    tint: str


class History:
    """
    The leaders of all robots over time, and events, from consecutive frames.

    :param span: age at which bars are dropped [s].
    :param start: the origin of time [s].

    >>> history = History()
    >>> for time, leader in ((0.0, 1), (1.0, 1), (2.0, 3)):
    ...     view = RobotView(3, None, -9.0, 0.0, leader)
    ...     history.observe(Frame(Snapshot(time, {3: view}), {leader: (0.0, 0.0, 0.0)}))
    >>> [(bar.leader, bar.left, bar.right) for bar in history.bars]
    [(1, 0.0, 2.0), (3, 2.0, 2.0)]
    >>> history.events
    deque([(2.0, 'robot 3 leads')])
    """

    def __init__(self, span: float = float('inf'), start: float = 0.0) -> None:
        self.span, self.start = span, start
        self.now = 0.0
        """The time of the last frame [s]."""
        self.bars: list[Bar] = []
        self.events: deque[tuple[float, str]] = deque(
            maxlen=None if span == float('inf') else MOST_EVENTS)
        """Leaders that came and went: times [s] and texts."""
        self._last: dict[int, Bar] = {}
        self._before: Frame | None = None

    def observe(self, frame: Frame) -> None:
        """Add the next frame."""
        self.now, last = frame.snapshot.time - self.start, {}
        if self._before is not None:
            self.events.extend((self.now, text) for text in _changes(self._before, frame))
        for robot, view in frame.snapshot.robots.items():
            bar = self._last.get(robot)
            if bar is not None:
                bar.right = self.now
            if bar is None or bar.leader != view.leader:
                bar = Bar(robot, view.leader, self.now, self.now,
                          formatting.hexadecimal(frame.colours.get(view.leader, formatting.GONE)))
                self.bars.append(bar)
            last[robot] = bar
        self._last, self._before = last, frame
        self.bars = [bar for bar in self.bars if bar.right >= self.now - self.span]


def _changes(last: Frame, frame: Frame) -> Iterator[str]:
    """Yield the texts of the events between two frames: leaders, silences and notes."""
    before, after = last.snapshot, frame.snapshot
    for robot, view in after.robots.items():
        old = before.robots.get(robot)
        if robot in before.gone:
            yield f'robot {robot} is heard again'
        elif old is not None and old.leader != view.leader and robot in (old.leader, view.leader):
            yield formatting.change_text(robot, view.leader, frame.because.get(robot, ''))
    for robot in before.robots.keys() & after.gone.keys():
        others = len(snapshots.regions(before).get(robot, ())) - 1
        yield f'robot {robot} is silent' + (
            f', which led {count(others, "other")}' if others > 0 else '')
    if frame.note and frame.note != last.note:
        yield frame.note


INK, FAINT = '#2b2f36', '#8a9099'
"""Colours of texts and edges. The faint one is readable on white and on black."""
LINK, WALL, WALL_EDGE = '#9aa0a8', '#d5d8dc', '#a3a9b1'
PEAK: formatting.Colour = formatting.colour(1)
OUTLINE_MARGIN = 0.45
"""Distance of a region's outline from its members [m]."""
REGION_FILL, REGION_EDGE = 0.13, 0.75
"""Opacity of a region."""


class Label(NamedTuple):
    """A text beside a robot."""

    text: str
    position: Position
    above: int
    """Upwards from the robot [points]."""
    remark: bool
    """Whether the line is a remark or an alarm, in the colour of the note."""


class Drawing(NamedTuple):
    """The moving parts of a picture. Robots have a position."""

    robots: list[RobotView]
    """All but leaders."""
    leaders: list[RobotView]
    gone: list[RobotView]
    links: list[list[Position]]
    """Both ends of each."""
    regions: list[tuple[formatting.Colour, Ring]]
    """Outlines, but of patrols; in the note's colour where the leader raises an alarm."""
    parts: list[tuple[formatting.Colour, Ring]]
    """The parts of patrols."""
    uncertain: list[RobotView]
    """Robots with a finite deviation."""
    labels: list[Label]


def drawing(frame: Frame, communication_range: float) -> Drawing:
    """
    Return the moving parts of the picture of a frame.

    :param communication_range: robots within this distance are linked by a line [m], 0 for no
        lines.
    """
    snapshot = frame.snapshot
    placed = [robot for robot in snapshot.robots.values() if robot.position is not None]
    leaders = [robot for robot in placed if robot.leader == robot.id]
    alarms = {robot.id for robot in leaders if snapshots.alarmed(snapshot, robot.id)}
    members = ((leader, snapshots.positions(snapshot, ids))
               for leader, ids in snapshots.regions(snapshot).items())
    parts = patrol_parts(snapshot)
    pairs = snapshots.links(snapshot, communication_range) if communication_range > 0.0 else []
    shown = snapshot.robots | snapshot.gone
    texts = [
        *((formatting.label(robot) + (' alarm' if robot.id in alarms else ''), robot, 15,
           robot.id in alarms) for robot in leaders),
        *((text, shown[i], -15, True) for i, text in frame.remarks.items() if i in shown)]
    return Drawing(
        [robot for robot in placed if robot.leader != robot.id], leaders,
        [robot for robot in snapshot.gone.values() if robot.position is not None],
        [snapshots.positions(snapshot, pair) for pair in pairs],
        [(formatting.NOTE if leader in alarms else frame.colours[leader],
          tuple(outline(places, OUTLINE_MARGIN).exterior.coords))
         for leader, places in members if places and not parts.get(leader)],
        [(frame.colours[leader], ring) for leader, rings in parts.items() for ring in rings],
        [robot for robot in placed if math.isfinite(robot.deviation)],
        [Label(text, robot.position, above, remark) for text, robot, above, remark in texts
         if robot.position is not None])


def spot(robot: RobotView, frame: Frame) -> tuple[str, str, float]:
    """Return fill, edge and edge width of a robot's symbol, hollow without a mandate."""
    tint = formatting.hexadecimal(frame.colours[robot.leader])
    if not robot.ruled:
        return 'white', tint, 1.8
    return tint, INK if robot.leader == robot.id else 'white', 0.9


SIGNS = {'*': '★', 'o': '●', 'x': '×', '-': '—', '--': '╌'}


class Entry(NamedTuple):
    """An entry of the legend; symbols as in matplotlib."""

    text: str
    symbol: str = ''
    """``*``, ``o``, ``x``, a line ``-`` or ``--``, empty for none."""
    colour: str = FAINT
    hollow: str = ''
    """The colour inside, empty for that of the symbol."""
    size: float = 7.0
    """The size of a marker, or ten times the width of a line [points]."""

    @property
    def sign(self) -> str:
        """Return the symbol as a character."""
        signs = {'*': '☆', 'o': '○'} if self.hollow else SIGNS
        return signs.get(self.symbol, '')


def legend(frames: Sequence[Frame], rings: Rings, communication_range: float) -> list[Entry]:
    """Return the legend of these frames, without links if the range is 0."""
    robots = [robot for frame in frames for robot in frame.snapshot.robots.values()]
    mandates = any(robot.term is not None for robot in robots)
    found = [Entry('leader that acts' if mandates else 'leader', '*', size=11),
             Entry("robot, in its leader's colour", 'o')]
    if communication_range > 0.0:
        found.append(Entry('in radio range', '-', size=8))
    if mandates:
        found += [Entry('leader that only leads', '*', hollow='white', size=11),
                  Entry('robot under no mandate', 'o', hollow='white')]
    if any(frame.snapshot.gone for frame in frames):
        found.append(Entry('silent', 'x', formatting.hexadecimal(formatting.GONE)))
    if any(math.isfinite(robot.deviation) for robot in robots):
        found.append(Entry('wide: believed position ± 1 deviation', 'o', hollow='none', size=9))
    if any(math.isfinite(robot.members) for robot in robots if robot.leader == robot.id):
        found.append(Entry('(12): the leader counts 12 robots'))
    if any(patrol_parts(frame.snapshot) for frame in frames[-1:]):
        found.append(Entry('part of a patrol', '-', size=18))
    if rings.peaks:
        found.append(Entry('1/2, 9/10 of the peak', '--', formatting.hexadecimal(PEAK), size=15))
    return found
