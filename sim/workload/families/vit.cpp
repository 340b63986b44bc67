// SPDX-License-Identifier: Apache-2.0
// The vision transformer (arXiv 2010.11929).
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

constexpr IntegerRange kPixels{.lowest = 1, .highest = 4'096};

void read_vit(ConfigReader& config, std::optional<int>, Model& model) {
  config.assume("vocab_size", 1);
  read_shape(config, model);
  model.vocabulary = 0;
  model.feed_forward = config.count("intermediate_size", kFeedForwardWidth);
  read_activation(config, "hidden_act", "gelu", false, model);
  const bool biases = config.flag_or("qkv_bias", true);
  if (!biases) config.unsupported("qkv_bias", "biases of all layers but these are not modelled");
  model.biases = Model::Biases::all;
  model.causal = false;
  const int size = config.count("image_size", kPixels);
  const int patch = config.count("patch_size", kPixels);
  check_divides(config, "patch_size", patch, "image_size", size);
  const int channels = config.count_or("num_channels", kHeads, 3);
  model.vision.patch_values = patch * patch * channels;
  model.vision.extra_tokens = 1;
  const int labels = config.size_of("id2label");
  model.vision.outputs = labels > 0 ? labels : config.count_or("num_labels", kTokens, 2);
  const int patches = (size / patch) * (size / patch);
  model.positions = Model::Positions::learned;
  model.position_table = model.sequence = patches + 1;
  for (const char* key : {"attention_probs_dropout_prob", "hidden_dropout_prob"}) {
    config.not_modelled(key, "dropout is not modelled in this family");
  }
  config.ignore({"encoder_stride", "pooler_act", "pooler_output_size", "image_size"});
}

}  // namespace

constexpr ModelFamily vit{.title = "ViT",
                          .architectures = {"ViTForImageClassification"},
                          .model_types = {"vit"},
                          .text_parts = {},
                          .read = read_vit};

}  // namespace sim::families
