// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_goodput.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "sim/base/text_table.hpp"
#include "sim/validation/goodput.hpp"

namespace apps {
namespace {

namespace validation = sim::validation;
using Json = nlohmann::ordered_json;
using validation::GoodputErrors;
using validation::GoodputQuantity;
using validation::GoodputRow;

std::string figure_text(const GoodputRow& row, double value) {
  switch (row.quantity) {
    case GoodputQuantity::goodput:
      return fmt::format("{:.1f} %", 100 * value);
    case GoodputQuantity::mtbf_h:
      return fmt::format("{:.3g} h", value);
    default:
      return fmt::format("{:.0f}", value);
  }
}

std::string published_text(const GoodputRow& row) {
  if (!row.published) return "-";
  return (row.is_bound ? "> " : "") + figure_text(row, *row.published) + (row.counts ? "" : " *");
}

void print_errors(const GoodputErrors& errors) {
  print_text(
      "\n*: does not count: the rates come from this row.\n"
      "{} of {} rows in the likely range, eight cases of ten. Counts and times are off by a factor "
      "of\n"
      "{:.2f} on average ({} rows; plain arithmetic {:.2f}), goodputs by {:.1f} points ({} rows; "
      "{:.1f}).\n"
      "{} of {} bounds are kept (plain arithmetic {}).\n",
      errors.in_range, errors.ranged, errors.factor, errors.factors, errors.arithmetic_factor,
      100 * errors.points, errors.goodputs, 100 * errors.arithmetic_points, errors.bounds_kept,
      errors.bounds, errors.arithmetic_bounds_kept);
}

void print_rows(const std::vector<GoodputRow>& rows, bool predictions) {
  sim::TextTable table{.align = "<>>>>"};
  table.rows.push_back(sim::heading_row(
      {"interruptions and goodputs", "published", "predicted", "likely", "plain arithmetic"}));
  for (const GoodputRow& row : rows) {
    table.rows.push_back({row.row, predictions ? "" : published_text(row),
                          figure_text(row, row.predicted),
                          figure_text(row, row.low) + " to " + figure_text(row, row.high),
                          figure_text(row, row.arithmetic)});
  }
  print_styled(to_text(table, output_width()));
  if (!predictions) print_errors(errors_of(rows));
}

std::vector<Json> records_of(const std::vector<GoodputRow>& rows, bool predictions) {
  std::vector<Json> records;
  for (const GoodputRow& row : rows) {
    Json record{{"row", row.row}};
    if (!predictions) {
      record["published"] = row.published ? Json(*row.published) : Json();
      record["is_bound"] = row.is_bound;
      record["counts"] = row.counts;
    }
    record.update(Json{{"predicted", row.predicted},
                       {"predicted_low", row.low},
                       {"predicted_high", row.high},
                       {"plain_arithmetic", row.arithmetic},
                       {"rates", row.rates},
                       {"source", row.source}});
    if (!predictions) record["note"] = row.note;
    records.push_back(std::move(record));
  }
  return records;
}

Json json_of(const std::vector<GoodputRow>& rows, bool predictions) {
  Json json{{"schema_version", 1}, {"study", "goodput"}, {"rows", records_of(rows, predictions)}};
  if (predictions) return json;
  const GoodputErrors errors = errors_of(rows);
  json["errors"] = {{"factor", errors.factor},
                    {"factor_rows", errors.factors},
                    {"goodput_difference", errors.points},
                    {"goodput_rows", errors.goodputs},
                    {"bounds_kept", errors.bounds_kept},
                    {"bounds", errors.bounds},
                    {"in_range", errors.in_range},
                    {"ranged", errors.ranged}};
  json["plain_arithmetic"] = {{"factor", errors.arithmetic_factor},
                              {"goodput_difference", errors.arithmetic_points},
                              {"bounds_kept", errors.arithmetic_bounds_kept}};
  return json;
}

}  // namespace

void validate_goodput(const std::string& format, bool predictions) {
  const std::vector<GoodputRow> rows = validation::predict_goodputs(data_directory());
  if (format == "table") print_rows(rows, predictions);
  print_records(format, json_of(rows, predictions), records_of(rows, predictions));
}

}  // namespace apps
