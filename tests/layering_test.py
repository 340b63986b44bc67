#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What may include what, and the other rules that every source file keeps.

Checks the tree that this file is in, and, on small made-up trees, that each rule can fail.
"""
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# For each layer the layers that it may include, besides itself. A single header may stand for itself.
LAYERS = {
    "codecs": [],
    "sim/base": [],
    "sim/topology": ["sim/base"],
    "sim/trace": ["sim/base"],
    "sim/layout": ["sim/base"],
    "sim/workload": ["sim/layout", "sim/topology", "sim/base"],
    # A launch file becomes texts of fields, which the layers above read.
    "sim/launch": ["sim/base"],
    # How a job fails knows its bytes and its links, not how its steps are simulated.
    "sim/reliability": ["sim/workload", "sim/layout", "sim/topology", "sim/base"],
    "sim/times": ["sim/workload", "sim/layout", "sim/topology", "sim/base", "codecs"],
    "sim/schedule": ["sim/topology", "sim/base"],
    "sim/collectives": ["sim/schedule", "sim/topology", "sim/base"],
    "sim/schemes": ["sim/times", "sim/workload", "sim/layout", "sim/topology", "sim/base", "codecs"],
    "sim/program": ["sim/schemes", "sim/collectives", "sim/schedule", "sim/times", "sim/workload", "sim/layout",
                    "sim/topology", "sim/base", "codecs"],
    "sim/sites": ["sim/schemes", "sim/schedule", "sim/times", "sim/workload", "sim/topology", "sim/base", "codecs"],
    "sim/engine": ["sim/schedule", "sim/topology", "sim/base"],
    # A report reads the engine's results; it does not run the engine.
    "sim/report": ["sim/engine/simulate.hpp", "sim/reliability", "sim/trace", "sim/program", "sim/schemes", "sim/collectives", "sim/schedule", "sim/times", "sim/workload", "sim/layout",
                   "sim/topology", "sim/base", "codecs"],
    "sim/rounds": ["sim/sites", "sim/report", "sim/engine/simulate.hpp", "sim/program", "sim/schemes", "sim/collectives", "sim/schedule",
                   "sim/times", "sim/workload", "sim/layout", "sim/topology", "sim/base", "codecs"],
    # A sweep knows no simulator: whoever sweeps says what runs a point.
    "sim/study/sweep": ["sim/base"],
    "sim/study": ["sim/fit", "sim/reliability", "sim/trace", "sim/rounds", "sim/sites", "sim/report", "sim/engine/simulate.hpp", "sim/program", "sim/schemes",
                  "sim/collectives", "sim/schedule", "sim/times", "sim/workload", "sim/layout", "sim/topology",
                  "sim/base", "codecs"],
    "sim/fit": ["sim/collectives", "sim/schedule", "sim/topology", "sim/base"],
    "sim/validation": ["sim/fit", "sim/reliability", "sim/rounds", "sim/sites", "sim/report", "sim/engine", "sim/program", "sim/schemes", "sim/collectives", "sim/schedule", "sim/times", "sim/workload", "sim/layout",
                       "sim/topology", "sim/base", "codecs"],
    "apps": ["sim", "codecs"],
    "docs/examples": ["sim", "codecs"],
    "tests": ["apps", "sim", "codecs", "docs/examples"],
}

# Headers of these libraries may be included by files whose path matches.
LIBRARIES = [
    (r"(simgrid|xbt)/", r"sim/engine/", "sim/engine"),
    (r"hwy/", r"codecs/cpu/", "codecs/cpu"),
    (r"sqlite3", r"sim/study/sweep/|tests/apps/", "sim/study/sweep"),
    (r"zlib", r"sim/base/", "sim/base"),
    (r"yaml-cpp/", r"sim/launch/", "sim/launch"),
    (r"pugixml", r"apps/check/", "apps/check"),
    (r"boost/context/", r"tests/emulator/", "tests/emulator"),
    (r"boost/math/", r"sim/base/", "sim/base"),
    (r"boost/(?!context/|math/)", r"apps/", "apps"),
    (r"(cuda|cublas|curand|cooperative_groups|cub/|nvml)",
     r".*\.cuh?$|codecs/cuda/|apps/calibrate/|tests/emulator/",
     "*.cu, *.cuh, codecs/cuda, apps/calibrate and tests/emulator"),
]

# What spells these names includes such a header, or its own header does: tests' builds have some of
# them precompiled, where a missing one goes unnoticed.
NAMES = [(re.compile(r"\bnlohmann::"), "nlohmann/"), (re.compile(r"\bfmt::"), "fmt/")]

CXX = {".cpp", ".hpp", ".cu", ".cuh"}
SOURCES = CXX | {".py", ".sh", ".cmake"}
FOLDERS = ["apps", "codecs", "docs", "plots", "sim", "tests"]
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
CONDITIONAL = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else)\b")
# For which GPU and in which pass nvcc compiles only its macros say.
ASKS_THE_COMPILER = "codecs/cuda/instructions.cuh"
PRINTS = re.compile(r"\bfmt::print\(|\bstd::(cout|cerr|f?puts|f?printf)\b")
# What prints besides apps/streams.cpp: the process of a simulation, to its parent; measurements;
# examples of programs.
MAY_PRINT = re.compile(r"(apps/streams\.cpp|sim/engine/child\.cpp)$"
                       r"|apps/calibrate/gpu/|docs/examples/|tests/")
OPENS = re.compile(r"\bstd::[io]?fstream\b|\bf(re)?open\(|\bmkstemp\(")
# What opens files besides sim/base: the system's descriptions of a machine.
MAY_OPEN = re.compile(r"sim/base/(read_)?file\.cpp$|apps/calibrate/(cpu|gpu/device)\.cpp$|tests/")
OPEN_END = re.compile(r"\bTO(?:DO)\b(?!.*\b(when|once|until|unless|if|after)\b)")
MACHINE_PATH = re.compile(r"(?<![\w.~}\])*])/(?:work|tmp|home|root|mnt)\b")
# Texts and comments name a field of the job, `tp`; the command line knows its flag.
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|//.*')
FLAG = re.compile(r"--[a-z]")
WARN_LINES, MOST_LINES = 300, 500
GENERATED = re.compile(r"# SPDX.*\n# Written by docs/generate_reference\.py .*; do not edit\.$")

NAMESPACE = re.compile(r"namespace ([\w:]+) \{")
TYPE = re.compile(r"(?:struct|class|enum class) (\w+)[^;]*\{")


def within(path, place):
    return path == place or path.startswith(place + "/")


def layer_of(path):
    return next((layer for layer in LAYERS if within(path, layer)), None)


def own_header(root, path):
    """The header of the same name, of a *.cpp: clang-format sorts every other one."""
    header = Path(path).with_suffix(".hpp")
    if path.endswith(".cpp") and (root / header).exists():
        return header.as_posix()
    return None


def check_include(root, path, opening, header):
    """Yields what is wrong with one #include."""
    for library, allowed, where in LIBRARIES:
        if re.match(library, header) and not re.match(allowed, path):
            yield f"includes <{header}>, which belongs in {where}"
    if opening == "<":
        return
    if not (root / header).exists():
        yield f'includes "{header}", which is no file of this tree by its path from the root'
        return
    layer = layer_of(path)
    if layer is None:
        yield "is in no known layer; name the layer in LAYERS"
    elif not any(within(header, place) for place in [layer, *LAYERS[layer]]):
        yield f'includes "{header}", which is no layer below {layer}'


