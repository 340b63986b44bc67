#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the page of `gardenhose serve` with Chromium, down to the parts of a step.

    docs/figures/screenshot_serve.py PROGRAM [--phone] > picture.png
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "serve"))
from screenshot import shot  # noqa: E402
from served import DESK, PHONE, Served, browser, wait_for  # noqa: E402  (a folder of its own)

STUDY = "topology=sdp4bit_a100&model=gpt_2.7b&scheme=sdp4bit&baseline=twin"


def main():
    phone = sys.argv[2:] == ["--phone"]
    if len(sys.argv) != 2 + phone:
        sys.exit(__doc__)
    size = PHONE if phone else DESK
    with Served(sys.argv[1]) as served, browser(size) as chromium:
        served.open(chromium, STUDY)
        wait_for(lambda: ", likely " in chromium.execute_script(
            "return document.querySelector('.sentence').innerText"))
        wait_for(lambda: "beats" in chromium.execute_script(
            "return document.querySelector('#told')?.innerText ?? ''"))
        bottom = chromium.execute_script(
            "return document.querySelector('#curve').getBoundingClientRect().bottom + scrollY")
        sys.stdout.buffer.write(shot(chromium, size[0], bottom, 1 if phone else 0.7))


if __name__ == "__main__":
    main()
