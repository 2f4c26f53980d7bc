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


def airs(seen: Observations) -> set[str]:
    """
    Return the topics that robots talk on.

    They are called so, or the fleet file says so, or a robot's node both says and hears texts
    there, which it does nowhere else.
    """
    texts = [endpoint for endpoint in seen.endpoints if endpoint.type == TEXT]
    nodes = {endpoint.node for endpoint in seen.nodes}
    said, heard = ({(e.node, e.topic) for e in texts if e.node in nodes and e.writes == writes}
                   for writes in (True, False))
    return ({e.topic for e in texts if e.topic.rpartition('/')[2] == NEIGHBOURHOOD}
            | {topic for _, topic in said & heard} | set(seen.air))
