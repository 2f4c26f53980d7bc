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

"""Frames of Gazebo's transport, however the network cuts them."""

from hypothesis import given
from hypothesis import strategies as st
from physics.transport import framed, Frames


@given(st.lists(st.binary(max_size=40), max_size=8), st.data())
def test_frames_come_out_as_they_went_in(payloads: list[bytes], data: st.DataObject) -> None:
    stream = b''.join(framed(payload) for payload in payloads)
    frames, found = Frames(), []
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        found += frames.add(stream[:cut])
        stream = stream[cut:]
    assert found == payloads
