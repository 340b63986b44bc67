#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The example of a communication hook trains, and sends the bytes that the simulator charges.

Usage: comm_hook_test.py BUILD_FOLDER. Exits with 77, which ctest shows as skipped, without PyTorch.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

STEPS = 4
EXAMPLE = Path(__file__).resolve().parents[2] / "docs/examples/comm-hook"


def charged(build):
    """Wire bytes that a rank sends in a step, as the simulator has them."""
    said = subprocess.run(
        [build / "gardenhose", "run", "--topology", "dgx_h100_x16", "--nodes", "2",
         "--gpus-per-node", "1", "--model", "tiny.toml", "--scheme", "scheme.toml",
         "--format", "json"], cwd=EXAMPLE, check=True, stdout=subprocess.PIPE)
    return json.loads(said.stdout)["wire_bytes_inter_node"]


def trained(build):
    """What train.py prints."""
    folders = [str(build / "python"), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "train.py", "int4_g2048_sr", str(STEPS)], cwd=EXAMPLE, check=True,
        stdout=subprocess.PIPE, text=True, timeout=600,
        env={**os.environ, "PYTHONPATH": ":".join(folders), "PYTHONDONTWRITEBYTECODE": "1"})
    return done.stdout


def main():
    try:
        import torch.distributed
    except ImportError as error:
        print(f"skipped: {error}; apt-get install python3-torch")
        return 77
    if not torch.distributed.is_available():
        print("skipped: this PyTorch has no torch.distributed")
        return 77
    build = Path(sys.argv[1]).resolve()
    said = trained(build)
    print(said)
    losses = [float(loss) for loss in re.findall(r"loss ([\d.]+)", said)]
    assert len(losses) == 2 and losses[1] < losses[0] - 0.1, losses
    sent = int(re.search(r"each rank sends (\d+) bytes a step", said)[1])
    assert sent == charged(build), f"{sent} bytes sent, {charged(build)} charged"
    return 0


if __name__ == "__main__":
    sys.exit(main())
