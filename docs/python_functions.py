# SPDX-License-Identifier: Apache-2.0
"""The functions of the Python module, from the program's help."""

import re
import textwrap

from python_commands import Command
from python_types import name_of, value_type

ITSELF = re.compile(r" \(--\w+ itself may be omitted\)")
INPUTS = "inputs: Optional[Mapping[str, object]] = None"
# Several schemes make several reports. What other dicts hold, type checkers do not know.
OTHER_RUNS = """@overload
def run(inputs: Optional[Mapping[str, object]] = None, *,
        scheme: Union[List[Any], Tuple[Any, ...]], **flags: Named) -> Records[Report]: ...
@overload
def run(inputs: Mapping[str, object], **flags: Named) -> Any: ...
"""
RUN_ENDS = """Returns a Report, the JSON of `gardenhose run`, whose keys name their units:
step_time_s, tokens_per_s, memory_per_gpu_bytes, energy_j. If `scheme` is a list, returns a list
of Reports, preceded by the baseline's if there is one.

Raises:
    InputError: an input is invalid; the message says which one, why, and what to write.
    TypeError: an input is not a string, a number, a path, True or False.
    OSError: the program is missing or cannot be started.
    RuntimeError: the program crashes, or lacks a shared library.
    KeyboardInterrupt: Ctrl-C, which also ends the program.

Warns (UserWarning) when a step needs more memory than a GPU has."""


def filled(text: str, indent: str, further: str = "") -> str:
    return textwrap.fill(text, 100, initial_indent=indent, subsequent_indent=indent + further,
                         break_on_hyphens=False, break_long_words=False)


def signature(name: str, parameters: list[str], returned: str) -> str:
    head, blank = f"def {name}(", "\xa0"  # at which no line breaks
    whole = ", ".join(parameter.replace(" ", blank) for parameter in parameters)
    text = filled(f"{whole}){blank}->{blank}{returned}:", " " * len(head))
    return head + text.lstrip(" ").replace(blank, " ")


def keywords(flags: list[dict], command: str) -> list[str]:
    return [f"{name_of(flag)}: Optional[{value_type(flag, command)}] = None" for flag in flags]


def summary_of(usage: str) -> list[str]:
    """The paragraphs between the usage's lines and the first example."""
    found = []
    for paragraph in usage.split("\n\n")[1:]:
        if paragraph.startswith("  ") or len(found) == 2:
            break
        sentences = " ".join(paragraph.split())
        found.append(re.sub(r"(^|(?<=\.) )[^.]*:$", "", sentences))  # no sentence before a list
    return list(filter(None, found))


def in_python(text: str) -> str:
    """Flags as keywords, but for commands in backquotes."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"--([a-z][a-z-]*)", lambda flag: flag[1].replace("-", "_"), part)
                  for part in parts[::2]]
    return "`".join(parts)


def flag_lines(flags: list[dict]) -> list[str]:
    lines = []
    for flag in flags:
        usual = f" (default: {flag['default']})" if flag["default"] else ""
        text = ITSELF.sub("", flag["text"]).replace("\\", "\\\\")
        lines.append(filled(f"{name_of(flag)}: {in_python(text)}{usual}", " " * 8, " " * 4))
    return lines


def docstring(summary: list[str], own: list[dict], shared: list[dict], ending: str) -> str:
    sentence, _, more = in_python(summary[0]).partition(". ")
    parts = [filled(f'"""{sentence.rstrip(".")}.', "    ")]
    parts += [filled(in_python(text), "    ") for text in [more, *summary[1:]] if text]
    if own:
        parts.append("\n".join(["    Flags:", *flag_lines(own)]))
    if shared:
        parts.append(filled("As of run(): " + ", ".join(map(name_of, shared)) + ".", "    "))
    return "\n\n".join([*parts, ending]) + '\n    """'


def run_function(answer: dict) -> str:
    flags = [flag for flag in answer["flags"] if flag["name"] not in ("help", "format", "print-flags")]
    single = signature("run", ["inputs: Optional[Flags] = None", "*", *keywords(flags, "run")],
                       "Report")
    text = docstring(summary_of(answer["usage"]) + [
        "Pass the inputs as a dict, by keyword, or both. Keys are flags of `gardenhose run`, "
        "micro_batch or \"micro-batch\", or keys of input files: \"network.nic_bandwidth\": \"200 "
        "Gbps\". Values are texts, with a unit where there is one, numbers, paths, and True and "
        "False for on and off."], flags, [], textwrap.indent(RUN_ENDS, "    "))
    return (f"\n\n@overload\n{single} ...\n{OTHER_RUNS}"
            f"def run({INPUTS}, **flags: object) -> Any:\n{text}\n"
            "    return simulated(Report, inputs, flags)\n")


def function_of(command: Command, answer: dict, of_run: list[dict]) -> str:
    flags = [flag for flag in answer["flags"]
             if flag["name"] not in ("help", "format", "print-flags", command.first, *command.left_out)]
    shared = [flag for flag in flags if flag in of_run]
    own = [flag for flag in flags if flag not in shared]
    first = f"{command.first}: {command.first_type}" if command.first else INPUTS
    returned = f"Records[{command.kind}]" if command.many else command.kind
    body = command.body or (f'{"several" if command.many else "one"}'
                            f'({command.kind}, "{command.name}", locals())')
    first_row = [flag for flag in answer["flags"] if flag["name"] == command.first]
    text = docstring(summary_of(answer["usage"]), first_row + own, shared,
                     filled(f"Returns {command.returns}.", "    "))
    head = signature(command.name, [first, "*", *keywords(flags, command.name)], returned)
    return f"\n\n{head}\n{text}\n    return {body}\n"
