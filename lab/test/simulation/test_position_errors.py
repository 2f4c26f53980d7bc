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

"""Errors of positions: by hand, by their statistics, and their effect on an election."""

from collections.abc import Iterable, Sequence
import math
from typing import Any

from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.pose_estimates import odometry_covariance
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.experiment.schema import Localisation
from leader_election_lab.simulation.position_errors import PositionErrors
from leader_election_lab.simulation.run import Run, simulate
import numpy as np
from numpy.typing import NDArray
import pytest
from simulations import scene, WALK

NO_NOISE: dict[str, Any] = {
    'model': 'drift', 'initial_deviation': [0, 0], 'odometry_noise_position': 0,
    'odometry_noise_turn': 0, 'odometry_noise_heading': 0, 'odometry_noise_rest': 0}
MANY = 20_000
"""Sample size: an estimated standard deviation is off by 1 % at most (two standard errors)."""
CLOSE = 0.02


def errors(devices: int = 1, seed: int = 0, **parameters: Any) -> PositionErrors:
    """Return the errors of devices that begin at the origin."""
    return PositionErrors(
        Localisation(**{**NO_NOISE, **parameters}), np.zeros((devices, 2)),
        np.zeros((devices, 2)), np.arange(devices), np.random.default_rng(seed))


def walked(made: PositionErrors, points: Iterable[Sequence[float]]) -> NDArray[np.float64]:
    """Return the errors of devices that all walk from point to point, one a second."""
    for point in points:
        made.advance(np.tile(np.asarray(point, float), (len(made.error), 1)), 1.0)
    return made.error.copy()


# Drift.


def test_heading_error_rotates_the_path():
    made = errors(initial_deviation=[0.0, 0.4])
    [error] = walked(made, [(2, 0)])
    # Dead reckoning gives 2 m in another direction, and twice that after 4 m.
    assert np.hypot(*(error + (2.0, 0.0))) == pytest.approx(2.0)
    assert abs(error[1]) > 0.01
    assert walked(made, [(4, 0)])[0] == pytest.approx(2.0 * error)
    # Back at the start the rotated displacements cancel.
    assert walked(made, [(4, 3), (0, 0)])[0] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_noise_of_the_position_grows_with_the_root_of_the_way():
    error = walked(errors(MANY, odometry_noise_position=0.06), [(1, 0), (2, 0), (4, 0)])
    assert error.std(axis=0) == pytest.approx([0.12, 0.06], rel=CLOSE)
    # Along y the axes are exchanged.
    error = walked(errors(MANY, odometry_noise_position=0.06), [(0, 4)])
    assert error.std(axis=0) == pytest.approx([0.06, 0.12], rel=CLOSE)


def test_noise_of_the_heading_moves_the_end_sideways():
    # Half of the heading noise of the first metre rotates that metre, all of it the second one.
    # Half of the noise of the second metre is added: 0.03 m times the root of (3/2)^2 + (1/2)^2.
    error = walked(errors(MANY, odometry_noise_heading=0.03), [(1, 0), (2, 0)])
    assert error[:, 1].std() == pytest.approx(0.03 * math.sqrt(2.5), rel=CLOSE)
    assert abs(error[:, 0]).max() < 0.02


def test_noise_of_a_turn_counts_from_the_turn_on():
    made = errors(MANY, odometry_noise_turn=0.04)
    # No noise without a turn, nor for displacements too short for a direction.
    assert not walked(made, [(1, 0), (2, 0), (2, 0), (2, 0.009), (2, 0)]).any()
    turned = 0.04 * math.sqrt(math.pi / 2.0)
    error = walked(made, [(2, 1)])
    assert error[:, 0].std() == pytest.approx(turned / 2.0, rel=CLOSE)
    assert walked(made, [(2, 2)])[:, 0].std() == pytest.approx(turned * 1.5, rel=CLOSE)


def test_noise_is_that_of_the_filter():
    made = errors(MANY, **{name: getattr(LocalisationParameters(), name) for name in (
        'odometry_noise_position', 'odometry_noise_turn', 'odometry_noise_heading')})
    walked(made, [(0.02, 0.0)])
    before = made.error.copy()
    after = walked(made, [(0.02, 1.0)]) - before
    assumed = odometry_covariance((1.0, 0.0, math.pi / 2.0), 0.0, LocalisationParameters())
    # The displacement is to the left: along is y, and across is -x.
    assert after.std(axis=0)[::-1] == pytest.approx(np.sqrt(np.diag(assumed)[:2]), rel=3.0 * CLOSE)


def test_errors_grow_with_the_root_of_time_at_rest():
    error = walked(errors(MANY, odometry_noise_rest=1e-3), [(0, 0)] * 100)
    assert error.std(axis=0) == pytest.approx([0.01, 0.005], rel=CLOSE)


def test_reported_motion_is_the_true_one_divided_by_the_factors():
    made = errors(model='scaled', distance_factor=[0.5, 0.5], turn_factor=[0.5, 0.5])
    # 1 m is reported as 2 m, a turn to the left of 45 degrees as one of 90 degrees.
    assert walked(made, [(1, 0)])[0] == pytest.approx([1.0, 0.0])
    assert walked(made, [(2, 1)])[0] == pytest.approx([2.0 - 2.0, 2.0 * math.sqrt(2.0) - 1.0])
    # Back to the right the reported heading is right again.
    assert walked(made, [(3, 1)])[0] == pytest.approx([1.0, 2.0 * math.sqrt(2.0) - 1.0])


