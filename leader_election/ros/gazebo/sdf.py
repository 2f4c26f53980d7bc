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

"""SDF elements: XML elements that hold numbers, materials, and a colour for each robot."""

import colorsys
from xml.etree import ElementTree

Element = ElementTree.Element
Content = Element | str | bool | int | float | tuple[float, ...]
"""What an element may contain: child elements, or one text, number or list of numbers."""
Colour = tuple[float, float, float]
"""Red, green and blue, each in [0, 1]."""

_GOLDEN = 0.618033988749895
"""The fractional part of the golden ratio: multiples of it, modulo 1, are spread evenly."""


def tag(name: str, /, *content: Content, **attributes: str) -> Element:
    """
    Return an element.

    :param name: of the tag.
    :param content: child elements, or one text, number or list of numbers.
    :param attributes: by name.

    >>> text(tag('link', tag('pose', (0.0, 0.11, 0.035)), tag('gravity', True), name='wheel'))
    '<link name="wheel"><pose>0 0.11 0.035</pose><gravity>true</gravity></link>'
    """
    element = Element(name, attributes)
    for part in content:
        if isinstance(part, Element):
            element.append(part)
        else:
            element.text = _text_of(part)
    return element


def _text_of(value: str | bool | int | float | tuple[float, ...]) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return 'true' if value else 'false'
    numbers = value if isinstance(value, tuple) else (value,)
    # Nine digits resolve a micrometre in a kilometre; + 0.0 turns -0 into 0.
    return ' '.join(f'{number + 0.0:.9g}' for number in numbers)


def text(element: Element) -> str:
    """Return an element as one line of XML."""
    return ElementTree.tostring(element, encoding='unicode')


def indented(element: Element, level: int) -> str:
    """
    Return an element as lines of XML, indented for a place inside a file.

    :param level: the depth of the element; all lines but the first are indented.

    >>> print(indented(tag('world', tag('model', name='robot_1')), 1))
    <world>
        <model name="robot_1" />
      </world>
    """
    ElementTree.indent(element, level=level)
    return text(element).rstrip()


def document(element: Element) -> str:
    """
    Return an element as a complete, indented XML file.

    >>> print(document(tag('sdf', tag('model', name='robot_1'))), end='')
    <?xml version="1.0"?>
    <sdf>
      <model name="robot_1" />
    </sdf>
    """
    ElementTree.indent(element)
    return f'<?xml version="1.0"?>\n{text(element)}\n'


def material(colour: Colour) -> Element:
    """Return the material of a visual in one colour."""
    return tag('material', *(tag(kind, (*colour, 1.0)) for kind in ('ambient', 'diffuse')))


def robot_colour(robot_id: int) -> Colour:
    """
    Return the colour of a robot, which depends on its id alone; nearby ids differ clearly.

    >>> robot_colour(1) != robot_colour(2)
    True
    """
    lightness = 0.45 + 0.15 * (robot_id % 2)
    red, green, blue = colorsys.hls_to_rgb(robot_id * _GOLDEN % 1.0, lightness, 0.75)
    return round(red, 3), round(green, 3), round(blue, 3)
