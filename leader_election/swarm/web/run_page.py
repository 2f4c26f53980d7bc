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

"""
A page of one run, or of several side by side, in one file that opens without a server.

A *tape* packs the data of one source over all frames.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import math
from pathlib import Path
import platform
from typing import Any, NamedTuple

import bokeh
from bokeh.embed import file_html
from bokeh.layouts import column, row
from bokeh.models import CustomJS
from bokeh.models.annotations import Span
from bokeh.models.widgets.buttons import Toggle
from bokeh.models.widgets.inputs import Select
from bokeh.models.widgets.markups import Div
from bokeh.models.widgets.sliders import Slider
from bokeh.plotting import figure
from bokeh.resources import INLINE
import leader_election
from leader_election.swarm.snapshot import regions
from leader_election.swarm.view.charts import Curve, known, Panel, STYLES
from leader_election.swarm.view.drawing import FAINT
from leader_election.swarm.view.formatting import distinct_colours, hexadecimal, NOTE
from leader_election.swarm.view.frame import caption, Frame, Rings, thinned
from leader_election.swarm.web.live_page import STYLE
from leader_election.swarm.web.swarm_map import legend_html, plain, SwarmMap
from leader_election.swarm.web.timeline import Timeline
import numpy as np
from numpy.typing import NDArray

LEVELS = 65534
"""The number of steps in the range of a column."""
BLANK = LEVELS + 1
"""The code of NaN."""
COARSEST = 0.1
"""The largest step. Columns of a wider range are kept in single precision."""
FEW = 256
"""A column with at most this many different numbers keeps them exactly."""
Data = Mapping[str, Sequence[Any]]
"""The columns of a source, all of one length, by name."""

UNPACK = """
const data = {}
const [low, high] = [tape.rows[frame], tape.rows[frame + 1]]
const each = (from, to, what) => Array.from({length: to - from}, (_, i) => what(from + i))
for (const {name, packed, least, step, blank, words, starts} of tape.columns) {
  const value = (i) => words.length ? words[packed[i]]
    : packed[i] == blank ? NaN : least + step * packed[i]
  data[name] = each(low, high, starts.length
    ? (row) => each(starts[row], starts[row + 1], value) : value)
}
source.data = data
"""
"""JavaScript: give ``source`` the data of ``frame``, a number, from its ``tape``."""


def tape(frames: Sequence[Data]) -> dict[str, Any]:
    """
    Pack the data of one source over all frames, for :data:`UNPACK`.

    :param frames: the data at each frame, at least one. Columns hold numbers, texts, or in each
        row a list of numbers (the corners of a polygon).
    :return: ``rows``: the first row of each frame, and the number of all; ``columns``: of each the
        ``name``, the ``packed`` numbers with their ``least`` and ``step``, or the ``words`` that
        they stand for (texts, whole numbers, or few numbers); ``starts``: of rows of lists, the
        place of each one's first number.

    >>> of = tape([{'x': [0.5, 2.0], 'tint': ['red', 'blue']}, {'x': [], 'tint': []}])
    >>> of['rows'].tolist(), [column['packed'].tolist() for column in of['columns']]
    ([0, 2, 2], [[0, 1], [0, 1]])
    >>> [column['words'] for column in of['columns']]
    [[0.5, 2.0], ['red', 'blue']]
    """
    lengths = [len(next(iter(frame.values()))) for frame in frames]
    return {'rows': _starts(lengths), 'columns': [
        {'name': name, **_column([value for frame in frames for value in frame[name]])}
        for name in frames[0]]}


def _column(values: Sequence[Any]) -> dict[str, Any]:
    """Pack the values of one column."""
    column: dict[str, Any] = {
        'least': 0.0, 'step': 1.0, 'blank': None, 'words': list[Any](), 'starts': []}
    if values and isinstance(values[0], (list, tuple, np.ndarray)):
        column['starts'] = _starts([len(row) for row in values])
        values = [value for row in values for value in row]
    numbers = np.array(values)
    if numbers.dtype.kind != 'f':
        codes = {word: code for code, word in enumerate(dict.fromkeys(values))}
        return {**column, 'words': [*codes], 'packed': np.array(
            [codes[value] for value in values], dtype=np.min_scalar_type(len(codes)))}
    few, places = np.unique(numbers, return_inverse=True)
    if len(few) <= FEW:
        return {**column, 'words': few.tolist(), 'packed': places.astype(np.uint8)}
    finite = few[np.isfinite(few)]
    least = float(finite[0])
    step = (float(finite[-1]) - least) / LEVELS or COARSEST
    if step > COARSEST:
        return {**column, 'packed': numbers.astype(np.float32)}
    packed = np.where(np.isfinite(numbers), np.rint((numbers - least) / step), BLANK)
    return {**column, 'packed': packed.astype(np.uint16), 'least': least, 'step': step,
            'blank': BLANK}


def _starts(lengths: Sequence[int]) -> NDArray[np.int32]:
    return np.cumsum([0, *lengths]).astype(np.int32)


MOST_ROWS = 600_000
"""The most positions of robots in a page; of longer runs, frames are left out."""
MOST_FRAMES = 600
MOST_LINES = 300
"""The most robots of a timeline of leaders."""
SPEEDS: tuple[str | tuple[Any, str], ...] = ('1 ×', '4 ×', '16 ×')
"""The speeds of the playback, as multiples of the run's."""
VERSIONS = (('leader_election', leader_election.__version__), ('Bokeh', bokeh.__version__),
            ('Python', platform.python_version()))
