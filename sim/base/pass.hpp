// SPDX-License-Identifier: Apache-2.0
// Passes over whole buffers of a training step, and other kernels outside the model, by what they
// are. Their names are for people and for the rows of calibration tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sim {

enum class Pass : std::uint8_t {
  none,
  zero_gradients,
  copy_weights,
  cast_weights,
  unpack_weights,
  keep_secondary_shard,
  accumulate_gradients,
  pack_gradients,
  scale_gradients,
  gradient_norm,
  clip,
  adam,
  muon_momentum,
  newton_schulz,
  muon_update,
  // Between the GPU and its host: these take nothing of the GPU's memory.
  fetch_weights,
  copy_optimizer
};

[[nodiscard]] std::string_view name_of(Pass pass);  // "gradient norm"
[[nodiscard]] std::optional<Pass> pass_named(std::string_view name);

}  // namespace sim
