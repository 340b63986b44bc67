#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures training steps on one GPU with PyTorch, and compares them with predictions.

    training_steps.py --output FOLDER [--budget SECONDS] [--trace]     measures
    training_steps.py --dry-run --output FOLDER                        the same, tiny, on a CPU
    training_steps.py --predict PROGRAM --output FILE                  predicts
    training_steps.py --compare MEASURED PREDICTED                     prints the errors

Measuring needs PyTorch alone. FOLDER gets steps.csv, whose first three columns `gardenhose fit
--steps` reads; products.csv, the rate of a large product; and, with --trace, profiles of two cases
for `gardenhose fit --trace`.
"""
import argparse
import csv
import datetime
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import training_predictions  # noqa: E402
from training_cases import CASES  # noqa: E402
from training_device import Device, Watch  # noqa: E402

WARM_UP, MEASURED_S, FEWEST, MOST = 3, 1.2, 8, 40


class Table:
    """A CSV file whose rows are on the disk as soon as they are written."""

    def __init__(self, path, constants):
        self.file, self.constants, self.writer = open(path, "w", newline=""), constants, None

    def write(self, row):
        row = {**row, **self.constants}
        if self.writer is None:
            self.writer = csv.DictWriter(self.file, row, lineterminator="\n")
            self.writer.writeheader()
        self.writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()})
        self.file.flush()


def products(device, watch, table):
    """8192^3 in BF16 on normal values: in short bursts after pauses, then without a pause."""
    torch, n = device.torch, 64 if device.dry_run else 8192
    a, b = (torch.randn(n, n, device=device.kind, dtype=torch.bfloat16) for _ in range(2))

    def launch(times):
        marks = [device.mark()]
        for _ in range(times):
            torch.mm(a, b)
            marks.append(device.mark())
        device.synchronize()
        return [device.seconds(*pair) for pair in zip(marks, marks[1:])]

    def write(kind, start, seconds):
        time_s, state = statistics.median(seconds), watch.since(start)
        table.write({"kind": kind, "m": n, "n": n, "k": n, "launches": len(seconds),
                     "median_s": time_s, "low_s": min(seconds), "high_s": max(seconds),
                     "tflops": 2 * n**3 / time_s / 1e12, **state})
        print(f"product {kind:9} {2 * n**3 / time_s / 1e12:8.1f} TFLOP/s  {state}",
              flush=True)

    launch(3)
    start, bursts = time.monotonic(), []
    for _ in range(5):
        time.sleep(0 if device.dry_run else 0.5)
        bursts += launch(10)
    write("burst", start, bursts)
    start, sustained = time.monotonic(), []
    while time.monotonic() - start < (0.1 if device.dry_run else 8):
        sustained += launch(100)
    # Clocks have settled in the second half.
    write("sustained", time.monotonic() - 4, sustained[len(sustained) // 2:])


class Run:
    """A case on the device: its trainer and fresh random tokens for every step."""

    def __init__(self, case, device):
        import training_model
        self.case, self.device, self.torch = case, device, device.torch
        self.shape = case.shape(device.dry_run)
        self.sequence = 32 if device.dry_run else case.sequence
        backend = None if case.stack == "torch-eager" else (
            "aot_eager" if device.dry_run else "inductor")
        self.trainer = training_model.Trainer(self.shape, self.sequence, device.kind,
                                              case.recompute == "full", case.fsdp, backend)

    def batches(self, steps):
        size = (steps, self.case.accumulation, 2, self.case.micro_batch, self.sequence)
        return self.torch.randint(self.shape["vocabulary"], size, device=self.device.kind)

    def issue(self, batch):
        """Seconds that the host takes to issue a step to an idle GPU, and those of the step."""
        self.device.synchronize()
        start = time.perf_counter()
        self.trainer.step(batch, lambda: None)
        issued = time.perf_counter() - start
        self.device.synchronize()
        return issued, time.perf_counter() - start

    def attention(self):
        """The kernel that PyTorch chooses for this shape."""
        q = self.torch.empty(self.case.micro_batch, self.shape["heads"], self.sequence,
                             self.shape["head_width"], dtype=self.torch.bfloat16,
                             device=self.device.kind, requires_grad=True)
        dropout = 0.1 if self.shape["dropout"] else 0.0
        chosen = self.torch._fused_sdp_choice(q, q, q, None, dropout, True)
        return self.torch.nn.attention.SDPBackend(chosen).name.lower()

    def measure(self, watch):
        """Medians over steps issued back to back, each from its start to that of the next one."""
        issues = [self.issue(batch) for batch in self.batches(WARM_UP)][1:]
        steps = 3 if self.device.dry_run else min(
            MOST, max(FEWEST, round(MEASURED_S / min(step for _, step in issues))))
        batches = self.batches(steps)
        self.device.peak(reset=True)
        self.device.synchronize()
        began = time.monotonic()
        marks = [self.trainer.step(batch, self.device.mark) for batch in batches]
        last = self.device.mark()
        self.device.synchronize()
        state = watch.since(began)
        seconds = self.device.seconds
        starts = [each[0] for each in marks] + [last]
        times = [seconds(*pair) for pair in zip(starts, starts[1:])]

        def part(first):
            """Time between marks `first` and the next, of every micro-batch of a step."""
            return statistics.median(
                sum(seconds(m[i], m[i + 1]) for i in range(first, len(m) - 2, 2)) for m in marks)

        time_s = statistics.median(times)
        return {"step_s": time_s, "step_min_s": min(times), "step_max_s": max(times),
                "steps": steps, "tokens_per_s": self.case.tokens / time_s,
                "forward_s": part(0), "backward_s": part(1),
                "optimizer_s": statistics.median(seconds(m[-2], m[-1]) for m in marks),
                "issue_s": min(issued for issued, _ in issues),
                "peak_memory_bytes": self.device.peak(), "attention": self.attention(), **state}

    def profile(self, path):
        """Four steps after two of warm-up, as `gardenhose fit --trace` reads them."""
        from torch import profiler
        kinds = [profiler.ProfilerActivity.CPU]
        if not self.device.dry_run:
            kinds.append(profiler.ProfilerActivity.CUDA)
        schedule = profiler.schedule(wait=1, warmup=1, active=4, repeat=1)
        with profiler.profile(activities=kinds, schedule=schedule) as recording:
            for batch in self.batches(6):
                self.trainer.step(batch, lambda: None)
                recording.step()
            self.device.synchronize()
        recording.export_chrome_trace(str(path))


EMPTY = dict.fromkeys(("step_s", "step_min_s", "step_max_s", "steps", "tokens_per_s", "forward_s",
                       "backward_s", "optimizer_s", "issue_s", "peak_memory_bytes", "attention",
                       *Watch.QUERIES), "")


def attempt(case, device, watch, trace):
    """What was measured of a case, or why it could not be."""
    run = None
    try:
        run = Run(case, device)
        result = {**run.measure(watch), "error": ""}
        if trace:
            run.profile(trace)
        return result
    except device.torch.OutOfMemoryError:
        return {**EMPTY, "error": "out of memory"}
    except Exception as error:  # one case must not cost the others
        text = f"{type(error).__name__}: {error}".strip().splitlines()[0]
        return {**EMPTY, "error": text[:200]}
    finally:
        del run


def measure(options):
    began = time.monotonic()
    device, watch = Device(options.dry_run), Watch()
    torch, folder = device.torch, Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    constants = {"gpu": device.name(), "torch": torch.__version__, "cuda": torch.version.cuda or "",
                 "date": datetime.date.today().isoformat()}
    torch.manual_seed(1)
    products(device, watch, Table(folder / "products.csv", constants))
    table = Table(folder / "steps.csv", constants)
    for case in CASES:
        if time.monotonic() - began > options.budget:
            print(f"not begun, over the budget: {case.name}", flush=True)
            continue
        trace = folder / (case.name.replace("/", "_") + ".json.gz") if (
            options.trace and case.traced) else None
        result = attempt(case, device, watch, trace)
        device.release()
        table.write({"name": case.name,
                     "flags": f"{training_predictions.CLUSTER} {case.flags}", **result})
        told = result["error"] or (f"{1e3 * result['step_s']:8.2f} ms, issued in"
                                   f" {1e3 * result['issue_s']:7.2f} ms,"
                                   f" {result['peak_memory_bytes'] / 1e9:5.1f} GB")
        print(f"{time.monotonic() - began:5.0f} s  {case.name:60} {told}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", help="folder of what is measured, or file of predictions")
    parser.add_argument("--budget", type=float, default=170,
                        help="seconds after which no case begins (default: 170)")
    parser.add_argument("--trace", action="store_true", help="profile two cases")
    parser.add_argument("--dry-run", action="store_true", help="tiny shapes on the CPU")
    parser.add_argument("--predict", metavar="PROGRAM", help="gardenhose: predict instead")
    parser.add_argument("--compare", nargs=2, metavar=("MEASURED", "PREDICTED"),
                        help="steps.csv and the file of predictions: print the errors instead")
    options = parser.parse_args()
    if options.compare:
        training_predictions.compare(*options.compare)
    elif not options.output:
        parser.error("--output is missing")
    elif options.predict:
        training_predictions.freeze(options.predict, options.output)
    else:
        measure(options)


if __name__ == "__main__":
    main()
