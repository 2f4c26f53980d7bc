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

"""Networks to try algorithms on: a few made by hand, and as many as you like drawn at random."""

from hypothesis import strategies as st

# Multiples of 1/8 m: their sums are exact, so a radius often ends exactly on a device.
LENGTHS = st.integers(4, 24).map(lambda n: n / 8)
STRENGTHS = st.integers(0, 4).map(float) | st.floats(-1e6, 1e6)


def links(*edges: tuple[int, int, float]) -> dict[int, dict[int, float]]:
    """Return the graph with these links: two ends and a length each."""
    graph: dict[int, dict[int, float]] = {}
    for a, b, length in edges:
        graph.setdefault(a, {})[b] = length
        graph.setdefault(b, {})[a] = length
    return graph


def grid(side: int) -> dict[int, dict[int, float]]:
    """Return a square grid of links of 1 m, its devices numbered row by row from 0."""
    right = [(i, i + 1, 1.0) for i in range(side * side) if i % side < side - 1]
    down = [(i, i + side, 1.0) for i in range(side * (side - 1))]
    return links(*right, *down)


LINE = links((1, 2, 2.0), (2, 3, 3.0), (3, 4, 1.0))
"""1 --2 m-- 2 --3 m-- 3 --1 m-- 4."""


@st.composite
def graphs(draw, most=30):
    """Draw a connected graph: a tree of 1 device to so many, and some links more."""
    size = draw(st.integers(1, most))
    ids = draw(st.permutations(range(size)))
    graph: dict[int, dict[int, float]] = {i: {} for i in ids}

    def link(a, b):
        if a != b:
            graph[a][b] = graph[b][a] = draw(LENGTHS)

    for n in range(1, size):
        # Often the one before: long lines are what takes time.
        link(ids[n], ids[draw(st.just(n - 1) | st.integers(0, n - 1))])
    for _ in range(draw(st.integers(0, size))):
        link(draw(st.sampled_from(ids)), draw(st.sampled_from(ids)))
    return graph
