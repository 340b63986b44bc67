// SPDX-License-Identifier: Apache-2.0
// The keys of a wire: a codec of the catalogue, perhaps with another group, or a card.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "sim/base/error.hpp"
#include "sim/schemes/scheme_fields.hpp"

namespace sim {
namespace {

bool is_card(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".toml");
}

bool has_control_characters(std::string_view name) {
  return std::ranges::any_of(
      name, [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; });
}

std::string unknown_codec(const std::string& name) {
  std::vector<std::string_view> known;
  for (const codecs::Codec* codec : codecs::all_codecs()) known.push_back(codec->name);
  const std::string_view meant = closest_name(name, known);
  return fmt::format(
      "'{}' is not a codec; {}`gardenhose list codecs` lists them; a card's file name ends in "
      ".toml",
      printable(name), meant.empty() ? "" : fmt::format("did you mean {}? ", meant));
}

std::shared_ptr<const CodecCard> read_card(TomlReader& reader, std::string_view key,
                                           const std::string& name) {
  if (has_control_characters(name)) {
    reader.wrong(key, fmt::format("'{}' is not a file name", printable(name)));
    return nullptr;
  }
  auto& cards = std::any_cast<Cards&>(reader.context);
  const auto [place, added] = cards.read.try_emplace(name);
  if (!added && !place->second) reader.wrong(key, "names the same card, which has problems");
  if (!added) return place->second;
  try {
    place->second = std::make_shared<const CodecCard>(cards.card_of(cards.folder / name));
  } catch (const InputError& error) {
    std::istringstream problems(error.what());
    for (std::string line; std::getline(problems, line);) reader.wrong(key, line);
  }
  return place->second;
}

}  // namespace

Wire wire_named(const std::string& name, std::string_view place) {
  if (is_card(name)) return {.card = std::make_shared<const CodecCard>(read_codec_card(name))};
  if (const auto format = codecs::format_named(name)) return {*format};
  throw InputError(fmt::format("{}: {}", place, unknown_codec(name)));
}

void read_codec(TomlReader& reader, std::string_view key, Wire& wire) {
  const std::string name = reader.text(key);
  if (!reader.is_good(key)) return;
  if (is_card(name)) {
    wire = {.card = read_card(reader, key, name)};
  } else if (const auto format = codecs::format_named(name)) {
    wire = {*format};
  } else {
    reader.wrong(key, unknown_codec(name));
  }
}

std::string_view lack_of_groups(const Wire& wire) {
  return wire.card || !codecs::has_groups(wire.format) ? "has no groups to set here" : "";
}

std::string codec_text(const Wire& wire) {
  return toml_text(wire.card ? wire.name() + ".toml" : wire.name());
}

void read_group(TomlReader& reader, std::string_view key, const NumberRange& range, Wire& wire) {
  const std::string codec = dotted(table_part(key), "codec");
  if (!reader.is_settled(codec)) return;  // nothing can be said of the group
  const bool has_groups = lack_of_groups(wire).empty();
  if (!has_groups && !reader.has(codec)) return reader.wrong(key, "needs a codec; name one");
  const auto group = field_values::read<std::size_t>(reader, key, range);
  if (!reader.is_good(key)) return;
  if (!has_groups) {
    reader.wrong(key, fmt::format("{} has a fixed group size; remove it", wire.name()));
  } else if (!codecs::takes_group(wire.format, group)) {
    reader.wrong(key, fmt::format("{} does not take groups of {}; write a multiple of 32 (a power "
                                  "of two for signs and TernGrad), or remove it",
                                  wire.name(), group));
  } else {
    wire.format.group = group;
  }
}

}  // namespace sim
