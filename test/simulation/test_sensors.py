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

"""Scalar sensors and their rates."""

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from leader_election.parameters import ParameterError
from leader_election.simulation import sensors
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.robot_body import RADIUS
from leader_election.simulation.scene import LineOfSight, load_arena
from leader_election.simulation.sensors import (
    Camera,
    field_values,
    Lidar,
    MAP_LIDAR_BEAMS,
    MAP_LIDAR_RANGE,
    MapLidar,
    nearest_possible,
    Ranging,
    RateLimiter,
)
from leader_election.simulation.world import World
import numpy as np
import pytest
import shapely


@pytest.mark.parametrize(('rate', 'expected'), [
    (0.0, []),
    # Periods begin at 0, 0.2, 0.4 ... s; 3 * 0.2 is not quite 0.6 and must not be missed.
    (5.0, [1, 2, 4, 6, 8, 10]),
    # Periods begin at 0, 1/3, 2/3, 1 s: the first steps in them.
    (3.0, [1, 4, 7, 10]),
    (10.0, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    # More than once a step is once.
    (99.0, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    # Ten seconds: once in the first.
    (0.1, [1]),
])
def test_due_steps_follow_the_rate(rate: float, expected: list[int]) -> None:
    one = RateLimiter(rate)
    assert [step for step in range(1, 11) if one.due(step * 0.1)] == expected


def test_missed_periods_are_skipped() -> None:
    one = RateLimiter(5.0)
    assert [now for now in (0.2, 1.7, 1.7, 1.75, 1.8) if one.due(now)] == [0.2, 1.7, 1.8]


def test_field_has_its_value_at_centre_width_and_far_away() -> None:
    # One width away a Gaussian has fallen to exp(-1/2) of its height, two away to exp(-2).
    places = np.array([[1.0, 2.0, 0.5], [4.0, 2.0, 0.0], [1.0, -4.0, 0.0], [900.0, 0.0, 0.0]])
    assert np.allclose(field_values((1.0, 2.0, 10.0, 3.0), places),
                       [10.0, 10.0 * math.exp(-0.5), 10.0 * math.exp(-2.0), 0.0])


def test_peaks_add_up_and_may_be_negative() -> None:
    # In the middle between two bumps of width 1 at distance 2: exp(-1/2) of each.
    two = (-1.0, 0.0, 4.0, 1.0, 1.0, 0.0, -1.0, 1.0)
    assert field_values(two, np.zeros((1, 2))) == pytest.approx([3.0 * math.exp(-0.5)])
    assert field_values((), np.zeros((2, 2))).tolist() == [0.0, 0.0]


@pytest.mark.parametrize('peaks', [(1.0, 2.0, 3.0), (0.0, 0.0, 1.0, 0.0), (0.0,) * 3 + (-1.0,)])
def test_incomplete_peaks_are_refused(peaks: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError, match='parameter reading_peaks'):
        WorldParameters(reading_peaks=peaks)


OPEN, WALL = LineOfSight([]), LineOfSight([shapely.box(0.9, -1.0, 1.1, 1.0)])
EXACT = {'ranging_rate': 1.0, 'ranging_outliers': 0.0, 'camera_rate': 1.0}
NEAR = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, math.pi], [0.0, 3.0, math.pi / 2]])
"""1 and 2 look at each other, 2 m apart; 3 is 3 m to the left of 1 and looks away from both."""
IDS = (1, 2, 3)
CROWD = 20_000


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sensors measure without noise and loss."""
    for name in ('RANGING_NOISE', 'RANGING_LOSS', 'CAMERA_NOISE', 'CAMERA_NOISE_SCALE',
                 'BEARING_NOISE', 'CAMERA_LOSS', 'CAMERA_OUTLIERS'):
        monkeypatch.setattr(sensors, name, 0.0)


def ranging(ids: Any = IDS, **settings: Any) -> Ranging:
    return Ranging(ids, WorldParameters(**EXACT | settings), np.random.default_rng(7))


def camera(sight: LineOfSight = OPEN, ids: Any = IDS, landmarks: Any = None,
           **settings: Any) -> Camera:
    return Camera(ids, landmarks or {}, sight, WorldParameters(**EXACT | settings),
                  np.random.default_rng(7))


def pairs(seen: Any) -> list[tuple[int, int]]:
    """Return the rows of observers and the ids of what they see."""
    return [(int(row), int(subject)) for row, subject in seen[:, :2]]


def errors(**settings: Any) -> Any:
    """Return the errors of the ranges that a robot measures of many, all 5 m away."""
    angles = np.linspace(0.0, 6.0, CROWD)
    poses = np.vstack(((0.0, 0.0, 0.0), np.column_stack(
        (4.99 * np.cos(angles), 4.99 * np.sin(angles), angles))))
    seen = ranging(ids=range(CROWD + 1), **settings).observe(0.0, poses, [0])
    return seen[:, 2] - 4.99


def test_both_robots_measure_a_range(exact: None) -> None:
    seen = ranging(ranging_range=3.0).observe(0.0, NEAR, [0, 1, 2])
    # 2 and 3 are 3.6 m apart.
    assert pairs(seen) == [(0, 2), (0, 3), (1, 1), (2, 1)]
    assert seen[:, 2].tolist() == [2.0, 3.0, 2.0, 3.0]
    assert np.isnan(seen[:, 3]).all()


def test_only_requested_robots_observe(exact: None) -> None:
    assert pairs(ranging().observe(0.0, NEAR, [2])) == [(2, 1), (2, 2)]
    assert ranging().observe(0.0, NEAR, []).shape == (0, 4)


def test_each_sensor_has_its_rate(exact: None) -> None:
    for sensor in (ranging(ranging_rate=2.0), camera(camera_rate=2.0)):
        counts = [len(sensor.observe(tenth / 10, NEAR, [0])) > 0 for tenth in range(10)]
        assert [tenth for tenth, any_seen in enumerate(counts) if any_seen] == [0, 5]


def test_ranges_have_their_noise_loss_and_bias() -> None:
    found = errors(ranging_bias=0.2)
    assert len(found) / CROWD == pytest.approx(0.9, abs=0.01)
    assert found.mean() == pytest.approx(0.2, abs=0.003)
    assert found.std() == pytest.approx(0.1, rel=0.03)


def test_four_of_five_range_outliers_are_reflections(exact: None) -> None:
    found = errors(ranging_outliers=0.5, ranging_bias=7.0)
    wrong = found[np.abs(found - 7.0) > 1e-9]
    assert len(wrong) / CROWD == pytest.approx(0.5, abs=0.02)
    # Uniform ones are from 0.1 to 10 m, 4.99 m being true. Reflections are 0.3 m or more too long.
    assert np.mean(wrong < 0.0) == pytest.approx(0.2 * 4.89 / 9.9, abs=0.01)
    assert np.mean((wrong > 0.0) & (wrong < 0.3)) == pytest.approx(0.2 * 0.3 / 9.9, abs=0.003)
    longer = wrong[wrong > 10.0 - 4.99] - (10.0 - 4.99)
    assert longer.mean() == pytest.approx(1.5, rel=0.25)


def test_camera_detects_robots_in_its_field_of_view(
        exact: None, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = camera().observe(0.0, NEAR, [0, 1, 2])
    assert pairs(seen) == [(0, 2), (1, 1)]
    assert seen[:, 2:].tolist() == [[2.0, 0.0], [2.0, 0.0]]
    far = NEAR * (2.6, 2.6, 1.0)
    assert pairs(camera().observe(0.0, far, [0, 1])) == []
    monkeypatch.setattr(sensors, 'FIELD_OF_VIEW', math.pi)
    wide = camera().observe(0.0, NEAR, [0, 1, 2])
    assert pairs(wide) == [(0, 2), (0, 3), (1, 1), (1, 3)]
    # Left is positive, whichever way the robot looks.
    assert wide[:, 3].tolist() == pytest.approx([0.0, math.pi / 2, 0.0, -math.atan2(3.0, 2.0)])


def test_bearings_are_wrapped(exact: None) -> None:
    poses = np.array([[0.0, 0.0, 3.0 + 4 * math.pi], [-1.0, -0.4, 0.0]])
    (_, _, _, bearing), = camera(ids=(1, 2)).observe(0.0, poses, [0])
    assert bearing == pytest.approx(math.atan2(-0.4, -1.0) + 2 * math.pi - 3.0)


def test_camera_detects_landmarks_but_nothing_behind_walls(exact: None) -> None:
    landmarks = {9: (0.5, 0.1), 8: (1.5, 0.0)}
    seen = camera(WALL, landmarks=landmarks).observe(0.0, NEAR, [0])
    assert pairs(seen) == [(0, 9)]
    assert seen[0, 2:].tolist() == pytest.approx([math.hypot(0.5, 0.1), math.atan2(0.1, 0.5)])
    assert pairs(camera(landmarks=landmarks).observe(0.0, NEAR, [0])) == [(0, 2), (0, 9), (0, 8)]


def test_sightings_of_cameras_have_their_noise_loss_and_outliers(
        monkeypatch: pytest.MonkeyPatch) -> None:
    landmarks = {10 + k: (4.0, 0.0) for k in range(CROWD)}
    monkeypatch.setattr(sensors, 'CAMERA_OUTLIERS', 0.0)
    seen = camera(landmarks=landmarks).observe(0.0, np.zeros((3, 3)), [0])[2:]
    assert seen[:, 2].mean() == pytest.approx(4.0, abs=0.02)
    assert seen[:, 2].std() == pytest.approx(math.hypot(0.05, 0.2), rel=0.05)
    assert seen[:, 3].std() == pytest.approx(0.02, rel=0.05)
    monkeypatch.setattr(sensors, 'CAMERA_OUTLIERS', 0.4)
    seen = camera(ids=(1,), landmarks=landmarks).observe(
        0.0, np.zeros((1, 3)), [0])
    assert len(seen) / CROWD == pytest.approx(0.5, abs=0.02)
    wrong = np.abs(seen[:, 3]) > 0.15
    assert np.mean(wrong) == pytest.approx(0.4 * (1.0 - 0.15 / 0.59), abs=0.02)
    assert np.abs(seen[:, 3]).max() == pytest.approx(0.59, abs=0.01)


def test_sensors_draw_from_their_own_random_streams() -> None:
    def after(**settings: Any) -> World:
        world = World(WorldParameters(
            robots=12, seed=3, motion='levy', linear_noise=0.1, **settings))
        for _ in range(20):
            world.step()
        return world

    plain, both = after(), after(ranging_rate=5.0, camera_rate=5.0)
    assert plain.sighting_sensors == () and plain.sightings([0, 1]).shape == (0, 4)
    ranges = after(ranging_rate=5.0).sightings(range(12))
    together = both.sightings(range(12))
    assert len(ranges) and ranges[:, :3].tolist() == together[:len(ranges), :3].tolist()
    assert len(together) > len(ranges)
    assert both.poses.tolist() == plain.poses.tolist()
    assert both.odometry.tolist() == plain.odometry.tolist()


def test_errors_change_while_the_world_runs() -> None:
    settings: dict[str, Any] = EXACT | {'robots': 4, 'world': 'empty', 'layout': 'grid'}
    world = World(WorldParameters(**settings))
    assert len(world.sightings(range(4))) > 0
    world.configure(WorldParameters(**settings | {'ranging_bias': 50.0}))
    for _ in range(10):
        world.step()
    ranges = world.sightings(range(4))
    assert ranges[np.isnan(ranges[:, 3]), 2].min() > 40.0


ROOM = shapely.box(-5.0, -3.0, 5.0, 3.0)
BLOCK = (shapely.box(2.0, -1.0, 3.0, 1.0),)
INF = math.inf


def lidar(arena: shapely.Polygon = ROOM, obstacles: tuple[shapely.Polygon, ...] = (),
          **settings: object) -> Lidar:
    return Lidar(arena, obstacles, **settings)  # type: ignore[arg-type]


def test_lidar_measures_walls_and_an_obstacle_with_four_beams():
    # From (0, 0) the block's side is 2 m east, the walls are 3 m north, 5 m west, 3 m south.
    poses = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, math.pi / 2], [4.0, 0.0, 0.0]])
    scanner = lidar(obstacles=BLOCK, beams=4, reach=10.0, robot_radius=0.0)
    seen = scanner.scan(poses[:1], [0])
    assert np.allclose(seen, [[2.0, 3.0, 5.0, 3.0]], atol=1e-12)
    # The same place, facing north: what was on the left is ahead.
    assert np.allclose(scanner.scan(poses[1:2], [0]), [[3.0, 5.0, 3.0, 2.0]], atol=1e-12)
    # Behind the block: 1 m to the wall, 1 m back to the block's far side at x = 3.
    assert np.allclose(scanner.scan(poses[2:], [0]), [[1.0, 3.0, 1.0, 3.0]], atol=1e-12)


def test_lidar_measures_a_slanting_wall_and_the_corners_of_a_box():
    # The hypotenuse is the line x + y = 4: 4 m away along x and y, sqrt(8) along the diagonal.
    # On the other side the legs are 1 m away, and their corner, at (-1, -1), sqrt(2).
    triangle = shapely.Polygon([(-1, -1), (5, -1), (-1, 5)])
    seen = lidar(triangle, beams=8, reach=9.0).scan(np.zeros((1, 3)), [0])[0]
    assert np.allclose(seen[:3], [4.0, math.sqrt(8), 4.0])
    assert np.allclose(seen[4:7], [1.0, math.sqrt(2), 1.0])
    # No beam slips through a corner.
    box = lidar(shapely.box(-1, -1, 1, 1), beams=8, reach=9.0)
    assert np.allclose(box.scan(np.zeros((1, 3)), [0]), [[1.0, math.sqrt(2)] * 4])


def test_robots_are_discs_that_hide_objects_behind_them():
    # Robot 1 is 2 m ahead of robot 0: its disc begins at 1.5. Robot 2 is 3 m to the left and
    # half a metre off the beam: that only touches the disc of 0.5 in one point, 3 m away.
    # Robot 3, behind robot 1, is hidden from robot 0.
    poses = np.array(
        [[0.0, 0.0, 0.0], [2.0, 0.0, math.pi], [0.5, 3.0, 0.0], [4.0, 0.0, 0.0]])
    scanner = lidar(shapely.box(-9, -9, 9, 9), beams=4, reach=20.0, robot_radius=0.5)
    assert np.allclose(scanner.scan(poses, [0]), [[1.5, 3.0, 9.0, 9.0]])
    # Robot 1 looks back at robot 0, and behind itself at robot 3. Rows are in the order asked for.
    both = scanner.scan(poses, [1, 0])
    assert np.allclose(both, [[1.5, 9.0, 1.5, 9.0], [1.5, 3.0, 9.0, 9.0]])


def test_lidar_range_is_inclusive():
    poses = np.array([[0.0, 0.0, 0.0], [3.5, 0.0, 0.0]])
    seen = {reach: lidar(beams=4, reach=reach, robot_radius=0.5).scan(poses, [0])[0]
            for reach in (2.99, 3.0)}
    assert seen[2.99].tolist() == [INF] * 4
    assert np.allclose(seen[3.0], [3.0, 3.0, INF, 3.0])


def test_ranges_are_zero_when_inside_another_robot():
    scan = lidar(beams=4, robot_radius=0.5).scan(
        np.array([[0.0, 0.0, 0.0], [0.4, 0.0, 0.0]]), [0, 1])
    assert scan.tolist() == [[0.0] * 4] * 2


def test_holes_of_an_arena_are_walls():
    # An arena with a hole in it: a courtyard round a house.
    yard = shapely.box(-5, -5, 5, 5).difference(shapely.box(1, -1, 3, 1))
    assert np.allclose(lidar(yard, beams=2, reach=9.0).scan(np.zeros((1, 3)), [0]),
                       [[1.0, 5.0]])


@given(st.floats(-4.5, 1.5), st.floats(-2.5, 2.5), st.floats(-9, 9), st.integers(1, 50))
def test_beam_ends_on_an_outline(x, y, yaw, beams):
    other = shapely.Point(-2.0, 0.0).buffer(0.3, quad_segs=256)
    if other.dwithin(shapely.Point(x, y), 0.01):
        return
    poses = np.array([[x, y, yaw], [-2.0, 0.0, 0.0]])
    scanner = lidar(obstacles=BLOCK, beams=beams, reach=4.0, robot_radius=0.3)
    solid = shapely.union_all([*BLOCK, other])
    for k, reach in enumerate(scanner.scan(poses, [0])[0]):
        along = yaw + k * scanner.increment
        far = 4.0 if reach == INF else reach

        def at(r: float, along: float = along) -> tuple[float, float]:
            return (x + r * math.cos(along), y + r * math.sin(along))

        # The disc here is a polygon that is 1e-5 m flatter than a circle.
        way = shapely.LineString([(x, y), at(far - 1e-4)]) if far > 1e-4 else shapely.Point(x, y)
        assert ROOM.covers(way) and not solid.intersects(way)
        if reach != INF:
            end = shapely.Point(at(reach))
            assert min(end.distance(ROOM.exterior), end.distance(solid)) < 1e-4


NO_ROBOTS = np.empty((0, 3))
place = st.floats(-20, 20)


def test_map_lidar_detects_walls_and_robots_in_the_frame_of_the_robot():
    map_lidar = MapLidar(load_arena('empty'), 0.25, 0.5)
    # Facing north, 1 m before the upper wall of 20 m, with a robot 2 m to its left.
    ranges = map_lidar.scan((0.0, 9.0, math.pi / 2), np.array([[-2.0, 9.0, 0.0]]))
    assert ranges[[0, MAP_LIDAR_BEAMS // 4]] == pytest.approx([1.0, 1.75])
    assert ranges[MAP_LIDAR_BEAMS // 2] == math.inf
    assert map_lidar.scan((0.0, 0.0, 0.0), NO_ROBOTS).tolist() == [math.inf] * MAP_LIDAR_BEAMS


def test_map_lidar_equals_a_scanner_when_positions_are_current():
    world, arena = World(WorldParameters(robots=12, world='rooms', seed=3)), load_arena('rooms')
    map_lidar = MapLidar(arena, RADIUS, 0.5)
    scans = Lidar(arena.outline, arena.obstacles, MAP_LIDAR_BEAMS, MAP_LIDAR_RANGE).scan(
        world.poses, range(12))
    for i, pose in enumerate(world.poses.tolist()):
        others = np.delete(world.poses, i, axis=0) * (1.0, 1.0, 0.0)
        assert np.array_equal(map_lidar.scan(tuple(pose), others), scans[i])


@given(st.lists(st.tuples(place, place, st.floats(0, 10)), max_size=5),
       st.floats(0, 2), st.floats(0, 1))
def test_map_lidar_lets_others_approach_by_their_speed_only(others, speed, touch):
    rows = np.array(others, dtype=float).reshape(-1, 3)
    before = np.hypot(rows[:, 0], rows[:, 1])
    near = nearest_possible(np.zeros(2), rows, speed, touch)
    after = np.hypot(near[:, 0], near[:, 1])
    assert np.all(after <= before + 1e-9)
    assert np.all(after >= before - speed * rows[:, 2] - 1e-9)
    assert np.all(after >= np.minimum(before, touch) - 1e-9)
