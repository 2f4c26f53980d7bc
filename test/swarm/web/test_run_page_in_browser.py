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
from swarm.recording.made import story, write

__all__ = ['browser']

IDS = "['leaders', 'robots', 'gone'].map((name) => [...named(name).data.id].join())"
"""JavaScript: the leaders, the other robots, and those that are silent."""


def test_page_opens_from_disk_and_its_slider_moves_the_swarm(
        tmp_path: Path, browser: Browser) -> None:
    page = tmp_path / 'run.html'
    assert main([str(write(tmp_path / 'story.mcap', story())), '--html', str(page)]) == 0
    browser.phone()
    browser.open(page.as_uri())
    led, lost = ['4', '1,2,3', ''], ['3', '1,2', '4']
    assert browser.get(IDS) == led
    browser.get("named('guides').value = 15.0")
    assert browser.get(IDS) == lost and browser.get("named('cursor').location") == 15.0
    # By a click on an event, on the timeline, and by the keyboard.
    browser.get("[...document.querySelectorAll('button.at')].find((at) => at.value > 1).click()")
    assert browser.get(IDS) == ['', '1,2,3', '4']
    browser.click('timeline', 5.0, 0.5)
    assert 4.5 < browser.get("named('guides').value") < 5.5 and browser.get(IDS) == led
    browser.press('slider', 'HOME')
    assert browser.get("named('guides').value == named('guides').start")
    assert browser.get('document.documentElement.scrollWidth') <= PHONE['width']
    assert browser.errors() == []
