# SPDX-License-Identifier: Apache-2.0
"""card(): measures a codec that is two Python functions, and writes its card for the simulator."""
import json
import math
import statistics
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from gardenhose_codecs import _clocks

# As gardenhose-codec-error: means over seeds of samples of these distributions.
_DISTRIBUTIONS = ("normal", "student_t3")
_RANKS = 8  # whose mean is encoded again
_ALIKE = 1.1  # as the simulator: figures whose ratio is less are the same

Encode = Callable[[Any], Any]
Decode = Callable[[Any, int], Any]


class Row(NamedTuple):
    """A row of the card's CSV file."""

    step: str
    elements: int
    seconds: float


class Card(NamedTuple):
    """What was measured and written."""

    file: Path
    bits_per_element: Union[float, List[float]]  # quantiles, if the size varies between messages
    overhead_bytes: int  # of each message
    error: Dict[str, float]  # relative L2, of one encode, by distribution
    error_of_sum: Dict[str, float]  # of a mean of 8 ranks: each encoded, and the mean encoded again
    rounds: bool  # whether that follows from the error of one encode
    times: List[Row]


def _sample(distribution: str, seed: int, elements: int) -> Any:
    import numpy

    random = numpy.random.default_rng(seed)
    if distribution == "normal":
        return random.standard_normal(elements, dtype=numpy.float32)
    return random.standard_t(3, elements).astype(numpy.float32)


def _wire_bytes(wire: Any) -> int:
    if isinstance(wire, (bytes, bytearray)):
        return len(wire)
    if isinstance(wire, (tuple, list)):
        return sum(map(_wire_bytes, wire))
    if isinstance(wire, dict):
        return sum(map(_wire_bytes, wire.values()))
    if hasattr(wire, "element_size"):  # a tensor of PyTorch
        return int(wire.element_size() * wire.numel())
    if hasattr(wire, "nbytes"):
        return int(wire.nbytes)
    raise ValueError(f"encode returns a {type(wire).__name__}; return bytes, an array, or a tuple "
                     "or dict of those")


class _Codec:
    """The two functions, on NumPy's arrays whatever they work on."""

    def __init__(self, encode: Encode, decode: Decode, clock: _clocks.Clock) -> None:
        self.encode, self.decode, self.clock = encode, decode, clock

    def wire(self, values: Any) -> Any:
        return self.encode(self.clock.placed(values))

    def back(self, values: Any) -> Any:
        import numpy

        decoded = self.clock.taken(self.decode(self.wire(values), values.size))
        if decoded.shape != values.shape or decoded.dtype != numpy.float32:
            raise ValueError(f"decode returns {decoded.dtype} of shape {decoded.shape}; return "
                             f"float32 of shape {values.shape}")
        return decoded

    def error(self, exact: Any, values: Any) -> float:
        """Relative L2 error of values that are encoded and decoded."""
        return _distance(exact, self.back(values))


def _distance(exact: Any, given: Any) -> float:
    import numpy

    exact = exact.astype(numpy.float64)
    return float(numpy.linalg.norm(given - exact) / numpy.linalg.norm(exact))


