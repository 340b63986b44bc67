// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/fields.hpp"
#include "sim/workload/config_json.hpp"
#include "sim/workload/matrices.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim {
namespace {

constexpr EnumName<Model::FeedForward> kFeedForwards[] = {
    {"gelu", Model::FeedForward::gelu},
    {"relu", Model::FeedForward::relu},
    {"squared_relu", Model::FeedForward::squared_relu},
    {"swiglu", Model::FeedForward::swiglu},
    {"geglu", Model::FeedForward::geglu}};
constexpr EnumName<Model::Norm> kNorms[] = {{"layer_norm", Model::Norm::layer_norm},
                                            {"layer_norm_no_bias", Model::Norm::layer_norm_no_bias},
                                            {"rms_norm", Model::Norm::rms_norm},
                                            {"no_weights", Model::Norm::no_weights}};
constexpr EnumName<Model::NormPlace> kNormPlaces[] = {{"before", Model::NormPlace::before},
                                                      {"after", Model::NormPlace::after},
                                                      {"both", Model::NormPlace::both}};
constexpr EnumName<Model::Blocks> kBlockPlaces[] = {
    {"serial", Model::Blocks::serial},
    {"parallel", Model::Blocks::parallel},
    {"parallel_two_norms", Model::Blocks::parallel_two_norms}};
constexpr EnumName<Model::HeadNorm> kHeadNormWeights[] = {{"head", Model::HeadNorm::head},
                                                          {"all_heads", Model::HeadNorm::all_heads},
                                                          {"none", Model::HeadNorm::none}};
constexpr EnumName<Model::WindowKind> kWindowKinds[] = {{"sliding", Model::WindowKind::sliding},
                                                        {"chunked", Model::WindowKind::chunked}};
constexpr EnumName<Model::Positions> kPositions[] = {{"learned", Model::Positions::learned},
                                                     {"rotary", Model::Positions::rotary},
                                                     {"alibi", Model::Positions::alibi},
                                                     {"none", Model::Positions::none}};
constexpr EnumName<Model::Biases> kBiases[] = {{"none", Model::Biases::none},
                                               {"qkv", Model::Biases::qkv},
                                               {"attention", Model::Biases::attention},
                                               {"feed_forward", Model::Biases::feed_forward},
                                               {"all", Model::Biases::all}};

constexpr Condition<Model> kOfLearned{"positions", [](const Model& model, std::string_view) {
                                        return model.positions == Model::Positions::learned;
                                      }};
constexpr Condition<Model> kOfRotary{"positions", [](const Model& model, std::string_view) {
                                       return model.positions == Model::Positions::rotary;
                                     }};

// The order needs to know whether there are experts, so these tables are read before [model].
constexpr Usual kWithTable = needed("required with the table");

constexpr Field<Model> kLatentFields[] = {
    field<&Model::latent, &Model::Latent::rank>(
        "rank", from_to(kWidth), kWithTable,
        "Width of the vector from which all heads' keys and values are made (DeepSeek-V2's "
        "`kv_lora_rank`). `model.head_width` is that of a query or key with its turned part."),
    field<&Model::latent, &Model::Latent::query_rank>("query_rank", from_to(kWidth),
                                                      left_out("queries are projected at once"),
                                                      "The same of queries (`q_lora_rank`)."),
    field<&Model::latent, &Model::Latent::rope_width>(
        "rope_width", from_to(kHeadWidth), kWithTable,
        "Elements of a query or key that are turned by positions (`qk_rope_head_dim`)."),
    field<&Model::latent, &Model::Latent::value_width>(
        "value_width", from_to(kHeadWidth), kWithTable, "Width of a head's value (`v_head_dim`)."),
};

constexpr Field<Model> kExpertsFields[] = {
    field<&Model::experts, &Model::Experts::count>(
        "count", from_to(kExpertCount), kWithTable,
        "Experts to choose from in a layer that has them. With one there is no choice: the layer "
        "is a dense one."),
    field<&Model::experts, &Model::Experts::top_k>("top_k", from_to(kExpertCount), kWithTable,
                                                   "Experts that each token passes."),
    field<&Model::experts, &Model::Experts::width>("width", from_to(kFeedForwardWidth), kWithTable,
                                                   "Feed-forward width of an expert."),
    field<&Model::experts, &Model::Experts::shared_width>(
        "shared_width", from_to(kFeedForwardWidth), left_out("no expert is shared"),
        "Feed-forward width of what every token passes beside its experts; of several shared "
        "experts, their sum."),
    field<&Model::experts, &Model::Experts::shared_gate>(
        "shared_gate", kAny, kUsualValue, "Whether a gate of its own weights what is shared."),
    field<&Model::experts, &Model::Experts::router_bias>(
        "router_bias", kAny, kUsualValue,
        "Whether the router has a number for each expert, learned or to balance them."),
    field<&Model::experts, &Model::Experts::latent_width>(
        "latent_width", from_to(kHidden), left_out("experts work on the hidden state"),
        "Columns to which the hidden state is projected for the experts, and back after them."),
    field<&Model::experts, &Model::Experts::groups>(
        "groups", from_to(kExpertCount), left_out("experts are of one group"),
        "Groups of as many consecutive experts (DeepSeek's `n_group`)."),
    field<&Model::experts, &Model::Experts::top_groups>(
        "top_groups", from_to(kExpertCount), left_out("one"),
        "Groups in which the experts of a token are (`topk_group`)."),
};

constexpr Field<Model> kMambaFields[] = {
    field<&Model::mamba, &Model::Mamba::heads>("heads", from_to(kHeads), kWithTable,
                                               "Heads of a Mamba-2 layer."),
    field<&Model::mamba, &Model::Mamba::head_width>("head_width", from_to(kHeadWidth), kWithTable,
                                                    "Width of a head."),
    field<&Model::mamba, &Model::Mamba::state>("state", from_to(kWidth), kWithTable,
                                               "State of each column of a head."),
    field<&Model::mamba, &Model::Mamba::groups>("groups", from_to(kHeads), kWithTable,
                                                "Groups of heads that share B and C."),
    field<&Model::mamba, &Model::Mamba::kernel>("kernel", from_to(kHeads), kWithTable,
                                                "Tokens that the convolution spans."),
    field<&Model::mamba, &Model::Mamba::chunk>(
        "chunk", from_to(kTokens), kWithTable,
        "Tokens that are computed at once, as attention among themselves."),
};

constexpr Field<Model> kVisionFields[] = {
    field<&Model::vision, &Model::Vision::patch_values>(
        "patch_values", from_to(kTokens), kWithTable,
        "Numbers in a patch: its area times channels. The model then reads patches, and "
        "`model.vocabulary` is left out."),
    field<&Model::vision, &Model::Vision::outputs>(
        "outputs", from_to(kTokens), kWithTable,
        "Outputs of a sample, as classes, or of each patch."),
    field<&Model::vision, &Model::Vision::of_patches>("of_patches", kAny, kUsualValue,
                                                      "Whether `outputs` are of each patch."),
    field<&Model::vision, &Model::Vision::extra_tokens>(
        "extra_tokens", from_to(kHeads), left_out("none"),
        "Learned tokens beside the patches, as a class token; part of `model.sequence`."),
    field<&Model::vision, &Model::Vision::frequencies>(
        "frequencies", from_to(kTokens), left_out("layers are not modulated"),
        "Frequencies by which a time step is embedded, as in a diffusion transformer: a vector "
        "made of it and of the condition scales and shifts each layer."),
    field<&Model::vision, &Model::Vision::conditions>(
        "conditions", from_to(kTokens), left_out("none"),
        "Rows of the table of conditions, as classes and none.")
        .only({"frequencies",
               [](const Model& model, std::string_view) { return is_modulated(model); },
               "applies beside `frequencies` only"}),
};

void read_prediction(TomlReader& reader, std::string_view key, const Field<Model>&, Model& model) {
  const std::string text = reader.text(key);
  if (!reader.is_good(key)) return;
  const auto order = parse_order(text, usual_block(model));
  if (order && order->kinds.size() == 1) {
    model.prediction = order->kinds.front();
  } else {
    reader.wrong(key, "is not a kind of layer; write a word as of model.order, e.g. full+experts");
  }
}

void read_order(TomlReader& reader, std::string_view key, const Field<Model>&, Model& model) {
  const std::string text = reader.text(key);
  if (!reader.is_good(key)) return;
  const auto order = parse_order(text, usual_block(model));
  if (order) {
    model.order = *order;
  } else {
    reader.wrong(key,
                 "is not a list of kinds of layers; write words of full, unplaced, window, mamba, "
                 "none with dense, experts or none, e.g. dense*3 experts*");
  }
}

constexpr Field<Model> kOrderField{
    .name = "order",
    .usual = left_out("all alike: full attention, then experts if the model has any"),
    .meaning =
        "Kinds of layers in order, from the first. A word is what mixes tokens (`full` attention, "
        "`unplaced`: without positions, `window`, `mamba`, `none`), what follows it (`dense`, "
        "`experts`, `none`), or both, as in `mamba+none`. `*3` repeats a word; `*` repeats the "
        "last one to the end. The list repeats until all layers have a kind.",
    .example = "\"dense*3 experts*\"",
    .value = field_values::words<std::string>,
    .read = read_order,
    .write = [](const Model& model, const NumberRange&) {
      return model.order.empty() ? std::string() : toml_text(order_text(model.order));
    }};

constexpr Condition<Model> kOfPredictions{
    "predictions", [](const Model& model, std::string_view) { return model.predictions > 0; },
    "applies beside `predictions` only"};
constexpr Field<Model> kPredictionField{
    .name = "prediction",
    .usual = left_out("the last layer's"),
    .meaning = "Kind of those layers: a word as in `order`.",
    .example = "\"full+experts\"",
    .value = field_values::words<std::string>,
    .read = read_prediction,
    .write =
        [](const Model& model, const NumberRange&) {
          return model.prediction ? toml_text(order_text({{*model.prediction}})) : std::string();
        },
    .conditions = {kOfPredictions}};

constexpr Field<Model> kModelFileFields[] = {
    field<&Model::summary>("summary", kAny, kRequired,
                           "One-line description, shown by `gardenhose list models`."),
};

constexpr Condition<Model> kOfWindow{
    "window", [](const Model& model, std::string_view) { return model.window > 0; },
    "applies beside `window` only"};
constexpr Condition<Model> kOfHeadNorm{
    "query_key_norm", [](const Model& model, std::string_view) { return model.query_key_norm; },
    "applies with `query_key_norm = true` only"};
constexpr Condition<Model> kOfWords{
    "vision.patch_values",
    [](const Model& model, std::string_view) { return model.vision.patch_values == 0; },
    "does not apply to a model of patches"};

constexpr Field<Model> kModelFields[] = {
    field<&Model::layers>("layers", from_to(kLayers), kRequired, "Transformer layers."),
    kOrderField,
    field<&Model::predictions>(
        "predictions", from_to(kPredictions), left_out("none"),
        "Layers that predict further tokens (multi-token prediction), after the others; each is of "
        "the last layer's kind, with a projection before it and a loss behind it."),
    kPredictionField,
    field<&Model::hidden>("hidden", from_to(kHidden), kRequired, "Width of the hidden state."),
    field<&Model::heads>("heads", from_to(kHeads), kRequired, "Attention heads."),
    field<&Model::head_width>("head_width", from_to(kHeadWidth), kRequired,
                              "Width of one head's query, key and value; usually hidden / heads."),
    field<&Model::kv_heads>("kv_heads", from_to(kHeads), kRequired,
                            "Key and value heads: a divisor of `heads`, smaller than `heads` with "
                            "grouped-query attention."),
    field<&Model::causal>("causal", kAny, kUsualValue,
                          "Whether tokens attend only to those before them."),
    field<&Model::window>("window", from_to(kTokens), left_out("none"),
                          "Tokens that a layer with a window attends to; `order` says which."),
    choice<&Model::window_kind, kWindowKinds>(
        "window_kind", kUsualValue,
        "`sliding`: so many tokens before, itself included. `chunked`: those of its own chunk.")
        .only(kOfWindow),
    field<&Model::sinks>("sinks", kAny, kUsualValue,
                         "Whether each head has a learned number in the sum of its softmax."),
    field<&Model::attention_cap>("attention_cap", kAny, kUsualValue,
                                 "Whether attention scores pass a tanh (soft-capping)."),
    field<&Model::logit_cap>("logit_cap", kAny, kUsualValue, "Whether logits pass a tanh."),
    field<&Model::logit_scale>("logit_scale", kAny, kUsualValue,
                               "Whether logits are multiplied by a constant."),
    field<&Model::feed_forward>("feed_forward", from_to(kFeedForwardWidth), kRequired,
                                "Width of the feed-forward block. Left out where all layers have "
                                "experts.")
        .needed_if(
            [](TomlReader&, const Model& model) { return has_layers_with(model, Block::dense); }),
    choice<&Model::feed_forward_kind, kFeedForwards>(
        "feed_forward_kind", kRequired,
        "`gelu`, `relu`, `squared_relu`: two matrices. `swiglu`, `geglu`: three (gate, up and "
        "down)."),
    choice<&Model::norm, kNorms>("norm", kRequired, "Kind of normalisation."),
    choice<&Model::norm_place, kNormPlaces>(
        "norm_place", kUsualValue,
        "Whether norms are before a layer's blocks, after them, or both."),
    choice<&Model::blocks, kBlockPlaces>(
        "blocks", kUsualValue,
        "`serial`: the feed-forward block reads what attention gives. `parallel`: both read the "
        "same; `parallel_two_norms`: each by a norm of its own."),
    field<&Model::query_key_norm>("query_key_norm", kAny, kRequired,
                                  "Whether each head's query and key are normalised."),
    choice<&Model::query_key_norm_weights, kHeadNormWeights>(
        "query_key_norm_weights", kUsualValue,
        "Weights of that norm: as wide as a `head`, or `all_heads`, or `none`.")
        .only(kOfHeadNorm),
    choice<&Model::positions, kPositions>(
        "positions", kRequired,
        "`learned`: a table of parameters. `rotary`: queries and keys are rotated. `alibi`: a bias "
        "is added to each attention score."),
    field<&Model::rotary_share>("rotary_share", from_to(0, 1), kUsualValue,
                                "Share of a head's width that is rotated.")
        .only(kOfRotary),
    field<&Model::position_table>("position_table", from_to(kTokens),
                                  needed("required with learned positions"),
                                  "Number of learned positions, at least `sequence`.")
        .only(kOfLearned),
    choice<&Model::biases, kBiases>("biases", kRequired,
                                    "Linear layers that have a bias: none, only the query, key and "
                                    "value projections (`qkv`), these and the output's "
                                    "(`attention`), only the feed-forward block's, or all."),
    field<&Model::head_bias>("head_bias", kAny, kUsualValue,
                             "Whether the output projection has a bias."),
    field<&Model::embedding_norm>("embedding_norm", kAny, kUsualValue,
                                  "Whether the embedding's output is normalised."),
    field<&Model::dropout>(
        "dropout", kAny, kRequired,
        "Whether dropout applies to attention, its output and the feed-forward block."),
    field<&Model::attention_dropout>("attention_dropout", kAny, left_out("as `dropout`"),
                                     "Whether dropout applies to attention itself."),
    field<&Model::tied_embeddings>(
        "tied_embeddings", kAny, kRequired,
        "Whether the output projection shares the weights of the embedding."),
    field<&Model::vocabulary>("vocabulary", from_to(kTokens), kRequired,
                              "Vocabulary size, padded as in training. Left out of a model of "
                              "patches.")
        .only(kOfWords),
    field<&Model::sequence>("sequence", from_to(kTokens), kRequired, "Tokens per sequence."),
};

std::string uneven_heads(const Model& model) {
  if (model.heads % model.kv_heads == 0) return {};
  return fmt::format("{} does not divide heads = {}; write a divisor", model.kv_heads, model.heads);
}

std::string too_few_positions(const Model& model) {
  const bool learned = model.positions == Model::Positions::learned;
  if (!learned || model.position_table >= model.sequence) return {};
  return fmt::format(
      "{} is more than the position_table of {}; write at most that, or set the "
      "table too",
      model.sequence, model.position_table);
}

std::string lacking_part(const Model& model) {
  if (has_layers_with(model, Block::experts) && model.experts.count == 0) {
    return "has experts; write the table [model.experts]";
  }
  if (has_layers_with(model, Mixer::mamba) && model.mamba.heads == 0) {
    return "has mamba; write the table [model.mamba]";
  }
  if (has_layers_with(model, Mixer::window) && model.window == 0) {
    return "has layers with a window; write model.window";
  }
  return {};
}

std::string too_many_chosen(const Model& model) {
  if (model.experts.top_k <= model.experts.count) return {};
  return fmt::format("{} is more than the {} experts; write at most that", model.experts.top_k,
                     model.experts.count);
}

std::string uneven_groups(const Model& model) {
  if (model.experts.count % model.experts.groups == 0) return {};
  return fmt::format("{} does not divide the {} experts; write a divisor", model.experts.groups,
                     model.experts.count);
}

std::string wrong_top_groups(const Model& model) {
  const Model::Experts& experts = model.experts;
  if (experts.top_groups > experts.groups) {
    return fmt::format("{} is more than the {} groups; write at most that", experts.top_groups,
                       experts.groups);
  }
  const int reached = experts.count / experts.groups * experts.top_groups;
  if (experts.top_k <= reached) return {};
  return fmt::format("{} has {} experts, and a token passes {}; write more", experts.top_groups,
                     reached, experts.top_k);
}

std::string wide_rotation(const Model& model) {
  if (model.latent.rope_width < model.head_width) return {};
  return fmt::format("{} leaves nothing of the head_width of {}; write less",
                     model.latent.rope_width, model.head_width);
}

// Parameters are counted in 64 bits.
std::string too_many_parameters(const Model& model) {
  constexpr double kMost = 4e18;
  double sum = 0;
  for (const KindCount& one : kinds_between(model, 0, all_layers(model))) {
    for (const LayerMatrix& matrix : layer_weights(model, one.kind)) {
      sum += 1.0 * one.layers * static_cast<double>(matrix.outputs) *
             static_cast<double>(matrix.inputs) * static_cast<double>(matrix.count);
    }
  }
  return sum < kMost ? ""
                     : "are more parameters than 4 x 10^18 in all; write fewer or smaller ones";
}

constexpr Rule<Model> kModelRules[] = {
    {"order", {"window"}, lacking_part},
    {"experts.top_k", {"experts.count"}, too_many_chosen},
    {"experts.groups", {"experts.count"}, uneven_groups},
    {"experts.top_groups", {"experts.groups", "experts.count", "experts.top_k"}, wrong_top_groups},
    {"latent.rope_width", {"head_width"}, wide_rotation},
    {"layers",
     {"hidden", "heads", "feed_forward", "experts.count", "experts.width"},
     too_many_parameters},
    {"kv_heads", {"heads"}, uneven_heads},
    {"sequence", {"positions", "position_table"}, too_few_positions},
};

// Tables that a model may lack.
struct Table {
  std::string_view name;
  std::span<const Field<Model>> fields;
  bool (*is_there)(const Model&);
};
constexpr Table kTables[] = {
    {"model.latent", kLatentFields, [](const Model& model) { return model.latent.rank > 0; }},
    {"model.experts", kExpertsFields, [](const Model& model) { return model.experts.count > 0; }},
    {"model.mamba", kMambaFields, [](const Model& model) { return model.mamba.heads > 0; }},
    {"model.vision", kVisionFields,
     [](const Model& model) { return model.vision.patch_values > 0; }},
};

Model read_document(TomlDocument document, std::string name, std::string file) {
  TomlReader reader(std::move(document), model_keys());
  Model model;
  model.name = std::move(name);
  model.file = std::move(file);
  read_fields(reader, "", kModelFileFields, model);
  for (const Table& table : kTables) {
    if (reader.has_table(table.name)) read_fields(reader, table.name, table.fields, model);
  }
  read_fields(reader, "model", kModelFields, model);
  check_rules(reader, "model", kModelRules, model);
  reader.finish();
  return model;
}

// What a model file would hold. Its lines are nowhere, so what is wrong has the file alone.
TomlDocument document_of(const Model& model, const std::filesystem::path& file) {
  constexpr TomlPlace kNowhere{.line = 0, .column = 0};
  const Model none;
  std::string text = fmt::format("{}[model]\n{}", written_fields(kModelFileFields, model, none),
                                 written_fields(kModelFields, model, none));
  for (const Table& table : kTables) {
    if (!table.is_there(model)) continue;
    text += fmt::format("[{}]\n{}", table.name, written_fields(table.fields, model, none));
  }
  TomlDocument document = parse_toml(text, file);
  for (auto& [key, leaf] : document.leaves) leaf.place = kNowhere;
  for (auto& [table, place] : document.tables) place = kNowhere;
  return document;
}

}  // namespace

std::span<const TomlKey> model_keys() {
  static const KeyTable table = KeyTable()
                                    .add("", kModelFileFields, Model())
                                    .add("model", kModelFields, Model())
                                    .add("model.latent", kLatentFields, Model())
                                    .add("model.experts", kExpertsFields, Model())
                                    .add("model.mamba", kMambaFields, Model())
                                    .add("model.vision", kVisionFields, Model());
  return table.keys();
}

Model parse_model(std::string_view text, const std::filesystem::path& file,
                  std::span<const Setting> settings) {
  if (file.extension() != ".json") {
    return read_document(parse_toml(text, file, settings), file.stem().string(),
                         file.filename().string());
  }
  const Model config = parse_config(text, file, settings);
  TomlDocument document = document_of(config, file);
  apply_settings(settings, document);
  return read_document(std::move(document), config.name, config.file);
}

Model read_model(const std::filesystem::path& file, std::span<const Setting> settings) {
  return parse_model(read_input_text(file), file, settings);
}

}  // namespace sim
