// SPDX-License-Identifier: Apache-2.0
#include "sim/times/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"
#include "sim/times/product_shape.hpp"
#include "sim/topology/compute_efficiency.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {
namespace {

// Rates of attention are those of heads of 128; `narrow` is of heads of 64.
constexpr double kWideHead = 128;
// Tokens of all heads and sequences, per SM, at which half of the rate is reached: fits the causal
// forward times by number of heads on H100 and B200 (AIConfigurator, context_attention_perf).
constexpr double kTokensPerSm = 100;

double padded(double size, const std::vector<double>& grid) {
  return size < grid.front() ? in_tiles(size) : size;
}

// MXFP8 runs at FP8's rates; a precision without a table at those of BF16, scaled by the peak.
MatrixPrecision tabled(const PublishedProducts& table, MatrixPrecision precision) {
  const auto known = precision == MatrixPrecision::mxfp8 ? MatrixPrecision::fp8 : precision;
  return table.grids.contains(known) ? known : MatrixPrecision::bf16;
}

struct Cell {
  std::size_t low = 0;
  double share = 0;  // of the next larger size
};

Cell cell_of(const std::vector<double>& sizes, double size) {
  const auto above = std::ranges::lower_bound(sizes, size);
  if (above == sizes.begin()) return {};
  const auto high = std::min(static_cast<std::size_t>(above - sizes.begin()), sizes.size() - 1);
  return {high - 1, std::log(size / sizes[high - 1]) / std::log(sizes[high] / sizes[high - 1])};
}

double log_seconds(const ProductGrid& grid, const ProductShape& shape) {
  const std::array cells{cell_of(grid.m, shape.m), cell_of(grid.n, shape.n),
                         cell_of(grid.k, shape.k)};
  double sum = 0;
  for (unsigned corner = 0; corner < 8; ++corner) {
    double weight = 1;
    std::array<std::size_t, 3> at{};
    for (unsigned axis = 0; axis < 3; ++axis) {
      const bool high = (corner >> axis & 1) != 0;
      weight *= high ? cells[axis].share : 1 - cells[axis].share;
      at[axis] = cells[axis].low + (high ? 1 : 0);
    }
    if (weight == 0) continue;
    sum += weight * grid.log_seconds[(at[0] * grid.n.size() + at[1]) * grid.k.size() + at[2]];
  }
  return sum;
}

double of_gradient(const PublishedProducts& table, Gradient gradient) {
  if (gradient == Gradient::inputs) return table.inputs;
  return gradient == Gradient::weights ? table.weights : 1;
}

std::string give_or_take(double spread) {
  return fmt::format("give or take {:.0f} %", 100 * spread);
}

}  // namespace

double tile_excess(const PublishedProducts& table, double m, double n, double count,
                   double multiprocessors) {
  if (table.tile_rows == 0) return 1;
  const auto tile = [](double most, double size) { return std::min(most, in_tiles(size)); };
  const double rows = tile(table.tile_rows, m);
  const double columns = tile(table.tile_columns, n);
  const double tiles = std::ceil(m / rows) * std::ceil(n / columns) * count;
  const double waves = std::ceil(tiles / multiprocessors) * multiprocessors;
  return waves * rows * columns / (m * n * count);
}

const PublishedAttention& PublishedKernels::attention_of(Attention kernel) const {
  const bool usual = kernel == Attention::fused || kernel == Attention::sdpa;
  const auto found = attention.find(!usual ? kernel : kernel == Attention::fused ? fused : sdpa);
  require(found != attention.end(), "every fused kernel has a row");
  return found->second;
}

bool PublishedKernels::describes(const PublishedAttention& row) const {
  return names_gpu(gpu, row.gpus);
}

double forward_seconds(const PublishedProducts& table, const Gpu& gpu, const Operator& product) {
  const MatrixPrecision precision = tabled(table, product.precision);
  const ProductGrid& grid = table.grids.at(precision);
  const ProductShape shape{.m = padded(product.m * product.count, grid.m),
                           .n = padded(product.n, grid.n),
                           .k = padded(product.k, grid.k)};
  const ProductShape inside{.m = std::clamp(shape.m, grid.m.front(), grid.m.back()),
                            .n = std::clamp(shape.n, grid.n.front(), grid.n.back()),
                            .k = std::clamp(shape.k, grid.k.front(), grid.k.back())};
  const double scale = bound(shape, product.precision, rates_of(gpu, product.precision)) /
                       bound(inside, precision, rates_of(table, precision));
  return std::exp(log_seconds(grid, inside)) * scale *
         tile_excess(table, product.m, product.n, product.count, gpu.multiprocessors);
}

