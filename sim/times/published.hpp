// SPDX-License-Identifier: Apache-2.0
// PublishedKernels: times of kernels that others measured and published, for GPUs without measured
// ones: matrix products by shape and precision, fused attention by kernel and length, norms, casts.
//
// Another GPU's times are those of a table's GPU, times the ratio of the two rooflines of the shape:
// the longer of FLOP over the peak and bytes over the memory bandwidth. What binds a shape thus
// decides what it scales with, and changing a GPU's peak changes its times.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/times/measured_products.hpp"
#include "sim/times/throttling.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/workload/operators.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// Seconds of C(m,n) = A(m,k) B(k,n) on a full grid, sizes ascending, over their tile_excess().
struct ProductGrid {
  std::vector<double> m, n, k;
  std::vector<double> log_seconds;  // [m][n][k]
};

// [products.NAME]: the GPU on which the products were timed, or another of its die.
struct PublishedProducts {
  std::string name;  // of the die's table, "h100"
  FlopRate bf16;
  std::optional<FlopRate> fp8 = {}, fp4 = {};
  Bandwidth memory_bandwidth;
  int multiprocessors = 0;
  double tile_rows = 0, tile_columns = 0;  // of whole tiles that show in the times; 0: they do not
  double inputs = 1, weights = 1;          // time of the gradients' products over the forward one's
  // Time of products while a collective holds any SM over that on the SMs that it leaves.
  double beside_channels = 1;
  double spread = 0;  // of the logarithm of a time, on the GPU asked for
  // Of the logarithms of times on several GPUs of the die around their mean. 0: it was one GPU.
  double scatter = 0;
  std::string source;
  std::map<MatrixPrecision, ProductGrid> grids = {};
  MeasuredProducts measured = {};  // on the GPU asked for; replace `inputs` and `weights`
};

// [attention.NAME]. Rates of long sequences, and the length at which half of it is reached.
struct PublishedAttention {
  Attention kernel = Attention::fused;
  std::vector<std::string> gpus;  // words from the names of those that it describes
  FlopRate bf16;                  // of the GPU that was measured
  FlopRate forward, backward;
  double forward_half_length = 0, backward_half_length = 0;
  double narrow = 1;  // rate of heads of 64 over that of heads of 128
  double spread = 0;
  std::string source;
};

// [norms.NAME]. Shares of the data sheet's memory bandwidth, forward and backward.
struct PublishedNorms {
  std::vector<std::string> gpus;
  std::map<Kernels, std::array<double, 2>> shares;
  double spread = 0;
  std::string source;
};

// [casts]. Shares of a copy's bandwidth.
struct PublishedCasts {
  std::map<MatrixPrecision, double> shares;
  double spread = 0;
  std::string source;
};

// [grouped.NAME]. A grouped product takes the time of an ordinary one of all its rows, in whole tiles, or
// that of its bytes, with every expert's weights, whichever is longer. Shares of the data sheet's memory
// bandwidth.
struct PublishedGrouped {
  std::vector<std::string> gpus;        // words from the names of those whose layers were timed
  std::vector<std::string> stands_for;  // kinds of other GPUs
  double products = 1;
  double permutations = 1;
  double spread = 0;             // of the logarithm of a layer's time
  double spread_of_another = 0;  // likewise, on a GPU that the row only stands for
  std::string source;
};

// What applies to one GPU.
struct PublishedKernels {
  std::string gpu;  // its name
  // Words from the names of GPUs of its die, if the products' table is of that die.
  std::vector<std::string> of_same_die = {};
  bool same = false;  // the products' table is of this very GPU, not extrapolated
  PublishedProducts products;
  std::map<Attention, PublishedAttention> attention;  // the closest row of each kernel
  // What Attention::fused and sdpa stand for.
  Attention fused = Attention::flash2, sdpa = Attention::flash2;
  PublishedNorms norms;
  PublishedCasts casts;
  PublishedGrouped grouped;
  std::optional<PublishedPower> power = {};  // unknown for other generations

  [[nodiscard]] const PublishedAttention& attention_of(Attention kernel) const;
  [[nodiscard]] bool describes(const PublishedAttention& row) const;
};

// Reads kernels.toml in the folder, and the table of products for the GPU. Throws an InputError with
// every problem, located.
[[nodiscard]] std::shared_ptr<const PublishedKernels> read_published_kernels(
    const std::filesystem::path& folder, const Gpu& gpu);

// Trilinear in the logarithms of sizes and time; at a shape of the grid, its time. Beyond the grid,
// and where a size is below its smallest, the time at the nearest edge times the ratio of the shapes'
// rooflines on the table's GPU, sizes below padded to tiles. Of `count` products of one shape, as one
// of so many more rows. Times measured_factor(), where products were measured on the GPU. Never
// faster than the peak.
[[nodiscard]] double product_seconds(const PublishedKernels& published, const Gpu& gpu,
                                     const Operator& product);

// The time of a forward product as others published it, whatever was measured.
[[nodiscard]] double forward_seconds(const PublishedProducts& table, const Gpu& gpu,
                                     const Operator& product);

// The GPU with the rates of the one that the table timed: what a question changes of it, or a power
// limit, did not change what was measured.
[[nodiscard]] Gpu as_timed(const PublishedProducts& table, Gpu gpu);

// Time of `count` products in whole tiles, and whole waves of them over the SMs, over the time
// without such losses; 1 where they do not show. The grids hold times without them.
[[nodiscard]] double tile_excess(const PublishedProducts& table, double m, double n, double count,
                                 double multiprocessors);

// Of an operator of fused attention.
[[nodiscard]] double attention_seconds(const PublishedKernels& published, const Gpu& gpu,
                                       const Operator& attention);

// The bandwidth of a norm, a cast, a grouped product or a permutation; nothing for other operators.
[[nodiscard]] std::optional<Bandwidth> pass_bandwidth(const PublishedKernels& published,
                                                      const Gpu& gpu, const Operator& pass);

// Where the times of products, of attention, and of a layer's experts come from, with their spread:
// "published for H100 (...), give or take 8 %".
[[nodiscard]] std::string products_source(const PublishedKernels& published);
[[nodiscard]] std::string attention_source(const PublishedKernels& published, Attention kernel);
[[nodiscard]] std::string grouped_source(const PublishedKernels& published);

}  // namespace sim
