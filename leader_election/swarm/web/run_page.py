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

from collections.abc import Mapping, Sequence
import math
from pathlib import Path
import platform
from typing import Any

import bokeh
from bokeh.embed import file_html
from bokeh.layouts import column, row
from bokeh.models import CustomJS
from bokeh.models.annotations import Span
from bokeh.models.widgets import Select, Slider, Toggle
from bokeh.resources import INLINE
import leader_election
from leader_election.parameters.files import write_text
from leader_election.swarm.snapshot import regions
from leader_election.swarm.view.charts import Curve, known, Panel, STYLES
from leader_election.swarm.view.formatting import distinct_colours, hexadecimal, NOTE
from leader_election.swarm.view.frame import caption, Frame, Rings, thinned
from leader_election.swarm.web.live_page import TEMPLATE, text, VARIABLES, WIDGETS
from leader_election.swarm.web.swarm_map import add_legend, empty_chart, legend_html, SwarmMap
from leader_election.swarm.web.timeline import Timeline

MOST_ROWS = 200_000
"""The most positions of robots in a page; of longer runs, frames are left out."""
MOST_FRAMES = 600
SPEEDS: tuple[str | tuple[Any, str], ...] = ('1 ×', '4 ×', '16 ×')
"""The speeds of the playback, as multiples of the run's."""
VERSIONS = (('leader_election', leader_election.__version__), ('Bokeh', bokeh.__version__),
            ('Python', platform.python_version()))


def write_page(path: Path, title: str, page: Mapping[str, Any], frames: Sequence[Frame],
               rings: Rings, communication_range: float, start: float = 0.0,
               panels: Sequence[Panel] = ()) -> None:
    """
    Write a page with a slider of time.

    :param page: texts: ``subtitle``; ``figures``, pairs of a value and its name; ``warnings``;
        ``events``, pairs of a time [s] and a text; ``settings``, pairs of a name and its value;
        ``report``.
    :param frames: at least one, in the order of time. Those of long runs are thinned out.
    :param communication_range: robots within this distance are linked by a line [m], 0 for no
        links.
    :param start: the origin of shown times [s].
    :param panels: of curves over time. Curves without a known value are left out.
    :raises OSError: when the file cannot be written.
    """
    frames = fitting(frames)
    times = [frame.snapshot.time - start for frame in frames]
    first, last = min(times), max(*times, min(times) + 0.1)
    time = Slider(name='time', title='time [s]', start=first, end=last, value=first, step=0.1,
                  format='0.0', sizing_mode='stretch_width')
    numbers = Panel('regions', [Curve(
        'regions', '', times, [len(regions(frame.snapshot)) for frame in frames])])
    timeline, *charts = Timeline(frames, start).figure, *map(_chart, (numbers, *known(panels)))
    cursors = []
    for chart in (timeline, *charts):
        chart.xaxis.axis_label = 'time [s]'
        cursors.append(Span(dimension='height', line_width=2, line_color=hexadecimal(NOTE)))
        chart.add_layout(cursors[-1])
        chart.js_on_event('tap', CustomJS(args={'time': time}, code='time.value = cb_obj.x'))
    play = Toggle(name='play', label='▶ play', width=90, stylesheets=[WIDGETS])
    speed = Select(options=list(SPEEDS), value=SPEEDS[1], width=70, stylesheets=[WIDGETS])
    play.js_on_change('active', CustomJS(
        args={'time': time, 'button': play, 'speed': speed}, code='play(button, time, speed)'))
    swarm_map = SwarmMap(frames, rings, communication_range)
    captions = ['  ·  '.join(filter(None, (caption(frame, start), frame.note)))
                for frame in frames]
    below = text('notes', text=captions[0], render_as_text=True)
    drawn = [swarm_map.data(frame) for frame in frames]
    run = {'times': times, 'caption': below, 'captions': captions, 'cursors': cursors,
           'sources': [[source, [data[name] for data in drawn]]
                       for name, source in swarm_map.sources.items()]}
    time.js_on_change('value', CustomJS(args={'time': time, 'run': run},
                                        code='show(run, time.value)'))
    swarm_map.figure.name, timeline.name = 'map', 'timeline'
    roots = [row(play, speed, time, sizing_mode='stretch_width', name='guides'),
             swarm_map.figure, below, timeline, column(*charts, sizing_mode='stretch_width',
                                                       name='charts'),
             text('legend', text=legend_html(frames, rings, communication_range))]
    write_text(path, file_html(roots, INLINE, title, template=TEMPLATE, template_variables={
        **VARIABLES, 'page': {**page, 'settings': [*page['settings'], *VERSIONS]}}))


def fitting(frames: Sequence[Frame]) -> Sequence[Frame]:
    """Return the frames of a page, evenly spaced: few enough for a browser."""
    rows = sum(len(frame.snapshot.robots) for frame in frames) / len(frames)
    return thinned(frames, min(max(int(MOST_ROWS / max(rows, 1)), 1), MOST_FRAMES))


def _chart(panel: Panel) -> Any:
    """Return the curves of a panel."""
    chart = empty_chart(height=220, tools='xpan,xwheel_zoom,reset', y_axis_label=panel.label)
    for tint, curve in zip(distinct_colours(len(panel.curves)), panel.curves):
        style = STYLES.get(curve.kind, {'color': hexadecimal(tint)})
        values = [math.nan if value is None else value for value in curve.values]
        chart.line(curve.times, values, legend_label=curve.label, color=style['color'],
                   line_width=2, line_dash='dashed' if 'linestyle' in style else 'solid')
    add_legend(chart)
    return chart
