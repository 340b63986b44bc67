// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_rounds.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "sim/base/text_table.hpp"
#include "sim/validation/site_rounds.hpp"

namespace apps {
namespace {

namespace validation = sim::validation;
using Json = nlohmann::ordered_json;
using validation::PublishedRound;
using validation::RoundQuantity;

struct RoundStudy {
  std::string name;   // "two-nodes"
  std::string title;  // "two nodes of 8 H100"
  std::vector<PublishedRound> rows;
  bool predictions = false;

  [[nodiscard]] bool has_all_reduce() const {
    return !rows.empty() && rows.front().by_all_reduce.has_value();
  }
};

bool is_share(const PublishedRound& row) { return row.quantity == RoundQuantity::communication; }

std::string round_text(const PublishedRound& row, double value) {
  return is_share(row) ? fmt::format("{:.2f} %", 100 * value) : fmt::format("{:.1f} s", value);
}

// "-1.0 %", or "-1.99 points" of a share.
std::string round_off_text(const PublishedRound& row) {
  if (!row.published) return "-";
  const double off = 100 * row.off(row.predicted);
  return is_share(row) ? fmt::format("{:+.2f} points", off) : fmt::format("{:+.1f} %", off);
}

std::string round_bar_text(const PublishedRound& row) {
  if (!row.bar) return "-";
  return fmt::format("{:g} {}", 100 * *row.bar, is_share(row) ? "points" : "%");
}

void print_round_errors(const RoundStudy& study) {
  const validation::RoundErrors errors = validation::errors_of(study.rows);
  print_text(
      "\n{} of {} rows with a bar are within it. On average they are off by {:.2f} {}, plain "
      "arithmetic\n"
      "(inner steps, and bytes over the link) by {:.2f}.\n",
      errors.within_bar, errors.rows, 100 * errors.mean,
      is_share(study.rows.front()) ? "points" : "%", 100 * errors.arithmetic_mean);
}

void print_rounds(const RoundStudy& study) {
  sim::TextTable table{.align = "<>>>>>>"};
  std::vector<std::string> heads{study.title};
  if (!study.predictions) heads.insert(heads.end(), {"published", "predicted", "off by", "bar"});
  if (study.predictions) heads.emplace_back("predicted");
  heads.emplace_back("bytes / link");
  if (study.has_all_reduce()) heads.emplace_back("/ all_reduce");
  table.rows.push_back(sim::heading_row(heads));
  for (const PublishedRound& row : study.rows) {
    auto& cells = table.rows.emplace_back();
    cells.push_back(row.row);
    if (!study.predictions) {
      cells.push_back(row.published ? round_text(row, *row.published) : "-");
    }
    cells.push_back(round_text(row, row.predicted));
    if (!study.predictions) {
      cells.push_back(round_off_text(row));
      cells.push_back(round_bar_text(row));
    }
    cells.push_back(round_text(row, row.arithmetic));
    if (row.by_all_reduce) cells.push_back(round_text(row, *row.by_all_reduce));
  }
  print_styled(to_text(table, output_width()));
  if (!study.predictions) print_round_errors(study);
}

Json record_of(const PublishedRound& row, bool predictions) {
  const auto json_of = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json();
  };
  Json record{{"row", row.row}, {"unit", is_share(row) ? "share" : "s"}};
  if (!predictions) {
    record["published"] = json_of(row.published);
    record["bar"] = json_of(row.bar);
    record["within_bar"] = row.is_scored() ? Json(row.within_bar()) : Json();
  }
  record.update(Json{{"predicted", row.predicted},
                     {"sent_bytes", row.sent_bytes},
                     {"plain_arithmetic", row.arithmetic},
                     {"plain_arithmetic_by_all_reduce", json_of(row.by_all_reduce)},
                     {"scheme", row.scheme},
                     {"source", row.source}});
  if (!predictions) record["note"] = row.note;
  return record;
}

std::vector<Json> records_of(const RoundStudy& study) {
  std::vector<Json> records;
  for (const PublishedRound& row : study.rows) {
    records.push_back(record_of(row, study.predictions));
  }
  return records;
}

Json json_of(const RoundStudy& study) {
  Json json{{"schema_version", 1}, {"study", study.name}, {"rows", records_of(study)}};
  if (study.predictions) return json;
  const validation::RoundErrors errors = validation::errors_of(study.rows);
  json["errors"] = {
      {"rows", errors.rows}, {"within_bar", errors.within_bar}, {"mean", errors.mean}};
  json["plain_arithmetic"] = {{"mean", errors.arithmetic_mean}};
  return json;
}

void print_study(const std::string& format, RoundStudy study) {
  study.rows = validation::predict_rounds(data_directory(), study.name);
  if (format == "table") print_rounds(study);
  print_records(format, json_of(study), records_of(study));
}

}  // namespace

void validate_two_nodes(const std::string& format, bool predictions) {
  print_study(format, {.name = "two-nodes",
                       .title = "a step on two nodes of 8 H100",
                       .rows = {},
                       .predictions = predictions});
}

void validate_opendiloco(const std::string& format, bool predictions) {
  print_study(format, {.name = "opendiloco",
                       .title = "share of time in communication",
                       .rows = {},
                       .predictions = predictions});
}

}  // namespace apps
