// SPDX-License-Identifier: Apache-2.0
// The diffusion transformer (arXiv 2212.09748) as the library diffusers writes it.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

constexpr IntegerRange kSide{.lowest = 1, .highest = 4'096};

void read_dit_vision(ConfigReader& config, Model& model) {
  const int patch = config.count_or("patch_size", kSide, 2);
  const int side = config.count("sample_size", kSide);
  check_divides(config, "patch_size", patch, "sample_size", side);
  const int channels = config.count("in_channels", kSide);
  model.vision.patch_values = patch * patch * channels;
  model.vision.outputs = patch * patch * config.count_or("out_channels", kSide, channels);
  model.vision.of_patches = true;
  model.vision.frequencies = 256;  // the library's, and the paper's code's
  model.vision.conditions = config.count("num_embeds_ada_norm", kTokens) + 1;  // and none
  model.sequence = (side / patch) * (side / patch);
}

void read_dit(ConfigReader& config, std::optional<int>, Model& model) {
  model.layers = config.count("num_layers", kLayers);
  model.heads = model.kv_heads = config.count("num_attention_heads", kHeads);
  model.head_width = config.count("attention_head_dim", kHeadWidth);
  model.hidden = model.heads * model.head_width;
  if (model.hidden > kHidden.highest && config.all_good({"num_attention_heads"})) {
    config.wrong("num_attention_heads", "makes the hidden state too wide");
    model.hidden = 1;
  }
  model.feed_forward = 4 * model.hidden;
  read_activation(config, "activation_fn", "gelu-approximate", false, model);
  const bool attention = config.flag_or("attention_bias", true);
  if (!attention) config.unsupported("attention_bias", "a DiT without biases is not modelled");
  model.biases = Model::Biases::all;
  model.norm = Model::Norm::no_weights;
  model.positions = Model::Positions::none;  // a fixed table, added once
  model.causal = false;
  if (config.text_or("norm_type", "ada_norm_zero") != "ada_norm_zero") {
    config.unsupported("norm_type", "only the modulation of DiT, ada_norm_zero, is modelled");
  }
  read_dit_vision(config, model);
  for (const char* key : {"cross_attention_dim", "double_self_attention", "only_cross_attention",
                          "num_vector_embeds", "caption_channels", "norm_elementwise_affine"}) {
    config.not_modelled(key, "this part is not modelled in this family");
  }
  config.not_modelled("dropout", "dropout is not modelled in this family");
  config.ignore({"norm_eps", "norm_num_groups", "upcast_attention", "use_linear_projection",
                 "attention_type", "interpolation_scale", "use_additional_conditions"});
}

}  // namespace

constexpr ModelFamily dit{.title = "DiT",
                          .architectures = {"DiTTransformer2DModel", "Transformer2DModel"},
                          .model_types = {},
                          .text_parts = {},
                          .read = read_dit};

}  // namespace sim::families
