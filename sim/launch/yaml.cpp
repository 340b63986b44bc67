// SPDX-License-Identifier: Apache-2.0
// YAML, and JSON with it, by yaml-cpp's events: what they tell is flattened at once, so that depth,
// aliases and size are limited here.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/printable.hpp"
#include "sim/launch/document.hpp"
#include "sim/launch/references.hpp"
#include "sim/launch/yaml_excerpt.hpp"

namespace sim::launch {
namespace {

constexpr std::size_t kMostDepth = 32;
constexpr std::string_view kMergedKey = "<<";

class Flattener : public YAML::EventHandler {
 public:
  explicit Flattener(Document& into) : into_(into) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    scalar(mark, anchor, "null");
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    scalar(mark, anchor, value);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Place place = begin_node(mark);
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(place, "an alias stands within what it stands for");
    const auto [first, last, length] = found->second;
    for (std::size_t i = first; i < last; ++i) {
      const std::string rest = into_.entries[i].key.substr(length);
      std::string value = into_.entries[i].value;
      add(into_, {joined(rest.starts_with('.') ? rest.substr(1) : rest), std::move(value), place});
    }
    end_node();
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, false);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, true);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    bool is_map = false;
    bool has_key = false;  // its value is next
    std::string part;      // the key, or the number of the element
    std::size_t count = 0;
    Place place;  // of the key
    std::size_t first = 0;
    YAML::anchor_t anchor = 0;
  };
  struct Anchored {
    std::size_t first = 0, last = 0;
    std::size_t key_length = 0;
  };

  [[noreturn]] void fail(const Place& place, std::string_view what) const {
    throw InputError(fmt::format("{}: {}", place.text(), what));
  }
  [[nodiscard]] Place place_of(const YAML::Mark& mark) const {
    return {into_.file, static_cast<std::uint32_t>(mark.line + 1)};
  }

  // The key of what is open, and `rest` below it. Merged maps stand in the map around them.
  [[nodiscard]] std::string joined(std::string_view rest = {}) const {
    std::string key;
    const auto append = [&](std::string_view part) {
      if (part.empty() || part == kMergedKey) return;
      if (!key.empty()) key += '.';
      key += part;
    };
    bool merged = false;
    for (const Level& level : levels_) {
      if (!(merged && !level.is_map)) append(level.part);
      merged = level.part == kMergedKey;
    }
    append(rest);
    return key;
  }

  // A value begins: returns where a message puts it.
  Place begin_node(const YAML::Mark& mark) {
    if (levels_.empty()) return place_of(mark);
    Level& level = levels_.back();
    if (level.is_map) {
      if (!level.has_key) fail(place_of(mark), "a key is not a word; write KEY: VALUE");
      return level.place;
    }
    level.part = std::to_string(level.count++);
    return place_of(mark);
  }
  void end_node() {
    if (!levels_.empty()) levels_.back().has_key = false;
  }

  void scalar(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& value) {
    if (!levels_.empty() && levels_.back().is_map && !levels_.back().has_key) {
      Level& level = levels_.back();
      level.part = value;
      level.has_key = true;
      level.place = place_of(mark);
      return;
    }
    const Place place = begin_node(mark);
    const std::string key = joined();
    if (anchor != 0) {
      anchors_[anchor] = {into_.entries.size(), into_.entries.size() + 1, key.size()};
    }
    add(into_, {key, value, place});
    end_node();
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, bool is_map) {
    const Place place = begin_node(mark);
    if (levels_.size() == kMostDepth) {
      fail(place, fmt::format("nested deeper than {}; is it the right file?", kMostDepth));
    }
    levels_.push_back({.is_map = is_map, .first = into_.entries.size(), .anchor = anchor});
  }
  void close() {
    const Level level = levels_.back();
    levels_.pop_back();
    if (level.anchor != 0) {
      anchors_[level.anchor] = {level.first, into_.entries.size(), joined().size()};
    }
    end_node();
  }

  Document& into_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, Anchored> anchors_;
};

}  // namespace

Document parse_yaml(std::string_view text, const std::filesystem::path& file) {
  Document document{
      .file = printable_path(file), .syntax = Syntax::yaml, .entries = {}, .unread = {}};
  Flattener flattener(document);
  const MendedYaml mended = mended_excerpt(text);
  std::istringstream stream{mended.text};
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(flattener);
  } catch (const YAML::Exception& error) {
    constexpr std::size_t kMostMessage = 200;
    throw InputError(fmt::format("{}:{}: is not YAML: {}", document.file, error.mark.line + 1,
                                 printable_line(error.msg, kMostMessage)));
  }
  for (const std::uint32_t line : mended.lines) {
    document.unread.push_back(
        fmt::format("{}:{}: stands below a key that the file leaves out", document.file, line));
  }
  follow_references(document);
  return document;
}

}  // namespace sim::launch
