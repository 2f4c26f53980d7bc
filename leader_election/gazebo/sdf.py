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

"""SDF elements: XML elements with numbers, materials and robot colours."""

import colorsys
from xml.etree import ElementTree

Element = ElementTree.Element
Inside = Element | str | bool | int | float | tuple[float, ...]
"""What an element may hold: others, a text, or numbers."""


def tag(name: str, /, *inside: Inside, **attributes: str) -> Element:
    """
    Return an element.

    >>> text(tag('link', tag('pose', (0.0, 0.11, 0.035)), tag('gravity', True), name='wheel'))
    '<link name="wheel"><pose>0 0.11 0.035</pose><gravity>true</gravity></link>'
    """
    element = Element(name, attributes)
    for part in inside:
        if isinstance(part, Element):
            element.append(part)
        else:
            element.text = _written(part)
    return element


def _written(value: str | bool | int | float | tuple[float, ...]) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return 'true' if value else 'false'
    numbers = value if isinstance(value, tuple) else (value,)
    # Nine digits: a micrometre in a kilometre; -0 would be read, but it looks odd.
    return ' '.join(f'{number + 0.0:.9g}' for number in numbers)


def text(element: Element) -> str:
    """Return an element as one line."""
    return ElementTree.tostring(element, encoding='unicode')


def indented(element: Element, level: int) -> str:
    """
    Return an element as lines, those after the first as far in as at that level of a file.

    >>> print(indented(tag('world', tag('model', name='robot_1')), 1))
    <world>
        <model name="robot_1" />
      </world>
    """
    ElementTree.indent(element, level=level)
    return text(element).rstrip()


def document(element: Element) -> str:
    """
    Return an element as a file to be read by people, too.

    >>> print(document(tag('sdf', tag('model', name='robot_1'))), end='')
    <?xml version="1.0"?>
    <sdf>
      <model name="robot_1" />
    </sdf>
    """
    ElementTree.indent(element)
    return f'<?xml version="1.0"?>\n{text(element)}\n'


Colour = tuple[float, float, float]
"""Red, green and blue, each in [0, 1]."""

_GOLDEN = 0.618033988749895
"""The golden ratio's part: hues that are so far apart never come near each other soon."""


def robot_colour(robot_id: int) -> Colour:
    """
    Return the colour of a robot; it depends on its id alone.

    >>> robot_colour(1) != robot_colour(2)
    True
    """
    lightness = 0.45 + 0.15 * (robot_id % 2)
    red, green, blue = colorsys.hls_to_rgb(robot_id * _GOLDEN % 1.0, lightness, 0.75)
    return round(red, 3), round(green, 3), round(blue, 3)



def material(colour: Colour) -> Element:
    """Return what makes a visual look so."""
    return tag('material', *(tag(kind, (*colour, 1.0)) for kind in ('ambient', 'diffuse')))
