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

"""The world as a whole: seeds, odometry and its errors, replay."""

from leader_election.simulation.kinematics import Array, relative
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.world import World
import numpy as np
import pytest


def after(steps: int, **settings: object) -> World:
    world = World(WorldParameters(**settings))  # type: ignore[arg-type]
    for _ in range(steps):
        world.step()
    return world


def composed(world: World) -> Array:
    """Return the poses by odometry, from the true starts."""
    x, y, yaw = np.array(world.scene.starts).T
    dx, dy, turn = world.odometry.T
    return np.column_stack((x + np.cos(yaw) * dx - np.sin(yaw) * dy,
                            y + np.sin(yaw) * dx + np.cos(yaw) * dy, yaw + turn))


def test_odometry_is_true_by_default_even_along_walls() -> None:
    world = after(300, robots=20, motion='levy', speed=1.0)
    assert np.hypot(*(world.poses - np.array(world.scene.starts))[:, :2].T).max() > 2.0
    assert np.allclose(composed(world), world.poses, atol=1e-8)
    assert world.measured.tolist() == world.velocities.tolist()
    assert world.time == pytest.approx(30.0)


def test_a_seed_repeats_a_run_and_errors_do_not_change_the_motion() -> None:
    noisy = {'robots': 10, 'motion': 'levy', 'linear_noise': 0.1, 'angular_bias': 0.1}
    first, again = after(50, seed=4, **noisy), after(50, seed=4, **noisy)
    assert first.poses.tolist() == again.poses.tolist()
    assert first.odometry.tolist() == again.odometry.tolist()
    assert after(50, seed=4, robots=10, motion='levy').poses.tolist() == first.poses.tolist()
    assert after(50, seed=5, **noisy).poses.tolist() != first.poses.tolist()


def test_scale_errors_are_constant_and_differ_between_robots() -> None:
    world = after(0, robots=100, motion='cmd_vel', world='empty', robot_radius=0.0, layout='grid',
                  linear_scale_error=0.1)
    assert world.commands is not None
    for robot in range(100):
        world.commands.command(robot, 0.5, 0.0, now=0.0)
    for _ in range(4):
        world.step()
    ratios = world.odometry[:, 0] / 0.2
    assert 0.07 < ratios.std() < 0.13
    assert np.allclose(world.measured[:, 0], 0.5 * ratios)
    assert not world.odometry[:, 1:].any()


@pytest.mark.parametrize('step_rate', [10.0, 40.0])
def test_noise_grows_with_the_root_of_time_at_any_step_rate(step_rate: float) -> None:
    world = after(int(4 * step_rate), robots=400, world='empty', robot_radius=0.0,
                  step_rate=step_rate, linear_noise=0.05)
    assert 0.085 < world.odometry[:, 0].std() < 0.115  # 0.05 * sqrt(4 s)
    assert world.poses.tolist() == np.array(world.scene.starts).tolist()


def test_wheels_that_slip_at_walls_do_not_move_the_robot() -> None:
    world = after(600, robots=20, motion='levy', speed=1.0, levy_push=2.0, contact_slip=1.0)
    stopped = after(600, robots=20, motion='levy', speed=1.0, levy_push=2.0)
    assert np.array_equal(world.poses, stopped.poses)
    assert np.array_equal(np.abs(world.velocities[:, 0]) < 1e-9, stopped.velocities[:, 0] == 0.0)
    assert np.allclose(composed(stopped), stopped.poses, atol=1e-8)
    assert np.hypot(*(composed(world) - world.poses)[:, :2].T).max() > 2.0


def test_a_bias_turns_odometry_of_a_robot_at_rest() -> None:
    world = after(10, robots=400, world='empty', robot_radius=0.0, angular_bias=0.2)
    assert 0.17 < world.odometry[:, 2].std() < 0.23
    assert not world.velocities.any()


def test_replayed_odometry_drifts_from_the_replayed_truth() -> None:
    world = after(1200, logs='physics5')
    assert world.ended
    assert [log.poses[-1].tolist() for log in world.scene.logs] == world.poses.tolist()
    drift = np.hypot(*(composed(world) - world.poses)[:, :2].T)
    assert np.all(drift > 0.01) and np.all(drift < 4.0)
    # The same as integrating every row from the true start, with the book's formula.
    log = world.scene.logs[1]
    x, y, yaw = log.poses[0]
    for v, omega in log.velocities[:-1]:
        middle = yaw + omega * 0.05
        x, y, yaw = x + v * 0.1 * np.cos(middle), y + v * 0.1 * np.sin(middle), yaw + omega * 0.1
    assert np.allclose(composed(world)[1], (x, y, yaw), atol=0.01)


def test_the_true_pose_can_be_replayed_as_odometry() -> None:
    world = after(600, logs='physics5', odom_source='truth', angular_bias=1.0)
    assert not world.ended
    assert np.allclose(composed(world), world.poses, atol=1e-9)
    assert np.allclose(world.odometry, relative(np.array(world.scene.starts), world.poses))
    assert world.measured.tolist() == world.velocities.tolist()


def test_robots_stand_still_after_a_replay() -> None:
    world = after(122, logs='physics5', step_rate=1.0)
    assert world.ended
    last = world.poses.tolist(), world.odometry.tolist()
    world.step()
    assert (world.poses.tolist(), world.odometry.tolist()) == last
    assert not world.velocities.any()


def test_messages_are_sent_by_id() -> None:
    world = after(0, robots=3, first_id=7, world='empty', layout='grid', radio_range=1.2)
    assert [world.send(robot, f'of {robot}', 0.0) for robot in (7, 8, 6)] == [True, True, False]
    assert [(copy.receiver, copy.message) for copy in world.radios[0].arrived(0.0)] == [
        (1, 'of 7'), (2, 'of 7'), (0, 'of 8')]


def test_odometry_fails_where_and_while_it_is_told_to() -> None:
    settings = {'robots': 3, 'first_id': 7, 'world': 'empty', 'layout': 'grid'}
    world = after(0, **settings)
    right = world.odometry.tolist()
    world.configure(WorldParameters(**settings, odom_silent='8', odom_shifted='7,9',
                                    odom_shift=2.0))
    assert world.odom_silent == {1}
    assert (world.odometry - right).tolist() == [[2.0, 0.0, 0.0], [0.0] * 3, [2.0, 0.0, 0.0]]
    world.configure(WorldParameters(**settings))
    assert world.odom_silent == set() and world.odometry.tolist() == right
