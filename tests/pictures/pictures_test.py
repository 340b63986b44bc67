#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures of the documentation and of both pages keep the rules of checks.py, on a desk, on a phone and in
the dark; pictures that break a rule are found; and every scheme has a look of its own.

Usage: pictures_test.py PROGRAM
"""

import itertools
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from checks import ROOT, browser, contrast, faults_of_page, faults_of_svg, looks  # noqa: E402
from served import DESK, PHONE, Served, wait_for  # noqa: E402

PROGRAM = ""  # set by main
FIGURES = sorted((ROOT / "docs/figures").glob("*.svg"))
WAYS = ((DESK, False), (DESK, True), (PHONE, False))
GOOD = """<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200" viewBox="0 0 400 200">
<rect width="400" height="200" fill="#ffffff"/><g id="range_1"/>
<g id="matplotlib.axis_1"><g id="xtick_1"><text x="50" y="150" fill="#1b1f24">1</text></g>
<g id="xtick_2"><text x="350" y="150" fill="#1b1f24">2</text></g>
<text x="150" y="180" fill="#1b1f24">time (s)</text></g>
<g id="legend_1"><rect x="280" y="20" width="100" height="40" fill="#ffffff"/></g>
<defs><path id="m" d="M-3,-3h6v6h-6z"/></defs><use href="#m" x="100" y="100"/></svg>
"""
SPEC = """[run]
topology = "sdp4bit_a100"
model = "gpt_125m"
baseline = "twin"
range = "on"
[grid]
scheme = ["sharded", "sdp4bit"]
nodes = [1, 2]
network.nic_bandwidth = ["50 Gbps", "100 Gbps"]
"""
# How people with less common eyes see red, green and blue of light (Vienot, Brettel and Mollon 1999).
EYES = {"protanopia": ((0.11238, 0.88762, 0), (0.11238, 0.88762, 0), (0.00401, -0.00401, 1)),
        "deuteranopia": ((0.29275, 0.70725, 0), (0.29275, 0.70725, 0), (-0.02234, 0.02234, 1))}
APART = 25  # of 441 from black to white, in seen red, green and blue


def seen(colour, eye):
    """A colour as these eyes see it."""
    light = [(int(colour[i:i + 2], 16) / 255)**2.2 for i in (1, 3, 5)]
    return [255 * max(0, sum(share * part for share, part in zip(row, light)))**(1 / 2.2) for row in EYES[eye]]


class Drawings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.chromium = cls.enterClassContext(browser((1600, 2000)))

    def faults(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "picture.svg")
            path.write_text(text, encoding="utf-8")
            return faults_of_svg(self.chromium, path)

    def test_of_the_documentation_keep_every_rule(self):
        self.assertGreater(len(FIGURES), 12)
        for path in FIGURES:
            self.assertEqual(faults_of_svg(self.chromium, path), [], path.name)

    def test_that_break_a_rule_are_found(self):
        self.assertEqual(self.faults(GOOD), [])
        for before, after, fault in (
                ('x="150" y="180"', 'x="390" y="180"', '"time (s)" is cut off'),
                ('x="350" y="150"', 'x="52" y="150"', '"1" overlaps "2"'),
                ('y="180" fill="#1b1f24"', 'y="180" fill="#a0a8b2"', "below 4.5"),
                ("time (s)", "time", "has no unit"),
                ('<text x="150" y="180" fill="#1b1f24">time (s)</text>', "", "an axis has no name"),
                ('id="range_1"', 'id="other"', "no ranges, and no line that says why"),
                ('x="100" y="100"', 'x="300" y="40"', "a legend hides a mark"),
                ('height="40" fill="#ffffff"', 'height="40" fill="#d55e00"', "#d55e00 is no colour of the pages")):
            self.assertIn(before, GOOD)
            self.assertIn(fault, "\n".join(self.faults(GOOD.replace(before, after))))

    def test_of_the_documentation_are_all_drawn_by_the_script_or_by_hand(self):
        script = (ROOT / "docs/figures/regenerate.sh").read_text(encoding="utf-8")
        names = re.search(r"^all=\(([^)]*)\)", script, re.MULTILINE)[1].split()
        drawn = {path.stem for path in (ROOT / "docs/figures").iterdir() if path.suffix in (".svg", ".png")}
        self.assertEqual(drawn - set(names), {"experts", "long_context"})
        self.assertEqual(set(names) - drawn, set())


class PagesOfAll(unittest.TestCase):
    def test_of_serve(self):
        with Served(PROGRAM) as served:
            for size, dark in WAYS:
                with browser(size, dark) as chromium:
                    served.open(chromium, "topology=sdp4bit_a100&model=gpt_125m&scheme=sdp4bit&baseline=twin")
                    for one in ("#curve .band", "#timelines rect", "#throughput .range"):
                        wait_for(lambda one=one, chromium=chromium: chromium.find_elements("css selector", one))
                    # Nothing is drawn anew then.
                    wait_for(lambda chromium=chromium: chromium.execute_script(
                        "return document.body.dataset.complete"))
                    self.assertEqual(faults_of_page(chromium), [], (size, dark))

    def test_of_report(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "study.toml").write_text(SPEC, encoding="utf-8")
            for arguments in (("sweep", "study.toml"), ("report", "study.sqlite")):
                subprocess.run([PROGRAM, *arguments], cwd=folder, check=True, capture_output=True)
            for size, dark in WAYS:
                with browser(size, dark) as chromium:
                    chromium.get(Path(folder, "study.html").as_uri())
                    self.assertTrue(chromium.find_elements("css selector", "#charts .spread"))
                    self.assertTrue(chromium.find_elements("css selector", "#breakdown .range"))
                    self.assertEqual(faults_of_page(chromium), [], (size, dark))


class Looks(unittest.TestCase):
    def test_every_shipped_scheme_has_one_and_no_other_scheme_of_its_kind_has_it(self):
        listed = subprocess.run([PROGRAM, "list", "schemes"], stdout=subprocess.PIPE, text=True, check=True).stdout
        kinds = [re.findall(r"^  (\w+)  ", part, re.MULTILINE) for part in listed.split("\n\n")]
        kinds = [kind for kind in kinds if kind]
        self.assertEqual(len(kinds), 2)
        self.assertEqual(set(sum(kinds, [])), set(looks.SCHEMES))
        for kind in kinds:
            used = [tuple(looks.SCHEMES[name]) for name in kind]
            self.assertEqual(len(set(used)), len(used), sorted(used))

    def test_every_colour_has_contrast_in_both_themes(self):
        style = (ROOT / "plots/page/style.css").read_text(encoding="utf-8")
        light, dark = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part))
                       for part in style.split('[data-theme="dark"]', 1))
        named = {colour for colour, _, _ in looks.SCHEMES.values()} | set(looks.HUES) | {"ink", "soft", "accent"}
        named |= {colour for group in ("parts", "memory") for colour in looks.LOOKS[group].values()} - {"idle"}
        for theme, colour in itertools.product((light, dark), sorted(named)):
            for paper in ("paper", "field"):
                self.assertGreaterEqual(contrast(theme[colour], theme[paper]), 4.5, (colour, theme[colour], paper))

    def test_schemes_with_one_mark_have_colours_that_any_eyes_tell_apart(self):
        cluster = [name for family in list(looks.LOOKS["schemes"])[:7] for name in looks.LOOKS["schemes"][family]]
        for eye, (one, other) in itertools.product(EYES, itertools.combinations(cluster, 2)):
            (first, mark, line), (second, same, dash) = looks.SCHEMES[one], looks.SCHEMES[other]
            if (mark, line) != (same, dash):
                continue
            a, b = (seen(looks.COLOURS[colour], eye) for colour in (first, second))
            self.assertGreater(sum((x - y)**2 for x, y in zip(a, b))**0.5, APART, (eye, one, other))

    def test_the_documentation_has_the_colours_of_the_pages(self):
        colours = re.findall("#[0-9a-f]{6}", (ROOT / "docs/site.css").read_text(encoding="utf-8"))
        self.assertTrue(colours)
        page = (ROOT / "plots/page/style.css").read_text(encoding="utf-8")
        self.assertEqual([one for one in colours if one not in page], [])

    def test_parts_of_a_bar_differ(self):
        for group in ("parts", "memory"):
            colours = list(looks.LOOKS[group].values())
            self.assertEqual(len(set(colours)), len(colours))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
