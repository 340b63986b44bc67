// SPDX-License-Identifier: Apache-2.0
// Steps in which experts lie on ranks of their own and ranks share sequences: a small model of experts,
// what its ranks send, and random jobs, the same ones in each run.
#pragma once

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sim/schedule/schedule.hpp"
#include "sim/workload/parallelism_fields.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {

inline constexpr int kExperts = 8, kChosen = 2, kExpertWidth = 512;

// 4 layers of 8 experts, each of 2 matrices of 512 x 512; a token passes 2 of them.
inline Model apart_model() {
  Model model = deep_model();
  model.feed_forward = 0;
  model.experts = {.count = kExperts, .top_k = kChosen, .width = kExpertWidth};
  return model;
}
inline constexpr double kExpertParameters = 2.0 * 512 * kExpertWidth;

inline const Scheme& plain_scheme() { return scheme_named("sharded"); }

// Bytes of a phase that a rank sends, over NVLink and over the network.
inline std::vector<double> sent_by_rank(const Schedule& schedule, Phase phase) {
  const SentBytes sent = sent_bytes(schedule, phase);
  std::vector<double> all = sent.intra_node;
  for (std::size_t rank = 0; rank < all.size(); ++rank) all[rank] += sent.inter_node[rank];
  return all;
}
inline double total_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Jobs drawn at random that have no problems.
class RandomJobs {
 public:
  struct Drawn {
    Model model;
    Parallelism parallelism;
    const Scheme* scheme = nullptr;
  };

  RandomJobs(const Cluster& cluster, unsigned seed) : cluster_(cluster), draw_(seed) {}

  Drawn next() {
    for (;;) {
      Drawn drawn = any();
      const Calibration calibration = roofline();
      const StepContext context{cluster_, drawn.model, calibration, drawn.parallelism};
      if (problems(context, *drawn.scheme).empty()) return drawn;
    }
  }
  // At random too, for what else a test draws.
  int below(int count) { return static_cast<int>(draw_() % static_cast<unsigned>(count)); }

 private:
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[below(static_cast<int>(all.size()))];
  }
  bool coin() { return below(2) == 1; }

  Drawn any() {
    Drawn drawn{.model = apart_model()};
    if (coin()) drawn.model.experts.shared_width = kExpertWidth;
    Parallelism& p = drawn.parallelism;
    p.tensor = one_of({1, 1, 2});
    p.sequence_parallel = p.tensor > 1;
    p.pipeline = one_of({1, 1, 2});
    p.virtual_stages = p.pipeline > 1 ? one_of({1, 2}) : 1;
    p.accumulation = 1 + below(5);
    p.micro_batch = one_of({1, 2});
    p.expert = one_of({1, 2, 4, 8});
    p.expert_tensor = one_of({0, 1, 2});
    p.dispatcher = one_of({Dispatcher::all_to_all, Dispatcher::deepep,
                           Dispatcher::deepep_low_latency, Dispatcher::hybridep});
    p.context = one_of({1, 1, 2, 4});
    p.context_exchange =
        one_of({ContextExchange::ring, ContextExchange::all_gather, ContextExchange::all_to_all});
    p.context_heads = p.context == 4 ? one_of({1, 2}) : 1;
    p.attention = Attention::fused;
    p.recompute = one_of({Recompute::none, Recompute::selective, Recompute::alternate,
                          Recompute::projections, Recompute::full});
    p.overlap = {.gradients = coin(),
                 .weights = coin(),
                 .pipeline = coin(),
                 .tensor = coin(),
                 .experts = coin(),
                 .batches = coin()};
    p.bucket = 4_MiB;
    const auto schemes = all_schemes(SchemeKind::inside);
    drawn.scheme = coin()
                       ? &scheme_named("sharded")
                       : schemes[static_cast<std::size_t>(below(static_cast<int>(schemes.size())))];
    const std::vector<int>& stages = drawn.scheme->zero;
    p.sharding.stage = stages[static_cast<std::size_t>(below(static_cast<int>(stages.size())))];
    return drawn;
  }

  const Cluster& cluster_;
  std::mt19937 draw_;
};

}  // namespace sim
