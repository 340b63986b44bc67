// What tensor-parallel ranks send each other after each block of a layer: an all_reduce of the
// activations, or with sequence parallelism a reduce_scatter and the next block's all_gather, which
// together send as much. Where the scheme names a codec for them, each rank sends every other one its
// part, sums what it gets and encodes it again, and all gather it:
//
//   tensor        [all_to_all]               [all_gather]
//   tensor_codec  [encode]        [sum, encode]            [decode]
#pragma once

#include <string>

#include "sim/schemes/step.hpp"

namespace sim {

class TensorMessages {
 public:
  // `activation_bytes`: BF16 of one micro-batch between two layers, over all tensor-parallel ranks.
  TensorMessages(Step& step, double activation_bytes)
      : step_(step), bytes_(activation_bytes), coded_(!wire().is_plain()) {}

  // Of the stage's groups, after what the compute stream holds, whose next kernels run beside it
  // until wait().
  void exchange(int stage, const std::string& label);
  // The stage's next kernels wait for what was exchanged.
  void wait(int stage);

 private:
  [[nodiscard]] const Wire& wire() const { return step_.scheme.activations.tensor; }
  void exchange_coded(const Communicator& group, const std::string& label);

  Step& step_;
  double bytes_;
  bool coded_;
};

// Where what a stage computed last, and its ranks summed, is ready to be sent.
[[nodiscard]] Stream last_stream(const Step& step);

}  // namespace sim
