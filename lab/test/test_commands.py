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
from dataclasses import replace
from pathlib import Path
import signal
import subprocess
import sys

from example_results import present
from leader_election import ALGORITHMS
import leader_election_lab as api
from leader_election_lab import commands, subcommands
from leader_election_lab.analysis.measures import estimate_mean
from leader_election_lab.analysis.paired_differences import differences
from leader_election_lab.commands import parse_options, parse_seeds
from leader_election_lab.experiment import scenario
from leader_election_lab.experiment.scenario import ScenarioError
from leader_election_lab.runs import results, store
from leader_election_lab.runs.files import ResultError
from leader_election_lab.runs.store import Key
import pytest
from small_scenario import TEXT, VARIED, write
import yaml


def test_options_accept_numbers_up_to_the_limit():
    assert parse_seeds('1') == range(1) and parse_seeds('1000000') == range(1_000_000)
    assert parse_seeds('7-7') == range(7, 8) and parse_seeds('1-1000000') == range(1, 1_000_001)
    assert parse_seeds('2147483647-2147483648') == range(2**31 - 1, 2**31 + 1)
    assert parse_options(['run', 'x', '--workers', '1']).workers == 1


@pytest.mark.parametrize(('arguments', 'message'), [
    (['run', 'x', '--seeds', '0'], "'0' is not allowed; it takes a number of at least 1"),
    (['run', 'x', '--seeds', '5-4'], "'5-4' is not allowed"),
    (['run', 'x', '--set', 'messages.loss'], 'it takes KEY=VALUE'),
    (['run', 'x', '--workers', '0'], "'0' is not allowed; it takes a whole number from 1 to "),
    (['run', 'x', '--workers', '1000001'], "'1000001' is not allowed; it takes a whole number"),
    (['run', 'x', '--seeds', '1000001'], 'up to 1000000 of them, and none above 2147483648'),
    (['run', 'x', '--seeds', '5-2147483649'], "'5-2147483649' is not allowed"),
    (['run', 'x', '--seeds', '9' * 5000], 'is not allowed; it takes a number of at least 1'),
    (['run', 'x', '--set', 'a={b: 1, b: 2}'], 'it takes KEY=VALUE'),
    (['run'], 'SCENARIO'),
])
def test_wrong_option_ends_with_status_2_and_the_reason(arguments, message, capsys):
    with pytest.raises(SystemExit) as ended:
        parse_options(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]


def small(folder: Path, *arguments: object, text: str = TEXT) -> tuple[object, ...]:
    return ('run', write(folder, text), '--results', folder / 'out', *arguments)


