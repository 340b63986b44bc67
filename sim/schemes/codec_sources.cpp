#include <fmt/format.h>

#include <set>

#include "sim/schemes/exchange_kernels.hpp"
#include "sim/schemes/plan_step.hpp"

namespace sim {
namespace {

// Nodes that hold the replicas of one shard position.
int replica_nodes(const StepContext& context) {
  std::set<int> nodes;
  for (int replica = 0; replica < data_parallel(context.cluster, context.parallelism); ++replica) {
    const int rank = rank_of(context.cluster, context.parallelism, {0, replica, 0});
    nodes.insert(node_of(context.cluster, rank));
  }
  return static_cast<int>(nodes.size());
}

}  // namespace

std::vector<std::string> codec_sources(const StepContext& context, const Scheme& scheme) {
  std::vector<std::string> sources;
  const int data = data_parallel(context.cluster, context.parallelism);
  if (data < 2) return sources;  // nothing is exchanged
  // The source does not depend on the size; any will do.
  const auto add = [&](const char* what, KernelUse use) {
    use.elements = 1 << 20;
    sources.push_back(
        fmt::format("{} {}: {}", what, codecs::format_name(use.shape.wire),
                    kernel_time(context.calibration, context.cluster.gpu, use).source));
  };
  if (scheme.weights.difference) {
    add("encode difference", weight_encode(scheme, 1));
    add("decode and add", weight_decode(scheme, 1));
  }
  const GradientExchange& gradients = scheme.gradients;
  const int nodes = replica_nodes(context);
  const int places = data / nodes;
  if (gradients.algorithm == GradientExchange::Algorithm::two_level) {
    const codecs::Format& first = places > 1 ? gradients.inside : gradients.between;
    for (const KernelUse& use : gradient_encode(scheme, first, 1)) add("encode", use);
    if (places > 1 && nodes > 1) {
      add("sum and encode again", gradient_requantize(gradients, places, 1));
    }
    add("sum", nodes > 1 ? gradient_sum(gradients.between, nodes, 1)
                         : gradient_sum(gradients.inside, places, 1));
  }
  if (gradients.algorithm == GradientExchange::Algorithm::all_to_all) {
    add("sum", gradient_sum(gradients.between, data, 1));
  }
  return sources;
}

}  // namespace sim
