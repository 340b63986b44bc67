// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "sim/workload/model.hpp"
#include "sim/workload/parameters.hpp"
#include "tests/fuzz/reader_fuzz.hpp"

// Whatever model reads, from a model file or a config.json, has parameters and FLOP that can be counted without overflow.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz_reader(bytes, size, [](auto text, const auto& file, auto settings) {
    const sim::Model model = sim::parse_model(text, file, settings);
    if (sim::total_parameters(model) <= 0 || !(sim::model_flop(model, 1) > sim::Flop{})) {
      std::abort();
    }
  });
  return 0;
}
