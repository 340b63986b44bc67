#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The communication hook of docs/examples/comm-hook over NCCL, on a machine with a GPU and PyTorch: its
gradients and residuals stay on the GPU and are those of gloo on the CPU bit for bit, and a model trains
with it. Prints one line; exits with 1 if something failed, and with 3 without a GPU or NCCL.

    tests/gpu/comm_hook_check.py [build/gpu]     the folder of both libraries: tests/gpu.sh --build
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs/examples/comm-hook"
FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/gpu").resolve()
os.environ["GARDENHOSE_CODECS_FOLDER"] = str(FOLDER)
sys.path[:0] = [str(EXAMPLE), str(ROOT / "codecs/python")]

import hook  # noqa: E402
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402

CODECS = ("int4_g2048_sr", "int8_minmax_g1024", "sign_g2048", "sparseloco")
ELEMENTS, STEPS, TRAINED = 100_003, 3, 40


class Bucket:
    """What DDP gives to a hook, of one parameter."""

    def __init__(self, gradient):
        self._gradient = gradient

    def buffer(self):
        return self._gradient

    def parameters(self):
        return [self._gradient]

    def index(self):
        return 0

    def is_last(self):
        return True


def averaged(codec, device):
    """The gradients after each step, and the residuals after the last, all on `device`."""
    generator = torch.Generator().manual_seed(1)
    state, gradient = hook.State(codec, seed=5), torch.empty(ELEMENTS, device=device)
    results = []
    for _ in range(STEPS):
        gradient.copy_(torch.randn(ELEMENTS, generator=generator))
        results.append(hook.compress(state, Bucket(gradient)).wait().clone())
    (residuals,) = state._residuals.values()
    assert all(one.device.type == device for one in (*results, *residuals))
    return *results, *residuals


def differences():
    """Codecs whose hook gives something else over NCCL than over gloo."""
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group("cpu:gloo,cuda:nccl", init_method=f"file://{folder}/store", rank=0,
                                world_size=1)
        different = [codec for codec in CODECS
                     if not all(torch.equal(one.cpu(), other)
                                for one, other in zip(averaged(codec, "cuda"), averaged(codec, "cpu")))]
        dist.destroy_process_group()
    return different


def losses():
    """The first and the last of train.py."""
    paths = [str(ROOT / "codecs/python"), os.environ.get("PYTHONPATH", "")]
    said = subprocess.run(
        [sys.executable, "train.py", CODECS[0], str(TRAINED), "nccl"], cwd=EXAMPLE, check=True,
        stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": ":".join(paths), "PYTHONDONTWRITEBYTECODE": "1"}).stdout
    found = [float(loss) for loss in re.findall(r"loss ([\d.]+)", said)]
    return found[0], found[-1]


def main():
    if not (torch.cuda.is_available() and dist.is_available() and dist.is_nccl_available()):
        print("comm_hook_check: PyTorch finds no GPU here, or has no NCCL")
        return 3
    different = differences()
    first, last = losses()
    print(f"comm_hook_check: {len(CODECS)} codecs, different from the CPU's: "
          f"{', '.join(different) or 'none'}; loss {first} to {last} in {TRAINED} steps, "
          f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    return 1 if different or not last < first - 0.5 else 0


if __name__ == "__main__":
    sys.exit(main())
