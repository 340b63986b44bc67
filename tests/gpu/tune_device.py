# SPDX-License-Identifier: Apache-2.0
"""Times variants of the codecs' library on a GPU, with the driver alone, and compares what they write."""
import array
import ctypes
import hashlib
import random
import statistics
import typing

import tune_space

ELEMENTS = 1 << 26  # 256 MiB of float32: more than any L2 cache
CHECKED = (1 << 20) - 13  # also with infinities and NaNs
APART = 4096  # between the values of one wire and the next
ROUNDS = 15
SAMPLE_S = 3e-3
COMPUTE_CAPABILITY = (75, 76)  # CUdevice_attribute
ENCODES = {"encode": 0, "encode_feedback": 1}  # gardenhose_cuda_operation


class Key(ctypes.Structure):
    _fields_ = [("seed", ctypes.c_uint64), ("step", ctypes.c_uint32), ("tensor", ctypes.c_uint32),
                ("rank", ctypes.c_uint32), ("first_element", ctypes.c_uint64)]


RULE = (ctypes.c_float * 4)(1, 1, 0, 1)


class Gpu:
    def __init__(self):
        self.driver = ctypes.CDLL("libcuda.so.1")
        device, context, name = ctypes.c_int(), ctypes.c_void_p(), ctypes.create_string_buffer(100)
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDeviceGetName", name, 100, device)
        capability = []
        for which in COMPUTE_CAPABILITY:
            value = ctypes.c_int()
            self.call("cuDeviceGetAttribute", ctypes.byref(value), which, device)
            capability.append(str(value.value))
        self.name, self.architecture = name.value.decode(), "".join(capability)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, function, *arguments):
        status = getattr(self.driver, function)(*arguments)
        if status != 0:
            raise RuntimeError(f"{function}: CUresult {status}")

    def memory(self, size, content=None):
        """Zeros, or the content."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 16)))
        self.fill(address.value, size)
        if content is not None:
            self.call("cuMemcpyHtoD_v2", address, content, ctypes.c_size_t(size))
        return address.value

    def fill(self, address, size):
        self.call("cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(0), ctypes.c_size_t(size))

    def free(self, address):
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def content(self, address, size):
        buffer = ctypes.create_string_buffer(size)
        self.wait()
        self.call("cuMemcpyDtoH_v2", buffer, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return buffer.raw

    def wait(self):
        self.call("cuCtxSynchronize")

    def seconds(self, work):
        """Of what `work` enqueues on the default stream."""
        events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in events:
            self.call("cuEventCreate", ctypes.byref(event), 0)
        self.call("cuEventRecord", events[0], None)
        work()
        self.call("cuEventRecord", events[1], None)
        self.wait()
        milliseconds = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(milliseconds), *events)
        for event in events:
            self.call("cuEventDestroy_v2", event)
        return milliseconds.value * 1e-3


def values(count, with_infinities):
    """Normally distributed, as bytes of float32: 2^18 of them over and over."""
    draw = random.Random(7)
    some = array.array("f", (draw.gauss(0, 1) for _ in range(1 << 18)))
    if with_infinities:
        for at, value in ((5, "inf"), (1000, "nan"), (70000, "-inf"), (70001, "nan")):
            some[at] = float(value)
    return (some * (-(-count // len(some))))[:count].tobytes()


class Case:
    """An operation on a GPU, by any variant's library. `make`: the library that makes what it reads."""

    def __init__(self, gpu, operation, elements, make, with_infinities=False):
        self.gpu, self.operation, self.elements = gpu, operation, elements
        self.codec = operation.codec.encode()
        size = ctypes.c_size_t()
        require_ok(make.gardenhose_cuda_encoded_bytes(self.codec, ctypes.c_size_t(elements), ctypes.byref(size)))
        self.wire_bytes, self.float_bytes = size.value, 4 * elements
        self.inputs = operation.inputs
        held = elements + APART * (self.inputs - 1)
        self.input = values(held, with_infinities)
        self.values = gpu.memory(4 * held, self.input)
        self.scratch_bytes = max(self._scratch_bytes(make, which) for which in ENCODES.values())
        self.scratch = gpu.memory(self.scratch_bytes)
        self.wires = gpu.memory(self.inputs * self.wire_bytes)
        self.results = gpu.memory(self.float_bytes)  # sums, or the residual
        self.is_encode = operation.name in ENCODES
        for i in range(0 if self.is_encode else self.inputs):
            self._encode(make, self.values + 4 * APART * i, self.wires + i * self.wire_bytes)

    def _scratch_bytes(self, library, which):
        size = ctypes.c_size_t()
        library.gardenhose_cuda_scratch_bytes(self.codec, which, ctypes.c_size_t(self.elements),
                                              ctypes.byref(size))
        return size.value

    def _encode(self, library, values_at, wire_at):
        require_ok(library.gardenhose_cuda_encode(
            self.codec, *addresses(values_at, self.elements), ctypes.byref(Key()),
            *addresses(wire_at, self.wire_bytes, self.scratch, self.scratch_bytes), None))

    def run(self, library):
        name, n = self.operation.name, self.elements
        if name == "encode":
            self._encode(library, self.values, self.wires)
        elif name == "encode_feedback":
            require_ok(library.gardenhose_cuda_encode_feedback(
                self.codec, RULE, *addresses(self.values, n), ctypes.byref(Key()),
                *addresses(self.results, self.wires, self.wire_bytes, self.scratch, self.scratch_bytes), None))
        elif name == "decode":
            require_ok(library.gardenhose_cuda_decode(
                self.codec, *addresses(self.wires, self.wire_bytes, self.results, n), None))
        else:
            require_ok(library.gardenhose_cuda_decode_reduce(
                self.codec, *addresses(self.wires, self.inputs * self.wire_bytes, self.inputs, self.results, n),
                None))

    def written(self, library):
        """Digest of all that the operation writes."""
        self.gpu.fill(self.results, self.float_bytes)
        if self.is_encode:
            self.gpu.fill(self.wires, self.wire_bytes)
        self.run(library)
        wire = self.gpu.content(self.wires, self.wire_bytes) if self.is_encode else b""
        return digest(wire, self.gpu.content(self.results, self.float_bytes))

    def expected(self, reference):
        """The same by the library for CPUs; None where it has no such codec."""
        wires = ctypes.create_string_buffer(self.inputs * self.wire_bytes)
        results = ctypes.create_string_buffer(self.float_bytes)
        n, size, key = ctypes.c_size_t(self.elements), ctypes.c_size_t(self.wire_bytes), ctypes.byref(Key())
        statuses = []
        for i in range(self.inputs):
            at = ctypes.c_char_p(self.input[4 * APART * i:][:self.float_bytes])
            wire = ctypes.byref(wires, i * self.wire_bytes)
            if self.operation.name == "encode_feedback":
                statuses.append(reference.gardenhose_encode_feedback(self.codec, RULE, at, n, key, results, wire,
                                                                     size, 1))
            else:
                statuses.append(reference.gardenhose_encode(self.codec, at, n, key, wire, size, 1))
        if not self.is_encode:
            statuses.append(reference.gardenhose_decode_reduce(
                self.codec, wires, ctypes.c_size_t(len(wires)), ctypes.c_size_t(self.inputs), results, n, 1))
        return None if any(statuses) else digest(wires.raw if self.is_encode else b"", results.raw)

    def free(self):
        for address in (self.values, self.scratch, self.wires, self.results):
            self.gpu.free(address)


