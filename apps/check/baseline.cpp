// SPDX-License-Identifier: Apache-2.0
#include "apps/check/baseline.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "apps/check/reference.hpp"
#include "sim/base/file.hpp"
#include "sim/base/joined.hpp"

namespace apps {
namespace {

using sim::JsonReader;
using sim::sweep::line_of;

constexpr int kSchema = 1;
constexpr const char* kOff = "off";
constexpr std::pair<const char*, Inputs Result::*> kParts[] = {{"setup", &Result::setup},
                                                               {"sources", &Result::sources}};

Inputs tolerances_json(const Tolerances& tolerances) {
  Inputs json = Inputs::object();
  for (const auto& [metric, tolerance] : tolerances) {
    json[metric] = tolerance.off
                       ? Inputs(kOff)
                       : Inputs{{"relative", tolerance.relative}, {"absolute", tolerance.absolute}};
  }
  return json;
}

// Texts by name that most points have.
Inputs usual_texts(const std::vector<Result>& points, Inputs Result::*part) {
  std::map<std::string, std::map<std::string, std::size_t>> counts;
  std::size_t all = 0;
  for (const Result& point : points) {
    all += (point.*part).empty() ? 0 : 1;
    for (const auto& [name, text] : (point.*part).items()) ++counts[name][text];
  }
  Inputs usual = Inputs::object();
  for (const auto& [name, texts] : counts) {
    for (const auto& [text, count] : texts) {
      if (2 * count > all) usual[name] = text;
    }
  }
  return usual;
}

// Those that differ from the usual ones; null for each of these that is not there.
Inputs own_texts(const Inputs& texts, const Inputs& usual) {
  Inputs own = Inputs::object();
  for (const auto& [name, text] : texts.items()) {
    if (!usual.contains(name) || usual[name] != text) own[name] = text;
  }
  for (const auto& [name, text] : usual.items()) {
    if (!texts.contains(name)) own[name] = nullptr;
  }
  return own;
}

// Those that are compared, or explain where a speed-up comes from.
Inputs kept_metrics(const Inputs& metrics, const Tolerances& tolerances) {
  Inputs kept = Inputs::object();
  for (const auto& [name, value] : metrics.items()) {
    if (!tolerance_of(name, tolerances).off || explains_speedup(name)) kept[name] = value;
  }
  return kept;
}

Inputs point_json(const Result& point, const Tolerances& tolerances, const Inputs& usual) {
  Inputs json{{"inputs", point.inputs},
              {"state", point.state},
              {"metrics", kept_metrics(point.metrics, tolerances)}};
  for (const auto& [name, part] : kParts) {
    if (!(point.*part).empty()) json[name] = own_texts(point.*part, usual[name]);
  }
  return json;
}

// A list or an object with a line for each member.
std::string json_lines(const Inputs& json) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : json.items()) {
    const std::string key = json.is_object() ? line_of(name) + ": " : "";
    lines.push_back("\n  " + key + line_of(value));
  }
  const auto [begin, end] = json.is_object() ? std::pair('{', '}') : std::pair('[', ']');
  return lines.empty() ? line_of(json)
                       : fmt::format("{}{}\n {}", begin, sim::joined(lines, ","), end);
}

Inputs requirements_json(const std::vector<Requirement>& requirements) {
  Inputs json = Inputs::array();
  for (const Requirement& one : requirements) json.push_back(one.text);
  return json;
}

