// SPDX-License-Identifier: Apache-2.0
// Codecs of scheme files: of the catalogue, or cards.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "sim/base/error.hpp"
#include "sim/schemes/scheme_keys.hpp"

namespace sim {
namespace {

std::string codec_key(const std::string& table) { return table + ".codec"; }
std::string group_key(const std::string& table) { return table + ".group"; }

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

}  // namespace

Wire wire_named(const std::string& name, std::string_view place) {
  if (is_card(name)) return {.card = std::make_shared<const CodecCard>(read_codec_card(name))};
  if (const auto format = codecs::format_named(name)) return {*format};
  throw InputError(fmt::format("{}: {}", place, unknown_codec(name)));
}

Wire WireReader::read(const std::string& table) {
  const std::string key = codec_key(table);
  const std::string name = reader_.text(key);
  Wire wire;
  if (!reader_.is_good(key)) {
    static_cast<void>(reader_.has(group_key(table)));  // nothing can be said of it
    return wire;
  }
  if (is_card(name)) {
    wire.card = card(key, name);
  } else if (const auto format = codecs::format_named(name)) {
    wire.format = *format;
  } else {
    reader_.wrong(key, unknown_codec(name));
  }
  if (reader_.has(group_key(table)) && reader_.is_good(key)) read_group(table, wire);
  return wire;
}

Wire WireReader::read_or(const std::string& table, const Wire& usual) {
  reader_.optional_table(table);
  if (reader_.has(codec_key(table))) return read(table);
  reader_.inapplicable(group_key(table), "needs a codec; name one");
  return usual;
}

void WireReader::refuse(const std::string& table, std::string_view why) {
  reader_.optional_table(table);
  reader_.inapplicable(codec_key(table), why);
  reader_.inapplicable(group_key(table), why);
}

void WireReader::read_group(const std::string& table, Wire& wire) {
  const std::string key = group_key(table);
  const auto group = reader_.integer(key, {.lowest = 1, .highest = 1 << 20});
  if (!reader_.is_good(key)) return;
  if (wire.card || !codecs::has_groups(wire.format)) {
    reader_.wrong(key, fmt::format("{} has a fixed group size; remove it", wire.name()));
  } else if (!codecs::takes_group(wire.format, static_cast<std::size_t>(group))) {
    reader_.wrong(key, fmt::format("{} does not take groups of {}; write a multiple of 32 (a power "
                                   "of two for signs and TernGrad), or remove it",
                                   wire.name(), group));
  } else {
    wire.format.group = static_cast<std::size_t>(group);
  }
}

std::shared_ptr<const CodecCard> WireReader::card(const std::string& key, const std::string& name) {
  if (has_control_characters(name)) {
    reader_.wrong(key, fmt::format("'{}' is not a file name", printable(name)));
    return nullptr;
  }
  const auto [place, added] = cards_.try_emplace(name);
  if (!added && !place->second) reader_.wrong(key, "names the same card, which has problems");
  if (!added) return place->second;
  try {
    place->second = std::make_shared<const CodecCard>(card_of_(folder_ / name));
  } catch (const InputError& error) {
    std::istringstream problems(error.what());
    for (std::string line; std::getline(problems, line);) reader_.wrong(key, line);
  }
  return place->second;
}

}  // namespace sim
