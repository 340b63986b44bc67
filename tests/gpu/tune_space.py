# SPDX-License-Identifier: Apache-2.0
"""The numbers of codecs/cuda/tuning.hpp and their values to try, and kernels compiled with them.

A variant is the same header with another value, which the compiler finds first. Sources whose kernels no
operation of the constant launches are left out: functions that return 0 take their places in what is linked."""
import os
import re
import subprocess
import sys
import typing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "traces/compiled"))
import sources  # noqa: E402

HEADER = "codecs/cuda/tuning.hpp"
DECLARATION = re.compile(r"^// tune: ([\d ]+) \| (.+)\ninline constexpr \w+ (k\w+) = (\d+);$", re.MULTILINE)
ALWAYS = ("codecs/cuda/add.cu", "codecs/cuda/architecture.cu")
GROUPS = "codecs/group/kernels.cu"
# By codec; those with stochastic rounding have the same.
SOURCES = {"int8_g128": (GROUPS, "codecs/group/integers.cu"), "int8_g2048": (GROUPS, "codecs/group/integers.cu"),
           "int4_g128": (GROUPS, "codecs/group/integers.cu"), "nf4_g64": (GROUPS, "codecs/group/plain.cu"),
           "bnb8_g4096": (GROUPS, "codecs/group/plain.cu"), "nvfp4": (GROUPS, "codecs/group/floats.cu"),
           "fp8_e4m3": (GROUPS, "codecs/group/floats.cu"), "sign_g2048": ("codecs/sign/kernels.cu",),
           "topk64": ("codecs/top_k/kernels.cu",), "sparseloco": ("codecs/top_k/kernels.cu",),
           "eden4_g4096": ("codecs/eden/kernels.cu",), "random_k64": ("codecs/random_k/kernels.cu",),
           "int4_g128_rht128": ("codecs/rotation/kernels.cu",), "nvfp4_rht16": ("codecs/rotation/kernels.cu",)}


class Operation(typing.NamedTuple):
    name: str
    codec: str
    inputs: int = 1

    @property
    def sources(self):
        """None: not known."""
        return SOURCES.get(self.codec.removesuffix("_sr"))

    def __str__(self):
        return f"{self.name} {self.codec}" + (f" {self.inputs}" if self.inputs > 1 else "")


class Constant(typing.NamedTuple):
    name: str
    value: int  # the default
    values: tuple
    operations: tuple

    @property
    def sources(self):
        return sorted({*ALWAYS, *(one for operation in self.operations for one in operation.sources)})


class Variant(typing.NamedTuple):
    constant: Constant
    value: int

    @property
    def is_default(self):
        return self.value == self.constant.value

    @property
    def label(self):
        """All constants' defaults are one variant."""
        return "default" if self.is_default else f"{self.constant.name}_{self.value}"


def constants_in(text):
    """Of the header's text. Raises a ValueError that says what is wrong."""
    constants = []
    for values, operations, name, value in DECLARATION.findall(text):
        words = [one.split() for one in operations.split(", ")]
        constants.append(Constant(name, int(value), tuple(map(int, values.split())),
                                  tuple(Operation(*one[:2], *map(int, one[2:])) for one in words)))
        one = constants[-1]
        if one.value not in one.values:
            raise ValueError(f"{HEADER}: {name} = {value} is not among the values to try")
        for operation in one.operations:
            if operation.sources is None:
                raise ValueError(f"{HEADER}: {name}: the sources of {operation.codec} are not known; add them to "
                                 "SOURCES in tests/gpu/tune_space.py")
    if len(constants) != text.count("// tune:"):
        raise ValueError(f"{HEADER}: a line 'tune:' has no constant of an integer after it, or no operations")
    return constants


def constants():
    return constants_in((ROOT / HEADER).read_text(encoding="utf-8"))


def variants_of(constant):
    """The default first."""
    others = [value for value in constant.values if value != constant.value]
    return [Variant(constant, value) for value in [constant.value, *others]]


def header_with(text, name, value):
    changed, count = re.subn(rf"(constexpr \w+ {name} = )\d+;", rf"\g<1>{value};", text)
    if count != 1:
        raise ValueError(f"{HEADER} declares no {name}")
    return changed


RESOURCES = re.compile(r"Function properties for (\S+)\s+\d+ bytes stack frame, (\d+) bytes spill stores, "
                       r"(\d+) bytes spill loads")
ENTRY = re.compile(r"Compiling entry function '(\S+)' for 'sm_(\d+)[af]?'")


def spills_in(log):
    """{(kernel, architecture): bytes spilled and loaded back} of what ptxas says with -v."""
    spills = {}
    for part in log.split("ptxas info    : Compiling ")[1:]:
        entry, found = ENTRY.match("Compiling " + part), RESOURCES.search(part)
        if entry and found:
            spills[entry.groups()] = int(found.group(2)) + int(found.group(3))
    return spills


