// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "sim/base/printable.hpp"
#include "sim/times/wire.hpp"
#include "tests/fuzz/reader_fuzz.hpp"

namespace {

bool is_sound(const sim::CodecCard& card) {
  sim::Gpu gpu;
  gpu.name = "another";
  gpu.memory_bandwidth = sim::Bandwidth::from_base(4e12);
  const double mean = sim::mean_bits(card);
  bool sound = card.bits_per_element.front() - 1e-9 <= mean &&
               mean <= sim::largest_bits(card, 64) + 1e-9 &&
               sim::largest_bits(card, 64) <= card.bits_per_element.back() + 1e-9;
  for (const auto& [step, times] : card.steps) {
    for (const double elements : {1.0, 1e6, 1e12}) {
      const double seconds = sim::interpolated(times, elements);
      sound = sound && std::isfinite(seconds) && seconds > 0;
    }
    // Each size is larger than the one before.
    sound = sound && std::ranges::adjacent_find(times, std::ranges::greater_equal{},
                                                &sim::KernelTime::elements) == times.end();
  }
  const bool complete = card.steps.contains("encode") && card.steps.contains("decode");
  return sound && complete == card.has_times();
}

}  // namespace

// The input is a card, then after the first NUL byte its times. A card that reads has no times at all, or
// one for every step and size.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const std::size_t split = std::min(input.find('\0'), size);
  const std::string times(input.substr(std::min(split + 1, size)));
  std::string times_file = "fuzz.toml";
  try {
    const sim::CodecCard card = sim::parse_codec_card(input.substr(0, split), "fuzz.toml",
                                                      [&](const std::filesystem::path& file) {
                                                        times_file = sim::printable_path(file);
                                                        return times;
                                                      });
    if (!is_sound(card)) std::abort();
  } catch (const sim::InputError& error) {
    require_located(error.what(), {"fuzz.toml:", times_file + ":"});
  }
  return 0;
}
