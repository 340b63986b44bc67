# SPDX-License-Identifier: Apache-2.0
"""The mutations of a source: small changes of its code, found by clang's own parser.

Left out is what no test should hold: the texts of errors (what is thrown or required), static assertions, and
capacities; so are defaults of fields, which most initialisers replace. Python's clang is Debian's python3-clang-14.
"""
import re
from dataclasses import dataclass

from clang import cindex
from clang.cindex import CursorKind as Kind

# For each kind the operators and what takes their place.
OPERATORS = {
    "boundary": {"<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"]},
    "comparison": {"<": [">"], "<=": [">="], ">": ["<"], ">=": ["<="], "==": ["!="], "!=": ["=="]},
    "arithmetic": {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"], "+=": ["-=", "="], "-=": ["+="],
                   "*=": ["/="], "/=": ["*="]},
    "logical": {"&&": ["||"], "||": ["&&"]},
}
FUNCTIONS = {"min": "max", "max": "min", "any_of": "all_of", "all_of": "any_of", "none_of": "any_of", "floor": "ceil",
             "ceil": "floor", "lower_bound": "upper_bound", "upper_bound": "lower_bound"}
KINDS = [*OPERATORS, "constant", "condition", "function", "statement", "return"]

SILENT = {Kind.CXX_THROW_EXPR, Kind.STATIC_ASSERT, Kind.FIELD_DECL}
SILENT_CALLS = {"require", "reserve", "shrink_to_fit"}
BINARY = {Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR}
CONDITIONED = {Kind.IF_STMT, Kind.WHILE_STMT, Kind.CONDITIONAL_OPERATOR}
BODIES = {Kind.IF_STMT, Kind.FOR_STMT, Kind.WHILE_STMT, Kind.CXX_FOR_RANGE_STMT}
NUMBER = re.compile(r"(\d[\d']*(?:\.\d*)?(?:[eE][+-]?\d+)?)(\w*)$")


@dataclass(frozen=True)
class Mutation:
    """`before` at byte `offset` of `file`, a path from the tree's root, becomes `after`."""
    file: str
    line: int
    offset: int
    kind: str
    before: str
    after: str

    def applied_to(self, text: bytes) -> bytes:
        end = self.offset + len(self.before.encode())
        if text[self.offset:end] != self.before.encode():
            raise ValueError(f"{self.file}:{self.line}: '{self.before}' is no longer there")
        return text[:self.offset] + self.after.encode() + text[end:]

    def __str__(self):
        return f"{self.file}:{self.line}: {self.kind}: {one_line(self.before)} -> {one_line(self.after)}"


def bodies_of(cursor):
    """The statements that a loop or a condition rules, which need not be blocks."""
    children = list(cursor.get_children())
    return [child for child in children[1:] if not child.kind.is_declaration()] if cursor.kind == Kind.IF_STMT \
        else children[-1:]


def other_numbers(code):
    """One more of a whole number, twice as much, and nothing."""
    match = NUMBER.match(code)
    if not match or match.group(2).startswith("x"):
        return []
    digits, unit = match.groups()
    whole = digits.replace("'", "")
    value = int(whole) if whole.isdigit() else float(whole)
    others = [value + 1, 2 * value, 0] if whole.isdigit() else [2 * value, 0.0]
    return [f"{other}{unit}" for other in dict.fromkeys(others) if other != value]


def one_line(code):
    text = " ".join(code.split())
    return text if len(text) <= 70 else text[:67] + "..."


