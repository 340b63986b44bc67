// SPDX-License-Identifier: Apache-2.0
// Quantised weights and gradients without feedback: QSDP, all_reduces of integers, and formats that
// GPUs multiply.
#include "sim/schemes/rows.hpp"

namespace sim {

// arXiv 2302.02390: 8 bits from the minimum to the maximum of 1024, FSDP's weights and gradients.
Scheme qsdp() {
  return {.name = "qsdp",
          .summary = "QSDP: INT8 weights and gradients of fully sharded layers",
          .source = "arXiv 2302.02390",
          .zero = {3},
          .weights = {.wire = wire("int8_minmax_g1024")},
          .gradients = by_all_to_all(wire("int8_minmax_g1024_sr")),
          .twin = "sharded"};
}

// CGX's scatter, reduce and gather (arXiv 2111.08617, section 4), with groups of 512.
Scheme int8_all_reduce() {
  return {.name = "int8_all_reduce",
          .summary = "plain data parallelism, gradients as INT8: all_to_all, local sum, all_gather",
          .source = "arXiv 2111.08617",
          .zero = {0},
          .gradients = by_all_to_all(wire("int8_g512_sr")),
          .twin = "data_parallel"};
}

Scheme int4_all_reduce() {
  return {.name = "int4_all_reduce",
          .summary = "int8_all_reduce with INT4",
          .source = "arXiv 2111.08617",
          .zero = {0},
          .gradients = by_all_to_all(wire("int4_minmax_g512_sr")),
          .twin = "data_parallel"};
}

// Weights as the products of `precision` take them; decoded to BF16 where those are others.
Scheme fp8_gather() {
  return {.name = "fp8_gather",
          .summary = "weights as FP8 E4M3, one scale per tensor",
          .source = "Transformer Engine, FP8 primary weights",
          .zero = {1, 2, 3},
          .weights = {.wire = wire("fp8_e4m3")},
          .twin = "sharded"};
}

Scheme mxfp8_gather() {
  return {.name = "mxfp8_gather",
          .summary = "weights as MXFP8, scaled row-wise and column-wise, for MXFP8 products",
          .source = "OCP MX 1.0; Transformer Engine's MXFP8 recipe",
          .zero = {1, 2, 3},
          .weights = {.wire = wire("mxfp8")},
          .twin = "sharded"};
}

Scheme nvfp4_gather() {
  return {.name = "nvfp4_gather",
          .summary = "weights as NVFP4, one E4M3 scale per 16 elements",
          .source = "arXiv 2509.25149",
          .zero = {1, 2, 3},
          .weights = {.wire = wire("nvfp4")},
          .twin = "sharded"};
}

// FP8-LM's wire for gradients (arXiv 2310.18313), here with a scale for 128 and a sum in FP32.
Scheme fp8_gradients() {
  return {.name = "fp8_gradients",
          .summary = "gradients as FP8 E5M2 via all_to_all, summed in FP32",
          .source = "arXiv 2310.18313",
          .zero = {1, 2, 3},
          .gradients = by_all_to_all(wire("fp8_e5m2_g128")),
          .twin = "sharded"};
}

Scheme mxfp4_gradients() {
  return {.name = "mxfp4_gradients",
          .summary = "gradients as MXFP4, stochastically rounded, via all_to_all, summed in FP32",
          .source = "OCP MX 1.0",
          .zero = {1, 2, 3},
          .gradients = by_all_to_all(wire("mxfp4_sr")),
          .twin = "sharded"};
}

}  // namespace sim
