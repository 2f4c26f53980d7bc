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

"""The page of a run in a browser: its slider, events and playback move the swarm."""

from pathlib import Path

from browser import Browser, browser, PHONE
from leader_election.swarm.recording.replay_command import main
from selenium.webdriver import Keys
from swarm.recording.made import story, write

__all__ = ['browser']

LEADERS = """[...new Set(Bokeh.documents[0].roots().flatMap((root) => [...root.references()]))]
    .filter((each) => each.data?.leader && each.data.x)
    .map((each) => [...each.data.leader].join()).sort()"""
"""JavaScript: the leaders of the robots on the map, and of the leaders."""


def test_page_opens_from_disk_and_its_slider_moves_the_swarm(
        tmp_path: Path, browser: Browser) -> None:
    page = tmp_path / 'run.html'
    assert main([str(write(tmp_path / 'story.mcap', story())), '--html', str(page)]) == 0
    browser.phone()
    browser.open(page.as_uri())
    assert browser.get(LEADERS) == ['4', '4,4,4']
    browser.get("named('time').value = 15.0")
    assert browser.get(LEADERS) == ['3', '3,3']
    # By a click on an event, and by the playback, which stops at the end.
    browser.get("[...document.querySelectorAll('button.at')].find((at) => at.value > 5).click()")
    assert browser.get("named('time').value") == 9.25
    assert browser.get(LEADERS) == ['4', '4,4,4']
    browser.get("named('time').value = 20.0")
    browser.press('▶ play', Keys.SPACE)
    browser.until("named('time').value == named('time').end && !named('play').active")
    browser.press('slider', Keys.HOME)
    assert browser.get("named('time').value == named('time').start")
    assert browser.get('document.documentElement.scrollWidth') <= PHONE['width']
    assert browser.errors() == []
