"""What `pip install .` and `pip wheel .` run, by pyproject.toml: the Python module with the program that
it starts and the shipped data inside, for every Python from 3.9 on.

CMake builds the program in build/python, which takes some minutes, or takes what lies in the build folder
that GARDENHOSE_BUILD_FOLDER names: build/release, after apps/quickstart.sh.
"""

import os
import re
import shutil
import subprocess
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


class ProgramInside(build_py):
    def run(self):
        shutil.rmtree(self.build_lib, ignore_errors=True)  # what an earlier package held
        super().run()
        given = os.environ.get("GARDENHOSE_BUILD_FOLDER")
        build = ROOT / (given or "build/python")
        if not given:
            cmake("-S", ".", "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                  "-DGARDENHOSE_TESTS=OFF", "-DGARDENHOSE_BENCHMARKS=OFF", "-DGARDENHOSE_CUDA=OFF")
        cmake("--build", build, "--target", "gardenhose")
        package = Path(self.build_lib).resolve() / "gardenhose"
        cmake("--install", build, "--prefix", package, "--strip")


class WheelOfThisMachine(bdist_wheel):
    """Of this machine's kind, and of no one Python: nothing in it is compiled for one."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])
