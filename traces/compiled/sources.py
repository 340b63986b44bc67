# SPDX-License-Identifier: Apache-2.0
"""The kernels' sources, and how codecs/cuda/CMakeLists.txt compiles them."""
import hashlib
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLAGS = ("-std=c++20", "-O3", "-fmad=false", "-ftz=false", "-prec-div=true")
# What is compiled for a family of GPUs; architectures.cmake says why.
FAMILIES = ("100", "120")


def target_of(architecture, kind="sm"):
    """nvcc's name of it, as real ("sm") or virtual ("compute") architecture."""
    return f"{kind}_{architecture}{'f' if architecture in FAMILIES else ''}"


def kernel_files():
    return sorted(os.path.relpath(os.path.join(folder, name), ROOT)
                  for folder, _, names in os.walk(os.path.join(ROOT, "codecs"))
                  for name in names if name.endswith(".cu"))


def with_headers(paths):
    """The files and the headers of this repository that they include, in order."""
    found, waiting = set(), list(paths)
    while waiting:
        path = waiting.pop()
        if path in found or not os.path.exists(os.path.join(ROOT, path)):
            continue
        found.add(path)
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            waiting += re.findall(r'^#include "([^"]+)"', file.read(), re.MULTILINE)
    return sorted(found)


def hash_of_sources(paths=None):
    """Of their tokens, by default of all kernels': neither comments nor layout change what is compiled."""
    sums = hashlib.sha256(" ".join(FLAGS + FAMILIES).encode())
    for path in with_headers(paths or kernel_files()):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", file.read(), flags=re.DOTALL)
        sums.update("\0".join([path] + text.split()).encode())
    return sums.hexdigest()[:16]
