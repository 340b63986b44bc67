#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`gardenhose report`: its page is opened in Chromium from the disk, with no network, and clicked.

Usage: report_page_test.py BUILD_FOLDER [-k PART_OF_A_TEST'S_NAME]
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

PROGRAM = ""  # set by main
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# 8 points on one cluster, all of which fit.
SMALL = """[run]
topology = "sdp4bit_a100"
model = "gpt_125m"
baseline = "twin"
[grid]
scheme = ["sharded", "sdp4bit"]
nodes = [1, 2]
network.nic_bandwidth = ["50 Gbps", "100 Gbps"]
"""
ONE = '[run]\ntopology = "sdp4bit_a100"\nmodel = "gpt_125m"\nnodes = 1\n'
SITES = """[run]
topology = "two_sites_10g"
model = "gpt_125m"
[grid]
scheme = ["diloco", "sparseloco"]
links.line.bandwidth = ["1 Gbps", "10 Gbps"]
"""
MODELS = """[run]
topology = "sdp4bit_a100"
nodes = 1
[grid]
model = ["gpt_125m", "gpt_350m"]
scheme = ["sharded", "sdp4bit"]
"""
# The scheme says how much is accumulated: no input varies by itself.
TOGETHER = """[run]
topology = "sdp4bit_a100"
model = "gpt_125m"
nodes = 1
[together.k]
scheme = ["sharded", "sdp4bit"]
accumulation = [1, 2]
"""
MOST_BYTES = 1_000_000  # of a page of a thousand points


def browser():
    options = webdriver.ChromeOptions()
    # A container's root may not use Chromium's sandbox.
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1280,900"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.browser = browser()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.addClassCleanup(cls.browser.quit)
        cls.sweep("small", SMALL)

    @classmethod
    def sweep(cls, name, spec):
        with open(f"{cls.folder}/{name}.toml", "w", encoding="utf-8") as file:
            file.write(spec)
        cls.run_program("sweep", f"{name}.toml")

    @classmethod
    def run_program(cls, *arguments, code=0):
        done = subprocess.run([PROGRAM, *arguments], cwd=cls.folder, capture_output=True, text=True,
                              check=False)
        assert done.returncode == code, (arguments, done.returncode, done.stderr)
        return done

    def page_of(self, name, *flags):
        """Writes the page of a store, opens it, and returns its text."""
        self.run_program("report", f"{name}.sqlite", *flags)
        return self.open(name)

    def open(self, name):
        """The page is all that is loaded, and nothing fails."""
        self.browser.get_log("performance")
        self.browser.get_log("browser")
        self.browser.get(f"file://{self.folder}/{name}.html")
        self.check_quiet()
        with open(f"{self.folder}/{name}.html", encoding="utf-8") as file:
            return file.read()

    def check_quiet(self):
        self.assertEqual(self.browser.get_log("browser"), [])
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                self.assertTrue(url.startswith("file:"), url)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def button(self, section, text):
        return self.browser.find_element(By.XPATH, f"//section[@id='{section}']"
                                                   f"//button[normalize-space()='{text}']")

    def select(self, section, label, value):
        xpath = f"//section[@id='{section}']//label[span='{label}']/select"
        Select(self.browser.find_element(By.XPATH, xpath)).select_by_value(value)

    def column(self, name):
        """The texts of a column of the table, as they are shown."""
        names = [head.get_attribute("data-name") for head in self.all(".points thead th")]
        place = names.index(name) + 1
        return [cell.text for cell in
                self.all(f".points tbody tr[data-point] td:nth-child({place})")]

    def hover(self, element):
        self.into_view(element)
        ActionChains(self.browser).move_to_element(element).perform()

    def into_view(self, element):
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)

    def tip(self):
        return self.one("#tip").text if self.one("#tip").is_displayed() else ""

    def ticks(self, section):
        return [text.text for text in self.all(f"#{section} .frame text")]


