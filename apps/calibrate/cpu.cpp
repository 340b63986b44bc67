// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/cpu.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <vector>

#include "apps/calibrate/pieces.hpp"

namespace calibrate {
namespace {

constexpr int kRuns = 3;

Time time_of(const std::function<void()>& run) {
  std::vector<double> seconds;
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::sort(seconds);
  return {.median_s = seconds[kRuns / 2],
          .spread_s = seconds.back() - seconds.front(),
          .launches = kRuns};
}

Json measure_references(const Sizes& sizes) {
  const Pattern pattern;
  Json rows = Json::array();
  for (std::size_t bytes = sizes.min_bytes; bytes <= sizes.max_bytes; bytes *= 4) {
    const std::size_t elements = bytes / sizeof(float);
    const std::vector<float> values = pattern.input({0, elements});
    std::vector<float> decoded(elements);
    for (const codecs::Codec* codec : codecs::all_codecs()) {
      const codecs::Format& format = codec->format;
      std::vector<std::byte> wire(codecs::encoded_bytes(format, elements));
      const auto add = [&](codecs::Operation operation, const std::function<void()>& run) {
        const KernelRow row{.codec = codec,
                            .shape = {.operation = operation, .wire = format},
                            .elements = elements};
        rows.push_back(json_of(row, time_of(run)));
      };
      add(codecs::Operation::encode, [&] { codec->encode(format, values, key_of(0, 0), wire); });
      add(codecs::Operation::decode, [&] { codec->decode(format, wire, decoded); });
    }
  }
  return rows;
}

}  // namespace

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

Json cpu_table(const Settings& settings) {
  const std::string processor = processor_name();
  Json table{{"kind", "cpu_reference"}, {"device", processor}};
  table["provenance"] =
      json_of(Provenance{.source = "gardenhose-calibrate --device cpu: median and range of " +
                                   std::to_string(kRuns) + " runs of the references, one thread",
                         .device = processor,
                         .driver = "",
                         .cuda = "",
                         .commit = settings.commit,
                         .command = settings.command});
  table["codecs"] = measure_references(settings.sizes);
  return table;
}

}  // namespace calibrate
