// Times of the codecs' kernels over sizes, each output checked against its reference.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "codecs/cuda/benchmark.hpp"

namespace calibrate {

struct Sizes {
  std::size_t min_bytes = std::size_t{1} << 20;  // of float32 input, over all inputs
  std::size_t max_bytes = std::size_t{1} << 30;
};

// Rows of the table's "codecs", and of its "variants": kernels that are no operation of a
// registered codec (the swizzled encode, the transform alone), with the name of the variant.
struct CodecRows {
  nlohmann::ordered_json codecs;
  nlohmann::ordered_json variants;
};
[[nodiscard]] CodecRows measure_codecs(const codecs::cuda::Benchmark& benchmark,
                                       const Sizes& sizes);

}  // namespace calibrate