Requirement requirement_at(const JsonReader& reader, const std::string& place) {
  const auto parsed = parse_requirement(reader.text(), place);
  if (!parsed.value) reader.fail(parsed.problem);
  return *parsed.value;
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

// The usual texts but for these. Any text will do: what is shown of it is made fit for where it is
// shown.
Inputs texts_at(const JsonReader& reader, Inputs texts = Inputs::object()) {
  reader.each_key([&](const std::string& name, const JsonReader& value) {
    if (value.kind() == sim::JsonKind::null) {
      texts.erase(name);
    } else {
      texts[name] = value.any_text();
    }
  });
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

Result point_at(const JsonReader& reader, const Inputs& usual) {
  reader.require_object();
  reader.only({"inputs", "state", "metrics", "setup", "sources"});
  Result point{.inputs = inputs_at(reader.at("inputs")),
               .state = reader.at("state").any_text(),
               .metrics = numbers_at(reader.at("metrics"))};
  for (const auto& [name, part] : kParts) {
    point.*part =
        reader.has(name) ? texts_at(reader.at(name), usual.at(name)) : Inputs(Inputs::object());
  }
  return point;
}

Inputs usual_at(const JsonReader& reader) {
  Inputs usual;
  for (const auto& [name, part] : kParts) usual[name] = Inputs::object();
  if (!reader.has("usual")) return usual;
  reader.at("usual").only({"setup", "sources"});
  for (const auto& [name, part] : kParts) usual[name] = texts_at(reader.at("usual").at(name));
  return usual;
}

// Where each point begins a line, as to_text() writes them.
void note_lines(const std::string& text, std::vector<Result>& points) {
  std::vector<int> lines;
  std::istringstream stream(text);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.starts_with(R"(  {"inputs":)")) lines.push_back(number);
  }
  if (lines.size() != points.size()) return;
  for (std::size_t i = 0; i < points.size(); ++i) points[i].line = lines[i];
}

}  // namespace

Baseline read_baseline(const std::filesystem::path& file, bool replaced) {
  const auto read = replaced ? sim::read_to_replace : sim::read_input;
  const std::string text = read(file, sim::kMostDataBytes, "is it the right file?");
  const sim::JsonDocument document = sim::parse_json(text, file);
  const JsonReader reader(document);
  const JsonReader schema = reader.at("gardenhose_baseline");
  if (schema.kind() != sim::JsonKind::number || schema.number() != kSchema) {
    schema.fail(fmt::format("is not {}, the schema that this gardenhose reads", kSchema));
  }
  reader.only(
      {"gardenhose_baseline", "version", "tolerances", "require", "files", "usual", "points"});
  Baseline baseline;
  baseline.results.version = reader.at("version").text();
  reader.at("tolerances").each_key([&](const std::string& metric, const JsonReader& tolerance) {
    baseline.limits.tolerances.emplace(metric, tolerance_at(tolerance));
  });
  if (reader.has("require")) {
    reader.at("require").each([&](const JsonReader& one) {
      add(requirement_at(one, file.string() + ": /require"), baseline.limits.requirements);
    });
  }
  reader.at("files").each_key([&](const std::string& name, const JsonReader& hash) {
    baseline.results.files.emplace(name, hash.text());
  });
  const Inputs usual = usual_at(reader);
  std::set<std::string> seen;
  reader.at("points").each([&](const JsonReader& point) {
    baseline.results.points.push_back(point_at(point, usual));
    if (!seen.insert(id_of(baseline.results.points.back().inputs)).second) {
      point.at("inputs").fail("are those of an earlier point");
    }
  });
  note_lines(text, baseline.results.points);
  return baseline;
}

std::string to_text(const Baseline& baseline) {
  const std::vector<Result>& results = baseline.results.points;
  Inputs usual, points = Inputs::array();
  for (const auto& [name, part] : kParts) usual[name] = usual_texts(results, part);
  for (const Result& point : results) {
    points.push_back(point_json(point, baseline.limits.tolerances, usual));
  }
  const auto& [tolerances, requirements] = baseline.limits;
  std::vector<std::pair<const char*, std::string>> members = {
      {"gardenhose_baseline", std::to_string(kSchema)},
      {"version", line_of(baseline.results.version)},
      {"tolerances", json_lines(tolerances_json(tolerances))},
      {"files", json_lines(baseline.results.files)},
      {"usual", json_lines(usual)},
      {"points", json_lines(points)}};
  if (!requirements.empty()) {
    members.insert(members.begin() + 3, {"require", json_lines(requirements_json(requirements))});
  }
  std::string text;
  for (const auto& [name, value] : members) {
    text += fmt::format("{}\n \"{}\": {}", text.empty() ? "{" : ",", name, value);
  }
  return text + "\n}\n";
}

}  // namespace apps
