// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "apps/calibrate/gpu/measure.hpp"
#include "apps/calibrate/gpu/operands.hpp"

namespace calibrate {
namespace {

const char* name_of_pass(Pass pass) {
  if (pass == Pass::forward) return "forward";
  return pass == Pass::input_gradient ? "input_gradient" : "weight_gradient";
}

// FP8 products are all of the same form, so that passes with equal sizes are one.
std::set<Product> distinct(const std::set<Product>& products, Precision precision) {
  if (precision == Precision::bf16) return products;
  std::set<Product> result;
  for (const auto& [m, n, k, pass] : products) result.insert({m, n, k, Pass::forward});
  return result;
}

}  // namespace

Json measure_products(Session& session, const Products& products, const LayerShapes& layers) {
  const std::set<Product> all = distinct(products_of(layers), products.precision);
  const Operands operands(products.precision, all, codecs::cuda::l2_bytes());
  const char* const precision = products.precision == Precision::bf16 ? "bf16" : "fp8";
  session.budget.expect(all.size());
  Json rows = Json::array();
  for (const Product& product : all) {
    const auto& [m, n, k, pass] = product;
    operands.multiply(products, product, 0, session.benchmark.stream().get());
    session.benchmark.stream().wait();
    char name[96];
    std::snprintf(name, sizeof name, "gemm %s %d x %d x %d", precision, m, n, k);
    const bool right = operands.agrees(product);
    const Time time = time_of(session, [&](std::size_t i, cudaStream_t stream) {
      operands.multiply(products, product, i, stream);
    });
    if (!right) {
      session.disagreed.emplace_back(name);
      continue;
    }
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.1f TFLOP/s", 2.0 * m * n * k / time.median_s / 1e12);
    report(session, name, time.median_s, rate);
    rows.push_back({{"precision", precision},
                    {"pass", name_of_pass(pass)},
                    {"m", m},
                    {"n", n},
                    {"k", k},
                    {"median_s", time.median_s},
                    {"spread_s", time.spread_s},
                    {"launches", time.launches}});
  }
  return rows;
}

}  // namespace calibrate
