// The table of traces/calibration/codec_error.json: what each codec does to synthetic tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace codecs {

// Seeds and sizes of a table; the provenance in the file names them.
struct ErrorTableSize {
  std::uint64_t seed = 1;
  std::size_t elements = std::size_t{1} << 20;         // of each tensor
  std::size_t rank_elements = std::size_t{1} << 16;    // of each of the 32 ranks' gradients
  std::size_t trained_weights = std::size_t{1} << 15;  // of the Adam trace
};

// {"provenance": ..., "codecs": {codec: {distribution: metrics}},
//  "reductions": {"TLq", "TLq-HS", "ULq": {distribution, distribution + "_half_common": metrics}},
//  "weights": {"bf16", "qW", "qWD": {"lr_6e-4", "lr_6e-5": {"relative_l2"}}}}
[[nodiscard]] nlohmann::ordered_json error_table(const ErrorTableSize& size);

}  // namespace codecs
