#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The Python module: what run says, from a dict or keywords; and results as pandas reads them.

Run with PYTHONPATH=build/release/python.
"""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import typing
import unittest
import warnings
from unittest import mock

import gardenhose
import numpy

POINT = {"topology": "sdp4bit_a100", "model": "gpt_125m", "scheme": "sdp4bit", "nodes": 2}
# Long enough to be met while it runs.
LONG = {**POINT, "accumulation": 4000}
HANG = 600  # seconds: however slow the machine, what takes longer does not end


def printed(*arguments):
    """What the command line prints, as JSON."""
    done = subprocess.run([gardenhose.program(), "run", *arguments, "--format", "json"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)


class Run(unittest.TestCase):
    def test_is_what_the_command_line_says(self):
        flags = ["--topology=sdp4bit_a100", "--model=gpt_125m", "--nodes=2"]
        self.assertEqual(gardenhose.run(POINT), printed(*flags, "--scheme=sdp4bit"))
        both = gardenhose.run({**POINT, "scheme": ["sharded", "sdp4bit"], "baseline": "sharded"})
        self.assertEqual(both, printed(*flags, "--scheme=sharded,sdp4bit", "--baseline=sharded"))

    def test_one_scheme_is_a_dict_and_a_list_a_list(self):
        self.assertEqual(gardenhose.run({**POINT, "baseline": "twin"})["scheme"], "sdp4bit")
        self.assertEqual([r["scheme"] for r in gardenhose.run({**POINT, "scheme": ("sharded",)})],
                         ["sharded"])

    def test_takes_every_kind_of_value(self):
        class Whole:  # as NumPy's are
            def __index__(self):
                return 1

        class Real:
            def __float__(self):
                return 2.5

        plain = gardenhose.run({**POINT, "nodes": 1})
        self.assertEqual(gardenhose.run({**POINT, "nodes": Whole()}), plain)
        self.assertEqual(gardenhose.run({**POINT, "nodes": 1, "step-by-step": False}), plain)
        self.assertEqual(gardenhose.run({**POINT, "nodes": 1, "step-by-step": numpy.bool_(False)}),
                         plain)
        whole = gardenhose.run({**POINT, "step-by-step": True})
        self.assertEqual(whole, printed("--topology=sdp4bit_a100", "--model=gpt_125m", "--nodes=2",
                                        "--scheme=sdp4bit", "--step-by-step"))
        whole = gardenhose.run({"sequence_parallel": True, **POINT, "tp": 2})
        self.assertEqual(whole, printed("--topology=sdp4bit_a100", "--model=gpt_125m", "--nodes=2",
                                        "--scheme=sdp4bit", "--tp=2", "--sequence-parallel=on"))
        zero3 = {**POINT, "zero": 3, "scheme": "sharded", "range": True}
        self.assertEqual(gardenhose.run({**zero3, "reshard": False}),
                         gardenhose.run({**zero3, "reshard": "off"}))
        # A key of an input file: half the bandwidth, less speed; a text stays one.
        slow = gardenhose.run({**POINT, "network.nic_bandwidth": "25 Gbps"})
        self.assertGreater(slow["step_time_s"], gardenhose.run(POINT)["step_time_s"])
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "mine.toml"
            source = pathlib.Path(__file__).parents[2] / "traces/models/gpt_125m.toml"
            model.write_text(source.read_text())
            mine = gardenhose.run({**POINT, "model": model})
        self.assertEqual(mine["step_time_s"], gardenhose.run(POINT)["step_time_s"])
        for wrong in (None, [1], {"a": 1}, b"a", object()):
            with self.assertRaisesRegex(TypeError, "^nodes: holds a "):
                gardenhose.run({**POINT, "nodes": wrong})
        with self.assertRaises(TypeError):
            gardenhose.run({1: 2})
        with self.assertRaises(TypeError):
            gardenhose.run("sdp4bit_a100")
        with self.assertRaises(TypeError):
            gardenhose.run({**POINT, "scheme": None})
        nested = []
        for _ in range(100_000):  # deeper than Python recurses
            nested = [nested]
        with self.assertRaisesRegex(TypeError, "^scheme: holds a list"):
            gardenhose.run({**POINT, "scheme": nested})
        with self.assertRaisesRegex(gardenhose.InputError, "^nodes: "):
            gardenhose.run({**POINT, "nodes": float("nan")})
        with self.assertRaises(gardenhose.InputError):
            gardenhose.run({**POINT, "nodes": Real()})  # 2.5 is no whole number

    def test_reports_have_their_types(self):
        sites = {"topology": "two_sites_10g", "model": "gpt_125m", "scheme": "diloco"}
        for inputs in ({**POINT, "baseline": "twin", "range": True, "reliability": "rsc1_a100",
                        "tokens": 1e12},
                       {**POINT, "scheme": ["sharded", "sdp4bit"]}, sites):
            reports = gardenhose.run(inputs)
            for report in reports if isinstance(reports, list) else [reports]:
                self.assert_typed(report, gardenhose.Report)

    def assert_typed(self, value, kind):
        """Whether the value is what its hint says; None may stand for every figure."""
        of = typing.get_args(kind)
        if isinstance(kind, type) and issubclass(kind, gardenhose.Record):
            self.assertIs(type(value), kind)
            hints = typing.get_type_hints(kind)
            for name, member in value.items():
                with self.subTest(name):
                    self.assertTrue(name in hints, "has no type")
                    self.assert_typed(member, hints[name])
        elif typing.get_origin(kind) is typing.Union:
            self.assertTrue(value is None or isinstance(value, of[0]), value)
        elif typing.get_origin(kind) is list:
            for element in value:
                self.assert_typed(element, of[0])
        elif typing.get_origin(kind) is dict:
            for element in value.values():
                self.assert_typed(element, of[1])
        else:
            self.assertIs(type(value), kind)

    def test_takes_keywords_too(self):
        plain = gardenhose.run({**POINT, "micro_batch": 2})
        self.assertEqual(gardenhose.run(**POINT, micro_batch=2), plain)
        self.assertEqual(gardenhose.run(POINT, micro_batch=2), plain)
        self.assertEqual(gardenhose.run(inputs=POINT, micro_batch=2), plain)
        for one, other in ("nodes", "nodes"), ("micro-batch", "micro_batch"):
            with self.assertRaisesRegex(gardenhose.InputError, f"^{other}: given twice"):
                gardenhose.run({**POINT, one: 1}, **{other: 1})
        with self.assertRaisesRegex(gardenhose.InputError, "required but missing"):
            gardenhose.run()

    def test_what_is_wrong_is_an_input_error_with_its_place(self):
        for inputs, place in [({"topology": "sdp4bit_a10"}, "^topology: .*sdp4bit_a100"),
                              ({"nods": 2}, "^nods: .*did you mean nodes"),
                              ({"network.nic_bandwith": "1 Gbps"}, "^network.nic_bandwith: "),
                              ({"tp": 3}, "^tp: "), ({"model": "a\nb"}, "control character"),
                              ({"format": "csv"}, "^format: results are Python's"),
                              ({"help": True}, r"^help: see help\(\)"),
                              ({"tp": True, "nodes": 1}, "^tp: 'on' is not a whole number"),
                              ({"nods": False}, "^nods: .*did you mean nodes"),
                              ({"step-by-step": 1}, "^step_by_step: '1' is neither on nor off"),
                              ({"model": "a\0b"}, "^model: holds a null character"),
                              ({"scheme": "a,b"}, r"^scheme: .* write a list, \['a', 'b'\]"),
                              ({"scheme": "all"}, "^scheme: .* write a list"),
                              ({"micro-batch": 1, "micro_batch": 2}, "^micro_batch: given twice"),
                              ({"a b": 1}, "")]:
            with self.assertRaisesRegex(gardenhose.InputError, place):
                gardenhose.run({**POINT, **inputs})
        self.assertTrue(issubclass(gardenhose.InputError, ValueError))

    def test_what_does_not_fit_is_a_warning(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertFalse(gardenhose.run({**POINT, "gpu.memory": "1 GB"})["fits_memory"])
        self.assertRegex(str(caught[0].message), "^sdp4bit: needs .* GB, but")
        self.assertEqual(caught[0].filename, __file__)

    def test_threads_run_side_by_side(self):
        nodes = [1, 2, 3, 4] * 3
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            reports = list(pool.map(lambda n: gardenhose.run({**POINT, "nodes": n}), nodes))
        self.assertEqual([r["gpus"] for r in reports], [4 * n for n in nodes])
        self.assertEqual(reports[:4], reports[4:8])
    def test_other_threads_go_on_while_one_waits(self):
        with tempfile.TemporaryDirectory() as folder:
            gate, waiting = os.path.join(folder, "gate"), os.path.join(folder, "waiting")
            os.mkfifo(gate)
            with open(waiting, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\ncat "{gate}" >/dev/null\nexec "{gardenhose.program()}" "$@"\n')
            os.chmod(waiting, 0o700)
            with mock.patch.dict(os.environ, GARDENHOSE=waiting):
                with concurrent.futures.ThreadPoolExecutor(1) as pool:
                    other = pool.submit(gardenhose.run, POINT)
                    with open(gate, "w", encoding="utf-8"):  # which the program waits for
                        self.assertFalse(other.done())
                    self.assertEqual(other.result()["gpus"], 8)

    def test_a_program_that_is_missing_or_crashes(self):
        with mock.patch.dict(os.environ, GARDENHOSE="/no/such/program"):
            with self.assertRaises(FileNotFoundError):
                gardenhose.run(POINT)
        with self.stand_in("echo why >&2\nkill -SEGV $$"):
            with self.assertRaisesRegex(RuntimeError, "ended by Segmentation fault: why$"):
                gardenhose.run(POINT)
        with self.stand_in("echo why >&2\nexit 70"):
            with self.assertRaisesRegex(RuntimeError, "^gardenhose: exit code 70: why$"):
                gardenhose.run(POINT)
        # Ctrl-C at a terminal may reach the program first.
        with self.stand_in("kill -INT $$"), self.assertRaises(KeyboardInterrupt):
            gardenhose.run(POINT)

    @contextlib.contextmanager
    def stand_in(self, script):
        """Another program in place of gardenhose."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            with mock.patch.dict(os.environ, GARDENHOSE=str(program)):
                yield

    def test_libraries_that_are_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "gardenhose"
            # In its table of names; what ships is another version.
            program.write_bytes(re.sub(rb"libsimgrid\.so\.\d", b"libsimgrid.so.0",
                                       pathlib.Path(gardenhose.program()).read_bytes()))
            program.chmod(0o755)
            with mock.patch.dict(os.environ, GARDENHOSE=str(program)):
                with self.assertRaisesRegex(RuntimeError, r"without libsimgrid\.so\.0.*; install "):
                    gardenhose.run(POINT)

    def test_ctrl_c_ends_it_and_the_simulation(self):
        script = textwrap.dedent("""
            import gardenhose, os, sys, threading
            def tell():  # once the worker lives
                children = f"/proc/self/task/{os.getpid()}/children"
                while not (worker := open(children).read()): pass
                print(worker, flush=True)
            threading.Thread(target=tell, daemon=True).start()
            try: gardenhose.run(%r)
            except KeyboardInterrupt: sys.exit(7)""" % LONG)
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        worker = int(process.stdout.readline())
        process.send_signal(signal.SIGINT)  # to the interpreter alone
        self.assertEqual(process.wait(HANG), 7)
        process.stdout.close()
        with self.assertRaises(ProcessLookupError):
            os.kill(worker, 0)


