// SPDX-License-Identifier: Apache-2.0
// Scheme files: what a scheme says of all its parts, its weights and its activations.
#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/printable.hpp"
#include "sim/schemes/scheme_keys.hpp"

namespace sim {
namespace {

Stages read_stages(TomlReader& reader) {
  constexpr const char* kKey = "zero";
  const auto given = reader.integers(kKey, {.lowest = 0, .highest = 3});
  if (!reader.is_good(kKey)) return {};
  Stages stages;
  for (const std::int64_t stage : given) {
    if (has_stage(stages, static_cast<int>(stage))) {
      reader.wrong(kKey, fmt::format("has {} twice; write it once", stage));
      return {};
    }
    stages.push_back(static_cast<int>(stage));
  }
  if (stages.size() > 1 && has_stage(stages, 0)) {
    reader.wrong(kKey,
                 "mixes 0, which shards nothing, with stages that shard; write a file for each");
    return {};
  }
  return stages;
}

// Shipped, uncompressed, and defined for all stages, or exchanging as much between sites.
bool can_be_twin(const Scheme& twin, const Scheme& scheme) {
  if (twin.compresses() || twin.kind() != scheme.kind()) return false;
  if (twin.between_sites) return twin.between_sites->gradients == scheme.between_sites->gradients;
  return std::ranges::all_of(scheme.zero, [&](int stage) { return twin.is_defined_for(stage); });
}

// Without one: the scheme itself where it does not compress, else the plain form of its sharding, or
// of what its sites exchange.
std::string usual_twin(const Scheme& scheme, const std::vector<std::string_view>& twins) {
  if (const auto& exchange = scheme.between_sites) {
    if (exchange->wire.is_plain()) return scheme.name;
    return exchange->gradients ? "wan_sync" : "diloco";
  }
  const bool plain = scheme.sends_plain() && !scheme.weights.secondary_shards;
  return plain ? scheme.name : std::string(twins.front());
}

std::string read_twin(TomlReader& reader, const Scheme& scheme) {
  std::vector<std::string_view> twins;
  for (const Scheme* shipped : all_schemes()) {
    if (can_be_twin(*shipped, scheme)) twins.push_back(shipped->name);
  }
  if (!reader.has("twin")) return usual_twin(scheme, twins);
  const std::string name = reader.text("twin");
  const bool known_kind = scheme.between_sites || !scheme.zero.empty();
  if (known_kind && reader.is_good("twin") && std::ranges::find(twins, name) == twins.end()) {
    const std::string what = !scheme.between_sites
                                 ? fmt::format("for zero =  [{}]", joined(scheme.zero))
                             : scheme.between_sites->gradients ? "of gradients between sites"
                                                               : "of weight changes between sites";
    reader.wrong("twin", fmt::format("'{}' is not a shipped uncompressed scheme {}; write {}",
                                     printable(name), what, joined(twins, " or ")));
  }
  return name;
}

void check_weights(TomlReader& reader, const Stages& zero, const WeightExchange& weights) {
  const bool good = !reader.has("weights.codec") || reader.is_good("weights.codec");
  const std::size_t keep = weights.wire.card ? 0 : weights.wire.format.keep;
  if (weights.difference && has_stage(zero, 3)) {
    reader.wrong("weights.difference",
                 "needs ranks that keep all weights, and ZeRO-3's do not; write zero =  [1, 2]");
  } else if (weights.difference && good && weights.wire.is_plain()) {
    reader.wrong("weights.difference", "has no codec to encode it; name one");
  }
  if (good && keep > 0 && !weights.difference) {
    reader.wrong(
        "weights.codec",
        fmt::format("{} sends {} of {} weights and loses the rest; write another codec, or "
                    "difference = true",
                    weights.wire.name(), keep, weights.wire.format.group));
  }
  if (weights.secondary_shards && !zero.empty() && zero != Stages{3}) {
    reader.wrong("weights.secondary_shards", "serves ZeRO-3's backward pass; write zero = [3]");
  }
}

AllowedOverlap read_overlap(TomlReader& reader, const Scheme& scheme) {
  reader.optional_table("overlap");
  AllowedOverlap overlap;
  if (has_stage(scheme.zero, 0)) {
    reader.inapplicable("overlap.weights",
                        "applies to gathered weights, and ZeRO-0 gathers none; remove it");
  } else if (reader.has("overlap.weights")) {
    overlap.weights = reader.boolean("overlap.weights");
  }
  const bool momentum =
      scheme.gradients.method != nullptr && scheme.gradients.method->sends_momentum;
  overlap.gradients = !momentum;
  if (!reader.has("overlap.gradients")) return overlap;
  overlap.gradients = reader.boolean("overlap.gradients");
  if (momentum && overlap.gradients) {
    reader.wrong("overlap.gradients",
                 fmt::format("{} sends the momentum once all gradients are ready; write false",
                             scheme.gradients.method->name));
  }
  return overlap;
}

void read_inside(TomlReader& reader, WireReader& wires, Scheme& scheme) {
  scheme.zero = read_stages(reader);
  scheme.weights = read_weights(reader, wires, scheme.zero);
  scheme.gradients = read_gradients(reader, wires, scheme.zero);
  reader.optional_table("activations");
  ActivationExchange& activations = scheme.activations;
  activations.tensor = wires.read_or("activations.tensor", activations.tensor);
  activations.pipeline = wires.read_or("activations.pipeline", activations.pipeline);
  scheme.overlap = read_overlap(reader, scheme);
}

// A card given where a scheme is wanted would lack every key of a scheme.
void refuse_card(const TomlDocument& document) {
  const auto wire = document.tables.find("wire");
  if (wire == document.tables.end() || !document.tables.contains("times")) return;
  throw InputError(
      fmt::format("{}:{}:{}: [wire]: the file is a codec card, not a scheme; name it in a scheme "
                  "file, for example as codec = \"{}\" below [gradients] (`gardenhose list scheme "
                  "tlq` prints a scheme file to start from)",
                  document.file, wire->second.line, wire->second.column,
                  printable_path(std::filesystem::path(document.file).filename())));
}

// Reports call a scheme by its name alone.
void check_name(const Scheme& scheme, const std::filesystem::path& file) {
  for (const Scheme* shipped : all_schemes()) {
    if (shipped->name != scheme.name || *shipped == scheme) continue;
    throw InputError(fmt::format(
        "{}: differs from the shipped scheme of this name; rename the file", printable_path(file)));
  }
}

}  // namespace

bool has_stage(const Stages& zero, int stage) {
  return std::ranges::find(zero, stage) != zero.end();
}

WeightExchange read_weights(TomlReader& reader, WireReader& wires, const Stages& zero) {
  WeightExchange weights;
  if (has_stage(zero, 0)) {
    constexpr const char* kWhy =
        "applies to gathered weights, and ZeRO-0 gathers none; remove it, or write zero = [1, 2, "
        "3]";
    wires.refuse("weights", kWhy);
    reader.inapplicable("weights.difference", kWhy);
    reader.inapplicable("weights.secondary_shards", kWhy);
    return weights;
  }
  weights.wire = wires.read_or("weights", weights.wire);
  const auto flag = [&](const char* key) { return reader.has(key) && reader.boolean(key); };
  weights.difference = flag("weights.difference");
  weights.secondary_shards = flag("weights.secondary_shards");
  check_weights(reader, zero, weights);
  return weights;
}

Scheme parse_scheme(std::string_view text, const std::filesystem::path& file,
                    const CardOf& card_of) {
  TomlDocument document = parse_toml(text, file);
  refuse_card(document);
  const bool between_sites = is_between_sites(document);
  if (between_sites) refuse_mixture(document);
  TomlReader reader(std::move(document), scheme_file_keys());
  WireReader wires(reader, file.parent_path(), card_of);
  Scheme scheme{.name = file.stem().string(), .summary = reader.text("summary")};
  if (reader.has("source")) scheme.source = reader.text("source");
  reader.optional_table("between_sites");
  if (between_sites) {
    scheme.between_sites = read_site_exchange(reader, wires);
  } else {
    read_inside(reader, wires, scheme);
  }
  scheme.twin = read_twin(reader, scheme);
  reader.finish();
  check_name(scheme, file);
  return scheme;
}

Scheme read_scheme(const std::filesystem::path& file) {
  return parse_scheme(read_input_text(file), file, read_codec_card);
}

}  // namespace sim
