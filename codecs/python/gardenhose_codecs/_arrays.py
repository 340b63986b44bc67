# SPDX-License-Identifier: Apache-2.0
"""Memory of NumPy arrays and PyTorch tensors, neither of which is imported here: whoever passes one
has done so."""
import sys

ALIGNMENT = 16  # bytes, on GPUs
BYTES = {"float32": 4, "bfloat16": 2, "uint8": 1}


def is_bf16_on_gpu(array):
    torch = sys.modules.get("torch")
    return bool(torch) and isinstance(array, torch.Tensor) and array.is_cuda and (
        array.dtype == torch.bfloat16)


class Memory:
    """Where an array lies. `module` is the one that it is of; `gpu` is its torch.device, or None
    in the host's memory."""

    def __init__(self, name, array, dtype, written=False):
        torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
        if torch and isinstance(array, torch.Tensor):
            self._of_tensor(torch, name, array, written)
        elif numpy and isinstance(array, numpy.ndarray):
            self._of_array(numpy, name, array, written)
        else:
            raise ValueError(f"{name} is a {type(array).__name__}; pass a NumPy array or a PyTorch "
                             "tensor, e.g. numpy.asarray(...) or numpy.frombuffer(...)")
        self.name, self.array = name, array
        self.unit = "bytes" if dtype == "uint8" else "elements"
        self.end = self.address + self.elements * BYTES[dtype]
        if array.dtype != getattr(self.module, dtype):
            raise ValueError(f"{name} is of {array.dtype}; pass {dtype}, {self.convert.format(dtype)}")
        if self.gpu and self.elements > 0 and self.address % ALIGNMENT:
            raise ValueError(f"{name} does not start on {ALIGNMENT} bytes; pass a slice that does, or "
                             "a clone()")

    def _of_tensor(self, torch, name, tensor, written):
        self.module, self.convert = torch, "e.g. x.to(torch.{})"
        if tensor.device.type not in ("cpu", "cuda"):
            raise ValueError(f"{name} is on {tensor.device}; move it to the CPU or to a CUDA device")
        if tensor.layout != torch.strided or not tensor.is_contiguous() or tensor.is_neg():
            raise ValueError(f"{name} is not contiguous; pass x.contiguous(), or for a result a "
                             "contiguous tensor")
        if written and tensor.requires_grad:
            raise ValueError(f"{name} is written, but requires a gradient; pass x.detach()")
        self.gpu = tensor.device if tensor.device.type == "cuda" else None
        self.address, self.elements = tensor.data_ptr(), tensor.numel()

    def _of_array(self, numpy, name, array, written):
        self.module, self.convert, self.gpu = numpy, "e.g. x.astype(numpy.{})", None
        if not array.flags.c_contiguous:
            raise ValueError(f"{name} is not contiguous; pass numpy.ascontiguousarray(x), or for a "
                             "result a contiguous array")
        if written and not array.flags.writeable:
            raise ValueError(f"{name} is written, but is read-only; pass a copy")
        self.address, self.elements = array.ctypes.data, array.size

    def empty(self, elements, dtype):
        """An uninitialised array beside this one."""
        if self.gpu:
            return self.module.empty(elements, dtype=getattr(self.module, dtype), device=self.gpu)
        return self.module.empty(elements, dtype=getattr(self.module, dtype))


def require_apart(memories):
    """All in the host's memory, or all on one GPU, and none in the place of another."""
    places = sorted({str(memory.gpu or "cpu") for memory in memories})
    if len(places) > 1:
        raise ValueError(f"the arrays are on {' and '.join(places)}; move them to one device")
    memories = sorted((memory for memory in memories if memory.elements > 0),
                      key=lambda memory: memory.address)
    for first, second in zip(memories, memories[1:]):
        if first.end > second.address:
            raise ValueError(f"{first.name} and {second.name} overlap; pass arrays that do not")
