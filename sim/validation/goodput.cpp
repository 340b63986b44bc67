// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/goodput.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/csv.hpp"
#include "sim/base/likely.hpp"
#include "sim/base/names.hpp"
#include "sim/reliability/goodput.hpp"

namespace sim::validation {
namespace {

constexpr int kGpusOfNode = 8;
constexpr double kStateBytes = 14;  // of a parameter

constexpr EnumName<GoodputQuantity> kQuantities[] = {
    {"interruptions", GoodputQuantity::interruptions},
    {"gpu_failures", GoodputQuantity::gpu_failures},
    {"mtbf_h", GoodputQuantity::mtbf_h},
    {"goodput", GoodputQuantity::goodput}};

// A run as published, and what its prediction rests on.
struct PublishedJob {
  Cluster cluster;
  Reliability reliability;
  double span_s = 0;
  double stall_s = 0;
  std::optional<double> interval_s;
};

PublishedJob job_in(const CsvRow& line, const std::filesystem::path& folder) {
  PublishedJob job;
  job.reliability =
      read_reliability(folder / "traces/reliability" / fmt::format("{}.toml", line.text("rates")));
  job.cluster.nodes = line.integer("gpus") / kGpusOfNode;
  job.cluster.gpus_per_node = kGpusOfNode;
  job.cluster.network.nics_per_node = kGpusOfNode;
  job.span_s = line.number("days") * kDay_s;
  Recovery& recovery = job.reliability.recovery;
  if (const auto time = line.known("detection_s")) recovery.detection = Seconds::from_base(*time);
  if (const auto time = line.known("restart_s")) recovery.restart = Seconds::from_base(*time);
  const double node_Bps = job.reliability.storage.node_bandwidth->base();
  const double state = kStateBytes * line.known("parameters").value_or(0);
  job.stall_s = line.known("stall_s").value_or(state / job.cluster.nodes / node_Bps);
  job.interval_s = line.known("interval_s");
  return job;
}

void predict_count(const PublishedJob& job, double rate, GoodputRow& row) {
  row.predicted = rate * job.span_s;
  const CountRange range = likely_count(row.predicted, job.reliability.failures.spread);
  row.low = range.low;
  row.high = range.high;
}

void predict_goodput(const PublishedJob& job, const FailureRates& rates, GoodputRow& row) {
  const Renewal renewal = renewal_of(job.reliability, rates, {.stall_s = job.stall_s});
  const double interval_s = job.interval_s.value_or(best_interval_s(renewal, 1));
  row.predicted = time_shares(renewal, interval_s).goodput;
  const LikelyShare range =
      likely_goodput(renewal, interval_s, job.reliability.failures.spread, job.span_s);
  row.low = range.low;
  row.high = range.high;
}

void predict_row(const PublishedJob& job, GoodputRow& row) {
  const FailureRates rates = failure_rates(job.reliability.failures, job.cluster);
  switch (row.quantity) {
    case GoodputQuantity::interruptions:
      predict_count(job, interruption_rate(renewal_of(job.reliability, rates, {})), row);
      return;
    case GoodputQuantity::gpu_failures:
      predict_count(job, rates.by_part.front().second, row);
      return;
    case GoodputQuantity::mtbf_h: {
      const double off = std::exp(kLikelySpreads * job.reliability.failures.spread);
      row.predicted = 1 / rates.total / kHour_s;
      row.low = row.predicted / off;
      row.high = row.predicted * off;
      return;
    }
    case GoodputQuantity::goodput:
      predict_goodput(job, rates, row);
  }
}

double plain_arithmetic(const PublishedJob& job, GoodputQuantity quantity) {
  constexpr double kInterruptions = 419, kOfGpus = 268, kLlamaGpuSeconds = 16384 * 54 * kDay_s;
  const double gpus = job.cluster.nodes * kGpusOfNode;
  const double mtbf_s = kLlamaGpuSeconds / kInterruptions / gpus;
  switch (quantity) {
    case GoodputQuantity::interruptions:
      return job.span_s / mtbf_s;
    case GoodputQuantity::gpu_failures:
      return job.span_s / mtbf_s * kOfGpus / kInterruptions;
    case GoodputQuantity::mtbf_h:
      return mtbf_s / kHour_s;
    case GoodputQuantity::goodput:
      break;
  }
  const Recovery& recovery = job.reliability.recovery;
  return 1 - (recovery.detection + recovery.restart).base() / mtbf_s -
         std::sqrt(2 * job.stall_s / mtbf_s);
}

GoodputRow row_in(const CsvRow& line, const std::filesystem::path& folder) {
  const auto quantity =
      value_named(line.text("quantity"), std::span<const EnumName<GoodputQuantity>>(kQuantities));
  if (!quantity) line.fail("is not a quantity of this table");
  GoodputRow row{.row = line.text("row"),
                 .source = line.text("source"),
                 .rates = line.text("rates"),
                 .note = line.text("note") == "-" ? "" : line.text("note"),
                 .quantity = *quantity,
                 .is_bound = line.text("relation") == ">",
                 .published = line.known("published"),
                 .counts = line.text("counts") == "1"};
  const PublishedJob job = job_in(line, folder);
  predict_row(job, row);
  row.arithmetic = plain_arithmetic(job, row.quantity);
  return row;
}

}  // namespace

bool GoodputRow::in_range() const { return published && low <= *published && *published <= high; }

std::vector<GoodputRow> predict_goodputs(const std::filesystem::path& folder) {
  std::vector<GoodputRow> rows;
  for (const CsvRow& line : read_csv(folder / "traces/published/goodput.csv")) {
    rows.push_back(row_in(line, folder));
  }
  return rows;
}

GoodputErrors errors_of(const std::vector<GoodputRow>& rows) {
  GoodputErrors errors;
  double logarithms = 0, plain_logarithms = 0;
  for (const GoodputRow& row : rows) {
    if (!row.counts || !row.published) continue;
    const double published = *row.published;
    if (row.is_bound) {
      ++errors.bounds;
      errors.bounds_kept += row.predicted > published ? 1 : 0;
      errors.arithmetic_bounds_kept += row.arithmetic > published ? 1 : 0;
      continue;
    }
    ++errors.ranged;
    errors.in_range += row.in_range() ? 1 : 0;
    if (row.quantity == GoodputQuantity::goodput) {
      ++errors.goodputs;
      errors.points += std::abs(row.predicted - published);
      errors.arithmetic_points += std::abs(row.arithmetic - published);
    } else {
      ++errors.factors;
      logarithms += std::abs(std::log(row.predicted / published));
      plain_logarithms += std::abs(std::log(row.arithmetic / published));
    }
  }
  if (errors.factors > 0) {
    errors.factor = std::exp(logarithms / errors.factors);
    errors.arithmetic_factor = std::exp(plain_logarithms / errors.factors);
  }
  if (errors.goodputs > 0) {
    errors.points /= errors.goodputs;
    errors.arithmetic_points /= errors.goodputs;
  }
  return errors;
}

}  // namespace sim::validation
