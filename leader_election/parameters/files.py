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

"""
Files: text in UTF-8, rows of CSV, numbers, strict YAML; and writing a file whole or not at all.

Strict YAML has plain values, no duplicate keys, no aliases, and a limited depth.

Errors of reading are a ``ValueError`` whose text is the reason in one line, without the path.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
import csv
from io import StringIO
import math
import os
from pathlib import Path
import re
from typing import Any

import yaml

ENCODING = 'utf-8'
_PACKED = b'\x1f\x8b'
"""The first bytes of a file by gzip."""
SHOWN = 60
"""The number of characters of a wrong line that an error text shows."""


def read_text(path: str | Path) -> str:
    """
    Return the text of a file in UTF-8, without a byte order mark.

    :param path: of the file; ``~`` is expanded.
    :raises ValueError: for a file that cannot be read, is in another encoding, or has a byte of 0,
        as text in UTF-16 has.
    """
    data = read_bytes(path)
    try:
        text, wrong = data.decode('utf-8-sig'), data.find(0)
    except UnicodeDecodeError as error:
        text, wrong = '', error.start
    if wrong < 0:
        return text
    if data.startswith(_PACKED):
        raise ValueError('is packed; unpack it first')
    raise ValueError(f'line {data.count(bytes([10]), 0, wrong) + 1}: not UTF-8 (byte '
                     f'0x{data[wrong]:02x}); save it in UTF-8')


def read_bytes(path: str | Path) -> bytes:
    """
    Return the content of a file.

    :param path: of the file; ``~`` is expanded.
    :raises ValueError: for a file that cannot be read.
    """
    try:
        return expanded(path).read_bytes()
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from error


def expanded(path: str | Path) -> Path:
    """
    Return a path with ``~`` expanded.

    :raises ValueError: if there is no such user, or no home.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise ValueError('~ is no known home; write the whole path') from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """
    Yield the path of a temporary file, without its suffix, that replaces ``path`` once complete.

    A file that is no regular one, such as a pipe, is written itself.

    :raises OSError: if it cannot be written. The file is then as it was before.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()
    temporary = path.with_name(f'.{path.name}.writing')
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """
    Write a file in UTF-8, whole or not at all.

    :raises OSError: if it cannot be written. The file is then as it was before.
    """
    with replacing(path) as temporary:
        temporary.write_text(text, encoding=ENCODING)


def write_durably(path: Path, text: str, mode: int = 0o644) -> None:
    """
    Write a file in ASCII. A reader, and one after a power failure, finds the old or the new text.

    :param mode: who can read the file.
    :raises OSError: if it cannot be written. The file is then as it was before.
    """
    with replacing(path) as temporary, open(
            os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), 'w',
            encoding='ascii') as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    # A power failure must not undo the replacement. Some file systems cannot do this.
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def words_of(text: str) -> Iterator[tuple[int, list[str]]]:
    r"""
    Yield the number and the words of each line, without comments and empty lines.

    A comment begins with a ``#`` at the beginning of a line or after a space.

    >>> list(words_of('# t x\n\n0 1\n'))
    [(3, ['0', '1'])]
    """
    for line, whole in enumerate(text.splitlines(), 1):
        words = re.sub(r'(^|\s)#.*', '', whole).split()
        if words:
            yield line, words


def rows_of(text: str, columns: Sequence[str],
            may_lack: Collection[str] = ()) -> Iterator[tuple[int, dict[str, str]]]:
    r"""
    Yield the line and the values of each row of a CSV text with a header.

    Spaces around names and values do not count, nor do further columns.

    :param columns: the columns that are read. Those that a row lacks are not in its values.
    :param may_lack: the columns that the file may lack.
    :raises ValueError: for a missing column, a column given twice, and a row that is longer than
        the header.

    >>> list(rows_of('t, x\n0, 1\n', ('t', 'x')))
    [(2, {'t': '0', 'x': '1'})]
    >>> list(rows_of('t;x\n0;1\n', ('t', 'x')))
    Traceback (most recent call last):
    ...
    ValueError: line 1: missing columns t, x; it takes names between commas: 't;x'
    """
    reader = csv.reader(StringIO(text, newline=''), skipinitialspace=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        missing = [name for name in columns if name not in header and name not in may_lack]
        if missing:
            line = next(iter(text.splitlines()), '')
            raise ValueError(f'line 1: missing columns {", ".join(missing)}; it takes names '
                             f'between commas: {shortened(line)!r}')
        for name in columns:
            if header.count(name) > 1:
                raise ValueError(f'line 1: column {name} is there twice')
        for row in reader:
            if not any(value.strip() for value in row):
                continue
            if any(value.strip() for value in row[len(header):]):
                raise ValueError(f'line {reader.line_num}: {len(row)} values for {len(header)} '
                                 f'columns: {shortened(",".join(row))!r}')
            yield reader.line_num, {name: value.strip() for name, value in zip(header, row)
                                    if name in columns}
    except csv.Error as error:
        raise ValueError(f'line {max(reader.line_num, 1)}: {error}') from None


def shortened(line: str) -> str:
    """Return the beginning of a line, for an error text."""
    return line if len(line) <= SHOWN else f'{line[:SHOWN]}...'


def number(text: str) -> float:
    """
    Return the number in a text, possibly infinite or NaN.

    :raises ValueError: for another text, also for digits with underscores or of other scripts,
        which Python takes.

    >>> number('1e3')
    1000.0
    >>> number('1_000')
    Traceback (most recent call last):
    ...
    ValueError: not a number: '1_000'
    """
    with suppress(ValueError):
        if text.isascii() and '_' not in text:
            return float(text)
    raise ValueError(f'not a number: {shortened(text)!r}')


def whole(text: str, greatest: int = 2**53) -> int:
    """
    Return the whole number in a text, which may be written as ``1.0``.

    :raises ValueError: for another text, and a number beyond the greatest one.

    >>> whole('1.0')
    1
    """
    value = number(text)
    if not math.isfinite(value) or value != int(value) or abs(value) > greatest:
        raise ValueError(f'not a whole number up to {greatest}: {shortened(text)!r}')
    return int(value)


DEEPEST = 20
LEADING_ZERO = re.compile(r'[-+]?0[0-9_]+')
WITH_EXPONENT = re.compile(r'[-+]?([0-9][0-9_]*(\.[0-9_]*)?|\.[0-9][0-9_]*)[eE][-+]?[0-9]+$')
"""YAML 1.1 reads such a number as text unless it has a point and a sign in the exponent."""


def read_yaml(text: str) -> Any:
    """
    Return the value of a YAML text. Numbers may have any notation, such as ``1e1``.

    :raises ValueError: if it is not YAML, has a duplicate key or an alias, or is nested too
        deeply. The error's text is one line for users.

    >>> read_yaml('messages: {loss: 0.2}')
    {'messages': {'loss': 0.2}}
    >>> read_yaml('{loss: 0.2, loss: 0.3}')
    Traceback (most recent call last):
    ...
    ValueError: has loss twice, again in line 1
    """
    try:
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, AttributeError, LookupError, TypeError, OverflowError) as error:
        # All but the first, if a tag such as !!int does not fit its value.
        mark = getattr(error, 'problem_mark', None)
        if mark is not None and mark.buffer and mark.buffer[mark.pointer:][:1] == '\t':
            raise ValueError(f'has a tab in line {mark.line + 1}; YAML takes spaces') from None
        raise ValueError(f'is not YAML ({" ".join(str(error).split())})') from None


class _Loader(yaml.SafeLoader):
    """
    A loader that refuses duplicate keys, of which YAML's own would use the last one.

    It also refuses numbers that YAML 1.1 reads in another base: ``010`` is 8, ``1:30`` is 90, and
    ``08`` is a text.
    """

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node = super().compose_scalar_node(anchor)
        kind, text = node.tag.rpartition(':')[2], node.value
        if node.style is not None and kind not in ('int', 'float'):  # As !!int "010" is.
            return node
        why = ''
        if LEADING_ZERO.fullmatch(text):
            why = ('a number with a leading zero is octal in YAML; write '
                   f'{int(text.replace("_", ""))}, or')
        elif kind in ('int', 'float') and ':' in text:
            why = 'YAML reads it as a number to the base 60; write'
        if why:
            line = node.start_mark.line + 1
            raise ValueError(f"{text} is not allowed in line {line}: {why} '{text}' in quotes")
        return node

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            # Aliases of aliases may stand for billions of values.
            event: Any = self.peek_event()  # type: ignore[no-untyped-call]
            raise ValueError(f'has an alias, *{event.anchor}, in line '
                             f'{event.start_mark.line + 1}; write the value itself')
        # Here, since the time of parsing grows with the square of the depth.
        if self._depth > DEEPEST:
            raise ValueError(f'is nested more than {DEEPEST} levels deep')
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        keys = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in keys:
                    raise ValueError(f'has {" ".join(key.value.split())} twice, again in line '
                                     f'{key.start_mark.line + 1}')
                keys.add((key.tag, key.value))
        return node


def _with_exponent(_: Any, node: yaml.ScalarNode) -> float:
    number = float(node.value.replace('_', ''))
    return int(number) if number.is_integer() else number


_Loader.add_implicit_resolver('!number', WITH_EXPONENT, [*'-+.0123456789'])
_Loader.add_constructor('!number', _with_exponent)
