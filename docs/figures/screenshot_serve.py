#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the page of `gardenhose serve` with Chromium, down to the parts of a step.

    docs/figures/screenshot_serve.py PROGRAM > picture.png
"""

import base64
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "serve"))
from served import Served, browser, wait_for  # noqa: E402  (a folder of its own)

STUDY = "topology=sdp4bit_a100&model=gpt_2.7b&scheme=sdp4bit&baseline=twin"
SIZE = (1280, 1000)
SCALE = 0.7  # of the page's pixels


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with Served(sys.argv[1]) as served, browser(SIZE) as chromium:
        served.open(chromium, STUDY)
        wait_for(lambda: ", likely " in chromium.execute_script(
            "return document.querySelector('.sentence').innerText"))
        wait_for(lambda: "beats" in chromium.execute_script(
            "return document.querySelector('#told')?.innerText ?? ''"))
        bottom = chromium.execute_script(
            "return document.querySelector('#curve').getBoundingClientRect().bottom + scrollY")
        shot = chromium.execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True,
            "clip": {"x": 0, "y": 0, "width": SIZE[0], "height": bottom, "scale": SCALE}})
    sys.stdout.buffer.write(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    main()
