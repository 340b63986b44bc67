// SPDX-License-Identifier: Apache-2.0
// A card and its times, as files of tests hold them.
#pragma once

#include <string>
#include <string_view>

#include "sim/times/codec_card.hpp"
#include "tests/input_errors.hpp"

namespace sim {

inline constexpr std::string_view kSampleCard = R"(summary = "a test's"

[wire]
bits_per_element = [6, 7, 10]
overhead = "64 B"
summable = false

[times]
gpu = "measured GPU"
memory_bandwidth = "2 TBps"
file = "sample.csv"

[error]
normal = 0.25
student_t3 = 0.5
)";

inline constexpr std::string_view kSampleTimes = R"(# by hand
step,inputs,elements,seconds
encode,1,1e8,1e-3
encode,1,1e6,1e-5
decode,1,1e6,2e-5
decode_reduce,4,1e6,5e-5
)";

// As if they were some/sample.toml and some/sample.csv.
inline CodecCard read_card(std::string_view card = kSampleCard,
                           std::string_view times = kSampleTimes) {
  return parse_codec_card(card, "some/sample.toml", [&](const std::filesystem::path& file) {
    EXPECT_EQ(file, "some/sample.csv");
    return std::string(times);
  });
}

// `text` with the first `from` replaced.
inline std::string with(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed(text);
  const auto place = changed.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return place == std::string::npos ? changed : changed.replace(place, from.size(), to);
}

}  // namespace sim
