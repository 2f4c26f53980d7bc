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

"""Headless Chromium for tests of pages. A test is skipped where it is not installed."""

from collections.abc import Iterator
import json
from pathlib import Path
import shutil
import time
from typing import Any

import pytest
from support import PATIENCE

OPTIONS = ('--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
           '--disable-background-networking', '--disable-component-update', '--disable-sync',
           '--window-size=1200,1000')
PHONE = {'width': 390, 'height': 844, 'deviceScaleFactor': 2, 'mobile': True}

MOST_TABS = 60
_FOCUSED = """
let at = document.activeElement
while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
return at.title || at.labels?.[0]?.innerText || at.role || at.innerText || ''
"""
"""JavaScript: title, label or role of the control with the focus."""


class Browser:
    """
    A browser with one page of Bokeh.

    :ivar driver: of selenium.
    """

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, address: str) -> None:  # noqa: A003
        """Open a page, and wait until it is drawn."""
        self.driver.get(address)
        self.until('Bokeh.documents.length && Bokeh.documents[0].is_idle')

    def get(self, expression: str) -> Any:
        """Return the value of an expression of JavaScript; ``named(name)`` is a model."""
        return json.loads(self.driver.execute_script(
            'const named = (name) => Bokeh.documents[0].get_model_by_name(name);'
            f'return JSON.stringify({expression}) ?? "null"'))

    def until(self, expression: str) -> Any:
        """Wait until an expression holds, and return its value."""
        end = time.monotonic() + PATIENCE
        while not (found := self.get(expression)):
            assert time.monotonic() < end, f'{expression} did not come true'
            time.sleep(0.05)
        return found

    def click(self, chart: str, x: float, y: float) -> None:
        """Click at a place of the chart of this name, in its coordinates."""
        left, top = self.get(f"""(() => {{
            const view = Bokeh.index.find_one_by_id(named('{chart}').id)
            const box = view.canvas_view.el.getBoundingClientRect()
            const [at] = [view.frame]
            return [box.left + at.x_scale.compute({x}), box.top + at.y_scale.compute({y})]
        }})()""")
        for kind in ('mousePressed', 'mouseReleased'):
            self.driver.execute_cdp_cmd('Input.dispatchMouseEvent', {
                'type': kind, 'x': left, 'y': top, 'button': 'left', 'clickCount': 1})

    def press(self, label: str, key: str) -> None:
        """Press the key of this name at the control with this title, label or role by Tab."""
        from selenium.webdriver import ActionChains, Keys
        for _ in range(MOST_TABS):
            ActionChains(self.driver).send_keys(Keys.TAB).perform()
            if self.driver.execute_script(_FOCUSED).startswith(label):
                ActionChains(self.driver).send_keys(getattr(Keys, key)).perform()
                return
        raise AssertionError(f'{label} is not reached by Tab')

    def phone(self) -> None:
        """Give the window the width of a phone."""
        self.driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', PHONE)

    def errors(self) -> list[str]:
        """Return the errors in the console since the last call."""
        return [entry['message'] for entry in self.driver.get_log('browser')
                if entry['level'] in ('SEVERE', 'WARNING')]


def start(folder: Path) -> Browser:
    """
    Start a browser.

    :param folder: of its profile.
    :raises FileNotFoundError: if it is not installed.
    """
    chromium, driver = shutil.which('chromium'), shutil.which('chromedriver')
    if chromium is None or driver is None:
        raise FileNotFoundError('chromium and chromedriver are not installed')
    # Imported here, since it loads slowly, and is not needed where there is no browser.
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for option in (*OPTIONS, f'--user-data-dir={folder}'):
        options.add_argument(option)
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    return Browser(webdriver.Chrome(options=options, service=Service(driver)))


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    """Start a browser for one test."""
    try:
        running = start(tmp_path)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    yield running
    running.driver.quit()
