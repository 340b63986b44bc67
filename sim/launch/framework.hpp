// SPDX-License-Identifier: Apache-2.0
// Frameworks as rows: how to tell a file of theirs, what each of their keys means for a job, and what
// follows from several of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/launch/document.hpp"
#include "sim/launch/facts.hpp"

namespace sim::launch {

// One key of a framework.
struct KeyRow {
  enum class Effect {
    means,      // says a fact
    harmless,   // does not change the time of a step
    unmodelled  // changes it, and is not modelled
  };
  // As in the file, with '-' and '_' alike; '*' stands for any one part of a dotted key, for any parts
  // as the last one, and for any letters at the end of a part. A shell's variable begins with '$'.
  std::string_view key;
  Effect effect = Effect::harmless;
  std::string_view fact = {};
  // The fact's value by the key's: "true=on|false=off"; without, the key's own. "*=x" is any other,
  // and "*=*" any other as it stands. A value that stands for nothing here, "false=", says no fact.
  std::string_view values = {};
  // Of an unmodelled key: values at which nothing is left out.
  std::string_view off = "false|0|null|none|0.0";
};

[[nodiscard]] constexpr KeyRow means(std::string_view key, std::string_view fact,
                                     std::string_view values = {}) {
  return {key, KeyRow::Effect::means, fact, values};
}
[[nodiscard]] constexpr KeyRow harmless(std::string_view key) {
  return {key, KeyRow::Effect::harmless};
}
[[nodiscard]] constexpr KeyRow unmodelled(std::string_view key,
                                          std::string_view off = "false|0|null|none|0.0") {
  return {key, KeyRow::Effect::unmodelled, {}, {}, off};
}

inline constexpr std::string_view kOnOff = "true=on|false=off";
inline constexpr std::string_view kIfTrue = "true=true|false=";

struct Framework {
  std::string_view name;   // "torchtitan"
  std::string_view title;  // of a file: "a torchtitan configuration"
  // Of its keys and of what it does without them: documentation or code.
  std::string_view source;
  // Any of these keys tells a file of it.
  std::span<const std::string_view> marks;
  std::span<const KeyRow> keys;
  std::span<const KeyRow> shared;  // further keys, which other frameworks have as well
  // What follows from several keys, and what the framework does without any. Throws InputError.
  void (*derive)(Facts& facts);
};

[[nodiscard]] std::span<const Framework* const> all_frameworks();

// The first framework a mark of which the document has. Throws an InputError at the file if there is
// none.
[[nodiscard]] const Framework& framework_of(const Document& document);

// The row of the key, or null; rows without '*' come first.
[[nodiscard]] const KeyRow* row_of(const Framework& framework, std::string_view key);
[[nodiscard]] bool is_key(std::string_view pattern, std::string_view key);

// The fact's value for a key's, or nothing if the row does not know that value; empty where it says
// nothing.
[[nodiscard]] std::optional<std::string> fact_value(const KeyRow& row, std::string_view value);

// Whether the value, as YAML, Python or a shell writes it, is one of "false|0|null".
[[nodiscard]] bool is_listed(std::string_view value, std::string_view values);

// The last entry of a key that is spelt alike; or null.
[[nodiscard]] const Entry* find_alike(const Document& document, std::string_view key);

// How the framework's own files say a field of a job, such as "tp" 4: "tensor_model_parallel_size",
// "4". Nothing if no one key does.
struct KeyValue {
  std::string_view key;
  std::string value;
};
[[nodiscard]] std::optional<KeyValue> key_for(const Framework& framework, std::string_view field,
                                              std::string_view value, const Document& document);

}  // namespace sim::launch