def included_by(root, path):
    """All that a file includes, and what the header of its own name does."""
    files = [path, own_header(root, path)]
    return [match[2] for file in files if file
            for match in map(INCLUDE.match, (root / file).read_text(encoding="utf-8").splitlines()) if match]


def check_names(root, path, lines):
    """Yields (line number, what is wrong) for names of libraries that the file has by luck."""
    for name, folder in NAMES:
        used = next((number for number, line in enumerate(lines, 1) if name.search(line.partition("//")[0])), None)
        if used and not any(header.startswith(folder) for header in included_by(root, path)):
            yield used, f"uses what <{folder}...> declares without including it"


def check_cxx(root, path, lines):
    """Yields (line number, what is wrong) for what concerns C++ and CUDA alone."""
    includes = []
    for number, line in enumerate(lines, 1):
        if CONDITIONAL.match(line) and path != ASKS_THE_COMPILER:
            yield number, "conditional compilation; leave the file out of the build instead"
        if PRINTS.search(line.partition("//")[0]) and not MAY_PRINT.match(path):
            yield number, "prints; commands do that by apps/print.hpp, which makes text fit to show"
        if OPENS.search(line.partition("//")[0]) and not MAY_OPEN.match(path):
            yield number, "opens a file; sim/base/file.hpp does, without harm to what is there"
        if within(path, "sim") and any(FLAG.search(text) for text in TEXT.findall(line)):
            yield number, "spells a flag; name the field, as `tp`, and apps/words.hpp adds the flag"
        if match := INCLUDE.match(line):
            includes.append((number, match[2]))
            for problem in check_include(root, path, match[1], match[2]):
                yield number, problem
    if path.endswith((".hpp", ".cuh")):
        if "#pragma once" not in [line.strip() for line in lines]:
            yield 1, "a header without #pragma once"
    yield from check_names(root, path, lines)
    own = own_header(root, path)
    if own and (not includes or includes[0][1] != own):
        yield includes[0][0] if includes else 1, f'does not include its own "{own}" first'


