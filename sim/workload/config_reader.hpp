// SPDX-License-Identifier: Apache-2.0
// ConfigReader: typed access to a Hugging Face config.json. It records every problem instead of
// stopping at the first, and every key that was read, so that no key that could change the
// arithmetic is overlooked.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/json_reader.hpp"
#include "sim/base/toml_reader.hpp"

namespace sim {

// A key with null counts as absent. Reading a missing or wrong key records the problem and returns
// a meaningless value; finish() throws before anyone can use it.
class ConfigReader {
 public:
  // `harmless` keys change no arithmetic, whatever their values and wherever they are.
  ConfigReader(const JsonDocument& document, std::span<const std::string_view> harmless);
  ConfigReader(const ConfigReader&) = delete;
  ConfigReader& operator=(const ConfigReader&) = delete;

  // True if the key is present and not null. Also marks it as known.
  [[nodiscard]] bool has(std::string_view key);
  // Likewise, and not false, 0 or empty.
  [[nodiscard]] bool is_something(std::string_view key);
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
  // All of a list; none if it is absent.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key);
  [[nodiscard]] std::vector<int> integers(std::string_view key, const IntegerRange& range);
  // How many members a list or an object has; 0 of anything else.
  [[nodiscard]] int size_of(std::string_view key);
  // The number `inner` of the object `key`, if it has one.
  [[nodiscard]] std::optional<double> number_within(std::string_view key, std::string_view inner);
  // Reads an absent key as if it had this value.
  void assume(std::string_view key, int value);
  [[nodiscard]] bool was_read(std::string_view key) const { return place_.known.contains(key); }

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
  void ignore(std::initializer_list<std::string_view> keys) {
    ignore(std::span(keys.begin(), keys.size()));
  }
  // What the user should know of how the file was read.
  void note(std::string text) { notes_.push_back(std::move(text)); }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  // Calls `read` inside the object at `key`; does nothing if it is absent.
  template <class Read>
  void inside(std::string_view key, Read read);
  // Records the object's keys that were never read.
  void note_unknown();

  // Throws one InputError with a line for each problem, unless there is none.
  void finish() const;

 private:
  [[nodiscard]] const nlohmann::json* find(std::string_view key);
  // An object in which keys are looked up.
  struct Place {
    nlohmann::json* object;
    std::string prefix;  // of its keys: "attn_config."
    std::set<std::string, std::less<>> known;
  };
  [[nodiscard]] std::optional<Place> enter(std::string_view key);
  void leave(Place to);
  void bad(std::string_view key, std::string_view before, std::string_view what);
  [[nodiscard]] std::string path_of(std::string_view key) const;

  std::string file_;
  nlohmann::json root_;
  std::span<const std::string_view> harmless_;
  Place place_;
  std::set<std::string, std::less<>> bad_;
  std::vector<std::string> problems_, notes_;
};

template <class Read>
void ConfigReader::inside(std::string_view key, Read read) {
  auto outside = enter(key);
  if (!outside) return;
  read();
  note_unknown();
  leave(std::move(*outside));
}

}  // namespace sim
