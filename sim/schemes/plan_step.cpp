#include "sim/schemes/plan_step.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/error.hpp"
#include "sim/schemes/kernels.hpp"
#include "sim/schemes/step.hpp"

namespace sim {
namespace {

// What a scheme is not defined with.
void check_scheme(const Scheme& scheme, const Parallelism& p) {
  if (!scheme.is_defined_for(p.sharding.stage)) {
    throw InputError(fmt::format("--zero: {} is defined for {}, not for {}; choose --zero {}",
                                 scheme.name, fmt::join(scheme.zero, ", "), p.sharding.stage,
                                 fmt::join(scheme.zero, " or ")));
  }
  const bool rings = scheme.gradients.algorithm == GradientExchange::Algorithm::ring &&
                     !scheme.weights.secondary_shards;
  if (p.sharding.ranks > 0 && !rings) {
    throw InputError(fmt::format(
        "--hybrid-shard: {} has no exchange between groups of replicas; choose --scheme sharded",
        scheme.name));
  }
  if (p.gathers_matrices && !scheme.weights.wire.is_plain()) {
    throw InputError(
        fmt::format("--weight-precision: {} says itself what weights travel as; leave it at bf16",
                    scheme.name));
  }
}

// What of the job the scheme changes.
Parallelism as_the_scheme_runs_it(Parallelism p, const Scheme& scheme) {
  p.overlap.weights = p.overlap.weights && scheme.overlap.weights;
  p.overlap.gradients = p.overlap.gradients && scheme.overlap.gradients;
  p.gathers_matrices = p.gathers_matrices || products_take(p, scheme.weights.wire);
  return p;
}

void zero_gradients(Step& step) {
  const Parallelism& p = step.parallelism;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    const double parameters = stage_parameters(step.context.model, p, stage).total();
    step.pass(stage, Phase::memory_pass, "zero gradients", bytes_of(p.gradients) * parameters);
  }
}

}  // namespace

Schedule plan_step(const StepContext& context, const Scheme& scheme) {
  check(context.cluster, context.model, context.parallelism);
  check_scheme(scheme, context.parallelism);
  StepContext changed = context;
  changed.parallelism = as_the_scheme_runs_it(context.parallelism, scheme);
  Step step(changed, scheme);

  if (step.shards_weights()) {
    run_micro_batches(step, unit_hooks(step));
  } else {
    zero_gradients(step);
    gather_weights(step);
    run_micro_batches(step, bucket_hooks(step));
  }
  sum_tied_gradients(step);
  reduce_what_is_left(step);
  update_shards(step);
  encode_weights(step);
  return std::move(step.builder).finish();
}

}  // namespace sim
