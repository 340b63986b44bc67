#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The notebook of docs/examples/python-notebook runs in Jupyter's kernel: tables, plots and progress.

Run with PYTHONPATH=build/release/python.
"""
import os
import pathlib
import re
import tempfile
import unittest
from unittest import mock

import gardenhose
import nbclient
import nbformat

STUDY = pathlib.Path(__file__).resolve().parents[2] / "docs/examples/python-notebook/study.py"
HANG = 600  # seconds: however slow the machine, what takes longer does not end


def cells_of(text):
    """The cells of a script in the percent format: (whether it is code, its text)."""
    for cell in re.split(r"^# %%", text, flags=re.MULTILINE)[1:]:
        kind, _, body = cell.partition("\n")
        yield kind.strip() != "[markdown]", body.strip()


def executed(cells, folder):
    """The outputs of each cell of code, in Jupyter's kernel."""
    notebook = nbformat.v4.new_notebook(cells=[
        (nbformat.v4.new_code_cell if is_code else nbformat.v4.new_markdown_cell)(body)
        for is_code, body in cells])
    places = {name: folder for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR")}
    places["PYTHONPATH"] = os.path.abspath(os.environ["PYTHONPATH"])
    with mock.patch.dict(os.environ, places):
        nbclient.NotebookClient(notebook, timeout=HANG, kernel_name="python3",
                                resources={"metadata": {"path": folder}}).execute()
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]


class Notebook(unittest.TestCase):
    def test_the_example_runs_and_shows_tables_and_plots(self):
        with tempfile.TemporaryDirectory() as folder:
            outputs = executed(cells_of(STUDY.read_text(encoding="utf-8")), folder)
        *_, printed, table, plot = outputs
        schemes = re.findall(r"^(\S+) ", printed[0].text, re.MULTILINE)
        self.assertEqual(schemes, ["sharded", "sdp4bit", "sdp4bit_int3", "sparseloco",
                                   "sparseloco_int3"])
        shown = table[0].data["text/html"]
        report = gardenhose.run(topology="dgx_h100_x16", nodes=4, model="gpt_2.7b", overlap="all",
                                set={"network.nic_bandwidth": "100 Gbps"}, attention="fused",
                                scheme="sdp4bit")
        self.assertIn(f"<td>{report.step_time_s * 1e3:.4g} ms</td>", shown)
        self.assertIn(f"<small>({report.tokens_per_s_low:.0f}/s to ", shown)
        self.assertTrue(any("image/png" in output.get("data", {}) for output in plot))

    def test_progress_is_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            program.write_text("#!/bin/sh\n"
                               r"[ -t 2 ] && printf '\r\033[Kmap: 1 of 3\r\033[Kmap: 2 of 3' >&2"
                               "\necho '[]'\n")
            program.chmod(0o755)
            with mock.patch.dict(os.environ, GARDENHOSE=str(program)):
                outputs = executed([(True, "import gardenhose\ngardenhose.map()")], folder)
        streams = [one.text for one in outputs[0] if one.output_type == "stream"]
        self.assertIn("map: ", "".join(streams))


if __name__ == "__main__":
    unittest.main()