def test_factors_are_drawn_evenly_for_each_device():
    error = walked(errors(MANY, model='scaled', distance_factor=[0.8, 1.25]), [(1, 0)])
    drawn = np.sort(1.0 / (1.0 + error[:, 0]))
    assert drawn == pytest.approx(np.linspace(0.8, 1.25, MANY), abs=0.01)
    one, other = (walked(errors(5, seed, model='scaled'), [(1, 0)]) for seed in (1, 2))
    assert not np.allclose(one, other)


# The effect of a filter.


def cooperative(devices: int = MANY, **parameters: Any) -> PositionErrors:
    return errors(devices, **{'model': 'cooperative', 'deviation': 0.12, **parameters})


@pytest.mark.parametrize('seconds', [0, 1, 40])
def test_errors_are_stationary_with_the_given_deviation(seconds):
    error = walked(cooperative(), [(k, k) for k in range(seconds)])
    assert np.sqrt((error ** 2).sum(axis=1).mean()) == pytest.approx(0.12, rel=CLOSE)
    # Two devices 50 m apart: the error of their distance is that along the line.
    apart = np.hypot(50.0 + error[1::2, 0] - error[::2, 0], error[1::2, 1] - error[::2, 1]) - 50.0
    assert apart.std() == pytest.approx(0.12, rel=CLOSE)


@pytest.mark.parametrize(('lasting', 'seconds', 'left'), [
    (17.0, 17, math.exp(-1.0)), (6.0, 3, math.exp(-0.5)), (0.0, 1, 0.0)])
def test_correlation_of_errors_falls(lasting, seconds, left):
    made = cooperative(correlation_time=lasting)
    before = made.error.copy()
    after = walked(made, [(0, 0)] * seconds)
    assert np.corrcoef(before.ravel(), after.ravel())[0, 1] == pytest.approx(left, abs=CLOSE)


def test_drift_of_the_common_frame_changes_no_distance():
    still, drifting = cooperative(5, frame_drift=0.0), cooperative(5, frame_drift=2.0)
    for made in (still, drifting):
        walked(made, [(k, 0) for k in range(30)])
    assert np.array_equal(still.error, drifting.error)
    place = np.zeros((5, 2))
    moved = drifting.reported(place) - still.reported(place)
    assert moved == pytest.approx(np.tile(moved[0], (5, 1))) and np.hypot(*moved[0]) > 1.0


@pytest.mark.parametrize('model', ['drift', 'scaled', 'cooperative'])
def test_errors_follow_ids_in_any_order_of_storage(model):
    order = np.array([2, 0, 3, 1])
    position = np.arange(8.0).reshape(4, 2)
    stored = []
    for places in (np.arange(4), order):
        made = PositionErrors(Localisation(model=model), position[places], np.zeros((4, 2)),
                              places, np.random.default_rng(1))
        made.advance(2.0 * position[places], 1.0)
        stored.append(made.error)
    assert np.array_equal(stored[0][order], stored[1])


# Estimated distances.


def same(one: Run, other: Run) -> bool:
    """Return whether two runs are the same to the last bit."""
    return (np.array_equal(one.samples, other.samples, equal_nan=True)
            and np.array_equal(one.counts, other.counts))


SCENES: dict[str, dict[str, Any]] = {
    'walk': {'motion': WALK},
    'links': {'devices': [{'kind': 'grid', 'columns': 7, 'rows': 2, 'step': [9, 9],
                           'linked': True}]},
    'events': {'motion': WALK, 'events': [{'kind': 'die', 'at': 8.3, 'share': 0.3},
                                          {'kind': 'corrupt', 'at': 12, 'share': 0.5}]},
    'sensing': {'motion': WALK, 'messages': {'range': 25, 'metric': 'sensor_difference'},
                'sensor': {'peaks': [30.0, 30.0, 50.0], 'period': 2.5}},
}


@pytest.mark.parametrize('sections', SCENES.values(), ids=SCENES)
def test_zero_errors_are_exact_to_the_last_bit(sections):
    plain = simulate(scene(**sections), 'bounded', 1)
    for localisation in (
            {'model': 'exact', 'deviation': 5.0}, NO_NOISE, {**NO_NOISE, 'interval': 0.3},
            {'model': 'cooperative', 'deviation': 0.0, 'frame_drift': 0.0}):
        assert same(plain, simulate(scene(**sections, localisation=localisation), 'bounded', 1))
    # A communication range beyond the radio's reach has no effect.
    assert same(plain, simulate(
        scene(**sections, localisation={'communication_range': 200.0}), 'bounded', 1))


def erring(model: str, **sections: Any) -> Scenario:
    return scene(motion=WALK, localisation={'model': model, 'deviation': 5.0}, **sections)


@pytest.mark.parametrize('model', ['drift', 'scaled', 'cooperative'])
def test_errors_follow_from_the_seed_and_touch_no_other_draw(model):
    one = simulate(erring(model), 'bounded', 3, [29.0])
    assert same(one, simulate(erring(model), 'bounded', 3))
    plain = simulate(scene(motion=WALK), 'bounded', 3, [29.0])
    assert not same(one, plain)
    assert np.array_equal(one.snapshots[0].position, plain.snapshots[0].position)


def test_communication_range_limits_hops():
    def limit(**sections: Any) -> int:
        settings: Any = scene(algorithms=[{'name': 'bounded', 'radius': 60, 'hop_limit': 0}],
                              **sections).entrants[0].parameters
        return int(settings.hop_limit)
    assert limit(messages={'range': 50}, localisation={'communication_range': 25}) == limit() \
        != limit(messages={'range': 50})
