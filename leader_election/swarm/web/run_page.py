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
from pathlib import Path

from bokeh.document import Document
from bokeh.embed import file_html
from bokeh.models import CustomJS
from bokeh.models.annotations import Span
from bokeh.models.widgets import Slider
from bokeh.resources import INLINE
from leader_election.parameters.files import write_text
from leader_election.swarm.view.frame import caption, Frame, Rings, thinned
from leader_election.swarm.web.live_page import paragraph, SwarmPage, TEMPLATE, WIDGETS
from leader_election.swarm.web.swarm_map import ALARM, legend_html, map_data
from leader_election.swarm.web.timeline import History

MOST_FRAMES = 600


def write_page(path: Path, title: str, frames: Sequence[Frame], rings: Rings, reach: float,
               start: float, warnings: Sequence[str], figures: Sequence[str],
               events: Sequence[tuple[float, str]], report: str) -> None:
    """
    Write a page with a slider of time.

    :param frames: at least one, in the order of time. Those of long runs are thinned out.
    :param reach: robots within this distance are linked by a line [m], 0 for no links.
    :param start: the origin of shown times [s].
    :param events: further ones: a time [s] and a text.
    :raises OSError: when the file cannot be written.
    """
    page, frames, history = SwarmPage(Document(), title), thinned(frames, MOST_FRAMES), History(
        start=start)
    for frame in frames:
        history.observe(frame)
    page.timeline.show(history.data())
    page.map.fit(frames, rings)
    drawn = [map_data(frame, reach) for frame in frames]
    page.map.show(drawn[0])
    page.texts['legend'].text = legend_html(frames, rings, reach)
    page.texts['facts'].text = ''.join(
        [*(paragraph('warning', each) for each in warnings), escape(' · '.join(figures))])
    captions = ['  ·  '.join(filter(None, (caption(frame, start), frame.note)))
                for frame in frames]
    page.texts['notes'].update(text=captions[0], render_as_text=True)
    times = [frame.snapshot.time - start for frame in frames]
    time = Slider(
        name='guides', title='time [s]', start=times[0], value=times[0], step=0.1, format='0.0',
        end=max(times[-1], times[0] + 0.1), sizing_mode='stretch_width', stylesheets=[WIDGETS])
    cursor = Span(name='cursor', dimension='height', line_width=2, line_color=ALARM)
    page.timeline.figure.add_layout(cursor)
    page.timeline.figure.js_on_event(
        'tap', CustomJS(args={'time': time}, code='time.value = cb_obj.x'))
    film = {'times': times, 'caption': page.texts['notes'], 'captions': captions, 'cursor': cursor,
            'sources': [[page.map.sources[name], [data[name] for data in drawn]]
                        for name in drawn[0]]}
    time.js_on_change('value', CustomJS(args={'run': film}, code='show(run, cb_obj.value)'))
    page.lay_out(time)
    write_text(path, file_html(
        page.document, INLINE, template=TEMPLATE, template_variables={
            **page.document.template_variables, 'report': report,
            'events': sorted([*history.events, *events])}))
