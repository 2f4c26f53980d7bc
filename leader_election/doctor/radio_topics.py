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

"""Which topics robots talk on to each other."""

from leader_election.doctor.observations import Observations

TEXT = 'std_msgs/msg/String'
NEIGHBOURHOOD = 'neighbourhood'
"""What the topic is called, unless it is remapped."""


def find_radio_topics(seen: Observations) -> set[str]:
    """
    Return the topics that robots talk on.

    They are called so, or the fleet file says so. A robot's node that talks on none of these
    does so where it both says and hears texts, and offers what robots offer each other: its
    tasks may talk on topics of their own.
    """
    texts = [endpoint for endpoint in seen.endpoints if endpoint.type == TEXT]
    nodes = {endpoint.node for endpoint in seen.nodes}
    known = {e.topic for e in texts if e.topic.rpartition('/')[2] == NEIGHBOURHOOD} | set(
        seen.radio_topics
    )
    at_a_loss = nodes - {e.node for e in texts if e.topic in known}
    # As nodes/qos.NEIGHBOURHOOD has it.
    said = {(e.node, e.topic) for e in texts if e.writes and not e.reliable and not e.latched}
    heard = {(e.node, e.topic) for e in texts if not e.writes}
    return known | {topic for node, topic in said & heard if node in at_a_loss}
