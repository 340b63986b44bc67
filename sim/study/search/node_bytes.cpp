// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/node_bytes.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <variant>
#include <vector>

#include "sim/program/leaving_bytes.hpp"
#include "sim/topology/topology.hpp"

namespace sim::study {
namespace {

// How much of a byte that each rank of a stage exchanges leaves each node, by how ranks take part.
class Leaving {
 public:
  Leaving(const Job& job, const Parallelism& p) : cluster_(job.cluster()) {
    const auto nodes = static_cast<std::size_t>(cluster_.nodes);
    by_stage_.assign(static_cast<std::size_t>(p.pipeline), std::vector<LeavingBytes>(nodes));
    const Factoring factoring = factoring_of(cluster_, p);
    const int shards = shard_ranks(cluster_, p);
    for (const std::vector<int>& ranks : factoring.groups_of_holders(Weights::dense)) {
      const int data = static_cast<int>(ranks.size());
      const int stage = factoring.dense().place(ranks.front(), axes::pipeline);
      std::vector<LeavingBytes>& leaving = by_stage_[static_cast<std::size_t>(stage)];
      for (int first = 0; first < data && shards > 1; first += shards) {
        add(ranks, first, 1, shards, &LeavingBytes::shards, leaving);
      }
      for (int first = 0; first < shards && shards < data; ++first) {
        add(ranks, first, shards, data / shards, &LeavingBytes::replicas, leaving);
      }
      add(ranks, 0, 1, data, &LeavingBytes::same_weights, leaving);
    }
  }

  // From the busiest node.
  [[nodiscard]] double most(const std::vector<LeavingBytes>& exchanged) const {
    double most = 0;
    for (std::size_t node = 0; node < by_stage_.front().size(); ++node) {
      double bytes = 0;
      for (std::size_t stage = 0; stage < by_stage_.size(); ++stage) {
        const LeavingBytes& share = by_stage_[stage][node];
        bytes += share.shards * exchanged[stage].shards +
                 share.replicas * exchanged[stage].replicas +
                 share.same_weights * exchanged[stage].same_weights;
      }
      most = std::max(most, bytes);
    }
    return most;
  }

 private:
  // Of `count` ranks, from place `first` on, `stride` apart.
  void add(const std::vector<int>& ranks, int first, int stride, int count,
           double LeavingBytes::*how, std::vector<LeavingBytes>& leaving) const {
    std::vector<int> held(leaving.size());
    for (int i = 0; i < count; ++i) {
      const int rank = ranks[static_cast<std::size_t>(first + i * stride)];
      ++held[static_cast<std::size_t>(node_of(cluster_, rank))];
    }
    for (std::size_t node = 0; node < held.size(); ++node) {
      if (held[node] > 0) leaving[node].*how += static_cast<double>(count - held[node]) / count;
    }
  }

  const Cluster& cluster_;
  std::vector<std::vector<LeavingBytes>> by_stage_;  // and node
};

// What ranks of each stage exchange of dense weights in these parts of a step, each so many times.
class Exchanged {
 public:
  Exchanged(const Job& job, const Setup& setup, const Outline& outline)
      : stages_(static_cast<std::size_t>(setup.parallelism.pipeline)) {
    const StepContext context = job.context(setup);
    const StepSizes shape(context, setup.scheme);
    for (const Communication& one : outline.communications) {
      const bool counts = one.axis == nullptr && one.weights == Weights::dense;
      communications_.push_back(counts ? leaving_bytes(shape, one) : LeavingBytes{});
    }
  }

  [[nodiscard]] std::vector<LeavingBytes> in(std::span<const Outline::Counted> parts) const {
    std::vector<LeavingBytes> by_stage(stages_);
    for (const auto& [part, times] : parts) {
      for (const Instruction& one : *part) {
        const auto* what = std::get_if<Communicate>(&one.what);
        if (what == nullptr) continue;
        LeavingBytes& sum = by_stage[static_cast<std::size_t>(one.stage)];
        sum.add(communications_[what->communication], times);
      }
    }
    return by_stage;
  }

 private:
  std::size_t stages_;
  std::vector<LeavingBytes> communications_;
};

std::vector<LeavingBytes> added(std::vector<LeavingBytes> a, const std::vector<LeavingBytes>& b) {
  for (std::size_t stage = 0; stage < a.size(); ++stage) a[stage].add(b[stage], 1);
  return a;
}

}  // namespace

NodeBytes node_bytes(const Job& job, const Setup& setup, const Outline& outline) {
  const Parallelism& p = setup.parallelism;
  const Leaving leaving(job, p);
  const Exchanged exchanged(job, setup, outline);
  NodeBytes bytes{.of_step = leaving.most(exchanged.in(outline.parts(p.accumulation)))};
  if (p.sharding.stage == 3 || p.virtual_stages > 1) return bytes;
  const std::vector<LeavingBytes> gathered = exchanged.in(
      std::array<Outline::Counted, 2>{{{&outline.begin, 1}, {&outline.first_forward, 1}}});
  const std::vector<LeavingBytes> summed =
      exchanged.in(std::array<Outline::Counted, 2>{{{&outline.backward, 1}, {&outline.reduce, 1}}});
  bytes.gathered = leaving.most(gathered);
  bytes.summed = leaving.most(summed);
  bytes.gathered_and_summed = leaving.most(added(gathered, summed));
  return bytes;
}

}  // namespace sim::study
