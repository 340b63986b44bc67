# SPDX-License-Identifier: Apache-2.0
"""A server of the page for a test, and a browser to look at it."""

import contextlib
import json
import subprocess
import time
import urllib.error
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

DESK, PHONE = (1280, 1000), (390, 844)


class Served:
    """`gardenhose serve` at a free port."""

    def __init__(self, program, *flags):
        self.process = subprocess.Popen([program, "serve", "--port", "0", *flags],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        self.port = int(self.url.rstrip("/").rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.process.stdout.close()
        self.process.stderr.close()

    def ask(self, question, lane="now", headers=None):
        """The status and the JSON of a reply."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/{lane}", json.dumps(question).encode(),
            {"Content-Type": "application/json", **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def processes(self):
        """The numbers of the server's processes, itself included."""
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)],
                                  stdout=subprocess.PIPE, text=True, check=False).stdout.split()
        return [self.process.pid, *map(int, children)]

    def open(self, chromium, study=""):
        """Opens a study, and waits for its first answer."""
        chromium.get(f"{self.url}#{study}")
        wait_for(lambda: chromium.execute_script("return document.body.dataset.answered"))


def wait_for(what, seconds=60):
    """Until it is true; returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.02)
    raise TimeoutError(f"not within {seconds} s")


@contextlib.contextmanager
def browser(size=DESK, dark=False):
    options = webdriver.ChromeOptions()
    # A container's root may not use Chromium's sandbox.
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 f"--window-size={size[0]},{size[1]}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chromium = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    try:
        chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE})
        if dark:
            chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        yield chromium
    finally:
        chromium.quit()
