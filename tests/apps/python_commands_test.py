#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Python's functions for the other commands: what they print, their types, tables and plots.

Run with PYTHONPATH=build/release/python.
"""
import contextlib
import html.parser
import inspect
import json
import keyword
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest
import warnings
from unittest import mock

import gardenhose
import matplotlib
import matplotlib.pyplot

matplotlib.use("Agg")
MODEL = {"topology": "sdp4bit_a100", "model": "gpt_125m"}
JOB = {**MODEL, "nodes": 2}
NODES = {"run": MODEL, "grid": {"nodes": [1, 2]}}
FLAGS = ["--topology=sdp4bit_a100", "--model=gpt_125m", "--nodes=2"]
HANG = 600  # seconds: however slow the machine, what takes longer does not end


def printed(*arguments):
    """What the command line prints, as JSON."""
    done = subprocess.run([gardenhose.program(), *arguments, "--format=json"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)


@contextlib.contextmanager
def stand_in(script):
    """Another program in place of gardenhose."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        with mock.patch.dict(os.environ, GARDENHOSE=str(program)):
            yield


class Commands(unittest.TestCase):
    def test_are_what_the_command_line_says(self):
        log = "h200_4_nccl2.23"
        for result, arguments in [
                (gardenhose.compare(**JOB, a={"scheme": "sdp4bit", "network.latency": "9 us"},
                                    b="--scheme sharded", repetitions=4, spread={"model": 0.1}),
                 ["compare", *FLAGS, '--a="--scheme=sdp4bit" "--set=network.latency=\\"9 us\\""',
                  "--b=--scheme sharded", "--repetitions=4", "--spread=model=0.1"]),
                (gardenhose.map(**JOB, x={"bandwidth": ["25 Gbps", "100 Gbps"]}, scheme="sdp4bit",
                                y={"batch": [262144]}),
                 ["map", *FLAGS, "--x=bandwidth=25 Gbps,100 Gbps", "--y=batch=262144",
                  "--scheme=sdp4bit"]),
                (gardenhose.plan(**JOB, tokens="1e10", tp=[1, 2], pp=1, setups=True),
                 ["plan", *FLAGS, "--tokens=1e10", "--tp=1,2", "--pp=1", "--setups"]),
                (gardenhose.solve("bandwidth", **JOB, scheme="sdp4bit", utilisation=[0.5, 0.8]),
                 ["solve", "bandwidth", *FLAGS, "--scheme=sdp4bit", "--utilisation=0.5,0.8"]),
                (gardenhose.collective("all_reduce", topology="sdp4bit_a100", begin="1 MiB",
                                       end="4 MiB", set={"network.nic_bandwidth": "25 Gbps"}),
                 ["collective", "all_reduce", "--topology=sdp4bit_a100", "--begin=1 MiB",
                  "--end=4 MiB", '--set=network.nic_bandwidth="25 Gbps"']),
                (gardenhose.fit(log, topology="dgx_h200_x16"),
                 ["fit", log, "--topology=dgx_h200_x16"]),
                (gardenhose.bom(topology="dgx_h100_x16"), ["bom", "--topology=dgx_h100_x16"]),
                (gardenhose.validate("zeropp"), ["validate", "zeropp"])]:
            with self.subTest(arguments[0]):
                self.assertEqual(result, printed(*arguments))

    def test_have_every_flag_of_the_program_as_a_keyword(self):
        for name in ("bom", "check", "collective", "compare", "fit", "map", "plan", "solve", "sweep",
                     "validate"):
            told = subprocess.run([gardenhose.program(), name, "--help=json"], check=True,
                                  stdout=subprocess.PIPE)
            names = [flag["name"].replace("-", "_") for flag in json.loads(told.stdout)["flags"]]
            flags = {f"{one}_" if keyword.iskeyword(one) else one for one in names}
            function = getattr(gardenhose, name)
            taken = set(inspect.signature(function).parameters) - {"inputs"}
            self.assertEqual(taken, flags - {"format", "help", "dry_run", "print_flags"}, name)
            for taken_one in taken:
                self.assertRegex(function.__doc__, rf"\b{taken_one}\b")

    def test_results_have_attributes_and_types(self):
        plans = gardenhose.plan(**JOB, tokens="1e10", tp=1, pp=1, scheme="sharded")
        self.assertEqual(plans.plans[0].price_usd, plans["plans"][0]["price_usd"])
        self.assertEqual(type(plans).__name__, "Plans")
        self.assertIn("price_usd", dir(plans.plans[0]))
        with self.assertRaisesRegex(AttributeError, "^Plan has no price_us; did you mean price_usd"):
            _ = plans.plans[0].price_us
        self.assertEqual(gardenhose.validate("zeropp").study, "zeropp")

    def test_list(self):
        self.assertEqual([{"name": row.name, "summary": row.summary}
                          for row in gardenhose.list("models")],
                         printed("list", "models")["models"]["rows"])
        self.assertEqual(len(gardenhose.list()),
                         sum(len(listing["rows"]) for listing in printed("list").values()))
        self.assertIn('codec = "', gardenhose.list("scheme", "sdp4bit"))
        with self.assertRaisesRegex(gardenhose.InputError, "did you mean 'models'|models"):
            gardenhose.list("model s")

    def test_version(self):
        told = subprocess.run([gardenhose.program(), "--version"], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(told.split(), ["gardenhose", gardenhose.__version__])
        with self.assertRaises(AttributeError):
            _ = gardenhose.no_such_name

    def test_warnings_are_those_of_the_line(self):
        with stand_in("echo 'warning: --tp: why' >&2; echo '{}'"), \
                warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            gardenhose.plan()
            gardenhose.run_many([{}])
        self.assertEqual([(str(one.message), one.filename) for one in caught],
                         [("tp: why", __file__)] * 2)

    def test_importing_needs_only_the_standard_library(self):
        code = ("import sys, gardenhose; "
                "print(*(m for m in ('numpy', 'pandas', 'matplotlib') if m in sys.modules))")
        told = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE)
        self.assertEqual(told.stdout.strip(), b"")


