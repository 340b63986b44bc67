// SPDX-License-Identifier: Apache-2.0
// Muon's update of the matrices, distributed as Moonlight does it (Liu et al., arXiv 2502.16982,
// "Distributed Muon"):
//
//   compute  [momentum]             [newton-schulz]                [update]
//   weights            [all_gather]                 (all_to_all)
//
// Of ZeRO-1 and 2 a shard may hold a part of a matrix. All ranks gather all momentum in BF16, 2
// bytes a parameter; each orthogonalises the matrices that its shard falls into and keeps its own
// part, so nothing is sent back. That is the most that Moonlight counts: 4 + 2 + 4 bytes of FP32
// gradients, momentum and FP32 weights, 1.25 times AdamW's 4 + 4. Where weights travel in BF16 that
// is 4 + 2 + 2 over 4 + 2, 1.33 times. Ranks whose shards share a matrix each orthogonalise it;
// shards that hold several count as if they ended where a matrix does.
//
// Of ZeRO-3 each rank has a part of every matrix: an all_to_all brings them to their owners and
// another one brings what becomes of them back, each 2 bytes a parameter of the shard. Owners count
// as if all had as much.
//
// Tensor-parallel ranks have a part of each matrix too. They gather from each other the matrices
// that they own, orthogonalise each the same, and keep their part.
//
// Nothing overlaps. The gathered momentum is not counted as memory: activations are gone by then.
#include "sim/workload/muon.hpp"

#include <algorithm>
#include <cmath>

#include "sim/program/lay_out.hpp"
#include "sim/times/muon_owners.hpp"
#include "sim/workload/matrices.hpp"
#include "sim/workload/stages.hpp"

namespace sim {
namespace {

constexpr double kBf16 = 2;

// Over each group of shards, once the compute stream is where it is now; the next kernel waits.
void exchange(StepLayOut& step, int stage, Weights group, CollectiveKind collective, double bytes,
              const char* label) {
  const std::uint32_t exchange = step.communication({label, stage, step.bucket_id(0, group)}, [&] {
    Communication momentum{.weights = group, .start = {{Stream::compute}}};
    momentum.add(Transfer{.collective = collective,
                          .bytes = bytes,
                          .stream = Stream::weights,
                          .phase = Phase::optimizer_comm,
                          .label = label});
    return momentum;
  });
  step.add(stage, Communicate{exchange});
  step.hold(stage, {Stream::weights});
}

// Of matrices with so many parameters, once their parts have come from the other shards.
void gather_tensor_parts(StepLayOut& step, int stage, Weights group, double parameters) {
  const std::size_t id = step.bucket_id(0, group);
  const std::uint32_t gather = step.communication({"momentum", stage, id}, [&] {
    const bool dense = group == Weights::dense;
    Communication parts{.axis = dense ? &axes::tensor : &axes::expert_tensor,
                        .start = {{Stream::compute, Stream::weights}}};
    parts.add(Transfer{.collective = CollectiveKind::all_gather,
                       .among = Among::axis,
                       .bytes = kBf16 * parameters,
                       .stream = Stream::tensor,
                       .phase = Phase::optimizer_comm,
                       .label = "all_gather parts of momentum"});
    return parts;
  });
  step.add(stage, Communicate{gather});
  step.hold(stage, {Stream::tensor});
}

// Of the group, whole: its tensor-parallel ranks own the same.
std::vector<MatrixShape> matrices_of(const StepLayOut& step, int stage, Weights group) {
  const Parallelism& p = step.parallelism;
  const Model& model = step.context.model;
  const bool apart = step.groups.size() > 1;
  std::vector<MatrixShape> all;
  for (const KindCount& kind : kinds_of_stage(model, Stages(model, p), p, stage)) {
    for (MatrixShape shape : layer_matrices(model, kind.kind, {.expert = p.expert})) {
      if (apart && shape.routed != (group == Weights::experts)) continue;
      shape.count *= kind.layers;
      all.push_back(shape);
    }
  }
  return all;
}

}  // namespace

void update_matrices(StepLayOut& step, int stage, const GroupParameters& held, double gradient) {
  using enum CollectiveKind;
  const Parallelism& p = step.parallelism;
  const Weights group = held.group;
  const int shards = step.sizes(group).shards;
  const double shard = updated_by_muon(p, held) / shards;
  const double wire = kBf16 * std::ceil(shard);
  // The gradient is read, the momentum read and written, their sum after Nesterov written in BF16.
  step.pass(stage, Pass::muon_momentum, (gradient + 2 * moment_bytes(p) + kBf16) * shard, 4 * shard,
            Phase::optimizer);
  if (step.shards_weights()) {
    exchange(step, stage, group, all_to_all, wire, "all_to_all momentum");
  } else {
    exchange(step, stage, group, all_gather, wire * shards, "all_gather momentum");
  }
  const int parts = group == Weights::dense ? p.tensor : expert_tensor(p);
  const OwnedMatrices owned = most_owned(matrices_of(step, stage, group), shards, step.roofline);
  if (parts > 1) gather_tensor_parts(step, stage, group, owned.parameters);
  step.timed_pass(stage, Pass::newton_schulz, Phase::optimizer, owned.time);
  if (step.shards_weights()) exchange(step, stage, group, all_to_all, wire, "all_to_all updates");
  // What is orthogonal is read, the weight read and written: its decay and the step.
  step.pass(stage, Pass::muon_update, (kBf16 + 2 * updated_weight_bytes(p)) * shard, 3 * shard,
            Phase::optimizer);
}

}  // namespace sim