class Command:
    """The command ``lab`` in this process, which has its imports already."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
                 ) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, *arguments: object) -> str:
        """Return the output of a command that succeeds."""
        status, out, error = self._ran(arguments)
        assert (status, error) == (0, '')
        return out

    def failed(self, *arguments: object) -> str:
        """Return the one-line error of a command that fails."""
        status, out, error = self._ran(arguments)
        assert status == 2, out + error
        assert len(error.splitlines()) == 1
        return error

    def _ran(self, arguments: tuple[object, ...]) -> tuple[int, str, str]:
        self.monkeypatch.setattr(sys, 'argv', ['lab', *map(str, arguments)])
        self.capsys.readouterr()
        status = commands.main()
        return status, *self.capsys.readouterr()


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(monkeypatch, capsys)


def test_run_prints_means_and_differences(tmp_path, lab):
    out = lab(*small(tmp_path, '--seeds', 3, '--workers', 1))
    rows = [line.split() for line in out.splitlines()]
    # The means of both algorithms, and the difference to the first.
    assert [row[:2] for row in rows if row and row[0] in ('classic', 'bounded')] == [
        ['classic', '3'], ['bounded', '3'], ['bounded', '3']]
    assert rows[-1] == ['wrote', str(tmp_path / 'out' / 'small.nc')]
    assert '6 of 6 runs' in out


def test_slow_modules_are_imported_only_when_needed(tmp_path, lab):
    arguments = [str(argument) for argument in small(tmp_path, '--seeds', 2)]
    lab(*arguments)
    compiler, plots = {'numba'}, {'matplotlib', 'networkx'}
    tables = {'xarray', 'pandas', 'scipy'}
    code = ['import sys'] + [
        f'import leader_election_lab.{module}; assert {slow!r}.isdisjoint(sys.modules)'
        for module, slow in (
            ('commands', compiler | plots | tables | {'numpy'}),
            ('subcommands', compiler | plots | {'leader_election_lab.runs.cluster'}),)]
    # With all runs there.
    code += [f'sys.argv = {["lab", *arguments]!r}',
             'assert leader_election_lab.commands.main() == 0',
             f'assert {compiler | plots!r}.isdisjoint(sys.modules)']
    done = subprocess.run([sys.executable, '-c', '\n'.join(code)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, '')


@pytest.mark.parametrize(('number', 'status', 'line'), [
    (signal.SIGINT, 130, 'stopped; finished runs are kept, and the same command goes on from '
     'there\n'), (signal.SIGKILL, -9, '')])
def test_stopped_command_continues(tmp_path, lab, number, status, line):
    """Its processes end with it, also when it is killed."""
    arguments = small(tmp_path, '--algorithm', 'bounded', '--workers', 1, '--seeds')
    lab(*arguments, 1, '--results', tmp_path / 'compiled')
    # More runs than any machine finishes until the signal.
    command = [sys.executable, '-m', 'leader_election', 'lab', *map(str, arguments), '5000']
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout is not None
        # Another process has compiled the code.
        assert ' of 5000 runs: ' in next(process.stdout)
        process.send_signal(number)
        _, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (status, line)
    assert not (tmp_path / 'out' / 'small.nc').exists()
    kept = sum(map(len, store.finished(tmp_path / 'out', 'small').values()))
    assert 0 < kept < 5000
    said = lab(*arguments, kept + 3)
    assert f'{kept} of {kept + 3} runs are there already' in said and '\n3 of 3 runs: ' in said
    assert present(results.load(tmp_path / 'out' / 'small.nc')) == {
        Key('bounded', 0, seed) for seed in range(kept + 3)}


@pytest.mark.parametrize(('arguments', 'error'), [
    (('--set', 'messages.loss=1.5'),
     'scenario small: messages.loss: 1.5 is not allowed; it takes 0 to 1'),
    (('--algorithm', 'nix'), "scenario small has no algorithm 'nix'; it has classic, bounded")])
def test_refused_value_is_one_line(tmp_path, arguments, error, lab):
    assert lab.failed(*small(tmp_path, *arguments)) == f'error: {error}\n'


def test_settings_change_the_scenario(tmp_path, lab):
    lab(*small(tmp_path, '--seeds', '4-5', '--algorithm', 'bounded',
               '--set', 'messages.loss=1', '--set', 'duration=9'))
    dataset = results.load(tmp_path / 'out' / 'small.nc')
    assert dataset['seed'].values.tolist() == [4, 5] and dataset.sizes['time'] == 9
    # No device receives any message: all lead.
    assert (dataset['leaders'].values[..., -1] == 30).all()


def test_list_names_all_scenarios(tmp_path, lab):
    # An indented line continues the one above.
    rows = [line.split() for line in lab('list', '--results', tmp_path).splitlines()
            if line[:3].strip()]
    assert {row[0]: row[-1] for row in rows[2:]} == dict.fromkeys(scenario.names(), '0')


def called(command: Callable[[Namespace], int], *arguments: object) -> int:
    """Return the status of a command in this process."""
    return command(parse_options([*map(str, arguments)]))


def test_compare_prints_each_pair(tmp_path, capsys):
    command = ('compare', write(tmp_path), '--results', tmp_path / 'out')
    assert called(subcommands.run, *small(tmp_path, '--seeds', 4)) == 0
    capsys.readouterr()
    assert called(subcommands.compare, *command, '--measure', 'leaders', '--measure', 'led') == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[:3] for row in rows if row[:1] == ['bounded']] == 2 * [['bounded', 'classic', '4']]
    both = ('--algorithm', 'classic', '--algorithm', 'bounded')
    assert called(subcommands.compare, *command, *both) == 0
    assert 'Paired differences: instability' in capsys.readouterr().out
    with pytest.raises(ResultError, match="measure 'nix' is not allowed; it takes one of insta"):
        called(subcommands.compare, *command, '--measure', 'leaders', '--measure', 'nix')
    with pytest.raises(ScenarioError, match="--algorithm: 'bounded' is not allowed alone; it tak"):
        called(subcommands.compare, *command, '--algorithm', 'bounded')
    with pytest.raises(ResultError, match="the results do not vary 'range'; they vary algorithm$"):
        called(subcommands.compare, *command, '--key', 'range')
    # What is refused has printed nothing before.
    assert capsys.readouterr().out == ''


def test_compare_prints_each_value_of_a_key_against_the_first(tmp_path, capsys):
    """Only ``bounded`` takes ties, so that ``classic`` has the same runs with both values."""
    vary = 'vary: {algorithms.ties: [id, nearest], messages.loss: [0, 0.5]}\n'
    text = TEXT.replace(', ties: nearest', '') + vary
    assert called(subcommands.run, *small(tmp_path, '--seeds', 4, text=text)) == 0
    capsys.readouterr()
    command = ('compare', write(tmp_path, text), '--results', tmp_path / 'out', '--key')
    assert called(subcommands.compare, *command, 'algorithms.ties') == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[:5] for row in rows if row[:1] == ['nearest']] == [
        ['nearest', 'id', name, loss, '4']
        for name in ('classic', 'bounded') for loss in ('0.0', '0.5')]
    assert [row[-2:] for row in rows if row[2:3] == ['classic']] == 2 * [['-', '-']]
    assert called(subcommands.compare, *command, 'messages.loss', '--algorithm', 'bounded') == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[:4] for row in rows if row[:1] == ['0.5']] == [
        ['0.5', '0.0', 'bounded', ties] for ties in ('id', 'nearest')]


def test_export_writes_a_row_a_time_or_a_run(tmp_path, capsys):
    command = ('export', write(tmp_path), '--results', tmp_path / 'out')
    assert called(subcommands.run, *small(tmp_path, '--seeds', 2)) == 0
    capsys.readouterr()
    for more, name, rows in ((), 'small.csv', 80), (('--summary',), 'small_summary.csv', 4):
        assert called(subcommands.export_results, *command, *more) == 0
        out = capsys.readouterr().out
        assert out.splitlines()[-1] == f'wrote {tmp_path / "out" / name}: {rows} rows'
        assert [line.split()[:2] for line in out.splitlines() if 'mean_radius' in line] == [
            ['mean_radius', 'm']]
        assert len((tmp_path / 'out' / name).read_text().splitlines()) == rows + 1
    with pytest.raises(ResultError, match='results of small have no measures of devices; they ta'):
        called(subcommands.export_results, *command, '--devices')


def test_figure_and_report_are_written_of_any_scenario(tmp_path, capsys):
    folder = ('--results', tmp_path / 'out')
    path = write(tmp_path)
    called(subcommands.run, *small(tmp_path, '--seeds', 2))
    capsys.readouterr()
    fitted = ('--size', '6,4', '--measure', 'leaders', '--range', '0,3')
    for out in (), ('--out', tmp_path / 'small.svg'):
        assert called(subcommands.figure, 'figure', 'small', *fitted, *out, *folder) == 0
    assert called(subcommands.report_own, 'report', path, *folder) == 0
    written = [Path(line.removeprefix('wrote ')) for line in capsys.readouterr().out.splitlines()]
    assert written == [tmp_path / 'out' / 'figures' / 'small.png', tmp_path / 'small.svg',
                       tmp_path / 'out' / 'small.md']
    assert all(file.stat().st_size > 1000 for file in written)
    svg = written[1].read_text()
    assert 'width="432pt" height="288pt"' in svg and '<!-- 3.0' in svg and '<!-- 3.5' not in svg


@pytest.mark.parametrize('option', ['--size=0,2', '--size=3', '--range=nan,1', '--range=1,1'])
def test_wrong_size_or_range_of_a_figure_is_refused(option: str, capsys) -> None:
    with pytest.raises(SystemExit, match='2'):
        called(subcommands.figure, 'figure', 'small', option)
    assert 'is not allowed; it takes ' in capsys.readouterr().err


# The laboratory in Python, as notebooks use it.


def test_package_has_the_names_of_its_interface_alone():
    assert all(callable(getattr(api, name)) for name in api.__all__)
    with pytest.raises(AttributeError, match="module 'leader_election_lab' has no attr"):
        api.nix  # noqa: B018


def test_load_takes_a_name_a_path_or_content(tmp_path):
    content = api.load(yaml.safe_load(TEXT), name='mine')
    read = api.load(write(tmp_path), values={'algorithms.bounded.radius': 2e1})
    assert (content.name, read.name) == ('mine', 'small')
    assert [entrant.parameters.radius for entrant in read.entrants] == [30.0, 20.0]
    assert api.load('border').name == 'border'
    with pytest.raises(ScenarioError, match='unknown scenario'):
        api.load('nix')


def test_results_have_means_and_differences(tmp_path, capsys):
    scenario = api.load(write(tmp_path, VARIED))
    api.run(scenario, 5, tmp_path)
    results = api.run(scenario, range(1, 4), tmp_path, ['bounded', 'classic'])
    assert capsys.readouterr().out == ''
    assert results['seed'].values.tolist() == [1, 2, 3]
    assert results['algorithm'].values.tolist() == ['classic', 'bounded']
    assert api.load_results('small', tmp_path).sizes['seed'] == 5
    found = api.means(results, ['leaders'])
    of_seeds = results['leaders'].sel({
        'algorithm': 'bounded', 'messages.loss': 0.5, 'rounds.phase': 'together'})
    # The first three of 20 s are left out.
    wanted = estimate_mean(of_seeds.sel(time=slice(3.5, None)).mean('time').values.astype(float))
    assert found.loc[('bounded', 0.5, 'together'), 'leaders'].tolist() == pytest.approx([*wanted])
    compared = api.compare(results, 'leaders')
    assert len(compared) == 4 and compared['seeds'].tolist() == [3] * 4
    assert compared['difference'].tolist() == [
        one.difference.value for one in differences(results, 'leaders')]
    assert len(api.figure(results, 'leaders').axes) == 2
    assert api.write_report(results, tmp_path).name == 'small.md'


def test_means_have_one_level_when_no_key_varies(tmp_path):
    found = api.run(api.load(write(tmp_path)), 2, tmp_path)
    assert api.means(found).index.tolist() == ['classic', 'bounded']


def test_register_refuses_a_name_of_the_package():
    with pytest.raises(ValueError, match="algorithm 'bounded' is registered already"):
        api.register(replace(ALGORITHMS.get('classic'), name='bounded'))
