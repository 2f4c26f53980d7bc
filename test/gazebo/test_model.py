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

"""The robot model: inertia against sums over points, geometry, plugins, and valid SDF."""

import math
from pathlib import Path
from xml.etree import ElementTree

from gazebo.sdf_tool import misspelled, needs_specification, needs_tool, verdict
from hypothesis import given
from hypothesis import strategies as st
from leader_election.gazebo import model
from leader_election.gazebo.model import box, CHASSIS, combined, cylinder, RigidBody, sphere, WHEEL
from leader_election.gazebo.sdf import robot_colour
from leader_election.gazebo.simulator import (
    Equipment,
    Lidar,
    MAX_ACCELERATION,
    MAX_TURN_RATE,
    Simulator,
)
from leader_election.world.parameters import SceneParameters
import numpy as np
from numpy.typing import NDArray
import pytest

SIZES = st.floats(0.05, 2.0)
PLACES = st.tuples(*[st.floats(-2.0, 2.0)] * 3)


def summed(points: NDArray[np.float64], mass: float) -> RigidBody:
    """Return points of equal mass as one body."""
    centre = points.mean(axis=0)
    x, y, z = (points - centre).T
    each = mass / len(points)
    return RigidBody(mass, tuple(centre), tuple(each * np.array(
        [(y * y + z * z).sum(), (x * x + z * z).sum(), (x * x + y * y).sum()])),
        tuple(-each * np.array([(x * y).sum(), (x * z).sum(), (y * z).sum()])))


def lattice(side: int = 60) -> NDArray[np.float64]:
    """Return the centres of small cubes that fill a cube of side 2."""
    line = (np.arange(side) + 0.5) / side * 2 - 1
    return np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)


def same(one: RigidBody, other: RigidBody, within: float) -> None:
    for a, b in zip(one, other):
        assert a == pytest.approx(b, rel=within, abs=1e-9)


def test_inertia_of_solids_equals_the_sum_over_points() -> None:
    points = lattice()
    flat = np.hypot(points[:, 0], points[:, 1])
    same(box(3.0, (0.4, 1.0, 2.0)), summed(points * (0.2, 0.5, 1.0), 3.0), 1e-3)
    same(cylinder(3.0, 0.5, 3.0), summed(points[flat < 1] * (0.5, 0.5, 1.5), 3.0), 5e-3)
    same(sphere(3.0, 0.5), summed(points[np.linalg.norm(points, axis=1) < 1] * 0.5, 3.0), 5e-3)


@given(st.lists(st.tuples(st.floats(0.1, 5.0), SIZES, PLACES), min_size=1, max_size=4))
def test_inertia_of_combined_bodies_equals_the_sum_over_points(parts: list) -> None:
    """Six points stand for a sphere: the same mass, centre and moments."""
    six = np.vstack((np.eye(3), -np.eye(3)))
    bodies, points, weights = [], [], []
    for mass, radius, centre in parts:
        bodies.append(sphere(mass, radius, centre))
        points.append(six * radius * np.sqrt(3 * 0.2) + centre)
        weights.append(np.full(6, mass / 6))
    p, w = np.vstack(points), np.concatenate(weights)
    whole = combined(bodies)
    centre = w @ p / w.sum()
    off = p - centre
    matrix = (w * (off * off).sum(axis=1)).sum() * np.eye(3) - (off.T * w) @ off
    assert whole.mass == pytest.approx(w.sum())
    assert whole.centre == pytest.approx(centre, abs=1e-9)
    assert whole.moments == pytest.approx(np.diag(matrix), abs=1e-9)
    assert whole.products == pytest.approx(
        (matrix[0, 1], matrix[0, 2], matrix[1, 2]), abs=1e-9)


@pytest.mark.parametrize('body', [CHASSIS, WHEEL])
def test_the_robots_inertia_is_physically_possible(body: RigidBody) -> None:
    """Principal moments are positive, and none exceeds the sum of the other two."""
    xy, xz, yz = body.products
    a, b, c = np.linalg.eigvalsh(np.diag(body.moments)
                                 + [[0, xy, xz], [xy, 0, yz], [xz, yz, 0]])
    assert 0 < a <= b <= c <= a + b + 1e-12


ALL = Equipment(Lidar(), ground_truth=True)
SIMULATORS = list(Simulator)
GRAVITY = 9.8


def robot(simulator: Simulator, equipment: Equipment = ALL) -> ElementTree.Element:
    text = model.robot_sdf('robot_1', (1.0, -2.0, 0.5), (1.0, 0.0, 0.0), simulator, equipment)
    return ElementTree.fromstring(text)


def test_its_radius_is_the_default_of_robot_radius() -> None:
    assert model.RADIUS == SceneParameters().robot_radius
    assert model.WHEEL_SEPARATION / 2 + model.WHEEL_RADIUS <= model.RADIUS
    assert abs(model.CASTER_X) + model.CASTER_RADIUS <= model.RADIUS


