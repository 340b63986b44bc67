# SPDX-License-Identifier: Apache-2.0
"""One rank of a data-parallel job, in a network namespace of its own: rank.py JOB RANK.

What it does in a step:
- computing is a sleep of the stated time, forward and, in equal slices, before each bucket of gradients;
- the memory traffic of a bucket is real: it is written from another array, and the update of the weights
  reads it again;
- the exchange of a bucket is real: codecs, sockets, TCP. With overlap, a thread exchanges buckets during
  the sleeps before the next ones.

Gradients are normal random numbers, the same in each step. The first step is not counted; its sum is
compared with the true one.
"""
import hashlib
import json
import queue
import socket
import subprocess
import sys
import threading
import time

import gardenhose_codecs as gc
import numpy as np

import exchange
import lines

PORT = 29500


def main():
    job, rank = json.loads(sys.argv[1]), int(sys.argv[2])
    say("lives")
    wait_for("line")
    for command in lines.own_line(job, rank):
        subprocess.run(command, check=True)
    lines.segment_like_ethernet("eth0")
    with socket.create_server((lines.address(rank), PORT)) as server:
        say("listens")
        wait_for("connect")
        peers = connect(server, job["ranks"], rank)
    training = Training(job, peers)
    training.step(0)
    error = training.error_of_sum()
    before = retransmitted(peers)
    say("ready")
    wait_for("start")
    times = [training.step(1 + step) for step in range(job["steps"])]
    say({"step_s": times, "error": error, "sum": training.hash_of_sum(),
         "retransmitted": retransmitted(peers) - before, "round_trip_s": round_trip_s(peers)})
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


def random_gradient(rank, elements):
    return np.random.default_rng(rank).standard_normal(elements, dtype=np.float32)


class Training:
    def __init__(self, job, peers):
        self._job, self._peers = job, peers
        elements = job["parameters"]
        self._source = random_gradient(peers.rank, elements) / np.float32(peers.ranks)
        self._gradient, self._weights = np.zeros_like(self._source), np.zeros_like(self._source)
        each = job["bucket_elements"] or elements
        self._buckets = [slice(first, min(first + each, elements))
                         for first in range(0, elements, each)]
        self._residuals = [exchange.Residuals() for _ in self._buckets]
        self._rule = exchange.Rule(**job["rule"])

    def step(self, number):
        """Seconds that a step takes."""
        start = time.perf_counter()
        time.sleep(self._job["forward_s"])
        ready = queue.SimpleQueue()
        exchanges = threading.Thread(target=self._exchange_all, args=(number, ready))
        if self._job["overlap"]:
            exchanges.start()
        for index, bucket in enumerate(self._buckets):
            time.sleep(self._job["backward_s"] / len(self._buckets))
            self._gradient[bucket] = self._source[bucket]
            ready.put(index)
        if not self._job["overlap"]:
            exchanges.start()
        exchanges.join()
        self._weights -= np.float32(0.01) * self._gradient
        return time.perf_counter() - start

    def _exchange_all(self, number, ready):
        collective = exchange.COLLECTIVES[self._rule.collective]
        for _ in self._buckets:
            index = ready.get()
            key = gc.Key(step=number, tensor=2 * index, rank=self._peers.rank)
            collective(self._peers, self._rule, self._gradient[self._buckets[index]],
                       self._residuals[index], key)

    def error_of_sum(self):
        """Relative L2 error of the mean gradient."""
        true = np.zeros_like(self._source)
        for rank in range(self._peers.ranks):
            true += random_gradient(rank, true.size) / np.float32(self._peers.ranks)
        return float(np.linalg.norm(self._gradient - true) / np.linalg.norm(true))

    def hash_of_sum(self):
        return hashlib.sha256(self._gradient.tobytes()).hexdigest()


if __name__ == "__main__":
    main()
