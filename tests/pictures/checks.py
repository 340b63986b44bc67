# SPDX-License-Identifier: Apache-2.0
"""What every picture must have, measured in Chromium: texts inside the drawing and beside one another, with a
contrast of 4.5; a name for each axis, with a unit; likely ranges, or a line that says why there are none; the
colours of plots/page/style.css; and legends that hide nothing."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "plots"), str(ROOT / "tests" / "serve")]
import looks  # noqa: E402
from served import browser  # noqa: E402  (for those who import this)

MEASURE = f"const svg = arguments[0];\n{Path(__file__).with_name('measure.js').read_text(encoding='utf-8')}"
BLANK = "data:text/html,<!DOCTYPE html><body style='margin:0;background:white'></body>"
PALE = 0.6  # luminance of lines of a grid and of what only fills an area
DIAGRAMS = {"experts.svg", "long_context.svg"}  # drawings of what is where, without values


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055)**2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def faults_of_text(name, text):
    """Those that need no browser."""
    faults = [f"{colour} is no colour of the pages"
              for colour in sorted(set(re.findall(r"(?:fill|stroke)[:=]\s*\"?(#[0-9a-f]{6})", text)))
              if colour not in looks.COLOURS.values() and luminance(colour) < PALE]
    if name not in DIAGRAMS and not re.search(r'id="(range|note)_', text):
        faults.append("no ranges, and no line that says why")
    return faults


def faults_of_svg(chromium, path):
    """What is wrong with a file."""
    text = path.read_text(encoding="utf-8")
    chromium.get(BLANK)
    svg = chromium.execute_script(
        "document.body.innerHTML = arguments[0]; return document.querySelector('svg');",
        text[text.index("<svg"):])
    return faults_of_text(path.name, text) + chromium.execute_script(MEASURE, svg)


def faults_of_page(chromium):
    """What is wrong with the drawings of an open page, and with its width."""
    # Chromium tells of the width that it was given in the frame after; see plots/page/width.js.
    chromium.execute_async_script("""
      const rest = () => (document.body.dataset.resizing ? setTimeout(rest, 20) : arguments[0]());
      requestAnimationFrame(() => requestAnimationFrame(rest));""")
    faults = []
    for svg in chromium.find_elements("css selector", "main svg.chart"):
        section = chromium.execute_script("return arguments[0].closest('section').id", svg)
        chromium.execute_script("arguments[0].scrollIntoView({block: 'center'})", svg)
        found = chromium.execute_script(MEASURE, svg)
        if not chromium.execute_script(
                "const s = arguments[0].closest('section'); return s.querySelector('.range, .spread, .band') !== "
                "null || /likely range|Timeline/.test(s.innerText)", svg):
            found.append("no ranges, and no line that says why")
        faults += [f"{section}: {fault}" for fault in found]
    faults += chromium.execute_script("""
      return [...document.querySelectorAll("main *")].filter((one) => {
        const box = one.getBoundingClientRect();
        return box.width > 0 && box.right > innerWidth + 1 && !one.closest(".scroll, svg, .hidden");
      }).map((one) => `beyond the page: ${one.outerHTML.slice(0, 80)}`);""")
    return faults
