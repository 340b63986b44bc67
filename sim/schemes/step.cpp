// SPDX-License-Identifier: Apache-2.0
#include "sim/schemes/step.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sim/base/error.hpp"
#include "sim/topology/gpu_speeds.hpp"
#include "sim/workload/calibration_rows.hpp"
#include "sim/workload/stages.hpp"

namespace sim {
std::vector<Bucket> buckets_of(const Model& model, const Parallelism& p, int stage) {
  const StageParameters held = stage_parameters(model, p, stage);
  const bool split = p.overlap.gradients || p.overlap.weights || p.sharding.stage > 1;
  const double capacity =
      split ? static_cast<double>(p.bucket.count) / bytes_of(p.gradients) : held.total();
  const std::vector<int> starts = chunk_starts(model, p, stage);
  std::vector<Bucket> buckets;
  for (int layer = 0; layer < held.layers; ++layer) {
    double parameters = held.layer;
    if (layer == 0) parameters += held.embedding;
    if (layer == held.layers - 1) parameters += held.head;
    const bool fits = !buckets.empty() && (!split || !std::ranges::binary_search(starts, layer)) &&
                      buckets.back().parameters + parameters <= capacity + 0.5;
    if (!fits) buckets.push_back({.first_layer = layer});
    buckets.back().parameters += parameters;
    buckets.back().last_layer = layer;
  }
  return buckets;
}

std::vector<Bucket> units_of(const Model& model, const Parallelism& p, int stage) {
  const StageParameters held = stage_parameters(model, p, stage);
  const std::vector<int> starts = chunk_starts(model, p, stage);
  std::vector<Bucket> units;
  for (std::size_t chunk = 0; chunk + 1 < starts.size(); ++chunk) {
    for (int layer = starts[chunk]; layer < starts[chunk + 1]; ++layer) {
      const bool begins = (layer - starts[chunk]) % p.sharding.unit_layers == 0;
      if (begins) units.push_back({.first_layer = layer});
      units.back().parameters += held.layer;
      units.back().last_layer = layer;
    }
  }
  units.push_back({held.embedding + held.head, 0, held.layers - 1});
  return units;
}

Step::Step(const StepContext& step_context, const Scheme& step_scheme)
    : context(step_context),
      scheme(step_scheme),
      parallelism(step_context.parallelism),
      topology(step_context.cluster),
      layout(layout_of(step_context.cluster, parallelism)),
      builder(rank_count(step_context.cluster)),
      roofline(step_context.cluster.gpu, compute_efficiency(step_context.cluster),
               step_context.calibration),
      data(data_parallel(step_context.cluster, parallelism)),
      shards(shard_ranks(step_context.cluster, parallelism)),
      slowdown_(rank_slowdowns(step_context.cluster)),
      held_(static_cast<std::size_t>(rank_count(step_context.cluster))),
      gathered_(static_cast<std::size_t>(rank_count(step_context.cluster))) {
  std::vector<const Axis*> in_stage, same_weights;
  for (const Axis* axis : parallelism.placement) {
    if (axis != nullptr && axis != &axes::pipeline) in_stage.push_back(axis);
    if (axis != nullptr && axis->same_weights) same_weights.push_back(axis);
  }
  ranks = layout.groups(in_stage);
  make_block_groups();
  replicas.resize(ranks.size());
  for (const std::vector<int>& members : layout.groups(same_weights)) {
    const int stage = layout.place(members.front(), axes::pipeline);
    replicas[static_cast<std::size_t>(stage)].push_back(make_data_group(members));
  }
  for (int stage = 0; stage < parallelism.pipeline; ++stage) {
    buckets.push_back(shards_weights() ? units_of(context.model, parallelism, stage)
                                       : buckets_of(context.model, parallelism, stage));
  }
}

void Step::make_block_groups() {
  const bool coded = !scheme.activations.tensor.is_plain();
  for (const Axis* axis : parallelism.placement) {
    if (axis == nullptr || axis->after_block == nullptr || layout.size(*axis) == 1) continue;
    BlockGroups& groups = blocks.emplace_back(BlockGroups{axis, {}});
    groups.of_stage.resize(ranks.size());
    for (std::vector<int>& members : layout.groups({&axis, 1})) {
      const int stage = layout.place(members.front(), axes::pipeline);
      groups.of_stage[static_cast<std::size_t>(stage)].push_back(
          communicator(std::move(members), coded ? every_collective() : gathers_and_sums()));
    }
  }
}

Communicator Step::communicator(std::vector<int> members, const Uses& uses) {
  return make_communicator(topology, builder, std::move(members), context.detail.value(), uses);
}

DataGroup Step::make_data_group(const std::vector<int>& members) {
  const bool flat = scheme.gradients.algorithm == GradientExchange::Algorithm::all_to_all;
  const bool owners = parallelism.optimizer == Optimizer::muon && shards_weights();
  std::vector<int> replica = members;
  std::ranges::sort(replica);
  const auto every = [&](int first, int stride, int count) {
    std::vector<int> chosen;
    for (int i = 0; i < count; ++i) {
      chosen.push_back(replica[static_cast<std::size_t>(first + i * stride)]);
    }
    return chosen;
  };
  DataGroup group;
  for (int first = 0; first < data; first += shards) {
    group.shards.push_back(communicator(every(first, 1, shards),
                                        flat || owners ? every_collective() : gathers_and_sums()));
  }
  for (int place = 0; place < shards && shards < data; ++place) {
    group.replicas.push_back(communicator(every(place, shards, data / shards),
                                          flat ? every_collective() : gathers_and_sums()));
  }
  if (scheme.gradients.algorithm == GradientExchange::Algorithm::two_level ||
      scheme.weights.secondary_shards) {
    split_by_node(group);
  }
  return group;
}

void Step::split_by_node(DataGroup& group) {
  const bool two_level = scheme.gradients.algorithm == GradientExchange::Algorithm::two_level;
  std::map<int, std::vector<int>> by_node;
  for (const int rank : group.shards.front().ranks) {
    by_node[node_of(context.cluster, rank)].push_back(rank);
  }
  const std::size_t per_node = by_node.begin()->second.size();
  for (const auto& [node, members] : by_node) {
    require(members.size() == per_node, "problems() has found no node with fewer replicas");
    Uses inside;
    if (scheme.weights.secondary_shards) inside = gathers_and_sums();
    if (two_level) inside.push_back(CollectiveKind::all_to_all);
    group.inside.push_back(communicator(members, inside));
  }
  for (std::size_t place = 0; place < per_node; ++place) {
    std::vector<int> across;
    for (const auto& [node, members] : by_node) across.push_back(members[place]);
    group.between.push_back(
        communicator(across, two_level ? Uses{CollectiveKind::all_to_all} : Uses{}));
  }
}

void Step::for_each_rank(int stage, const std::function<void(int)>& visit) const {
  for (const int rank : ranks[static_cast<std::size_t>(stage)]) visit(rank);
}

void Step::note_gathered(int rank, std::size_t bucket, OperationId operation) {
  auto& gathered = gathered_[static_cast<std::size_t>(rank)];
  if (gathered.size() <= bucket) gathered.resize(bucket + 1, kNoOperation);
  gathered[bucket] = operation;
}

void Step::hold_compute(int rank, OperationId operation) {
  if (operation != kNoOperation) held_[static_cast<std::size_t>(rank)].push_back(operation);
}

std::vector<OperationId> Step::last_of(const Communicator& group, Stream stream) const {
  std::vector<OperationId> ids;
  for (const int rank : group.ranks) ids.push_back(builder.last(rank, stream));
  return ids;
}

void Step::hold_group(const Communicator& group, Stream stream) {
  for (const int rank : group.ranks) hold_compute(rank, builder.last(rank, stream));
}

void Step::hold_stage(int stage, Stream stream) {
  for_each_rank(stage, [&](int rank) { hold_compute(rank, builder.last(rank, stream)); });
}

void Step::hold_until_gathered(int stage, std::size_t bucket) {
  for_each_rank(stage, [&](int rank) {
    hold_compute(rank, gathered_[static_cast<std::size_t>(rank)][bucket]);
  });
}

OperationId Step::compute(int rank, Phase phase, std::string_view label,
                          std::span<const BlockTime> kernels) {
  auto& held = held_[static_cast<std::size_t>(rank)];
  const double slowdown = slowdown_[static_cast<std::size_t>(rank)];
  double seconds = 0;
  std::vector<BlockTime> parts;
  for (BlockTime kernel : kernels) {
    kernel.seconds = kernel.memory_seconds + (kernel.seconds - kernel.memory_seconds) * slowdown;
    seconds += kernel.seconds;
    const bool alike = !parts.empty() && parts.back().memory_share() == kernel.memory_share();
    if (alike) {
      parts.back() += kernel;
    } else if (kernel.seconds > 0) {
      parts.push_back(kernel);
    }
  }
  std::vector<KernelPart> shares;
  for (const BlockTime& part : parts)
    shares.push_back({part.seconds / seconds, part.memory_share()});
  if (shares.empty()) shares.emplace_back();
  const OperationId id = builder.work(rank, Stream::compute, phase, label, seconds, shares, held);
  held.clear();
  return id;
}

double Step::pass_seconds(std::string_view label, double bytes, double flop) const {
  const auto measured =
      pass_time(context.calibration, context.cluster.gpu, std::string(label), bytes);
  return measured.value_or(roofline.pass(bytes, flop));
}

void Step::pass(int stage, Phase phase, std::string_view label, double bytes, double flop) {
  const double seconds = pass_seconds(label, bytes, flop);
  const BlockTime time{seconds, seconds};
  for_each_rank(stage, [&](int rank) { compute(rank, phase, label, time); });
}

void Step::side_pass(int rank, Phase phase, std::string_view label, double bytes) {
  builder.work(rank, Stream::weight_codec, phase, label, pass_seconds(label, bytes, 0), 1,
               beside_compute(rank));
}

std::vector<OperationId> Step::beside_compute(int rank) const {
  std::vector<OperationId> after{builder.last(rank, Stream::compute)};
  const auto& held = held_[static_cast<std::size_t>(rank)];
  if (!parallelism.overlap.weights) after.insert(after.end(), held.begin(), held.end());
  return after;
}

CodecKernel Step::timed(const CodecUse& use) {
  const KernelEstimate time = codec_time(context.calibration, context.cluster.gpu, use);
  if (!time.substituted.empty()) {
    builder.note_substituted({.codec = use.wire.card->name, .what = time.substituted});
  }
  const double excess = use.step == nullptr ? time.sizes.excess(use.elements) : 1;
  if (excess >= kFarOff) {
    builder.note_extrapolated(
        {.codec = use.label(),
         .step = time.sizes.step.empty() ? std::string(name_of(use.operation)) : time.sizes.step,
         .elements = use.elements,
         .smallest = time.sizes.smallest,
         .largest = time.sizes.largest,
         .excess = excess});
  }
  return {use.label(), time.seconds};
}

std::vector<CodecKernel> Step::timed(const std::vector<CodecUse>& uses) {
  std::vector<CodecKernel> kernels;
  for (const CodecUse& use : uses) kernels.push_back(timed(use));
  return kernels;
}

OperationId Step::codec(int rank, Phase phase, const CodecKernel& kernel,
                        std::span<const OperationId> after, Stream stream) {
  return builder.work(rank, stream, phase, kernel.label, kernel.seconds, 1, after);
}

}  // namespace sim
