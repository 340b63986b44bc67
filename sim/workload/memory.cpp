#include "sim/workload/memory.hpp"

#include <algorithm>

namespace sim {
namespace {

// Bytes that one layer keeps of one micro-batch until its backward pass.
double layer_activations(const Model& model, const Parallelism& p) {
  const double t = p.tensor;
  const double tokens = static_cast<double>(p.micro_batch) * model.sequence;
  const double token_state = tokens * model.hidden / (p.sequence_parallel ? t : 1);
  if (p.recompute == Recompute::full) return 2 * token_state;

  const auto queries = static_cast<double>(query_width(model));
  const auto key_value = static_cast<double>(key_width(model));
  const double rising = model.feed_forward_kind == Model::FeedForward::swiglu ? 2 : 1;
  // Inputs of both norms and of both first matrices, and two dropout masks of a byte.
  const double replicated = (8 + (model.dropout ? 2 : 0)) * token_state;
  // Queries, keys, values and the attention's output; inputs and output of the activation; what
  // the norms of queries and keys were given.
  const double split = 2 * tokens * (2 * queries + 2 * key_value) / t +
                       2 * tokens * (rising + 1) * model.feed_forward / t +
                       (model.query_key_norm ? 2 * tokens * (queries + key_value) / t : 0);
  // Softmax output, dropout output and its mask, unless the backward pass makes them again.
  const bool keeps_scores = p.attention == Attention::unfused && p.recompute == Recompute::none;
  const double scores =
      keeps_scores ? (model.dropout ? 5.0 : 2.0) * model.heads * model.sequence * tokens / t : 0;
  return replicated + split + scores;
}

}  // namespace

MemoryUse memory_use(const Cluster& cluster, const Model& model, const Parallelism& p,
                     double buffer_bytes_per_parameter) {
  const double tokens = static_cast<double>(p.micro_batch) * model.sequence;
  MemoryUse most;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    const StageParameters held = stage_parameters(model, p, stage);
    const double parameters = held.total();
    // One micro-batch for each stage from here to the last is under way at once (1F1B).
    const int in_flight = std::min(p.accumulation, p.pipeline - stage);
    MemoryUse use{.weights = 2 * parameters,
                  .gradients = bytes_of(p.gradients) * parameters,
                  .optimizer = 12 * parameters / data_parallel(cluster, p),
                  .activations = in_flight * held.layers * layer_activations(model, p),
                  .buffers = buffer_bytes_per_parameter * parameters};
    if (stage == p.pipeline - 1) use.logits = (2 + 4) * tokens * model.vocabulary / p.tensor;
    if (use.total() > most.total()) most = use;
  }
  return most;
}

}  // namespace sim
