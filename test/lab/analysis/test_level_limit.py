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

"""The limit of levels of a recursive election, and the lines about it."""

from pathlib import Path

from leader_election.lab.analysis.summary import level_lines
from leader_election.lab.experiment.scenario import parse, Scenario, ScenarioError
from leader_election.lab.runs import computation as runs
from leader_election.lab.simulation.simulate import simulate, Simulation
import numpy as np
import pytest


def line(levels: int | None, **more: object) -> Scenario:
    """Return a line of 33 devices, 1 m apart, in descending strength; a level has two of them."""
    own = {} if levels is None else {'levels': levels}
    return parse({
        'duration': 60, 'strength': {'cycle': ['lower_id']}, 'messages': {'range': 1.5},
        'algorithms': [{'name': 'recursive', 'radius': 1, **own},
                       {'name': 'bounded', 'radius': 1}],
        'devices': [{'kind': 'line', 'count': 33, 'step': [1, 0]}], **more}, 'line')


def depths(scenario: Scenario) -> list[int]:
    stage = Simulation(scenario, scenario.entrants[0], 0)
    stage.play()
    found: list[int] = stage.columns.depth.tolist()
    return found


def test_the_number_of_levels_is_that_of_the_scenario() -> None:
    assert depths(line(64)) == [k // 2 for k in range(33)]
    # The default is 16: the last three devices reach the last one.
    assert depths(line(None)) == [*(k // 2 for k in range(30)), 15, 15, 15]
    assert depths(line(3)) == [0, 0, 1, 1, *[2] * 29]


def test_results_do_not_depend_on_levels_that_no_device_reaches() -> None:
    few, many = (simulate(line(levels), 'recursive', 0) for levels in (17, 64))
    assert np.array_equal(few.samples, many.samples, equal_nan=True)
    # At the last of 17 levels devices lead themselves, as the last device does anyway.
    assert few.counts[:-1].tolist() == many.counts[:-1].tolist()
    assert many.counts[-1] == 0 < few.counts[-1]


def test_a_line_states_whether_the_last_level_was_reached(tmp_path: Path) -> None:
    def lines(levels: int | None) -> list[str]:
        return list(level_lines(runs.run(line(levels), range(2), folder=tmp_path, workers=1,
                                         again=True)))
    assert lines(64) == ['recursive: no round reached the last of its 64 levels; the result is '
                         'that of an endless recursion']
    [text] = lines(None)
    hit, _, rest = text.removeprefix('recursive: ').partition(' of ')
    assert int(hit) > 2 * 3 * 10 and rest.startswith(f'{2 * 33 * 60} rounds (')
    assert 'reached the last of its 16 levels, where a device leads itself' in text


@pytest.mark.parametrize(('entry', 'message'), [
    ({'levels': 1}, 'algorithms.levels: 1 is not allowed; it takes a whole number from 2 to 1000'),
    ({'levels': 'endless'}, "algorithms.levels: 'endless' is not allowed"),
    ({'name': 'bounded', 'levels': 8}, 'algorithms.levels: algorithm bounded takes no levels')])
def test_levels_that_are_not_allowed(entry: dict[str, object], message: str) -> None:
    with pytest.raises(ScenarioError, match=f'^scenario line: {message}'):
        line(None, algorithms=[{'name': 'recursive', 'radius': 1, **entry}])


def test_levels_with_regions_and_with_replicates() -> None:
    for more in ({'name': 'recursive', 'regions': {}}, {'name': 'recursive-replicated'}):
        scenario = line(None, algorithms=[{'radius': 1, 'levels': 20, **more}])
        stage = Simulation(scenario, scenario.entrants[0], 0)
        stage.play()
        assert stage.columns.best_distance.shape == (33, 20)
        assert stage.columns.depth.max() <= 16
