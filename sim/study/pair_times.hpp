// SPDX-License-Identifier: Apache-2.0
// Times of a message from each GPU to each other one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/watch.hpp"
#include "sim/topology/topology.hpp"

namespace sim::study {

// Pairs whose messages cross the same kinds of links with the same latency.
struct PairClass {
  std::string way;   // "nvlink_out, nvlink_in"
  int switches = 0;  // of the network, on the way
  std::int64_t pairs = 0;
  int from = 0, to = 0;  // the first pair
  double fastest_s = 0, slowest_s = 0;
};

struct PairTimes {
  int ranks = 0;
  std::vector<PairClass> classes;
  std::vector<double> seconds;  // from rank f to rank t at f * ranks + t; 0 from a rank to itself

  [[nodiscard]] double at(int from, int to) const {
    return seconds[static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks) +
                   static_cast<std::size_t>(to)];
  }
};

enum class PairsAtOnce {
  one,   // one pair after the other; those of a class are simulated once
  shift  // all ranks send at once, each to the one `k` further on, for each k
};

[[nodiscard]] PairTimes pair_times(const Topology& topology, double bytes, PairsAtOnce at_once,
                                   const Watch& watch = {});

}  // namespace sim::study