def check_file(root, path):
    """Returns (problems, warnings) of one file, each located."""
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    found = list(check_cxx(root, path, lines)) if Path(path).suffix in CXX else []
    for number, line in enumerate(lines, 1):
        if OPEN_END.search(line):
            found.append((number, "a to-do without the condition that ends it (when, once, ...)"))
        if MACHINE_PATH.search(line):
            found.append((number, "a path of one machine"))
    warnings = []
    if GENERATED.match("\n".join(lines[:2])):
        pass  # as long as the tables that it is written from
    elif len(lines) > MOST_LINES:
        found.append((len(lines), f"longer than {MOST_LINES} lines"))
    elif len(lines) > WARN_LINES:
        warnings.append((len(lines), f"longer than {WARN_LINES} lines"))
    return tuple([f"{path}:{number}: {text}" for number, text in sorted(texts)]
                 for texts in (found, warnings))


def types_of(lines):
    """Yields (line number, name with its namespace) of the types that a header defines."""
    namespace = ""
    for number, line in enumerate(lines, 1):
        if match := NAMESPACE.match(line):
            namespace = match[1]
        elif match := TYPE.match(line):
            yield number, f"{namespace}::{match[1]}"


def check_types(root):
    """The linker takes one of two inline functions of the same name, whichever type it is of."""
    places = {}
    for folder in ("apps", "codecs", "sim"):
        for file in sorted((root / folder).rglob("*.hpp")):
            path = file.relative_to(root).as_posix()
            for number, name in types_of(file.read_text(encoding="utf-8").splitlines()):
                if name in places:
                    yield f"{path}:{number}: {name} is also defined in {places[name]}"
                places.setdefault(name, f"{path}:{number}")


def check_tree(root):
    """Returns (problems, warnings) of all sources under `root`."""
    problems, warnings = list(check_types(root)), []
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in SOURCES or file.name == "CMakeLists.txt":
                more_problems, more_warnings = check_file(root, file.relative_to(root).as_posix())
                problems += more_problems
                warnings += more_warnings
    return problems, warnings


