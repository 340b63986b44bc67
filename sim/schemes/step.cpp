#include "sim/schemes/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sim/base/error.hpp"

namespace sim {

using Algorithm = GradientExchange::Algorithm;

std::vector<Bucket> buckets_of(const Model& model, const Parallelism& p, int stage) {
  const StageParameters held = stage_parameters(model, p, stage);
  const bool split = p.overlap.gradients || p.overlap.weights;
  const double capacity =
      split ? static_cast<double>(p.bucket.count) / bytes_of(p.gradients) : held.total();
  std::vector<Bucket> buckets;
  for (int layer = 0; layer < held.layers; ++layer) {
    double parameters = held.layer;
    if (layer == 0) parameters += held.embedding;
    if (layer == held.layers - 1) parameters += held.head;
    const bool fits = !buckets.empty() && buckets.back().parameters + parameters <= capacity + 0.5;
    if (!fits) buckets.push_back({.first_layer = layer});
    buckets.back().parameters += parameters;
    buckets.back().last_layer = layer;
  }
  return buckets;
}

Step::Step(const StepContext& step_context, const Scheme& step_scheme)
    : context(step_context),
      scheme(step_scheme),
      parallelism(step_context.parallelism),
      builder(rank_count(step_context.cluster)),
      roofline(step_context.cluster.gpu, step_context.cluster.fitted, step_context.calibration),
      data(data_parallel(step_context.cluster, parallelism)),
      held_(static_cast<std::size_t>(rank_count(step_context.cluster))),
      gathered_(static_cast<std::size_t>(rank_count(step_context.cluster))) {
  for (int stage = 0; stage < parallelism.pipeline; ++stage) {
    for (int replica = 0; replica < data; ++replica) {
      std::vector<int> ranks;
      for (int t = 0; t < parallelism.tensor; ++t) ranks.push_back(rank(stage, replica, t));
      tensor.push_back(make_communicator(context.cluster, builder, ranks, context.detail,
                                         {.ring = true, .all_to_all = false}));
    }
    for (int t = 0; t < parallelism.tensor; ++t) make_data_group(stage, t);
    buckets.push_back(buckets_of(context.model, parallelism, stage));
  }
}

void Step::make_data_group(int stage, int t) {
  const auto make = [&](std::vector<int> ranks, Uses uses) {
    return make_communicator(context.cluster, builder, std::move(ranks), context.detail, uses);
  };
  const auto algorithm = scheme.gradients.algorithm;
  const Uses only_all_to_all{.ring = false, .all_to_all = true};
  std::vector<int> ranks;
  std::map<int, std::vector<int>> by_node;
  for (int replica = 0; replica < data; ++replica) {
    ranks.push_back(rank(stage, replica, t));
    by_node[node_of(context.cluster, ranks.back())].push_back(ranks.back());
  }
  DataGroup group{.all = make(ranks, {.all_to_all = algorithm == Algorithm::all_to_all}),
                  .inside = {},
                  .between = {}};
  if (algorithm == Algorithm::two_level) {
    const std::size_t per_node = by_node.begin()->second.size();
    for (const auto& [node, members] : by_node) {
      if (members.size() != per_node) {
        throw InputError(
            fmt::format("--scheme: {} reduces on two levels and needs as many replicas "
                        "on every node; choose another --tp, --pp or --nodes",
                        scheme.name));
      }
      group.inside.push_back(make(members, only_all_to_all));
    }
    for (std::size_t place = 0; place < per_node; ++place) {
      std::vector<int> across;
      for (const auto& [node, members] : by_node) across.push_back(members[place]);
      group.between.push_back(make(across, only_all_to_all));
    }
  }
  data_groups.push_back(std::move(group));
}

int Step::rank(int stage, int replica, int t) const {
  return rank_of(context.cluster, parallelism, {stage, replica, t});
}

void Step::for_each_rank(int stage, const std::function<void(int)>& visit) const {
  for (int replica = 0; replica < data; ++replica) {
    for (int t = 0; t < parallelism.tensor; ++t) visit(rank(stage, replica, t));
  }
}

const Communicator& Step::tensor_group(int stage, int replica) const {
  return tensor[static_cast<std::size_t>(stage * data + replica)];
}

const DataGroup& Step::data_group(int stage, int t) const {
  return data_groups[static_cast<std::size_t>(stage * parallelism.tensor + t)];
}

void Step::note_gathered(int rank, OperationId operation) {
  gathered_[static_cast<std::size_t>(rank)].push_back(operation);
}

OperationId Step::gathered(int rank, std::size_t bucket) const {
  return gathered_[static_cast<std::size_t>(rank)][bucket];
}

void Step::hold_compute(int rank, OperationId operation) {
  if (operation != kNoOperation) held_[static_cast<std::size_t>(rank)].push_back(operation);
}

OperationId Step::compute(int rank, Phase phase, std::string_view label, const BlockTime& time) {
  auto& held = held_[static_cast<std::size_t>(rank)];
  const OperationId id =
      builder.work(rank, Stream::compute, phase, label, time.seconds, time.memory_share(), held);
  held.clear();
  return id;
}

void Step::pass(int stage, Phase phase, std::string_view label, double bytes, double flop) {
  const auto measured =
      pass_time(context.calibration, context.cluster.gpu, std::string(label), bytes);
  const double seconds = measured.value_or(roofline.pass(bytes, flop));
  for_each_rank(stage, [&](int rank) { compute(rank, phase, label, {seconds, seconds}); });
}

OperationId Step::codec(int rank, Phase phase, const KernelUse& use,
                        std::span<const OperationId> after) {
  const KernelEstimate time = kernel_time(context.calibration, context.cluster.gpu, use);
  return builder.work(rank, Stream::codec, phase, codecs::format_name(use.shape.wire), time.seconds,
                      1, after);
}

Schedule plan_step(const StepContext& context, const Scheme& scheme) {
  check(context.cluster, context.model, context.parallelism);
  Step step(context, scheme);
  const Parallelism& p = context.parallelism;

  for (int stage = 0; stage < p.pipeline; ++stage) {
    const double parameters = stage_parameters(context.model, p, stage).total();
    step.pass(stage, Phase::memory_pass, "zero gradients", bytes_of(p.gradients) * parameters);
  }
  gather_weights(step);
  run_micro_batches(step, [&](int stage, int layer) {
    if (!p.overlap.gradients) return;
    for (const Bucket& bucket : step.buckets[static_cast<std::size_t>(stage)]) {
      if (bucket.first_layer == layer) reduce_bucket(step, stage, bucket);
    }
  });
  sum_tied_gradients(step);
  for (int stage = 0; stage < p.pipeline && !p.overlap.gradients; ++stage) {
    for (const Bucket& bucket : step.buckets[static_cast<std::size_t>(stage)]) {
      reduce_bucket(step, stage, bucket);
    }
  }
  update_shards(step);
  encode_weights(step);
  return std::move(step.builder).finish();
}

}  // namespace sim
