// SPDX-License-Identifier: Apache-2.0
// The first texts of a document, without reading what lies behind them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/json_events.hpp"
#include "sim/base/json_reader.hpp"
#include "sim/base/printable.hpp"

namespace sim {
namespace {

// Takes the texts of some keys of the outermost object, and stops when it has all.
class FirstTexts : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, FirstTexts> {
 public:
  explicit FirstTexts(const std::vector<std::string>& keys) : keys_(keys), found_(keys.size()) {}
  [[nodiscard]] const std::vector<std::optional<std::string>>& found() const { return found_; }

  bool String(const char* text, unsigned size, bool) {
    const auto at = std::ranges::find(keys_, key_);
    if (depth_ == 1 && at != keys_.end()) {
      found_[static_cast<std::size_t>(at - keys_.begin())] = std::string(text, size);
    }
    return !std::ranges::all_of(found_, [](const auto& one) { return one.has_value(); });
  }
  bool Key(const char* text, unsigned size, bool) {
    if (depth_ == 1) key_.assign(text, size);
    return true;
  }
  bool StartObject() { return ++depth_ > 0; }
  bool EndObject(unsigned) { return --depth_ >= 0; }
  bool StartArray() { return ++depth_ > 0; }
  bool EndArray(unsigned) { return --depth_ >= 0; }

 private:
  const std::vector<std::string>& keys_;
  std::vector<std::optional<std::string>> found_;
  std::string key_;
  int depth_ = 0;
};

}  // namespace

std::vector<std::string> first_texts(const std::filesystem::path& file,
                                     const std::vector<std::string>& keys) {
  FirstTexts handler(keys);
  tell_json(read_input(file, kMostDataBytes), printable_path(file), handler);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (handler.found()[i]) continue;
    throw InputError(fmt::format("{}: has no text {}", printable_path(file), keys[i]));
  }
  std::vector<std::string> texts;
  for (const auto& one : handler.found()) texts.push_back(*one);
  return texts;
}

}  // namespace sim
