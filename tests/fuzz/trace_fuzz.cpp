// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>

#include "sim/base/gzip.hpp"
#include "sim/trace/summary.hpp"
#include "tests/fuzz/reader_fuzz.hpp"

// The input is a trace, or gzip's bytes of one. What reads has kernels with
// a time.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  constexpr std::size_t kMost = 1 << 22;
  try {
    const std::string text =
        sim::unpacked(std::string(reinterpret_cast<const char*>(bytes), size), "fuzz.json", kMost);
    const sim::trace::Trace trace = sim::trace::parse_trace(text, "fuzz.json");
    const sim::trace::Summary summary = sim::trace::summarize({&trace, 1});
    if (summary.classes.empty() || std::isnan(summary.kernels_s)) std::abort();
  } catch (const sim::InputError& error) {
    require_located(error.what(), {"fuzz.json:"});
  }
  return 0;
}
