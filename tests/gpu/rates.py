#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rates of kernels of others on a GPU, and the clock and the power at which it runs kernels.

    tests/gpu/rates.py [FOLDER] [--others FOLDER] --output FILE

FOLDER: that of tests/gpu.sh --build; --others: that of tests/peers/build_others.sh. Each kernel runs for
half a second without a pause, and then once more beside one block that counts cycles. A row has the
median time of one launch, what a copy of the same bytes takes in the same run, and the GPU's clock and
power amid it:

- `hadamard of N FP16|FP32`: fast-hadamard-transform, 2^28 values in rows of N;
- `product`, `attention`: of PyTorch, by the backend that is named ("default": the one that PyTorch takes);
- `product ... amid S copies|idle`: of the time, about the share S goes to what comes between products;
- `encode CODEC`, `decode CODEC`: the codecs' kernels;
- `copy`.
"""
import argparse
import csv
import ctypes
import datetime
import os
import statistics
import sys
import time
from pathlib import Path

import torch

from training_device import Watch

ROOT = Path(__file__).resolve().parents[2]
VALUES = 2 ** 28
SECONDS = 0.5
FIELDS = ("kernel", "moved_bytes", "median_s", "copy_s", "clock_mhz", "cycles_mhz", "power_w")
CODECS = ("fp8_e4m3_g128", "int8_g128", "int8_g128_sr", "int4_g128_sr", "int4_g128_hadamard_sr", "mxfp4",
          "nvfp4_rht16", "nf4_g64", "eden4_g4096", "sparseloco", "topk64", "demo_top32", "bnb8_g4096")
# Sequences, heads, heads of keys and values, tokens, width of a head.
ATTENTION = ((8, 16, 16, 2048, 128), (2, 32, 8, 4096, 128), (1, 32, 8, 8192, 128), (1, 32, 32, 16384, 128),
             (8, 25, 25, 2048, 64), (16, 12, 12, 1024, 64))


def hadamards(folder):
    library = ctypes.CDLL(str(Path(folder) / "libfast_hadamard.so"))
    for name, kind in (("FP16", torch.half), ("FP32", torch.float)):
        values = torch.randn(VALUES, device="cuda").to(kind)
        to = torch.empty_like(values)
        for log_length in (9, 10, 11, 12, 13, 14, 15):
            def call(log_length=log_length, values=values, to=to):
                library.transform(
                    ctypes.c_void_p(values.data_ptr()), ctypes.c_void_p(to.data_ptr()),
                    ctypes.c_longlong(VALUES >> log_length), ctypes.c_longlong(log_length),
                    ctypes.c_longlong(values.element_size()),
                    ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
            yield f"hadamard of {1 << log_length} {name}", 2 * values.nbytes, call


def copies():
    values = torch.randn(VALUES, device="cuda")
    to = torch.empty_like(values)
    yield "copy", 2 * values.nbytes, lambda: to.copy_(values)


def products():
    for size in (2048, 4096, 8192):
        a, b = (torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        c = torch.empty_like(a)
        yield f"product of {size} BF16", 6 * size * size, lambda a=a, b=b, c=c: torch.mm(a, b, out=c)


def products_amid():
    """What a limit of power lets a product have depends on what comes between."""
    (_, _, copy), (name, moved, product) = next(copies()), list(products())[-1]
    cycles_of = {"copies": None, "idle": 1.7e9}  # at the clock of a GPU that waits
    for share in (0.2, 0.4, 0.6):
        between_s = share / (1 - share) * 1.5e-3
        for other, clock in cycles_of.items():
            def after(clock=clock, between_s=between_s):
                if clock:
                    torch.cuda._sleep(int(between_s * clock))
                    return
                for _ in range(max(1, round(between_s / 0.72e-3))):
                    copy()
            yield f"{name} amid {share} {other}", moved, product, after


def attentions():
    from torch.nn.attention import SDPBackend, sdpa_kernel
    backends = {"default": None, "flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
    for batch, heads, kv_heads, tokens, width in ATTENTION:
        q, k, v, gradient = (
            torch.randn(batch, count, tokens, width, device="cuda", dtype=torch.bfloat16, requires_grad=True)
            for count in (heads, kv_heads, kv_heads, heads))

        def forward(q=q, k=k, v=v, grouped=heads != kv_heads):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True,
                                                                    enable_gqa=grouped)
        shape = f"{batch}x{heads}x{kv_heads}x{tokens}x{width}"
        for name, backend in backends.items():
            def inside(call, backend=backend):
                if backend is None:
                    return call()
                with sdpa_kernel(backend):
                    return call()
            try:
                result = inside(forward)
            except RuntimeError as error:
                print(f"tests/gpu/rates.py: {shape}, {name}: {str(error)[:100]}", file=sys.stderr)
                continue
            yield f"attention forward {shape} {name}", 0, lambda i=inside, f=forward: i(f)
            yield (f"attention backward {shape} {name}", 0,
                   lambda r=result, t=(q, k, v), g=gradient: torch.autograd.grad(r, t, g, retain_graph=True))


def codec_kernels(folder):
    os.environ["GARDENHOSE_CODECS_FOLDER"] = str(folder)
    sys.path.insert(0, str(ROOT / "codecs/python"))
    import gardenhose_codecs as codecs
    values = torch.randn(VALUES, device="cuda")
    back = torch.empty_like(values)
    key = codecs.Key(seed=1, step=2, tensor=3, rank=4, first_element=0)
    for codec in CODECS:
        wire = torch.empty(codecs.encoded_bytes(codec, VALUES, device="cuda"), dtype=torch.uint8, device="cuda")
        moved = values.nbytes + wire.nbytes
        yield f"encode {codec}", moved, lambda c=codec, w=wire: codecs.encode(c, values, key=key, out=w)
        yield f"decode {codec}", moved, lambda c=codec, w=wire: codecs.decode(c, w, out=back)


class Meter:
    def __init__(self, folder):
        self.watch = Watch()
        self.channels = ctypes.CDLL(str(Path(folder) / "libchannels.so"))
        self.beside = torch.cuda.Stream()
        self.cycles = torch.zeros(2, dtype=torch.int64, device="cuda")
        _, moved, copy = next(copies())
        self.copy_rate = moved / self.median(copy, 20)

    def median(self, call, times, after=None):
        torch.cuda.synchronize()
        torch.cuda._sleep(5_000_000)
        pairs = []
        for _ in range(times):
            pairs.append([torch.cuda.Event(enable_timing=True) for _ in range(2)])
            pairs[-1][0].record()
            call()
            pairs[-1][1].record()
            if after:
                after()
        torch.cuda.synchronize()
        return statistics.median(begin.elapsed_time(end) for begin, end in pairs) * 1e-3

    def counted_mhz(self, call, one_s):
        """Cycles of a block that runs beside some launches, over its microseconds."""
        torch.cuda.synchronize()
        for _ in range(max(4, round(0.1 / one_s))):
            call()
        self.channels.count_cycles(ctypes.c_uint64(20_000_000), ctypes.c_void_p(self.cycles.data_ptr()),
                                   ctypes.c_void_p(self.beside.cuda_stream))
        torch.cuda.synchronize()
        cycles, duration_ns = self.cycles.tolist()
        return 1e3 * cycles / duration_ns

    def row(self, kernel, moved, call, after=None):
        for _ in range(3):
            call()
        one_s = self.median(call, 5)
        times = max(10, round(SECONDS / one_s))
        begin = time.monotonic()
        median_s = self.median(call, times, after)
        amid = self.watch.since(begin + SECONDS / 3)
        return [kernel, moved, f"{median_s:.5g}", f"{moved / self.copy_rate:.5g}" if moved else "",
                f"{amid['sm_clock_mhz']:.0f}", f"{self.counted_mhz(call, one_s):.0f}",
                f"{amid['power_w']:.0f}"]


def main():
    flags = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("folder", nargs="?", default=ROOT / "build/gpu", type=Path)
    flags.add_argument("--others", type=Path)
    flags.add_argument("--kernel", default="", metavar="TEXT",
                       help="only kernels whose names begin so, e.g. encode")
    flags.add_argument("--output", type=argparse.FileType("w"), default=sys.stdout)
    given = flags.parse_args()
    meter = Meter(given.folder.resolve())
    name = torch.cuda.get_device_name()
    print(f"# Measured on {name} by tests/gpu/rates.py on {datetime.date.today()}, with PyTorch "
          f"{torch.__version__}.\n# A copy reads and writes {meter.copy_rate / 1e9:.0f} GB/s.",
          file=given.output)
    rows = csv.writer(given.output, lineterminator="\n")
    rows.writerow(FIELDS)
    sources = [copies, products, products_amid, attentions, lambda: codec_kernels(given.folder.resolve())]
    if given.others:
        sources.insert(1, lambda: hadamards(given.others))
    for source in sources:
        for kernel, *rest in source():
            if not kernel.startswith(given.kernel):
                continue
            try:
                rows.writerow(meter.row(kernel, *rest))
            except RuntimeError as error:
                print(f"tests/gpu/rates.py: {kernel}: {str(error)[:100]}", file=sys.stderr)
            given.output.flush()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
