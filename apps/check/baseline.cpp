// SPDX-License-Identifier: Apache-2.0
#include "apps/check/baseline.hpp"

#include <fmt/format.h>

#include <set>

#include "sim/base/file.hpp"

namespace apps {
namespace {

using sim::JsonReader;

constexpr int kSchema = 1;
constexpr const char* kOff = "off";

Inputs tolerances_json(const Tolerances& tolerances) {
  Inputs json = Inputs::object();
  for (const auto& [metric, tolerance] : tolerances) {
    json[metric] = tolerance.off
                       ? Inputs(kOff)
                       : Inputs{{"relative", tolerance.relative}, {"absolute", tolerance.absolute}};
  }
  return json;
}

Inputs point_json(const Result& point) {
  return {{"inputs", point.inputs},
          {"state", point.state},
          {"metrics", point.metrics},
          {"setup", point.setup},
          {"sources", point.sources}};
}

Tolerance tolerance_at(const JsonReader& reader) {
  if (reader.kind() == sim::JsonKind::text && reader.any_text() == kOff) return {.off = true};
  if (reader.kind() != sim::JsonKind::object) {
    reader.fail("is neither {relative, absolute} nor \"off\"");
  }
  reader.only({"relative", "absolute"});
  return {.relative = reader.at("relative").not_negative(),
          .absolute = reader.at("absolute").not_negative()};
}

// Any text will do: what is shown of it is made fit for where it is shown.
Inputs texts_at(const JsonReader& reader) {
  Inputs texts = Inputs::object();
  reader.each_key(
      [&](const std::string& name, const JsonReader& value) { texts[name] = value.any_text(); });
  return texts;
}

Inputs numbers_at(const JsonReader& reader) {
  Inputs numbers = Inputs::object();
  reader.each_key(
      [&](const std::string& name, const JsonReader& value) { numbers[name] = value.number(); });
  return numbers;
}

Inputs inputs_at(const JsonReader& reader) {
  Inputs inputs = Inputs::object();
  reader.each_key([&](const std::string& name, const JsonReader& value) {
    const Inputs scalar = value.copy();
    if (scalar.is_structured() || scalar.is_null()) {
      value.fail("is not a string, a number, true or false");
    }
    inputs[name] = scalar;
  });
  return inputs;
}

Result point_at(const JsonReader& reader) {
  reader.require_object();
  reader.only({"inputs", "state", "metrics", "setup", "sources"});
  return {.inputs = inputs_at(reader.at("inputs")),
          .state = reader.at("state").any_text(),
          .metrics = numbers_at(reader.at("metrics")),
          .setup = texts_at(reader.at("setup")),
          .sources = texts_at(reader.at("sources"))};
}

}  // namespace

Baseline read_baseline(const std::filesystem::path& file, bool replaced) {
  const auto read = replaced ? sim::read_to_replace : sim::read_input;
  const sim::JsonDocument document =
      sim::parse_json(read(file, sim::kMostDataBytes, "is it the right file?"), file);
  const JsonReader reader(document);
  const JsonReader schema = reader.at("gardenhose_baseline");
  if (schema.kind() != sim::JsonKind::number || schema.number() != kSchema) {
    schema.fail(fmt::format("is not {}, the schema that this gardenhose reads", kSchema));
  }
  reader.only({"gardenhose_baseline", "version", "tolerances", "files", "points"});
  Baseline baseline;
  baseline.results.version = reader.at("version").text();
  reader.at("tolerances").each_key([&](const std::string& metric, const JsonReader& tolerance) {
    baseline.tolerances.emplace(metric, tolerance_at(tolerance));
  });
  reader.at("files").each_key([&](const std::string& name, const JsonReader& hash) {
    baseline.results.files.emplace(name, hash.text());
  });
  std::set<std::string> seen;
  reader.at("points").each([&](const JsonReader& point) {
    baseline.results.points.push_back(point_at(point));
    if (!seen.insert(id_of(baseline.results.points.back().inputs)).second) {
      point.at("inputs").fail("are those of an earlier point");
    }
  });
  return baseline;
}

std::string to_text(const Baseline& baseline) {
  Inputs points = Inputs::array();
  for (const Result& point : baseline.results.points) points.push_back(point_json(point));
  const Inputs json = {{"gardenhose_baseline", kSchema},
                       {"version", baseline.results.version},
                       {"tolerances", tolerances_json(baseline.tolerances)},
                       {"files", baseline.results.files},
                       {"points", points}};
  return json.dump(1, ' ', false, Inputs::error_handler_t::replace) + "\n";
}

}  // namespace apps
