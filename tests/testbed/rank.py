# SPDX-License-Identifier: Apache-2.0
"""One rank of a job, in a network namespace of its own: rank.py JOB RANK.

What a job does in a step is in step_job.py, sharded_job.py and round_job.py. In all of them:
- computing is a sleep of the stated time, layer by layer;
- memory traffic is real: gradients are cleared, written, scaled, clipped and read by AdamW;
- exchanges are real: codecs, sockets, TCP. A thread exchanges, beside the computing if they overlap.

Gradients are normal random numbers, the same in each step. The first step is not counted; its sum is
compared with the true one.
"""
import json
import os
import socket
import subprocess
import sys
import traceback

import connections
import lines
from training import Training


def main():
    job, rank = json.loads(sys.argv[1]), int(sys.argv[2])
    say("lives")
    wait_for("line")
    lines.set_up_tcp()
    for command in lines.own_line(job, rank):
        subprocess.run(command, check=True)
    lines.segment_like_ethernet("eth0")
    addresses = [lines.address(one) for one in range(job["ranks"])]
    with socket.create_server((addresses[rank], connections.PORT)) as server:
        say("listens")
        wait_for("connect")
        peers = connections.peers(server, addresses, rank)
    try:
        training = Training(job, peers)
        say("ready")
        wait_for("start")
        say(training.run())
        wait_for("end")
    except BaseException:
        traceback.print_exc()
        os._exit(1)  # without waiting for exchanges, which other ranks may never finish


def say(what):
    print(json.dumps(what), flush=True)


def wait_for(word):
    if sys.stdin.readline().strip() != word:
        sys.exit(f"testbed: the job ended before '{word}'")


if __name__ == "__main__":
    main()