class SmallPage(Pages):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_program("report", "small.sqlite")

    def setUp(self):
        self.text = self.open("small")

    def test_says_what_the_study_is(self):
        self.assertEqual(self.one("h1").text, "small")
        overview = self.one("#overview").text
        for part in ("8 points: 8 simulated", "scheme (2): sharded, sdp4bit", "nodes (2): 1, 2",
                     "50 Gbps, 100 Gbps", "model gpt_125m", "baseline twin"):
            self.assertIn(part, overview)
        version = self.run_program("--version").stdout.split()[1]
        self.assertIn(f"gardenhose {version}", overview)

    def test_a_click_on_a_heading_sorts(self):
        for first, direction in (("descending", -1), ("ascending", 1)):
            self.one("[data-name='tokens_per_s'] button").click()
            self.assertEqual(self.one("[data-name='tokens_per_s']").get_attribute("aria-sort"), first)
            shown = [direction * float(text) for text in self.column("tokens_per_s")]
            self.assertEqual(len(shown), 8)
            self.assertEqual(shown, sorted(shown))
            self.assertNotEqual(shown[0], shown[-1])
        # 50 Gbps is before 100 Gbps: by size, not by letters.
        self.one("[data-name='network.nic_bandwidth'] button").send_keys(Keys.ENTER)
        self.assertEqual(self.column("network.nic_bandwidth"), ["50 Gbps"] * 4 + ["100 Gbps"] * 4)

    def test_the_filter_takes_words_and_comparisons(self):
        box = self.one("#filter")
        for text, count in (("sdp4bit", 4), ("sdp4bit nodes>1", 2), ("nic_bandwidth", 0),
                            ('network.nic_bandwidth <= "50 Gbps"', 4), ("scheme = sharded", 4)):
            box.clear()
            box.send_keys(text)
            self.assertEqual(len(self.column("scheme")), count, text)
            self.assertTrue(self.one("#points [role=status]").text.startswith(f"{count} of 8"))
        box.clear()
        box.send_keys("nods > 1")
        self.assertIn("no column nods; known are", self.one("#points [role=status]").text)

    def test_a_point_says_how_to_run_it_again(self):
        self.one("[data-point='5'] .opener").click()
        command = self.one(".details code").text
        self.assertTrue(command.startswith("gardenhose run --topology=sdp4bit_a100"), command)
        shown = json.loads(subprocess.run(f"{PROGRAM} {command.partition(' ')[2]} --format json",
                                          shell=True, capture_output=True, check=True).stdout)[-1]
        listed = dict(zip([item.text for item in self.all(".details dt")],
                          [item.text for item in self.all(".details dd")]))
        self.assertAlmostEqual(float(listed["speed-up"].rstrip("×")), shown["speedup"], delta=0.005)
        self.one("[data-point='5'] .opener").click()
        self.assertEqual(self.all(".details"), [])

    def test_the_chart_changes_its_axes(self):
        self.assertIn("NIC bandwidth", self.ticks("charts"))
        self.assertIn("speed-up (×)", self.ticks("charts"))
        self.select("charts", "over", "nodes")
        self.select("charts", "figure", "step_time_s")
        self.assertIn("nodes", self.ticks("charts"))
        self.assertTrue(any(re.match(r"step time \(ms\)", text) for text in self.ticks("charts")))
        self.assertEqual(len(self.all("#charts .mark")), 4)

    def test_a_point_under_the_pointer_says_its_values(self):
        mark = self.all("#charts .mark")[-1]
        self.hover(mark)
        lines = self.tip().splitlines()
        number = int(mark.get_attribute("data-point"))
        with sqlite3.connect(f"{self.folder}/small.sqlite") as store:
            row = store.execute("select scheme, speedup from all_points where number = ?",
                                (number,)).fetchone()
        self.assertIn(row[0], lines[0])
        self.assertEqual(lines[lines.index("speed-up") + 1], f"{row[1]:.2f}×")
        self.hover(self.one("h1"))
        self.assertEqual(self.tip(), "")

    def test_the_chart_zooms_and_resets(self):
        before = self.ticks("charts")
        picture = self.one("#charts .chart")
        self.into_view(picture)
        ActionChains(self.browser).move_to_element_with_offset(picture, -200, -100) \
            .click_and_hold().move_by_offset(300, 90).release().perform()
        self.assertNotEqual(self.ticks("charts"), before)
        self.button("charts", "Reset").click()
        self.assertEqual(self.ticks("charts"), before)
        picture.send_keys("+")
        self.assertNotEqual(self.ticks("charts"), before)
        picture.send_keys("0")
        self.assertEqual(self.ticks("charts"), before)
        picture.send_keys(Keys.ARROW_RIGHT)
        self.assertIn("speed-up", self.tip())

    def test_the_legend_hides_a_scheme(self):
        self.assertEqual(len(self.all("#charts .series")), 2)
        self.button("charts", "sharded").click()
        self.assertEqual(self.button("charts", "sharded").get_attribute("aria-pressed"), "false")
        self.assertEqual(len(self.all("#charts .series")), 1)

    def test_the_parts_of_a_step_are_bars(self):
        parts = self.all("#breakdown .part")
        self.assertGreaterEqual(len(parts), 6)
        self.hover(parts[0])
        self.assertIn("sharded: compute", self.tip())
        self.assertRegex(self.tip(), r"\d+\.\d %")

    def test_the_map_names_winners(self):
        with sqlite3.connect(f"{self.folder}/small.sqlite") as store:
            told = {(row[0], str(row[1])): row[2:] for row in store.execute(
                "select in_network_nic_bandwidth, in_nodes, verdict, speedup from all_points "
                "where scheme = 'sdp4bit'")}
        across = [head.text for head in self.all("#winners th[scope='col']")]
        self.assertEqual(across, ["50 Gbps", "100 Gbps"])
        shown = {}
        for row in self.all("#winners tr")[1:]:
            nodes = row.find_element(By.TAG_NAME, "th").text
            cells = row.find_elements(By.TAG_NAME, "td")
            for bandwidth, cell in zip(across, cells):
                self.assertEqual(cell.get_attribute("data-scheme"), "sdp4bit")
                shown[bandwidth, nodes] = cell
        self.assertEqual({place: cell.get_attribute("data-verdict") for place, cell in shown.items()},
                         {place: verdict for place, (verdict, _) in told.items()})
        for place, cell in shown.items():
            self.assertIn(f"{told[place][1]:.2f}×", cell.text)
        self.hover(cells[0])
        self.assertIn("sdp4bit", self.tip())

    def test_a_card_and_the_map_have_one_speedup_for_a_point(self):
        card = self.one(".cards .card").text.splitlines()
        self.assertEqual(card[0], "Greatest speed-up")
        numbers = [cell.text.splitlines()[0] for cell in self.all("#winners td[data-winner]")]
        greatest = max(float(text.rstrip("×")) for text in numbers)
        self.assertAlmostEqual(float(card[1].rstrip("×")), greatest, delta=0.005)

    def test_the_timeline_shows_operations(self):
        boxes = self.all("#timelines svg > g > rect")
        with_all = len(boxes)
        self.hover(boxes[1])
        self.assertIn("takes", self.tip())
        self.assertIn("rank 0", self.tip())
        self.assertIn("all of its operations", self.one("#timelines").text)
        numbers = [one.get_attribute("value") for one in self.all("#timelines option")]
        self.assertEqual(len(numbers), 3)
        self.select("timelines", "timeline", numbers[-1])
        self.assertLess(len(self.all("#timelines svg > g > rect")), with_all)
        before = self.ticks("timelines")
        self.button("timelines", "+").click()
        self.assertNotEqual(self.ticks("timelines"), before)

    def test_the_theme_is_a_button(self):
        paper = "return getComputedStyle(document.body).backgroundColor"
        before = self.browser.execute_script(paper)
        self.one("#theme").click()
        self.assertNotEqual(self.browser.execute_script(paper), before)

    def test_nothing_is_cut_off_on_a_phone(self):
        self.browser.set_window_size(500, 900)  # Chromium has no narrower window
        try:
            width = "return document.documentElement.scrollWidth - innerWidth"
            self.assertLessEqual(self.browser.execute_script(width), 0)
        finally:
            self.browser.set_window_size(1280, 900)

    def test_is_the_same_page_twice(self):
        self.assertEqual(self.page_of("small"), self.text)

    def tearDown(self):
        self.check_quiet()


