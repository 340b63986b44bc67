#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the top of a page of `gardenhose report`, down to the parts of a step, with Chromium.

    docs/figures/screenshot.py PAGE.html [--phone] > picture.png
"""

import base64
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "serve"))
from served import PHONE, browser  # noqa: E402  (a folder of its own)

DESK = (1120, 1000)

# When and where the page was computed would make every picture differ.
REMOVE_COMPUTED = """
for (const term of document.querySelectorAll("dt")) {
  if (term.textContent === "computed") {
    term.nextElementSibling.remove();
    term.remove();
  }
}
"""


def shot(chromium, width, bottom, scale):
    """The page down to `bottom`, as a PNG."""
    drawn = chromium.execute_cdp_cmd("Page.captureScreenshot", {
        "captureBeyondViewport": True,
        "clip": {"x": 0, "y": 0, "width": width, "height": bottom, "scale": scale}})
    return base64.b64decode(drawn["data"])


def main():
    page, phone = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(), sys.argv[2:] == ["--phone"]
    if not page.is_file() or len(sys.argv) != 2 + phone:
        sys.exit(__doc__)
    size = PHONE if phone else DESK
    with browser(size) as chromium:
        chromium.get(page.resolve().as_uri())
        chromium.execute_script(REMOVE_COMPUTED)
        last = chromium.find_element("id", "breakdown").rect
        sys.stdout.buffer.write(shot(chromium, size[0], last["y"] + last["height"], 1 if phone else 0.8))


if __name__ == "__main__":
    main()