class RunMany(unittest.TestCase):
    def test_results_and_errors_are_in_order(self):
        points = [{**JOB, "nodes": nodes} for nodes in (2, 1, 99999, 3)]
        results = gardenhose.run_many(points, jobs=2)
        self.assertEqual(results[:2] + results[3:],
                         [gardenhose.run(point) for point in points[:2] + points[3:]])
        self.assertIsInstance(results[2], gardenhose.InputError)
        self.assertRegex(str(results[2]), "^nodes: ")
        self.assertEqual(gardenhose.run_many([]), [])

    def test_what_is_wrong_with_the_call_is_raised(self):
        several = gardenhose.run_many([{**JOB, "scheme": ["sharded", "sdp4bit"]}])
        self.assertRegex(str(several[0]), "^scheme: is a list")
        with self.assertRaisesRegex(gardenhose.InputError, "^jobs: 0 "):
            gardenhose.run_many([JOB], jobs=0)
        with stand_in("exit 70"), self.assertRaisesRegex(RuntimeError, "exit code 70"):
            gardenhose.run_many([JOB, JOB], jobs=1)

    def test_ctrl_c_ends_all(self):
        script = textwrap.dedent("""
            import gardenhose, sys
            try: gardenhose.run_many([{}] * 9, jobs=2)
            except KeyboardInterrupt: sys.exit(7)""")
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder) / "begun"
            os.mkfifo(place)
            with stand_in(f"echo $$ >{place}; exec sleep {HANG}"), \
                    subprocess.Popen([sys.executable, "-c", script]) as process:
                begun = int(place.read_text().split()[0])
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(HANG), 7)
        with self.assertRaises(ProcessLookupError):
            os.kill(begun, 0)


class Sweep(unittest.TestCase):
    SPEC = {"run": JOB, "grid": {"scheme": ["sharded", "sdp4bit"],
                                 "network.nic_bandwidth": ["25 Gbps"]}}

    def test_points_are_runs(self):
        points = gardenhose.sweep(self.SPEC)
        self.assertEqual([point.state for point in points], ["done", "done"])
        for point in points:
            self.assertEqual(point.report.step_time_s, gardenhose.run(point.inputs).step_time_s)

    def test_a_file_keeps_its_store(self):
        with tempfile.TemporaryDirectory() as folder:
            spec = pathlib.Path(folder) / "s.toml"
            spec.write_text('run.topology = "sdp4bit_a100"\nrun.model = "gpt_125m"\n'
                            'grid.nodes = [1, 2]\n')
            self.assertEqual(len(gardenhose.sweep(spec)), 2)
            self.assertTrue(spec.with_suffix(".sqlite").exists())
            other = pathlib.Path(folder) / "other.sqlite"
            self.assertEqual(len(gardenhose.sweep(spec, store=other, jobs=1)), 2)
            self.assertTrue(other.exists())

    def test_what_is_wrong(self):
        with self.assertRaisesRegex(gardenhose.InputError, "^spec:5:1: nodez"):
            gardenhose.sweep({"run": {**JOB, "nodez": 1}})
        with self.assertWarnsRegex(UserWarning, "no point can run with"):
            refused = gardenhose.sweep({"run": JOB, "grid": {"tp": [1, 3]}})
        self.assertEqual([point.state for point in refused], ["done", "refused"])
        self.assertIsNone(refused[1].report)

    def test_check(self):
        with tempfile.TemporaryDirectory() as folder:
            spec = pathlib.Path(folder) / "s.toml"
            spec.write_text('run.topology = "sdp4bit_a100"\nrun.model = "gpt_125m"\n'
                            'grid.nodes = [1, 2]\n')
            self.assertTrue(gardenhose.check(spec, update=True))
            self.assertTrue(gardenhose.check(spec))
            failed = gardenhose.check(spec, require=["tokens_per_s>1e5 @ nodes=1", "mfu>0.99"])
        self.assertFalse(failed)
        self.assertEqual([point.passed for point in failed.points], [False, False])
        self.assertIn("mfu", failed.points[0].message)
        self.assertIn("mfu", failed.text)


