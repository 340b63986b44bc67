// SPDX-License-Identifier: Apache-2.0
// Wide areas and rounds for tests: sites of which only what a test says limits anything.
#pragma once

#include <string>
#include <vector>

#include "sim/rounds/simulate_round.hpp"

namespace sim {

inline constexpr double kUnlimited = 1e18;
inline constexpr double kGB = 1e9;

// `count` sites of one GPU with lines of that rate into a backbone of that latency, whose
// connections limit nothing.
inline WideArea equal_sites(int count, double line_Bps, Seconds latency = {}) {
  const Bandwidth line = Bandwidth::from_base(line_Bps);
  WideArea area = sites_of_lines(count, line, line);
  area.transport.kind = Transport::Kind::rdma;
  area.transport.rdma = {.buffer = Bytes{1'000'000'000'000}, .channels = 1000};
  area.backbone->latency = latency;
  return area;
}

// Three sites with lines of 10 GB/s by name, so that one of them can differ.
inline WideArea three_sites() {
  WideArea area = equal_sites(1, 10 * kGB);
  for (const char* name : {"b", "c"}) {
    area.sites.push_back(area.sites.front());
    area.sites.back().name = name;
  }
  return area;
}

// The same with a storage and a syncer, of which only what the syncer sends takes time.
inline WideArea three_served_sites() {
  WideArea area = three_sites();
  area.store = Store{.upload = Bandwidth::from_base(kUnlimited),
                     .download = Bandwidth::from_base(kUnlimited)};
  area.syncer = Syncer{.uplink = Bandwidth::from_base(10 * kGB),
                       .downlink = Bandwidth::from_base(kUnlimited)};
  return area;
}

// Sites a, b, c... with fast lines, and a link of its own between each pair, of a rate in GB/s.
template <class Rate>
WideArea sites_with_links(int count, Rate rate) {
  WideArea area = equal_sites(1, 1000e9);
  const Site site = area.sites.front();
  area.sites.clear();
  for (int i = 0; i < count; ++i) {
    area.sites.push_back(site);
    area.sites.back().name = std::string(1, static_cast<char>('a' + i));
  }
  for (int i = 0; i < count; ++i) {
    for (int j = i + 1; j < count; ++j) {
      const auto& a = area.sites[static_cast<std::size_t>(i)].name;
      const auto& b = area.sites[static_cast<std::size_t>(j)].name;
      area.links.push_back(
          {.name = a + b, .between = {a, b}, .bandwidth = Bandwidth::from_base(rate(i, j) * 1e9)});
    }
  }
  return area;
}

// With the optimizer that a scheme is defined with.
inline Parallelism optimized_for(const Scheme& scheme, Parallelism parallelism = {}) {
  parallelism.optimizer = scheme.between_sites->optimizer.value_or(parallelism.optimizer);
  return parallelism;
}

// Steps of a second, and `bytes` whole, in as many parts as there are sites.
inline RoundShape equal_rounds(const Exchange* exchange, int places, int inner_steps,
                               double bytes) {
  const SiteWork work{.step_s = 1,
                      .ready_s = {1},
                      .needed_s = 1,
                      .whole_bytes = bytes,
                      .part_bytes = bytes / places};
  return {.exchange = exchange,
          .inner_steps = inner_steps,
          .fan_out = 2,
          .gpus = places,
          .sites = std::vector<SiteWork>(static_cast<std::size_t>(places), work)};
}

// Ten steps, and 10 GB of each of three sites.
inline RoundShape ten_steps(const Exchange* exchange) {
  return equal_rounds(exchange, 3, 10, 10 * kGB);
}

}  // namespace sim
