# SPDX-License-Identifier: Apache-2.0
"""Bad values for every key that `list keys` names, each given by --set or in a small file: what the
readers say of them."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

JOB = ["run", "--topology", "dgx_a100_x16", "--model", "gpt_125m", "--set", "model.layers=2"]
CARD_SCHEME = """summary = "a scheme whose codec is a card"
source = "a test"
zero = [1]
[gradients]
collective = "all_to_all"
codec = "base.toml"
"""
CARD = """summary = "a code of exponents"
[wire]
bits_per_element = [10, 11, 12]
overhead = "256 B"
summable = false
[times]
gpu = "NVIDIA A100-SXM4-40GB"
memory_bandwidth = "1555 GBps"
file = "times.csv"
[error]
normal = 0.25
"""
CARD_TIMES = """step,inputs,elements,seconds
encode,1,1e6,2e-5
encode,1,1e8,1e-3
decode,1,1e6,2e-5
decode,1,1e8,1e-3
decode_reduce,8,1e5,1e-5
decode_reduce,8,1e7,1e-3
"""
TRAFFIC = """[jobs.loud]
placement = "random:3"
nodes = 2
pattern = "ring"
bandwidth = "100 GBps"
period = "100 ms"
on = "20 ms"
"""
# Kinds of keys: the arguments that read "base.toml", and the shipped files to try, of which the
# first that has the key is the base.
KINDS = {
    "cluster_keys": (["run", "--topology", "base.toml", *JOB[3:]], "topologies"),
    "site_keys": (["run", "--topology", "base.toml", *JOB[3:]], "sites"),
    "model_keys": ([*JOB[:3], "--model", "base.toml"], "models"),
    "scheme_keys": ([*JOB, "--scheme", "base.toml"], "schemes"),
    "reliability_keys": ([*JOB, "--reliability", "base.toml"], "reliabilities"),
    "codec_card_keys": ([*JOB, "--scheme", "scheme.toml"], CARD),
    "traffic_keys": ([*JOB, "--traffic", "base.toml"], TRAFFIC),
    "scheme_settings": ([*JOB, "--scheme", "sdp4bit"], ""),
    "settings_between_sites": (["run", "--topology", "two_sites_10g", "--scheme", "diloco", *JOB[3:]],
                               ""),
}
PRINTED = {"topologies": "topology", "sites": "topology", "models": "model", "schemes": "scheme",
           "reliabilities": "reliability"}
IN_FILES_ONLY = ("scheme_keys", "codec_card_keys", "traffic_keys")


def printed(program: Path, *arguments: str) -> str:
    return subprocess.run([program, "list", *arguments], check=True, capture_output=True,
                          text=True).stdout


def rows(program: Path, section: str) -> Iterator[tuple[str, list[dict]]]:
    for name, part in json.loads(printed(program, section, "--format", "json")).items():
        yield name, part["rows"]


def shipped(program: Path, section: str) -> list[str]:
    """The files of a section, as texts."""
    return [printed(program, PRINTED[section], row["name"])
            for _, part in rows(program, section) for row in part]


def bad_values(words: str, units: dict[str, str]) -> list[str]:
    """Values, as TOML writes them, that a key of such values does not take."""
    of_range = re.search(r"(?:from|above) ([\d.]+) (?:to|and at most) ([\d.]+)", words)
    noun = words.removesuffix(" above 0")
    if words == "true or false":
        return ["1", '"yes"']
    if words.startswith("one of "):
        last = words.split(", ")[-1].removeprefix("one of ")
        return ["1", '"nonsuch"', f'"{last[:-1]}"']
    if words.startswith("list of "):
        return ["true", "[]", "[[1]]", '"7"', "[-1]", "[99999999999]"]
    if words.startswith(("whole number", "number")) and of_range:
        step = 1 if words.startswith("whole") else 0.5
        low, high = (float(end) if "." in end else int(end) for end in of_range.groups())
        return ['"7 X"', "true", "1.5" if step == 1 else "nan", str(low - step), str(high + step)]
    if noun in units:
        unit = units[noun]
        zero = [f'"0 {unit}"'] if noun != words else []
        return ["7", "true", '"7 parsecs"', f'"-1 {unit}"', f'"1e300 {unit}"', *zero]
    return ["7", '""']


def misspelt(key: str) -> str:
    """The key with its last two letters swapped."""
    return key[:-2] + key[-1] + key[-2]


def table_and_leaf(key: str) -> tuple[str, str]:
    table, _, leaf = key.rpartition(".")
    return table, leaf


def line_of(text: str, key: str) -> int | None:
    """The number of the line that gives the key."""
    wanted = table_and_leaf(key)
    table = ""
    for number, line in enumerate(text.splitlines()):
        if opened := re.match(r"\[([^\[\]]+)\]", line):
            table = opened[1]
        elif (table, line.partition("=")[0].strip()) == wanted:
            return number
    return None


def edited(text: str, key: str, line: str) -> str:
    """The text with another line for the key; with one at its table's end if there is none."""
    lines = text.splitlines()
    number = line_of(text, key)
    table, _ = table_and_leaf(key)
    if number is not None:
        lines[number] = line
    elif not table:
        lines.insert(0, line)
    elif f"[{table}]" in lines:
        lines.insert(lines.index(f"[{table}]") + 1, line)
    else:
        lines += [f"[{table}]", line]
    return "\n".join(lines) + "\n"


def named(key: str, text: str) -> str:
    """The key of the first of the tables whose names the file chooses."""
    if "NAME" not in key:
        return key
    head, _, rest = key.partition("NAME")
    if not rest:  # of any key of a table
        keys = [key for key in re.findall(r"^([\w-]+) =", text, re.MULTILINE)
                if line_of(text, head + key) is not None]
        return head + (keys[0] if keys else "some")
    found = re.search(rf"^\[{re.escape(head)}([\w-]+)", text, re.MULTILINE)
    return head + (found[1] if found else "some") + rest


def cases_of(kind: str, row: dict, bases: list[str], units: dict[str, str]
             ) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    arguments = [*KINDS[kind][0], "--format", "json"]
    bases = bases or [""]
    text = next((base for base in bases if line_of(base, named(row["key"], base)) is not None),
                bases[0])
    key = named(row["key"], text)
    files = {"base.toml": text} if text else {}
    if kind == "codec_card_keys":
        files |= {"scheme.toml": CARD_SCHEME, "times.csv": CARD_TIMES}
    changes = [(key, value) for value in bad_values(row["value"], units)] + [(misspelt(key), "1")]
    for changed, value in changes:
        name = f"{kind} {changed} = {value}"
        if kind in IN_FILES_ONLY:
            line = f"{table_and_leaf(changed)[1]} = {value}"
            yield name, arguments, files | {"base.toml": edited(text, changed, line)}
        else:
            yield name, [*arguments, "--set", f"{changed}={value}"], files
    if text and line_of(text, key) is not None:
        yield f"{kind} without {key}", arguments, files | {"base.toml": edited(text, key, "")}


def bad_input_cases(program: Path) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Names, arguments and files."""
    units = {row["quantity"]: row["units"].split()[0]
             for _, part in rows(program, "units") for row in part}
    for kind, part in rows(program, "keys"):
        if kind not in KINDS:
            continue
        source = KINDS[kind][1]
        bases = shipped(program, source) if source in PRINTED else [source] if source else []
        for row in part:
            yield from cases_of(kind, row, bases, units)
