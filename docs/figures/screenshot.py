#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the top of a page of `gardenhose report`, down to the parts of a step, with Chromium.

    docs/figures/screenshot.py PAGE.html > picture.png
"""

import base64
import sys
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

WIDTH = 1120
SCALE = 0.8  # of the page's pixels

# When and where the page was computed would make every picture differ.
REMOVE_COMPUTED = """
for (const term of document.querySelectorAll("dt")) {
  if (term.textContent === "computed") {
    term.nextElementSibling.remove();
    term.remove();
  }
}
"""


def browser():
    options = webdriver.ChromeOptions()
    # A container's root may not use Chromium's sandbox.
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--hide-scrollbars", f"--window-size={WIDTH},1000"):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def main():
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_file():
        sys.exit(__doc__)
    chromium = browser()
    try:
        chromium.get(Path(sys.argv[1]).resolve().as_uri())
        chromium.execute_script(REMOVE_COMPUTED)
        last = chromium.find_element(By.ID, "breakdown").rect
        shot = chromium.execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True,
            "clip": {"x": 0, "y": 0, "width": WIDTH, "height": last["y"] + last["height"],
                     "scale": SCALE}})
    finally:
        chromium.quit()
    sys.stdout.buffer.write(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    main()
