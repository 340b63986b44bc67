// SPDX-License-Identifier: Apache-2.0
#include "sim/times/measured_die.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace sim {
namespace {

using Ratios = std::map<std::pair<MatrixPrecision, Gradient>, std::vector<ProductRatio>>;

// The GPU as its table timed it: questions about its rates change nothing that was measured.
Gpu sheet_of(const PublishedKernels& published, const Calibration& table, const Gpu& gpu) {
  if (published.same) return as_timed(published.products, gpu);
  Gpu sheet = gpu;
  if (table.memory_bandwidth > Bandwidth{}) sheet.memory_bandwidth = table.memory_bandwidth;
  return sheet;
}

void add_ratios(const PublishedKernels& published, const Calibration& table, const Gpu& gpu,
                Ratios& ratios) {
  const Gpu sheet = sheet_of(published, table, gpu);
  for (const GemmTime& one : *table.gemm) {
    const Operator product{.m = one.m, .n = one.n, .k = one.k, .precision = one.precision};
    const double expected = forward_seconds(published.products, sheet, product);
    ratios[{one.precision, one.gradient}].push_back(
        {std::log(one.m), std::log(one.n), std::log(one.k), std::log(one.seconds / expected),
         one.seconds});
  }
}

std::string names_of_tables(const Calibration& table, std::span<const MeasuredGpu> of_same_die) {
  std::string names = table.name;
  for (const MeasuredGpu& other : of_same_die) names += " and " + other.table.name;
  return names;
}

}  // namespace

std::shared_ptr<const PublishedKernels> with_measured(
    std::shared_ptr<const PublishedKernels> published, const Calibration& table, const Gpu& gpu,
    std::span<const MeasuredGpu> of_same_die) {
  if (published == nullptr || table.gpu != gpu.name || table.gemm->empty()) return published;
  Ratios ratios;
  add_ratios(*published, table, gpu, ratios);
  for (const MeasuredGpu& other : of_same_die) {
    add_ratios(*other.published, other.table, gpu, ratios);
  }
  auto result = std::make_shared<PublishedKernels>(*published);
  PublishedProducts& products = result->products;
  products.spread = products.scatter = 0;
  for (auto& [kind, all] : ratios) {
    const ProductRatios& one = products.measured[kind] = product_ratios(std::move(all));
    products.spread = std::max(products.spread, one.spread);
    products.scatter = std::max(products.scatter, one.scatter);
  }
  products.source =
      fmt::format("{}, over {}", names_of_tables(table, of_same_die), products.source);
  return result;
}

Calibration with_launches_of_die(Calibration table, std::span<const MeasuredGpu> of_same_die) {
  if (!table.launch_latency) return table;
  Seconds sum = *table.launch_latency;
  double tables = 1;
  for (const MeasuredGpu& other : of_same_die) {
    if (!other.table.launch_latency) continue;
    sum += *other.table.launch_latency;
    ++tables;
  }
  table.launch_latency = Seconds::from_base(sum.base() / tables);
  return table;
}

}  // namespace sim
