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

"""Map, timeline, robot and page as models of Bokeh, without a browser; the server of pages."""

import asyncio
from contextlib import suppress
import logging
import re
from types import SimpleNamespace
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import build_opener, HTTPCookieProcessor, Request, urlopen

from bokeh.core.validation import check_integrity
from bokeh.document import Document
from bokeh.models.widgets import Div
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.robot.diagnostics import RobotStatus
from leader_election.parameters import ParameterError
from leader_election.swarm.history import Statistics
from leader_election.swarm.snapshot import RobotView, Snapshot, way_to_leader
from leader_election.swarm.view.formatting import hexadecimal, NOTE
from leader_election.swarm.view.frame import Frame, History, Rings
from leader_election.swarm.web.pages import LivePage, PageFeed
from leader_election.swarm.web.server import PageServer
from leader_election.swarm.web.swarm_map import bars_data, legend_html, map_data, SwarmMap
import pytest
from swarm.view.example import frame, mandated, RINGS, working
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect


@pytest.fixture
def page():
    feed = PageFeed(2.5)
    shown = LivePage(Document(), feed)
    feed.observe(frame(), RINGS, Statistics())
    shown.update()
    return shown


def test_map_shows_the_content_of_the_picture():
    drawn = frame()._replace(remarks={40: 'killed here'}, truth={1: (2.5, 2.0), 99: (0.0, 0.0)})
    data = map_data(drawn, 2.5)
    assert data['robots']['id'] == [2, 3, 8, 9] and data['leaders']['id'] == [1, 7]
    assert data['robots']['x'].tolist() == [4.0, 2.0, 10.0, 6.0]
    assert data['robots']['fill_color'][:2] == data['leaders']['fill_color'][:1] * 2
    assert data['gone']['id'] == [40]
    assert len(data['links']['x0']) == 3
    assert len(data['regions']['xs']) == 3
    assert data['labels']['text'] == ['1', '7', 'killed here']
    assert data['labels']['text_color'][2] == hexadecimal(NOTE)
    assert [data['truth'][end].tolist() for end in ('x0', 'x1')] == [[2.5], [2.0]]
    hollow = map_data(mandated(drawn), 2.5)
    assert [dict(zip(hollow[kind]['id'], hollow[kind]['fill_color']))[robot] for kind, robot in (
        ('robots', 8), ('leaders', 7))] == ['white', 'white']
    patrol = map_data(working(drawn), 2.5)
    assert len(patrol['regions']['xs']) == 4


def test_sources_of_a_map_have_all_columns_that_it_draws_in_one_length():
    shown = SwarmMap()
    for drawn in (frame(), Frame(Snapshot(0.0, {}), {})):
        shown.fit([drawn], RINGS)
        shown.show(map_data(drawn, 2.5))
        assert check_integrity(shown.figure.references()).error == []
        for name, source in shown.sources.items():
            assert len({len(column) for column in source.data.values()}) == 1, name


def test_legend_lists_only_drawn_symbols():
    drawn = legend_html([frame()], RINGS, 2.5)
    assert '&nbsp;silent' in drawn and 'in radio range' in drawn and 'mandate' not in drawn
    assert 'in radio range' not in legend_html([frame()], RINGS, 0.0)
    assert 'mandate' in legend_html([mandated(frame())], RINGS, 2.5)


