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

"""A page of one run, in one file that opens without a server."""

from collections.abc import Sequence
from html import escape
import math
from pathlib import Path
from typing import Any

from bokeh.embed import file_html
from bokeh.layouts import row
from bokeh.models import CustomJS
from bokeh.models.annotations import Span
from bokeh.models.widgets import Slider, Toggle
from bokeh.resources import INLINE
from leader_election.parameters.files import write_text
from leader_election.swarm.view.charts import known, Panel, STYLES
from leader_election.swarm.view.frame import caption, Frame, Rings, thinned
from leader_election.swarm.web import swarm_map
from leader_election.swarm.web.live_page import paragraph, TEMPLATE, text, VARIABLES, WIDGETS
from leader_election.swarm.web.timeline import History, Timeline

MOST_ROWS = 200_000
"""The most positions of robots in a page; of longer runs, frames are left out."""
MOST_FRAMES = 600


def write_page(path: Path, title: str, figures: Sequence[str], warnings: Sequence[str],
               events: Sequence[tuple[float, str]], report: str, frames: Sequence[Frame],
               rings: Rings, reach: float, start: float = 0.0,
               panels: Sequence[Panel] = ()) -> None:
    """
    Write a page with a slider of time.

    :param events: pairs of a time [s] and a text.
    :param frames: at least one, in the order of time. Those of long runs are thinned out.
    :param reach: robots within this distance are linked by a line [m], 0 for no links.
    :param start: the origin of shown times [s].
    :param panels: of curves over time. Curves without a known value are left out.
    :raises OSError: when the file cannot be written.
    """
    history, timeline, drawn_map = History(start=start), Timeline(), swarm_map.SwarmMap()
    frames = fitting(frames)
    for frame in frames:
        history.observe(frame)
    timeline.show(history.data())
    drawn_map.fit(frames, rings)
    drawn = [swarm_map.map_data(frame, reach) for frame in frames]
    drawn_map.show(drawn[0])
    times = [frame.snapshot.time - start for frame in frames]
    time = Slider(name='time', title='time [s]', start=times[0], value=times[0], step=0.1,
                  end=max(times[-1], times[0] + 0.1), format='0.0', sizing_mode='stretch_width',
                  stylesheets=[WIDGETS])
    play = Toggle(name='play', label='▶ play', width=90, stylesheets=[WIDGETS])
    drawn_panels = [_chart(panel) for panel in known(panels)]
    charts = [timeline.figure, *(chart for _, chart in drawn_panels)]
    cursors = [Span(dimension='height', line_width=2, line_color=swarm_map.ALARM) for _ in charts]
    for chart, cursor in zip(charts, cursors):
        chart.add_layout(cursor)
        chart.js_on_event('tap', CustomJS(args={'time': time}, code='time.value = cb_obj.x'))
    captions = ['  ·  '.join(filter(None, (caption(frame, start), frame.note)))
                for frame in frames]
    below = text('notes', text=captions[0], render_as_text=True)
    film = {'times': times, 'caption': below, 'captions': captions, 'cursors': cursors,
            'sources': [[drawn_map.sources[name], [data[name] for data in drawn]]
                        for name in drawn[0]]}
    play.js_on_change('active', CustomJS(args={'time': time}, code='play(cb_obj, time)'))
    time.js_on_change('value', CustomJS(args={'run': film}, code='show(run, cb_obj.value)'))
    roots = [
        row(play, time, sizing_mode='stretch_width', name='guides'), drawn_map.figure, below,
        *(each for legend, chart in drawn_panels
          for each in (text('charts', text=legend), chart)), timeline.figure,
        text('facts', text=''.join(paragraph('warning', each) for each in warnings)
             + escape(' · '.join(figures))),
        text('legend', text=swarm_map.legend_html(frames, rings, reach))]
    write_text(path, file_html(roots, INLINE, title, template=TEMPLATE, template_variables={
        **VARIABLES, 'events': events, 'report': report}))


def fitting(frames: Sequence[Frame]) -> Sequence[Frame]:
    """Return the frames of a page, evenly spaced: few enough for a browser."""
    rows = sum(len(frame.snapshot.robots) for frame in frames) / len(frames)
    return thinned(frames, min(max(int(MOST_ROWS / max(rows, 1)), 1), MOST_FRAMES))


def _chart(panel: Panel) -> tuple[str, Any]:
    """Return legend and chart of a panel."""
    return swarm_map.line_chart(panel.label, [
        (curve.label, str(STYLES[curve.kind]['color']),
         'dashed' if 'linestyle' in STYLES[curve.kind] else 'solid',
         {'x': curve.times,
          'y': [math.nan if value is None else value for value in curve.values]})
        for curve in panel.curves])
