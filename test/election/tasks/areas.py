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

"""Random areas for tests of properties."""

from hypothesis import strategies as st
import numpy as np
import shapely

_place = st.floats(-10, 10)


@st.composite
def _star(draw: st.DrawFn) -> shapely.Geometry:
    """Draw a polygon round a point, mostly concave [m]."""
    x, y = draw(_place), draw(_place)
    reach = draw(st.lists(st.floats(0.5, 6.0), min_size=3, max_size=12))
    angles = 2 * np.pi * np.arange(len(reach)) / len(reach)
    return shapely.Polygon(np.column_stack(
        (x + reach * np.cos(angles), y + reach * np.sin(angles))))


def areas() -> st.SearchStrategy[shapely.Geometry]:
    """Draw up to three polygons as one area: concave, in pieces, or with holes [m]."""
    return st.lists(_star(), min_size=1, max_size=3).map(shapely.union_all)
