#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Ten pages of `gardenhose serve` at once, dragged for a minute: answers, errors, processes and memory.

    tests/serve/load.py PROGRAM [SECONDS [PAGES]]

Each page asks what the page asks of a drag, and leaves what comes later as a page does: by closing the
connection.
"""

import json
import random
import socket
import subprocess
import sys
import threading
import time

from served import Served

INPUTS = {"topology": "dgx_h100_x128", "model": "llama_2_7b", "scheme": "sdp4bit", "baseline": "twin"}


def later(port, question):
    """A question that is not waited for, by its connection."""
    body = json.dumps(question).encode()
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(b"POST /later HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                       b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    return connection


def page(served, end, seed, taken, wrong):
    draw = random.Random(seed)
    while time.monotonic() < end:
        inputs = {**INPUTS, "network.nic_bandwidth": f"{draw.randrange(10, 1600)} Gbps"}
        started = time.monotonic()
        try:
            status, reply = served.ask({"as": "run", "inputs": inputs, "more": {"range": "off"}})
        except OSError as error:
            wrong.append(error)
            return
        if status != 200:
            wrong.append(reply)
        taken.append(time.monotonic() - started)
        left = [later(served.port, {"as": "run", "inputs": inputs}) for _ in range(4)]
        time.sleep(draw.random() * 0.2)
        for connection in left:
            connection.close()


def memory_MB(processes):
    sizes = subprocess.run(["ps", "-o", "rss=", *[f"-p{one}" for one in processes]],
                           stdout=subprocess.PIPE, text=True, check=False).stdout
    return sum(map(int, sizes.split())) / 1024


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    pages = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    taken, wrong, most = [], [], 0
    with Served(sys.argv[1]) as served:
        before = len(served.processes())
        end = time.monotonic() + seconds
        threads = [threading.Thread(target=page, args=(served, end, seed, taken, wrong))
                   for seed in range(pages)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            most = max(most, memory_MB(served.processes()))
            time.sleep(0.2)
        time.sleep(1)
        after = len(served.processes())
        ended = served.process.poll()
    taken.sort()
    print(f"{pages} pages, {len(taken)} answers, {len(wrong)} errors; median {1e3 * taken[len(taken) // 2]:.0f} ms, "
          f"95th percentile {1e3 * taken[int(0.95 * len(taken))]:.0f} ms; at most {most:.0f} MB; "
          f"{before} processes before, {after} after")
    for reply in wrong[:3]:
        print(reply)
    sys.exit(bool(wrong) or ended is not None or before != after)


if __name__ == "__main__":
    main()
