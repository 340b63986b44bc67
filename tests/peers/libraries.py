# SPDX-License-Identifier: Apache-2.0
"""Kernels of libraries: torchao, bitsandbytes and fast-hadamard-transform where Python finds them,
CUB through build/gpu/cub_top_k, and DeepSpeed's and SDP4Bit's through the shared libraries that
build_others.sh makes."""

import ctypes
import importlib
import json
import os
import subprocess

import torch

from torch_coder import Unsupported


def module(name):
    try:
        return importlib.import_module(name)
    except Exception as error:  # an extension for another CUDA fails in its own ways
        raise Unsupported(f"not importable: {type(error).__name__}: {str(error)[:120]}") from error


def draw(row, device, dtype=torch.float32):
    return torch.randn(row.elements, device=device, dtype=dtype)


def codec_operation(row, device, encode, decode):
    """Of a library that encodes and decodes whole tensors."""
    if row.variant or row.operation not in ("encode", "decode"):
        raise Unsupported(f"has no {row.operation} {row.variant}")
    if row.operation == "encode":
        return encode, lambda: (draw(row, device),)
    return decode, lambda: (encode(draw(row, device)),)


def torchao(row, device):
    form = row.format
    if form.element == "e4m3" and form.scale == "amax" and form.group == 128:
        kernels = module("torchao.prototype.blockwise_fp8_training.kernels")
        if row.operation != "encode" or row.variant:
            raise Unsupported("its 1 x 128 blocks have no decode of their own")
        return (kernels.triton_fp8_blockwise_act_quant_lhs,
                lambda: (draw(row, device).view(-1, 4096),))
    if form.scale.startswith("e8m0") and form.group == 32 and not form.stochastic:
        return torchao_mx(row, device)
    if form.scale == "e4m3_tensor" and not form.stochastic:
        nvfp4 = module("torchao.prototype.mx_formats.nvfp4_tensor")

        def encode(x):
            total = nvfp4.per_tensor_amax_to_scale(x.abs().amax())
            return nvfp4.nvfp4_quantize(x.view(-1, 4096), per_tensor_scale=total)

        if row.operation != "encode" or row.variant:
            raise Unsupported("has no decode without its tensor class")
        return torch.compile(encode, dynamic=False), lambda: (draw(row, device),)
    raise Unsupported("no such format there")


def torchao_mx(row, device):
    """Made to be compiled, and so they are."""
    mx = module("torchao.prototype.mx_formats.mx_tensor")
    mode = module("torchao.prototype.mx_formats.config").ScaleCalculationMode
    form = row.format
    element = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2,
               "e2m1": torch.float4_e2m1fn_x2}[form.element]
    scaling = {"e8m0_floor": mode.FLOOR, "e8m0_ceil": mode.RCEIL, "e8m0_even": mode.EVEN}

    def encode(x):
        return mx.to_mx(x.view(-1, 4096), element, 32, scaling[form.scale])

    def decode(wire):
        return mx.to_dtype(wire[1], wire[0], element, 32, torch.float32)

    return codec_operation(row, device, torch.compile(encode, dynamic=False),
                           torch.compile(decode, dynamic=False))


def bitsandbytes(row, device):
    form = row.format
    if form.element not in ("nf4", "dynamic8") or form.group > 4096 or form.group < 64:
        raise Unsupported("no such format there")
    functional = module("bitsandbytes.functional")
    if form.element == "nf4":
        return codec_operation(
            row, device, lambda x: functional.quantize_4bit(x, blocksize=form.group,
                                                            quant_type="nf4"),
            lambda wire: functional.dequantize_4bit(*wire))
    return codec_operation(row, device,
                           lambda x: functional.quantize_blockwise(x, blocksize=form.group),
                           lambda wire: functional.dequantize_blockwise(*wire))


def fast_hadamard(row, device):
    if row.variant != "hadamard_alone":
        raise Unsupported("only transforms")
    transform = module("fast_hadamard_transform").hadamard_transform
    return transform, lambda: (draw(row, device).view(-1, row.format.block),)


