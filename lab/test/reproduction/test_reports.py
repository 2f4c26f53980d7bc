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

"""The reports about the papers, and their figures by name, drawn from files."""

from dataclasses import replace
import math
from pathlib import Path

from example_results import results
from leader_election_lab.analysis.measures import Estimate
from leader_election_lab.experiment import scenario
from leader_election_lab.runs import computation as runs
from leader_election_lab.runs.files import ResultError
from PIL import Image
import pytest
import reproduction
from reproduction import figures
from reproduction.comparisons import Number, Order
from reproduction.reports import (
    aims_missed,
    conclude,
    draw_all,
    is_undecided,
    MISSED,
    papers_report,
)

GOOD = Number('bounded: rounds', Estimate(25.0, 24.0, 26.0), 24.0, 0.25)
BAD = Number('classic: rounds', Estimate(40.0, 39.0, 41.0), 20.0, 0.25)


@pytest.fixture(scope='module')
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with results of one algorithm of a paper's scenario."""
    made = tmp_path_factory.mktemp('results')
    runs.run(scenario.load('acsos2022_random'), range(2), folder=made, workers=1,
             algorithms=['bounded'])
    return made


def test_figure_is_drawn_to_a_file(folder, tmp_path):
    out = tmp_path / 'new' / 'figure.png'
    assert figures.draw('acsos2022_fig5', folder, out) == out
    with Image.open(out) as image:
        assert image.width > 1000 and image.height > 400
        # Not of a single colour.
        assert len(image.convert('RGB').getcolors(1 << 20)) > 100


def test_figure_that_cannot_be_drawn_is_an_error(folder, tmp_path):
    with pytest.raises(ResultError, match='unknown figure .nothing.; it takes one of'):
        figures.draw('nothing', folder, tmp_path / 'x.png')
    with pytest.raises(ResultError, match='acsos2022_edge.nc is not there'):
        figures.draw('acsos2022_fig6', folder, tmp_path / 'x.png')


@pytest.mark.parametrize(('place', 'message'), [
    ('x.doc', 'takes one of .*.pdf.*.png.*.svg'), ('x', 'takes one of'),
    ('folder.png', 'is a folder'), ('file/x.png', 'Not a directory|File exists'),
    ('nowhere.png', 'No such file')])
def test_figure_is_refused_when_the_file_is_not_writable(folder, tmp_path, place, message):
    (tmp_path / 'folder.png').mkdir()
    (tmp_path / 'file').write_text('')
    (tmp_path / 'nowhere.png').symlink_to(tmp_path / 'not' / 'there.png')
    with pytest.raises(ResultError, match=f'cannot be written.*{message}') as raised:
        figures.draw('acsos2022_fig5', folder, tmp_path / place)
    assert str(tmp_path / place) in str(raised.value) and '\n' not in str(raised.value)


def test_figures_without_results_are_left_out_with_the_reason(folder):
    drawn, missing = draw_all(['acsos2022_fig5', 'map', 'ifac2020_fig4'], folder)
    assert drawn == ['acsos2022_fig5']
    assert (folder / 'figures' / 'acsos2022_fig5.png').exists()
    assert missing == ['map: takes `lab run map`', 'ifac2020_fig4: takes '
                       '`lab run ifac2020_perturbed`']


