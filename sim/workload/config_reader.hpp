// SPDX-License-Identifier: Apache-2.0
// ConfigReader: typed access to a Hugging Face config.json. It records every problem instead of
// stopping at the first, and every key that was read, so that no key that could change the
// arithmetic is overlooked.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/json_reader.hpp"
#include "sim/base/toml_reader.hpp"

namespace sim {

// A key with null counts as absent. Reading a missing or wrong key records the problem and returns
// a meaningless value; finish() throws before anyone can use it.
class ConfigReader {
 public:
  explicit ConfigReader(const JsonDocument& document);
  ConfigReader(const ConfigReader&) = delete;
  ConfigReader& operator=(const ConfigReader&) = delete;

  // True if the key is present and not null. Also marks it as known.
  [[nodiscard]] bool has(std::string_view key);
  // True if the key is present, even as null; otherwise records it as missing.
  bool require(std::string_view key);
  // For a required key.
  [[nodiscard]] int count(std::string_view key, const IntegerRange& range);
  [[nodiscard]] int count_or(std::string_view key, const IntegerRange& range, int otherwise);
  [[nodiscard]] bool flag_or(std::string_view key, bool otherwise);
  [[nodiscard]] double number_or(std::string_view key, double otherwise);  // from 0 to 10^9
  [[nodiscard]] std::string text_or(std::string_view key, std::string_view otherwise);
  // The only string of a list: ["LlamaForCausalLM"].
  [[nodiscard]] std::string only_text(std::string_view key);

  // True if each of `keys` is absent or was read without a problem.
  [[nodiscard]] bool all_good(std::initializer_list<std::string_view> keys) const;

  // Records "FILE: KEY = VALUE: what", or "FILE: unsupported: KEY = VALUE: why", for a key that is
  // present.
  void wrong(std::string_view key, std::string_view what);
  void unsupported(std::string_view key, std::string_view why);
  // Unsupported if the key is present, unless its value is null, false, 0, empty, or `harmless`,
  // alone or in a list.
  void not_modelled(std::string_view key, std::string_view why,
                    const nlohmann::json& harmless = nullptr);

  // Keys that change no arithmetic, whatever their values.
  void ignore(std::span<const std::string_view> keys);
  // Calls `read` inside the object at `key`; does nothing if it is absent.
  template <class Read>
  void inside(std::string_view key, Read read);
  // Records the object's keys that were never read.
  void note_unknown();

  // Throws one InputError with a line for each problem, unless there is none.
  void finish() const;

 private:
  [[nodiscard]] const nlohmann::json* find(std::string_view key);
  [[nodiscard]] bool enter(std::string_view key);
  void leave();
  void bad(std::string_view key, std::string_view before, std::string_view what);
  [[nodiscard]] std::string path_of(std::string_view key) const;

  std::string file_;
  nlohmann::json root_;
  const nlohmann::json* object_;  // the root, or an object in it, where keys are looked up
  std::string prefix_;            // of its keys: "attn_config."
  std::set<std::string, std::less<>> known_;          // in it
  std::set<std::string, std::less<>> known_in_root_;  // while it is another
  std::set<std::string, std::less<>> bad_;
  std::vector<std::string> problems_;
};

template <class Read>
void ConfigReader::inside(std::string_view key, Read read) {
  if (!enter(key)) return;
  read();
  note_unknown();
  leave();
}

}  // namespace sim
