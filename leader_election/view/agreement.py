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

"""The figure of how far two partitions agree over time."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure


def draw_agreement(path: Path, curves: dict[str, tuple[Sequence[float], Sequence[float]]],
                   title: str) -> None:
    """
    Draw shares over time as a PNG.

    :param curves: for each label, times [s] and shares [0, 1].
    """
    figure = Figure(figsize=(8.0, 3.6), dpi=200, layout='constrained')
    axes = figure.subplots()
    for label, (times, shares) in curves.items():
        axes.plot(times, [100.0 * share for share in shares], marker='o', markersize=3.5,
                  linewidth=1.6, label=label)
    axes.set(xlabel='time [s]', ylabel='agreement [%]', ylim=(-3, 103), title=title)
    axes.set_xlim(left=0.0)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, loc='lower left')
    for side in ('top', 'right'):
        axes.spines[side].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
