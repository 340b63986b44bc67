// SPDX-License-Identifier: Apache-2.0
// Two sites of different clusters and a line between them, as text and as what is read from it.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/topology/wide_area.hpp"
#include "tests/shipped_files.hpp"

// One line a key, every value unlike every other, so that two fields taken for each other show.
inline constexpr const char* kSampleArea = R"(summary = "for tests"
[wan]
transport = "tcp"
sender = "node"
[tcp]
streams = 3
window = "5 MiB"
segment = "1448 B"
congestion_control = "reno"
[sites.east]
count = 2
cluster = "dgx_a100_x16"
nodes = 4
power_cap = "6.4 kW"
uplink = "10 Gbps"
downlink = "20 Gbps"
egress = "0.05 USD/GB"
region = "atlantic"
speed = 0.5
late = "7 s"
drops_out = "90 s"
stays = "8 h"
returns_after = "3 h"
micro_batch = 21
accumulation = 22
tp = 23
pp = 24
zero = 1
inner_scheme = "sdp4bit"
inner_steps = 25
changes = ["100 s: 0.5", "200 s: 0", "260 s: 1"]
repeats = "600 s"
[sites.west]
cluster = "dgx_h100_x16"
uplink = "30 Gbps"
downlink = "40 Gbps"
egress = "0.07 USD/GB"
[backbone]
latency = "8 ms"
loss = 0.001
[links.line]
between = ["east", "west"]
bandwidth = "50 Gbps"
latency = "9 ms"
loss = 0.002
background = 0.25
price = "6 USD/h"
changes = ["11 s: 0.75"]
dead = false
[membership]
detection = "4 s"
checkpoint_rounds = 26
checkpoint_bandwidth = "11 Gbps"
checkpoint_asynchronous = true
[store]
upload = "60 Gbps"
download = "70 Gbps"
request = "12 ms"
latency = "13 ms"
egress = "0.01 USD/GB"
[syncer]
uplink = "80 Gbps"
downlink = "90 Gbps"
latency = "14 ms"
egress = "0.02 USD/GB"
memory_bandwidth = "300 GBps"
)";

namespace sim {

inline std::filesystem::path sample_cluster_file(const std::string& name) {
  const auto file = source_directory() / "topologies" / (name + ".toml");
  if (!std::filesystem::exists(file)) throw InputError("nothing is called " + printable(name));
  return file;
}

inline WideArea read_area(std::string_view text, std::span<const Setting> settings = {}) {
  return parse_wide_area(text, "some/test.toml", sample_cluster_file, settings);
}

// The text with the first of each pair replaced by the second; what is not there is a mistake of
// the test.
inline std::string sample_area_with(
    std::initializer_list<std::pair<std::string_view, std::string_view>> changes) {
  std::string text = kSampleArea;
  for (const auto& [from, to] : changes) {
    const auto place = text.find(from);
    if (place == std::string::npos) throw std::logic_error("not in the text: " + std::string(from));
    text.replace(place, from.size(), to);
  }
  return text;
}

}  // namespace sim
