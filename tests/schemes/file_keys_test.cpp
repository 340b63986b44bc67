// SPDX-License-Identifier: Apache-2.0
// The tables of keys, which the reference prints, are what the readers take. That a reader asks for
// no other key, and for none as another kind of value, it checks itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <regex>
#include <set>

#include "sim/base/toml_keys.hpp"
#include "sim/reliability/reliability.hpp"
#include "sim/schemes/scheme_file.hpp"
#include "sim/topology/wide_area.hpp"
#include "sim/workload/model.hpp"
#include "tests/input_errors.hpp"

namespace {

using namespace sim;

struct Kind {
  const char* name;
  std::span<const TomlKey> keys;
  std::function<void(const std::string& text)> parse;
};

CodecCard no_card(const std::filesystem::path&) { throw InputError("no card"); }
std::filesystem::path no_cluster(const std::string&) { throw InputError("no cluster"); }
std::string no_times(const std::filesystem::path&) { throw InputError("no times"); }

std::vector<Kind> kinds() {
  return {
      {"cluster", cluster_keys(),
       [](const auto& text) { static_cast<void>(parse_cluster(text, "x.toml")); }},
      {"sites", wide_area_keys(),
       [](const auto& text) { static_cast<void>(parse_wide_area(text, "x.toml", no_cluster)); }},
      {"traffic", traffic_keys(),
       [](const auto& text) { static_cast<void>(parse_traffic(text, "x.toml")); }},
      {"model", model_keys(),
       [](const auto& text) { static_cast<void>(parse_model(text, "x.toml")); }},
      {"card", codec_card_keys(),
       [](const auto& text) { static_cast<void>(parse_codec_card(text, "x.toml", no_times)); }},
      {"reliability", reliability_keys(),
       [](const auto& text) { static_cast<void>(parse_reliability(text, "x.toml")); }},
      {"scheme", scheme_file_keys(),
       [](const auto& text) { static_cast<void>(parse_scheme(text, "x.toml", no_card)); }},
  };
}

TEST(FileKeys, AreAllKnownToTheReader) {
  for (const Kind& kind : kinds()) {
    for (const TomlKey& row : kind.keys) {
      const std::string key(row.key);
      const std::string error = input_error_of([&] { kind.parse(key + " = \"\"\n"); });
      EXPECT_EQ(error.find("unknown"), std::string::npos) << kind.name << ": " << error;
    }
  }
}

// "x.toml:1:1: missing table [a]; add it with b, c; or write d" and
// "x.toml:2:1: [a]: missing key b; add it".
std::set<std::string> missed_in(const std::string& error) {
  std::set<std::string> keys;
  std::smatch found;
  for (const std::string& line : lines_of(error)) {
    if (std::regex_search(line, found,
                          std::regex(R"(missing table \[(.*)\]; add it with ([^;]*))"))) {
      const std::string table = found[1], names = found[2];
      const std::regex name("[a-z0-9_]+");
      for (std::sregex_iterator it(names.begin(), names.end(), name), end; it != end; ++it) {
        keys.insert(fmt::format("{}.{}", table, it->str()));
      }
    } else if (std::regex_search(line, found, std::regex(R"((?:\[(.*)\]: )?missing key (\w+))"))) {
      const std::string table = found[1], name = found[2];
      keys.insert(table.empty() ? name : fmt::format("{}.{}", table, name));
    }
  }
  return keys;
}

TEST(FileKeys, WithoutADefaultAreMissedAndTheOthersAreNot) {
  for (const Kind& kind : kinds()) {
    std::string text = "unknown = 1\n";  // an empty file has a message of its own
    std::set<std::string> needed;
    for (const TomlKey& row : kind.keys) {
      const std::string table(row.key.substr(0, row.key.rfind('.')));
      const std::string line = fmt::format("[{}]\n", table);
      const bool opened = text.find(line) != std::string::npos;
      if (table.find("NAME") != std::string::npos && !opened) text += line;
      if (row.usual.empty()) needed.emplace(row.key);
    }
    if (kind.name == std::string_view("sites")) text += "[backbone]\n";
    const std::string error = input_error_of([&] { kind.parse(text); });
    EXPECT_EQ(missed_in(error), needed) << kind.name << ": " << error;
  }
}

TEST(FileKeys, StandOnceAndSayWhatTheyMean) {
  for (const Kind& kind : kinds()) {
    std::set<std::string_view> seen;
    for (const TomlKey& row : kind.keys) {
      EXPECT_TRUE(seen.insert(row.key).second) << row.key;
      EXPECT_TRUE(row.meaning.ends_with('.')) << row.key;
    }
  }
}

TEST(FileKeys, MatchNamesThatTheFileChooses) {
  const std::span<const TomlKey> keys = wide_area_keys();
  EXPECT_EQ(row_of(keys, "sites.east.uplink"), row_of(keys, "sites.NAME.uplink"));
  EXPECT_NE(row_of(keys, "sites.east.uplink"), nullptr);
  EXPECT_EQ(row_of(keys, "sites.east"), nullptr);
  EXPECT_EQ(row_of(keys, "sites.east.uplink.more"), nullptr);
}

}  // namespace
