#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The testbed sends the bytes that the simulator charges, and leaves nothing when it is killed.

Usage: testbed_test.py cell|kills BUILD_FOLDER. Exits with 77, which ctest shows as skipped, where the
testbed cannot run. Nothing here depends on how long anything takes.
"""
import csv
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
import layers  # noqa: E402
import simulated  # noqa: E402
from options import Options  # noqa: E402

TESTBED = Path(__file__).with_name("testbed.py")
CANNOT = 77
KILLS = 20
GONE_S = 300  # what lives longer stays


def testbed(build, *flags, **how):
    return subprocess.run([sys.executable, TESTBED, "--build", build, *flags], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)


def cell(build):
    steps = compared(build, "--rate", "1Gbps", "--steps", "1", "--bucket-mib", "4")
    assert [row["kind"] for row in steps] == ["step"] * 7, steps
    other_kinds(build)
    refuses(build)
    cuts_buckets_as_the_simulator(build)
    machines_send_the_same(build)


def machines_send_the_same(build):
    """Over the loopback device of a namespace, for want of machines. The second one ends with the first."""
    command = (f"{TESTBED.with_name('machines.py')} --build {build} --hosts 127.0.0.1,127.0.0.2 --steps 1 "
               "--schemes int8_all_reduce,sparseloco --rank ")
    done = subprocess.run(["unshare", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "sh", "-ec",
                           f"ip link set lo up; {command} 1 & {command} 0; wait"],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})
    assert done.returncode == 0, done
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [row["ratio"] for row in rows] == ["1.0", "1.0"], rows


def other_kinds(build):
    sparseloco = subprocess.run([build / "gardenhose", "list", "scheme", "sparseloco"], check=True, text=True,
                                stdout=subprocess.PIPE).stdout
    with tempfile.TemporaryDirectory() as folder:
        fragments = Path(folder, "fragments.toml")
        fragments.write_text(sparseloco + "fragments = 2\noverlap_steps = 1\n")
        schemes = ("sharded_int8.toml", "sparseloco", fragments)
        rows = compared(build, "--steps", "1", "--delay-ms", "10", "--inner-steps", "2", "--schemes",
                        ",".join(map(str, schemes)))
    assert [row["kind"] for row in rows] == ["sharded_step", "round", "round"], rows
    for row in rows:
        assert float(row["round_trip_s"]) >= 2 * 0.010, row


def compared(build, *flags):
    """The rows of jobs that send the charged bytes, with the charged errors."""
    done = testbed(build, *flags)
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.returncode
    rows = list(csv.DictReader(done.stdout.splitlines()))
    for row in rows:
        assert abs(float(row["ratio"]) - 1) <= 0.01, row
        assert int(row["packets"]) >= int(row["least_packets"]), row
        error = float(row["error"])
        if row["charged_error"]:  # of other samples of the same distribution
            assert abs(error / float(row["charged_error"]) - 1) < 0.1, row
        else:  # sums in float32; bfloat16 has 8 bits, and is rounded twice
            assert error < {"data_parallel": 1e-6, "bf16_all_reduce": 2**-8}[row["scheme"]], row
    return rows


def cuts_buckets_as_the_simulator(build):
    options = Options(build, ranks=2, rate=10**9, model="gpt_3m.toml")
    places = layers.places(build, simulated.step_flags(options, "data_parallel", 0))
    for mib in (1, 7, 13):
        flags = simulated.step_flags(options._replace(bucket_mib=mib), "data_parallel", 0)
        reductions = simulated.timeline(build, flags, stream="gradients")
        cut = layers.buckets(places, mib * 2**20 // 4)
        assert len(cut) == len(reductions), (mib, cut, reductions)


def refuses(build):
    for flags, name in ((["--schemes", "sdp4bit"], "sdp4bit"), (["--schemes", "noloco"], "noloco"),
                        (["--schemes", "eager_diloco"], "delayed"),
                        (["--rate", "5"], "--rate"),
                        (["--schemes", "no_such_scheme"], "no_such_scheme"),
                        (["--steps", "0"], "--steps"), (["--build", "nowhere"], "nowhere")):
        done = testbed(build, *flags)
        assert done.returncode == 2 and name in done.stderr.splitlines()[-1], done
    with tempfile.TemporaryDirectory() as empty:
        done = testbed(build, env={**os.environ, "PATH": empty})
    assert done.returncode == CANNOT and "unshare" in done.stderr, done


def kills(build):
    """Kills the command, or one of its processes, at a random time of a run that does not end by itself."""
    draw = random.Random(0)
    start = time.monotonic()
    testbed(build, *JOB, "--steps", "2")
    usual = time.monotonic() - start
    named = names()
    for number in range(KILLS):
        mark = f"{MARK}={os.getpid()}.{number}"
        try:
            kill_one(build, mark, draw, usual, whole=number % 2 == 0)
        finally:
            for process in marked(mark):
                os.kill(process, signal.SIGKILL)
    assert names() == named, names()


def kill_one(build, mark, draw, usual, whole):
    """whole: kills the command, else a process that it started."""
    with tempfile.TemporaryDirectory() as folder:
        command = subprocess.Popen(
            [sys.executable, TESTBED, "--build", build, *JOB, "--steps", "1000000"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, MARK: mark.split("=")[1], "TMPDIR": folder})
        time.sleep(draw.uniform(0, usual))
        started = marked(mark)
        spaces = {namespace(process) for process in started} - {namespace(os.getpid()), None}
        others = [each for each in started if re.search("/(namespace|rank|delay).py ", described(each))]
        victim = command.pid if whole or not others else draw.choice(others)
        print(f"{described(victim):.120}")
        os.kill(victim, signal.SIGKILL)
        command.wait(GONE_S)
        wait_until_gone(mark, spaces)
        assert not os.listdir(folder), os.listdir(folder)


MARK = "GARDENHOSE_TESTBED_TEST"
JOB = ("--rate", "200Mbps", "--delay-ms", "1", "--schemes", "int8_all_reduce", "--ranks", "3")


def wait_until_gone(mark, spaces):
    """A namespace lives as long as a process is in it, unless it has a name, which names() tells."""
    deadline = time.monotonic() + GONE_S
    while left := marked(mark) + [each for each in processes() if namespace(each) in spaces]:
        assert time.monotonic() < deadline, [described(process) for process in left]
        time.sleep(0.01)


def marked(mark):
    """Processes that have the mark in their environment: the command and all that it started."""
    return [process for process in processes()
            if mark.encode() in read(process, "environ").split(b"\0")]


def described(process):
    return read(process, "cmdline").replace(b"\0", b" ").decode()


def namespace(process):
    """Its network namespace; None if it ended, or is another user's."""
    try:
        return os.readlink(f"/proc/{process}/ns/net")
    except OSError:
        return None


def processes():
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]


def read(process, file):
    try:
        return Path("/proc", str(process), file).read_bytes()
    except OSError:
        return b""  # it ended, or is another user's


def names():
    """Of interfaces and of network namespaces outside the testbed."""
    return sorted(os.listdir("/sys/class/net")), sorted(map(str, Path("/run/netns").glob("*")))


def main():
    test, build = {"cell": cell, "kills": kills}[sys.argv[1]], Path(sys.argv[2]).resolve()
    if (done := testbed(build, "--probe")).returncode == CANNOT:
        print(done.stderr)
        return CANNOT
    test(build)
    return 0


if __name__ == "__main__":
    sys.exit(main())
