"""What `pip install .` runs, by pyproject.toml: the Python module, with the program that it starts and
the shipped data inside.

CMake builds it in build/python, which takes some minutes, or takes what lies in the build folder
that GARDENHOSE_BUILD_FOLDER names: build/release, after apps/quickstart.sh. The module itself needs
Debian's pybind11-dev and python3-dev.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parents[2]
VERSION = re.search(r"project\(gardenhose VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def cmake(*arguments):
    subprocess.run(["cmake", *map(str, arguments)], cwd=ROOT, check=True)


class BuildWithCMake(build_py):
    def run(self):
        super().run()
        given = os.environ.get("GARDENHOSE_BUILD_FOLDER")
        build = ROOT / (given or "build/python")
        if not given:
            cmake("-S", ".", "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                  "-DGARDENHOSE_TESTS=OFF", "-DGARDENHOSE_BENCHMARKS=OFF", "-DGARDENHOSE_CUDA=OFF",
                  f"-DPython_EXECUTABLE={sys.executable}")
        elif not (build / "python").is_dir():  # configured before there was a pybind11
            cmake(build)
        cmake("--build", build, "--target", "gardenhose", "gardenhose_python")
        package = Path(self.build_lib).resolve() / "gardenhose"
        cmake("--install", build, "--prefix", package, "--component", "python")
        cmake("--install", build, "--prefix", package, "--strip", "--component", "Unspecified")


class WheelOfThisMachine(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False
