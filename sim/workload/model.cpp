#include "sim/workload/model.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/base/toml_reader.hpp"

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

// Far above any model, and low enough that its parameters are counted in 64 bits: 10^4 layers with
// 10^8 wide queries of 4 h q + 3 h f = 4 * 10^14 + 3 * 10^13 parameters are 4.3 * 10^18.
constexpr IntegerRange kLayers{.lowest = 1, .highest = 10'000};
constexpr IntegerRange kWidth{.lowest = 1, .highest = 1'000'000};
constexpr IntegerRange kHeads{.lowest = 1, .highest = 10'000};
constexpr IntegerRange kFeedForwardWidth{.lowest = 1, .highest = 10'000'000};
constexpr IntegerRange kTokens{.lowest = 1, .highest = 100'000'000};

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
  if (!reader.is_good("model.positions")) {
    static_cast<void>(reader.has(kKey));  // nothing can be said of it
    return 0;
  }
  if (model.positions != Model::Positions::learned) {
    const auto named = kPositions[static_cast<std::size_t>(model.positions)].name;
    reader.inapplicable(kKey, fmt::format("does not apply with positions {}; remove it", named));
    return 0;
  }
  const int table = read_count(reader, kKey, kTokens);
  if (reader.is_good(kKey) && reader.is_good("model.sequence") && table < model.sequence) {
    reader.wrong("model.sequence", fmt::format("{} is more than the position_table of {}; write "
                                               "at most that, or set the table too",
                                               model.sequence, table));
  }
  return table;
}

}  // namespace

Model parse_model(std::string_view text, const std::filesystem::path& file,
                  std::span<const Setting> settings) {
  TomlReader reader(parse_toml(text, file, settings));
  Model model{.name = file.stem().string(),
              .summary = reader.text("summary"),
              .layers = read_count(reader, "model.layers", kLayers),
              .hidden = read_count(reader, "model.hidden", kWidth),
              .heads = read_count(reader, "model.heads", kHeads),
              .head_width = read_count(reader, "model.head_width", kHeads),
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

Model read_model(const std::filesystem::path& file, std::span<const Setting> settings) {
  return parse_model(read_input_text(file), file, settings);
}

}  // namespace sim
