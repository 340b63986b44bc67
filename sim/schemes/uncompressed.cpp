// SPDX-License-Identifier: Apache-2.0
// Data parallelism without compression.
#include "sim/schemes/rows.hpp"

namespace sim {

// PyTorch's DistributedDataParallel: every rank updates everything (Li et al. 2006.15704).
Scheme plain_data_parallel() {
  return {.name = "data_parallel",
          .summary = "uncompressed, unsharded: ring all_reduce of gradients",
          .source = "arXiv 2006.15704",
          .zero = {0},
          .twin = "data_parallel"};
}

// As Megatron's distributed optimizer and FSDP do it: gradients are reduce-scattered in the precision
// of their buffer, weights gathered in BF16.
Scheme sharded() {
  return {
      .name = "sharded",
      .summary = "uncompressed: ring reduce_scatter of gradients, ring all_gather of BF16 weights",
      .source = "arXiv 1910.02054",
      .zero = {1, 2, 3},
      .twin = "sharded"};
}

// BF16 on the wire halves the bytes of an FP32 reduction, and the sum stays in FP32.
Scheme sharded_all_to_all() {
  return {
      .name = "sharded_all_to_all",
      .summary =
          "gradients via all_to_all in BF16, summed locally in FP32, ring all_gather of weights",
      .source = "arXiv 2410.15526, SDP4Bit without its codecs",
      .zero = {1, 2, 3},
      .gradients = by_all_to_all({formats::kBf16}),
      .twin = "sharded_all_to_all"};
}

}  // namespace sim