def cub_top_k(row, program):
    """{name: (median_s, spread_s)}: the program times itself by the same method."""
    form = row.format
    if (row.operation, form.keep, form.group) != ("encode_feedback", 64, 4096):
        raise Unsupported("written for 64 of 4096 with error feedback")
    if not os.access(program, os.X_OK):
        raise Unsupported("build/gpu/cub_top_k is missing; tests/gpu.sh --build makes it")
    done = subprocess.run([program, str(row.elements)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unsupported(f"cub_top_k failed: {done.stderr.strip()[:200]}")
    return {name: (times["median_s"], times["spread_s"])
            for name, times in json.loads(done.stdout).items()}


class Foreign:
    """A library of build_others.sh; its functions take pointers, sizes and the stream."""

    def __init__(self, folder, name):
        path = os.path.join(folder or "", f"lib{name}.so")
        if not folder or not os.path.exists(path):
            raise Unsupported(f"lib{name}.so is not built: tests/peers/build_others.sh")
        try:
            self.functions = ctypes.CDLL(path)
        except OSError as error:
            raise Unsupported(str(error)) from error

    def __call__(self, function, tensors, *sizes):
        call = getattr(self.functions, function)
        call.restype = None
        call(*(ctypes.c_void_p(t.data_ptr()) for t in tensors),
             *(ctypes.c_longlong(size) for size in sizes),
             ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        return tensors


def integers(row, full, stochastic):
    """A peer's integer groups: their grid and rounding, whether transformed."""
    form = row.format
    scale = "amax_full" if full else "amax"
    if form.element not in ("int4", "int8") or form.scale != scale or form.keep:
        raise Unsupported("no such format there")
    if form.stochastic != stochastic or form.rotation not in ("none", "hadamard"):
        raise Unsupported("rounds or transforms in another way")
    return form


def wires(row, form, device, fill):
    """Room for the row's inputs, filled with numbers that any code may be."""
    payload = row.elements * form.bits // 8 * row.inputs
    code = torch.randint(-128, 128, (payload if fill else payload + 1,), dtype=torch.int8,
                         device=device)[:payload]
    return code, torch.rand(row.inputs * row.elements // form.group, device=device)


def sdp4bit(row, device, folder):
    form = integers(row, full=False, stochastic=True)
    library = Foreign(folder, "sdp4bit")
    n, turned = row.elements, int(form.rotation == "hadamard")
    if form.group % 128 or (turned and form.group != 128):
        raise Unsupported("written for other groups")
    if row.variant == "swizzled":  # 4 nodes of 8 GPUs, as gardenhose-calibrate measures
        return (lambda x, q, s: library("swizzled", (x, q, s), n, form.group, form.bits, turned),
                lambda: (draw(row, device), *wires(row, form, device, False)))
    if row.variant:
        raise Unsupported(f"has no {row.variant}")
    if row.operation == "encode":
        return (lambda x, q, s: library("encode", (x, q, s), n, form.group, form.bits, turned),
                lambda: (draw(row, device), *wires(row, form, device, False)))
    if row.operation == "decode" and not turned:
        return (lambda q, s, out: library("decode", (q, s, out), n, form.group, form.bits),
                lambda: (*wires(row, form, device, True), draw(row, device)))
    if row.operation == "decode_reduce" and row.inputs in (1, 2, 4, 8, 16):
        return (lambda q, s, out: library("reduce", (q, s, out), n, form.group, form.bits, turned,
                                          row.inputs),
                lambda: (*wires(row, form, device, True), draw(row, device)))
    if row.operation == "decode_reduce_encode" and row.inputs in (1, 2, 4, 8, 16):
        to = row.format_to
        if to.group != form.group:
            raise Unsupported("encodes again in the same groups only")
        return (lambda q, s, p, t: library("reduce_encode", (q, s, p, t), n, form.group, form.bits,
                                           to.bits, row.inputs),
                lambda: (*wires(row, form, device, True), *wires(row, to, device, False)))
    raise Unsupported(f"no wrapper for its {row.operation}: its interface is PyTorch's lists")


def deepspeed(row, device, folder):
    """Values of 16 bits, to the nearest code."""
    form = integers(row, full=True, stochastic=False)
    library = Foreign(folder, "deepspeed")
    n = row.elements
    if row.variant or form.rotation != "none":
        raise Unsupported("has no such variant")
    if row.operation == "encode":
        return (lambda x, q, s: library("encode", (x, q, s), n, form.group, form.bits),
                lambda: (draw(row, device, torch.half), *wires(row, form, device, False)))
    if row.operation == "decode":
        return (lambda q, s, out: library("decode", (q, s, out), n, form.group, form.bits),
                lambda: (*wires(row, form, device, True), draw(row, device, torch.half)))
    if row.operation == "decode_reduce_encode" and row.to == row.codec:
        return (lambda q, s, p, t: library("reduce_encode", (q, s, p, t), n, form.group, form.bits,
                                           row.inputs),
                lambda: (*wires(row, form, device, True), *wires(row, form, device, False)))
    raise Unsupported(f"has no {row.operation}")
