// SPDX-License-Identifier: Apache-2.0
// JsonReader: typed access to a JSON document that locates wrong values. Reading is strict, so that
// no file, however hostile, does worse than throw an InputError.
#pragma once

#include <rapidjson/fwd.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

struct JsonDocument {
  std::shared_ptr<const rapidjson::Document> value;
  std::string file;  // its name in messages, on one line
};

enum class JsonKind { null, truth, number, text, list, object };

// Reads a regular file of at most 64 MiB. Throws an InputError that names the file if it is not
// JSON, has a number beyond double's range, or has a duplicate key.
[[nodiscard]] JsonDocument read_json(const std::filesystem::path& file);

// Parses text in memory.
[[nodiscard]] JsonDocument parse_json(std::string_view text, const std::filesystem::path& file);
// Takes also NaN, Infinity and -Infinity, as Python does. Only copy() gives them.
[[nodiscard]] JsonDocument parse_json_of_python(std::string_view text,
                                                const std::filesystem::path& file);

// The texts of these keys of the document's object, in this order. Reads no further than the last of
// them, so that what lies behind is not checked. Throws an InputError if one is not there.
[[nodiscard]] std::vector<std::string> first_texts(const std::filesystem::path& file,
                                                   const std::vector<std::string>& keys);

// A place in a document, which must outlive the reader. Anything wrong there throws an InputError
// "FILE: /codecs/3/median_s: what".
class JsonReader {
 public:
  explicit JsonReader(const JsonDocument& document);
  explicit JsonReader(JsonDocument&&) = delete;

  [[noreturn]] void fail(const std::string& what) const;
  [[nodiscard]] JsonReader at(const std::string& key) const;
  [[nodiscard]] bool has(const std::string& key) const;
  [[nodiscard]] JsonKind kind() const;
  // Fails on a key outside `known`: a misspelt key would otherwise be ignored.
  void only(std::initializer_list<std::string_view> known) const;
  void require_object() const;
  // A string of one line, and any.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string any_text() const;
  [[nodiscard]] bool truth() const;
  [[nodiscard]] double number() const;  // finite
  [[nodiscard]] double not_negative() const;
  [[nodiscard]] double positive() const;
  // The default is exactly representable as a double.
  [[nodiscard]] double whole(double highest = 1e15) const;
  void each(const std::function<void(const JsonReader&)>& visit) const;  // for a list
  // Of a list, which must have `count` elements, the one at `index`.
  [[nodiscard]] JsonReader element(std::size_t index, std::size_t count) const;
  [[nodiscard]] std::size_t size() const;  // of a list, which must have elements
  // By the keys' order.
  void each_key(const std::function<void(const std::string&, const JsonReader&)>& visit) const;
  // The value with all that it holds, for checks that none of these functions makes: keys sorted, or in
  // the file's order. Fails where it is nested deeper than any answer of ours, since a deep copy, a
  // comparison or a dump of JSON recurses.
  [[nodiscard]] nlohmann::json copy() const;
  [[nodiscard]] nlohmann::ordered_json ordered_copy() const;

 private:
  JsonReader(const JsonDocument& document, const rapidjson::Value& value);
  template <class Json>
  [[nodiscard]] Json copied(const rapidjson::Value& value, int depth) const;

  const JsonDocument* document_;
  const rapidjson::Value* value_;
};

}  // namespace sim
