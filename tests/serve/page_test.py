#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `gardenhose serve` in Chromium: dragged, driven by keys, on a phone, and left.

Usage: page_test.py PROGRAM [-k PART_OF_A_TEST'S_NAME]
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from served import DESK, PHONE, Served, browser, wait_for

PROGRAM = ""  # set by main
STUDY = "topology=sdp4bit_a100&model=gpt_125m&scheme=sdp4bit&baseline=twin"


COLOUR = "return getComputedStyle(document.body).backgroundColor"


class Page(unittest.TestCase):
    """One server and one browser for all tests of a class, each of which opens the study anew."""
    size, dark = DESK, False

    @classmethod
    def setUpClass(cls):
        cls.served = cls.enterClassContext(Served(PROGRAM, "--jobs", "2"))
        cls.chromium = cls.enterClassContext(browser(cls.size, cls.dark))

    def setUp(self):
        self.chromium.get(self.served.url)
        self.chromium.execute_script("localStorage.clear(); sessionStorage.clear();")
        self.chromium.get("about:blank")
        self.served.open(self.chromium, STUDY)

    def tearDown(self):
        wrong = [line["message"] for line in self.chromium.get_log("browser")
                 if "Failed to load resource" not in line["message"]]
        self.assertEqual(wrong, [])

    def one(self, selector):
        return self.chromium.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        # At once: between two commands of a driver the page may draw anew.
        return self.chromium.execute_script(
            "return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def answers(self):
        return int(self.chromium.execute_script("return document.body.dataset.answered ?? 0"))

    def until_answered(self, act):
        before = self.answers()
        act()
        wait_for(lambda: self.answers() > before)

    def drag(self, name, place):
        self.until_answered(lambda: self.chromium.execute_script(
            "const box = document.querySelector(`input[name=\"${arguments[0]}\"]`);"
            "box.value = arguments[1]; box.dispatchEvent(new Event('input', {bubbles: true}));",
            name, str(place)))


class OnADesk(Page):
    def test_a_drag_changes_answer_command_and_address(self):
        before = self.text(".sentence")
        self.drag("nic", 0)
        self.assertNotEqual(self.text(".sentence"), before)
        self.assertIn("--set", self.text("#answer code"))
        self.assertIn("network.nic_bandwidth=10+Gbps", self.chromium.current_url)

    def test_the_command_prints_the_sentence_and_the_figures(self):
        self.drag("nic", 3)
        command = self.text("#answer code")
        wait_for(lambda: ", likely " in self.text(".sentence"))
        printed = subprocess.run(["bash", "-c", command.replace("gardenhose", PROGRAM, 1)],
                                 stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(printed.splitlines()[0], self.text(".sentence"))
        done = subprocess.run(["bash", "-c", command.replace("gardenhose", PROGRAM, 1) +
                               " --format json"], stdout=subprocess.PIPE, text=True, check=True)
        report = json.loads(done.stdout)[-1]
        shown = self.text("#facts").replace("\u202f", "")
        self.assertIn(str(round(report["tokens_per_s"])), shown)
        self.assertIn(str(round(report["tokens_per_s_low"])), shown)

    def test_what_takes_longer_comes_later(self):
        wait_for(lambda: self.chromium.find_elements(By.CSS_SELECTOR, "#curve .band"))
        wait_for(lambda: self.chromium.find_elements(By.CSS_SELECTOR, "#timelines rect"))
        wait_for(lambda: "beats sharded at every NIC bandwidth" in self.text("#told"))
        wait_for(lambda: "…" not in self.text("#beside"))
        self.assertGreater(len(self.chromium.find_elements(By.CSS_SELECTOR, "#beside tbody tr")), 5)
        self.assertTrue(self.chromium.find_elements(By.CSS_SELECTOR, "#throughput .range"))

    def test_changes_lead_from_the_baseline_to_the_scheme(self):
        told = self.chromium.execute_script(
            "return [...document.querySelectorAll('#parts h3 + .drawing .total')].map((one) => one.textContent)")
        sizes = [float(re.search(r"[\d.]+", one)[0]) * (1e-3 if "µs" in one else 1 if "ms" in one else 1e3) *
                 (-1 if one.startswith("−") else 1) for one in told]
        self.assertGreater(len(sizes), 2)
        # Parts that hardly change are left out.
        self.assertAlmostEqual(sum(sizes[:-1]), sizes[-1], delta=0.03 * sizes[0])

    def test_the_timeline_says_what_overlaps(self):
        wait_for(lambda: self.chromium.find_elements(By.CSS_SELECTOR, "#timelines .overlap"))
        told = "of communication, .* run beside kernels and .* alone"
        self.assertRegex(self.text("#timelines .overlap"), told)
        self.assertRegex(self.one("#timelines svg.tracks").get_attribute("aria-label"), told)

    def test_keys_move_a_slider(self):
        slider = self.one('input[name="nic"]')
        before = slider.get_attribute("aria-valuetext")
        self.until_answered(lambda: slider.send_keys(Keys.ARROW_RIGHT))
        self.assertNotEqual(slider.get_attribute("aria-valuetext"), before)

    def test_every_control_has_a_name(self):
        boxes = "main input, main select, header select"
        for box in self.chromium.find_elements(By.CSS_SELECTOR, boxes):
            self.assertTrue(box.accessible_name, box.get_attribute("outerHTML"))

    def test_a_link_is_a_study(self):
        self.drag("nic", 5)
        Select(self.one('select[name="zero"]')).select_by_value("2")
        wait_for(lambda: "zero=2" in self.chromium.current_url)
        wait_for(lambda: "--zero=2" in self.text("#answer code"))
        link, sentence = self.chromium.current_url, self.text(".sentence")
        self.chromium.get("about:blank")
        self.chromium.get(link)
        wait_for(lambda: self.chromium.find_elements(By.CSS_SELECTOR, ".sentence"))
        self.assertEqual(self.text(".sentence").split(" tokens/s")[0],
                         sentence.split(" tokens/s")[0])
        self.assertEqual(Select(self.one('select[name="zero"]')).first_selected_option.text, "2")

    def test_a_wrong_choice_is_told_and_the_next_one_answered(self):
        box = self.one('input[name="more"]')
        box.send_keys("nodez=3", Keys.ENTER)
        wait_for(lambda: "nodez" in self.text("#answer"))
        self.assertIn("is not a flag of run", self.text("#answer"))
        box.clear()
        self.until_answered(lambda: box.send_keys(Keys.ENTER))
        self.assertIn("sdp4bit trains", self.text(".sentence"))

    def test_what_is_of_the_choice_before_says_so(self):
        shows = "return document.getElementById('answers').dataset.shows"
        wait_for(lambda: self.chromium.execute_script(shows) == "now")
        box = self.one('input[name="more"]')
        box.send_keys("--tp 3", Keys.ENTER)
        wait_for(lambda: self.chromium.execute_script(shows) == "before")
        self.assertIn("what was chosen before", self.text("#answer"))
        self.assertIn("--tp=3", self.text("#answer code"))
        self.assertTrue(self.chromium.execute_script(
            "return document.getElementById('downloads').inert"))

    def test_back_undoes_a_change(self):
        time.sleep(1.1)  # what follows within a second is one step
        self.until_answered(lambda: Select(self.one('select[name="zero"]')).select_by_value("2"))
        self.until_answered(self.chromium.back)
        self.assertNotIn("--zero", self.text("#answer code"))

    def test_a_topology_that_is_not_there_leaves_the_controls(self):
        self.chromium.get("about:blank")
        self.chromium.get(f"{self.served.url}#topology=nope&model=gpt_125m")
        wait_for(lambda: "nope" in self.text("#answer"))
        self.until_answered(lambda: Select(self.one('select[name="topology"]')).select_by_value(
            "dgx_h100_x16"))
        self.assertIn("trains", self.text(".sentence"))

    def test_sites_have_schemes_of_their_own(self):
        self.until_answered(lambda: Select(self.one('select[name="topology"]')).select_by_value(
            "two_sites_10g"))
        wait_for(lambda: "sparseloco trains" in self.text(".sentence"))
        steps = self.text("#parts")
        self.assertIn("per inner step", steps)

    def test_a_pinned_choice_stays_beside(self):
        self.one("#pin").click()
        self.drag("nic", 0)
        self.assertIn("pinned", self.text("#throughput"))
        self.assertIn("pin%7Escheme=sdp4bit", self.chromium.current_url)
        self.chromium.refresh()
        wait_for(lambda: "pinned" in self.text("#throughput"))
        self.until_answered(lambda: self.one("#pin").click())
        self.assertNotIn("pinned", self.text("#throughput"))

    def test_examples_and_sites(self):
        examples = Select(self.one("#presets"))
        for place in range(1, len(examples.options)):
            self.until_answered(
                lambda place=place: Select(self.one("#presets")).select_by_index(place))
            self.assertIn("trains", self.text(".sentence"))
        self.assertIn("--topology=two_sites_10g", self.text("#answer code"))
        self.assertIn("10 Gb/s", self.text("#inputs"))

    def test_files_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            text = subprocess.run([PROGRAM, "list", "topology", "sdp4bit_a100"], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
            for name, what in (("mine.toml", text), ("notes.toml", "a = 1")):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(what)
            box = self.one('input[name="files"]')
            self.until_answered(lambda: box.send_keys(os.path.join(folder, "mine.toml")))
            wait_for(lambda: "--topology=mine.toml" in self.text("#answer code"))
            self.one('input[name="files"]').send_keys(os.path.join(folder, "notes.toml"))
            wait_for(lambda: "notes.toml: is no cluster" in self.text("#inputs"))

    def test_files_of_sites_take_schemes_of_sites(self):
        with tempfile.TemporaryDirectory() as folder:
            text = subprocess.run([PROGRAM, "list", "topology", "two_sites_10g"], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
            with open(os.path.join(folder, "pair.toml"), "w", encoding="utf-8") as file:
                file.write(text)
            self.one('input[name="files"]').send_keys(os.path.join(folder, "pair.toml"))
            wait_for(lambda: "sparseloco trains" in self.text(".sentence"))
            self.assertIn("10 Gb/s", self.text("#inputs"))

    def test_what_default_means_is_not_what_is_chosen(self):
        zero = Select(self.one('select[name="zero"]'))
        self.assertEqual(zero.options[0].text, "default (1)")
        self.until_answered(lambda: zero.select_by_value("2"))
        self.assertEqual(zero.options[0].text, "default (1)")

    def test_a_quantity_in_another_unit_is_read(self):
        box = self.one('input[name="more"]')
        self.until_answered(lambda: box.send_keys("network.nic_bandwidth=50 GBps", Keys.ENTER))
        self.assertIn("400 Gb/s", self.text("#inputs"))

    def test_two_users_have_answers_of_their_own(self):
        with browser() as other:
            self.served.open(other, STUDY.replace("gpt_125m", "gpt_350m"))
            self.drag("nic", 7)
            self.assertIn("gpt_350m", other.find_element(By.CSS_SELECTOR, "#answer code").text)
            self.assertIn("gpt_125m", self.text("#answer code"))

    def test_a_browser_that_leaves_is_not_worked_for(self):
        slow = {"as": "run", "inputs": {"topology": "dgx_h100_x128", "model": "llama_3_70b", "tp": "8",
                                        "pp": "4", "accumulation": "64", "whole": True}}
        before = set(self.served.processes())
        with browser() as other:
            self.served.open(other, STUDY)
            other.execute_script("""
              for (let i = 0; i < 4; i += 1) {
                fetch("/later", {method: "POST", headers: {"Content-Type": "application/json"},
                                 body: JSON.stringify(arguments[0])});
              }""", slow)
            time.sleep(0.5)
        # Its workers have been replaced.
        wait_for(lambda: set(self.served.processes()) - before)


class WithoutAServer(Page):
    def test_a_server_that_is_killed_is_told(self):
        wait_for(lambda: "…" not in self.text("#beside"))
        os.kill(self.served.process.pid, signal.SIGKILL)
        self.chromium.execute_script(
            "const box = document.querySelector('input[name=\"nic\"]');"
            "box.value = 2; box.dispatchEvent(new Event('input', {bubbles: true}));")
        wait_for(lambda: "does not answer" in self.text("#answer"))


class InTheDark(Page):
    dark = True

    def test_the_page_is_dark(self):
        colour = self.chromium.execute_script(COLOUR)
        self.assertLess(sum(map(int, colour[4:-1].split(","))), 150)
        self.one("#theme").click()
        colour = self.chromium.execute_script(COLOUR)
        self.assertEqual(colour, "rgb(255, 255, 255)")


class OnAPhone(Page):
    size = PHONE

    def test_nothing_is_cut_off(self):
        wait_for(lambda: self.chromium.find_elements(By.CSS_SELECTOR, "#timelines rect"))
        width = self.chromium.execute_script("return document.documentElement.scrollWidth")
        self.assertEqual(width, PHONE[0])
        beyond = self.chromium.execute_script("""
          return [...document.querySelectorAll("main *")].filter((one) => {
            const box = one.getBoundingClientRect();
            return box.width > 0 && box.right > innerWidth + 1 &&
              !one.closest(".scroll, #timelines .drawing, svg");
          }).map((one) => one.outerHTML.slice(0, 80));""")
        self.assertEqual(beyond, [])

    def test_the_answer_comes_before_the_controls(self):
        top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
        self.assertLess(self.chromium.execute_script(top, "#answer"),
                        self.chromium.execute_script(top, "#inputs"))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
