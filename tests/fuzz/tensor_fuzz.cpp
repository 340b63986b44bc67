// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "apps/codec_error/tensors.hpp"
#include "tests/fuzz/reader_fuzz.hpp"

// The input is a sidecar, then the .npy file from its first byte on, which no sidecar need hold. A
// tensor that reads has values to measure errors on, as many as its shape says.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const std::size_t split = std::min(input.find('\x93'), size);
  try {
    const codecs::Tensor tensor =
        apps::parse_tensor(input.substr(split), input.substr(0, split), "fuzz.npy");
    std::size_t elements = 1;
    for (const std::size_t dimension : tensor.shape) elements *= dimension;
    const bool sound =
        elements == tensor.values.size() && !tensor.shape.empty() && !tensor.source.empty() &&
        std::ranges::all_of(tensor.values, [](float x) { return std::isfinite(x); }) &&
        std::ranges::any_of(tensor.values, [](float x) { return x != 0; });
    if (!sound) std::abort();
  } catch (const sim::InputError& error) {
    require_located(error.what(), {"fuzz.npy:", "fuzz.json:"});
  }
  return 0;
}
