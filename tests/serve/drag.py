#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How long a drag takes on the page of `gardenhose serve`, from the event to pixels, in Chromium.

    tests/serve/drag.py build/release/gardenhose [DRAGS]

Prints the median and the 95th percentile of single drags of the NICs' rate; and of a few after which the page
rests, when break-even and all other schemes stand there. Times are a machine's: no test.
"""

import statistics
import sys
import time

from served import Served, browser

STUDIES = [
    ("Llama 2 7B on 1024 GPUs",
     "topology=dgx_h100_x128&model=llama_2_7b&scheme=sdp4bit&baseline=twin"),
    ("Llama 3 70B, TP 8, PP 4, 16 micro-batches",
     "topology=dgx_h100_x128&model=llama_3_70b&scheme=sdp4bit&baseline=twin&tp=8&pp=4"
     "&accumulation=16&attention=fused&overlap=all"),
]

# Moves the slider by a notch, and tells when what is drawn then has been shown.
DRAG = """
const [place, done] = arguments;
const slider = document.querySelector('input[name="nic"]');
const start = performance.now();
const seen = new MutationObserver(() => {
  seen.disconnect();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
});
seen.observe(document.body, {attributes: true, attributeFilter: ["data-answered"]});
slider.value = place;
slider.dispatchEvent(new Event("input", {bubbles: true}));
"""


# The same, and when the text of its break-even and the last of the other schemes came.
REST = """
const [place, done] = arguments;
const slider = document.querySelector('input[name="nic"]');
const start = performance.now();
const came = {told: 0, beside: 0}, texts = {};
delete document.body.dataset.complete;
slider.value = place;
slider.dispatchEvent(new Event("input", {bubbles: true}));
const timer = setInterval(() => {
  for (const id of Object.keys(came)) {
    const text = document.getElementById(id)?.textContent || "";
    if (text !== texts[id] && !(id === "told" && text.startsWith(" "))) came[id] = performance.now() - start;
    texts[id] = text;
  }
  if (!document.body.dataset.complete) return;
  clearInterval(timer);
  done([came.told, came.beside]);
}, 10);
"""
RESTS = 4


def rests(chromium):
    """Milliseconds until both stand, of each drag."""
    for turn in range(RESTS):
        time.sleep(1)
        yield chromium.execute_async_script(REST, str(12 + 3 * turn))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    drags = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    with Served(sys.argv[1]) as served, browser() as chromium:
        chromium.set_script_timeout(30)
        for name, study in STUDIES:
            chromium.get("about:blank")
            served.open(chromium, study)
            taken = []
            for turn in range(drags):
                taken.append(chromium.execute_async_script(DRAG, str(10 + turn % 25)))
                time.sleep(0.3)  # what comes later has begun, and is cancelled
            taken.sort()
            print(f"{name}: median {statistics.median(taken):.0f} ms, "
                  f"95th percentile {taken[int(0.95 * len(taken))]:.0f} ms of {drags} drags")
            told, beside = zip(*rests(chromium))
            print(f"  break-even after {min(told):.0f} to {max(told):.0f} ms, other schemes after "
                  f"{min(beside):.0f} to {max(beside):.0f} ms, of {RESTS} drags")


if __name__ == "__main__":
    main()
