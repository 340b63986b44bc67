#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""mypy, as strict as it can be, accepts what is right with the Python module and finds what is wrong.

Run with PYTHONPATH=build/release/python.
"""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

MODULES = os.path.abspath(os.environ["PYTHONPATH"])
STUDY = pathlib.Path(__file__).resolve().parents[2] / "docs/examples/python-notebook/study.py"
RIGHT = """
import gardenhose
from gardenhose import Flags

point = Flags(topology="dgx_h100_x16", model="gpt_1.3b", nodes=2)
step: float = gardenhose.run(point, scheme="sdp4bit").step_time_s
one = gardenhose.run(topology="dgx_h100_x16", model="gpt_1.3b", scheme="sdp4bit", zero=1)
step += one.step_time_s + one["step_time_s"] + one.busiest_links[0].busy
for each in gardenhose.run(topology="a", model="b", scheme=["sharded", "sdp4bit"],
                           set={"network.nic_bandwidth": "100 Gbps"}):
    name: str = each.scheme
for result in gardenhose.run_many([point, {**point, "nodes": 4}]):
    if isinstance(result, gardenhose.InputError):
        print(result)
    else:
        step += result.step_time_s
plans = gardenhose.plan(point, tokens="1T", tp=[1, 2])
price: float = plans.plans[0].price_usd
found = gardenhose.map(topology="a", model=["b", "c"], x={"bandwidth": ["25 Gbps", "50 Gbps"]})
speedup: float = found[0].speedup
likely: float = gardenhose.compare(point, a={"scheme": "sdp4bit"}, b="--scheme sharded").likely_low
bandwidth: float = gardenhose.solve("bandwidth", topology="a", scheme="sdp4bit")[0].met_at
points = gardenhose.sweep({"run": point, "grid": {"nodes": [1, 2]}})
if points[0].report is not None:
    step += points[0].report.step_time_s
version: str = gardenhose.__version__
text: str = gardenhose.list("scheme", "sdp4bit")
gardenhose.plot(points, x="nodes", by="scheme")
"""
# What is wrong, and what mypy says of it.
WRONG = {
    "gardenhose.run(topology='a', model='b', nodez=3)": "No overload variant of \"run\"",
    "gardenhose.Flags(topology='a', nodez=3)": "nodez",
    "gardenhose.plan(topology='a', tokenz='1T')": "tokenz",
    "gardenhose.run(topology='a', model='b').step_tim_s": "step_tim_s",
    "gardenhose.run(topology='a', model='b')['step_tim_s']": "step_tim_s",
    "gardenhose.run(topology='a', nodes=[1, 2])": "No overload variant of \"run\"",
    "gardenhose.run({'topology': 'a', 'model': 'b'}).step_tim_s": "step_tim_s",
    "gardenhose.plan(topology='a').plans[0].prize_usd": "prize_usd",
    "gardenhose.run_many([{'topology': 'a'}])[0].step_time_s": "InputError",
}


class Types(unittest.TestCase):
    def test_mypy_accepts_what_is_right_and_finds_what_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            files = {pathlib.Path(folder, "right.py"): RIGHT,
                     pathlib.Path(folder, "study.py"): STUDY.read_text(encoding="utf-8")}
            for number, line in enumerate(WRONG):
                files[pathlib.Path(folder, f"wrong{number}.py")] = f"import gardenhose\n{line}\n"
            for path, text in files.items():
                path.write_text(text)
            # The module's own imports, such as pandas, may have no types. NumPy's take half a minute.
            settings = pathlib.Path(folder, "mypy.ini")
            settings.write_text("[mypy]\nstrict = True\nfollow_imports = silent\n"
                                "[mypy-numpy.*]\nfollow_imports = skip\n"
                                "follow_imports_for_stubs = True\n")
            told = subprocess.run(
                ["/usr/bin/mypy", f"--config-file={settings}", "--cache-dir=/dev/null",
                 "--no-error-summary", *files],
                cwd=folder, env={**os.environ, "MYPYPATH": MODULES}, check=False,
                stdout=subprocess.PIPE, text=True).stdout
        found = {}
        for line in told.splitlines():
            found.setdefault(re.match(r".*?([a-z]+\d*)\.py:", line)[1], []).append(line)
        self.assertEqual(found.pop("right", []) + found.pop("study", []), [])
        for number, (line, said) in enumerate(WRONG.items()):
            with self.subTest(line):
                self.assertIn(said, "\n".join(found.get(f"wrong{number}", [])))


if __name__ == "__main__":
    unittest.main()
