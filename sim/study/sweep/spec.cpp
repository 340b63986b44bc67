// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/toml_reader.hpp"

namespace sim::sweep {
namespace {

// Where a leaf stands: in which section, under which name.
struct Entry {
  std::string leaf;  // "together.size.tp"
  std::string axis;  // "together.size"; of [grid] the leaf itself
  std::string key;   // "tp"
  const TomlLeaf* value;
};

Inputs json_of(const TomlScalar& value) {
  struct Visitor {
    Inputs operator()(const std::string& text) const { return text; }
    Inputs operator()(std::int64_t number) const { return number; }
    Inputs operator()(double number) const { return number; }
    Inputs operator()(bool flag) const { return flag; }
    Inputs operator()(const TomlOther&) const { return nullptr; }
  };
  return std::visit(Visitor{}, value);
}

// Reads the sections of a document into a spec.
class Sections {
 public:
  Sections(const TomlDocument& document, const InputRules& rules)
      : document_(document), reader_(document), rules_(rules) {}

  std::vector<Axis> axes() {
    for (const char* table : {"run", "grid", "together"}) reader_.optional_table(table);
    for (const auto& [table, place] : document_.tables) {
      if (!section_of(table).empty()) reader_.optional_table(table);
    }
    for (const Entry& entry : entries()) add(entry);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) check_distinct(axis);
    for (const std::string& key : rules_.required) {
      if (!keys_.contains(key)) {
        reader_.wrong("run", fmt::format("no {} in any table; add it", key));
      }
    }
    for (const Axis& axis : axes_) product_ *= static_cast<double>(axis.rows.size());
    if (product_ > static_cast<double>(kMostPoints)) {
      reader_.wrong("grid",
                    fmt::format("{:.0f} combinations, more than {}; split it into several sweeps",
                                product_, kMostPoints));
    }
    return std::move(axes_);
  }
  std::vector<std::string> where() {
    return reader_.has("where") ? reader_.texts("where") : std::vector<std::string>();
  }
  void finish() { reader_.finish(); }

 private:
  // The part of a dotted key before the first dot, where it is a section with points.
  static std::string_view section_of(std::string_view key) {
    const std::string_view section = key.substr(0, key.find('.'));
    const bool known = section == "run" || section == "grid" || section == "together";
    return known ? section : std::string_view();
  }

  // In the order of the file: what comes first changes most slowly.
  std::vector<Entry> entries() {
    std::vector<Entry> all;
    for (const auto& [leaf, value] : document_.leaves) {
      const std::string_view section = section_of(leaf);
      if (section.empty() || section == leaf) continue;
      std::string axis = section == "grid" ? leaf : std::string(section);
      std::size_t start = section.size() + 1;
      if (section == "together") {
        const std::size_t dot = leaf.find('.', start);
        if (dot == std::string::npos) continue;  // unknown to the reader
        axis = leaf.substr(0, dot);
        start = dot + 1;
      }
      if (!reader_.has(leaf)) continue;
      all.push_back({leaf, std::move(axis), leaf.substr(start), &value});
    }
    std::ranges::sort(all, {}, [](const Entry& entry) {
      return std::tuple(entry.value->place.line, entry.value->place.column);
    });
    return all;
  }

  void add(const Entry& entry) {
    if (!check_key(entry)) return;
    const std::vector<Inputs> values = values_of(entry);
    if (values.empty()) return;
    auto [found, is_new] = axis_numbers_.emplace(entry.axis, axes_.size());
    if (is_new) {
      axes_.push_back({{}, std::vector<std::vector<Inputs>>(values.size())});
      first_leaves_.push_back(entry.leaf);
    }
    Axis& axis = axes_[found->second];
    if (axis.rows.size() != values.size()) {
      reader_.wrong(
          entry.leaf,
          fmt::format("has {} values, but {} has {}; lists that go together must be equally long",
                      values.size(), axis.keys.front(), axis.rows.size()));
      return;
    }
    axis.keys.push_back(entry.key);
    for (std::size_t row = 0; row < values.size(); ++row) axis.rows[row].push_back(values[row]);
  }

