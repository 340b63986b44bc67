# SPDX-License-Identifier: Apache-2.0
"""Starts jobs in namespaces of their own, and says why this machine cannot."""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import layers
import simulated

HERE = Path(__file__).resolve().parent
NEW_NAMESPACES = ["unshare", "--map-root-user", "--net", "--pid", "--fork"]
PROBE = ("ip link add bridge type bridge && ip link add line type veth peer name eth0 && "
         "tc qdisc add dev line root tbf rate 1mbit burst 32k limit 1m")
# Buffers are kept for the next step: a new one would be cleared by the kernel, page by page.
KEPT = {"MALLOC_MMAP_THRESHOLD_": str(2**32), "MALLOC_TRIM_THRESHOLD_": str(2**32), "OPENBLAS_NUM_THREADS": "1"}


def why_not():
    """Why this machine cannot make the namespaces and lines; empty if it can."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for tool in ("unshare", "ip", "tc"):
        if shutil.which(tool) is None:
            return f"{tool} is missing; install util-linux and iproute2"
    if importlib.util.find_spec("numpy") is None:
        return "NumPy is missing; install python3-numpy"
    done = subprocess.run([*NEW_NAMESPACES, "sh", "-c", PROBE], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return done.stderr.strip().replace("\n", "; ") if done.returncode else ""


def job_of(options, rules):
    """Computing takes what the simulator says of uncompressed steps without overlap."""
    plain = simulated.step_flags(options._replace(bucket_mib=None, delay_ms=0), "data_parallel", 0)
    places = layers.places(options.build, plain)
    return {"ranks": options.ranks, "rate_bps": options.rate, "delay_s": options.delay_ms / 1000,
            "steps": options.steps, "inner_steps": options.inner_steps,
            "overlap": options.bucket_mib is not None, "places": places,
            "buckets": layers.buckets(places, (options.bucket_mib or 0) * 2**20 // 4), **rules}


def run(build, job):
    """What each rank says of a job, and what the kernel counted of it."""
    codecs = os.pathsep.join([str(build / "python"), os.environ.get("PYTHONPATH", "")])
    command = [*NEW_NAMESPACES, sys.executable, "-B", str(HERE / "namespace.py"), json.dumps(job)]
    # The job ends when its standard input does: with this process at the latest.
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **KEPT, "PYTHONPATH": codecs}) as process:
        threading.Thread(target=_end_with, args=(process,), daemon=True).start()
        said = process.stdout.read()
    if process.returncode != 0:
        sys.exit(f"testbed: the job ended with {process.returncode}")
    return json.loads(said)


def _end_with(process):
    """`unshare` waits for the job; if it is killed instead, this ends the job."""
    process.wait()
    process.stdin.close()
