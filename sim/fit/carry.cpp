// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/carry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim::fit {
namespace {

std::string range_text(int low, int high, const char* what) {
  if (low == high) return fmt::format("{} {}{}", low, what, low == 1 ? "" : "s");
  return fmt::format("{} to {} {}s", low, high, what);
}

Errors errors_of_most(const Cluster& base, const Split& split) {
  const Fit fewer = fit_constants(base, split.used);
  return errors_of(predicted_s(fewer.cluster, split.held), measured_s(split.held),
                   bytes_of(split.held));
}

// Fixed costs and the latency of steps grow differently with GPUs, but not within one number.
void note_latencies(const Fit& fit, std::vector<std::string>& lines) {
  std::vector<std::string_view> together;
  for (const KeptConstant& one : fit.kept) {
    if (one.because == Kept::not_alone && one.constant->measure == Measure::seconds) {
      together.push_back(one.constant->key);
    }
  }
  if (together.empty()) return;
  lines.push_back(fmt::format(
      "On other numbers of GPUs, small sizes rest on {} of the base: the times do not separate "
      "{} from fixed costs.",
      joined(together), together.size() == 1 ? "it" : "them"));
}

// How many nodes messages reach without a switch beyond those that the logs' messages crossed.
void note_switches(const Cluster& base, const Carry& carry, std::vector<std::string>& lines) {
  const Network& network = base.network;
  if (carry.most_nodes < 2) {
    lines.emplace_back(
        "No time crossed the network: times on several nodes rest on the base's network.");
    return;
  }
  const bool leaves = network.fabric->takes("nodes_per_leaf");
  if (!leaves || base.nodes <= carry.most_nodes) return;
  if (carry.most_nodes > network.nodes_per_leaf) return;
  lines.push_back(fmt::format(
      "The logs' nodes may lie under one leaf, which has {}: beyond it, times rest on the base's "
      "network.switch_latency and oversubscription.",
      network.nodes_per_leaf));
}

}  // namespace

Carry carry_of(const Cluster& base, const Fit& fit, std::span<const Log> logs) {
  require(!logs.empty(), "a fit has logs");
  const auto [few, many] = std::ranges::minmax(logs, {}, &Log::gpus);
  const auto [low, high] = std::ranges::minmax(logs, {}, &Log::nodes);
  Carry carry{few.gpus(), many.gpus(), low.nodes, high.nodes};
  carry.lines.push_back(fmt::format("The constants are those of {} on {}.",
                                    range_text(carry.fewest_gpus, carry.most_gpus, "GPU"),
                                    range_text(carry.fewest_nodes, carry.most_nodes, "node")));
  if (const Split split = hold_out_most_gpus(logs); !split.held.empty()) {
    carry.to_most_gpus = errors_of_most(base, split);
    const int below = std::ranges::max(split.used, {}, &Log::gpus).gpus();
    carry.lines.push_back(fmt::format(
        "Fitted without the times on {} GPUs, it predicts them from {} GPUs or fewer within {:.0f} "
        "% on average.",
        carry.most_gpus, below, 100 * carry.to_most_gpus->mean));
  } else {
    carry.lines.emplace_back(
        "Times on other numbers are extrapolated by the cost functions; a log of another number of "
        "GPUs would test that.");
  }
  note_latencies(fit, carry.lines);
  note_switches(base, carry, carry.lines);
  return carry;
}

}  // namespace sim::fit