def check_texts(files):
    """The same for a made-up tree, given as {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            file = Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return check_tree(Path(folder))


class ThisTree(unittest.TestCase):
    def test_keeps_the_rules(self):
        problems, warnings = check_tree(ROOT)
        if warnings:
            print("Warnings:", *warnings, sep="\n  ", file=sys.stderr)
        self.assertFalse(problems, "\n  ".join(["", *problems]))

    def test_is_not_empty(self):
        for folder in ("codecs", "sim", "tests"):
            self.assertTrue(any((ROOT / folder).rglob("*.cpp")), folder)


class EachRule(unittest.TestCase):
    def fails(self, files, *texts):
        """Exactly one problem, whose text has all of `texts`."""
        problems, _ = check_texts(files)
        self.assertEqual(len(problems), 1, problems)
        for text in texts:
            self.assertIn(text, problems[0])

    def holds(self, files):
        self.assertEqual(check_texts(files), ([], []))

    def test_every_pair_of_layers(self):
        for layer, below in LAYERS.items():
            for header in [*(f"{other}/x.hpp" for other in LAYERS), "sim/engine/simulate.hpp"]:
                path = f"{layer}/y.cpp"
                files = {header: "#pragma once\n", path: f'#include "{header}"\n'}
                if any(within(header, place) for place in [layer, *below]):
                    self.holds(files)
                else:
                    self.fails(files, f"{path}:1:", header, f"no layer below {layer}")

    def test_the_table_has_no_cycle(self):
        """A layer's own layers are below everything that may include it."""
        for layer, below in LAYERS.items():
            for other in below:
                for name, theirs in LAYERS.items():
                    if within(name, other):
                        self.assertNotIn(layer, theirs)

    def test_a_report_reads_results_but_does_not_run_the_engine(self):
        headers = {f"sim/engine/{name}.hpp": "#pragma once\n" for name in ("simulate", "platform")}
        self.holds({**headers, "sim/report/a.cpp": '#include "sim/engine/simulate.hpp"\n'})
        self.fails({**headers, "sim/report/a.cpp": '#include "sim/engine/platform.hpp"\n'},
                   "sim/report/a.cpp:1:", "no layer below sim/report")

    def test_an_unknown_layer(self):
        self.fails({"sim/base/x.hpp": "#pragma once\n",
                    "sim/helpers/y.cpp": '#include "sim/base/x.hpp"\n'}, "no known layer")

    def test_includes_are_written_from_the_root(self):
        self.fails({"sim/base/x.hpp": "#pragma once\n", "sim/base/y.cpp": '#include "x.hpp"\n'},
                   "no file of this tree")

    def test_libraries_have_their_place(self):
        for header, right, wrong in [
                ("simgrid/s4u.hpp", "sim/engine/a.cpp", "apps/a.cpp"),
                ("xbt/log.h", "sim/engine/a.hpp", "sim/schedule/a.hpp"),
                ("boost/program_options.hpp", "apps/a.cpp", "sim/base/a.cpp"),
                ("boost/program_options.hpp", "apps/a.cpp", "tests/emulator/a.cpp"),
                ("pugixml.hpp", "apps/check/a.cpp", "apps/sweep/a.cpp"),
                ("boost/context/fiber.hpp", "tests/emulator/a.hpp", "apps/a.hpp"),
                ("boost/math/distributions/normal.hpp", "sim/base/a.cpp", "apps/a.cpp"),
                ("cuda_runtime.h", "codecs/cuda/a.hpp", "codecs/bf16/a.cpp"),
                ("cublas_v2.h", "apps/a.cu", "apps/a.cpp")]:
            text = f"#pragma once\n#include <{header}>\n"
            self.holds({right: text})
            self.fails({wrong: text}, f"{wrong}:2:", header, "belongs in")

    def test_no_conditional_compilation(self):
        for line in ("#ifdef A", "#ifndef A", "#if 1", "  # if 1", "#else"):
            self.fails({"sim/base/a.cpp": line + "\n"}, "a.cpp:1:", "conditional")
            self.fails({"codecs/cuda/a.cuh": "#pragma once\n" + line + "\n"}, "a.cuh:2:", "conditional")
            self.holds({"codecs/cuda/instructions.cuh": "#pragma once\n" + line + "\n"})

    def test_one_place_prints(self):
        for line in ('fmt::print("a");', "std::cout << 1;", 'std::fprintf(stderr, "a");'):
            text = f"#include <fmt/format.h>\n{line}\n"
            self.holds({"apps/streams.cpp": text})
            self.fails({"apps/run.cpp": text}, "apps/run.cpp:2:", "prints")

    def test_names_of_libraries_come_with_a_header(self):
        for name, header in (("nlohmann::json", "nlohmann/json_fwd.hpp"), ("fmt::format", "fmt/core.h")):
            use, include = f"using x = {name};\n", f"#include <{header}>\n"
            self.holds({"apps/a.cpp": include + use})
            self.holds({"apps/a.hpp": "#pragma once\n" + include, "apps/a.cpp": '#include "apps/a.hpp"\n' + use})
            self.fails({"apps/b.hpp": "#pragma once\n" + include, "apps/a.cpp": '#include "apps/b.hpp"\n' + use},
                       "apps/a.cpp:2:", "without including it")

    def test_one_place_opens_files(self):
        for line in ("std::ofstream file(name);", "std::ifstream file;", 'fopen(name, "w");'):
            self.holds({"sim/base/read_file.cpp": line + "\n"})
            self.fails({"apps/run.cpp": line + "\n"}, "apps/run.cpp:1:", "opens a file")

    def test_the_simulator_knows_no_flag(self):
        self.holds({"sim/base/a.cpp": 'while (--left > 0) problem("`tp`: 3 -- see `zero`");\n',
                    "apps/a.cpp": 'problem("--tp: 3");\n'})
        for line in ('problem("--tp: 3");', "int tensor;  // of --tp", 'add("no --zero", --left);'):
            self.fails({"sim/base/a.cpp": line + "\n"}, "sim/base/a.cpp:1:", "spells a flag")

    def test_headers_are_read_once(self):
        for path in ("sim/base/a.hpp", "codecs/cuda/a.cuh"):
            self.fails({path: "int a();\n"}, "pragma once")

    def test_the_own_header_comes_first(self):
        headers = {"sim/base/a.hpp": "#pragma once\n"}
        self.holds({**headers, "sim/base/a.cpp": '#include "sim/base/a.hpp"\n#include <map>\n'})
        self.fails({**headers, "sim/base/a.cpp": '#include <map>\n#include "sim/base/a.hpp"\n'},
                   "sim/base/a.cpp:1:", "own")
        self.fails({**headers, "sim/base/a.cpp": "int a;\n"}, "own")

    def test_a_name_is_of_one_type(self):
        side = "#pragma once\nnamespace apps {\nstruct Side {\n};\n}\n"
        self.holds({"apps/a.hpp": side, "apps/b.hpp": side.replace("{\n};", ";"),
                    "sim/base/a.hpp": side.replace("apps", "sim")})
        self.fails({"apps/a.hpp": side, "apps/b/b.hpp": side}, "apps/b/b.hpp:3:", "apps::Side",
                   "apps/a.hpp:3")

    def test_files_are_short(self):
        self.holds({"sim/base/a.cpp": "\n" * 300})
        self.assertEqual([len(texts) for texts in check_texts({"sim/base/a.cpp": "\n" * 301})],
                         [0, 1])
        self.fails({"sim/base/a.cpp": "\n" * 501}, "longer than 500")
        head = "# SPDX\n# Written by docs/generate_reference.py from tables; do not edit.\n"
        self.holds({"apps/a.py": head + "\n" * 501})
        self.fails({"apps/a.py": "\n" + head + "\n" * 501}, "longer than 500")

    def test_a_to_do_names_its_condition(self):
        self.holds({"sim/base/a.cpp": "// TO" + "DO: drop this once GCC 13 is the oldest.\n"})
        self.fails({"sim/base/a.cpp": "// TO" + "DO: tidy up\n"}, "to-do")

    def test_no_path_of_one_machine(self):
        self.holds({"apps/a.sh": "ls $root/work $work/tmp ~/tmp framework/tmp\n"})
        for name in ("work", "tmp", "home"):
            self.fails({"apps/a.sh": f"ls {chr(47)}{name}/x\n"}, "apps/a.sh:1:", "one machine")


if __name__ == "__main__":
    unittest.main()
