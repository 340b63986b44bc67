// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/compute_efficiency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "sim/base/toml_reader.hpp"

namespace sim {
namespace {

constexpr const char* kDefaults = "defaults";
constexpr std::array kBits{EnumName<ProductBits>{"bf16", ProductBits::sixteen},
                           EnumName<ProductBits>{"fp8", ProductBits::eight_or_fewer},
                           EnumName<ProductBits>{"any", ProductBits::any}};
constexpr NumberRange kOfKernels{.lowest = 0, .highest = kMostEfficiency, .above_zero = true};
constexpr NumberRange kSpread{.lowest = 0, .highest = 2, .above_zero = true};

bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

// "NVIDIA A100-SXM4-40GB" has the words NVIDIA, A100, SXM4 and 40GB, in whatever case.
bool has_word(std::string_view text, std::string_view written) {
  const std::string name = upper(text);
  const std::string word = upper(written);
  for (auto at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool begins = at == 0 || !is_in_word(name[at - 1]);
    if (begins && (end == name.size() || !is_in_word(name[end]))) return true;
  }
  return false;
}

bool overlap(ProductBits a, ProductBits b) {
  return a == b || a == ProductBits::any || b == ProductBits::any;
}

EfficiencyRow read_row(TomlReader& reader, const std::string& name) {
  const std::string table = fmt::format("{}.{}.", kDefaults, name);
  EfficiencyRow row{.name = name,
                    .gpus = reader.texts(table + "gpus"),
                    .bits = reader.one_of<ProductBits>(table + "precision", kBits),
                    .efficiency = reader.number(table + "efficiency", kShare),
                    .spread = reader.number(table + "spread", kSpread),
                    .source = reader.text(table + "source")};
  if (reader.has(table + "rows")) row.rows = reader.texts(table + "rows");
  if (reader.is_good(table + "gpus")) {
    const bool are_words = std::ranges::all_of(row.gpus, [](const auto& gpu) {
      return !gpu.empty() && std::ranges::all_of(gpu, is_in_word);
    });
    if (row.gpus.empty() || !are_words) {
      reader.wrong(table + "gpus",
                   "is not a list of words from GPU names; write e.g. [\"H100\", \"H200\"]");
    }
  }
  return row;
}

void refuse_doubles(TomlReader& reader, const std::vector<EfficiencyRow>& rows) {
  for (auto row = rows.begin(); row != rows.end(); ++row) {
    for (auto other = rows.begin(); other != row; ++other) {
      if (!overlap(row->bits, other->bits)) continue;
      for (const std::string& gpu : row->gpus) {
        if (std::ranges::find(other->gpus, gpu) == other->gpus.end()) continue;
        reader.wrong(fmt::format("{}.{}.gpus", kDefaults, row->name),
                     fmt::format("{} has a default in [{}.{}] already; remove one of them", gpu,
                                 kDefaults, other->name));
      }
    }
  }
}

constexpr const char* kNone = "none covers this GPU";

std::vector<std::string> published_rows(const std::vector<EfficiencyRow>& rows) {
  std::vector<std::string> all;
  for (const EfficiencyRow& row : rows) all.insert(all.end(), row.rows.begin(), row.rows.end());
  return all;
}

// Of a GPU of no known generation.
EfficiencyDefault mean_of(const std::vector<EfficiencyRow>& rows) {
  const auto count = static_cast<double>(rows.size());
  double mean = 0;
  for (const EfficiencyRow& row : rows) mean += std::log(row.efficiency) / count;
  double variance = 0;
  for (const EfficiencyRow& row : rows) {
    const double off = std::log(row.efficiency) - mean;
    variance += (row.spread * row.spread + off * off) / count;
  }
  return {std::exp(mean), std::sqrt(variance),
          fmt::format("geometric mean of all defaults: {}", kNone), published_rows(rows)};
}

OverPublished read_over_published(TomlReader& reader) {
  return {.efficiency = reader.number("over_published.efficiency", kOfKernels),
          .spread = reader.number("over_published.spread", kSpread),
          .source = reader.text("over_published.source")};
}

}  // namespace

bool names_gpu(std::string_view gpu, const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [&](const auto& word) { return has_word(gpu, word); });
}

EfficiencyTable parse_efficiencies(std::string_view text, const std::filesystem::path& file) {
  TomlReader reader(parse_toml(text, file));
  EfficiencyTable table;
  for (const std::string& name : reader.tables_in(kDefaults)) {
    table.rows.push_back(read_row(reader, name));
  }
  if (table.rows.empty()) table.rows.push_back(read_row(reader, "NAME"));
  table.over_published = read_over_published(reader);
  refuse_doubles(reader, table.rows);
  reader.finish();
  return table;
}

EfficiencyTable read_efficiencies(const std::filesystem::path& file) {
  return parse_efficiencies(read_input_text(file), file);
}

EfficiencyDefault default_efficiency(const EfficiencyTable& table, std::string_view gpu,
                                     const EfficiencyQuestion& question) {
  const OverPublished& over = table.over_published;
  for (const EfficiencyRow& row : table.rows) {
    if (!names_gpu(gpu, row.gpus) || !overlap(row.bits, question.bits)) continue;
    if (question.published) return {over.efficiency, over.spread, over.source, row.rows};
    return {row.efficiency, row.spread, row.source, row.rows};
  }
  if (!question.published) return mean_of(table.rows);
  return {over.efficiency, over.spread, fmt::format("{}; {}", over.source, kNone),
          published_rows(table.rows)};
}

}  // namespace sim
