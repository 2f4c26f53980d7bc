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

"""The common style of all charts."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

DPI = 150
FONT = 10
"""Size of all text but titles [points]."""
INK, FAINT = '#2b2f36', '#6b717a'


def new_figure(width: float, height: float, title: str, caption: str) -> Figure:
    """
    Return an empty figure.

    :param width: [inches], as is the height.
    :param caption: a line at the foot.
    """
    figure = Figure(figsize=(width, height), dpi=DPI, layout='constrained', facecolor='white')
    figure.suptitle(title, fontsize=FONT + 2, color=INK)
    figure.supxlabel(caption, fontsize=FONT - 1, color=FAINT)
    return figure


def tidy(axes: Axes) -> None:
    """Remove the upper and right borders of axes, and add a pale grid."""
    axes.grid(alpha=0.25)
    axes.tick_params(labelsize=FONT - 1)
    for side in ('top', 'right'):
        axes.spines[side].set_visible(False)
