// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "sim/base/csv.hpp"
#include "sim/base/parallel.hpp"
#include "sim/program/host_issue.hpp"
#include "sim/program/lay_out.hpp"
#include "sim/topology/topology.hpp"

namespace sim::validation {
namespace {

constexpr const char* kHostCluster = "dgx_a100_x16";
constexpr const char* kHostModel = "gpt_1.3b";

// Megatron-DeepSpeed without ZeRO: gradients are all_reduced in FP16, and all layers recomputed.
Parallelism host_parallelism(const CsvRow& line) {
  Parallelism p{.tensor = line.integer("tp"),
                .pipeline = line.integer("pp"),
                .micro_batch = line.integer("micro_batch"),
                .recompute = Recompute::full,
                .gradients = Precision::bf16,
                .sharding = {.stage = 0}};
  p.accumulation = line.integer("global_batch") / line.integer("dp") / p.micro_batch;
  return p;
}

HostStepRow host_row(const CsvRow& line) {
  const Parallelism p = host_parallelism(line);
  const int gpus = line.integer("gpus");
  const int layers = line.integer("layers");
  const int hidden = line.integer("hidden");
  return {.row = fmt::format(
              "host_bound_steps/{} GPUs, tp {}, dp {}, pp {}, {} x {}, micro-batch {} of {}", gpus,
              p.tensor, line.integer("dp"), p.pipeline, layers, hidden, p.micro_batch,
              line.integer("global_batch")),
          .setup = {.cluster = fmt::format("{} GPUs", gpus),
                    .model = fmt::format("{} x {}", layers, hidden),
                    .scheme = "data_parallel",
                    .parallelism = p},
          .published_s = line.number("step_ms") * 1e-3,
          .fill = 1 + (p.pipeline - 1.0) / p.accumulation};
}

Model host_model(const std::filesystem::path& folder, const std::string& name) {
  const std::string layers = name.substr(0, name.find(' '));
  const int hidden = std::stoi(name.substr(name.rfind(' ')));
  constexpr int kHeads = 16;
  const std::vector<Setting> settings{{"model.layers", layers},
                                      {"model.hidden", std::to_string(hidden)},
                                      {"model.heads", std::to_string(kHeads)},
                                      {"model.kv_heads", std::to_string(kHeads)},
                                      {"model.head_width", std::to_string(hidden / kHeads)},
                                      {"model.feed_forward", std::to_string(4 * hidden)},
                                      {"model.sequence", "1024"},
                                      {"model.position_table", "1024"}};
  return read_model(folder / "traces/models" / fmt::format("{}.toml", kHostModel), settings);
}

Inputs host_inputs(const std::filesystem::path& folder, const std::vector<HostStepRow>& rows) {
  Inputs inputs;
  inputs.efficiencies = read_efficiencies(folder / "traces" / "compute_efficiency.toml");
  const Cluster whole = read_cluster(folder / "topologies" / fmt::format("{}.toml", kHostCluster));
  Calibration calibration = roofline();
  calibration.hosts = read_hosts(folder / "traces" / "kernels" / "host.toml");
  for (const HostStepRow& row : rows) {
    const std::string& cluster = row.setup.cluster;
    inputs.clusters[cluster] = part_of(whole, 1, std::stoi(cluster));
    inputs.calibrations[cluster] = calibration;
    inputs.models[row.setup.model] = host_model(folder, row.setup.model);
  }
  return inputs;
}

// Of a step, from its tokens per second.
double step_s(const Inputs& inputs, const Setup& setup, const Prediction& prediction) {
  const Cluster& cluster = inputs.clusters.at(setup.cluster);
  const Model& model = inputs.models.at(setup.model);
  const auto sequences = static_cast<double>(global_batch(cluster, setup.parallelism));
  return sequences * model.sequence / rank_count(cluster) / prediction.tokens_per_s_per_gpu;
}

double most_launches(const Inputs& inputs, const Setup& setup) {
  const StepContext context{inputs.clusters.at(setup.cluster), inputs.models.at(setup.model),
                            inputs.calibrations.at(setup.cluster), setup.parallelism};
  const Program program = lay_out(context, scheme_named(setup.scheme));
  double most = 0;
  for (int stage = 0; stage < setup.parallelism.pipeline; ++stage) {
    most = std::max(most, launches(program, stage));
  }
  return most;
}

void predict_row(HostStepRow& row, const Inputs& known) {
  Inputs inputs = by_default(known, row.setup);
  Calibration& calibration = inputs.calibrations.at(row.setup.cluster);
  const Hosts hosts = calibration.hosts;
  for (const double issue_s : kHostGrid_s) {
    calibration.hosts = with_issue_time(hosts, Seconds::from_base(issue_s));
    row.simulated_s.push_back(step_s(inputs, row.setup, predict(inputs, row.setup)));
  }
  row.serial_s = step_s(inputs, row.setup, predict_null(inputs, row.setup));
  row.launches = most_launches(inputs, row.setup);
}

using RowNumbers = std::vector<std::size_t>;
using Predicted = double (HostStepRow::*)(double issue_s) const;

// The issue time with the least squares of logarithms, to 0.5 us.
double fit_issue(const std::vector<HostStepRow>& rows, const RowNumbers& used,
                 Predicted predicted) {
  constexpr double kStep_s = 0.5e-6;
  double best_s = 0;
  double least = std::numeric_limits<double>::infinity();
  for (double issue_s = 0; issue_s <= std::end(kHostGrid_s)[-1]; issue_s += kStep_s) {
    double squares = 0;
    for (const std::size_t i : used) {
      squares += std::pow(std::log((rows[i].*predicted)(issue_s) / rows[i].published_s), 2);
    }
    if (squares < least) {
      least = squares;
      best_s = issue_s;
    }
  }
  return best_s;
}

HostHalf fit_half(const std::vector<HostStepRow>& rows, const RowNumbers& used,
                  const RowNumbers& others) {
  HostHalf half{.issue_s = fit_issue(rows, used, &HostStepRow::simulated),
                .serial_issue_s = fit_issue(rows, used, &HostStepRow::serial),
                .others = others};
  for (const std::size_t i : others) {
    const HostStepRow& row = rows[i];
    half.simulated.add(row.simulated(half.issue_s), row.published_s, row.row);
    half.without_host.add(row.without_host(), row.published_s, row.row);
    half.serial.add(row.serial(half.serial_issue_s), row.published_s, row.row);
  }
  return half;
}

// A shuffle whose order the standard fixes, unlike std::shuffle's.
RowNumbers shuffled(std::size_t count, unsigned seed) {
  RowNumbers order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(seed);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

}  // namespace

double HostStepRow::simulated(double issue_s) const {
  const auto after = std::ranges::upper_bound(kHostGrid_s, issue_s);
  if (after == std::end(kHostGrid_s)) return simulated_s.back();
  const auto i = static_cast<std::size_t>(after - std::begin(kHostGrid_s));
  const double share = (issue_s - kHostGrid_s[i - 1]) / (kHostGrid_s[i] - kHostGrid_s[i - 1]);
  return simulated_s[i - 1] + share * (simulated_s[i] - simulated_s[i - 1]);
}

double HostStepRow::serial(double issue_s) const {
  return fill * std::max(serial_s, launches * issue_s);
}

std::vector<HostStepRow> read_host_steps(const std::filesystem::path& folder) {
  std::vector<HostStepRow> rows;
  for (const CsvRow& line : read_csv(folder / "traces/published/host_bound_steps.csv")) {
    rows.push_back(host_row(line));
  }
  return rows;
}

HostStudy predict_host(const std::filesystem::path& folder, std::vector<HostStepRow> rows, int jobs,
                       const Tick& tick) {
  const Inputs inputs = host_inputs(folder, rows);
  for_each_in_parallel(jobs, rows.size(), [&](std::size_t i) {
    tick();
    predict_row(rows[i], inputs);
  });
  HostStudy study{.rows = std::move(rows)};
  RowNumbers all(study.rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  study.all = fit_half(study.rows, all, all);
  for (unsigned seed = 1; seed <= kHostHalves; ++seed) {
    const RowNumbers order = shuffled(study.rows.size(), seed);
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
    study.halves.push_back(fit_half(study.rows, {order.begin(), middle}, {middle, order.end()}));
  }
  return study;
}

HeldOut held_out(const HostStudy& study, Errors HostHalf::*way) {
  HeldOut errors;
  for (const HostHalf& half : study.halves) {
    errors.mean += (half.*way).mean / static_cast<double>(study.halves.size());
    errors.worst_half = std::max(errors.worst_half, (half.*way).mean);
  }
  return errors;
}

double left_out_s(const HostStudy& study, std::size_t row) {
  double sum = 0;
  int count = 0;
  for (const HostHalf& half : study.halves) {
    if (std::ranges::count(half.others, row) == 0) continue;
    sum += study.rows[row].simulated(half.issue_s);
    ++count;
  }
  return count > 0 ? sum / count : study.rows[row].simulated(study.all.issue_s);
}

}  // namespace sim::validation