class Shown(unittest.TestCase):
    def texts(self, made):
        """The cells of the table; the parser finds tags that were not escaped."""
        found, tags = [], []

        class Parser(html.parser.HTMLParser):
            def handle_starttag(self, tag, attributes):
                tags.append(tag)

            def handle_data(self, data):
                found.append(data)

        Parser().feed(made)
        self.assertLessEqual(set(tags), {"table", "thead", "tbody", "tr", "td", "th", "small",
                                         "details", "summary"})
        return found

    def test_a_report_is_a_table_with_units_and_ranges(self):
        report = gardenhose.run(JOB)
        cells = self.texts(report._repr_html_())
        self.assertIn(f"{report.step_time_s * 1e3:.4g} ms", cells)
        self.assertIn(f"{report.memory_per_gpu_bytes / 1e9:.4g} GB", cells)
        low, high = report.tokens_per_s_low, report.tokens_per_s_high
        self.assertIn(f"({low:.0f}/s to {high:.0f}/s)", cells)
        self.assertNotIn("tokens_per_s_low", cells)
        self.assertIn("busiest_links", cells)

    def test_several_are_a_line_each(self):
        reports = gardenhose.run({**JOB, "scheme": ["sharded", "sdp4bit"]})
        cells = self.texts(reports._repr_html_())
        self.assertEqual(cells.count("sharded"), 1)
        self.assertNotIn("topology", cells)  # in which they do not differ
        points = gardenhose.sweep(NODES)
        self.assertIn("step_time_s", self.texts(points._repr_html_()))

    def test_texts_are_escaped(self):
        record = gardenhose.Record({"model": "<script>", "part": {"<b>": "&"}})
        self.assertIn("<script>", self.texts(record._repr_html_()))
        self.assertIn("&lt;b&gt;", record._repr_html_())

    def test_plots_show_ranges(self):
        reports = gardenhose.run({**JOB, "scheme": ["sharded", "sdp4bit"]})
        axes = gardenhose.plot(reports)
        self.assertEqual([bar.get_height() for bar in axes.patches],
                         [report.tokens_per_s for report in reports])
        ends = axes.containers[0].get_children()[-1].get_segments()
        for (low, high), report in zip(ends, reports):
            self.assertAlmostEqual(low[1], report.tokens_per_s_low, 4)
            self.assertAlmostEqual(high[1], report.tokens_per_s_high, 4)
        points = gardenhose.sweep({"run": MODEL, "grid": {"nodes": [1, 2],
                                                          "scheme": ["sharded", "sdp4bit"]}})
        mine = matplotlib.pyplot.subplots()[1]
        self.assertIs(gardenhose.plot(points, x="nodes", by="scheme", axes=mine), mine)
        self.assertEqual([text.get_text() for text in mine.get_legend().get_texts()],
                         ["sharded", "sdp4bit"])
        with self.assertRaisesRegex(KeyError, "nodez: no result has it"):
            gardenhose.plot(points, x="nodez")

    def test_frames_have_a_points_inputs_and_figures(self):
        points = gardenhose.sweep(NODES)
        frame = gardenhose.frame(points)
        self.assertEqual([*frame.nodes], [1, 2])
        self.assertEqual([*frame.step_time_s], [point.report.step_time_s for point in points])


class Progress(unittest.TestCase):
    # The program shows progress where its standard error is a terminal.
    SCRIPT = (r"[ -t 2 ] && printf '\r\033[Kmap: 1 of 3\r\033[Kmap: 2 of 3\r\033[K' >&2;"
              "echo 'warning: slow' >&2; echo '[]'")

    def test_is_shown_at_a_terminal_and_no_message(self):
        code = ("import gardenhose, warnings\n"
                "with warnings.catch_warnings(record=True) as caught:\n"
                "    warnings.simplefilter('always'); gardenhose.map()\n"
                "print([str(one.message) for one in caught])")
        reading, writing = pty.openpty()
        with stand_in(self.SCRIPT):
            done = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE,
                                  stderr=writing, timeout=HANG)
        os.close(writing)
        self.assertEqual(done.stdout, b"['slow']\n")
        shown = b""
        with contextlib.suppress(OSError):  # nobody writes any more
            while chunk := os.read(reading, 4096):
                shown += chunk
        os.close(reading)
        self.assertNotIn(b"warning", shown)
        self.assertTrue(re.match(rb"\rmap: 1 of 3\rmap: 2 of 3\r +\r$", shown), shown)

    def test_is_silent_elsewhere(self):
        with stand_in(self.SCRIPT), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            told = subprocess.run([sys.executable, "-W", "ignore", "-c",
                                   "import gardenhose; gardenhose.map()"],
                                  check=True, stderr=subprocess.PIPE)
        self.assertEqual(told.stderr, b"")


if __name__ == "__main__":
    unittest.main()