class OtherPages(Pages):
    def test_one_point(self):
        self.sweep("one", ONE)
        self.page_of("one")
        self.assertIn("1 point: 1 simulated", self.one("#overview").text)
        self.assertEqual(self.all("#charts"), [], "nothing varies")
        self.assertEqual(len(self.all("#timelines svg > g > rect")) > 10, True)

    def test_sites(self):
        self.sweep("sites", SITES)
        self.page_of("sites")
        self.assertIn("compute utilisation", self.one("#points thead").text)
        self.assertIn("east\ncompute", self.one("#timelines").text)

    def test_tokens_of_two_models_are_not_compared(self):
        self.sweep("models", MODELS)
        self.page_of("models", "--timeline", "none")
        cards = {card.text.splitlines()[0]: card.text for card in self.all(".card")}
        for title in ("Most tokens per second", "Lowest price per million tokens"):
            for model in ("gpt_125m", "gpt_350m"):
                self.assertIn(model, cards[f"{title}, by model"])

    def test_inputs_that_all_follow_from_the_scheme(self):
        self.sweep("together", TOGETHER)
        self.page_of("together", "--timeline", "none")
        across = [head.text for head in self.all("#winners th[scope='col']")]
        self.assertEqual(across, ["1", "2"])
        schemes = [cell.get_attribute("data-scheme") for cell in self.all("#winners td[data-scheme]")]
        self.assertEqual(schemes, ["sharded", "sdp4bit"])
        self.assertIn("gardenhose sweep", self.one("#reproduce").text)

    def test_a_thousand_points(self):
        self.copy_of_small("many")
        with sqlite3.connect(f"{self.folder}/many.sqlite") as store:
            for number in range(8, 1000):
                inputs = f"json_set(inputs, '$.nodes', {number})"
                store.execute(f"insert into points select {number} + 100, {number}, {number}, "
                              f"{inputs}, state, message, origin, session, wall_s from points "
                              "where number = ?", (number % 8,))
                store.execute(f"insert into reports select {number} + 100, report from reports "
                              "where point = (select point from points where number = ?)",
                              (number % 8,))
        page = self.page_of("many", "--timeline", "none")
        self.assertLess(len(page), MOST_BYTES)
        self.assertEqual(len(self.column("scheme")), 200)
        self.button("points", "Show all 1,000").click()
        self.assertEqual(len(self.all(".points tbody tr")), 1000)

    def test_texts_of_a_store_stay_texts(self):
        evil = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>'\"<!--"
        self.copy_of_small("evil")
        with sqlite3.connect(f"{self.folder}/evil.sqlite") as store:
            store.execute("update sessions set host = ?, begun = ?", (evil, evil))
            store.execute("update sweep set spec = ?", (evil,))
            store.execute("update points set message = ?, inputs = json_set(inputs, '$.scheme', ?)"
                          " where number < 4", (evil, evil))
            store.execute("update reports set report = json_set(report, '$.sources', "
                          "json_object(?, ?), '$.bound', ?)", (evil, evil, evil))
        os.rename(f"{self.folder}/evil.sqlite", f"{self.folder}/<img src=x onerror=hacked=1>.sqlite")
        page = self.page_of("<img src=x onerror=hacked=1>")
        self.one("[data-point='1'] .opener").click()
        self.assertIsNone(self.browser.execute_script("return window.hacked || null"))
        self.assertEqual(self.all("img"), [])
        self.assertIn(evil, self.one(".details").text)
        self.assertEqual(self.one("h1").text, "<img src=x onerror=hacked=1>")
        # And if one became an element, the policy would not let it run.
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.browser.execute_script(
            "const one = document.createElement('script'); one.textContent = 'window.hacked = 1';"
            "document.body.append(one);")
        self.assertIsNone(self.browser.execute_script("return window.hacked || null"))

    def copy_of_small(self, name):
        with sqlite3.connect(f"{self.folder}/small.sqlite") as small, \
                sqlite3.connect(f"{self.folder}/{name}.sqlite") as copy:
            small.backup(copy)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(os.path.join(sys.argv.pop(1), "gardenhose"))
    unittest.main()
