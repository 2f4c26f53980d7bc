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

"""The result of an estimation of noise as a parameter file, with its basis in comments."""

from collections.abc import Iterable, Iterator
import re
import textwrap

from leader_election.localisation.noise_estimation import Estimate, Figure
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.parameters import table


def as_yaml(estimate: Estimate, title: str, warnings: Iterable[str] = ()) -> str:
    """
    Return the text of a ROS parameter file.

    :param estimate: the parameters.
    :param title: its first line, a comment.
    :param warnings: further comments.
    """
    lines = [*_comment(title, '')]
    for note in (*(f'warning: {warning}' for warning in warnings), *estimate.notes):
        lines += _comment(note, '')
    lines += ['/**:', '  ros__parameters:']
    units = {p.name: p.unit for p in table(LocalisationParameters)}
    for figure in estimate.figures:
        lines += _comment(_basis(figure, units[figure.name]), '    ')
        lines.append(f'    {figure.name}: {_number(figure.value)}')
    return '\n'.join(lines) + '\n'


def _basis(figure: Figure, unit: str) -> str:
    """
    Return the basis of a figure: interval and number of samples.

    >>> _basis(Figure('bearing_noise', 0.0102, 812, 0.0095, 0.0108), 'rad')
    '95 %: 0.0095 to 0.0108 rad, by 812 samples'
    >>> _basis(Figure('bearing_noise', 0.04, 0, kept='nothing was recorded'), 'rad')
    'the default: nothing was recorded'
    """
    if figure.kept:
        return f'the default: {figure.kept}'
    between = (f'at most {_number(figure.upper)}' if figure.at_most
               else f'{_number(figure.lower)} to {_number(figure.upper)}')
    return f'95 %: {between}{" " if unit else ""}{unit}, by {figure.samples} samples'


def _comment(text: str, indent: str) -> Iterator[str]:
    yield from textwrap.wrap(
        text, 98, initial_indent=f'{indent}# ', subsequent_indent=f'{indent}#   ')


def _number(value: float) -> str:
    """
    Return a number with three digits, in a form that YAML reads as a number.

    >>> _number(0.07196), _number(1e-05), _number(2.0)
    ('0.072', '1.0e-05', '2.0')
    """
    text = f'{value:.3g}'
    if '.' not in text:
        text = re.sub(r'^(\d+)', r'\1.0', text)
    return text
