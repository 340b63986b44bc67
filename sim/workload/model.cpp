#include "sim/workload/model.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/base/toml_reader.hpp"

namespace sim {
namespace {

constexpr std::array kFeedForwards{
    EnumName<Model::FeedForward>{"gelu", Model::FeedForward::gelu},
    EnumName<Model::FeedForward>{"swiglu", Model::FeedForward::swiglu}};
constexpr std::array kNorms{EnumName<Model::Norm>{"layer_norm", Model::Norm::layer_norm},
                            EnumName<Model::Norm>{"rms_norm", Model::Norm::rms_norm}};
constexpr std::array kPositions{EnumName<Model::Positions>{"learned", Model::Positions::learned},
                                EnumName<Model::Positions>{"rotary", Model::Positions::rotary}};

// Far above any model, and low enough that its parameters are counted in 64 bits: 10^4 layers of
// 4 h^2 + 3 h f = 4 * 10^12 + 3 * 10^13 parameters are 3.4 * 10^17.
constexpr IntegerRange kLayers{.lowest = 1, .highest = 10'000};
constexpr IntegerRange kWidth{.lowest = 1, .highest = 1'000'000};
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

}  // namespace

Model parse_model(std::string_view text, const std::filesystem::path& file,
                  std::span<const Setting> settings) {
  TomlReader reader(parse_toml(text, file, settings));
  Model model{.name = file.stem().string(),
              .summary = reader.text("summary"),
              .layers = read_count(reader, "model.layers", kLayers),
              .hidden = read_count(reader, "model.hidden", kWidth),
              .heads = read_count(reader, "model.heads", kWidth),
              .kv_heads = read_count(reader, "model.kv_heads", kWidth),
              .feed_forward = read_count(reader, "model.feed_forward", kFeedForwardWidth),
              .feed_forward_kind =
                  reader.one_of<Model::FeedForward>("model.feed_forward_kind", kFeedForwards),
              .norm = reader.one_of<Model::Norm>("model.norm", kNorms),
              .positions = reader.one_of<Model::Positions>("model.positions", kPositions),
              .biases = reader.boolean("model.biases"),
              .dropout = reader.boolean("model.dropout"),
              .tied_embeddings = reader.boolean("model.tied_embeddings"),
              .vocabulary = read_count(reader, "model.vocabulary", kTokens),
              .sequence = read_count(reader, "model.sequence", kTokens)};
  check_divides(reader, "model.heads", model.heads, "model.hidden", model.hidden);
  check_divides(reader, "model.kv_heads", model.kv_heads, "model.heads", model.heads);
  reader.finish();
  return model;
}

Model read_model(const std::filesystem::path& file, std::span<const Setting> settings) {
  return parse_model(read_input_text(file), file, settings);
}

}  // namespace sim
