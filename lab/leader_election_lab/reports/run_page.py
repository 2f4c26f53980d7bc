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

"""Pages of the laboratory: a run of each algorithm side by side, and all kept results."""

from collections.abc import Iterator, Sequence
from math import nan
import os
from pathlib import Path

from leader_election.swarm.snapshot import regions, RobotView
from leader_election.swarm.snapshot import Snapshot as Swarm
from leader_election.swarm.view.formatting import Palette
from leader_election.swarm.view.frame import Frame, Rings
from leader_election.swarm.web.run_page import Film, MOST_FRAMES, Page, write_page
from leader_election_lab.analysis.paired_differences import SHOWN
from leader_election_lab.analysis.summary import cells
from leader_election_lab.reports import report, TEMPLATES, VERSIONS
from leader_election_lab.runs.files import write_errors
from leader_election_lab.runs.results import scenario_of
from leader_election_lab.simulation.simulate import simulate
from leader_election_lab.simulation.snapshots import Snapshot
import numpy as np
import xarray


def frames_of(snapshots: Sequence[Snapshot]) -> Iterator[Frame]:
    """Yield the snapshots of a run as frames; devices that do not run are silent ones."""
    palette = Palette()
    for snapshot in snapshots:
        devices = [RobotView(one, (x, y), nan, nan, leader) for one, (x, y), leader in zip(
            snapshot.id.tolist(), snapshot.position.tolist(), snapshot.leader.tolist())]
        running, silent = ({device.id: device for device, is_one in zip(devices, chosen.tolist())
                            if is_one} for chosen in (snapshot.running, ~snapshot.running))
        swarm = Swarm(snapshot.time, running, silent)
        yield Frame(swarm, palette.assign(regions(swarm)))


def write_run_page(results: xarray.Dataset, path: Path, seed: int | None = None) -> Path:
    """
    Write the page of a scenario's results: a run of each algorithm, watched, and the report.

    Of keys that vary, the runs have the first values.

    :param seed: of the runs; ``None``: the first of the results.
    :return: the path.
    :raises ResultError: if the file cannot be written.
    """
    chosen = int(results['seed'].values[0]) if seed is None else seed
    scenario = scenario_of(results)
    _, variant = scenario.variants()[0]
    number = min(MOST_FRAMES, len(variant.times()))
    times = (variant.duration * np.arange(1, number + 1) / number).tolist()
    films = [Film(label, [*frames_of(simulate(variant, label, chosen, times).snapshots)], Rings(),
                  0.0) for label in results['algorithm'].values.tolist()]
    columns, rows = cells(results)
    shown = columns.index('instability')
    figures = [(f'{row[shown + 1]}', f'leaders, {row[0]}') for row in rows[:len(films)]]
    settings = [(name, results.attrs[name]) for name in ('created', *VERSIONS[1:])
                if name in results.attrs]
    with write_errors(path):
        write_page(path, Page(
            scenario.title, f'{scenario.name}, seed {chosen}', figures,
            settings=settings, report=report(results, SHOWN, '')), films)
    return path


def write_results_page(rows: Sequence[tuple[str, ...]], folder: Path, path: Path) -> Path:
    """
    Write a page of all kept results, with links to their pages, reports and pictures.

    :param rows: name, title, algorithms, devices and seeds done of each scenario.
    :param folder: of the results.
    :return: the path.
    :raises ResultError: if the file cannot be written.
    """
    def links(name: str) -> list[tuple[str, str]]:
        found = {each for pattern in (f'{name}.*', f'{name}_*.gif', f'figures/{name}.png')
                 for each in folder.glob(pattern) if each.is_file()} - {path}
        return [(each.name, Path(os.path.relpath(each, path.parent)).as_posix())
                for each in sorted(found)]
    with write_errors(path):
        path.write_text(TEMPLATES.get_template('results.html.j2').render(
            rows=[(row, links(row[0])) for row in rows]))
    return path