def addresses(*numbers):
    return [ctypes.c_size_t(number) for number in numbers]


def digest(*parts):
    return hashlib.sha256(b"".join(parts)).hexdigest()


def require_ok(status):
    if status != 0:
        raise RuntimeError(f"gardenhose_status {status}")


class Timed(typing.NamedTuple):
    variant: tune_space.Variant
    operation: tune_space.Operation
    seconds: tuple = ()  # of each round
    why_not: str = ""


def why_not(case, library, expected):
    try:
        return "" if case.written(library) in expected else "writes other bytes"
    except RuntimeError as error:
        return str(error)


def timed(gpu, libraries, operation, reference):
    """[Timed] of {variant: library}, the default's first: in rounds of all that write what they should."""
    default = next(library for variant, library in libraries.items() if variant.is_default)
    small = Case(gpu, operation, CHECKED, default, with_infinities=True)
    expected = small.expected(reference) if reference else None
    refused = {variant: why_not(small, library, {expected or small.written(default)})
               for variant, library in libraries.items()}
    small.free()
    case = Case(gpu, operation, ELEMENTS, default)
    expected = {case.written(default)}
    refused = {variant: refused[variant] or why_not(case, library, expected)
               for variant, library in libraries.items()}
    taken = [variant for variant in libraries if not refused[variant]]
    seconds = rounds(gpu, {variant: (lambda one=libraries[variant]: case.run(one)) for variant in taken}, ROUNDS)
    case.free()
    return [Timed(variant, operation, tuple(seconds.get(variant, ())), refused[variant]) for variant in libraries]


def rounds(gpu, runs, count):
    """Seconds of each of `runs`, in `count` rounds that each begin with another."""
    launches = {}
    for name, run in runs.items():
        run()
        launches[name] = max(1, round(SAMPLE_S / max(gpu.seconds(run), 1e-6)))
    names, seconds = list(runs), {name: [] for name in runs}
    for turn in range(count):
        for name in names[turn % len(names):] + names[:turn % len(names)]:
            def work(name=name):
                for _ in range(launches[name]):
                    runs[name]()
            runs[name]()
            seconds[name].append(gpu.seconds(work) / launches[name])
    return seconds


def ratios(one, default):
    """(quartile, median, quartile) of a variant's times over the default's of the same rounds."""
    of_rounds = [a / b for a, b in zip(one.seconds, default.seconds)]
    return tuple(statistics.quantiles(of_rounds, n=4)) if of_rounds else None
