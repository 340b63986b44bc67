// SPDX-License-Identifier: Apache-2.0
// The launch file of a training framework as one flat list of keys and values, whatever its syntax.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sim::launch {

struct Place {
  std::string file;  // as a message shows it
  std::uint32_t line = 0;

  [[nodiscard]] std::string text() const;  // "train.sh:31"
};

struct Entry {
  // "training.seq_len"; parts of a list are numbered: "fsdp.0". A shell's variable is "$TP_SIZE", and
  // a flag of a command stands without its dashes.
  std::string key;
  std::string value;  // as written, without quotes; "null" where a key has none
  Place place;        // of the key
};

enum class Syntax { toml, yaml, shell, arguments_log };

struct Document {
  std::string file;  // as a message shows it
  Syntax syntax = Syntax::yaml;
  std::vector<Entry> entries;
  std::vector<std::string> unread;  // "train.sh:12: what only a running shell knows"
};

// More of them, or a longer value, make a file hostile.
inline constexpr std::size_t kMostEntries = 20'000;
inline constexpr std::size_t kMostValueBytes = std::size_t{1} << 16;

// Reads a regular file of at most 1 MiB: by its ending TOML, YAML or JSON; anything else is a log of
// Megatron's arguments if its lines look so, and a shell script if not. A script's sourced files
// are read with it where they lie beside it. Throws an InputError located at the first thing that
// cannot be read.
[[nodiscard]] Document read_document(const std::filesystem::path& file);

// The text of such a file. Throws an InputError located at the first line that is not text.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);

// The readers of each syntax, for text in memory.
[[nodiscard]] Document parse_toml_entries(std::string_view text, const std::filesystem::path& file);
// Takes JSON too, which is YAML. References such as ${model.hidden_size} are followed.
[[nodiscard]] Document parse_yaml(std::string_view text, const std::filesystem::path& file);
[[nodiscard]] Document parse_shell(std::string_view text, const std::filesystem::path& file);
// "  num_layers ........... 40" on a line, as Megatron-LM prints its arguments.
[[nodiscard]] Document parse_arguments_log(std::string_view text,
                                           const std::filesystem::path& file);
[[nodiscard]] bool is_arguments_log(std::string_view text);

// The last entry of the key, or null.
[[nodiscard]] const Entry* find(const Document& document, std::string_view key);

// Adds an entry. Throws an InputError at its place if the document grows beyond the limits above.
void add(Document& document, Entry entry);

}  // namespace sim::launch
