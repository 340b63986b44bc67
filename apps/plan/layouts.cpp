#include "apps/plan/layouts.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "apps/job/setup_options.hpp"
#include "sim/cluster/fabric.hpp"

namespace apps {
namespace {

std::vector<int> divisors(int whole) {
  std::vector<int> found;
  for (int value = 1; value <= whole; ++value) {
    if (whole % value == 0) found.push_back(value);
  }
  return found;
}

// Whether the replicas of each place of the model are spread evenly over the nodes that have any.
bool is_even(const sim::Cluster& cluster, const sim::Parallelism& p) {
  for (int stage = 0; stage < p.pipeline; ++stage) {
    for (int t = 0; t < p.tensor; ++t) {
      std::map<int, int> replicas;  // by node
      for (int replica = 0; replica < data_parallel(cluster, p); ++replica) {
        ++replicas[sim::node_of(cluster, rank_of(cluster, p, {stage, replica, t}))];
      }
      for (const auto& [node, count] : replicas) {
        if (count != replicas.begin()->second) return false;
      }
    }
  }
  return true;
}

// A scheme that works node by node needs as many replicas on every node.
bool is_by_node(const sim::Scheme& scheme) {
  return scheme.gradients.algorithm == sim::GradientExchange::Algorithm::two_level ||
         scheme.weights.secondary_shards;
}

class LayoutSearch {
 public:
  LayoutSearch(const PlanOptions& options, std::span<const Ground> grounds,
               std::span<const sim::Scheme> schemes)
      : options_(options), grounds_(grounds), first_(*grounds.front().job), schemes_(schemes) {}

  Layouts find() && {
    int gpus = first_.cluster.gpus_per_node;
    for (const Ground& ground : grounds_) {
      gpus = std::min(gpus, ground.job->cluster.gpus_per_node);
    }
    sim::Parallelism p = first_.parallelism;
    for (const int tensor : degrees("tp", p.tensor, gpus)) {
      for (const int pipeline : degrees("pp", first_.parallelism.pipeline, first_.model.layers)) {
        p.tensor = tensor;
        p.pipeline = pipeline;
        if (is_possible(p)) add_splits(p);
      }
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool fixed(const char* flag) const { return options_.given.contains(flag); }

  [[nodiscard]] bool all(const auto& holds) const {
    return std::ranges::all_of(grounds_, [&](const Ground& one) { return holds(*one.job); });
  }
  [[nodiscard]] bool is_possible(const sim::Parallelism& p) const {
    return all([&](const Job& job) { return problems(job.cluster, job.model, p).empty(); });
  }
  [[nodiscard]] bool is_held(const sim::Parallelism& p) const {
    return all([&](const Job& job) { return apps::is_held(job.cluster, job.model, p); });
  }

  [[nodiscard]] std::vector<int> degrees(const char* flag, int given, int whole) const {
    return fixed(flag) ? std::vector{given} : divisors(whole);
  }

  void add_splits(const sim::Parallelism& p) {
    std::int64_t pass = 0;  // tokens of a micro-batch of one sequence in every replica
    for (const Ground& ground : grounds_) {
      pass += std::int64_t{ground.count} * data_parallel(ground.job->cluster, p) *
              first_.model.sequence;
    }
    const std::int64_t passes = (options_.batch_tokens - 1) / pass + 1;
    if (passes > std::numeric_limits<int>::max()) {
      ++found_.not_held;
      return;
    }
    even_ = all([&](const Job& job) { return is_even(job.cluster, p); });
    Setup start{schemes_.front(), p};
    start.parallelism.micro_batch = 1;
    start.parallelism.accumulation = static_cast<int>(passes);
    for (const Setup& split : other_splits(first_, start)) {
      if (fixed("micro-batch") && split.parallelism.micro_batch != p.micro_batch) continue;
      if (!is_possible(split.parallelism) || !is_held(split.parallelism)) continue;
      for (const sim::Recompute recompute : recomputes(p)) {
        Setup from = split;
        from.parallelism.recompute = recompute;
        add_shardings(from);
      }
    }
    if (!is_held(start.parallelism)) ++found_.not_held;
  }

  // What differs: a fused core keeps no scores that selective recomputation would leave out.
  [[nodiscard]] std::vector<sim::Recompute> recomputes(const sim::Parallelism& given) const {
    using enum sim::Recompute;
    if (fixed("recompute")) return {given.recompute};
    if (given.attention == sim::Attention::fused) return {none, alternate, full};
    return {none, selective, full};
  }

  void add_shardings(const Setup& from) {
    for (std::size_t scheme = 0; scheme < schemes_.size(); ++scheme) {
      if (!even_ && is_by_node(schemes_[scheme])) continue;
      for (const Setup& setup : other_shardings(first_, schemes_.subspan(scheme, 1), from)) {
        const sim::Parallelism& p = setup.parallelism;
        if (first_.zero && p.sharding.stage != *first_.zero) continue;
        if (is_possible(p)) found_.all.push_back({.scheme = scheme, .parallelism = p});
      }
    }
  }

  const PlanOptions& options_;
  const std::span<const Ground> grounds_;
  const Job& first_;
  const std::span<const sim::Scheme> schemes_;
  bool even_ = true;  // is_even() of the tensor and pipeline parallelism that is added
  Layouts found_;
};

}  // namespace

Layouts layouts_of(const PlanOptions& options, std::span<const Ground> grounds,
                   std::span<const sim::Scheme> schemes) {
  return LayoutSearch(options, grounds, schemes).find();
}

}  // namespace apps
