#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what the documentation takes from the program's own tables, so that it cannot go stale:
docs/reference, the parts of pages between <!-- generated: NAME --> and <!-- end -->, whose NAME
is one of docs/validation_tables.py, and the types and functions of the Python module
(docs/python_modules.py).

    docs/generate_reference.py             write
    docs/generate_reference.py --check     compare, print each difference; exit code 1 if any
"""

import argparse
import difflib
import json
import re
import subprocess
import sys
from pathlib import Path

from pages import ROOT, all_pages, escaped, name_of, table
from python_modules import python_modules
from validation_tables import validation_parts

NOTICE = "<!-- Written by docs/generate_reference.py from the program's tables; do not edit. -->"
COMMANDS_WITH_FORMS = {"map": [["map"], ["map", "STORE"]]}
KEY_TITLES = {
    "cluster_keys": "Cluster file", "site_keys": "Sites file",
    "traffic_keys": "Traffic file",
    "model_keys": "Model file",
    "scheme_keys": "Scheme file", "network_parts_keys": "Network parts",
    "price_list_keys": "Price list", "reliability_keys": "Reliability file",
    "codec_card_keys": "Codec card",
    "sweep_keys": "Sweep spec",
    "scheme_settings": "Settings of a scheme inside a cluster",
    "settings_between_sites": "Settings of a scheme between sites"}
KEY_GUIDES = {"cluster_keys": "cluster", "traffic_keys": "traffic", "site_keys": "sites",
              "model_keys": "model", "scheme_keys": "scheme", "codec_card_keys": "codec",
              "sweep_keys": "sweep", "network_parts_keys": "network-parts",
              "price_list_keys": "prices", "reliability_keys": "reliability"}
# What a heading or a column says where the name of the field reads badly.
LISTING_TITLES = {"all_reduces": "stateful all-reduces"}
COLUMN_TITLES = {"error_normal": "error (normal)", "error_student_t3": "error (Student's t)",
                 "running_sum_low_rank": "running sum (low rank)"}
DEFAULT = re.compile(r"\s*\(default:? ([^()]*)\)$")


class Program:
    """Answers of the program in JSON."""

    def __init__(self, build: Path):
        self.path = build.resolve() / "gardenhose"

    def json(self, *arguments: str):
        done = subprocess.run([self.path, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"generate_reference.py: gardenhose {' '.join(arguments)}: {done.stderr}")
        return json.loads(done.stdout)


def page_of(title: str, *parts: str) -> str:
    return "\n\n".join([NOTICE, f"# {title}", *filter(None, parts)]) + "\n"


def flag_row(flag: dict) -> list[str]:
    text, usual = flag["text"], flag["default"]
    if found := DEFAULT.search(text):
        usual = usual or found[1]
        text = text[:found.start()]
    name = f"`--{flag['name']}`" + (f", `{flag['short']}`" if flag["short"] else "")
    if not flag["takes_value"]:
        usual = "off"
    return [name, escaped(usual), escaped(text)]


def flags_of_form(form: list[str], answer: dict, of_run: list[dict]) -> str:
    """The flags of a command: its own, and those that it shares with `run`."""
    flags = [flag for flag in answer["flags"] if flag["name"] != "help"]
    shared = [flag for flag in flags if form != ["run"] and flag in of_run]
    own = [flag_row(flag) for flag in flags if flag not in shared]
    title = f"## {' '.join(form)}"
    page = f"See also [{form[0]}](../commands/{form[0]}.md)."
    names = ", ".join(f"`--{flag['name']}`" for flag in shared)
    return "\n\n".join(filter(None, [
        title, page, table(["flag", "default", "meaning"], own) if own else "",
        f"These flags are the same as for [run](#run): {names}." if shared else ""]))


def flags_page(program: Program, commands: list[dict]) -> str:
    of_run = program.json("run", "--help=json")["flags"]
    parts = []
    for command in commands:
        for form in COMMANDS_WITH_FORMS.get(command["name"], [[command["name"]]]):
            parts.append(flags_of_form(form, program.json(*form, "--help=json"), of_run))
    return page_of("Flags", "This page lists every flag of every command, as printed by "
                   "`gardenhose COMMAND --help=all`. A switch stands alone or takes `=on` or `=off`. "
                   "If a flag takes a name or a file, a value with a slash or a file extension "
                   "is a file. The separate programs "
                   "[gardenhose-calibrate](../commands/calibrate.md#flags) and "
                   "[gardenhose-codec-error](../commands/codec-error.md#flags) have pages with "
                   "their own flags.", *parts)


def in_tables(rows: list[dict]) -> str:
    """Rows of keys under a heading for each table of the file."""
    groups: dict[str, list[list[str]]] = {}
    for row in rows:
        start, _, leaf = row["key"].rpartition(".")
        usual = "**required**" if row["default"] == "none (required)" else escaped(row["default"])
        groups.setdefault(start, []).append(
            [f"`{leaf}`", escaped(row["value"]), usual, escaped(row["meaning"])])
    parts = []
    for start, cells in groups.items():
        heading = f"### `[{start}]`" if start else "### Top-level keys"
        parts += [heading, table(["key", "value", "default", "meaning"], cells)]
    return "\n\n".join(parts)


def keys_page(keys: dict, units: dict) -> str:
    parts = []
    for name, listing in keys.items():
        guide = KEY_GUIDES.get(name)
        more = f" The [guide](../files/{guide}.md) has an example." if guide else ""
        parts.append(f"## {KEY_TITLES[name]}")
        parts.append(f"{listing['heading'][0].upper()}{escaped(listing['heading'][1:])}.{more}")
        if name.endswith("_keys"):
            parts.append(in_tables(listing["rows"]))
        else:
            parts.append(table(["setting", "value", "default", "meaning"],
                               [[f"`{row['key']}`", *map(escaped, list(row.values())[1:])]
                                for row in listing["rows"]]))
    rows = [[row["quantity"], f"`{row['units']}`"] for row in units["rows"]]
    return page_of("Keys", "This page lists every key of every file that the program reads. An "
                   "unknown key is an error. A quantity (a time, a bandwidth, a price) is a string "
                   "with a number and a [unit](#units), e.g. `\"400 Gbps\"`; a missing unit is an "
                   "error. [Other spellings](../files/cluster.md#numbers-as-people-write-them) are "
                   "read, too. `--set KEY=VALUE` changes a key of a cluster, sites or model file for "
                   "one run: "
                   "`--set network.nic_bandwidth=\"200 Gbps\"`.", *parts, "## Units",
                   units["heading"][0].upper() + units["heading"][1:] + ".",
                   table(["quantity", "units"], rows))


def catalogue_page(title: str, what: dict, *names: str) -> str:
    parts = []
    for name in names:
        listing = what[name]
        rows = [[f"`{row['name']}`", *map(escaped, list(row.values())[1:])]
                for row in listing["rows"]]
        columns = [COLUMN_TITLES.get(column, column.replace("_", " "))
                   for column in listing["rows"][0]]
        section = LISTING_TITLES.get(name, name.replace("_", " ")).capitalize()
        heading = " ".join(listing["heading"].split())
        parts += [f"## {section}",
                  escaped(heading[0].upper() + heading[1:]) + ".", table(columns, rows)]
    return page_of(title, *parts)


def figures_page(listing: dict) -> str:
    rows = [[f"`{row['figure']}`", row["value"], row["unit"], row["worse"]]
            for row in listing["rows"]]
    heading = " ".join(listing["heading"].split())
    return page_of("Figures", escaped(heading[0].upper() + heading[1:]) + ".",
                   "`worse` says in which direction [`check`](../commands/check.md) finds a change "
                   "worse.", table(["figure", "value", "unit", "worse"], rows))


def exit_codes_page(program: Program, top: dict) -> str:
    rows = [[str(row["code"]), escaped(row["meaning"])] for row in top["exit_codes"]]
    own = []
    for command in top["commands"]:
        usage = program.json(command["name"], "--help=json")["usage"]
        if found := re.search(r"exit codes: (.*?)(\n\n|\Z)", usage, re.DOTALL):
            own.append([f"`{command['name']}`", escaped(" ".join(found[1].split()))])
    return page_of("Exit codes", table(["code", "meaning"], rows),
                   "Some commands define their exit codes more specifically:",
                   table(["command", "exit codes"], own))


def reference(program: Program) -> dict[Path, str]:
    top, what = program.json("--help=json"), program.json("list", "--format", "json")
    figures = program.json("list", "figures", "--format", "json")["figures"]
    module = ROOT / "apps" / "python" / "gardenhose" / "_commands"
    folder = ROOT / "docs" / "reference"
    python = {module / name: text for name, text in python_modules(program, figures["rows"]).items()}
    return python | {folder / name: text for name, text in {
        "flags.md": flags_page(program, top["commands"]),
        "keys.md": keys_page(program.json("list", "keys", "--format", "json"),
                             program.json("list", "units", "--format", "json")["units"]),
        "schemes.md": catalogue_page("Schemes", what, "schemes", "schemes_between_sites"),
        "codecs.md": catalogue_page("Codecs", what, "codecs", "all_reduces"),
        "clusters.md": catalogue_page("Clusters and sites", what, "topologies", "sites"),
        "models.md": catalogue_page("Models and calibrations", what, "models", "calibrations"),
        "figures.md": figures_page(figures),
        "exit-codes.md": exit_codes_page(program, top)}.items()}


def with_parts(program: Program, known: dict[str, dict]) -> dict[Path, str]:
    """Pages with generated parts, these as they should be."""
    mark = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
    parts = validation_parts(program, known)
    texts = {page: page.read_text(encoding="utf-8") for page in all_pages()}
    return {page: mark.sub(lambda found: f"{found[1]}\n{parts[found[2]]}\n\n{found[3]}", text)
            for page, text in texts.items() if mark.search(text)}


def guide_problems(keys: dict) -> list[str]:
    """Each guide in docs/files names every key of its file, and its tables name no other key."""
    problems = []
    for name, guide in KEY_GUIDES.items():
        page = ROOT / "docs" / "files" / f"{guide}.md"
        text = page.read_text(encoding="utf-8")
        known = {row["key"].rpartition(".")[2] for row in keys[name]["rows"]}
        free = known & {"NAME", "KEY"}  # any key will do
        problems += [f"{name_of(page)}: does not explain {key}"
                     for key in sorted(known - free) if not re.search(rf"\b{key}\b", text)]
        for rows in re.findall(r"^\| key \|.*\n\| -.*\n((?:\|.*\n)+)", text, re.MULTILINE):
            shown = re.findall(r"^\| (.*?) \|", rows, re.MULTILINE)
            problems += [f"{name_of(page)}: {key} is no key of {KEY_TITLES[name].lower()}s"
                         for cell in shown for key in re.findall(r"([\w]+)`", cell)
                         if key not in known and not free]
    return problems


def difference(page: Path, text: str) -> list[str]:
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    name = name_of(page)
    return list(difflib.unified_diff(old.splitlines(), text.splitlines(), f"{name} as it is",
                                     f"{name} as generated", lineterm=""))


def main() -> int:
    flags = argparse.ArgumentParser(description="Writes docs/reference; see the script's top.")
    flags.add_argument("--check", action="store_true", help="compare instead of writing")
    flags.add_argument("--build", type=Path, default=ROOT / "build" / "release",
                       help="folder of the program (default: build/release)")
    flags.add_argument("--blind", type=Path, metavar="FILE",
                       help="what `validate blind --by fold,generation --format json` printed, "
                       "so as not to run it")
    given = flags.parse_args()
    program = Program(given.build)
    known = {"blind": json.loads(given.blind.read_text("utf-8"))} if given.blind else {}
    pages = reference(program) | with_parts(program, known)
    if given.check:
        differences = [line for page, text in pages.items() for line in difference(page, text)]
        stale = sorted(set((ROOT / "docs" / "reference").glob("*.md")) - set(pages))
        differences += guide_problems(program.json("list", "keys", "--format", "json"))
        differences += [f"{name_of(page)}: nothing generates it; remove it" for page in stale]
        print(*differences, sep="\n", end="\n" if differences else "")
        return 1 if differences else 0
    (ROOT / "docs" / "reference").mkdir(exist_ok=True)
    for page, text in pages.items():
        page.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
