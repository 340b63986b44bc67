// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/model.hpp"

#include <fmt/format.h>

#include "sim/base/fields.hpp"
#include "sim/workload/config_json.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim {
namespace {

constexpr EnumName<Model::FeedForward> kFeedForwards[] = {{"gelu", Model::FeedForward::gelu},
                                                          {"swiglu", Model::FeedForward::swiglu}};
constexpr EnumName<Model::Norm> kNorms[] = {{"layer_norm", Model::Norm::layer_norm},
                                            {"layer_norm_no_bias", Model::Norm::layer_norm_no_bias},
                                            {"rms_norm", Model::Norm::rms_norm}};
constexpr EnumName<Model::Positions> kPositions[] = {{"learned", Model::Positions::learned},
                                                     {"rotary", Model::Positions::rotary},
                                                     {"alibi", Model::Positions::alibi}};
constexpr EnumName<Model::Biases> kBiases[] = {
    {"none", Model::Biases::none}, {"qkv", Model::Biases::qkv}, {"all", Model::Biases::all}};

constexpr Condition<Model> kOfLearned{"positions", [](const Model& model, std::string_view) {
                                        return model.positions == Model::Positions::learned;
                                      }};

constexpr Field<Model> kModelFileFields[] = {
    field<&Model::summary>("summary", kAny, kRequired,
                           "One-line description, shown by `gardenhose list models`."),
};

constexpr Field<Model> kModelFields[] = {
    field<&Model::layers>("layers", from_to(kLayers), kRequired, "Transformer layers."),
    field<&Model::hidden>("hidden", from_to(kHidden), kRequired, "Width of the hidden state."),
    field<&Model::heads>("heads", from_to(kHeads), kRequired, "Attention heads."),
    field<&Model::head_width>("head_width", from_to(kHeadWidth), kRequired,
                              "Width of one head's query, key and value; usually hidden / heads."),
    field<&Model::kv_heads>("kv_heads", from_to(kHeads), kRequired,
                            "Key and value heads: a divisor of `heads`, smaller than `heads` with "
                            "grouped-query attention."),
    field<&Model::feed_forward>("feed_forward", from_to(kFeedForwardWidth), kRequired,
                                "Width of the feed-forward block."),
    choice<&Model::feed_forward_kind, kFeedForwards>(
        "feed_forward_kind", kRequired,
        "`gelu`: two matrices. `swiglu`: three (gate, up and down)."),
    choice<&Model::norm, kNorms>("norm", kRequired, "Kind of normalisation."),
    field<&Model::query_key_norm>("query_key_norm", kAny, kRequired,
                                  "Whether each head's query and key are normalised."),
    choice<&Model::positions, kPositions>(
        "positions", kRequired,
        "`learned`: a table of parameters. `rotary`: queries and keys are rotated. `alibi`: a bias "
        "is added to each attention score."),
    field<&Model::position_table>("position_table", from_to(kTokens),
                                  needed("required with learned positions"),
                                  "Number of learned positions, at least `sequence`.")
        .only(kOfLearned),
    choice<&Model::biases, kBiases>("biases", kRequired,
                                    "Linear layers that have a bias: none, only the query, key and "
                                    "value projections (`qkv`), or all."),
    field<&Model::dropout>(
        "dropout", kAny, kRequired,
        "Whether dropout applies to attention, its output and the feed-forward block."),
    field<&Model::tied_embeddings>(
        "tied_embeddings", kAny, kRequired,
        "Whether the output projection shares the weights of the embedding."),
    field<&Model::vocabulary>("vocabulary", from_to(kTokens), kRequired,
                              "Vocabulary size, padded as in training."),
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

constexpr Rule<Model> kModelRules[] = {
    {"model.kv_heads", {"model.heads"}, uneven_heads},
    {"model.sequence", {"model.positions", "model.position_table"}, too_few_positions},
};

Model read_document(TomlDocument document, std::string name, std::string file) {
  TomlReader reader(std::move(document), model_keys());
  Model model;
  model.name = std::move(name);
  model.file = std::move(file);
  read_fields(reader, "", kModelFileFields, model);
  read_fields(reader, "model", kModelFields, model);
  check_rules(reader, kModelRules, model);
  reader.finish();
  return model;
}

// What a model file would hold. Its lines are nowhere, so what is wrong has the file alone.
TomlDocument document_of(const Model& model, const std::filesystem::path& file) {
  constexpr TomlPlace kNowhere{.line = 0, .column = 0};
  const Model none;
  TomlDocument document =
      parse_toml(fmt::format("{}[model]\n{}", written_fields(kModelFileFields, model, none),
                             written_fields(kModelFields, model, none)),
                 file);
  for (auto& [key, leaf] : document.leaves) leaf.place = kNowhere;
  for (auto& [table, place] : document.tables) place = kNowhere;
  return document;
}

}  // namespace

std::span<const TomlKey> model_keys() {
  static const KeyTable table = [] {
    KeyTable keys;
    keys.add("", kModelFileFields, Model());
    keys.add("model", kModelFields, Model());
    return keys;
  }();
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
