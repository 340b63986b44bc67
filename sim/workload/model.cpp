// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/model.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/base/printable.hpp"
#include "sim/base/toml_reader.hpp"
#include "sim/workload/config_json.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim {
namespace {

constexpr std::array kFeedForwards{
    EnumName<Model::FeedForward>{"gelu", Model::FeedForward::gelu},
    EnumName<Model::FeedForward>{"swiglu", Model::FeedForward::swiglu}};
constexpr std::array kNorms{
    EnumName<Model::Norm>{"layer_norm", Model::Norm::layer_norm},
    EnumName<Model::Norm>{"layer_norm_no_bias", Model::Norm::layer_norm_no_bias},
    EnumName<Model::Norm>{"rms_norm", Model::Norm::rms_norm}};
constexpr std::array kPositions{EnumName<Model::Positions>{"learned", Model::Positions::learned},
                                EnumName<Model::Positions>{"rotary", Model::Positions::rotary},
                                EnumName<Model::Positions>{"alibi", Model::Positions::alibi}};
constexpr std::array kBiases{EnumName<Model::Biases>{"none", Model::Biases::none},
                             EnumName<Model::Biases>{"qkv", Model::Biases::qkv},
                             EnumName<Model::Biases>{"all", Model::Biases::all}};

int read_count(TomlReader& reader, std::string_view key, const IntegerRange& range) {
  return static_cast<int>(reader.integer(key, range));
}

void check_divides(TomlReader& reader, std::string_view key, int part, std::string_view whole_key,
                   int whole) {
  if (reader.is_good(key) && reader.is_good(whole_key) && whole % part != 0) {
    reader.wrong(key, fmt::format("{} does not divide {} = {}; write a divisor", part,
                                  whole_key.substr(whole_key.find('.') + 1), whole));
  }
}

// Entries of the table of learned positions; 0 where there is none.
int read_position_table(TomlReader& reader, const Model& model) {
  constexpr const char* kKey = "model.position_table";
  const bool learned = model.positions == Model::Positions::learned;
  if (!reader.applies(kKey, "model.positions", learned)) return 0;
  const int table = read_count(reader, kKey, kTokens);
  if (reader.is_good(kKey) && reader.is_good("model.sequence") && table < model.sequence) {
    reader.wrong("model.sequence", fmt::format("{} is more than the position_table of {}; write "
                                               "at most that, or set the table too",
                                               model.sequence, table));
  }
  return table;
}

Model read_document(TomlDocument document, std::string name, std::string file) {
  TomlReader reader(std::move(document), model_keys());
  Model model{.name = std::move(name),
              .file = std::move(file),
              .summary = reader.text("summary"),
              .layers = read_count(reader, "model.layers", kLayers),
              .hidden = read_count(reader, "model.hidden", kHidden),
              .heads = read_count(reader, "model.heads", kHeads),
              .head_width = read_count(reader, "model.head_width", kHeadWidth),
              .kv_heads = read_count(reader, "model.kv_heads", kHeads),
              .feed_forward = read_count(reader, "model.feed_forward", kFeedForwardWidth),
              .feed_forward_kind =
                  reader.one_of<Model::FeedForward>("model.feed_forward_kind", kFeedForwards),
              .norm = reader.one_of<Model::Norm>("model.norm", kNorms),
              .query_key_norm = reader.boolean("model.query_key_norm"),
              .positions = reader.one_of<Model::Positions>("model.positions", kPositions),
              .biases = reader.one_of<Model::Biases>("model.biases", kBiases),
              .dropout = reader.boolean("model.dropout"),
              .tied_embeddings = reader.boolean("model.tied_embeddings"),
              .vocabulary = read_count(reader, "model.vocabulary", kTokens),
              .sequence = read_count(reader, "model.sequence", kTokens)};
  model.position_table = read_position_table(reader, model);
  check_divides(reader, "model.kv_heads", model.kv_heads, "model.heads", model.heads);
  reader.finish();
  return model;
}

template <class E>
std::string name_in(std::span<const EnumName<E>> names, E value) {
  return std::string(names[static_cast<std::size_t>(value)].name);
}

// What a model file would hold. Its lines are nowhere, so what is wrong has the file alone.
TomlDocument document_of(const Model& model, const std::filesystem::path& file) {
  constexpr TomlPlace kNowhere{.line = 0, .column = 0};
  TomlDocument document{
      .file = printable_path(file), .leaves = {}, .tables = {{"model", kNowhere}}};
  const auto put = [&](const char* key, TomlScalar value) {
    document.leaves.emplace(key, TomlLeaf{kNowhere, std::move(value)});
  };
  const auto put_count = [&](const char* key, int value) { put(key, std::int64_t{value}); };
  put("summary", model.summary);
  put_count("model.layers", model.layers);
  put_count("model.hidden", model.hidden);
  put_count("model.heads", model.heads);
  put_count("model.head_width", model.head_width);
  put_count("model.kv_heads", model.kv_heads);
  put_count("model.feed_forward", model.feed_forward);
  put("model.feed_forward_kind",
      name_in<Model::FeedForward>(kFeedForwards, model.feed_forward_kind));
  put("model.norm", name_in<Model::Norm>(kNorms, model.norm));
  put("model.query_key_norm", model.query_key_norm);
  put("model.positions", name_in<Model::Positions>(kPositions, model.positions));
  if (model.position_table != 0) put_count("model.position_table", model.position_table);
  put("model.biases", name_in<Model::Biases>(kBiases, model.biases));
  put("model.dropout", model.dropout);
  put("model.tied_embeddings", model.tied_embeddings);
  put_count("model.vocabulary", model.vocabulary);
  put_count("model.sequence", model.sequence);
  return document;
}

}  // namespace

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
