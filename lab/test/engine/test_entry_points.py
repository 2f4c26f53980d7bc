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

"""Entry points: the engine calls the same round functions as robots."""

from dataclasses import replace
import os
from pathlib import Path
import runpy
import subprocess
import sys
from typing import Any, NamedTuple

from leader_election.election.algorithms import ALGORITHMS, BOUNDED, Device
from leader_election.election.algorithms.bounded import Candidacy
from leader_election.election.robot.parameters import ElectionParameters
from leader_election_lab.engine import entry_points
from leader_election_lab.engine.advance import advance
from leader_election_lab.engine.compilation import CACHE, cache_folder, MONTH, uncached
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.states import state_layout
import numba
from numba.core.registry import cpu_target
import pytest
from simulations import begun, called, scene


@pytest.fixture
def nothing_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile all entry points again, without the cache."""
    monkeypatch.setattr(entry_points, 'jit', uncached)
    monkeypatch.setattr(entry_points, '_COMPILED', {})


@pytest.mark.parametrize('name', ['recursive', 'recursive-replicated'])
def test_levels_beyond_the_depth_are_cleared(name: str) -> None:
    algorithm = ALGORITHMS.get(name)
    parameters = algorithm.round_parameters(
        {**vars(ElectionParameters(robot_id=0)), **algorithm.as_published})
    device = Device(1, 2.0)
    corrupted = algorithm.start(device)._replace(depth=0, **{
        field.name: tuple(map(field.type, range(len(field.padding))))
        for field in algorithm.fields if field.per_level and field.padding})
    expected = algorithm.compute(device, corrupted, [], [], parameters)
    assert expected.depth < 2
    assert called(algorithm, parameters, device, corrupted, [], []) == expected


class Radius(NamedTuple):
    """The parameters of two algorithms."""

    radius: float


def test_algorithms_can_share_a_type_of_parameters():
    def another_round(device, state, neighbours, metric, parameters):  # type: ignore
        return Candidacy(parameters.radius, state.distance, state.leader, state.hops)

    one = replace(BOUNDED, name='one', configure=Radius, round=lambda *given: given[1])
    two = replace(one, name='two', round=another_round)
    device = Device(1, 2.0)
    found = [called(algorithm, Radius(radius), device, BOUNDED.start(device), [], [])
             for algorithm in (one, two) for radius in (3.0, 4.0)]
    assert [state.value for state in found] == [-2.0, -2.0, 3.0, 4.0]


def test_round_raises_its_exception():
    def failing(device, state, neighbours, metric, parameters):  # type: ignore
        if parameters.radius > 0.0:
            raise ValueError('no such radius')
        return state

    algorithm = replace(BOUNDED, name='failing', configure=Radius, round=failing)
    with pytest.raises(ValueError, match='no such radius'):
        called(algorithm, Radius(1.0), Device(1, 2.0), BOUNDED.start(Device(1, 2.0)), [], [])


def entrants(*algorithms: dict[str, Any], **sections: Any) -> Scenario:
    return scene(algorithms=list(algorithms), duration=2, **sections)


def test_engine_is_compiled_once():
    # For all algorithms, with and without regions, and all kinds of motion.
    walls, types = [0, 0, 60, 60], set()
    for scenario in (
            entrants({'name': 'bounded', 'radius': 30}),
            entrants({'name': 'classic', 'radius': 30}, messages={
                'range': 25, 'loss': 0.5, 'delay': [0.1, 1], 'metric': 'hops'}),
            entrants({'name': 'bounded', 'radius': 30, 'regions': {}},
                     motion={'kind': 'waypoint', 'walls': walls}),
            entrants({'name': 'bounded', 'radius': 30}, rounds={'jitter': 0.1},
                     motion={'kind': 'levy', 'speed': 4, 'walls': walls}),
            entrants({'name': 'bounded', 'radius': 30}, messages={'range': 1e-3}),
            entrants({'name': 'bounded', 'radius': 30}, messages={}, devices=[
                {'kind': 'grid', 'columns': 4, 'rows': 3, 'step': [10, 10], 'linked': True}])):
        stage = begun(scenario)
        stage.run(2)
        # A call of compiled code does not look at the types again.
        types.add((numba.typeof(stage.network), numba.typeof(stage._medium)))
    assert len(advance.overloads) == len(types) == 1


# The cache of compiled code.

def test_cache_folder_is_removed_when_unused_for_a_month(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    old, young = (tmp_path / 'leader_election' / f'numba-{name}' for name in ('old', 'young'))
    for each in (old, young):
        each.mkdir(parents=True)
        (each / 'code').write_text('')
    now = young.stat().st_mtime
    os.utime(old, (now - MONTH - 60.0,) * 2)
    os.utime(young, (now - MONTH + 60.0,) * 2)
    assert cache_folder().parent == tmp_path / 'leader_election'
    assert not old.exists() and young.exists()


def test_cache_folder_is_elsewhere_when_the_home_is_missing_or_not_writable(tmp_path, monkeypatch):
    (tmp_path / 'file').write_text('')
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'file'))
    folder = cache_folder()
    assert tmp_path not in folder.parents and os.access(folder, os.W_OK)

    def no_home() -> None:
        raise RuntimeError('Could not determine home directory.')
    monkeypatch.delenv('XDG_CACHE_HOME')
    monkeypatch.setattr(Path, 'home', no_home)
    assert os.access(cache_folder(), os.W_OK)


BESIDE = """
import multiprocessing
from leader_election_lab.engine.compilation import call_compiled, compile_beside, jit
from leader_election_lab.runs.processes import compiling

