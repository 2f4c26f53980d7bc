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

"""The mutants of the core: mutmut's changes of its functions, one at a time."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
import difflib
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import create_mutations

Defaults = tuple[tuple[Any, ...], dict[str, Any]]
"""Default values of positional and of keyword arguments, ``...`` if not a literal."""
Built = tuple[CodeType, Defaults, str]
"""Code, default values, and syntax without texts, of a function."""


@dataclass(frozen=True, eq=False)
class Mutant:
    """One change of one function. ``before`` and ``after`` are the lines that differ."""

    file: str
    function: str
    before: str
    after: str
    lines: range
    """The lines of the changed statement."""
    code: CodeType
    defaults: Defaults | None
    """The default values, if one is changed."""
    is_text: bool
    """Whether only the text of an error, another sentence, or the type of a cast differs."""

    def __str__(self) -> str:
        """Return the mutant in the format of ``equivalent.txt``."""
        return f'{self.file} {self.function}\n- {self.before}\n+ {self.after}'


class WithoutTexts(ast.NodeTransformer):
    """Drop the arguments of raised errors, sentences, and the types of casts."""

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """Drop the arguments of an error."""
        if isinstance(node.exc, ast.Call):
            node.exc.args, node.exc.keywords = [], []
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Drop the type of a cast."""
        if isinstance(node.func, ast.Name) and node.func.id == 'cast' and len(node.args) == 2:
            node.args[0] = ast.Constant('')
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Make all sentences equal."""
        is_sentence = isinstance(node.value, str) and ' ' in node.value.strip()
        return ast.Constant('') if is_sentence else node


def statement_lines(tree: ast.AST) -> dict[int, range]:
    """Return the lines of the statement, or of its head, that each line belongs to."""
    found: dict[int, range] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef):
            body = getattr(node, 'body', None)
            end = body[0].lineno if body else (node.end_lineno or node.lineno) + 1
            lines = range(node.lineno, max(end, node.lineno + 1))
            found.update(dict.fromkeys(lines, lines))
    return found


def literal(node: ast.expr) -> Any:
    """Return the value of a literal, or ``...`` for another expression."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ...


def compiled(source: str) -> Built:
    """Return the only function of a source text."""
    tree = ast.parse(source)
    code = compile(tree, 'mutant', 'exec')
    node: Any = tree.body[0]
    if isinstance(node, ast.ClassDef):
        node = node.body[0]
        code = next(each for each in code.co_consts if isinstance(each, CodeType))
    code = next(each for each in code.co_consts
                if isinstance(each, CodeType) and each.co_name == node.name)
    named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    defaults = (tuple(map(literal, node.args.defaults)),
                {arg.arg: literal(value) for arg, value in named if value})
    return code, defaults, ast.dump(WithoutTexts().visit(tree))


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield the mutants of the functions of one file."""
    source = path.read_text(encoding='utf-8')
    module, mutations, _, _ = create_mutations(str(path), source)
    positions = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    classes = {function: each for each in module.body if isinstance(each, cst.ClassDef)
               for function in each.body.body}
    statements = statement_lines(ast.parse(source))

    def built(function: cst.FunctionDef, changed: cst.FunctionDef) -> tuple[str, Built]:
        outer = classes.get(function)
        # The class gives its name to private attributes, and super() its meaning.
        body = changed if outer is None else outer.with_changes(
            body=outer.body.with_changes(body=[changed]), bases=[], keywords=[], decorators=[])
        text = cst.Module([body]).code
        return text, compiled(text)

    unchanged = cache(lambda function: built(function, function))
    for mutation in mutations:
        function = mutation.contained_by_top_level_function
        if not isinstance(function, cst.FunctionDef):
            continue
        text, (_, old_defaults, syntax) = unchanged(function)
        new_text, (code, defaults, new_syntax) = built(
            function, function.deep_replace(mutation.original_node, mutation.mutated_node))
        changes = list(difflib.unified_diff(text.splitlines(), new_text.splitlines(), n=0))[2:]
        before, after = (' '.join(line[1:].strip() for line in changes if line.startswith(sign))
                         for sign in '-+')
        outer, whole = classes.get(function), positions[function]
        yield Mutant(
            '/'.join(path.parts[-2:]),
            ('' if outer is None else f'{outer.name.value}.') + function.name.value,
            before, after,
            statements.get(positions[mutation.original_node].start.line,
                           range(whole.start.line, whole.end.line + 1)),
            code, None if defaults == old_defaults else defaults, syntax == new_syntax)