def test_report_of_papers_has_tables_figures_and_missed_aims():
    name = 'acsos2022_scale_free'
    dataset = results(['bounded', 'classic'], [1.0, 2.0], 7, title='A tree')
    dataset.attrs.update(numpy='1.2.3', numba='4.5')
    text = papers_report({name: dataset}, {name: [GOOD, BAD]}, ['acsos2022_fig4', 'map'],
                         ['sweep_loss: takes `lab run sweep_loss`'], 90.0)
    lines = text.splitlines()
    assert '1 of 2 aims are met.' in lines
    assert f'- {name}, classic: rounds: 40, published 20' in lines
    assert f'Scenario `{name}`, 7 seeds.' in lines
    head = lines.index('| quantity | ours | 95 % interval | published | ratio | 95 % interval | '
                       'aim | met |')
    assert lines[head + 1:head + 4] == [
        '| --- | --- | --- | --- | --- | --- | --- | --- |',
        '| bounded: rounds | 25 | 24 to 26 | 24 | 1.04 | 1.00 to 1.08 | within 25% | yes |',
        '| classic: rounds | 40 | 39 to 41 | 20 | 2.00 | 1.95 to 2.05 | within 25% | **no** |']
    # The paper's figure is in its section, the other one below.
    headings = [lines.index(line) for line in lines if line.startswith('## ')]
    assert headings[0] < lines.index('![acsos2022_fig4](figures/acsos2022_fig4.png)') < headings[1]
    assert lines.index('## Beyond the papers') < lines.index('![map](figures/map.png)')
    assert reproduction.findings() in text and '- sweep_loss: takes `lab run sweep_loss`' in lines
    assert any('took 1.5 minutes' in line for line in lines)
    assert any('numpy 1.2.3, numba 4.5' in line for line in lines)


def test_exit_status_depends_on_missed_aims(tmp_path, capsys):
    runs_of = {'a': results(['bounded'], [1.0]), 'b': results(['classic'], [1.0])}
    assert aims_missed(runs_of, {'a': [GOOD]}) == []
    assert conclude('text', [], tmp_path) == 0
    missed = aims_missed(runs_of, {'a': [GOOD], 'b': [BAD]})
    assert missed == ['b, classic: rounds: 40, published 20']
    assert conclude('text', missed, tmp_path) == MISSED == 1
    assert (tmp_path / 'report.md').read_text() == 'text'
    assert capsys.readouterr().out.endswith('missed: b, classic: rounds: 40, published 20\n')


# A third more than the published 30, from few seeds with a wide spread.
NOISY = Number('bounded: rounds', Estimate(40.0, 25.0, 55.0), 30.0, 0.25)


@pytest.mark.parametrize(('row', 'seeds', 'undecided'), [
    (NOISY, 10, True), (NOISY, 11, False),
    # One seed has no interval; 40 to 50 excludes 30.
    (replace(NOISY, ours=Estimate(40.0, math.nan, math.nan)), 1, True),
    (replace(NOISY, ours=Estimate(45.0, 40.0, 50.0)), 2, False),
    # Never settled; met; without an aim.
    (replace(NOISY, ours=Estimate(math.nan, math.nan, math.nan)), 2, False),
    (replace(NOISY, aim=0.5), 2, False), (replace(NOISY, aim=None), 2, False),
    # The order of few means differs by chance.
    (Order('order', ('a', 'b'), ('b', 'a')), 10, True),
    (Order('order', ('a', 'b'), ('b', 'a')), 11, False),
    (Order('order', ('a', 'b'), ('a', 'b')), 10, False)])
def test_aim_is_undecided_when_few_seeds_spread_widely(row, seeds, undecided):
    assert is_undecided(row, seeds) is undecided


def test_undecided_aim_is_not_missed():
    name = 'acsos2022_scale_free'
    few = {name: results(['bounded'], [1.0], 3)}
    assert aims_missed(few, {name: [NOISY, BAD, GOOD]}) == [
        f'{name}, classic: rounds: 40, published 20']
    lines = papers_report(few, {name: [NOISY, BAD, GOOD]}, [], [], 1.0).splitlines()
    assert '1 of 3 aims are met; of 1 there are not enough seeds to tell.' in lines
    assert ('| bounded: rounds | 40 | 25 to 55 | 30 | 1.33 | 0.83 to 1.83 | within 25% | '
            'not enough seeds to tell |') in lines
    assert any('exit status of `python -m reproduction papers` is 0 if' in line for line in lines)
    many = {name: results(['bounded'], [1.0], 11)}
    assert len(aims_missed(many, {name: [NOISY, BAD, GOOD]})) == 2


def test_report_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / 'report.md').mkdir()
    with pytest.raises(ResultError, match='report.md cannot be written'):
        conclude('text', [], tmp_path)