_SHOW = f"""
const now = time.value
const frame = Math.max(film.times.findLastIndex((at) => at <= now + 1e-3), 0)
film.caption.text = film.captions[frame]
for (const [source, tape] of film.tapes) {{{UNPACK}}}
for (const cursor of cursors) cursor.location = now
"""
_PLAY = """
clearInterval(window.playing)
play.label = play.active ? '⏸ pause' : '▶ play'
let now = time.value >= time.end ? time.start : time.value
if (play.active) window.playing = setInterval(() => {
  now = Math.min(now + parseFloat(speed.value) / 10, time.end)
  time.value = now
  if (now >= time.end) play.active = false
}, 100)
"""


class Film(NamedTuple):
    """A run as a map that moves."""

    frames: Sequence[Frame]
    """At least one, in the order of time."""
    rings: Rings
    communication_range: float
    """Robots within this distance are linked by a line [m]; 0: no links."""
    start: float = 0.0
    """The origin of shown times [s]."""


@dataclass(frozen=True)
class Page:
    """
    The texts of a page.

    :ivar figures: a value and its name.
    :ivar events: the time [s] and what happened.
    :ivar settings: a name and its value.
    :ivar report: the report as lines of text.
    """

    title: str
    subtitle: str = ''
    figures: Sequence[tuple[str, str]] = ()
    warnings: Sequence[str] = ()
    events: Sequence[tuple[float, str]] = ()
    settings: Sequence[tuple[str, object]] = ()
    report: str = ''


def write_page(path: Path, page: Page, film: Film, panels: Sequence[Panel] = ()) -> None:
    """
    Write a page with a slider of time.

    :param panels: of curves over time.
    :raises OSError: when the file cannot be written.
    """
    film = _thinned(film)
    times = [frame.snapshot.time - film.start for frame in film.frames]
    first, last = min(times), max(*times, min(times) + 0.1)
    time = Slider(name='time', title='time [s]', start=first, end=last, value=first, step=0.1,
                  format='0.0', sizing_mode='stretch_width')
    shown, moving_map = _moving(film)
    numbers = Panel('regions', [Curve(
        'regions', '', times, [len(regions(frame.snapshot)) for frame in film.frames])])
    charts = []
    if max(len(frame.snapshot.robots) for frame in film.frames) <= MOST_LINES:
        charts.append(Timeline(film.frames, film.start).figure)
    charts += [_curves(panel) for panel in (numbers, *known(panels))]
    cursors = [Span(dimension='height', line_width=2, line_color=hexadecimal(NOTE))
               for _ in charts]
    for chart, cursor in zip(charts, cursors):
        chart.xaxis.axis_label = 'time [s]'
        chart.add_layout(cursor)
        chart.js_on_event('tap', CustomJS(args={'time': time}, code='time.value = cb_obj.x'))
    play = Toggle(name='play', label='▶ play', width=90)
    speed = Select(options=list(SPEEDS), value=SPEEDS[1], width=70,
                   stylesheets=['.bk-input { background-color: var(--paper); color: var(--ink) }'])
    time.js_on_change('value', CustomJS(
        args={'time': time, 'film': shown, 'cursors': cursors}, code=_SHOW))
    play.js_on_change('active', CustomJS(
        args={'time': time, 'play': play, 'speed': speed}, code=_PLAY))
    controls = row(play, speed, time, sizing_mode='stretch_width')
    roots = [controls, moving_map, *charts]
    for number, root in enumerate(roots):
        root.name = f'root{number}'
    path.write_text(file_html(
        roots, INLINE, page.title, template=Path(__file__).with_suffix('.html.j2').read_text(),
        template_variables={
            'page': page, 'style': STYLE, 'versions': VERSIONS,
            'legend': legend_html(film.frames, film.rings, film.communication_range)}))


def _thinned(film: Film) -> Film:
    """Leave out frames of a long run."""
    rows = sum(len(frame.snapshot.robots) for frame in film.frames) / len(film.frames)
    most = int(MOST_ROWS / max(rows, 1))
    return film._replace(frames=thinned(film.frames, min(max(most, 1), MOST_FRAMES)))


def _moving(film: Film) -> tuple[dict[str, Any], Any]:
    """Return the data of the slider of a film, and its map with the caption."""
    swarm_map = SwarmMap(film.frames, film.rings, film.communication_range)
    captions = ['  ·  '.join(filter(None, (caption(frame, film.start), frame.note)))
                for frame in film.frames]
    below = Div(text=captions[0], render_as_text=True)
    drawn = [swarm_map.data(frame) for frame in film.frames]
    return {'caption': below, 'captions': captions,
            'times': [frame.snapshot.time - film.start for frame in film.frames],
            'tapes': [[source, tape([data[name] for data in drawn])]
                      for name, source in swarm_map.sources.items()],
            }, column(swarm_map.figure, below, sizing_mode='stretch_width')


def _curves(panel: Panel) -> Any:
    chart = figure(height=220, sizing_mode='stretch_width', tools='xpan,xwheel_zoom,reset',
                   y_axis_label=panel.label, background_fill_color=None,
                   border_fill_color=None, outline_line_color=None)
    plain(chart)
    for tint, curve in zip(distinct_colours(len(panel.curves)), panel.curves):
        style = STYLES.get(curve.kind, {'color': hexadecimal(tint)})
        values = [math.nan if value is None else value for value in curve.values]
        chart.line(curve.times, values, legend_label=curve.label, color=style['color'],
                   line_width=2, line_dash='dashed' if 'linestyle' in style else 'solid')
    chart.legend.location, chart.legend.label_text_color = 'top_left', FAINT
    chart.legend.background_fill_color = chart.legend.border_line_color = None
    return chart