def test_it_rests_on_wheels_and_caster_at_the_greatest_acceleration() -> None:
    """Its centre of mass is above their triangle, also while it brakes hard."""
    side = model.WHEEL_SEPARATION / 2
    whole = combined([model.CHASSIS] + [
        model.WHEEL._replace(centre=(0.0, y, model.WHEEL_RADIUS)) for y in (side, -side)])
    lean = whole.centre[2] * MAX_ACCELERATION / GRAVITY
    assert model.CASTER_X < whole.centre[0] - lean and whole.centre[0] + lean < 0
    assert whole.centre[1] == 0


def test_gazebo_classic_can_express_the_greatest_turn_rate() -> None:
    """It takes commands as the yaw of a quaternion, which is limited to pi."""
    assert MAX_TURN_RATE < math.pi


def test_the_drive_plugin_matches_the_model() -> None:
    drive = robot(Simulator.GZ_SIM).find('.//plugin[@filename="gz-sim-diff-drive-system"]')
    assert drive is not None
    values = {part.tag: part.text for part in drive}
    joints = {joint.get('name') for joint in robot(Simulator.GZ_SIM).iter('joint')}
    assert {values['left_joint'], values['right_joint']} == joints
    assert float(values['wheel_separation'] or 0) == model.WHEEL_SEPARATION
    assert float(values['wheel_radius'] or 0) == model.WHEEL_RADIUS
    assert (values['frame_id'], values['child_frame_id']) == ('odom', 'base_link')
    assert 'topic' not in values and 'odom_topic' not in values


def test_each_simulator_has_its_own_plugins_and_scanner() -> None:
    sim, classic = (robot(simulator) for simulator in SIMULATORS)
    assert [plugin.get('filename') for plugin in classic.iter('plugin')] == [
        'libDiffDrivePlugin.so']
    assert {plugin.get('filename') for plugin in sim.iter('plugin')} == {
        'gz-sim-diff-drive-system', 'gz-sim-pose-publisher-system'}
    assert [sensor.get('type') for each in (sim, classic) for sensor in each.iter('sensor')] == [
        'gpu_lidar', 'ray']
    assert robot(Simulator.GZ_SIM, Equipment()).find('.//sensor') is None
    # But for these the two are one robot.
    for each in (sim, classic):
        (body,) = each
        for parent in list(body.iter()):
            for part in [p for p in parent if p.tag in ('plugin', 'sensor')]:
                parent.remove(part)
    assert ElementTree.tostring(sim).split() == ElementTree.tostring(classic).split()


def test_beams_are_even_over_the_full_circle() -> None:
    for simulator in SIMULATORS:
        (sensor,) = robot(simulator, Equipment(Lidar(beams=8))).iter('horizontal')
        low, high = (float(sensor.findtext(f'{end}_angle', '')) for end in ('min', 'max'))
        assert sensor.findtext('samples') == '8'
        assert (high - low) == pytest.approx(7 / 8 * 2 * math.pi)


def test_a_scanner_detects_other_robots_even_in_contact_and_not_its_own() -> None:
    for simulator in SIMULATORS:
        body = robot(simulator, Equipment(Lidar()))
        (sensor,) = body.iter('sensor')
        height = float(sensor.findtext('pose', '').split()[2])
        begin = float(sensor.findtext('.//range/min', ''))
        for kind in ('collision', 'visual'):
            (radius,) = met(body, kind, height)
            # What is rendered begins nearer than the range, by a square root of three.
            assert radius < begin / math.sqrt(3) < begin < 2 * model.RADIUS - radius


def met(body: ElementTree.Element, kind: str, height: float) -> list[float]:
    """Return the radii of cylinders that a plane intersects; it may intersect nothing else."""
    found = []
    for link in body.iter('link'):
        foot = float((link.findtext('pose') or '0 0 0').split()[2])
        for part in link.findall(kind):
            middle = foot + float((part.findtext('pose') or '0 0 0').split()[2])
            tall = part.findtext('.//length') or (part.findtext('.//size') or '0').split()[-1]
            half = float(part.findtext('.//sphere/radius') or float(tall) / 2)
            assert half > 0
            if abs(height - middle) <= half:
                found.append(float(part.findtext('.//cylinder/radius', 'nan')))
    return found


def test_robots_have_different_colours() -> None:
    assert len({robot_colour(i) for i in range(200)}) == 200
    assert all(0 <= part <= 1 for i in range(200) for part in robot_colour(i))


@needs_tool
@pytest.mark.parametrize('simulator', SIMULATORS)
def test_the_sdf_tool_finds_it_valid(tmp_path: Path, simulator: Simulator) -> None:
    file = tmp_path / 'robot.sdf'
    file.write_text(model.robot_sdf('robot_1', (1.0, 2.0, 0.5), (1.0, 0.0, 0.0), simulator, ALL))
    assert verdict(file) == 'Valid.'


@needs_specification
@pytest.mark.parametrize('simulator', SIMULATORS)
def test_every_element_is_in_the_sdf_specification(simulator: Simulator) -> None:
    """The tool does not check this: it ignores unknown elements."""
    assert misspelled(robot(simulator)) == []
    broken = robot(simulator)
    next(broken.iter('inertia')).tag = 'inertai'
    assert misspelled(broken) == ['inertial/inertai']