  bool check_key(const Entry& entry) {
    if (const std::string problem = rules_.problem_of_key(entry.key); !problem.empty()) {
      reader_.wrong(entry.leaf, problem);
      return false;
    }
    if (keys_.insert(column_of(entry.key)).second) return true;
    reader_.wrong(entry.leaf, "is given twice; keep it in only one of the tables");
    return false;
  }

  std::vector<Inputs> values_of(const Entry& entry) {
    const auto* array = std::get_if<TomlArray>(&entry.value->value);
    const auto* scalar = std::get_if<TomlScalar>(&entry.value->value);
    const bool fixed = entry.axis == "run";
    if (fixed != (scalar != nullptr)) {
      reader_.wrong(entry.leaf, fixed ? "is a list; move it to [grid] to make points of it"
                                      : "is a single value; write a list, or move it to [run]");
      return {};
    }
    const TomlArray values = fixed ? TomlArray{*scalar} : *array;
    if (values.empty()) reader_.wrong(entry.leaf, "is an empty list; write at least one value");
    std::vector<Inputs> result;
    for (const TomlScalar& value : values) {
      result.push_back(json_of(value));
      const std::string problem = problem_of(entry.key, value, result.back());
      if (problem.empty()) continue;
      reader_.wrong(entry.leaf, problem);
      return {};
    }
    return result;
  }

  [[nodiscard]] std::string problem_of(const std::string& key, const TomlScalar& scalar,
                                       const Inputs& value) const {
    if (const auto* other = std::get_if<TomlOther>(&scalar)) {
      return fmt::format("holds {}; write strings, numbers, true or false", other->noun);
    }
    const std::string problem = rules_.problem_of_value(key, value);
    if (!problem.empty()) return problem;
    if (value.is_number_float() && !std::isfinite(value.get<double>())) {
      return "holds a number that is not finite; write a finite one";
    }
    return text_of(value).empty() ? "holds an empty string; leave the key out for the default" : "";
  }

  void check_distinct(std::size_t axis) {
    std::set<std::string> seen;
    for (const auto& row : axes_[axis].rows) {
      const std::string text = Inputs(row.size() == 1 ? row.front() : Inputs(row)).dump();
      if (seen.insert(text).second) continue;
      reader_.wrong(first_leaves_[axis],
                    fmt::format("holds {} twice; leave one out", printable(text)));
      return;
    }
  }

  const TomlDocument& document_;
  TomlReader reader_;
  const InputRules& rules_;
  std::vector<Axis> axes_;
  std::vector<std::string> first_leaves_;  // by axis
  std::map<std::string, std::size_t> axis_numbers_;
  std::set<std::string> keys_;
  double product_ = 1;
};

}  // namespace

Spec read_spec(const std::filesystem::path& file, const InputRules& rules) {
  return parse_spec(read_input_text(file), file, rules);
}

Spec parse_spec(std::string text, const std::filesystem::path& file, const InputRules& rules) {
  Spec spec{.file = file, .text = std::move(text)};
  const TomlDocument document = parse_toml(spec.text, file);
  Sections sections(document, rules);
  spec.where = sections.where();
  spec.axes = sections.axes();
  sections.finish();
  if (!spec.where.empty()) spec.where_place = document.leaves.find("where")->second.place;
  return spec;
}

std::int64_t combinations(const Spec& spec) {
  std::int64_t product = 1;
  for (const Axis& axis : spec.axes) product *= static_cast<std::int64_t>(axis.rows.size());
  return product;
}

Inputs inputs_at(const Spec& spec, std::int64_t place) {
  std::int64_t below = combinations(spec);
  Inputs inputs = Inputs::object();
  for (const Axis& axis : spec.axes) {
    below /= static_cast<std::int64_t>(axis.rows.size());
    const auto& row = axis.rows[static_cast<std::size_t>(place / below)];
    place %= below;
    for (std::size_t i = 0; i < axis.keys.size(); ++i) inputs[axis.keys[i]] = row[i];
  }
  return inputs;
}

}  // namespace sim::sweep
