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

"""The trial of field."""

from demo.scenarios.example import look, scenario
from leader_election.demo.scenarios.field import FALL, PEAK, RISE

FIELD = ('field',)
PEAK_AT, NOWHERE = PEAK[:2], (100.0, 100.0)


def region(time, member_at, alarm):
    """Return a region whose leader is far from the peak, and says that there is an alarm."""
    return look(time, (1, NOWHERE, 1, FIELD, 2.0, f'[{{"alarm":{alarm}}}]'), (2, member_at, 1))


def held(*looks):
    field = scenario('field')
    for each in looks:
        field.look(each)
    return [(check.holds, check.text.split(', at ')[1]) for check in field.checks()]


def test_alarm_where_a_member_is_in_the_peak_once_the_news_had_its_time():
    early = region(0.0, PEAK_AT, 0)
    alarm, _ = held(early, region(RISE - 0.1, PEAK_AT, 0), region(RISE, PEAK_AT, 5))
    assert alarm == (True, '1 of 1 looks')
    alarm, _ = held(early, region(RISE, PEAK_AT, 0))
    assert alarm == (False, '0 of 1 looks')


def test_no_alarm_where_nobody_was_in_the_peak_for_long():
    early = region(0.0, NOWHERE, 5)
    alarm, quiet = held(early, region(FALL - 0.1, NOWHERE, 1), region(FALL, NOWHERE, 0))
    assert quiet == (True, '1 of 1 looks')
    assert alarm == (False, '0 of 0 looks'), 'without a robot in the peak nothing was seen'
    _, quiet = held(early, region(FALL, NOWHERE, 1))
    assert quiet == (False, '0 of 1 looks')


def test_a_region_that_hears_a_robot_in_the_peak_is_neither():
    # Robot 9, of another region, is in the peak; robot 2 is 3.9 m away from it, and hears it.
    def border(time):
        return look(time, (1, NOWHERE, 1, FIELD, 2.0, '[{"alarm":5}]'),
                    (2, (PEAK_AT[0] + 3.9, PEAK_AT[1]), 1), (9, PEAK_AT, 9))
    # Only region 9 itself is in the peak, and it says nothing.
    assert [text for _, text in held(border(0.0), border(FALL))] == [
        '0 of 1 looks', '0 of 0 looks']


def test_who_leads_no_more_is_not_asked():
    over = [look(time, (1, PEAK_AT, 2, FIELD, 2.0, ''), (2, NOWHERE, 2), (3, PEAK_AT, 1))
            for time in (0.0, RISE)]
    assert held(*over)[0] == (False, '0 of 1 looks'), 'only 2 was'


def test_the_time_begins_anew_when_a_member_goes_or_comes():
    looks = [region(time, PEAK_AT if int(time) % 2 else NOWHERE, 0) for time in range(40)]
    assert [text for _, text in held(*looks)] == ['0 of 0 looks'] * 2
