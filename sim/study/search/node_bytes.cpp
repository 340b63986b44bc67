// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/node_bytes.hpp"

#include <algorithm>
#include <vector>

#include "sim/program/leaving_bytes.hpp"
#include "sim/topology/topology.hpp"
#include "sim/workload/stages.hpp"

namespace sim::study {
namespace {

class Leaving {
 public:
  Leaving(const Job& job, const Setup& setup)
      : job_(job),
        p_(setup.parallelism),
        scheme_(setup.scheme),
        factoring_(factoring_of(job.cluster(), p_)),
        holders_(factoring_.groups_of_holders(Weights::dense)),
        data_(static_cast<int>(holders_.front().size())),
        shards_(shard_ranks(job.cluster(), p_)),
        weight_(weight_bytes(p_, scheme_)),
        leaving_(static_cast<std::size_t>(job.cluster().nodes)) {
    const StepContext context = job.context(setup);
    const StepSizes shape(context, scheme_);
    const Stages stages(job_.model, p_);
    for (int stage = 0; stage < p_.pipeline; ++stage) {
      const Bucket whole = whole_stage(job_.model, p_, stages, stage);
      gradients_.push_back(leaving_bytes(shape, reduction_of(shape, stage, whole)));
      held_.push_back(without_experts_apart(p_, stage_parameters(job_.model, p_, stages, stage)));
    }
  }

  // All of a step; ZeRO-3 drops the weights of a layer in each of its backward passes at the latest.
  [[nodiscard]] double all() {
    const int reductions = p_.sharding.stage >= 2 ? p_.accumulation : 1;
    if (p_.sharding.stage < 3) return once(1, reductions);
    const bool twice = p_.sharding.reshard_after_forward && !scheme_.weights.secondary_shards;
    return most(
        [&](const StageParameters& held) {
          const double layers = held.layers;
          const double ends = held.embedding + held.head;
          return p_.accumulation * ((twice ? 2 : 1) * layers + ends);
        },
        reductions);
  }
  // Weights that are gathered so many times, and gradients that are summed.
  [[nodiscard]] double once(double weights, double gradients) {
    return most([&](const StageParameters& held) { return weights * held.total(); }, gradients);
  }

 private:
  // With the weights of a stage that are gathered.
  [[nodiscard]] double most(const auto& gathered, double reductions) {
    std::ranges::fill(leaving_, 0);
    for (const std::vector<int>& ranks : holders_) {
      const int stage = factoring_.dense().place(ranks.front(), axes::pipeline);
      const LeavingBytes& gradients = gradients_[static_cast<std::size_t>(stage)];
      const double exchanged = weight_ * gathered(held_[static_cast<std::size_t>(stage)]) +
                               reductions * gradients.shards;
      for (int first = 0; first < data_ && shards_ > 1; first += shards_) {
        add(ranks, first, 1, shards_, exchanged);
      }
      for (int first = 0; first < shards_ && shards_ < data_; ++first) {
        add(ranks, first, shards_, data_ / shards_, reductions * gradients.replicas);
      }
      add(ranks, 0, 1, data_, reductions * gradients.same_weights);
    }
    return *std::ranges::max_element(leaving_);
  }

  // Of `count` ranks, from place `first` on, `stride` apart, that have one part each of `bytes`.
  void add(const std::vector<int>& ranks, int first, int stride, int count, double bytes) {
    if (bytes == 0) return;
    std::vector<int> held(leaving_.size());
    for (int i = 0; i < count; ++i) {
      const int rank = ranks[static_cast<std::size_t>(first + i * stride)];
      ++held[static_cast<std::size_t>(node_of(job_.cluster(), rank))];
    }
    for (std::size_t node = 0; node < held.size(); ++node) {
      if (held[node] > 0) leaving_[node] += bytes * (count - held[node]) / count;
    }
  }

  const Job& job_;
  const Parallelism& p_;
  const Scheme& scheme_;
  Factoring factoring_;
  std::vector<std::vector<int>> holders_;  // of the same weights
  int data_, shards_;
  double weight_;
  std::vector<LeavingBytes> gradients_;  // of a reduction, by stage
  std::vector<StageParameters> held_;    // likewise
  std::vector<double> leaving_;          // by node
};

}  // namespace

NodeBytes node_bytes(const Job& job, const Setup& setup) {
  Leaving leaving(job, setup);
  NodeBytes bytes{.of_step = leaving.all()};
  if (setup.parallelism.sharding.stage == 3 || setup.parallelism.virtual_stages > 1) return bytes;
  bytes.gathered = leaving.once(1, 0);
  bytes.summed = leaving.once(0, 1);
  bytes.gathered_and_summed = leaving.once(1, 1);
  return bytes;
}

double weight_bytes(const Parallelism& p, const Scheme& scheme) {
  const double bytes = scheme.weights.wire.bytes_per_element();
  if (p.matrices == MatrixPrecision::bf16) return bytes;
  return std::min(bytes, bytes_of(p.matrices));  // products may take codes as they come
}

StageParameters without_experts_apart(const Parallelism& p, StageParameters held) {
  if (dispatches(p)) held.layers -= held.routed;
  return held;
}

}  // namespace sim::study