namespace {

double of_measured(const PublishedProducts& table, const Operator& product) {
  return measured_factor(table.measured, tabled(table, product.precision), product.gradient,
                         product.m * product.count, product.n, product.k);
}

}  // namespace

Gpu as_timed(const PublishedProducts& table, Gpu gpu) {
  gpu.bf16 = table.bf16;
  gpu.fp8 = table.fp8;
  gpu.fp4 = table.fp4;
  gpu.memory_bandwidth = table.memory_bandwidth;
  gpu.multiprocessors = table.multiprocessors;
  return gpu;
}

double product_seconds(const PublishedKernels& published, const Gpu& gpu, const Operator& product) {
  const PublishedProducts& table = published.products;
  const double factor =
      table.measured.empty() ? of_gradient(table, product.gradient) : of_measured(table, product);
  return std::max(forward_seconds(table, gpu, product) * factor,
                  product.flop() / rates_of(gpu, product.precision).peak);
}

double attention_seconds(const PublishedKernels& published, const Gpu& gpu,
                         const Operator& attention) {
  const PublishedAttention& row = published.attention_of(attention.attention);
  const bool forward = attention.gradient == Gradient::none;
  const double half = forward ? row.forward_half_length : row.backward_half_length;
  const double idle = kTokensPerSm * gpu.multiprocessors;
  const double narrowness = std::max(0.0, std::log2(kWideHead / attention.head_width));
  const double rate = (forward ? row.forward : row.backward).base() * (gpu.bf16 / row.bf16) *
                      attention.m / (attention.m + half) *
                      (attention.queries / (attention.queries + idle)) *
                      std::pow(row.narrow, narrowness);
  return attention.flop() * attention.useful / rate;
}

std::optional<Bandwidth> pass_bandwidth(const PublishedKernels& published, const Gpu& gpu,
                                        const Operator& pass) {
  if (pass.work == Work::norm) {
    const auto& shares = published.norms.shares.at(pass.kernels);
    return gpu.memory_bandwidth * shares[pass.gradient == Gradient::none ? 0 : 1];
  }
  if (pass.work == Work::cast) {
    const auto share = published.casts.shares.find(pass.precision);
    if (share == published.casts.shares.end()) return std::nullopt;
    return gpu.memory_bandwidth * (gpu.memory_efficiency * share->second);
  }
  if (pass.work == Work::grouped) return gpu.memory_bandwidth * published.grouped.products;
  if (pass.work == Work::permute) return gpu.memory_bandwidth * published.grouped.permutations;
  return std::nullopt;
}

std::string products_source(const PublishedKernels& published) {
  const PublishedProducts& table = published.products;
  return fmt::format("{} ({}), {}",
                     !table.measured.empty() ? "measured on this GPU"
                     : published.same        ? "published for this GPU"
                                      : "extrapolated by peak or bandwidth from published times",
                     table.source, give_or_take(table.spread));
}

std::string attention_source(const PublishedKernels& published, Attention kernel) {
  const PublishedAttention& row = published.attention_of(kernel);
  return fmt::format("{}, {} ({}), {}", name_of(row.kernel, kAttentions),
                     published.describes(row) ? "published for such GPUs"
                                              : "extrapolated by peak from published rates",
                     row.source, give_or_take(row.spread));
}

std::string grouped_source(const PublishedKernels& published) {
  const PublishedGrouped& row = published.grouped;
  const bool same = names_gpu(published.gpu, row.gpus);
  return fmt::format(
      "ordinary products in whole tiles, or the bytes of all experts' weights; {} ({}), {}",
      same ? "fits layers published for such GPUs"
           : "extrapolated by bandwidth from layers published for others",
      row.source, give_or_take(same ? row.spread : row.spread_of_another));
}

}  // namespace sim
