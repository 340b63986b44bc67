#include <fmt/format.h>

#include "sim/schemes/exchange_kernels.hpp"
#include "sim/schemes/plan_step.hpp"

namespace sim {

std::vector<std::string> codec_sources(const StepContext& context, const Scheme& scheme) {
  std::vector<std::string> sources;
  // The source does not depend on the size; any will do.
  const auto add = [&](const char* what, KernelUse use) {
    use.elements = 1 << 20;
    sources.push_back(
        fmt::format("{} {}: {}", what, format_name(use.shape.wire),
                    kernel_time(context.calibration, context.cluster.gpu, use).source));
  };
  if (scheme.weights.difference) {
    add("encode difference", weight_encode(scheme, 1));
    add("decode and add", weight_decode(scheme, 1));
  }
  const GradientExchange& gradients = scheme.gradients;
  if (gradients.algorithm == GradientExchange::Algorithm::two_level) {
    for (const KernelUse& use : gradient_encode(scheme, gradients.inside, 1)) add("encode", use);
    add("sum and encode again", gradient_requantize(gradients, context.cluster.gpus_per_node, 1));
    add("sum", gradient_sum(gradients.between, context.cluster.nodes, 1));
  }
  if (gradients.algorithm == GradientExchange::Algorithm::all_to_all) {
    add("sum",
        gradient_sum(gradients.between, data_parallel(context.cluster, context.parallelism), 1));
  }
  return sources;
}

}  // namespace sim
