# SPDX-License-Identifier: Apache-2.0
"""The files of the Python module's folder _commands, as docs/generate_reference.py writes them: one for each
command, with its function and what that returns."""

import ast
import textwrap

from python_commands import COMMANDS
from python_functions import function_of, run_function
from python_types import OF_UNIT, flag_class, printed_classes, report_classes

NOTICE = "# Written by docs/generate_reference.py from the program's tables; do not edit."
UNITS = ("Number", "Count", "Text", "Truth", *OF_UNIT.values())
# Where what the files name comes from.
MODULES = {
    "typing": ("TYPE_CHECKING", "Any", "Dict", "List", "Literal", "Mapping", "Optional", "Tuple", "TypedDict",
               "Union", "overload"),
    ".._arguments": ("Named", "Value", "Values"),
    ".._call": ("one", "several", "simulated"),
    ".._results": ("AnyRecord", "Record", "Records"),
    ".._sweep": ("Checked", "Point", "checked", "swept"),
    ".flags": ("Flags",),
    ".report": ("Report",),
    ".units": UNITS}
ALIASES = """# None where it was not asked for, or has no end: so a type checker lets each be anything, too.
Number = Union[float, Any]
Count = Union[int, Any]
Text = Union[str, Any]
Truth = Union[bool, Any]
""" + "".join(f"{kind} = Number\n" for kind in OF_UNIT.values())


def imports_of(code: str) -> str:
    tree = ast.parse(code)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used -= {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    used -= {name.id for node in tree.body if isinstance(node, ast.Assign) for name in node.targets}
    lines = ["import os\n"] if "os" in used else []
    for module, names in MODULES.items():
        if found := [name for name in names if name in used]:
            head = f"from {module} import "
            text = textwrap.fill(", ".join(found), 99 - len(head) - 2, break_long_words=False)
            if "\n" in text:
                text = f"({text})".replace("\n", "\n" + " " * (len(head) + 1))
            lines.append(f"{head}{text}\n" + ("\n" if module == "typing" else ""))
    return "".join(lines)


def file_of(summary: str, code: str) -> str:
    head = f'# SPDX-License-Identifier: Apache-2.0\n{NOTICE}\n"""{summary}"""\n'
    if not code:
        return head
    gap = "" if code.startswith("\n") else "\n"
    return f"{head}\nfrom __future__ import annotations\n\n{imports_of(code).rstrip()}\n{gap}{code}"


def repeated_flags(program) -> list[str]:
    """Flags that may stand several times; in all commands that have them."""
    answers = {name: program.json(name, "--help=json")["flags"]
               for name in ("run", *(command.name for command in COMMANDS))}
    return sorted({flag["name"] for flags in answers.values() for flag in flags if flag["repeats"]})


def python_modules(program, figures: list[dict]) -> dict[str, str]:
    """By name, their texts."""
    run = program.json("run", "--help=json")
    names = ", ".join(f'"{name}"' for name in repeated_flags(program))
    files = {
        "__init__.py": file_of("What the commands take and return: a file for each.", ""),
        "units.py": file_of("What results are measured in, for editors and type checkers.", ALIASES),
        "report.py": file_of("What run() returns.", "".join(report_classes(figures))),
        "flags.py": file_of("What run() and run_many() take.",
                            "# Flags that stand once for each value of a list.\n"
                            f"REPEATED = ({names})\n" + flag_class(run["flags"])),
        "run.py": file_of("run(), one step or round.", run_function(run))}
    for command in COMMANDS:
        code = "".join(printed_classes(program, command)) + function_of(
            command, program.json(command.name, "--help=json"), run["flags"])
        files[f"{command.name}.py"] = file_of(f"{command.name}(), and what it returns.", code)
    return files
