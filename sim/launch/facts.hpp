// SPDX-License-Identifier: Apache-2.0
// What a launch file says, in the words of a job, whatever the framework's own are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/launch/document.hpp"

namespace sim::launch {

struct Fact {
  std::string value;
  std::string key;  // the framework's, or why the framework does so where no key says it
  Place place;      // no file where no key says it
};

// By the name of a field of a job, "tp", of a key of a model's file, "model.layers", or of what only
// the framework's derivation uses, "_flavor".
class Facts {
 public:
  // What a reader gives besides the file wins: facts of these names are left out.
  explicit Facts(std::set<std::string, std::less<>> given = {}) : given_(std::move(given)) {}
  [[nodiscard]] bool is_given(std::string_view name) const { return given_.contains(name); }

  void set(std::string_view name, Fact fact);
  // As the framework does without a key that says so; `why` is what a reader is told. Keeps a value
  // that is there.
  void assume(std::string_view name, std::string value, std::string why);
  // Replaces what was said by what follows from it, keeping its place.
  void derive(std::string_view name, std::string value, std::string_view from);
  void forget(std::string_view name);

  [[nodiscard]] const Fact* find(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] bool is(std::string_view name, std::string_view value) const;
  [[nodiscard]] std::string text(std::string_view name, std::string_view usual = {}) const;
  // Whole and above 0. Throws an InputError at the fact's place for any other text, which names the
  // key and, for a value that only a running shell or launcher knows, says what to write instead.
  [[nodiscard]] std::optional<std::int64_t> count(std::string_view name) const;
  [[nodiscard]] std::int64_t count_or(std::string_view name, std::int64_t usual) const;
  // Unless the document alone says that there is one tensor-parallel rank.
  [[nodiscard]] bool may_split_tensors() const;

  [[nodiscard]] const std::map<std::string, Fact, std::less<>>& all() const { return facts_; }

  // Something that changes time and no field can say: `what` follows the fact's key and value.
  void warn(std::string_view name, std::string_view what);
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::set<std::string, std::less<>> given_;
  std::map<std::string, Fact, std::less<>> facts_;
  std::vector<std::string> warnings_;
};

// Throws an InputError that names the fact's key, value and place, and the field to give instead.
[[noreturn]] void refuse(const Fact& fact, std::string_view name, std::string_view what);

}  // namespace sim::launch
