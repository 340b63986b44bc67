// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/arguments.hpp"
#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/validate/blind_runs.hpp"
#include "apps/validate/blind_study.hpp"
#include "sim/base/file.hpp"
#include "sim/base/json_reader.hpp"
#include "sim/base/likely.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/study/sweep/origins.hpp"

namespace apps {
namespace {

using Json = nlohmann::ordered_json;
using sim::validation::BlindPrediction;
using sim::validation::TrainingRow;

constexpr const char* kKind = "blind predictions of training throughputs";

std::string hash_of(const std::string& name) {
  return sim::sweep::sha256_of_file(data_directory() / name);
}

// By name from the data folder: the rows that others learn from, and what describes each run.
std::set<std::string> input_names(const std::vector<TrainingRow>& rows) {
  std::set<std::string> names{"traces/published/training.csv"};
  for (const TrainingRow& row : rows) {
    names.insert(fmt::format("topologies/{}.toml", row.topology));
    names.insert(fmt::format("traces/models/{}.toml", row.model));
  }
  return names;
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::now()));
}

void warn_of_changes(const sim::JsonReader& inputs, const std::filesystem::path& file) {
  inputs.each_key([&](const std::string& name, const sim::JsonReader& hash) {
    // The data set gets new values: that is what frozen predictions are for.
    if (name == "traces/published/training.csv" || hash.text() == hash_of(name)) return;
    print_note("warning: {}: {} has changed since\n", file.string(), sim::printable(name));
  });
}

BlindPrediction prediction_in(const sim::JsonReader& row) {
  BlindPrediction one{.predicted = row.at("predicted").positive(),
                      .low = row.at("low").positive(),
                      .high = row.at("high").positive(),
                      .serial = row.at("serial").positive()};
  if (one.low > one.predicted || one.high < one.predicted) {
    row.fail("the prediction is outside its range");
  }
  return one;
}

}  // namespace

void freeze(const BlindStudy& study, const std::filesystem::path& file) {
  Json json{{"schema_version", 1},
            {"kind", kKind},
            {"date", today()},
            {"version", GARDENHOSE_VERSION},
            {"program_sha256", sim::sweep::sha256_of_file("/proc/self/exe")},
            {"left_out", study.left_out},
            {"nominal", sim::kLikelyShare}};
  for (const std::string& name : input_names(study.rows)) json["inputs"][name] = hash_of(name);
  for (std::size_t i = 0; i < study.rows.size(); ++i) {
    const BlindPrediction& one = study.predictions[i].value();
    json["rows"].push_back({{"id", study.rows[i].id},
                            {"command", "run " + shell_text(run_arguments(study.rows[i]))},
                            {"measured_then", study.rows[i].tokens_per_s_per_gpu.has_value()},
                            {"efficiency", study.efficiencies[i]},
                            {"predicted", one.predicted},
                            {"low", one.low},
                            {"high", one.high},
                            {"serial", one.serial}});
  }
  sim::write_file("--freeze", file, json.dump(1) + "\n");
}

BlindStudy thawed(const std::filesystem::path& file, std::vector<TrainingRow> rows) {
  const sim::JsonDocument document = sim::read_json(file);
  const sim::JsonReader reader(document);
  reader.only({"schema_version", "kind", "date", "version", "program_sha256", "left_out", "nominal",
               "inputs", "rows"});
  if (reader.at("kind").text() != kKind) {
    reader.at("kind").fail("is not a file that validate blind --freeze wrote");
  }
  BlindStudy study{.left_out = reader.at("left_out").text(),
                   .rows = std::move(rows),
                   .frozen = fmt::format("{}, by version {}", reader.at("date").text(),
                                         reader.at("version").text())};
  warn_of_changes(reader.at("inputs"), file);
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < study.rows.size(); ++i) places[study.rows[i].id] = i;
  study.efficiencies.resize(study.rows.size());
  study.predictions.resize(study.rows.size());
  reader.at("rows").each([&](const sim::JsonReader& row) {
    const std::string id = row.at("id").text();
    const auto place = places.find(id);
    if (place == places.end()) {
      row.at("id").fail(fmt::format("'{}' is no row of the data set", sim::printable(id)));
    }
    auto& prediction = study.predictions[place->second];
    if (prediction) row.at("id").fail(fmt::format("'{}' is there twice", sim::printable(id)));
    prediction = prediction_in(row);
    study.efficiencies[place->second] = row.at("efficiency").positive();
  });
  return study;
}

}  // namespace apps
