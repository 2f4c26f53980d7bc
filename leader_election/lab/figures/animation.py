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

"""A run as an animation: a GIF, or an MP4 where ffmpeg is installed."""

from pathlib import Path
from typing import Any

from leader_election.lab.figures.error import check_place, FigureError, written
from leader_election.lab.figures.partition import bounds_of, Partition
from leader_election.lab.figures.style import FONT, INK
from leader_election.lab.scenario import Scenario
from leader_election.lab.simulate import simulate, Snapshot
from leader_election.view.animation import save_gif
from matplotlib.animation import FFMpegWriter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
import numpy as np
from PIL import Image

FRAMES = 60
"""At most."""
LINKS = 2000
"""Where there are more, no links are shown: they would make the file twice as large."""
RATE = 10
"""Frames a second."""
WIDTH = 5.4
"""[inches]."""
DPI = 100


def animate(scenario: Scenario, algorithm: str, seed: int, out: Path) -> Path:
    """
    Draw a run: devices in their leaders' colours, leaders as stars, and the time.

    :param algorithm: the label of one of the scenario's algorithms.
    :param out: a ``.gif``, or a ``.mp4`` where ffmpeg is installed.
    :return: out.
    :raises FigureError: where the file cannot be made.
    """
    check_kind(out)
    count = min(FRAMES, len(scenario.times()))
    times = scenario.duration * np.arange(1, count + 1) / count
    snapshots = simulate(scenario, algorithm, seed, times.tolist()).snapshots
    left, bottom, right, top = bounds = bounds_of(snapshots)
    shape = float(np.clip((top - bottom) / max(right - left, 1e-9), 0.3, 1.5))
    figure = Figure(figsize=(WIDTH, WIDTH * shape + 0.7), dpi=DPI, layout='constrained')
    canvas: Any = FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.set_title(scenario.title, fontsize=FONT, color=INK)
    linked = max(len(snapshot.pairs) for snapshot in snapshots) <= LINKS
    partition = Partition(axes, bounds, len(snapshots[0].id), linked)

    def show(snapshot: Snapshot) -> None:
        partition.show(snapshot)
        leaders = int(snapshot.is_leader.sum())
        axes.set_xlabel(f'{algorithm}, seed {seed}, t = {snapshot.time:g} s, '
                        f'{leaders} leader{"" if leaders == 1 else "s"}', fontsize=FONT)

    def image(snapshot: Snapshot) -> Image.Image:
        show(snapshot)
        canvas.draw()
        return Image.fromarray(np.array(canvas.buffer_rgba())[:, :, :3])

    if out.suffix == '.gif':
        with written(out):
            save_gif([image(snapshot) for snapshot in snapshots], out, RATE)
        return out
    writer = FFMpegWriter(fps=RATE)
    with written(out), writer.saving(figure, str(out), DPI):
        for snapshot in snapshots:
            show(snapshot)
            writer.grab_frame()
    return out


def check_kind(out: Path) -> None:
    """Check that an animation can be made there; where not, it is a :class:`FigureError`."""
    check_place(out, ('.gif', '.mp4'))
    if out.suffix == '.mp4' and not FFMpegWriter.isAvailable():
        raise FigureError(f'animation {out}: ffmpeg is not installed; '
                          'without, it takes a .gif')
