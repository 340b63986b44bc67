// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/workload/activations.hpp"
#include "sim/workload/muon.hpp"
#include "sim/workload/offloading.hpp"
#include "sim/workload/pipeline_tasks.hpp"
#include "sim/workload/stages.hpp"

namespace sim {
namespace {

// NCCL's default buffer (NCCL_BUFFSIZE) of each channel of a ring, in and out.
constexpr double kNcclBuffers = 2 * 4 * 1048576.0;
// cuBLAS' workspace on Hopper (documentation of cublasSetWorkspace: 32 MiB; less before).
constexpr double kCublas = 32 * 1048576.0;
// Approximate: a context with the modules of PyTorch or Megatron loaded.
constexpr double kContext = 0.5e9;

double workspace(const Cluster& cluster, const Parallelism& p) {
  const int communicators = (p.tensor > 1 ? 1 : 0) + (p.pipeline > 1 ? 2 : 0) +
                            (holders(cluster, p) > 1 ? 1 : 0) +
                            (shard_ranks(cluster, p) < holders(cluster, p) ? 1 : 0) +
                            (p.context > 1 ? 1 : 0) + (dispatches(p) ? 2 : 0);
  return kContext + kCublas + communicators * cluster.collectives.channels * kNcclBuffers;
}

// What ZeRO-3 holds whole at times: units of layers, and embedding and head.
struct WholeUnits {
  double layers = 0;   // parameters of one unit of layers
  double experts = 0;  // of these, of experts on ranks of their own
  double ends = 0;
  double whole = 0;  // of the weights that are gathered at once
};

WholeUnits whole_units(const Parallelism& p, const Stages& stages, const StageParameters& held) {
  const int in_unit = std::min(p.sharding.unit_layers, stages.most_layers_of_a_chunk());
  WholeUnits units{.layers = in_unit * held.largest,
                   .experts = dispatches(p) ? in_unit * held.largest_experts : 0,
                   .ends = held.embedding + held.head};
  const int ahead = p.overlap.weights ? p.sharding.prefetch : 0;
  const double most = held.layers;
  units.whole =
      units.ends +
      (p.sharding.reshard_after_forward ? std::min(most, (1 + ahead) * units.layers) : most);
  return units;
}

// Of one rank's parameters, unsharded.
struct TrainedState {
  double weights = 0, optimizer = 0;
};

TrainedState trained_state(const Parallelism& p, const GroupParameters& held) {
  const double parameters = held.parameters;
  const double moments = 2 * parameters - updated_by_muon(p, held);  // Muon has one, AdamW two
  const double kept = moment_bytes(p) * moments;
  if (p.sharding.stage == 3) return {updated_weight_bytes(p) * parameters, kept};
  const double copies = copies_weights(p) ? updated_weight_bytes(p) * parameters : 0;
  return {2 * parameters, copies + kept};
}

struct State {
  double weights = 0, gradients = 0, optimizer = 0;
};

State state_of(const Cluster& cluster, const Parallelism& p, const GroupParameters& held) {
  const double shards = shard_ranks(cluster, p, held.group);
  const TrainedState state = trained_state(p, held);
  const double optimizer = p.optimizer_state == OptimizerState::gpu ? state.optimizer / shards : 0;
  if (p.sharding.stage == 3) {
    const double whole = accumulates_whole(p) ? bytes_of(p.gradients) * held.parameters : 0;
    // Whole gradients are all there when the last backward pass begins, and go as shards come.
    const double weights = weights_on_hosts(p) ? 0 : state.weights / shards;
    return {weights, std::max(whole, updated_weight_bytes(p) * held.parameters / shards),
            optimizer};
  }
  const double gradients = bytes_of(p.gradients) * held.parameters;
  return {state.weights, gradients / (p.sharding.stage == 2 ? shards : 1), optimizer};
}

// Of experts on ranks of their own, or a share of what all lies alike.
void add_state(const Cluster& cluster, const Parallelism& p, const StageParameters& held,
               MemoryUse& use) {
  const std::vector<GroupParameters> groups = by_group(p, held);
  const State dense = state_of(cluster, p, groups.front());
  const bool apart = groups.size() > 1;
  const double share = apart ? 0 : held.routed / held.total();
  const State experts =
      apart ? state_of(cluster, p, groups.back())
            : State{share * dense.weights, share * dense.gradients, share * dense.optimizer};
  use.weights = dense.weights - (apart ? 0 : experts.weights);
  use.gradients = dense.gradients - (apart ? 0 : experts.gradients);
  use.optimizer = dense.optimizer - (apart ? 0 : experts.optimizer);
  use.expert_weights = experts.weights;
  use.expert_gradients = experts.gradients;
  use.expert_optimizer = experts.optimizer;
}

// Whole gradients in the backward pass: one bucket or unit that is reduced, beside the next one's
// where that overlaps.
double bucket_bytes(const Parallelism& p, double parameters, const WholeUnits& units) {
  const double wire = bytes_of(p.gradients);
  const double under_way = p.overlap.gradients ? 2 : 1;
  if (p.sharding.stage == 3) {
    return (2 * under_way + wire) * units.layers + 2 * units.ends;
  }
  if (p.sharding.stage < 2) return 0;
  return under_way * std::min(static_cast<double>(p.bucket.count), wire * parameters);
}

double codec_bytes(const Parallelism& p, const StageParameters& held, const WholeUnits& units,
                   const CodecMemory& codec) {
  const bool in_units = p.sharding.stage == 3;
  const std::vector<GroupParameters> groups = by_group(p, held);
  const double dense = groups.front().parameters;
  const double sent = in_units ? std::max(units.layers - units.experts, units.ends) : dense;
  double bytes = codec.buffers * sent + codec.state * dense;
  if (groups.size() > 1) {
    const double experts = groups.back().parameters;
    bytes +=
        codec.expert_buffers * (in_units ? units.experts : experts) + codec.expert_state * experts;
  }
  return bytes;
}

// Bytes of a layer's that hosts keep, in buffers on their way; of the largest such layer.
void add_buffers(const Model& model, const Parallelism& p, const Stages& stages, int stage,
                 const KindCounts& leaving, MemoryUse& use) {
  LayerActivations largest;
  for (const KindCount& one : leaving) {
    const LayerActivations kept = kept_activations(model, p, one.kind);
    if (kept.total() > largest.total()) largest = kept;
  }
  const int buffers = extra_buffers(p, stages, stage);
  use.attention_activations += buffers * largest.attention;
  use.feed_forward_activations += buffers * largest.feed_forward;
}

// Returns what is recomputed of one layer.
double add_activations(const Model& model, const Parallelism& p, const Stages& stages, int stage,
                       MemoryUse& use) {
  const KindCounts leaving = leaving_kinds(model, p, stages, stage);
  double recomputed = 0;
  for (const KindCount& one : kinds_of_stage(model, stages, p, stage)) {
    const auto away = std::ranges::find(leaving, one.kind, &KindCount::kind);
    const int stay = one.layers - (away == leaving.end() ? 0 : away->layers);
    const LayerActivations kept = kept_activations(model, p, one.kind);
    // Of a chunk the mean, whichever are in flight.
    const double layers = static_cast<double>(passes_in_flight(p, stage)) * stay / p.virtual_stages;
    use.attention_activations += layers * kept.attention;
    use.feed_forward_activations += layers * kept.feed_forward;
    recomputed = std::max(recomputed, all_activations(model, p, one.kind).total() - kept.total());
  }
  if (!leaving.empty()) add_buffers(model, p, stages, stage, leaving, use);
  return recomputed;
}

MemoryUse stage_use(const Cluster& cluster, const Model& model, const Parallelism& p,
                    const Stages& stages, int stage, const CodecMemory& codec) {
  const StageParameters held = stage_parameters(model, p, stages, stage);
  const double parameters = held.total();
  const WholeUnits units = whole_units(p, stages, held);
  const bool sharded_weights = p.sharding.stage == 3;
  MemoryUse use{.workspace = workspace(cluster, p)};
  add_state(cluster, p, held, use);
  const double recomputed = add_activations(model, p, stages, stage, use);
  if (sharded_weights && shard_ranks(cluster, p) > 1) {
    use.gathered = (p.gathers_matrices ? 1 : 2) * units.whole;
  }
  use.codec = codec_bytes(p, held, units, codec);
  const double buckets = bucket_bytes(p, parameters, units);
  const double head = stage == p.pipeline - 1 ? head_activations(model, p) : 0;
  if (head > recomputed + buckets) {
    use.head = head;
  } else {
    use.recomputed = recomputed;
    use.buckets = buckets;
  }
  set_fragmentation(use);
  return use;
}

}  // namespace

const std::vector<MemoryPart>& memory_parts() {
  static const std::vector<MemoryPart> parts{
      {"weights", &MemoryUse::weights},
      {"gradients", &MemoryUse::gradients},
      {"optimizer", &MemoryUse::optimizer},
      {"expert_weights", &MemoryUse::expert_weights},
      {"expert_gradients", &MemoryUse::expert_gradients},
      {"expert_optimizer", &MemoryUse::expert_optimizer},
      {"attention_activations", &MemoryUse::attention_activations},
      {"feed_forward_activations", &MemoryUse::feed_forward_activations},
      {"head", &MemoryUse::head},
      {"recomputed", &MemoryUse::recomputed},
      {"gathered", &MemoryUse::gathered},
      {"buckets", &MemoryUse::buckets},
      {"codec", &MemoryUse::codec},
      {"outer_state", &MemoryUse::outer_state},
      {"fragmentation", &MemoryUse::fragmentation},
      {"workspace", &MemoryUse::workspace}};
  return parts;
}

double MemoryUse::total() const {
  double sum = 0;
  for (const MemoryPart& part : memory_parts()) sum += this->*part.bytes;
  return sum;
}

void set_fragmentation(MemoryUse& use) { use.fragmentation = kFragmentation * use.allocated(); }

std::string fit_source() {
  return fmt::format(
      "the predicted peak with {:.0f} % of it for the allocator's fragmentation (published: 3 to "
      "9 %), the CUDA context and NCCL, in all of the GPU's memory",
      100 * kFragmentation);
}

double trained_state_bytes(const Model& model, const Parallelism& p) {
  const Stages stages(model, p);
  double sum = 0;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    for (const GroupParameters& one : by_group(p, stage_parameters(model, p, stages, stage))) {
      const TrainedState state = trained_state(p, one);
      const int parts = one.group == Weights::experts ? expert_tensor(p) * p.expert : p.tensor;
      sum += parts * (state.weights + state.optimizer);
    }
  }
  return sum;
}

double optimizer_bytes(const Cluster& cluster, const Model& model, const Parallelism& p,
                       int stage) {
  double sum = 0;
  for (const GroupParameters& one : by_group(p, stage_parameters(model, p, stage))) {
    sum += trained_state(p, one).optimizer / shard_ranks(cluster, p, one.group);
  }
  return sum;
}

MemoryUse memory_use(const Cluster& cluster, const Model& model, const Parallelism& p,
                     const CodecMemory& codec) {
  const Stages stages(model, p);
  MemoryUse most;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    const MemoryUse use = stage_use(cluster, model, p, stages, stage, codec);
    if (use.total() > most.total()) most = use;
  }
  return most;
}

}  // namespace sim
