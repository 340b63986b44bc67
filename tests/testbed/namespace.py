# SPDX-License-Identifier: Apache-2.0
"""Runs one job as the first process of a process namespace, root of its own namespaces: namespace.py JOB.

Prints what the ranks say and what the kernel counted. Nothing here has a name outside: when this process
ends, the kernel kills all others of the namespace, and its devices go with the last of them. This process
ends when its standard input does, that is when the process that started it ends, in whatever way, or
when a rank fails.
"""
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import lines

HERE = Path(__file__).resolve().parent


def main():
    in_background(end_with_parent)
    job = json.loads(sys.argv[1])
    print(json.dumps(run(job)))


def end_with_parent():
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


def end_with(name, process):
    """The others would wait for it forever: its line goes with it, without a word to their sockets."""
    if code := process.wait():
        print(f"testbed: {name} ended with {code}", file=sys.stderr)
        os._exit(1)


def in_background(function, *arguments):
    threading.Thread(target=function, args=arguments, daemon=True).start()


def run(job):
    ranks = [start(f"rank {rank}", "unshare", "--net", *script("rank.py", json.dumps(job), str(rank)))
             for rank in range(job["ranks"])]
    run_all(lines.bridge())
    for rank, process in enumerate(ranks):
        # Its namespace is there once it lives.
        heard(process)
        run_all(lines.line(job, rank, process.pid))
        tell(process, "line")
    heard_of_all(ranks)
    if job["delay_s"]:
        heard(start("the delay", *script("delay.py", str(job["ranks"]), str(job["delay_s"]))))
    tell_all(ranks, "connect")
    heard_of_all(ranks)
    before, busy_s = lines.sent(job["ranks"]), cores_busy_s()
    tell_all(ranks, "start")
    results = heard_of_all(ranks)
    after, busy_s = lines.sent(job["ranks"]), cores_busy_s() - busy_s
    tell_all(ranks, "end")
    for process in ranks:
        process.wait()
    for rank, result in enumerate(results):
        result["sent"] = {of: after[rank][of] - before[rank][of] for of in after[rank]}
        result["busy_s"] = busy_s
    return results


def cores_busy_s():
    """Of all cores together, since the machine started, whatever for."""
    with open("/proc/stat") as file:
        ticks = [int(count) for count in file.readline().split()[1:9]]
    idle, waiting = ticks[3:5]
    return (sum(ticks) - idle - waiting) / os.sysconf("SC_CLK_TCK")


def script(name, *arguments):
    return [sys.executable, "-B", str(HERE / name), *arguments]


def start(name, *command):
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    in_background(end_with, name, process)
    return process


def run_all(commands):
    for command in commands:
        subprocess.run(command, check=True)


def tell(process, word):
    print(word, file=process.stdin, flush=True)


def tell_all(ranks, word):
    for process in ranks:
        tell(process, word)


def heard(process):
    return json.loads(process.stdout.readline())


def heard_of_all(ranks):
    return [heard(process) for process in ranks]


if __name__ == "__main__":
    main()
