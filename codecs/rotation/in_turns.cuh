// SPDX-License-Identifier: Apache-2.0
// Wires are added while the loads of the next ones are in flight: a warp alone on its scheduler, as in
// small tensors, would wait for each.
#pragma once

#include <cuda_runtime.h>

namespace codecs::cuda {

// Calls load(input, batch) and add(input, batch) for every kBatch wires of `inputs`. `first` holds
// those from 0; a load beyond the last wire does nothing.
template <int kBatch, typename Batch, typename Load, typename Add>
__device__ void add_in_turns(int inputs, Batch& first, Load load, Add add) {
  Batch second = {};
  for (int input = 0; input < inputs; input += 2 * kBatch) {
    load(input + kBatch, second);
    add(input, first);
    if (input + kBatch >= inputs) return;
    load(input + 2 * kBatch, first);
    add(input + kBatch, second);
  }
}

}  // namespace codecs::cuda