STATES = st.lists(st.dictionaries(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=12)


@given(STATES)
def test_timeline_has_one_bar_for_each_living_robot_at_any_time(states):
    history = History()
    for time, leaders in enumerate(states):
        robots = {i: RobotView(i, None, -9.0, 0.0, leader) for i, leader in leaders.items()}
        history.observe(Frame(Snapshot(float(time), robots), {}))
    for time, leaders in enumerate(states[:-1]):
        after = states[time + 1]
        assert {bar.robot: bar.leader for bar in history.bars
                if bar.left <= time + 0.5 <= bar.right} == {
            robot: leader for robot, leader in leaders.items() if robot in after}


def test_events_of_a_leader_that_dies_and_returns():
    history, living = History(), frame()
    robots = dict(living.snapshot.robots)
    robots[9] = robots[9]._replace(leader=9)
    history.observe(living._replace(snapshot=Snapshot(20.0, robots)))
    without = {i: view for i, view in robots.items() if i != 7}
    history.observe(living._replace(snapshot=Snapshot(21.0, without, {7: robots[7]})))
    history.observe(living._replace(snapshot=Snapshot(22.0, robots), note='all is done'))
    assert [*history.events] == [
        (21.0, 'robot 7 is silent, which led 2 others'), (22.0, 'robot 7 is heard again'),
        (22.0, 'all is done')]


def test_history_forgets_entries_older_than_its_span():
    history = History(span=2.0)
    for time in range(9):
        leader = time % 2
        # Robot 0 keeps its leader, so that its bar is the oldest one.
        robots = {0: RobotView(0, None, 0.0, 0.0, 0), 1: RobotView(1, None, 0.0, 0.0, leader)}
        history.observe(Frame(Snapshot(float(time), robots), {}))
    data = bars_data(history)
    assert min(data['left']) == 6.0 and all(data['left'] <= data['right'])
    assert len(history.bars) == 5


def test_way_to_the_leader_ends_at_an_unknown_robot():
    robots = {i: RobotView(i, (2.0 * i, 0.0), -9.0, 2.0 * i, 0) for i in range(4)}
    del robots[2]
    assert way_to_leader(Snapshot(0.0, robots), 3, 2.5) == [3]
    assert way_to_leader(Snapshot(0.0, robots), 0, 2.5) == [0]


def test_live_page_escapes_texts_of_messages():
    robot = RobotView(3, (1.0, 2.0), -9.0, 0.0, 3, ('count',), 2.0, '[{"a":"<script>x"}]',
                      name='/<b>', term=17)
    feed = PageFeed(2.5)
    page = LivePage(Document(), feed)
    for note in ('', '<script>y'):
        feed.observe(Frame(Snapshot(0.0, {3: robot}), {3: (0, 0, 0)}, note, note), Rings(),
                     Statistics())
    page.robots.value = '3'
    page.update()
    text = ''.join(each.text for each in page.texts.values())
    assert '<script>' not in text and '<b>' not in text and text.count('&lt;script&gt;') == 4
    assert 'acts, term 17' in text and 'itself' in text


def test_click_chooses_the_robot_there_and_shows_its_way(page):
    page.map.figure.x_range.update(start=0.0, end=12.0)
    page._tap(SimpleNamespace(x=4.1, y=2.1))
    assert page.chosen == 2 and page.robots.value == '2'
    assert page.map.sources['way'].data['x'].tolist() == [4.0, 2.0]
    assert 'robot 2' in page.texts['robot'].text and '2 → 1' in page.texts['robot'].text
    assert 'not alive' not in page.texts['robot'].text
    page.robots.value = '9'
    assert '40, not alive' in page.texts['robot'].text
    page._tap(SimpleNamespace(x=12.0, y=8.0))
    assert page.chosen is None and page.map.sources['way'].data['x'] == []


def test_two_radii_are_drawn_round_the_leader_of_the_chosen_robot():
    said = RobotStatus('robot_2', 2, 'election', 0, '', {
        'radius': '6', 'radius_hysteresis': '0.25', 'hops': '1',
        'candidacies': '; '.join([*(f'{i} offers 7 (1) at 2.0 m: weaker' for i in range(9)),
                                  '3 offers 1 (9) at 3.0 m: taken'])})
    feed = PageFeed(2.5)
    page = LivePage(Document(), feed, lambda robot: [said] if robot == 2 else [])
    feed.observe(frame(), RINGS, Statistics())
    page.robots.value = '2'
    drawn = page.map.sources['radii'].data
    assert [drawn[name].tolist() for name in ('x', 'radius')] == [[2.0] * 2, [6.0, 4.5]]
    text = page.texts['robot'].text
    assert 'beyond 6 m, and joins one within 4.5 m' in text and ', 1 hop<' in text
    received = re.findall('<td>([^<]*(?: offers |more)[^<]*)</td>', text)
    assert received[0].endswith(': taken') and received[-1] == '… and 6 more'
    assert len(received) == 5
    page.robots.value = '3'
    assert page.map.sources['radii'].data['x'] == []


def test_times_count_from_the_first_look_as_in_the_terminal():
    feed, statistics = PageFeed(2.5), Statistics()
    page = LivePage(Document(), feed)
    statistics.observe(Snapshot(997.0, {}), 0, 0)
    for time in (1000.0, 1001.0):
        drawn = frame(note=f'at {time:g}')
        drawn = drawn._replace(snapshot=drawn.snapshot._replace(time=time))
        statistics.observe(drawn.snapshot, 0, 0)
        feed.observe(drawn, RINGS, statistics)
    page.update()
    assert '<p>4.0 s: at 1001</p>' in page.texts['robot'].text
    assert page.timeline.source.data['right'].tolist() == [4.0] * 7


def test_rows_of_the_timeline_are_named_and_those_of_one_leader_are_together(page):
    assert page.timeline.figure.y_range.factors == ['9', '10', '8', '7', '3', '2', '1']


def test_page_shows_the_newest_look_once(page):
    shown = page.map.sources['robots'].data
    page.update()
    assert page.map.sources['robots'].data is shown
    page._feed.observe(frame(1.5, 'robot 40 was killed'), RINGS, Statistics())
    page.update()
    assert page.map.sources['robots'].data['x'].tolist()[0] == 5.5
    assert 'robot 40 was killed' in page.texts['notes'].text
    assert page.texts['facts'].text.startswith('7 robots (1 gone) · ')


def test_slow_viewer_gets_the_newest_look_after_drawing_the_last(page):
    sent, drawn = page.map.figure, page.map.sources['chosen']
    shown = [sent.tags]
    drawn.tags = sent.tags
    for time in (1.5, 2.5, 3.5):
        page._feed.observe(frame(time), RINGS, Statistics())
        page.update()
        shown.append(sent.tags)
    assert shown[0] != shown[1] == shown[2] == shown[3]
    drawn.tags = sent.tags
    page.update()
    newest = frame(3.5).snapshot.robots[2].position
    assert page.map.sources['robots'].data['x'][0] == newest[0]


def test_nothing_is_computed_for_pages_that_are_closed(page):
    feed = page._feed
    assert feed.pages == {page}
    for callback in page.document.session_destroyed_callbacks:
        callback(None)
    assert not feed.pages
    before = feed.state
    feed.observe(frame(1.5), RINGS, Statistics())
    assert feed.state is before


def test_server_requires_the_token_from_other_computers():
    server = PageServer(lambda document: None, 0, '0.0.0.0', 'secret')
    address = f'http://127.0.0.1:{server.url.rpartition(":")[2]}'
    try:
        for wrong in (address.partition('?')[0], address[:-1]):
            with pytest.raises(HTTPError) as refused:
                urlopen(wrong)
            assert refused.value.code == 403
        opener = build_opener(HTTPCookieProcessor())
        assert opener.open(address).status == 200
        assert opener.open(address.partition('?')[0]).status == 200, 'by its cookie'
    finally:
        server.stop()


def test_server_refuses_other_host_names_when_local():
    server = PageServer(lambda document: None, 0)
    try:
        for name in ('localhost:1', '127.0.0.1', '[::1]:80'):
            assert urlopen(Request(server.url, headers={'Host': name})).status == 200
        with pytest.raises(HTTPError, match='403: the page is at .* http://localhost'):
            urlopen(Request(server.url, headers={'Host': 'rebound.example'}))
    finally:
        server.stop()


def test_server_prints_one_line_when_the_port_is_in_use():
    server = PageServer(lambda document: None, 0)
    port = int(server.url.rpartition(':')[2].strip('/'))
    with pytest.raises(ParameterError, match=f'parameter port: localhost:{port} cannot be used'):
        PageServer(lambda document: None, port)
    server.stop()
    PageServer(lambda document: None, port).stop()


@pytest.mark.parametrize(('address', 'headers', 'admitted'), [
    ('localhost', {'Origin': 'http://localhost:1'}, True),
    ('localhost', {'Origin': 'http://foreign.example'}, False),
    ('localhost', {'Host': 'rebound.example'}, False),
    ('0.0.0.0', {}, False),
    ('0.0.0.0', {'Cookie': 'swarm_token=secret'}, True)])
def test_server_refuses_the_websockets_of_strangers_without_a_warning(
        caplog, address, headers, admitted):
    server = PageServer(lambda document: document.add_root(Div()), 0, address, 'secret')
    port = urlsplit(server.url).port
    page = urlopen(f'http://127.0.0.1:{port}/?token=secret').read().decode()
    own = re.search('"token":"([^"]*)"', page)[1]

    async def first_message() -> str | None:
        with suppress(HTTPClientError):
            connection = await websocket_connect(HTTPRequest(
                f'ws://127.0.0.1:{port}/ws', headers={'Host': f'127.0.0.1:{port}', **headers}),
                subprotocols=['bokeh', own])
            return await connection.read_message()
        return None

    try:
        assert (asyncio.run(first_message()) is not None) == admitted
    finally:
        server.stop()
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
