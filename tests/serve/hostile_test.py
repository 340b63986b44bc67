#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile clients of `gardenhose serve`: none hangs it, ends it, makes it write, or leaves a process behind.

Usage: hostile_test.py PROGRAM [REQUESTS]
"""

import collections
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from served import Served, wait_for

PROGRAM, REQUESTS = "", 300  # set by main
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INPUTS = {"topology": "sdp4bit_a100", "model": "gpt_125m", "scheme": "sdp4bit"}
GOOD = {"as": "run", "inputs": INPUTS, "more": {"range": "off"}}

PATHS = ["/", "/now", "/later", "/../etc/passwd", "/now/x", "//", "/%00", "/?x", "*", "http://evil/",
         "/" + "a" * 9000, "/now?as=run"]
METHODS = ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "CONNECT", "TRACE", "X", "post", ""]
HOSTS = ["localhost", "127.0.0.1:1", "[::1]:80", "evil.example", "localhost.evil.example", "", "localhost:x",
         "127.0.0.1@evil"]
TYPES = ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
VALUES = [None, True, -1, 0, 1e308, 1e-308, 10 ** 40, "nan", "inf", "", " ", "\n", "\0", "../../etc/passwd",
          "/etc/passwd", "/dev/zero", "/proc/self/mem", "x" * 3000, "🦄", [], {}, [[[]]], "a,b,c", "all",
          "--help", "1e9", "-0", "0x10", "8K", "1,2", "1:2"]
KEYS = ["topology", "model", "scheme", "baseline", "tp", "pp", "cp", "ep", "nodes", "micro-batch", "accumulation",
        "sequence", "zero", "traffic", "reliability", "calibration", "node-placement", "routing", "perfetto",
        "kineto", "month", "format", "jobs", "set", "help", "range", "break-even", "network.nic_bandwidth",
        "cluster.nodes", "gpu.price", "model.layers", "scheme.group", "sites.a.uplink", ".", "..", "a.b.c", ""]


def question(draw):
    """A question with wrong parts."""
    inputs = dict(INPUTS)
    for _ in range(draw.randrange(3)):
        inputs[draw.choice(KEYS)] = draw.choice(VALUES)
    asked = {"as": draw.choice(["run", "run", "csv", "timeline", "perfetto", "hardware", "choices", "x", 1]),
             "inputs": draw.choice([inputs, inputs, inputs, None, [], "x", {}])}
    if draw.random() < 0.3:
        asked["more"] = {draw.choice(KEYS): draw.choice(VALUES)}
    if draw.random() < 0.2:
        asked["files"] = {draw.choice(["mine.toml", "../x.toml", "", "/etc/x"]): draw.choice(
            ["", "[cluster]\nnodes = 1e99", "x = " + "[" * 5000, 3, "\0", "summary = '" + "y" * 9999])}
        asked["inputs"] = {**INPUTS, "topology": "mine.toml"}
    return json.dumps(asked).encode()


def body_of(draw):
    kind = draw.randrange(8)
    if kind < 4:
        return question(draw)
    return [b"", b"{", b"[" * 100_000, b"\xff\xfe" * 50, json.dumps(GOOD).encode()][kind - 3]


def request(draw):
    """Bytes that may be HTTP."""
    if draw.random() < 0.05:
        return draw.randbytes(draw.randrange(2000))
    body = body_of(draw)
    lines = [f"{draw.choice(METHODS)} {draw.choice(PATHS)} HTTP/{draw.choice(['1.1', '1.0', '9', 'x'])}"]
    if draw.random() < 0.7:
        lines[0] = f"POST /{draw.choice(['now', 'later'])} HTTP/1.1"
    lines.append(f"Host: {draw.choice(HOSTS) if draw.random() < 0.2 else 'localhost'}")
    lines.append(f"Content-Type: {draw.choice(TYPES) if draw.random() < 0.2 else 'application/json'}")
    if draw.random() < 0.1:
        lines.append(f"Origin: {draw.choice(['http://evil.example', 'null', 'http://localhost', '', 'x'])}")
    # A longer one than the body would be waited for.
    length = len(body) if draw.random() < 0.9 else draw.choice([-1, 0, 1, 10 ** 12, "x"])
    lines.append(f"Content-Length: {length}")
    if draw.random() < 0.05:
        lines.append(draw.choice(["Transfer-Encoding: chunked", "Expect: 100-continue", "A" * 20_000,
                                  "X: \0", ": x", "Connection: close"]))
    return "\r\n".join(lines).encode("utf-8", "replace") + b"\r\n\r\n" + body


class Hostile(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        self.served = self.enterContext(Served(PROGRAM, "--jobs", "2", "--timeout", "20"))
        self.processes = len(self.served.processes())

    def tearDown(self):
        self.assertIsNone(self.served.process.poll(), "the server has ended")
        status, reply = self.served.ask(GOOD)
        self.assertEqual((status, reply.get("reports", {}).get("scheme")), (200, "sdp4bit"))
        wait_for(lambda: len(self.served.processes()) == self.processes)
        self.assertEqual(os.listdir(self.folder), [])

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.served.port), timeout=60)

    def test_any_bytes(self):
        draw = random.Random(7)
        statuses = collections.Counter()
        for _ in range(REQUESTS):
            with self.connect() as client:
                client.settimeout(30)
                try:
                    client.sendall(request(draw))
                    if draw.random() < 0.2:
                        continue  # leaves at once
                    statuses[client.recv(1 << 16)[9:12]] += 1
                except OSError:  # the server has closed it, or waits for the rest of a body
                    statuses[b"closed"] += 1
        # Most are questions that are heard: some are answered, and many wrong in themselves.
        self.assertGreater(statuses[b"422"], REQUESTS / 5, statuses)
        self.assertGreater(statuses[b"200"], REQUESTS / 50, statuses)
        self.assertGreater(statuses[b"403"], REQUESTS / 50, statuses)

    def test_slow_clients_do_not_stop_others(self):
        slow = [self.connect() for _ in range(100)]
        for client in slow:
            client.sendall(b"POST /now HTTP/1.1\r\nHost: loc")
        started = time.monotonic()
        self.assertEqual(self.served.ask(GOOD)[0], 200)
        self.assertLess(time.monotonic() - started, 20)
        for client in slow:
            client.close()

    def test_more_connections_than_there_may_be(self):
        many = [self.connect() for _ in range(200)]
        refused = 0
        for client in many:
            client.settimeout(0.05)
            try:
                refused += b" 503 " in client.recv(100)
            except TimeoutError:
                pass
        self.assertGreater(refused, 0)
        for client in many:
            client.close()
        wait_for(lambda: self.served.ask(GOOD)[0] == 200)

    def test_other_pages_are_refused(self):
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"},
                        {"Content-Type": "text/plain"}):
            status, reply = self.served.ask(GOOD, headers=headers)
            self.assertIn(status, (403, 415), headers)
            self.assertIn("problem", reply)

    def test_files_of_this_computer_are_not_read(self):
        secret = os.path.join(tempfile.gettempdir(), f"secret-{os.getpid()}.toml")
        with open(secret, "w", encoding="utf-8") as file:
            file.write("hidden-words = 1\n")
        self.addCleanup(os.unlink, secret)
        for key in ("topology", "model", "scheme", "calibration", "traffic", "reliability", "routing",
                    "node-placement"):
            status, reply = self.served.ask({"as": "run", "inputs": {**INPUTS, key: secret}})
            self.assertEqual(status, 422, key)
            self.assertNotIn("hidden-words", json.dumps(reply))
            if key in ("topology", "model", "scheme", "calibration"):
                self.assertIn("no such file among those that ship", reply["problem"])

    def test_files_that_are_sent_along_are_read(self):
        text = subprocess.run([PROGRAM, "list", "topology", "sdp4bit_a100"], stdout=subprocess.PIPE,
                              text=True, check=True).stdout
        status, reply = self.served.ask({"as": "run", "inputs": {**INPUTS, "topology": "mine.toml"},
                                         "files": {"mine.toml": text}})
        self.assertEqual((status, reply["reports"]["topology"]), (200, "mine"))
        status, reply = self.served.ask({"as": "run", "inputs": {**INPUTS, "topology": "mine.toml"},
                                         "files": {"mine.toml": text.replace("nodes =", "nodez =")}})
        self.assertEqual(status, 422)
        self.assertIn("mine.toml:", reply["problem"])

    def test_a_file_that_is_sent_along_is_of_that_question_alone(self):
        with open(os.path.join(ROOT, "traces", "calibration", "nvidia_h100_80gb_hbm3.json"),
                  encoding="utf-8") as file:
            table = json.load(file)
        slow = json.loads(json.dumps(table))
        for codec in slow["codecs"]:
            codec["median_s"] = [50 * one for one in codec["median_s"]]
        study = {"topology": "dgx_h100_x16", "model": "gpt_125m", "scheme": "sdp4bit", "nodes": 2}

        def speed(text):
            question = {"as": "run", "inputs": {**study, "calibration": "c.json"} if text else study,
                        "more": {"range": "off"}, "files": {"c.json": text} if text else {}}
            status, reply = served.ask(question)
            self.assertEqual(status, 200, reply)
            return reply["reports"]["tokens_per_s"]

        with Served(PROGRAM, "--jobs", "1") as served:  # one worker answers all
            plain, own, slower = speed(""), speed(json.dumps(table)), speed(json.dumps(slow))
            self.assertEqual(plain, speed(""))
            self.assertLess(slower, 0.9 * own)
            status, _ = served.ask({"as": "run", "inputs": {**study, "calibration": "c.json"}})
            self.assertEqual(status, 422)
            status, _ = served.ask({"as": "run", "inputs": study, "files": {"/etc/x": ""}})
            self.assertEqual(status, 422)

    def test_what_takes_too_long_is_given_up(self):
        slow = {**INPUTS, "topology": "dgx_h100_x128", "model": "llama_3_70b", "tp": 8, "whole": True,
                "step-by-step": True, "accumulation": 64, "pp": 4}
        with Served(PROGRAM, "--jobs", "1", "--timeout", "1") as served:
            status, reply = served.ask({"as": "run", "inputs": slow})
            self.assertEqual(status, 503)
            self.assertIn("longer than 1 s", reply["problem"])

    def test_a_worker_that_is_killed_is_replaced(self):
        for worker in self.served.processes()[1:]:
            os.kill(worker, signal.SIGKILL)
        wait_for(lambda: self.served.ask(GOOD)[0] == 200)

    def test_a_killed_server_leaves_nothing(self):
        with Served(PROGRAM, "--jobs", "2") as served:
            family = served.processes()
            self.assertEqual(len(family), 5)
            os.kill(served.process.pid, signal.SIGKILL)
            served.process.wait()
            wait_for(lambda: not any(os.path.exists(f"/proc/{one}/exe") and
                                     is_alive(one) for one in family[1:]))

    def test_a_port_that_is_taken(self):
        done = subprocess.run([PROGRAM, "serve", "--port", str(self.served.port)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.startswith("--port: "), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        REQUESTS = int(sys.argv.pop(1))
    unittest.main()