@jit
def twice(number):
    return 2 * number

for time in range(2):
    compile_beside(twice, lambda: call_compiled(twice, 1))
    children = multiprocessing.active_children()
    for child in children:
        child.join()
    print(len(children))
with compiling(lambda: print('here')):
    print(call_compiled(twice, 3))
"""


def test_other_process_compiles_a_function_once(tmp_path: Path) -> None:
    script = tmp_path / 'script.py'
    script.write_text(BESIDE)
    said = subprocess.run([sys.executable, script], check=True, encoding='utf-8',
                          env={**os.environ, 'XDG_CACHE_HOME': str(tmp_path)}, capture_output=True)
    assert (said.stdout.split(), said.stderr) == (['1', '0', '6'], '')


# The layout of states in rows of a matrix.


def test_fields_that_are_sent_are_contiguous_and_scalars_come_first() -> None:
    algorithm = entrants({'name': 'bounded', 'radius': 30, 'regions': {}}).entrants[0].algorithm
    layout = state_layout(algorithm)
    words = {field: range(offset, offset + (1 if field.padding is None else len(field.padding)))
             for field, offset in zip(algorithm.fields, layout.offset)}
    assert sorted(sum(map(list, words.values()), [])) == [*range(layout.width)]
    sent = [word for field, of_field in words.items() if not field.kept for word in of_field]
    assert sorted(sent) == [*range(layout.offsets.sent_from, layout.offsets.sent_to)]
    assert max(words[field].start for field in words if field.padding is None) < min(
        words[field].start for field in words if field.padding)


def stand_in(state):  # type: ignore[no-untyped-def]
    return state


def test_rounds_of_regions_are_cached_beside_the_engine(
        nothing_compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside its source, numba would not see that a function that it calls has changed."""
    # A short function stands in for the regions, which take long to compile.
    def own_round(device, state, neighbours, metric, parameters):  # type: ignore
        return stand_in(state)

    monkeypatch.setattr(entry_points, 'coordinate', stand_in)
    algorithm = replace(BOUNDED, name='with_regions', round=own_round)
    parameters, device = BOUNDED.configure(5.0, 'id'), Device(1, 2.0)
    state = BOUNDED.start(device)
    assert called(algorithm, parameters, device, state, [], []) == state
    template, = cpu_target.typing_context.resolve_value_type(stand_in).templates
    dispatchers = [dispatcher for dispatcher, _ in template._impl_cache.values()]
    assert dispatchers
    for dispatcher in dispatchers:
        assert Path(dispatcher.stats.cache_path).is_relative_to(CACHE)


def test_functions_of_users_keep_their_own_cache(tmp_path: Path) -> None:
    assert numba.config.CACHE_DIR == os.environ.get('NUMBA_CACHE_DIR', '')
    file = tmp_path / 'mine.py'
    file.write_text('def double(x):\n    return 2 * x\n')
    double = numba.njit(cache=True)(runpy.run_path(str(file))['double'])
    assert double.stats.cache_path == str(tmp_path / '__pycache__')
    assert Path(advance.stats.cache_path).is_relative_to(CACHE)
