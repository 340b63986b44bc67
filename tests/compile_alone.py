#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles recently changed sources on their own: neither with the others of their folder nor with
precompiled headers, both of which hide a missing #include from tests/run.sh.

    tests/compile_alone.py [--base REVISION] [--most SOURCES]

A file has changed if the working tree or a commit since the base changed it. Without --base, that is the
last commit that is at least a day older than HEAD, so that a fresh clone, which does not know what was
landed last, checks what its machine of yesterday may not have seen. Where no commit is that old, every
file has changed. A changed header counts as five sources that include it: its own and others, evenly
spread over all. At most SOURCES are compiled, those of the newest changes, so that the time is bounded;
the names of the others are printed. Nothing is linked and no code is made (-fsyntax-only).
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build/alone"
DAY_S = 24 * 3600
INCLUDERS = 5
MOST = 16  # of 2 to 10 s of a core each


def git(root, *arguments):
    return subprocess.run(["git", "-C", root, *arguments], check=True, stdout=subprocess.PIPE,
                          text=True).stdout.splitlines()


def base_of(root):
    """The last commit that is a day older than HEAD, or None."""
    newest = int(git(root, "log", "-1", "--format=%ct")[0])
    return next(iter(git(root, "rev-list", "-1", f"--before=@{newest - DAY_S} +0000", "HEAD")), None)


def changed_since(root, base):
    """Files that exist, the last changed first."""
    names = git(root, "diff", "--name-only", "HEAD")
    names += git(root, "ls-files", "--others", "--exclude-standard")
    names += git(root, "log", "--format=", "--name-only", f"{base}..HEAD" if base else "HEAD")
    return [name for name in dict.fromkeys(names) if (Path(root) / name).is_file()]


def commands_of(root, database):
    """Name of each compiled file of the tree -> (folder, its command without code or object)."""
    commands = {}
    for entry in database:
        if not Path(entry["file"]).is_relative_to(root):
            continue
        words = shlex.split(entry["command"])
        output = words.index("-o")
        del words[output:output + 2]
        words.remove("-c")
        commands.setdefault(os.path.relpath(entry["file"], root),
                            (entry["directory"], [*words, "-fsyntax-only"]))
    return commands


def includers_of(root, sources):
    """Header -> sorted sources that include it directly."""
    found = {}
    for source in sorted(sources):
        text = (Path(root) / source).read_text(encoding="utf-8")
        for header in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
            found.setdefault(header, []).append(source)
    return found


def some_of(header, sources):
    """The header's own source and others, evenly spread."""
    if len(sources) <= INCLUDERS:
        return sources
    own = [source for source in sources if Path(source).with_suffix(".hpp") == Path(header)]
    others = [source for source in sources if source not in own]
    count = INCLUDERS - len(own)
    return own + [others[i * len(others) // count] for i in range(count)]


def sources_for(changed, includers, compiled):
    """The sources to compile, in the order of the changes."""
    sources = {}
    for name in changed:
        of_name = [name] if name in compiled else some_of(name, includers.get(name, []))
        sources.update(dict.fromkeys(of_name))
    return list(sources)


def compiles(source, command):
    folder, words = command
    done = subprocess.run(words, cwd=folder, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(f"== {source}\n{done.stdout}", flush=True)
    return done.returncode == 0


def configured():
    """The release build's commands, each source on its own."""
    subprocess.run(["cmake", "--preset", "release", "-B", BUILD, "-DGARDENHOSE_UNITY=OFF",
                    "-DGARDENHOSE_CUDA=OFF", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return commands_of(ROOT, json.loads((BUILD / "compile_commands.json").read_text()))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", metavar="REVISION", help="default: a day before HEAD")
    parser.add_argument("--most", type=int, default=MOST, metavar="SOURCES",
                        help="default: %(default)s")
    options = parser.parse_args()
    base = options.base or base_of(ROOT)
    commands = configured()
    sources = sources_for(changed_since(ROOT, base), includers_of(ROOT, commands), commands)
    chosen, rest = sources[:options.most], sources[options.most:]
    print(f"Changed since {git(ROOT, 'log', '-1', '--format=%h %s', base)[0]}" if base
          else "No commit is a day old: every file counts as changed")
    print(f"Sources compiled on their own: {len(chosen)}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        fine = list(pool.map(lambda source: compiles(source, commands[source]), chosen))
    if rest:
        print(f"Left out, as --most is {options.most}: {len(rest)} sources of older changes:")
        print(*rest)
    failed = fine.count(False)
    if failed:
        sys.exit(f"compile_alone.py: {failed} sources do not compile on their own; each must include"
                 " what it uses")


if __name__ == "__main__":
    main()
