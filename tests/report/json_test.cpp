// SPDX-License-Identifier: Apache-2.0
// The JSON of a step: every promised field, finite numbers, and a unit in every name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/report/records.hpp"
#include "sim/report/writers.hpp"
#include "tests/report/sample_report.hpp"

namespace sim {
namespace {

using Json = nlohmann::json;

Json json_of(const std::vector<Report>& reports) { return Json::parse(to_json(reports)); }

// A report whose optional parts are all there.
Report compared_report() {
  Report report = reported_step(small_cluster(), {}, scheme_named("sdp4bit")).report;
  report.baseline = "sharded";
  report.speedup = 1.25;
  report.break_even = {.pays_at_Bps = 1e9, .loses_at_Bps = 2e9, .nic_bandwidth_Bps = 50e9};
  report.codec_error = {{"normal", 0.1}, {"student_t3", {}}};
  return report;
}

TEST(Json, HasEveryFieldThatIsPromised) {
  const Json json = json_of({compared_report()});
  for (const char* number :
       {"schema_version", "step_time_s", "tokens_per_s", "tflops_per_gpu", "mfu", "compute_s",
        "exposed_comm_s", "codec_s", "host_s", "bubble_s", "optimizer_s", "other_s",
        "wire_bytes_intra_node", "wire_bytes_inter_node", "wire_bytes_wan",
        "compression_ratio_fp32", "compression_ratio_bf16", "speedup", "memory_per_gpu_bytes"}) {
    ASSERT_TRUE(json.contains(number)) << number;
    EXPECT_TRUE(json[number].is_number()) << number;
  }
  for (const char* fits : {"fits_memory", "baseline_fits_memory"}) {
    EXPECT_TRUE(json.at(fits).is_boolean()) << fits;
  }
  EXPECT_EQ(json.at("codec_error"), Json({{"normal", 0.1}, {"student_t3", nullptr}}));
  EXPECT_TRUE(json.at("sources").is_object());
}

TEST(ErrorText, TellsNothingLostFromNothingKnown) {
  EXPECT_EQ(error_text({}, "normal"), "-");
  EXPECT_EQ(error_text({{"weights_normal", 0.25}}, "normal"), "-");
  EXPECT_EQ(error_text({{"normal", 0.25}, {"student_t3", 0.5}}, "student_t3"), "0.5");
  EXPECT_EQ(error_text({{"normal", 0.25}, {"student_t3", {}}}, "student_t3"), "not known");
  EXPECT_EQ(error_text({{"normal", 0.25}}, "student_t3"), "not known");
}

// Visits every value that is neither a list nor an object, with the names on the way to it.
template <class Visit>
void for_each_leaf(const Json& json, const std::vector<std::string>& path, Visit visit) {
  for (const auto& [name, value] : json.items()) {
    std::vector<std::string> to = path;
    if (json.is_object()) to.push_back(name);
    if (value.is_structured()) {
      for_each_leaf(value, to, visit);
    } else {
      visit(to, value);
    }
  }
}

bool has_unit(const std::string& name) {
  return name.ends_with("_s") || name.ends_with("_j") || name.ends_with("_Bps") ||
         name.find("bytes") != std::string::npos || name.find("_per_") != std::string::npos;
}

// Counts, ratios and shares.
bool is_plain(const std::string& name) {
  constexpr std::array kPlain{"schema_version", "sensitivity", "gpus",         "mfu",
                              "speedup",        "busy",        "codec_error",  "zero_stage",
                              "hybrid_shard",   "micro_batch", "accumulation", "global_batch",
                              "sequence"};
  return std::find(kPlain.begin(), kPlain.end(), name) != kPlain.end() ||
         name.find("parameters") != std::string::npos || name.ends_with("_parallel") ||
         name.starts_with("compression_ratio_");
}

TEST(Json, HasAUnitInTheNameOfEveryNumber) {
  for_each_leaf(json_of({compared_report()}), {},
                [](const std::vector<std::string>& path, const Json& value) {
                  if (!value.is_number()) return;
                  EXPECT_TRUE(std::any_of(path.begin(), path.end(), has_unit) ||
                              std::any_of(path.begin(), path.end(), is_plain))
                      << path.back();
                });
}

// JSON has no infinity and no NaN: the writer's null would be a number lost.
TEST(Json, HasFiniteNumbersOnly) {
  for (const Parallelism& parallelism : reported_settings()) {
    for (const Scheme* scheme : all_schemes(SchemeKind::inside)) {
      const Json json = json_of({reported_step(small_cluster(), parallelism, *scheme).report});
      for_each_leaf(json, {}, [](const std::vector<std::string>& path, const Json& value) {
        const std::string& name = path.back();
        const bool optional =
            name == "speedup" || name == "verdict" || name.starts_with("baseline") ||
            name == "flags" || name == "pays_at_nic_Bps" || name == "loses_at_nic_Bps" ||
            name.starts_with("break_even_") || name.ends_with("_low") || name.ends_with("_high");
        EXPECT_EQ(value.is_null(), optional) << name;
        if (value.is_number()) {
          EXPECT_GE(value.get<double>(), 0) << name;
        }
      });
    }
  }
}

TEST(Json, HasTheNumbersOfTheReport) {
  const Report report = compared_report();
  const Json json = json_of({report});
  EXPECT_EQ(json.at("step_time_s"), report.time_s);
  EXPECT_EQ(json.at("exposed_comm_s"), report.time.exposed_comm_s);
  EXPECT_EQ(json.at("wire_bytes_inter_node"), report.step->wire.inter_node);
  EXPECT_EQ(json.at("memory_per_gpu_bytes"), report.memory.total());
  EXPECT_EQ(json.at("speedup"), 1.25);
  EXPECT_EQ(json.at("pays_at_nic_Bps"), 1e9);
  EXPECT_EQ(json.at("sources"), Json(report.sources));
  double parts = 0;
  for (const auto& [part, bytes] : json.at("memory_by_part_bytes").items()) {
    parts += bytes.get<double>();
  }
  EXPECT_DOUBLE_EQ(parts, report.memory.total());
}

TEST(Json, OfABreakEvenWithoutAnEndIsNull) {
  Report report = compared_report();
  report.break_even->loses_at_Bps = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(json_of({report}).at("loses_at_nic_Bps").is_null());
}

TEST(Json, IsAListOfSeveralReportsInTheirOrder) {
  const auto reports = all_reports();
  const Json json = json_of(reports);
  ASSERT_TRUE(json.is_array());
  ASSERT_EQ(json.size(), reports.size());
  for (std::size_t i = 0; i < reports.size(); ++i) {
    EXPECT_EQ(json[i].at("scheme"), reports[i].scheme);
  }
  EXPECT_TRUE(json_of({reports.front()}).is_object());
}

}  // namespace
}  // namespace sim
