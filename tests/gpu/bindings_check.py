#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python bindings on CUDA tensors, on a machine with a GPU and PyTorch: bytes equal the CPU
library's for each codec that both have, on a stream of its own and inside a CUDA graph, whose
capture fails where a call allocates or waits. Prints one line; exits with 1 if something failed, and
with 3 without a GPU.

    tests/gpu.sh --build                        where nvcc is
    tests/gpu/bindings_check.py [build/gpu]     there or elsewhere: the folder of both libraries
"""
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LENGTHS = (1, 31, 4096, 100003, 2 ** 20 + 17)
os.environ["GARDENHOSE_CODECS_FOLDER"] = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/gpu")
sys.path.insert(0, str(ROOT / "codecs/python"))

import gardenhose_codecs as gc  # noqa: E402
import torch  # noqa: E402

KEY = gc.Key(seed=2 ** 40 + 1, step=2, tensor=3, rank=4, first_element=32)
RULE = gc.Feedback(gain=0.5, carry=0.9, keep=0.25, take=0.75)
failures = []


def expect(holds, *what):
    if not holds:
        failures.append(" ".join(map(str, what)))


def same(found, expected):
    """Bit for bit."""
    return torch.equal(found.cpu().view(torch.uint8), expected.cpu().view(torch.uint8))


def values_of(elements, seed):
    """Heavy tails, and zeros and denormals among them."""
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(elements, generator=generator) / (
        torch.rand(elements, generator=generator) + 1e-3)
    values[elements // 3:elements // 3 + 2048] = 0
    values[elements // 2:elements // 2 + 100] *= 1e-40
    return values


class Operations:
    """Each operation of a codec once, into memory of its own: on the device of `values`."""

    def __init__(self, codec, values, residual):
        self.codec, self.values = codec, values
        size = gc.encoded_bytes(codec, values.numel())
        self.wire, self.fed = (values.new_zeros(size, dtype=torch.uint8) for _ in range(2))
        self.wires = values.new_zeros(2, size, dtype=torch.uint8)
        self.kept, self.first_kept = residual.clone(), residual
        self.back, self.added, self.sums = (torch.zeros_like(values) for _ in range(3))
        self.results = {"wire": self.wire, "decode": self.back, "decode_add": self.added,
                        "wire with feedback": self.fed, "residual": self.kept}

    def run(self):
        """Also the second time: what is updated starts anew."""
        self.kept.copy_(self.first_kept)
        self.added.copy_(self.values)
        gc.encode(self.codec, self.values, key=KEY, out=self.wire)
        gc.decode(self.codec, self.wire, out=self.back)
        gc.decode_add(self.codec, self.wire, self.added)
        gc.encode(self.codec, self.values, key=KEY, out=self.fed, residual=self.kept, feedback=RULE)
        self.wires.copy_(torch.stack([self.wire, self.wire]))
        try:
            self.results["decode_reduce"] = gc.decode_reduce(self.codec, self.wires, out=self.sums)
        except NotImplementedError:
            pass


def check(codec, elements):
    values, residual = values_of(elements, 1), values_of(elements, 2)
    expected = Operations(codec, values, residual)
    expected.run()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        found = Operations(codec, values.cuda(), residual.cuda())
        found.run()
    stream.synchronize()
    compare(f"{codec}, {elements} values, stream:", found, expected)
    if elements != 4096 and elements != 100003:
        return 1
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        found.run()
    for result in found.results.values():
        result.zero_()
    graph.replay()
    torch.cuda.synchronize()
    compare(f"{codec}, {elements} values, graph:", found, expected)
    return 2


def compare(where, found, expected):
    """Of the operations that both have."""
    for name in found.results.keys() & expected.results.keys():
        expect(same(found.results[name], expected.results[name]), where, name, "differs")


def check_refusals():
    x = torch.zeros(100, device="cuda")
    for text, call in (
            ("start on 16 bytes", lambda: gc.encode("int8_g128", x[1:])),
            ("move them to one device", lambda: gc.encode("int8_g128", x, residual=x.cpu())),
            ("float32", lambda: gc.encode("int8_g128", x.half())),
            ("contiguous", lambda: gc.encode("int8_g128", x[::2])),
            ("no codec", lambda: gc.encode("int9", x))):
        try:
            call()
            failures.append(f"took what should be refused: {text}")
        except ValueError as error:
            expect(text in str(error), "says", error, "not", text)


def check_by_itself(codec):
    """Without the CPU's twin: what comes back is decoded from what was sent."""
    values = values_of(10007, 1).cuda()
    wire = gc.encode(codec, values, key=KEY)
    expect(wire.numel() == gc.encoded_bytes(codec, 10007, "cuda"), codec, "has another size")
    back = gc.decode(codec, wire, 10007)
    expect(same(gc.decode_add(codec, wire, torch.zeros_like(values)), back + 0), codec, "adds wrongly")
    model = values.bfloat16()
    expected = model + back.bfloat16()
    expect(same(gc.decode_add(codec, wire, model).view(torch.int16), expected.view(torch.int16)), codec,
           "adds wrongly to bfloat16")
    residual = torch.zeros_like(values)
    fed = gc.encode(codec, values, key=KEY, residual=residual)
    expect(same(fed, wire), codec, "feeds back what nobody lost")
    expect(torch.equal(residual, values - back), codec, "keeps something else than what it lost")


def check_card():
    """Of tensors on the GPU: timed there, with the errors of the same codec on the CPU."""
    with tempfile.TemporaryDirectory() as folder:
        cards = [gc.card(Path(folder) / "mine.toml", lambda x: gc.encode("int4_g128", x),
                         lambda wire, n: gc.decode("int4_g128", wire, n), summary="INT4",
                         elements=2 ** 17, seeds=2, device=device, memory_bandwidth="4.8 TBps")
                 for device in ("cuda", "cpu")]
        text = (Path(folder) / "mine.csv").read_text(encoding="utf-8")
    expect(cards[0].error == cards[1].error, "a card has other errors on the GPU:", cards[0].error)
    expect(all(row.seconds > 0 for row in cards[0].times) and text.count("\n") == 7, "times of a card")


def main():
    if not torch.cuda.is_available():
        print("bindings_check: PyTorch finds no GPU here")
        return 3
    started = time.time()
    both = [codec for codec in gc.codecs() if codec in gc.codecs("cuda")]
    alone = [codec for codec in gc.codecs("cuda") if codec not in both]
    checks = sum(check(codec, elements) for codec in both for elements in LENGTHS)
    for codec in gc.codecs("cuda"):
        check_by_itself(codec)
    check_refusals()
    check_card()
    for failure in failures[:20]:
        print(failure)
    print(f"bindings_check: {len(both)} codecs against the CPU's and {len(alone)} alone, {checks} "
          f"comparisons, {len(failures)} failures, {time.time() - started:.0f} s, "
          f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    return 1 if failures or not both else 0


if __name__ == "__main__":
    sys.exit(main())
