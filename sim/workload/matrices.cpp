// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/matrices.hpp"

namespace sim {
namespace {

using Split = LayerMatrix::Split;
using All = std::vector<LayerMatrix>;

void add_latent_attention(const Model& model, All& into) {
  const Model::Latent& latent = model.latent;
  const std::int64_t hidden = model.hidden, heads = model.heads;
  std::int64_t queries_from = hidden;
  if (latent.query_rank > 0) {
    into.push_back({latent.query_rank, hidden, Split::none});
    queries_from = latent.query_rank;
  }
  into.push_back({query_width(model), queries_from});
  into.push_back({latent.rank + latent.rope_width, hidden, Split::none});
  into.push_back(
      {heads * (model.head_width - latent.rope_width + latent.value_width), latent.rank});
}

void add_attention(const Model& model, All& into) {
  const std::int64_t hidden = model.hidden;
  if (model.latent.rank > 0) {
    add_latent_attention(model, into);
  } else {
    into.push_back({query_width(model), hidden});
    into.push_back({key_width(model), hidden, Split::outputs, 2, 2});
  }
  into.push_back({hidden, output_width(model), Split::inputs});
}

void add_mamba(const Model& model, All& into) {
  const std::int64_t inner = mamba_width(model.mamba);
  into.push_back({inner + mamba_convolved(model.mamba) + model.mamba.heads, model.hidden});
  into.push_back({model.hidden, inner, Split::inputs});
}

void add_dense(std::int64_t hidden, std::int64_t width, std::int64_t rising, All& into) {
  into.push_back({width, hidden, Split::outputs, rising, rising});
  into.push_back({hidden, width, Split::inputs});
}

void add_experts(const Model& model, All& into) {
  const Model::Experts& experts = model.experts;
  const std::int64_t hidden = model.hidden, rising = rising_widths(model);
  const std::int64_t inner = experts.latent_width > 0 ? experts.latent_width : hidden;
  const bool routed = experts.count > 1;
  if (routed) into.push_back({experts.count, hidden, Split::none});
  if (experts.latent_width > 0) {
    into.push_back({inner, hidden, Split::none});
    into.push_back({hidden, inner, Split::none});
  }
  into.push_back({experts.width, inner, Split::outputs, rising * experts.count,
                  rising * experts.top_k, routed});
  into.push_back({inner, experts.width, Split::inputs, experts.count, experts.top_k, routed});
  if (experts.shared_width > 0) add_dense(hidden, experts.shared_width, rising, into);
  if (experts.shared_gate) into.push_back({1, hidden, Split::none});
}

}  // namespace

std::vector<LayerMatrix> layer_weights(const Model& model, LayerKind kind) {
  All all;
  const std::int64_t hidden = model.hidden;
  if (kind.predicts) all.push_back({hidden, 2 * hidden, Split::none});
  if (kind.has_attention()) add_attention(model, all);
  if (kind.mixer == Mixer::mamba) add_mamba(model, all);
  if (kind.block == Block::dense) {
    add_dense(hidden, model.feed_forward, rising_widths(model), all);
  }
  if (kind.block == Block::experts) add_experts(model, all);
  if (is_modulated(model)) {
    all.push_back({6 * hidden, hidden, Split::none, 1, 1, false, true});
  }
  return all;
}

std::vector<MatrixShape> layer_matrices(const Model& model, LayerKind kind, MatrixSplit ranks) {
  std::vector<MatrixShape> all;
  for (const LayerMatrix& one : layer_weights(model, kind)) {
    const int parts = one.routed ? ranks.expert_tensor : ranks.tensor;
    const auto part = [&](std::int64_t size, Split split) {
      return static_cast<double>(size) / (one.split == split ? parts : 1);
    };
    all.push_back({part(one.outputs, Split::outputs), part(one.inputs, Split::inputs),
                   static_cast<double>(one.count) / (one.routed ? ranks.expert : 1), one.routed});
  }
  return all;
}

}  // namespace sim
