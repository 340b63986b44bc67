// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/workload/matrices.hpp"

namespace sim {
namespace {

using Split = LayerMatrix::Split;

std::int64_t norm_parameters(const Model& model, std::int64_t width) {
  switch (model.norm) {
    case Model::Norm::layer_norm:
      return 2 * width;
    case Model::Norm::no_weights:
      return 0;
    default:
      return width;
  }
}

// Of the hidden state, in one layer.
int layer_norms(const Model& model, LayerKind kind) {
  const int blocks = (kind.mixer != Mixer::none ? 1 : 0) + (kind.block != Block::none ? 1 : 0);
  const int before = model.blocks == Model::Blocks::parallel ? std::min(blocks, 1) : blocks;
  const int usual = model.norm_place == Model::NormPlace::both ? 2 * before : before;
  return usual +
         (kind.predicts ? 3 : 0);  // of the embedding, of the hidden state, and the final one
}

std::int64_t head_norm_parameters(const Model& model) {
  if (!model.query_key_norm) return 0;
  switch (model.query_key_norm_weights) {
    case Model::HeadNorm::head:
      return 2 * norm_parameters(model, model.head_width);
    case Model::HeadNorm::all_heads:
      return norm_parameters(model, query_width(model)) + norm_parameters(model, key_width(model));
    case Model::HeadNorm::none:
      return 0;
  }
  return 0;
}

void add_attention_vectors(const Model& model, LayerParameters& to) {
  to.replicated += head_norm_parameters(model);
  if (model.latent.rank > 0) {
    to.replicated += norm_parameters(model, model.latent.rank);
    if (model.latent.query_rank > 0) {
      to.replicated += norm_parameters(model, model.latent.query_rank);
    }
  }
  if (has_query_biases(model)) {
    to.sharded += query_width(model) + key_width(model) + value_width(model);
  }
  if (has_output_bias(model)) to.replicated += model.hidden;
  if (model.sinks) to.sharded += model.heads;
}

// The convolution with its biases; of each head a decay, a direct part and a bias of its steps; the norm
// before the output.
void add_mamba_vectors(const Model::Mamba& mamba, LayerParameters& to) {
  to.sharded += mamba_convolved(mamba) * (mamba.kernel + 1) + std::int64_t{3} * mamba.heads +
                mamba_width(mamba);
}

// Split by output up to the feed-forward width; those of the matrix back are added once after the sum
// over ranks.
void add_block_vectors(const Model& model, LayerKind kind, LayerParameters& to) {
  const std::int64_t rising = rising_widths(model);
  const bool biases = has_feed_forward_biases(model);
  if (kind.block == Block::dense && biases) {
    to.sharded += rising * model.feed_forward;
    to.replicated += model.hidden;
  }
  if (kind.block != Block::experts) return;
  const Model::Experts& experts = model.experts;
  if (experts.router_bias && experts.count > 1) to.replicated += experts.count;
  if (!biases) return;
  const std::int64_t split = rising * experts.width, whole = model.hidden;
  to.sharded += experts.count * split;
  to.replicated += experts.count * whole;
  if (experts.count > 1) {
    to.routed += experts.count * split;
    to.routed_replicated += experts.count * whole;
  }
  to.idle += (experts.count - experts.top_k) * (split + whole);
  if (experts.shared_width > 0) {
    to.sharded += rising * experts.shared_width;
    to.replicated += model.hidden;
  }
}

void add_matrix(const LayerMatrix& one, LayerParameters& to) {
  const bool whole = one.split == Split::none;
  (whole ? to.replicated : to.sharded) += one.parameters();
  (whole ? to.replicated_matrices : to.sharded_matrices) += one.parameters();
  if (!one.routed) return;
  to.routed += one.parameters();
  to.routed_matrices += one.parameters();
  to.idle += one.outputs * one.inputs * (one.count - one.met);
}

// Of a token, or of a sample, forward.
struct MatrixFlop {
  double token = 0, sample = 0;
};
MatrixFlop matrix_flop(const Model& model, LayerKind kind) {
  MatrixFlop flop;
  for (const LayerMatrix& one : layer_weights(model, kind)) {
    (one.of_sample ? flop.sample : flop.token) +=
        2 * static_cast<double>(one.outputs * one.inputs * one.met);
  }
  return flop;
}

// Of a token at one layer: what mixes it with others.
double mixing_flop(const Model& model, LayerKind kind, CountedScores scores) {
  if (kind.mixer == Mixer::mamba) {
    return 7.0 * static_cast<double>(mamba_width(model.mamba)) * model.mamba.state;
  }
  if (!kind.has_attention()) return 0;
  const double counted = model.causal && scores == CountedScores::causal ? 0.5 : 1;
  const double widths =
      2 * static_cast<double>(query_width(model)) + 2 * static_cast<double>(output_width(model));
  return counted * attended(model, kind) * widths;
}

std::int64_t in_layers(const Model& model, const auto& count) {
  std::int64_t sum = 0;
  for (const KindCount& one : kinds_between(model, 0, model.layers)) {
    sum += one.layers * count(one.kind);
  }
  return sum;
}

}  // namespace

LayerParameters layer_parameters(const Model& model, LayerKind kind) {
  LayerParameters all;
  for (const LayerMatrix& one : layer_weights(model, kind)) add_matrix(one, all);
  all.replicated += layer_norms(model, kind) * norm_parameters(model, model.hidden);
  if (kind.has_attention()) add_attention_vectors(model, all);
  if (kind.mixer == Mixer::mamba) add_mamba_vectors(model.mamba, all);
  add_block_vectors(model, kind, all);
  if (is_modulated(model)) all.replicated += std::int64_t{6} * model.hidden;
  return all;
}

EndParameters end_parameters(const Model& model) {
  const std::int64_t hidden = model.hidden;
  const Model::Vision& vision = model.vision;
  EndParameters ends{.words = model.vocabulary * hidden};
  if (model.positions == Model::Positions::learned) ends.first = model.position_table * hidden;
  if (model.embedding_norm) ends.first += norm_parameters(model, hidden);
  ends.last = norm_parameters(model, hidden) + (model.head_bias ? model.vocabulary : 0);
  if (vision.patch_values == 0) return ends;
  ends.first += (vision.patch_values + 1 + vision.extra_tokens) * hidden;
  ends.last += (hidden + 1) * vision.outputs;
  if (is_modulated(model)) {
    ends.first += (vision.frequencies + 1) * hidden + (hidden + 1) * hidden;
    ends.first += vision.conditions * hidden;
    ends.last += 2 * hidden * (hidden + 1);
  }
  return ends;
}

std::int64_t total_parameters(const Model& model) {
  const EndParameters ends = end_parameters(model);
  return in_layers(model, [&](LayerKind kind) { return layer_parameters(model, kind).total(); }) +
         ends.words + ends.first + ends.last + (model.tied_embeddings ? 0 : ends.words);
}

ParametersByPart parameters_by_part(const Model& model) {
  ParametersByPart all;
  const EndParameters ends = end_parameters(model);
  for (const KindCount& one : kinds_between(model, 0, model.layers)) {
    const LayerParameters layer = layer_parameters(model, one.kind);
    LayerKind mixer = one.kind;
    mixer.block = Block::none;
    const std::int64_t norms = layer_norms(model, one.kind) * norm_parameters(model, model.hidden);
    const std::int64_t routed = layer.routed + layer.routed_replicated;
    const std::int64_t attention =
        one.kind.mixer == Mixer::none
            ? 0
            : layer_parameters(model, mixer).total() -
                  layer_norms(model, mixer) * norm_parameters(model, model.hidden);
    all.attention += one.layers * attention;
    all.norms += one.layers * norms;
    all.experts += one.layers * routed;
    all.feed_forward += one.layers * (layer.total() - attention - norms - routed);
  }
  for (const KindCount& one : kinds_between(model, model.layers, all_layers(model))) {
    all.predictions += one.layers * layer_parameters(model, one.kind).total();
  }
  const std::int64_t total = all.total = total_parameters(model);
  all.ends = total - all.attention - all.norms - all.experts - all.feed_forward;
  all.active =
      total - in_layers(model, [&](LayerKind kind) { return layer_parameters(model, kind).idle; });
  all.active_without_words = all.active - (model.tied_embeddings ? 0 : ends.words);
  return all;
}

std::string parameters_text(const ParametersByPart& parts) {
  const auto count = [](std::int64_t parameters) {
    const auto number = static_cast<double>(parameters);
    return number < 1e9 ? fmt::format("{:.3g} million", number * 1e-6)
                        : fmt::format("{:.4g} billion", number * 1e-9);
  };
  std::string text = count(parts.total) + " parameters";
  if (parts.active != parts.total) {
    text += ", " + count(parts.active) + " of them for each token";
  }
  if (parts.predictions > 0) {
    text += ", and " + count(parts.predictions) + " that predict further tokens";
  }
  return text;
}

double attended(const Model& model, LayerKind kind) {
  const double sequence = model.sequence;
  const double window = model.window;
  if (kind.mixer != Mixer::window || window <= 0 || window >= sequence) return sequence;
  if (model.window_kind == Model::WindowKind::chunked) return window;
  // The first tokens of a sequence have fewer before them.
  return 2 * window * (1 - window / (2 * sequence));
}

double layer_flop(const Model& model, LayerKind kind) {
  const MatrixFlop matrices = matrix_flop(model, kind);
  return matrices.token + matrices.sample / model.sequence +
         mixing_flop(model, kind, CountedScores::causal) +
         (kind.predicts ? 2.0 * model.hidden * model.vocabulary : 0);
}

Flop model_flop(const Model& model, std::int64_t samples, CountedScores scores) {
  const double sequence = model.sequence;
  double layers = 0, of_sample = 0;
  for (const KindCount& one : kinds_between(model, 0, all_layers(model))) {
    const MatrixFlop matrices = matrix_flop(model, one.kind);
    layers += one.layers * (matrices.token + mixing_flop(model, one.kind, scores));
    of_sample += one.layers * matrices.sample;
  }
  const Model::Vision& vision = model.vision;
  const double hidden = model.hidden;
  const double outputs = vision.patch_values > 0 && vision.of_patches ? vision.outputs : 0;
  const double logits = 2 * hidden * (1 + model.predictions) * model.vocabulary +
                        2 * hidden * (vision.patch_values + outputs);
  if (vision.patch_values > 0 && !vision.of_patches) of_sample += 2 * hidden * vision.outputs;
  // The backward pass differentiates by weights and by inputs: twice the forward pass.
  const double count = 3 * static_cast<double>(samples);
  return Flop::from_base(count * sequence * (layers + logits) + count * of_sample);
}

}  // namespace sim
