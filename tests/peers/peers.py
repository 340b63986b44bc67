#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times what people use today for the operations of a calibration table, on the GPU that the table
was measured on, and writes FOLDER/peers.json and FOLDER/peers.md.

    tests/peers/peers.py TABLE.json FOLDER [--others SCRATCH] [--programs build/gpu]
"""

import argparse
import csv
import datetime
import json
import os
import platform
import sys
import time

import report
from formats import Row, read_rows

MIB = 1 << 20
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", help="of gardenhose-calibrate, from the same GPU and run")
    parser.add_argument("folder", help="where peers.json and peers.md go")
    parser.add_argument("--sizes", default="256,64,1024",
                        help="MiB of float32 input, in this order (default: %(default)s)")
    parser.add_argument("--budget", type=float, default=480,
                        help="seconds after which no row is begun (default: %(default)s)")
    parser.add_argument("--others", default="", help="folder of build_others.sh's libraries")
    parser.add_argument("--programs", default=os.path.join(ROOT, "build/gpu"),
                        help="folder of cub_top_k (default: %(default)s)")
    parser.add_argument("--peers", default="", help="names of peers, with commas; default: all")
    parser.add_argument("--dry-run", action="store_true",
                        help="on the CPU, with few elements, to see that it runs; no times")
    return parser.parse_args()


def wanted(rows, sizes):
    """Rows of these sizes, one size after the other, so that a budget cuts off whole sizes."""
    chosen = []
    for size in sizes:
        # Of R inputs, an R-th each: sizes that are no power of two round down.
        chosen += [row for row in rows
                   if 0.9 * size * MIB < row.input_bytes <= size * MIB]
    return chosen


def peer_table(args):
    """Name -> (function of (row, device), bytes of the values that it reads and writes)."""
    import libraries
    import torch_peers
    from torch_coder import Unsupported

    def triton(row, device):
        try:
            import triton_peers
        except ImportError as error:
            raise Unsupported(f"not importable: {error}") from error
        return triton_peers.operation(row, device)

    peers = {
        "PyTorch": (torch_peers.eager, 4),
        "torch.compile": (torch_peers.compiled, 4),
        "Triton": (triton, 4),
        "torchao": (libraries.torchao, 4),
        "bitsandbytes": (libraries.bitsandbytes, 4),
        "fast-hadamard-transform": (libraries.fast_hadamard, 4),
        "SDP4Bit": (lambda row, device: libraries.sdp4bit(row, device, args.others), 4),
        "DeepSpeed": (lambda row, device: libraries.deepspeed(row, device, args.others), 2),
    }
    return {name: peer for name, peer in peers.items()
            if not args.peers or name in args.peers.split(",")}


def measured(row, peer, times, moved_bytes, copy_bandwidth_Bps):
    bandwidth = moved_bytes / times[0]
    return {**row.key(), "peer": peer, "moved_bytes": moved_bytes, "median_s": times[0],
            "spread_s": times[1], "bandwidth_Bps": bandwidth,
            "fraction_of_copy": bandwidth / copy_bandwidth_Bps,
            "ours_median_s": row.median_s,
            "times_faster": row.moved_bytes / row.median_s / bandwidth}


class Comparison:
    def __init__(self, args, timer, device):
        self.args, self.timer, self.device = args, timer, device
        self.rows, self.skipped = [], {}
        self.copy_bandwidth_Bps = timer.copy_bandwidth()

    def skip(self, peer, row, why):
        self.skipped.setdefault((peer, str(why).split("\n")[0][:200]), []).append(
            f"{row.codec} {row.operation} {row.variant}".strip())

    def add(self, row, peer, times, moved_bytes):
        self.rows.append(measured(row, peer, times, moved_bytes, self.copy_bandwidth_Bps))
        print(f"{row.codec:28} {row.operation:20} {row.inputs:2} x {row.elements:11} {peer:16}"
              f"{self.rows[-1]['bandwidth_Bps'] / 1e9:7.0f} GB/s, ours {row.median_s * 1e6:8.1f}"
              f" us, theirs {times[0] * 1e6:9.1f} us", file=sys.stderr)

    def compare(self, row, peers):
        import libraries
        for name, (make, value_bytes) in peers.items():
            # One that fails, for whatever reason, must not end the comparison.
            try:
                launch, inputs = make(row, self.device)
                sets = [inputs() for _ in range(self.timer.sets(row.input_bytes))]
                self.add(row, name, self.timer.time(launch, sets), row.moved_by(value_bytes))
            except Exception as error:
                self.skip(name, row, error if type(error).__name__ == "Unsupported"
                          else f"{type(error).__name__}: {error}")
            launch = inputs = sets = None
        try:
            program = os.path.join(self.args.programs, "cub_top_k")
            for name, times in libraries.cub_top_k(row, program).items():
                self.add(row, f"CUB {name}", times, row.moved_bytes)
        except Exception as error:
            self.skip("CUB", row, error)


def published():
    """SDP4Bit's table 5: its quantiser's input rate on an A100, where it was not built here."""
    path = os.path.join(ROOT, "traces/published/sdp4bit_quantizer_speed.csv")
    with open(path, encoding="utf-8") as stream:
        rows = list(csv.DictReader(line for line in stream if not line.startswith("#")))
    return {"peer": "SDP4Bit", "gpu": "NVIDIA A100", "source": "arXiv 2410.15526, table 5",
            "what": "GB/s of input, published, on another GPU", "rows": rows}


def provenance(args, table):
    import torch
    versions = {"python": platform.python_version(), "torch": torch.__version__}
    for name in ("triton", "torchao", "bitsandbytes"):
        try:
            versions[name] = __import__(name).__version__
        except Exception:
            pass
    return {"source": "tests/peers/peers.py", "command": " ".join(sys.argv), **versions,
            "table": os.path.basename(args.table),
            "table_provenance": table.get("provenance", {}),
            "date": datetime.date.today().isoformat()}


def write(path, text):
    with open(path + ".part", "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(path + ".part", path)


def save(args, comparison, table):
    skipped = [{"peer": peer, "why": why, "rows": sorted(set(rows))}
               for (peer, why), rows in comparison.skipped.items()]
    result = {"gpu": table.get("gpu", ""), "provenance": provenance(args, table),
              "copy_bandwidth_Bps": comparison.copy_bandwidth_Bps,
              "rows": comparison.rows, "skipped": skipped}
    if args.dry_run:
        result["kind"] = "dry run on the CPU: no times of a GPU"
    if not any(row["peer"] == "SDP4Bit" for row in comparison.rows):
        result["published"] = published()
    write(os.path.join(args.folder, "peers.json"), json.dumps(result, indent=1) + "\n")
    write(os.path.join(args.folder, "peers.md"), report.markdown(result))


def dry_rows(rows):
    """Of each operation one, so small that the CPU and Triton's interpreter can do it."""
    seen = {}
    for row in rows:
        elements = 2 * 4096
        small = Row(**{**row.key(), "elements": elements, "median_s": row.median_s,
                       "moved_bytes": row.moved_bytes * elements / row.elements})
        seen.setdefault((row.codec, row.to, row.operation, row.variant), small)
    return list(seen.values())


def main():
    args = options()
    with open(args.table, encoding="utf-8") as stream:
        table = json.load(stream)
    os.makedirs(args.folder, exist_ok=True)
    try:
        import torch
    except ImportError as error:
        print(f"peers.py: no comparison without PyTorch: {error}", file=sys.stderr)
        return 0
    import timing
    if not args.dry_run and not torch.cuda.is_available():
        print("peers.py: PyTorch finds no GPU, so there is nothing to compare", file=sys.stderr)
        return 0
    flushed = "L2 flushed" in table.get("provenance", {}).get("source", "L2 flushed")
    timer = timing.CpuTimer() if args.dry_run else timing.GpuTimer(flushed)
    comparison = Comparison(args, timer, "cpu" if args.dry_run else "cuda")
    rows = [row for row in read_rows(table) if row.format.element != "fp32"]
    rows = dry_rows(rows) if args.dry_run else wanted(rows, map(int, args.sizes.split(",")))
    peers, start = peer_table(args), time.monotonic()
    for row in rows:
        if time.monotonic() - start > args.budget:
            comparison.skip("all", row, f"the budget of {args.budget:g} s was spent")
            continue
        comparison.compare(row, peers)
        save(args, comparison, table)
    save(args, comparison, table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
