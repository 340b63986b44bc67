#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What kernels that run at a time cost each other on a GPU, beside what a simulated step takes them
to cost (sim/engine/execution.cpp):

- beside k channels of a collective on a GPU of S multiprocessors, what computes takes
  1 / (1 - k / S) times as long, and what moves memory 1 / (1 - m) times, where m is the share of the
  memory's bandwidth that the channels take;
- of two kernels each gets half of the GPU: together they take the sum of their times.

    tests/gpu/overlap.py --predict [--second] --output FILE   freezes the predictions
    tests/gpu/overlap.py [FOLDER] --output FILE    measures; FOLDER: that of tests/gpu.sh --build
    tests/gpu/overlap.py --compare FROZEN MEASURED   prints both, case by case

Channels are blocks that hold a multiprocessor each, and do nothing else or copy memory
(tests/gpu/channels.cu). Where they copy, m is known from a run of them alone, so that a prediction
of that is a rule and no number: it is evaluated with the measured rates.
"""
import argparse
import csv
import ctypes
import datetime
import math
import os
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHANNELS = (1, 2, 4, 8, 16, 32)
# What computes, and what moves memory; a codec's encode moves memory (codecs/method.hpp). Products are
# cuBLAS's, those in tiles Triton's: one block a tile, which needs no other block beside it.
COMPUTE = {"product_8192x4096x4096": (8192, 4096, 4096), "product_8192x8192x8192": (8192, 8192, 8192),
           "tiles_8192x8192x8192": (8192, 8192, 8192)}
# Of PyTorch, whatever kernels it takes: 2 sequences of 4 096 tokens, 32 heads of 128.
ATTENTION = ("attention forward", "attention backward")
CODECS = ("int8_g128", "int4_g128_hadamard_sr", "fp8_e4m3_g128", "sparseloco")
FIELDS = ("kernel", "beside", "channels", "rule", "predicted")
MEASURED = FIELDS[:3] + ("alone_ms", "together_ms", "ratio", "memory_share")
COPIED_BYTES = 2 ** 30
VALUES = 2 ** 26
ROUNDS = 5


def cases():
    """(kernel, what runs beside it, channels) of each case."""
    kernels = [*COMPUTE, "add", *(f"encode {codec}" for codec in CODECS)]
    for beside in ("channels that hold", "channels that copy"):
        for kernel in kernels + list(ATTENTION):
            for channels in CHANNELS:
                yield kernel, beside, channels
    for codec in CODECS:
        for kernel in (*COMPUTE, "add"):
            yield kernel, f"encode {codec}", 0


# Times together over times alone, of k channels on S multiprocessors; of a pair over the sum of both.
RULES = {
    "multiprocessors": lambda channels, count: 1 / (1 - channels / count),
    "clusters": lambda channels, count: CLUSTERS / (1 - channels / count),
    "none": lambda channels, count: 1.0,
    "sum": lambda channels, count: 1.0,
}
# Chosen after seeing an H100: cuBLAS's blocks come in clusters, which need neighbours; and copying
# channels get of a memory that is full no more than their share of the multiprocessors.
CLUSTERS = 1.13


def rule_of(kernel, beside, second):
    if not beside.startswith("channels"):
        return "sum"
    if kernel in COMPUTE or kernel in ATTENTION:
        return "clusters" if second and kernel.startswith("product") else "multiprocessors"
    if not beside.endswith("copy"):
        return "none"
    return "multiprocessors" if second else "memory"


def predict(multiprocessors, second, wanted, output):
    rules = ("by rules that were chosen after seeing an H100, before this GPU was measured"
             if second else "by the rules of sim/engine/execution.cpp before any was measured")
    print(f"# What kernels cost each other on a GPU of {multiprocessors} multiprocessors, predicted on "
          f"{datetime.date.today()}\n# {rules}. Made by\n#   tests/gpu/overlap.py --predict"
          f"{' --second' if second else ''}", file=output)
    rows = csv.writer(output, lineterminator="\n")
    rows.writerow(FIELDS)
    for kernel, beside, channels in filter(wanted, cases()):
        rule = rule_of(kernel, beside, second)
        ratio = f"{RULES[rule](channels, multiprocessors):.4f}" if rule in RULES else ""
        rows.writerow([kernel, beside, channels, rule, ratio])


class Gpu:
    """The kernels of the cases, each as a call on the current stream."""

    def __init__(self, folder):
        os.environ["GARDENHOSE_CODECS_FOLDER"] = str(folder)
        sys.path.insert(0, str(ROOT / "codecs/python"))
        import gardenhose_codecs as codecs
        import torch
        self.torch, self.codecs = torch, codecs
        self.channel_kernels = ctypes.CDLL(str(Path(folder) / "libchannels.so"))
        self.beside, self.main = torch.cuda.Stream(), torch.cuda.Stream()
        self.from_, self.to = (torch.zeros(COPIED_BYTES, dtype=torch.uint8, device="cuda")
                               for _ in range(2))
        self.copied = torch.zeros(1, dtype=torch.int64, device="cuda")
        self.values = torch.randn(VALUES, device="cuda")
        self.sum = torch.empty_like(self.values)
        self.calls = {}

    def call(self, kernel):
        if kernel not in self.calls:
            self.calls[kernel] = self.make(kernel)
        return self.calls[kernel]

    def make(self, kernel):
        torch = self.torch
        if kernel in COMPUTE:
            m, n, k = COMPUTE[kernel]
            a, b = (torch.randn(*shape, device="cuda", dtype=torch.bfloat16)
                    for shape in ((m, k), (k, n)))
            c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
            if kernel.startswith("tiles"):
                from overlap_tiles import multiply
                return lambda: multiply(a, b, c)
            return lambda: torch.mm(a, b, out=c)
        if kernel in ATTENTION:
            q, k, v, gradient = (torch.randn(2, 32, 4096, 128, device="cuda", dtype=torch.bfloat16,
                                             requires_grad=True) for _ in range(4))
            forward = torch.nn.functional.scaled_dot_product_attention
            if kernel == ATTENTION[0]:
                return lambda: forward(q, k, v)
            result = forward(q, k, v)
            return lambda: torch.autograd.grad(result, (q, k, v), gradient, retain_graph=True)
        if kernel == "add":
            return lambda: torch.add(self.values, self.values, out=self.sum)
        codec = kernel.removeprefix("encode ")
        key = self.codecs.Key(seed=1, step=2, tensor=3, rank=4, first_element=0)
        wire = torch.empty(self.codecs.encoded_bytes(codec, VALUES), dtype=torch.uint8, device="cuda")
        return lambda: self.codecs.encode(codec, self.values, key=key, out=wire)

    def run(self, kernel, times, start=None, stream=None):
        """`times` calls on a stream (default: the main one), between two events."""
        torch = self.torch
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        call = self.call(kernel)
        with torch.cuda.stream(stream or self.main):
            if start:
                torch.cuda.current_stream().wait_event(start)
            torch.cuda._sleep(400_000)  # what runs beside has begun by then
            begin.record()
            for _ in range(times):
                call()
            end.record()
        return begin, end

    def alone_ms(self, kernel, times):
        self.torch.cuda.synchronize()
        begin, end = self.run(kernel, times)
        self.torch.cuda.synchronize()
        return begin.elapsed_time(end) / times

    def times_for(self, kernel, wanted_ms):
        self.alone_ms(kernel, 3)
        return max(3, round(wanted_ms / self.alone_ms(kernel, 10)))

    def occupy(self, channels, copies, duration_ms):
        self.copied.zero_()
        self.torch.cuda.synchronize()
        error = self.channel_kernels.occupy(
            channels, ctypes.c_uint64(int(duration_ms * 1e6)),
            ctypes.c_void_p(self.from_.data_ptr() if copies else 0),
            ctypes.c_void_p(self.to.data_ptr()), ctypes.c_size_t(COPIED_BYTES),
            ctypes.c_void_p(self.copied.data_ptr()), ctypes.c_void_p(self.beside.cuda_stream))
        if error:
            raise RuntimeError(f"CUDA error {error} of the channels")

    def memory_rate(self, channels, duration_ms=20):
        """Bytes that the channels read and write in a second, alone."""
        self.occupy(channels, True, duration_ms)
        self.torch.cuda.synchronize()
        return 2 * self.copied.item() / (duration_ms * 1e-3)

    def beside_channels(self, kernel, beside, channels):
        times = self.times_for(kernel, 12)
        alone = self.alone_ms(kernel, times)
        copies = beside.endswith("copy")
        for longer in (4, 16):
            self.occupy(channels, copies, longer * alone * times + 2)
            begin, end = self.run(kernel, times)
            end.synchronize()
            outlasted = not self.beside.query()
            self.torch.cuda.synchronize()
            if outlasted:
                return alone, begin.elapsed_time(end) / times
        return alone, math.inf  # it waits for them

    def beside_kernel(self, kernel, other):
        """Both for as long, so that neither runs alone: (sum of the times alone, time together)."""
        torch = self.torch
        times, others = self.times_for(kernel, 12), self.times_for(other, 12)
        alone = self.alone_ms(kernel, times) * times + self.alone_ms(other, others) * others
        torch.cuda.synchronize()
        # Nothing begins before all of it is in the queues.
        gate = torch.cuda.Event()
        torch.cuda._sleep(50_000_000)
        gate.record()
        begin, end = self.run(kernel, times, gate)
        other_begin, other_end = self.run(other, others, gate, self.beside)
        torch.cuda.synchronize()
        first = begin if begin.elapsed_time(other_begin) > 0 else other_begin
        return alone, max(first.elapsed_time(end), first.elapsed_time(other_end))


def measure(folder, wanted, output):
    gpu = Gpu(folder)
    name = gpu.torch.cuda.get_device_name()
    count = gpu.torch.cuda.get_device_properties(0).multi_processor_count
    gpu.alone_ms("add", 20)
    full = 2 * 4 * VALUES / (gpu.alone_ms("add", 50) * 1e-3)
    rates = {channels: gpu.memory_rate(channels) for channels in CHANNELS}
    print(f"# Measured on {name}, {count} multiprocessors, on {datetime.date.today()}; medians of "
          f"{ROUNDS} rounds.\n# gpu: {name}; multiprocessors: {count}; memory: {full / 1e9:.0f} GB/s, "
          "as doubling values reaches it. Made by\n#   tests/gpu/overlap.py", file=output)
    rows = csv.writer(output, lineterminator="\n")
    rows.writerow(MEASURED)
    for kernel, beside, channels in filter(wanted, cases()):
        both = [gpu.beside_channels(kernel, beside, channels) if channels else
                gpu.beside_kernel(kernel, beside) for _ in range(ROUNDS)]
        alone, together = (statistics.median(one[i] for one in both) for i in range(2))
        share = rates[channels] / full if beside.endswith("copy") else ""
        rows.writerow([kernel, beside, channels, f"{alone:.4f}", f"{together:.4f}",
                       f"{statistics.median(t / a for a, t in both):.4f}",
                       share and f"{share:.4f}"])
        output.flush()


def table_of(path):
    lines = [line for line in Path(path).read_text(encoding="utf-8").splitlines()
             if not line.startswith("#")]
    return {(row["kernel"], row["beside"], row["channels"]): row for row in csv.DictReader(lines)}


def compare(frozen, measured):
    """Prints each measured case beside its prediction, then the mean error by rule."""
    found = table_of(measured)
    errors = {}
    print(f"{'kernel':30} {'beside':30} {'channels':>8} {'measured':>9} {'predicted':>9}")
    predictions = table_of(frozen)
    for key, one in found.items():
        row = predictions.get(key)
        if row is None or not math.isfinite(float(one["ratio"])):
            print(f"{key[0]:30} {key[1]:30} {key[2]:>8} {float(one['ratio']):9.3f} "
                  f"{'' if row else 'not frozen':>10}")
            continue
        share = float(one["memory_share"]) if one["memory_share"] else None
        # The rule is the frozen one; its number too, but where it needs the measured rate.
        ratio = float(row["predicted"]) if row["predicted"] else 1 / (1 - share)
        error = ratio / float(one["ratio"]) - 1
        errors.setdefault((row["rule"], row["beside"]), []).append(error)
        print(f"{key[0]:30} {key[1]:30} {key[2]:>8} {float(one['ratio']):9.3f} {ratio:9.3f}")
    print()
    for (rule, beside), all_ in errors.items():
        mean = statistics.mean(abs(error) for error in all_)
        print(f"{rule:16} {beside:30} {len(all_):3} cases  off by {mean:6.1%}  bias "
              f"{statistics.mean(all_):+6.1%}")


def main():
    flags = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("folder", nargs="?", default=ROOT / "build/gpu", type=Path)
    flags.add_argument("--predict", action="store_true")
    flags.add_argument("--second", action="store_true", help="by the rules chosen after an H100")
    flags.add_argument("--kernel", default="", metavar="TEXT",
                       help="only kernels whose names begin so, e.g. attention")
    flags.add_argument("--beside", default="", metavar="TEXT",
                       help="only beside what begins so, e.g. encode")
    flags.add_argument("--multiprocessors", type=int, default=132, help="of H100 SXM and H200")
    flags.add_argument("--compare", nargs=2, metavar=("FROZEN", "MEASURED"))
    flags.add_argument("--output", type=argparse.FileType("w"), default=sys.stdout)
    given = flags.parse_args()

    def wanted(case):
        return case[0].startswith(given.kernel) and case[1].startswith(given.beside)

    if given.compare:
        compare(*given.compare)
    elif given.predict:
        predict(given.multiprocessors, given.second, wanted, given.output)
    else:
        measure(given.folder.resolve(), wanted, given.output)


if __name__ == "__main__":
    main()