def _size(codec: _Codec, samples: Sequence[Any]) -> Tuple[Union[float, List[float]], int]:
    """Bits per element, and bytes of each message beyond them."""
    whole = [_wire_bytes(codec.wire(values)) for values in samples]
    elements = samples[0].size
    if len(set(whole)) > 1:
        return sorted(8 * size / elements for size in whole), 0
    half = _wire_bytes(codec.wire(samples[0][:elements // 2]))
    each = (whole[0] - half) / (elements - elements // 2)
    overhead = round(whole[0] - each * elements)
    return 8 * (whole[0] - max(overhead, 0)) / elements, max(overhead, 0)


def _sum_errors(codec: _Codec, distribution: str, elements: int) -> Tuple[float, float]:
    """The error of a mean that is encoded twice, as measured and as it follows from single ones."""
    ranks = [_sample(distribution, 100 + rank, elements) for rank in range(_RANKS)]
    exact = sum(values.astype("float64") for values in ranks) / _RANKS
    mean = (sum(codec.back(values).astype("float64") for values in ranks) / _RANKS)
    once = sum(codec.error(values, values) for values in ranks) / _RANKS
    again = codec.error(exact, exact.astype("float32"))
    return codec.error(exact, mean.astype("float32")), math.hypot(once, again * math.hypot(1, once))


def _times(codec: _Codec, sizes: Sequence[int]) -> List[Row]:
    rows = []
    for elements in sizes:
        values = codec.clock.placed(_sample("normal", 1, elements))
        wire = codec.encode(values)
        rows += [Row("encode", elements, codec.clock.median_s(lambda: codec.encode(values))),
                 Row("decode", elements, codec.clock.median_s(lambda: codec.decode(wire, elements)))]
    return sorted(rows, key=lambda row: row.step != "encode")


def _toml(card: Card, summary: str, clock: Optional[_clocks.Clock]) -> str:
    lines = [f"summary = {json.dumps(summary, ensure_ascii=False)}"]
    if clock is None:
        lines.append('times = "roofline"')
    bits = card.bits_per_element
    shown = [f"{one:.6g}" for one in bits] if isinstance(bits, list) else f"{bits:.6g}"
    lines += ["", "[wire]", f"bits_per_element = {str(shown).replace(chr(39), '')}"]
    if card.overhead_bytes:
        lines.append(f'overhead = "{card.overhead_bytes} B"')
    if card.rounds:
        lines.append("rounds = true")
    if clock is not None:
        lines += ["", "[times]", f"gpu = {json.dumps(clock.name)}",
                  f'memory_bandwidth = "{clock.memory_bandwidth}"',
                  f'file = "{card.file.with_suffix(".csv").name}"']
    lines += ["", "[error]", *(f"{name} = {error:.6g}" for name, error in card.error.items())]
    return "\n".join(lines) + "\n"


def card(file: Any, encode: Encode, decode: Decode, *, summary: str, times: str = "measured",
         device: str = "cpu", memory_bandwidth: Optional[str] = None,
         bits_per_element: Optional[float] = None, elements: int = 2 ** 21, seeds: int = 6,
         sizes: Sequence[int] = (2 ** 16, 2 ** 19, 2 ** 22)) -> Card:
    """Measures a codec and writes its card, a TOML file that schemes name, and its CSV of times.

    encode(values) returns the wire of float32 values: bytes, an array, or a tuple or dict of those.
    decode(wire, elements) returns the float32 values. Both take NumPy's arrays or, with device="cuda",
    PyTorch's tensors on the GPU.

    The errors are those of gardenhose-codec-error: relative L2, of one encode of normal and of
    Student's t values, means over `seeds` samples of so many `elements`. The card says rounds = true
    if the mean of 8 ranks, each encoded, and encoded again, has the error that follows from single
    ones; then reports have the error of reductions that encode twice.

    times: "measured" times both functions at these `sizes` of elements; or "roofline", for a codec
    whose kernels are not written yet: they move their bytes as fast as the shipped ones. Of a GPU,
    `memory_bandwidth` is its data sheet's, such as "3.35 TBps"; of a CPU, by default, that of a copy.
    Times of another device are scaled by it. bits_per_element: the size on the wire, if `encode`
    does not pack its bits.
    """
    path = Path(file)
    if path.suffix != ".toml":
        raise ValueError(f"{path}: a card's name ends in .toml")
    if times not in ("measured", "roofline"):
        raise ValueError(f"times is {times!r}; choose 'measured' or 'roofline'")
    if elements < 2 or seeds < 1 or not sizes or min(sizes) < 1:
        raise ValueError("elements must be at least 2, seeds and each of sizes at least 1")
    clock = _clocks.of(device, memory_bandwidth, times == "measured")
    codec = _Codec(encode, decode, clock)
    samples = {name: [_sample(name, seed, elements) for seed in range(1, seeds + 1)]
               for name in _DISTRIBUTIONS}
    size, overhead = _size(codec, samples["normal"])
    error = {name: statistics.fmean(codec.error(values, values) for values in several)
             for name, several in samples.items()}
    sums = {name: _sum_errors(codec, name, max(2, elements // _RANKS)) for name in _DISTRIBUTIONS}
    made = Card(
        file=path, bits_per_element=size if bits_per_element is None else bits_per_element,
        overhead_bytes=overhead if bits_per_element is None else 0, error=error,
        error_of_sum={name: measured for name, (measured, _) in sums.items()},
        rounds=all(measured < _ALIKE * follows and follows < _ALIKE * measured
                   or measured == follows for measured, follows in sums.values()),
        times=_times(codec, sizes) if times == "measured" else [])
    path.write_text(_toml(made, summary, clock if made.times else None), encoding="utf-8")
    if made.times:
        rows = "".join(f"{row.step},1,{row.elements},{row.seconds:.6g}\n" for row in made.times)
        path.with_suffix(".csv").write_text("step,inputs,elements,seconds\n" + rows)
    return made
