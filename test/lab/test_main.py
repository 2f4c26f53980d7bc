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

"""The command ``lab``: as a process, and its options."""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
import signal
import subprocess
import sys

from lab.small_scenario import TEXT, VARIED, write
from leader_election.lab import main, results, scenario
from leader_election.lab.options import parse_options
from leader_election.lab.results import Key, ResultError
from leader_election.lab.scenario import ScenarioError
import pytest

LAB = [sys.executable, '-m', 'leader_election', 'lab']


def run(*arguments: object) -> 'subprocess.CompletedProcess[str]':
    return subprocess.run([*LAB, *map(str, arguments)], capture_output=True, text=True,
                          timeout=200, stdin=subprocess.DEVNULL)


def small(folder: Path, *arguments: object, text: str = TEXT) -> tuple[object, ...]:
    return ('run', write(folder, text), '--results', folder / 'out', '--no-animation', *arguments)


def failed(done: 'subprocess.CompletedProcess[str]') -> str:
    """Return the one line that a process that failed said."""
    assert done.returncode == 2, done.stdout + done.stderr
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


def test_run(tmp_path: Path) -> None:
    done = run(*small(tmp_path, '--seeds', 3, '--workers', 1))
    assert (done.returncode, done.stderr) == (0, '')
    rows = [line.split() for line in done.stdout.splitlines()]
    # The means of both, and the difference to the first.
    assert [row[:2] for row in rows if row and row[0] in ('classic', 'bounded')] == [
        ['classic', '3'], ['bounded', '3'], ['bounded', '3']]
    assert rows[-1] == ['wrote', str(tmp_path / 'out' / 'small.nc')]
    assert '6 of 6 runs' in done.stdout
    two = run(*small(tmp_path, '--seeds', 3, '--workers', 2, '--results', tmp_path / 'two'))
    assert two.returncode == 0
    assert results.load(tmp_path / 'out' / 'small.nc').equals(
        results.load(tmp_path / 'two' / 'small.nc'))


def test_the_run_that_is_animated_is_named(tmp_path: Path) -> None:
    arguments = [argument for argument in small(tmp_path, '--seeds', '4-5', text=VARIED)
                 if argument != '--no-animation']
    out = tmp_path / 'out' / 'small_classic.gif'
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, '')
    assert done.stdout.splitlines()[-1] == (
        f'wrote {out}: seed 4, messages.loss=0, rounds.phase=random')
    out.unlink()
    out.mkdir()
    # Reported before anything is run.
    assert failed(run(*arguments, '--again')) == (
        f'error: {out} cannot be written: it is a folder; move it away\n')
    assert results.load(tmp_path / 'out' / 'small.nc').sizes['seed'] == 2


