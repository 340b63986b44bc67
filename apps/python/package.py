# SPDX-License-Identifier: Apache-2.0
"""What `pip install .` and `pip wheel .` run, by pyproject.toml: the Python module with the program that
it starts and the shipped data inside, and the one of the codecs with its libraries, for every Python
from 3.9 on.

CMake builds the program and the CPU's codecs in build/python, which takes some minutes. What is in the
build folder that GARDENHOSE_BUILD_FOLDER names is taken as it is: build/release, after
apps/quickstart.sh. If the CPU's codecs were not built there, their module is left out.
"""

import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1, such as Debian 12's
    from wheel.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parents[2]
VERSION = re.search(r"project\(gardenhose VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def cmake(*arguments):
    subprocess.run(["cmake", *map(str, arguments)], cwd=ROOT, check=True)


def needed_by(program):
    listed = subprocess.run(["readelf", "-d", program], check=True, stdout=subprocess.PIPE, text=True)
    return re.findall(r"\(NEEDED\).*\[(.+)\]", listed.stdout)


def packages_of(libraries):
    """Debian's package of each library, where this is Debian."""
    if not shutil.which("dpkg-query"):
        return {}
    # A library of another path than the loader's, as those of /lib, is of a package that is always there.
    found = subprocess.run(["dpkg-query", "-S", *(f"/usr/lib/*/{name}" for name in libraries)], check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return {Path(line.split()[1]).name: line.split(":")[0] for line in found.stdout.splitlines()}


def take_shell_files(package, folder):
    """Moves completions and man pages out of the package: they are for share/ of the environment that the
    wheel is installed in. Returns them as setuptools' data_files."""
    files = []
    (folder / "share").mkdir(parents=True)
    for part in ("bash-completion", "fish", "zsh", "man"):
        shutil.move(package / "share" / part, folder / "share" / part)
    for place in sorted(path for path in folder.rglob("*") if path.is_dir()):
        inside = [os.path.relpath(file, ROOT) for file in sorted(place.iterdir()) if file.is_file()]
        if inside:
            files.append((str(place.relative_to(folder)), inside))
    return files


def put_codecs(build, package):
    """The libraries that were built, beside the module that loads them."""
    with tempfile.TemporaryDirectory() as prefix:
        cmake("--install", build, "--prefix", prefix, "--strip", "--component", "codecs")
        for library in Path(prefix).rglob("libgardenhose_codecs*.so"):
            shutil.copy(library, package / library.name)
    if not (package / "libgardenhose_codecs.so").exists():
        shutil.rmtree(package)


class ProgramInside(build_py):
    def run(self):
        shutil.rmtree(self.build_lib, ignore_errors=True)  # what an earlier package held
        super().run()
        given = os.environ.get("GARDENHOSE_BUILD_FOLDER")
        build = ROOT / (given or "build/python")
        if not given:
            cmake("-S", ".", "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                  "-DGARDENHOSE_TESTS=OFF", "-DGARDENHOSE_BENCHMARKS=OFF", "-DGARDENHOSE_CUDA=OFF")
            cmake("--build", build, "--target", "gardenhose", "gardenhose_codecs")
        package = Path(self.build_lib).resolve() / "gardenhose"
        cmake("--install", build, "--prefix", package, "--strip", "--component", "program")
        shells = package.parents[1] / "shells"
        shutil.rmtree(shells, ignore_errors=True)
        self.distribution.data_files = take_shell_files(package, shells)
        packages = packages_of(needed_by(package / "bin/gardenhose"))
        (package / "libraries.txt").write_text("".join(f"{a} {b}\n" for a, b in packages.items()))
        put_codecs(build, package.parent / "gardenhose_codecs")


class WheelOfThisMachine(bdist_wheel):
    """For every Python: nothing in it is compiled for one. The program is of this machine's kind."""

    def get_tag(self):
        return "py3", "none", sysconfig.get_platform().replace("-", "_")
