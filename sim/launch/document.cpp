// SPDX-License-Identifier: Apache-2.0
#include "sim/launch/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/toml_document.hpp"

namespace sim::launch {
namespace {

std::string text_of(const TomlScalar& scalar) {
  if (const auto* text = std::get_if<std::string>(&scalar)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&scalar)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&scalar)) return fmt::format("{}", *number);
  if (const auto* flag = std::get_if<bool>(&scalar)) return *flag ? "true" : "false";
  return fmt::format("({})", std::get<TomlOther>(scalar).noun);
}

bool has_ending(const std::filesystem::path& file, std::initializer_list<const char*> endings) {
  return std::ranges::find(endings, file.extension().string()) != endings.end();
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

constexpr std::string_view kDots = " ...";  // Megatron pads names with dots to a column

// Name and value of "  num_layers ........... 40", behind whatever prefix; empty for other lines.
std::pair<std::string_view, std::string_view> argument_of(std::string_view line) {
  const std::size_t dots = line.find(kDots);
  if (dots == std::string_view::npos || dots == 0) return {};
  std::size_t begin = dots;
  while (begin > 0 && is_word(line[begin - 1])) --begin;
  const std::size_t after = line.find_first_not_of('.', dots + 1);
  if (begin == dots || after == std::string_view::npos || line[after] != ' ') return {};
  std::string_view value = line.substr(after + 1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\r')) value.remove_suffix(1);
  return {line.substr(begin, dots - begin), value};
}

template <class Visit>
void each_line(std::string_view text, const Visit& visit) {
  std::uint32_t number = 1;
  for (std::size_t start = 0; start < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    visit(number, text.substr(start, end - start));
    start = end + 1;
  }
}

void require_text(std::string_view text, const std::string& file) {
  std::uint32_t line = 1;
  for (const char c : text) {
    line += c == '\n';
    if (static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t' || c == '\r') continue;
    throw InputError(
        fmt::format("{}:{}: is not text; give the file that starts training", file, line));
  }
}

}  // namespace

std::string Place::text() const { return fmt::format("{}:{}", file, line); }

void add(Document& document, Entry entry) {
  if (document.entries.size() >= kMostEntries) {
    throw InputError(fmt::format("{}: more than {} keys; is it the right file?", entry.place.text(),
                                 kMostEntries));
  }
  if (entry.value.size() > kMostValueBytes || entry.key.size() > kMostValueBytes) {
    throw InputError(fmt::format("{}: a value longer than {} bytes; is it the right file?",
                                 entry.place.text(), kMostValueBytes));
  }
  document.entries.push_back(std::move(entry));
}

const Entry* find(const Document& document, std::string_view key) {
  const auto found = std::find_if(document.entries.rbegin(), document.entries.rend(),
                                  [&](const Entry& entry) { return entry.key == key; });
  return found == document.entries.rend() ? nullptr : &*found;
}

Document parse_toml_entries(std::string_view text, const std::filesystem::path& file) {
  const TomlDocument toml = parse_toml(text, file);
  Document document{.file = toml.file, .syntax = Syntax::toml, .entries = {}, .unread = {}};
  for (const auto& [key, leaf] : toml.leaves) {
    const Place place{toml.file, leaf.place.line};
    if (const auto* scalar = std::get_if<TomlScalar>(&leaf.value)) {
      add(document, {key, text_of(*scalar), place});
      continue;
    }
    std::size_t index = 0;
    for (const TomlScalar& one : std::get<TomlArray>(leaf.value)) {
      add(document, {fmt::format("{}.{}", key, index++), text_of(one), place});
    }
  }
  std::ranges::stable_sort(document.entries, {}, [](const Entry& one) { return one.place.line; });
  return document;
}

bool is_arguments_log(std::string_view text) {
  constexpr int kEnough = 3;
  int arguments = 0;
  each_line(text, [&](std::uint32_t, std::string_view line) {
    arguments += !argument_of(line).first.empty();
  });
  return arguments >= kEnough;
}

Document parse_arguments_log(std::string_view text, const std::filesystem::path& file) {
  Document document{
      .file = printable_path(file), .syntax = Syntax::arguments_log, .entries = {}, .unread = {}};
  each_line(text, [&](std::uint32_t number, std::string_view line) {
    const auto [name, value] = argument_of(line);
    if (name.empty()) return;
    add(document, {std::string(name), std::string(value), {document.file, number}});
  });
  return document;
}

std::string read_text(const std::filesystem::path& file) {
  std::string text = read_input(file, kMostInputBytes);
  require_text(text, printable_path(file));
  return text;
}

Document read_document(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  if (has_ending(file, {".toml"})) return parse_toml_entries(text, file);
  if (has_ending(file, {".yaml", ".yml", ".json"})) return parse_yaml(text, file);
  return is_arguments_log(text) ? parse_arguments_log(text, file) : parse_shell(text, file);
}

}  // namespace sim::launch
