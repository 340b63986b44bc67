// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sim/schemes/kernels.hpp"
#include "sim/schemes/plan_step.hpp"
#include "sim/workload/calibration_rows.hpp"

namespace sim {
namespace {

using Algorithm = GradientExchange::Algorithm;

// The source does not depend on the size; any that every kernel takes will do.
constexpr double kAnySize = 1 << 20;

// Notes where the time of each kernel that it is told of comes from.
class Sources {
 public:
  explicit Sources(const StepContext& context) : context_(context) {}

  void add(const char* what, CodecUse use) {
    if (use.step == nullptr) use.elements = kAnySize;
    lines.push_back(
        fmt::format("{} {}: {}", what, use.label(),
                    codec_time(context_.calibration, context_.cluster.gpu, use).source));
  }
  void add(const char* what, const std::vector<CodecUse>& uses) {
    for (const CodecUse& use : uses) add(what, use);
  }

  std::vector<std::string> lines;

 private:
  const StepContext& context_;
};

void add_weights(const StepContext& context, const WeightExchange& weights, Sources& sources) {
  if (weights.wire.is_plain() || context.parallelism.sharding.stage == 0) return;
  const int value = context.parallelism.sharding.stage == 3 ? 4 : 2;
  sources.add(weights.difference ? "encode difference" : "encode weights",
              weight_encode(weights, kAnySize, value));
  if (products_take(context.parallelism, weights.wire)) return;
  sources.add(weights.difference ? "decode and add" : "decode weights",
              weight_decode(weights, kAnySize));
}

void add_two_level(const GradientExchange& g, int places, int nodes, Sources& sources) {
  const Wire& first = places > 1 ? g.inside : g.between;
  sources.add("encode", gradient_encode(g, first, kAnySize, places * nodes));
  if (places > 1 && nodes > 1) {
    sources.add("sum and encode again",
                gradient_encode_sum(g, g.inside, g.between, places, kAnySize, places * nodes));
  }
  sources.add("sum", nodes > 1 ? gradient_sum(g.between, nodes, kAnySize)
                               : gradient_sum(g.inside, places, kAnySize));
}

void add_low_rank(const GradientExchange& g, Sources& sources) {
  constexpr std::size_t kWidth = 1 << 10;
  for (const char* name : {"p", "q", "finish"}) {
    const codecs::StepShape shape{.elements = kWidth * kWidth,
                                  .columns = kWidth,
                                  .factor_rank = static_cast<std::size_t>(g.factor_rank)};
    sources.add(name, CodecUse{.step = step_named("power_sgd", name), .shape = shape});
  }
}

void add_gradients(const StepContext& context, const GradientExchange& g, int data,
                   Sources& sources) {
  const bool sharded = context.parallelism.sharding.stage > 0;
  const int nodes = replica_nodes(context.cluster, context.parallelism);
  if (g.algorithm == Algorithm::ring) return;
  if (g.algorithm == Algorithm::low_rank) return add_low_rank(g, sources);
  if (g.algorithm == Algorithm::two_level) return add_two_level(g, data / nodes, nodes, sources);
  if (!g.between.is_plain()) {
    sources.add("encode", gradient_encode(g, g.between, kAnySize, data));
  }
  if (g.algorithm == Algorithm::all_reduce) {
    return sources.add("decode", gradient_decode(g, kAnySize, data));
  }
  if (sharded || g.algorithm == Algorithm::all_gather) {
    return sources.add("sum", gradient_sum(g.between, data, kAnySize));
  }
  sources.add("sum and encode again",
              gradient_encode_sum(g, g.between, g.between, data, kAnySize, data));
  sources.add("decode", gradient_decode(g, kAnySize, data));
}

void add_activations(const StepContext& context, const ActivationExchange& activations,
                     Sources& sources) {
  const Parallelism& p = context.parallelism;
  if (p.tensor > 1 && !activations.tensor.is_plain()) {
    sources.add("encode activations", activation_encode(activations.tensor, kAnySize));
    sources.add("sum activations", activation_sum(activations.tensor, p.tensor, kAnySize));
    sources.add("decode activations", activation_decode(activations.tensor, kAnySize));
  }
  if (p.pipeline > 1 && !activations.pipeline.is_plain()) {
    sources.add("encode between stages", activation_encode(activations.pipeline, kAnySize));
    sources.add("decode between stages", activation_decode(activations.pipeline, kAnySize));
  }
}

}  // namespace

std::vector<std::string> codec_sources(const StepContext& context, const Scheme& scheme) {
  Sources sources(context);
  const int data = data_parallel(context.cluster, context.parallelism);
  if (data > 1) {
    add_weights(context, scheme.weights, sources);
    add_gradients(context, scheme.gradients, data, sources);
  }
  add_activations(context, scheme.activations, sources);
  return std::move(sources.lines);
}

}  // namespace sim
