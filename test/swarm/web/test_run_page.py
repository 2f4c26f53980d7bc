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

"""The page of a run: all of it is in one file."""

from pathlib import Path
import re

from leader_election.swarm.recording.replay_command import main
from leader_election.swarm.recording.report import write_watched
from leader_election.swarm.tracker import SwarmTracker
from leader_election.swarm.web.pages import write_page
from swarm.recording.made import story, write
from swarm.view.example import frame, RINGS
from test_packaging import without


def test_page_of_a_recording_has_its_figures_events_and_radius_in_one_file(
        tmp_path: Path) -> None:
    told, page = write(tmp_path / 'story.mcap', story()), tmp_path / 'run.html'
    assert main([str(told), '--html', str(page)]) == 0
    text = page.read_text()
    for part in ('<h1>story.mcap: each robot', '4 robots, 1 of them silent at the end',
                 'leader 4, which led 3 others, fell silent at 9.2 s', 'within 6 m',
                 'robot 4 is silent, which led 3 others', 'true position', 'The whole report'):
        assert part in text
    # Nothing is fetched.
    assert not re.search(r'<(script|link|img)[^>]*(src|href)=["\']?(https?:)?//', text)


def test_times_of_a_page_count_from_the_beginning_of_the_run(tmp_path: Path) -> None:
    write_watched(tmp_path / 'run.html', 'Run', [frame(), frame(1.5, 'robot 40 killed')], RINGS,
                  SwarmTracker(3.0), 6.0, 2.5, events=[(20.5, 'a fault')])
    text = (tmp_path / 'run.html').read_text()
    assert re.findall('value="([0-9.]+)">[^/]*/button></td><td>([^<]*)', text) == [
        ('0.5', 'a fault'), ('1.5', 'robot 40 killed')]


def test_run_page_escapes_texts_of_messages(tmp_path: Path) -> None:
    evil = '<script>alert(1)</script>'
    write_page(tmp_path / 'run.html', evil, [frame(note=evil)], RINGS, 3.0, 0.0, [evil], [evil],
               [(0.0, evil)], evil)
    assert evil not in (tmp_path / 'run.html').read_text()


def test_page_prints_one_line_when_bokeh_is_missing() -> None:
    ran = without(('bokeh',), 'import sys\nfrom leader_election import cli\n'
                  'sys.argv = ["replay", "run.mcap", "--html", "run.html"]\n'
                  'sys.exit(cli.run("replay"))')
    assert (ran.returncode, ran.stdout, ran.stderr.count('\n')) == (2, '', 1)
    assert 'argument --html: bokeh is not installed' in ran.stderr
    assert 'pip install bokeh' in ran.stderr.replace("'", '')
