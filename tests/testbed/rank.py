# SPDX-License-Identifier: Apache-2.0
"""One rank of a job, in a network namespace of its own: rank.py JOB RANK.

What a job does in a step is in step_job.py, sharded_job.py and round_job.py. In all of them:
- computing is a sleep of the stated time, layer by layer;
- memory traffic is real: a layer's gradients are written from another array, and updates read them again;
- exchanges are real: codecs, sockets, TCP. A thread exchanges, beside the computing if they overlap.

Gradients are normal random numbers, the same in each step. The first step is not counted; its sum is
compared with the true one.
"""
import hashlib
import json
import os
import socket
import subprocess
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

import exchange
import lines
from round_job import RoundJob
from sharded_job import ShardedJob
from step_job import StepJob

PORT = 29500
JOBS = {"step": StepJob, "sharded_step": ShardedJob, "round": RoundJob}


def main():
    job, rank = json.loads(sys.argv[1]), int(sys.argv[2])
    say("lives")
    wait_for("line")
    lines.set_up_tcp()
    for command in lines.own_line(job, rank):
        subprocess.run(command, check=True)
    lines.segment_like_ethernet("eth0")
    with socket.create_server((lines.address(rank), PORT)) as server:
        say("listens")
        wait_for("connect")
        peers = connect(server, job["ranks"], rank)
    try:
        run(job, peers, JOBS[job["kind"]](job, peers, ThreadPoolExecutor(max_workers=1)))
    except BaseException:
        traceback.print_exc()
        os._exit(1)  # without waiting for exchanges, which other ranks may never finish


def run(job, peers, training):
    training.step(0)
    error = training.error()
    before = retransmitted(peers)
    say("ready")
    wait_for("start")
    steps = [training.step(1 + step) for step in range(job["steps"])]
    say({"steps": steps, "error": error, "retransmitted": retransmitted(peers) - before,
         "weights": hashlib.sha256(training.weights.tobytes()).hexdigest(),
         "round_trip_s": round_trip_s(peers)})
    wait_for("end")


def say(what):
    print(json.dumps(what), flush=True)


def wait_for(word):
    if sys.stdin.readline().strip() != word:
        sys.exit(f"testbed: the job ended before '{word}'")


def connect(server, ranks, rank):
    """A connection to each other rank; of two, the higher one connects."""
    sockets = {peer: socket.create_connection((lines.address(peer), PORT)) for peer in range(rank)}
    while len(sockets) < ranks - 1:
        connection, (address, _) = server.accept()
        sockets[lines.rank_of(address)] = connection
    for connection in sockets.values():
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setblocking(False)
    return exchange.Peers(rank, sockets)


def retransmitted(peers):
    """Bytes of payload that TCP has sent again."""
    return sum(tcp_info(connection, 208, 8) for connection in peers.sockets.values())  # tcpi_bytes_retrans


def round_trip_s(peers):
    """The shortest that TCP has seen."""
    return min(tcp_info(connection, 148, 4) for connection in peers.sockets.values()) / 1e6  # tcpi_min_rtt


def tcp_info(connection, offset, size):
    """A number of struct tcp_info, linux/tcp.h."""
    fields = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 216)
    return int.from_bytes(fields[offset:offset + size], sys.byteorder)


if __name__ == "__main__":
    main()
