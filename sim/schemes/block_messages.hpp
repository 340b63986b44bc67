// SPDX-License-Identifier: Apache-2.0
// Messages after each block of a layer, between ranks along the axes that have any.
#pragma once

#include <string>

#include "sim/schemes/step.hpp"

namespace sim {

// What the ranks along an axis exchange after each block of a layer.
struct BlockExchange {
  // Appends the exchange, from the compute stream's current position on. `bytes`: the activations of
  // one micro-batch in BF16 between two layers, over all tensor-parallel ranks.
  void (*append)(Step& step, const Communicator& group, double bytes,
                 const std::string& label) = nullptr;
  // The stream of its last operation.
  Stream (*stream)(const Step& step) = nullptr;
};

class BlockMessages {
 public:
  BlockMessages(Step& step, double activation_bytes) : step_(step), bytes_(activation_bytes) {}

  [[nodiscard]] bool any() const { return !step_.blocks.empty(); }
  // Exchanges within the stage's groups; the next kernels of its compute stream run beside the
  // exchange until wait().
  void exchange(int stage, const std::string& label);
  // The stage's next kernels wait for the exchange.
  void wait(int stage);

 private:
  Step& step_;
  double bytes_;
};

// With what the rank's last result is ready to be sent to another stage.
[[nodiscard]] OperationId after_blocks(Step& step, int rank);

}  // namespace sim
