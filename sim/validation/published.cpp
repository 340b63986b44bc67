// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/base/csv.hpp"
#include "sim/base/error.hpp"

namespace sim::validation {

std::vector<Measurement> read_throughput(const std::filesystem::path& file) {
  std::vector<Measurement> measurements;
  for (const CsvRow& row : read_csv(file)) {
    std::string model = row.text("model");
    std::replace(model.begin(), model.end(), '-', '_');
    const std::string& cluster = row.text("cluster");
    Setup setup;
    setup.cluster = "sdp4bit_" + cluster;
    setup.model = model;
    setup.parallelism.tensor = row.integer("tp");
    setup.parallelism.pipeline = row.integer("pp");
    setup.slices = row.integer("slices");
    for (const auto& [scheme, column] :
         {std::pair{"sharded", "baseline_tflops"}, std::pair{"sdp4bit", "sdp4bit_tflops"}}) {
      setup.scheme = scheme;
      measurements.push_back({fmt::format("sdp4bit_throughput/{}/{}/{}", cluster, model, scheme),
                              setup, Metric::tflops_per_gpu, row.number(column)});
    }
  }
  return measurements;
}

std::vector<Measurement> read_gradient_comm(const std::filesystem::path& file) {
  static const std::map<std::string, std::string> schemes{
      {"baseline_fp32_reduce_scatter", "sharded"},
      {"tlq_hs_int8_intra_int4_inter", "tlq_hs"},
      {"ulq_int4_int4", "ulq"},
      {"sdp4bit", "sdp4bit"},
      {"sdp4bit_hadamard_unfused", "sdp4bit_unfused"}};
  std::vector<Measurement> measurements;
  for (const CsvRow& row : read_csv(file)) {
    const auto scheme = schemes.find(row.text("strategy"));
    if (scheme == schemes.end()) {
      throw InputError(file.string() + ": unknown strategy " + row.text("strategy"));
    }
    const Setup setup{.cluster = "sdp4bit_a100",
                      .model = "gpt_1.3b",
                      .scheme = scheme->second,
                      .nodes = 8,
                      .slices = 8};
    const std::string name = "sdp4bit_gradient_comm/a100/gpt_1.3b/" + scheme->second;
    measurements.push_back(
        {name, setup, Metric::gradient_exchange_ms, row.number("gradient_comm_ms")});
    measurements.push_back({name, setup, Metric::tflops_per_gpu, row.number("tflops_per_gpu")});
  }
  return measurements;
}

}  // namespace sim::validation
