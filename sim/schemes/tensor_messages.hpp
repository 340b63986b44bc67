// SPDX-License-Identifier: Apache-2.0
// Messages between tensor-parallel ranks after each block of a layer: an all_reduce of the
// activations, or with sequence parallelism a reduce_scatter and the next block's all_gather, with
// the same bytes in total. If the scheme names a codec for them, each rank sends every other rank
// its part, sums what it receives, encodes the sum, and all ranks gather it:
//
//   tensor        [all_to_all]               [all_gather]
//   tensor_codec  [encode]        [sum, encode]            [decode]
#pragma once

#include <string>

#include "sim/schemes/step.hpp"

namespace sim {

class TensorMessages {
 public:
  // `activation_bytes`: one micro-batch in BF16 between two layers, over all tensor-parallel ranks.
  TensorMessages(Step& step, double activation_bytes)
      : step_(step), bytes_(activation_bytes), coded_(!wire().is_plain()) {}

  // Exchanges within the stage's groups, from the compute stream's current position on; its next
  // kernels run beside the exchange until wait().
  void exchange(int stage, const std::string& label);
  // The stage's next kernels wait for the exchange.
  void wait(int stage);

 private:
  [[nodiscard]] const Wire& wire() const { return step_.scheme.activations.tensor; }
  void exchange_coded(const Communicator& group, const std::string& label);

  Step& step_;
  double bytes_;
  bool coded_;
};

// Where a stage's last result, summed over its ranks, is ready to be sent.
[[nodiscard]] Stream last_stream(const Step& step);

}  // namespace sim
