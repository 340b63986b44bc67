#include "sim/validation/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>

#include "sim/base/error.hpp"

namespace sim::validation {
namespace {

// One line of a CSV file by column name. Lines that start with # are comments.
class CsvRow {
 public:
  CsvRow(std::string place, std::map<std::string, std::string> fields)
      : place_(std::move(place)), fields_(std::move(fields)) {}

  [[nodiscard]] const std::string& text(const std::string& column) const {
    const auto found = fields_.find(column);
    if (found == fields_.end()) throw InputError(place_ + "1: no column " + column);
    return found->second;
  }
  [[nodiscard]] double number(const std::string& column) const {
    const std::string& field = text(column);
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size() || !(value > 0)) {
      throw InputError(fmt::format("{}1: {}: '{}' is not a number above 0", place_, column, field));
    }
    return value;
  }
  [[nodiscard]] int integer(const std::string& column) const {
    return static_cast<int>(number(column));
  }

 private:
  std::string place_;  // "file:line:"
  std::map<std::string, std::string> fields_;
};

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

std::vector<CsvRow> read_csv(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw InputError(file.string() + ": cannot be read");
  std::vector<CsvRow> rows;
  std::vector<std::string> columns;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = split(line);
    if (columns.empty()) {
      columns = fields;
      continue;
    }
    const std::string place = fmt::format("{}:{}:", file.string(), number);
    if (fields.size() != columns.size()) {
      throw InputError(
          fmt::format("{}1: {} fields, {} columns", place, fields.size(), columns.size()));
    }
    std::map<std::string, std::string> by_name;
    for (std::size_t i = 0; i < fields.size(); ++i) by_name[columns[i]] = fields[i];
    rows.emplace_back(place, std::move(by_name));
  }
  return rows;
}

}  // namespace

std::vector<Measurement> read_throughput(const std::filesystem::path& file) {
  std::vector<Measurement> measurements;
  for (const CsvRow& row : read_csv(file)) {
    std::string model = row.text("model");
    std::replace(model.begin(), model.end(), '-', '_');
    const std::string& cluster = row.text("cluster");
    Setup setup{.cluster = "sdp4bit_" + cluster,
                .model = model,
                .scheme = "",
                .tensor = row.integer("tp"),
                .pipeline = row.integer("pp"),
                .slices = row.integer("slices")};
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