def test_stopped_and_taken_up_again(tmp_path: Path) -> None:
    arguments = small(tmp_path, '--seeds', 300, '--algorithm', 'bounded', '--workers', 1)
    with subprocess.Popen([*LAB, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        assert next(line for line in lab.stdout if ' of 300 runs: ' in line)
        lab.send_signal(signal.SIGINT)
        _, error = lab.communicate(timeout=60)
    assert lab.returncode == 130, error
    assert error == ('stopped; finished runs are kept, and the same command goes on from there\n')
    assert not (tmp_path / 'out' / 'small.nc').exists()
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    words = next(line for line in done.stdout.splitlines() if 'are there already' in line).split()
    assert 0 < int(words[1]) < 300
    assert results.present(results.load(tmp_path / 'out' / 'small.nc')) == {
        Key('bounded', 0, seed) for seed in range(300)}


def test_a_result_cut_short(tmp_path: Path) -> None:
    arguments = small(tmp_path, '--seeds', 1)
    path = tmp_path / 'out' / 'small.nc'
    assert run(*arguments).returncode == 0
    path.write_bytes(path.read_bytes()[:1000])
    assert failed(run(*arguments)).startswith(f'error: {path} cannot be read')
    assert run(*arguments, '--again').returncode == 0
    assert len(results.present(results.load(path))) == 2


@pytest.mark.parametrize(('arguments', 'error'), [
    (('--set', 'messages.loss=1.5'),
     'scenario small: messages.loss: 1.5 is not allowed; it takes 0 to 1'),
    (('--algorithm', 'nix'), "scenario small has no algorithm 'nix'; it has classic, bounded")])
def test_what_a_scenario_does_not_take(
        tmp_path: Path, arguments: tuple[str, ...], error: str) -> None:
    assert failed(run(*small(tmp_path, *arguments))) == f'error: {error}\n'


def test_a_scenario_that_is_not_there() -> None:
    assert failed(run('run', 'nowhere.yaml')).startswith('error: scenario nowhere.yaml: cannot be')


def test_settings_change_what_is_run(tmp_path: Path) -> None:
    done = run(*small(tmp_path, '--seeds', '4-5', '--algorithm', 'bounded',
                      '--set', 'messages.loss=1', '--set', 'duration=9'))
    assert done.returncode == 0, done.stderr
    dataset = results.load(tmp_path / 'out' / 'small.nc')
    assert dataset['seed'].values.tolist() == [4, 5] and dataset.sizes['time'] == 9
    # No device receives from another: all lead.
    assert (dataset['leaders'].values[..., -1] == 30).all()


def test_list_names_all_scenarios(tmp_path: Path) -> None:
    done = run('list', '--results', tmp_path)
    assert done.returncode == 0, done.stderr
    # A line that begins farther to the right goes on with the one above.
    rows = [line.split() for line in done.stdout.splitlines() if line[:3].strip()]
    assert {row[0]: row[-1] for row in rows[2:]} == {name: '0' for name in scenario.names()}


def called(command: Callable[[Namespace], int], *arguments: object) -> int:
    """Return the status of a command in this process."""
    return command(parse_options([*map(str, arguments)]))


def test_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of_scenario = ('compare', write(tmp_path), '--results', tmp_path / 'out')
    with pytest.raises(ResultError, match=rf'{tmp_path}/out/small.nc is not there; it is made by: '
                       rf'lab run {tmp_path}/small.yaml'):
        called(main.compare, *of_scenario)
    assert called(main.run, *small(tmp_path, '--seeds', 4)) == 0
    capsys.readouterr()
    assert called(main.compare, *of_scenario, '--measure', 'leaders', '--measure', 'led') == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[:3] for row in rows if row[:1] == ['bounded']] == 2 * [['bounded', 'classic', '4']]
    of_both = ('--algorithm', 'classic', '--algorithm', 'bounded')
    assert called(main.compare, *of_scenario, *of_both) == 0
    assert 'Paired differences: instability' in capsys.readouterr().out
    with pytest.raises(ResultError, match="measure 'nix' is not allowed; it takes one of insta"):
        called(main.compare, *of_scenario, '--measure', 'nix')
    with pytest.raises(ScenarioError, match="--algorithm: 'bounded' is not allowed alone; it tak"):
        called(main.compare, *of_scenario, '--algorithm', 'bounded')


def test_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of_scenario = ('export', write(tmp_path), '--results', tmp_path / 'out')
    with pytest.raises(ResultError, match='small.nc is not there; it is made by: lab run'):
        called(main.export_results, *of_scenario)
    assert called(main.run, *small(tmp_path, '--seeds', 2)) == 0
    capsys.readouterr()
    for more, name, rows in ((), 'small.csv', 80), (('--summary',), 'small_summary.csv', 4):
        assert called(main.export_results, *of_scenario, *more) == 0
        out = capsys.readouterr().out
        assert out.splitlines()[-1] == f'wrote {tmp_path / "out" / name}: {rows} rows'
        assert [line.split()[:2] for line in out.splitlines() if 'mean_radius' in line] == [
            ['mean_radius', 'm']]
        assert len((tmp_path / 'out' / name).read_text().splitlines()) == rows + 1
    with pytest.raises(ResultError, match=r'x.txt is not allowed; it takes a name that ends in'):
        called(main.export_results, *of_scenario, '--out', 'x.txt')


def test_seeds_until_a_width_is_reached(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ResultError, match="measure 'nix' is not allowed; it takes one of inst"):
        called(main.run, *small(tmp_path, '--measure', 'nix', '--until-width', '5%'))
    assert not (tmp_path / 'out').exists()
    arguments = small(tmp_path, '--measure', 'leaders', '--seeds', 30, '--until-width')
    assert called(main.run, *arguments, '1e3') == 0
    assert 'leaders: every interval is ± 1000 or narrower with 20 seeds' in capsys.readouterr().out
    assert called(main.run, *arguments, '1e-6%') == 1
    out = capsys.readouterr().out
    assert 'of the mean is not reached with 30 seeds: bounded - classic is ±' in out
    assert results.load(tmp_path / 'out' / 'small.nc').sizes['seed'] == 30


def test_figure_and_report_of_any_scenario(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ('--results', tmp_path / 'out')
    path = write(tmp_path)
    with pytest.raises(ResultError, match=f'it is made by: lab run {path}'):
        called(main.figure, 'figure', path, *folder)
    with pytest.raises(ResultError, match="no results 'nix' in .*, or is one of acsos2022_"):
        called(main.figure, 'figure', 'nix', *folder)
    with pytest.raises(ResultError, match='--measure is not allowed with map, whose measures are'):
        called(main.figure, 'figure', 'map', '--measure', 'led', *folder)
    called(main.run, *small(tmp_path, '--seeds', 2))
    capsys.readouterr()
    assert called(main.figure, 'figure', path, *folder) == 0
    as_led = ('--measure', 'led', '--out', tmp_path / 'led.svg')
    assert called(main.figure, 'figure', 'small', *as_led, *folder) == 0
    assert called(main.report_own, 'report', path, *folder) == 0
    written = [Path(line.removeprefix('wrote ')) for line in
               capsys.readouterr().out.splitlines()]
    assert written == [tmp_path / 'out' / 'figures' / 'small.png', tmp_path / 'led.svg',
                       tmp_path / 'out' / 'small.md']
    assert all(file.stat().st_size > 1000 for file in written)
