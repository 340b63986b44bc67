// SPDX-License-Identifier: Apache-2.0
// The end of a step: gradient norm over all ranks, clipping, and the update of each rank's shard.
#include <numeric>
#include <utility>

#include "sim/schemes/step.hpp"
#include "sim/workload/muon.hpp"

namespace sim {
namespace {

// What brings and sums the rank's gradients, as appended last.
std::vector<OperationId> reductions(const Step& step, int rank) {
  std::vector<OperationId> last;
  for (const Stream stream : {Stream::gradients, Stream::gradients_inter, Stream::codec}) {
    last.push_back(step.builder.last(rank, stream));
  }
  if (step.shards_weights()) last.push_back(step.builder.last(rank, Stream::weights));
  return last;
}

// The rank's gradients are computed, and what of them is reduced by now is.
OperationId summed(Step& step, int rank) {
  std::vector<OperationId> after = reductions(step, rank);
  after.push_back(step.builder.last(rank, Stream::compute));
  return step.builder.barrier(after);
}

void reduce_norm(Step& step) {
  std::vector<int> ranks(static_cast<std::size_t>(step.builder.ranks()));
  std::iota(ranks.begin(), ranks.end(), 0);
  Communicator world{.ranks = std::move(ranks), .id = step.builder.add_communicator()};
  world.launch_s = step.context.cluster.collectives.launch.base();
  const auto after = step.last_of(world, Stream::compute);
  all_reduce_scalar(step.context.cluster, step.builder, world,
                    {.stream = Stream::tensor,
                     .phase = Phase::norm_comm,
                     .label = "all_reduce gradient norm",
                     .after = after});
  step.hold_group(world, Stream::tensor);
}

// A parameter's gradient, master weight and two moments are read, the last three written, in FP32.
// Term by term: decay (4 + 4), the moments scaled and added to (8 + 12, 8 + 12), root, quotient and
// sum of the denominator (8 + 8 + 8), the step (12 + 4). The arithmetic of both: 7 for the moments,
// 2 for their bias corrections, 7 for root, quotient, decay and step.
double adam_bytes(const Parallelism& p, double gradient) {
  return p.optimizer == Optimizer::adamw_foreach ? 88 : gradient + 3 * 4 + 3 * 4;
}

}  // namespace

void hold_until_reduced(Step& step, int stage) {
  step.for_each_rank(stage, [&](int rank) {
    for (const OperationId one : reductions(step, rank)) step.hold_compute(rank, one);
  });
}

void sum_tied_gradients(Step& step) {
  const Parallelism& p = step.parallelism;
  if (p.pipeline < 2 || !step.context.model.tied_embeddings) return;
  const int parts = p.tensor * (p.sharding.stage > 1 ? step.shards : 1);  // of what is left to sum
  const double bytes = static_cast<double>(parameter_count(step.context.model).embedding) / parts *
                       bytes_of(p.gradients);
  step.for_each_rank(0, [&](int first) {
    const int last = step.layout.at(first, axes::pipeline, p.pipeline - 1);
    const Communicator pair =
        make_communicator(step.topology, step.builder, {first, last}, step.context.detail.value(),
                          {CollectiveKind::all_reduce});
    const OperationId after[] = {summed(step, first), summed(step, last)};
    all_reduce(step.builder, pair, bytes,
               {.stream = Stream::tensor,
                .phase = Phase::pipeline_comm,
                .label = "all_reduce tied embeddings",
                .after = after});
    step.hold_group(pair, Stream::tensor);
  });
}

void update_shards(Step& step) {
  const Parallelism& p = step.parallelism;
  // FSDP's shards of the gradients have the precision of its weights, which are cast when gathered.
  const double gradient = step.shards_weights() ? 4 : bytes_of(p.gradients);
  std::vector<StageParameters> stages;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    stages.push_back(stage_parameters(step.context.model, p, stage));
    hold_until_reduced(step, stage);
    step.pass(stage, Phase::optimizer, "gradient norm",
              gradient * (stages.back().total() / step.shards));
  }
  reduce_norm(step);
  for (int stage = 0; stage < p.pipeline; ++stage) {
    const StageParameters& held = stages[static_cast<std::size_t>(stage)];
    const double shard = held.total() / step.shards;
    const double adam = shard - updated_by_muon(p, held) / step.shards;
    step.pass(stage, Phase::optimizer, "clip", 2 * gradient * shard);
    step.pass(stage, Phase::optimizer, "adam", adam_bytes(p, gradient) * adam, 16 * adam);
    if (p.optimizer == Optimizer::muon) update_matrices(step, stage, gradient);
    if (step.shards_weights()) continue;
    step.pass(stage, Phase::optimizer, "cast weights", (4 + 2) * shard);
  }
}

}  // namespace sim
