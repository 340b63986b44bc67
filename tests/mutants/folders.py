# SPDX-License-Identifier: Apache-2.0
"""Which tests hold the code of which folder of sim, the quickest first."""
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Tests:
    """A program of tests, and which of its sources' tests to run, as patterns below tests/."""
    program: str
    sources: tuple


def sim(*folders):
    return Tests("sim_tests", tuple(f"{folder}/*_test.cpp" for folder in folders))


def broad(*names):
    return Tests("broad_tests", tuple(f"broad/{name}_test.cpp" for name in names))


def apps(*names):
    return Tests("apps_tests", tuple(f"apps/{name}_test.cpp" for name in names))


def validation(*names):
    return Tests("validation_tests", tuple(f"validation/{name}_test.cpp" for name in names))


COLLECTIVES = (sim("schedule"), sim("schemes"),
               broad("collective_*", "algorithm", "protocol", "summary"), apps("collective*"))
# The longest name that a source's path begins with holds.
TESTS = {
    "sim/base": (sim("base"), sim("topology", "times", "workload"), apps("sweep_spec", "tables", "outputs")),
    "sim/collectives": COLLECTIVES,
    "sim/engine": (sim("engine"), sim("schedule"), sim("schemes")),
    "sim/fit": (sim("fit"), apps("fit")),
    "sim/launch": (sim("launch"), apps("launch")),
    "sim/layout": (sim("workload"), sim("schedule"), sim("schemes")),
    "sim/program": (sim("schemes"), sim("schedule"), sim("workload", "times", "report"), broad("overlap", "bounds")),
    "sim/reliability": (sim("reliability"), apps("goodput", "membership")),
    "sim/report": (sim("report"), sim("schemes"), sim("rounds"),
                   apps("answer", "sites", "outputs", "likely_range")),
    "sim/rounds": (sim("rounds"), broad("alike_places"), apps("sites")),
    "sim/schedule": (sim("schedule"), sim("engine"), sim("schemes"), sim("rounds"), broad("fold", "alike")),
    "sim/schemes": (sim("schemes"), sim("rounds"), apps("scheme_*")),
    "sim/sites": (sim("rounds"), broad("alike_places"), apps("sites")),
    "sim/study": (apps("sites", "site_setup", "best_setup", "best_value", "sharding_flags", "membership", "goodput",
                       "map", "store_map", "collective*"),),
    "sim/study/compare": (apps("compare*"),),
    "sim/study/fit": (apps("fit*"),),
    "sim/study/plan": (apps("plan*"),),
    "sim/study/search": (apps("best_*", "likely_range", "*assumptions", "step_times", "solve_*"),
                         apps("compare*", "plan*")),
    "sim/study/solve": (apps("solve_*"), apps("command_line", "sites", "answer", "any_jobs")),
    "sim/study/sweep": (apps("sweep*", "processes", "store_map"), apps("check*", "map")),
    "sim/times": (sim("times"), sim("schemes"), sim("workload")),
    "sim/topology": (sim("topology"), sim("engine", "schedule"), sim("rounds"),
                     broad("dragonfly", "rail_spine", "node_placement", "load_balance", "shipped_inputs"), apps("bom")),
    "sim/trace": (sim("trace"), apps("fit_compute")),
    "sim/validation": (validation("*"),),
    "sim/workload": (sim("workload"), sim("schemes"), sim("times")),
}
SUITE = re.compile(r"^(?:TEST|TEST_F|TEST_P)\((\w+),", re.MULTILINE)


def tests_of(file):
    """The tests of a source, in the order in which they run."""
    folder = Path(file).parent
    while str(folder) not in TESTS:
        folder = folder.parent
    return TESTS[str(folder)]


def gtest_filter(tree, tests):
    """The filter that picks all tests of these sources."""
    files = sorted(file for pattern in tests.sources for file in (tree / "tests").glob(pattern))
    if not files:
        raise ValueError(f"tests/mutants/folders.py: no file is tests/{tests.sources[0]}")
    suites = dict.fromkeys(suite for file in files for suite in SUITE.findall(file.read_text()))
    return ":".join(f"{suite}.*:*/{suite}.*" for suite in suites)