class Pandas(unittest.TestCase):
    def test_a_frame_has_a_row_for_each_report(self):
        reports = gardenhose.run({**POINT, "scheme": ["sharded", "sdp4bit"]})
        frame = gardenhose.frame(reports)
        self.assertEqual(list(frame.scheme), ["sharded", "sdp4bit"])
        self.assertEqual(list(frame.step_time_s), [r["step_time_s"] for r in reports])
        self.assertEqual(frame["memory_by_part_bytes.codec"][1],
                         reports[1]["memory_by_part_bytes"]["codec"])
        self.assertEqual(frame.gpus.dtype, int)
        self.assertTrue(gardenhose.frame(reports[1]).equals(gardenhose.frame(reports[1:])))

    def test_reads_results_in_a_line(self):
        import pandas
        with tempfile.TemporaryDirectory() as folder:
            spec = pathlib.Path(folder) / "s.toml"
            spec.write_text('[run]\ntopology = "sdp4bit_a100"\nmodel = "gpt_125m"\nnodes = 2\n'
                            '[grid]\nscheme = ["sharded", "sdp4bit"]\n')
            for command in ("sweep s.toml", "export s.sqlite --format csv -o s.csv"):
                subprocess.run([gardenhose.program(), *command.split()], cwd=folder, check=True,
                               stdout=subprocess.DEVNULL)
            store = sqlite3.connect(spec.with_suffix(".sqlite"))
            of_store = pandas.read_sql("select * from all_points", store)
            store.close()
            of_csv = pandas.read_csv(spec.with_suffix(".csv"))
        report = gardenhose.run(POINT)
        for frame in (of_store, of_csv):
            row = frame[frame.scheme == "sdp4bit"].iloc[0]
            # pandas rounds what it reads of CSV in the last bit.
            self.assertAlmostEqual(row.step_time_s, report["step_time_s"], 14)
            self.assertEqual(row.in_nodes, 2)


if __name__ == "__main__":
    unittest.main()
