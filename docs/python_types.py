# SPDX-License-Identifier: Apache-2.0
"""The results' types of the Python module, from the program's list of figures and from what its
commands print."""

import keyword
import keyword
import textwrap

from python_commands import Command

TYPES = {"number": "Number", "whole number": "Count", "string": "Text", "true or false": "Truth"}
OF_UNIT = {"s": "Seconds", "B": "Bytes", "B/s": "BytesPerSecond", "J": "Joules", "W": "Watts",
           "USD": "Dollars", "tokens/s": "TokensPerSecond", "ratio": "Ratio", "share": "Share",
           "days": "Days"}
OF_END = {"tokens_per_s": "TokensPerSecond", "_s": "Seconds", "_Bps": "BytesPerSecond",
          "_bytes": "Bytes", "_j": "Joules", "_W": "Watts", "_usd": "Dollars", "_USD": "Dollars"}
# What the JSON has besides figures, with keys that are names of phases, parts or constants.
OTHERS = {"schema_version": "int", "exposed_comm_by_phase_s": "Dict[str, float]",
          "wire_bytes_by_phase": "Dict[str, Dict[str, float]]", "events": "List[str]",
          "memory_by_part_bytes": "Dict[str, float]", "bound": "str",
          "codec_error": "Dict[str, Optional[float]]", "sources": "Dict[str, str]"}
# Parts whose names their places would not explain.
RENAMED = {"ComparisonA": "Side", "PlansPlans": "Plan", "CollectiveTimeClasses": "PairsTime"}


def class_of(name: str, summary: str, members: dict[str, str]) -> str:
    for member in members:
        if hasattr(dict, member):
            raise ValueError(f"{name}.{member}: would be hidden by dict's method")
    known = [f"    {member}: {kind}" for member, kind in members.items()
             if not keyword.iskeyword(member)]
    keys = textwrap.fill(", ".join(f'"{member}"' for member in members), 100,
                         initial_indent=" " * 12, subsequent_indent=" " * 12)
    return "\n".join([
        f"\n\nclass {name}(Record):", f'    """{summary}"""', "", *known, "",
        "    if TYPE_CHECKING:", "",
        "        def __getitem__(self, key: Literal[  # type: ignore[override]", keys,
        "        ]) -> Any: ...", ""])


def title_of(key: str) -> str:
    return key.title().replace("_", "")


def figure_type(row: dict) -> str:
    kind = TYPES[row["value"]]
    return OF_UNIT.get(row["unit"], kind) if kind == "Number" else kind


def report_classes(figures: list[dict]) -> list[str]:
    """Report, after its parts."""
    report: dict[str, str] = {}
    parts: dict[str, dict[str, str]] = {}  # by the key of the report
    for row in figures:
        part, _, name = row["figure"].rpartition(".")
        (parts.setdefault(part, {}) if part else report)[name] = figure_type(row)
    classes = []
    for part, members in parts.items():
        key = part.removesuffix("[]")
        name = title_of(key)
        classes.append(class_of(name, f"One of `{key}`." if key != part else f"`{key}`.", members))
        report[key] = f"List[{name}]" if key != part else name
    return [*classes, class_of("Report", "One scheme's results, the JSON of `gardenhose run`.",
                               report | OTHERS)]


class Shapes:
    """Classes of what a command prints."""

    def __init__(self) -> None:
        self.classes: list[str] = []
        self.names: dict[tuple, str] = {}  # by the members

    def object_of(self, name: str, summary: str, seen: list[dict]) -> str:
        """The name of the class that all objects seen are of: their keys together."""
        values: dict[str, list] = {}
        for one in seen:
            for key, value in one.items():
                values.setdefault(key, []).append(value)
        members = {key: self.type_of(name, key, found) for key, found in values.items()}
        shape = tuple(members.items())
        if shape not in self.names:
            self.names[shape] = name
            self.classes.append(class_of(name, summary, members))
        return self.names[shape]

    def type_of(self, owner: str, key: str, seen: list) -> str:
        some = [value for value in seen if value is not None]
        if all(isinstance(value, list) for value in some) and some:
            return f"List[{self.element_of(owner, key, [one for value in some for one in value])}]"
        if some and all(isinstance(value, dict) for value in some):
            return self.object_of(part_name(owner, key), f"`{key}`.", some)
        if not some:
            return unit_type(key) or "Any"
        return next(kind for kinds, kind in (
            (bool, "Truth"), (str, "Text"), ((int, float), number_type(key, some)), (object, "Any"))
            if all(isinstance(value, kinds) for value in some))

    def element_of(self, owner: str, key: str, seen: list) -> str:
        if seen and all(isinstance(one, dict) for one in seen):
            return self.object_of(part_name(owner, key), f"One of `{key}`.", seen)
        return self.type_of(owner, key, seen)


def part_name(owner: str, key: str) -> str:
    return RENAMED.get(owner + title_of(key), owner + title_of(key))


def unit_type(key: str) -> str | None:
    """The type of a number whose key ends with its unit."""
    stem = key.removesuffix("_low").removesuffix("_high").removesuffix("_median")
    return next((kind for end, kind in OF_END.items() if stem.endswith(end)), None)


def number_type(key: str, seen: list) -> str:
    usual = "Count" if all(isinstance(value, int) for value in seen) else "Number"
    return unit_type(key) or usual


def printed_classes(program, command: Command) -> list[str]:
    """The classes of a command's result."""
    shapes = Shapes()
    seen = [program.json(command.name, *sample, "--format=json") for sample in command.samples]
    objects = [one for printed in seen for one in (printed if isinstance(printed, list) else [printed])]
    if objects:
        shapes.object_of(command.kind, f"A result of `gardenhose {command.name}`.", objects)
    return shapes.classes


def name_of(flag: dict) -> str:
    name = flag["name"].replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def flag_class(flags: list[dict]) -> str:
    """The flags of `run` as keywords."""
    return "".join([
        "\n\nclass Flags(TypedDict, total=False):\n",
        '    """Flags of `gardenhose run` with one scheme: inputs of run() and run_many()."""\n\n',
        *(f"    {name_of(flag)}: {value_type(flag, 'run')}\n"
          for flag in flags if flag["name"] not in ("help", "format", "print-flags"))])


def value_type(flag: dict, command: str) -> str:
    if not flag["takes_value"]:
        return "bool"
    if flag["name"] in ("set", "x", "y", "upgrade", "tolerance", "spread") or \
            command == "compare" and flag["name"] in ("a", "b"):
        return "Named"
    lists = command != "run" or flag["repeats"]
    return "Values" if lists else "Value"
