# SPDX-License-Identifier: Apache-2.0
"""A copy of the tree with a build of its own, in which one mutant at a time is built and tested."""
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

from folders import gtest_filter

HERE = Path(__file__).resolve().parent
OPTIONS = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG", "-DCMAKE_CXX_COMPILER=clang++-14",
           "-DCMAKE_C_COMPILER=clang-14", "-DGARDENHOSE_CUDA=OFF", "-DGARDENHOSE_BENCHMARKS=OFF",
           "-DGARDENHOSE_GPU_TESTS=OFF", "-DGARDENHOSE_UNITY=ON",
           f"-DCMAKE_PROJECT_INCLUDE={HERE / 'sources_apart.cmake'}"]
MEMORY = 16 << 30
FAILED = re.compile(r"\[  FAILED  \] ([\w/]+\.[\w/]+)")
# A mutant that takes this many times the unmutated tests' time, and minutes more, will not end.
PATIENCE, GRACE_S = 10, 60
DEADLOCK = 20  # a process that waits uses no time, and other processes may use the cores


def copy_tree(root, tree):
    """Makes `tree` a copy of the files that git tracks or would add. What is equal keeps its time."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
                            check=True, capture_output=True, text=True).stdout.split("\0")
    files = {name for name in listed if name and (root / name).is_file()}
    for name in files:
        target = tree / name
        if not target.exists() or target.read_bytes() != (root / name).read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, target)
    for path in tree.rglob("*"):
        if path.is_file() and str(path.relative_to(tree)) not in files:
            path.unlink()


class Workshop:
    """`linker` is the name of one that clang knows; `jobs` run at a time."""

    def __init__(self, folder, jobs, linker):
        self.tree, self.folder = folder / "tree", folder / "build"
        self.jobs, self.linker = jobs, linker
        self.baselines = folder / "baselines.json"

    def configure(self):
        options = [*OPTIONS, f"-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld={self.linker}"]
        if shutil.which("ccache"):
            options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        subprocess.run(["cmake", "-S", self.tree, "-B", self.folder, "-G", "Ninja", *options], check=True,
                       stdout=subprocess.DEVNULL)

    def compiler_arguments(self):
        """Those of each source of sim, by its path from the root."""
        commands = json.loads((self.folder / "compile_commands.json").read_text())
        arguments = {}
        for command in commands:
            file = Path(command["file"])
            if file.is_relative_to(self.tree / "sim"):
                words = shlex.split(command["command"])
                first = next(i for i, word in enumerate(words) if "clang++" in word)
                arguments[str(file.relative_to(self.tree))] = words[first + 1:words.index("-o")]
        return arguments

    def build(self, *targets):
        """Whether the targets compile; if not, `said` is why."""
        done = subprocess.run(["ninja", "-C", self.folder, f"-j{self.jobs}", *targets], capture_output=True, text=True)
        self.said = done.stdout[-2000:]
        return done.returncode == 0

    def test(self, tests):
        """Which test fails first, or how the program ended; nothing where all pass."""
        limits = self.limits(tests)
        return run_shards(self.command(tests), self.jobs, *limits)[0]

    def command(self, tests):
        program = next(path for path in self.folder.rglob(tests.program) if path.is_file())
        return [program, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={gtest_filter(self.tree, tests)}"]

    def limits(self, tests):
        """Seconds of a core and by the clock. The first time, tests without a mutant say."""
        known = json.loads(self.baselines.read_text()) if self.baselines.exists() else {}
        took = known[self.digest(tests)]
        return PATIENCE * took["cpu_s"] + GRACE_S, DEADLOCK * (took["wall_s"] + GRACE_S)

    def measure(self, tests):
        """Runs the tests without a mutant, unless they have not changed since."""
        known = json.loads(self.baselines.read_text()) if self.baselines.exists() else {}
        if self.digest(tests) in known:
            return
        if not self.build(tests.program):
            raise ValueError(f"{tests.program} does not compile without a mutant:\n{self.said}")
        started = time.monotonic()
        failure, cpu_s = run_shards(self.command(tests), self.jobs, resource.RLIM_INFINITY, 7200)
        if failure:
            raise ValueError(f"{tests.program}: {failure} fails without a mutant")
        known[self.digest(tests)] = {"tests": tests.sources, "cpu_s": cpu_s, "wall_s": time.monotonic() - started}
        self.baselines.write_text(json.dumps(known, indent=1))

    def digest(self, tests):
        texts = [path.read_bytes() for pattern in tests.sources for path in sorted((self.tree / "tests").glob(pattern))]
        return hashlib.sha256(tests.program.encode() + b"\0".join(texts)).hexdigest()[:16]


def run_shards(command, shards, cpu_s, wall_s):
    """Runs a program of tests in so many processes until one fails; that failure, and the time of all."""
    def limited():
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell has jobs in its background ignore it
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if cpu_s != resource.RLIM_INFINITY:
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s), int(cpu_s) + 5))

    before = os.times()
    running = []
    for shard in range(shards):
        place = {"GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(shard)}
        running.append(subprocess.Popen(command, env=os.environ | place, stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limited))
    try:
        failure = first_failure(running, time.monotonic() + wall_s)
    finally:
        for process in running:
            end(process)
    after = os.times()
    return failure, after.children_user + after.children_system - before.children_user - before.children_system


def first_failure(running, deadline):
    waiting = list(running)
    while waiting:
        for process in list(waiting):
            try:
                said, _ = process.communicate(timeout=0.2)
            except subprocess.TimeoutExpired:
                if time.monotonic() > deadline:
                    return "timed out"
                continue
            waiting.remove(process)
            if process.returncode != 0:
                return failure_of(process.returncode, said)
    return None


def failure_of(status, said):
    failed = FAILED.search(said)
    if failed:
        return failed.group(1)
    if status == -signal.SIGXCPU:
        return "timed out"
    return f"ends by {signal.Signals(-status).name}" if status < 0 else f"ends with {status}"


def end(process):
    """Ends it with all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    process.stdout.close()