class Finder:
    """Walks the syntax tree of one file."""

    def __init__(self, file, path):
        self.file = file
        self.path = str(path)
        self.text = path.read_bytes()
        self.found = {}

    def add(self, kind, start, before, after):
        if before == after:
            return
        line = self.text.count(b"\n", 0, start) + 1
        one = Mutation(self.file, line, start, kind, before, after)
        self.found[(start, before, after)] = one

    def code(self, start, end):
        return self.text[start:end].decode()

    def code_of(self, cursor):
        return self.code(cursor.extent.start.offset, cursor.extent.end.offset)

    def is_here(self, cursor):
        file = cursor.extent.start.file
        return file is not None and file.name == self.path

    def walk(self, cursor):
        for child in cursor.get_children():
            if self.is_here(child) and not self.is_silent(child):
                self.visit(child)
                self.walk(child)

    def is_silent(self, cursor):
        if cursor.kind in SILENT:
            return True
        return cursor.kind == Kind.CALL_EXPR and cursor.spelling in SILENT_CALLS

    def visit(self, cursor):
        self.operator(cursor)
        self.number(cursor)
        if cursor.kind in CONDITIONED:
            self.condition(cursor)
        if cursor.kind == Kind.CALL_EXPR and cursor.spelling in FUNCTIONS:
            self.function(cursor)
        if cursor.kind == Kind.COMPOUND_STMT:
            for child in cursor.get_children():
                self.statement(child)
        if cursor.kind in BODIES:
            for body in bodies_of(cursor):
                self.statement(body)
                self.early_return(body)

    def operator(self, cursor):
        if cursor.kind in BINARY:
            sides = list(cursor.get_children())
        elif cursor.kind == Kind.CALL_EXPR and cursor.spelling.startswith("operator"):
            sides = list(cursor.get_arguments())
        else:
            return
        if len(sides) != 2 or not all(side and self.is_here(side) for side in sides):
            return
        if any("string" in side.type.spelling for side in sides) or '"' in self.code_of(cursor):
            return
        start, end = sides[0].extent.end.offset, sides[1].extent.start.offset
        between = self.code(start, end)
        operator = between.strip()
        for kind, replacements in OPERATORS.items():
            for after in replacements.get(operator, []):
                self.add(kind, start + between.index(operator), operator, after)

    def number(self, cursor):
        start = cursor.extent.start.offset
        code = self.code_of(cursor)
        if cursor.kind == Kind.CXX_BOOL_LITERAL_EXPR:
            self.add("constant", start, code, "false" if code == "true" else "true")
        if cursor.kind not in (Kind.INTEGER_LITERAL, Kind.FLOATING_LITERAL):
            return
        for after in other_numbers(code):
            self.add("constant", start, code, after)

    def condition(self, cursor):
        children = list(cursor.get_children())
        if any(child.kind in (Kind.DECL_STMT, Kind.VAR_DECL) for child in children):
            return
        condition = children[0]
        if not condition.kind.is_expression():
            return
        if "constexpr" in self.code(cursor.extent.start.offset, condition.extent.start.offset):
            return
        code = self.code_of(condition)
        if code == "true" or re.fullmatch(r"[^&|]* [=!]= [^&|]*", code):  # a comparison, already found
            return
        self.add("condition", condition.extent.start.offset, code, f"!({code})")

    def function(self, cursor):
        start = cursor.extent.start.offset
        match = re.match(r"(std::(?:ranges::)?)(\w+)\b", self.code_of(cursor))
        if match and match.group(2) == cursor.spelling:
            self.add("function", start, match.group(0), match.group(1) + FUNCTIONS[cursor.spelling])

    def statement(self, cursor):
        """Drops a call, an assignment, a break or a continue."""
        dropped = cursor.kind.is_expression() or cursor.kind in (Kind.BREAK_STMT, Kind.CONTINUE_STMT)
        if not dropped or self.is_silent(cursor) or not self.is_here(cursor) or any(
                self.is_silent(inner) for inner in cursor.walk_preorder()):
            return
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        if self.text[end:end + 1] == b";":
            self.add("statement", start, self.code(start, end), "")

    def early_return(self, body):
        """Drops a return below a condition, which the function's last one follows."""
        statements = list(body.get_children()) if body.kind == Kind.COMPOUND_STMT else [body]
        if statements and statements[-1].kind == Kind.RETURN_STMT and self.is_here(statements[-1]):
            start, end = (at.offset for at in (statements[-1].extent.start, statements[-1].extent.end))
            self.add("return", start, self.code(start, end), "")


def mutations_of(file, path, arguments):
    """All mutations of a source, by place. `arguments` are the compiler's."""
    finder = Finder(file, path)
    unit = cindex.Index.create().parse(str(path), args=arguments)
    errors = [problem for problem in unit.diagnostics if problem.severity >= cindex.Diagnostic.Error]
    if errors:
        raise ValueError(f"{file}: {errors[0].spelling}")
    finder.walk(unit.cursor)
    return sorted(finder.found.values(), key=lambda one: (one.offset, one.kind, one.before, one.after))
