// ConfigReader: typed access to a Hugging Face config.json that notes every problem instead of
// stopping at the first, and every key that was asked for, so that a key which could change the
// arithmetic is never passed over.
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

// A key that holds null is as good as absent. An access whose key is missing or wrong notes the
// problem and returns a value of no meaning; finish() throws before anyone can use it.
class ConfigReader {
 public:
  // The document must outlive the reader.
  explicit ConfigReader(const JsonDocument& document);
  explicit ConfigReader(JsonDocument&&) = delete;

  // True when the key is there and not null; it is then known.
  [[nodiscard]] bool has(std::string_view key);
  // True when the key is there, even as null. Notes that it is missing otherwise.
  bool require(std::string_view key);
  // Of a key that must be there.
  [[nodiscard]] int count(std::string_view key, const IntegerRange& range);
  [[nodiscard]] int count_or(std::string_view key, const IntegerRange& range, int otherwise);
  [[nodiscard]] bool flag_or(std::string_view key, bool otherwise);
  [[nodiscard]] double number_or(std::string_view key, double otherwise);  // from 0 to 10^9
  [[nodiscard]] std::string text_or(std::string_view key, std::string_view otherwise);
  // The only text of a list: ["LlamaForCausalLM"].
  [[nodiscard]] std::string only_text(std::string_view key);

  // True when each of `keys` is absent or was read without a problem.
  [[nodiscard]] bool all_good(std::initializer_list<std::string_view> keys) const;

  // Notes "FILE: KEY = VALUE: what", or "FILE: unsupported: KEY = VALUE: why", of a key that is
  // there.
  void wrong(std::string_view key, std::string_view what);
  void unsupported(std::string_view key, std::string_view why);
  // Unsupported when the key is there, unless it holds null, false, 0, nothing, or what is
  // `harmless`, once or in a list.
  void not_modelled(std::string_view key, std::string_view why,
                    const nlohmann::json& harmless = nullptr);

  // These keys change no arithmetic, whatever they hold.
  void ignore(std::span<const std::string_view> keys);
  // What `read` does, in the object at `key`; nothing when it is absent.
  template <class Read>
  void inside(std::string_view key, Read read);
  // Notes the keys of the object that nobody asked for.
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
  const nlohmann::json* root_;
  const nlohmann::json* object_;  // where keys are looked for: the root, or an object in it
  std::string prefix_;            // of keys in it: "attn_config."
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