class Built(typing.NamedTuple):
    objects: list
    cubins: list
    spills: dict


class Compiler:
    """Of variants into `folder`, where what is complete is kept."""

    def __init__(self, nvcc, folder, architectures, jobs):
        self.nvcc, self.folder, self.architectures, self.jobs = nvcc, Path(folder), architectures, jobs
        self.hashes = {}

    def compile_all(self, variants):
        """[Built], in order."""
        self.hashes |= {source: sources.hash_of_sources([source]) for variant in variants
                        for source in variant.constant.sources}
        tasks = list({(variant.label, source): (variant, source)
                      for variant in variants for source in variant.constant.sources}.values())
        for variant in variants:
            target = self.folder / variant.label / HEADER
            target.parent.mkdir(parents=True, exist_ok=True)
            text = header_with((ROOT / HEADER).read_text(encoding="utf-8"), variant.constant.name, variant.value)
            target.write_text(text, encoding="utf-8")
        with ThreadPoolExecutor(self.jobs) as pool:
            logs = {(variant.label, source): log
                    for (variant, source), log in zip(tasks, pool.map(self._compile, tasks))}
        built = []
        for variant in variants:
            places = [self._place(variant, source) for source in variant.constant.sources]
            spills = {}
            for source in variant.constant.sources:
                spills |= spills_in(logs[variant.label, source])
            built.append(Built([str(place / "kernels.o") for place in places],
                               sorted(str(one) for place in places for one in place.glob("*.cubin")), spills))
        return built

    def _place(self, variant, source):
        name = source.removesuffix(".cu").replace("/", "_")
        return self.folder / variant.label / f"{name}.{'_'.join(self.architectures)}.{self.hashes[source]}"

    def _compile(self, task):
        variant, source = task
        place = self._place(variant, source)
        log = place / "log"
        if log.exists():
            return log.read_text(encoding="utf-8")
        place.mkdir(parents=True, exist_ok=True)
        # A cubin is kept of one architecture.
        codes = ([f"-arch={sources.target_of(self.architectures[0])}", "-keep", f"-keep-dir={place}"]
                 if len(self.architectures) == 1 else
                 [f"-gencode=arch={sources.target_of(one, 'compute')},code={sources.target_of(one)}"
                  for one in self.architectures])
        done = subprocess.run([self.nvcc, *sources.FLAGS, *codes, "-Xptxas=-v", "-Xcompiler=-fPIC", "-c",
                               f"-I{self.folder / variant.label}", f"-I{ROOT}", "-o", str(place / "kernels.o"),
                               str(ROOT / source)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{variant.label}: {source} does not compile:\n{done.stderr[-2000:]}")
        for kept in place.iterdir():
            if kept.suffix not in (".o", ".cubin"):
                kept.unlink()
        log.write_text(done.stderr, encoding="utf-8")
        return done.stderr


class Linker:
    """Links programs of a CMake build for Ninja with the kernels of variants in place of its own. `build` needs
    to be configured only: what else they need is built here."""

    def __init__(self, build, target, jobs):
        self.build = Path(build).resolve()
        inputs = self._ninja("-t", "inputs", target).split()
        needed = [one for one in inputs if one.endswith((".o", ".a")) and not one.startswith("/")
                  and not one.endswith((".cu.o", "libcodecs_cuda.a"))]
        self._ninja(f"-j{jobs}", *needed)
        self.host_objects = [one for one in needed if "/codecs_cuda.dir/" in one]
        links = [line for line in self._ninja("-t", "commands", target).splitlines()
                 if " codecs/cuda/libcodecs_cuda.a " in line and "/ar " not in line]
        self.command = links[-1].removeprefix(": && ").removesuffix(" && :").split()

    def _ninja(self, *arguments):
        return subprocess.run(["ninja", "-C", str(self.build), *arguments], check=True, capture_output=True,
                              text=True).stdout

    def link(self, objects, output):
        output = Path(output).resolve()
        absent = output.parent / "absent.c"
        absent.write_text("", encoding="utf-8")
        command = list(self.command)
        command[command.index("-o") + 1] = str(output)
        at = command.index("codecs/cuda/libcodecs_cuda.a")
        command[at:at + 1] = [os.path.abspath(one) for one in objects] + self.host_objects + [
            "-x", "c", str(absent), "-x", "none", "-Wl,--no-demangle,-z,defs"]
        for _ in range(3):
            done = subprocess.run(command, cwd=self.build, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return str(output)
            missing = sorted(set(re.findall(r"undefined reference to [`'](\w+)'", done.stderr)))
            with open(absent, "a", encoding="utf-8") as file:
                file.writelines(f"long {name}(void) {{ return 0; }}\n" for name in missing)
            if not missing:
                break
        raise RuntimeError(f"{output.name} cannot be linked:\n{done.stderr[-2000:]}")
