// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/model.hpp"

namespace sim {
namespace {

// Lengths of the vectors and matrices of one layer.
struct Shape {
  std::int64_t hidden;
  std::int64_t queries;    // width of all heads' queries
  std::int64_t key_value;  // width of the keys, and of the values: shared by groups of heads
  std::int64_t feed_forward;
  std::int64_t rising;  // rising_widths()
};

Shape shape_of(const Model& model) {
  return {.hidden = model.hidden,
          .queries = query_width(model),
          .key_value = key_width(model),
          .feed_forward = model.feed_forward,
          .rising = rising_widths(model)};
}

// Weights of the matrices of one layer; each is multiplied with every token once.
std::int64_t layer_weights(const Shape& shape) {
  const std::int64_t attention = shape.hidden * (2 * shape.queries + 2 * shape.key_value);
  return attention + (shape.rising + 1) * shape.hidden * shape.feed_forward;
}

std::int64_t norm_parameters(const Model& model, std::int64_t width) {
  return model.norm == Model::Norm::layer_norm ? 2 * width : width;
}

}  // namespace

ParameterCount parameter_count(const Model& model) {
  const Shape shape = shape_of(model);
  ParameterCount count;
  count.layer_matrices = layer_weights(shape);
  count.layer_sharded = count.layer_matrices;
  // Before attention and before the feed-forward block.
  count.layer_replicated = 2 * norm_parameters(model, model.hidden);
  if (model.query_key_norm) count.layer_replicated += 2 * norm_parameters(model, model.head_width);
  if (model.biases != Model::Biases::none)
    count.layer_sharded += shape.queries + 2 * shape.key_value;
  if (model.biases == Model::Biases::all) {
    // Split by output, as query, key and value: up to the feed-forward width.
    count.layer_sharded += shape.rising * shape.feed_forward;
    // Of the matrices split by input, added once after the sum over ranks: attention's and the
    // block's output.
    count.layer_replicated += 2 * shape.hidden;
  }
  count.embedding = std::int64_t{model.vocabulary} * model.hidden;
  if (model.positions == Model::Positions::learned) {
    count.positions = std::int64_t{model.position_table} * model.hidden;
  }
  count.final_norm = norm_parameters(model, model.hidden);
  return count;
}

std::int64_t total_parameters(const Model& model) {
  const ParameterCount count = parameter_count(model);
  const std::int64_t embeddings = model.tied_embeddings ? count.embedding : 2 * count.embedding;
  return model.layers * (count.layer_sharded + count.layer_replicated) + embeddings +
         count.positions + count.final_norm;
}

Flop model_flop(const Model& model, std::int64_t samples) {
  const Shape shape = shape_of(model);
  const double hidden = model.hidden;
  const double sequence = model.sequence;
  // Of one token: a multiplication and an addition a weight; scores and weighted sum of values take
  // 2 s h each (h is the width of all queries), whatever the number of key-value heads.
  const double layer = 2 * static_cast<double>(layer_weights(shape)) +
                       4 * sequence * static_cast<double>(shape.queries);
  const double logits = 2 * hidden * model.vocabulary;
  // The backward pass differentiates by weights and by inputs: twice the forward pass.
  return Flop::from_base(3 * static_cast<double>(samples) * sequence *
                         (model.layers * layer + logits));
}

}  // namespace sim
