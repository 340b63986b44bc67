#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""plots/*.py draw what the programs write: the same picture twice, with a mark for each row, and no
picture of what is not there.

Usage: plots_test.py BUILD_FOLDER
"""
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
import traceback
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLOTS = ROOT / "plots"
PROGRAM = Path(sys.argv.pop(1)).resolve() / "gardenhose"
MARK, RECTANGLE, BAR, RANGE = "<use ", "clip-path=.*fill: #", "BrokenBarHCollection", "id=\"range_"
SMALL = ("--topology", "sdp4bit_a100", "--model", "gpt_125m")
SITES = ("--topology", "two_sites_10g", "--model", "gpt_125m")

sys.dont_write_bytecode = True
sys.path.insert(0, str(PLOTS))
import looks  # noqa: E402
import matplotlib  # noqa: E402
matplotlib.use("svg")
import matplotlib.pyplot  # noqa: E402, F401  Once: it takes longer than most pictures.
import matplotlib.ticker  # noqa: E402, F401


def run_here(script, flags):
    """What `script` does as the program of this process, which ends."""
    sys.argv = [str(script), *flags]
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
    status = 0
    try:
        runpy.run_path(str(script), run_name="__main__")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except Exception:  # pylint: disable=broad-except
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def plot(script, text, *flags):
    """Exit code, picture and messages of a script, which finds `text` on its standard input."""
    with tempfile.TemporaryFile("w+") as source, tempfile.TemporaryFile("w+") as picture, \
            tempfile.TemporaryFile("w+") as messages:
        source.write(text)
        source.seek(0)
        child = os.fork()
        if child == 0:
            for place, file in enumerate((source, picture, messages)):
                os.dup2(file.fileno(), place)
            run_here(PLOTS / f"{script}.py", flags)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        picture.seek(0)
        messages.seek(0)
        return status, picture.read(), messages.read()


class Plots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def gardenhose(self, *arguments):
        """Standard output of the program, run in the test's folder."""
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def sweep(self, name, text):
        """Runs the sweep of this text; its store is then NAME.sqlite."""
        (self.folder / f"{name}.toml").write_text(text)
        self.gardenhose("sweep", f"{name}.toml")

    def draws(self, script, text, least, *flags, mark=MARK):
        """The picture, which has at least so many marks."""
        status, picture, messages = plot(script, text, *flags)
        self.assertEqual((status, messages), (0, ""))
        self.assertGreaterEqual(len(re.findall(mark, picture)), least, script)
        return picture

    def refuses(self, script, text, message, *flags):
        """With one line and no picture."""
        status, picture, messages = plot(script, text, *flags)
        self.assertNotEqual(status, 0)
        self.assertEqual(picture, "")
        self.assertRegex(messages, f"(?m){message}")
        self.assertEqual(messages.count("\n"), 1, messages)

    def test_scripts_say_which_package_they_miss(self):
        for script in PLOTS.glob("*.py"):
            if os.access(script, os.X_OK):  # the others are what they import
                done = subprocess.run(["/usr/bin/python3", "-S", script], stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, check=False)
                self.assertRegex(done.stderr, "^plots need matplotlib: apt-get.*\n$")
                self.assertEqual((done.returncode, done.stdout), (1, ""))

    def test_validation_of_sdp4bit_and_fsdp(self):
        # 20 throughputs, each predicted in three ways, and three more marks in the legend.
        rows = self.gardenhose("validate", "sdp4bit", "--format", "csv")
        self.assertEqual(len(re.findall("^sdp4bit_throughput.*,tflops_per_gpu,", rows, re.M)), 20)
        beside = ("--beside", "blind,null_refit")
        picture = self.draws("validation", rows, 3 * 20 + 3, *beside)
        # As a program of its own it draws the same.
        alone = subprocess.run([PLOTS / "validation.py", *beside], input=rows, capture_output=True,
                               text=True, check=True)
        self.assertEqual(alone.stdout, picture)
        self.refuses("validation", rows, "no prediction guess", "--beside", "guess")
        self.refuses("validation", "", "validate --format csv")
        # 35 rows, each published and predicted in three ways, and six more marks in the legend.
        fsdp = self.gardenhose("validate", "fsdp", "--format", "csv")
        self.assertEqual(len(re.findall("^fsdp_", fsdp, re.M)), 35)
        self.draws("fsdp", fsdp, 4 * 35 + 6)
        self.draws("validation", rows + fsdp, 20 + 35 + 1)
        self.refuses("validation", rows + fsdp, "not every row of FSDP", "--beside", "null_refit")
        self.refuses("fsdp", "", "validate fsdp --format csv")

    def test_utilisation(self):
        # A mark for each utilisation that some bandwidth reaches.
        bandwidths = self.gardenhose("solve", "bandwidth", *SITES, "--scheme", "diloco,sparseloco",
                                     "--utilisation", "0.5,0.9", "--format", "csv")
        self.draws("utilisation", bandwidths, 4)
        self.refuses("utilisation", "", "solve bandwidth --format csv")

    def test_maps(self):
        # A rectangle for each point of the map, besides those of the figure and its axes.
        text = self.gardenhose("map", *SMALL, "--nodes", "2", "--scheme", "sdp4bit",
                               "--bandwidths", "10Gbps,100Gbps", "--format", "csv")
        self.assertIn("gpt_125m", self.draws("scheme_map", text, 1))
        # Maps of several models, one after the other, are one picture.
        self.draws("scheme_map", text + text, 1)
        self.refuses("scheme_map", "", "map --format csv")
        self.refuses("scheme_map", "model,pays,verdict\n", "map --format csv")
        self.refuses("scheme_map", "model,pays,verdict\na,true,win\n", "the column x_input")

    def test_maps_of_any_axes(self):
        text = self.gardenhose("map", *SMALL, "--scheme", "sdp4bit", "--x", "latency=50us,5us", "--y",
                               "gpus=16,32", "--tokens", "65536", "--format", "csv")
        picture = self.draws("scheme_map", text, 1)
        for name in ("latency", "gpus", "5 us", "50 us", "16 GPUs", "32 GPUs"):
            self.assertIn(f">{name}<", picture)

    def test_maps_of_a_store(self):
        self.sweep("grid", """
            [run]
            topology = "sdp4bit_a100"
            model = "gpt_125m"
            [grid]
            scheme = ["sharded", "sdp4bit"]
            nodes = [2, 4]
            network.nic_bandwidth = ["10 Gbps", "100 Gbps"]
            """)
        text = self.gardenhose("map", "grid.sqlite", "--x", "network.nic_bandwidth", "--y", "nodes",
                               "--format", "csv")
        self.assertIn("network.nic_bandwidth", self.draws("scheme_map", text, 1))

    def test_every_scheme(self):
        # A mark for each.
        text = self.gardenhose("run", *SMALL, "--nodes", "2", "--scheme", "all", "--baseline",
                               "sharded", "--format", "json")
        schemes = text.count('"scheme":')
        self.assertGreaterEqual(schemes, 25)
        self.assertIn("sends values", self.draws("pareto", text, schemes))
        self.refuses("pareto", "", "scheme all")

    def test_speedups_and_breakdowns(self):
        self.sweep("study", """
            [run]
            topology = "sdp4bit_a100"
            model = "gpt_125m"
            baseline = "twin"
            [grid]
            scheme = ["sharded", "sdp4bit"]
            network.nic_bandwidth = ["100 Gbps", "50 Gbps"]
            nodes = [1, 2, 4]
            """)
        study = self.gardenhose("export", "study.sqlite")
        # A mark for each point, and one in the legend for each line.
        slow = ("--where", "network.nic_bandwidth=50 Gbps")
        self.draws("speedup", study, 8, "--x", "gpus", *slow)
        picture = self.draws("speedup", study, 14, "--x", "network.nic_bandwidth", "--panels", "nodes")
        self.assertIn(">nodes 4<", picture)
        self.assertLess(*(re.search(f">{speed} Gbps<|<!-- {speed} Gbps", picture).start()
                          for speed in (50, 100)))
        several = "e.g. --where network_nic_bandwidth=100 Gbps, or --panels$"
        self.refuses("speedup", study, several, "--x", "nodes")
        self.refuses("speedup", study, "no column nods; known: .*nodes", "--x", "nods")
        self.refuses("speedup", study, "no point has nodes=3; known here: 1, 2, 4", "--x", "tp",
                     "--where", "nodes=3")
        self.refuses("speedup", study, "--y: not every point", "--x", "nodes", "--y", "baseline")
        self.refuses("speedup", "", "export STORE --format csv", "--x", "nodes")
        self.refuses("bus_bandwidth", study, "collective ... --format csv")
        self.refuses("pair_bandwidth", study, "collective --pairs")
        # A bar for each scheme, with its parts.
        of_store = self.draws("breakdown", study, 1, "--where", "nodes=2", *slow)
        run = self.gardenhose("run", *SMALL, "--nodes", "2", "--scheme", "sharded,sdp4bit", "--set",
                              "network.nic_bandwidth=50 Gbps", "--range", "off", "--format", "json")
        of_run = self.draws("breakdown", run, 1)
        self.assertIn("time of a step", of_run)
        self.assertIn("without likely ranges", of_run)
        self.assertEqual(of_run.count("clip-path"), of_store.count("clip-path"))
        # With what its own flags can do about it.
        self.refuses("breakdown", study, "several points fall on the same place; .* e.g. --where "
                     "network_nic_bandwidth=100 Gbps, --where nodes=1$")
        self.refuses("breakdown", run, "output of run", "--where", "nodes=2")
        self.refuses("breakdown", "", "run ... --format json")
        deep = "[" * 100_000 + "]" * 100_000
        for script in ("breakdown", "pareto", "peers", "codec_error"):
            self.refuses(script, deep, "pipe (it )?in|is not JSON")
        self.refuses("month", run, "run ... --month")

    def test_breakdown_of_rounds(self):
        text = self.gardenhose("run", *SITES, "--scheme", "diloco,sparseloco", "--format", "json")
        self.assertIn("time of a round", self.draws("breakdown", text, 1))

    def test_what_compression_changes(self):
        text = self.gardenhose("run", *SMALL, "--nodes", "2", "--scheme", "sdp4bit", "--baseline", "twin",
                               "--perfetto", "sdp4bit.json", "--format", "json")
        first, last = json.loads(text)
        picture = self.draws("waterfall", text, 1, mark=RANGE)
        for report in (first, last):
            self.assertIn(f">{1e3 * report['step_time_s']:.3g}<", picture)
        saved = 1e3 * (last["exposed_comm_s"] - first["exposed_comm_s"])
        self.assertIn(f">{saved:+.3g}<".replace("-", "−"), picture)
        self.refuses("waterfall", json.dumps([last]), "of a scheme and its --baseline")
        # The parts of the memory, in sum, and the capacity.
        picture = self.draws("memory", text, 1, "--capacity", "40 GB", mark="capacity, 40 GB")
        self.assertIn(f"> {last['memory_per_gpu_bytes'] / 1e9:.1f} GB<", picture)
        self.refuses("memory", text, "--capacity: '40' is no size", "--capacity", "40")
        self.refuses("memory", "", "run ... --format json")
        # Kernels, communication, and communication alone: what the report calls exposed, or the host's.
        picture = self.draws("overlap", "", 1, str(self.folder / "sdp4bit.json"), mark="sdp4bit: ")
        alone = float(re.search(r"([\d.]+) ms alone", picture)[1])
        self.assertGreaterEqual(1.01 * alone, 1e3 * last["exposed_comm_s"])
        self.assertLessEqual(alone, 1.01e3 * (last["exposed_comm_s"] + last["host_s"]))
        self.refuses("overlap", "", "month.csv: is no timeline", str(self.folder / "month.csv"))

    def test_plans(self):
        text = self.gardenhose("plan", *SMALL, "--tokens", "1e10", "--nodes", "1,2", "--all", "--format", "csv")
        self.draws("plans", text, len(text.splitlines()) - 1)
        self.draws("plans", text, 2, mark=RANGE)
        self.refuses("plans", "", "plan ... --all --format csv")

    def test_schemes_of_ones_own(self):
        self.assertEqual(looks.scheme_style("mine", 1)["color"], looks.INK)
        self.assertNotEqual(looks.scheme_style("mine", 1), looks.scheme_style("yours", 2))

    def test_bus_bandwidth(self):
        # A mark for each size of each collective, and one for each in the legend.
        text = "".join(self.gardenhose("collective", one, "--topology", "sdp4bit_a100", "--nodes", "2",
                                       "--format", "csv") for one in ("all_gather", "all_reduce"))
        self.draws("bus_bandwidth", text, len(re.findall("^all_", text, re.M)) + 2)

    def test_pair_bandwidth(self):
        # A cell for each of 16 x 16 pairs, and from a GPU to itself none.
        pairs = self.gardenhose("collective", "--pairs", "1 MiB", "--topology", "dgx_h100_x16",
                                "--nodes", "2", "--format", "csv")
        self.draws("pair_bandwidth", pairs, 16 * 15, mark=RECTANGLE)
        self.refuses("pair_bandwidth", "".join(pairs.splitlines(True)[:20]), "pipe in the whole output")

    def test_a_month(self):
        # A bar for each kind of what happens to each of two sites and to their rounds.
        self.gardenhose("run", *SITES, "--scheme", "diloco", "--range", "off",
                        "--set", "sites.east.stays=20h", "--set", "sites.east.returns_after=4h",
                        "--set", "membership.detection=6s", "--month", "month.csv")
        month = (self.folder / "month.csv").read_text()
        self.assertLessEqual({"rounds", "east", "west"},
                             {row.split(",")[2] for row in month.splitlines()})
        self.draws("month", month, 7, mark=BAR)
        self.draws("month", month, 3, "--days", "0:30", mark=BAR)
        self.refuses("month", month, "nothing happens", "--days", "400:500")
        self.refuses("month", month, "is not of the form", "--days", "5")

    def test_codec_errors(self):
        # A mark in each of two panels for each codec that has an error: all but fp32.
        table = (ROOT / "traces/calibration/codec_error.json").read_text()
        picture = self.draws("codec_error", table, 2 * (len(json.loads(table)["codecs"]) - 1))
        self.assertEqual(picture, (ROOT / "docs/figures/codec_error.svg").read_text(),
                         "docs/figures/regenerate.sh draws it anew")
        self.refuses("codec_error", table.replace('"normal"', '"usual"'), "known: usual")


if __name__ == "__main__":
    unittest.main()
