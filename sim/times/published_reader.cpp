// SPDX-License-Identifier: Apache-2.0
// Reads traces/kernels: what applies to one GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "sim/base/csv.hpp"
#include "sim/base/error.hpp"
#include "sim/base/toml_reader.hpp"
#include "sim/times/published.hpp"
#include "sim/topology/compute_efficiency.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {
namespace {

constexpr NumberRange kPublishedSpread{.lowest = 0, .highest = 2, .above_zero = true};
constexpr NumberRange kRatio{.lowest = 0.5, .highest = 3};
constexpr NumberRange kBesideChannels{.lowest = 1, .highest = 3};
constexpr NumberRange kSize{.lowest = 0, .highest = 1e6, .above_zero = true};
constexpr std::array kDepths{256, 512, 1024, 2048, 4096, 8192, 16384, 65536};

struct ProductsRow {
  PublishedProducts products;
  std::vector<std::string> gpus, stands_for;
  double spread_of_another = 0;
};

std::optional<FlopRate> optional_rate(TomlReader& reader, const std::string& key) {
  if (!reader.has(key)) return std::nullopt;
  return reader.quantity<FlopRate>(key);
}

double optional_size(TomlReader& reader, const std::string& key) {
  return reader.has(key) ? reader.number(key, kSize) : 0;
}

ProductsRow read_products(TomlReader& reader, const std::string& name) {
  const std::string table = "products." + name + ".";
  ProductsRow row;
  row.gpus = reader.texts(table + "gpus");
  if (reader.has(table + "stands_for")) row.stands_for = reader.texts(table + "stands_for");
  row.products = {.name = name,
                  .bf16 = reader.quantity<FlopRate>(table + "bf16"),
                  .fp8 = optional_rate(reader, table + "fp8"),
                  .fp4 = optional_rate(reader, table + "fp4"),
                  .memory_bandwidth = reader.quantity<Bandwidth>(table + "memory_bandwidth"),
                  .multiprocessors = static_cast<int>(
                      reader.integer(table + "multiprocessors", {.lowest = 1, .highest = 1024})),
                  .tile_rows = optional_size(reader, table + "tile_rows"),
                  .tile_columns = optional_size(reader, table + "tile_columns"),
                  .inputs = reader.number(table + "inputs", kRatio),
                  .weights = reader.number(table + "weights", kRatio),
                  .sustained = reader.number(table + "sustained", kRatio),
                  .beside_channels = reader.number(table + "beside_channels", kBesideChannels),
                  .spread = reader.number(table + "spread", kPublishedSpread),
                  .source = reader.text(table + "source")};
  row.spread_of_another = reader.number(table + "spread_of_another_gpu", kPublishedSpread);
  return row;
}

PublishedAttention read_attention(TomlReader& reader, const std::string& name) {
  const std::string table = "attention." + name + ".";
  return {.kernel = reader.one_of<Attention>(table + "kernel", kAttentions),
          .gpus = reader.texts(table + "gpus"),
          .bf16 = reader.quantity<FlopRate>(table + "bf16"),
          .forward = reader.quantity<FlopRate>(table + "forward"),
          .backward = reader.quantity<FlopRate>(table + "backward"),
          .forward_half_length = reader.number(table + "forward_half_length", kSize),
          .backward_half_length = reader.number(table + "backward_half_length", kSize),
          .narrow = reader.number(table + "narrow", kShare),
          .spread = reader.number(table + "spread", kPublishedSpread),
          .source = reader.text(table + "source")};
}

PublishedNorms read_norms(TomlReader& reader, const std::string& name) {
  const std::string table = "norms." + name + ".";
  PublishedNorms norms;
  norms.gpus = reader.texts(table + "gpus");
  for (const auto& [software, kernels] : kKernels) {
    const std::string key = table + std::string(software);
    const std::vector<double> shares = reader.numbers(key, kShare);
    if (shares.size() == 2) {
      norms.shares[kernels] = {shares[0], shares[1]};
    } else if (reader.is_good(key)) {
      reader.wrong(key, "is not two shares, forward and backward; write e.g. [0.78, 0.72]");
    }
  }
  norms.spread = reader.number(table + "spread", kPublishedSpread);
  norms.source = reader.text(table + "source");
  return norms;
}

PublishedCasts read_casts(TomlReader& reader) {
  PublishedCasts casts;
  for (const auto& [name, precision] : kMatrixPrecisions) {
    if (precision == MatrixPrecision::bf16) continue;
    casts.shares[precision] = reader.number("casts." + std::string(name), kShare);
  }
  casts.spread = reader.number("casts.spread", kPublishedSpread);
  casts.source = reader.text("casts.source");
  return casts;
}

// [fused], [sdpa]: what a name that is no kernel stands for.
struct UsualAttention {
  std::vector<std::string> gpus;
  Attention kernel = Attention::flash2, otherwise = Attention::flash2;

  [[nodiscard]] Attention on(const Gpu& gpu) const {
    return names_gpu(gpu.name, gpus) ? kernel : otherwise;
  }
};

UsualAttention read_usual(TomlReader& reader, const std::string& table) {
  return {.gpus = reader.texts(table + ".gpus"),
          .kernel = reader.one_of<Attention>(table + ".kernel", kAttentions),
          .otherwise = reader.one_of<Attention>(table + ".otherwise", kAttentions)};
}

bool is_kernel(Attention attention) {
  return is_fused(attention) && attention != Attention::fused && attention != Attention::sdpa;
}

// The rows of the whole file.
struct AllKernels {
  std::vector<ProductsRow> products;
  std::vector<PublishedAttention> attention;
  std::vector<PublishedNorms> norms;
  PublishedCasts casts;
  UsualAttention fused, sdpa;
};

AllKernels read_all(const std::filesystem::path& file) {
  TomlReader reader(parse_toml(read_input_text(file), file));
  AllKernels all;
  const auto each = [&](const std::string& table, auto& rows, auto* read) {
    for (const std::string& name : reader.tables_in(table)) rows.push_back(read(reader, name));
    if (rows.empty()) rows.push_back(read(reader, "NAME"));
  };
  each("products", all.products, &read_products);
  each("attention", all.attention, &read_attention);
  each("norms", all.norms, &read_norms);
  all.casts = read_casts(reader);
  all.fused = read_usual(reader, "fused");
  all.sdpa = read_usual(reader, "sdpa");
  for (const auto& [name, kernel] : kAttentions) {
    if (!is_kernel(kernel)) continue;
    if (std::ranges::find(all.attention, kernel, &PublishedAttention::kernel) ==
        all.attention.end()) {
      reader.wrong("attention", fmt::format("has no row of {}; add one", name));
    }
  }
  reader.finish();
  return all;
}

// The row that names the GPU, else the one that stands for its kind, else the first.
const ProductsRow& products_for(const AllKernels& all, const Gpu& gpu) {
  const auto named = std::ranges::find_if(
      all.products, [&](const ProductsRow& row) { return names_gpu(gpu.name, row.gpus); });
  if (named != all.products.end()) return *named;
  const std::string kind = gpu.fp4 ? "fp4" : gpu.fp8 ? "fp8" : "older";
  const auto standing = std::ranges::find_if(all.products, [&](const ProductsRow& row) {
    return std::ranges::find(row.stands_for, kind) != row.stands_for.end();
  });
  return standing == all.products.end() ? all.products.front() : *standing;
}

// FlashAttention-1 on a GPU where it was not timed: as much slower than its successor there as on the
// GPU where both were. By the peak alone it would overtake it on GPUs that neither was written for.
void carry(PublishedAttention& first, const PublishedAttention& second, const AllKernels& all) {
  const auto beside = std::ranges::find_if(all.attention, [&](const PublishedAttention& row) {
    return row.kernel == second.kernel && row.gpus == first.gpus;
  });
  if (beside == all.attention.end()) return;
  first.forward = second.forward * (first.forward / beside->forward);
  first.backward = second.backward * (first.backward / beside->backward);
  first.bf16 = second.bf16;
}

// Of each kernel, the row that names the GPU, else the one of the closest peak.
std::map<Attention, PublishedAttention> attention_for(const AllKernels& all, const Gpu& gpu) {
  const auto distance = [&](const PublishedAttention& row) {
    return names_gpu(gpu.name, row.gpus) ? -1 : std::abs(std::log(gpu.bf16 / row.bf16));
  };
  std::map<Attention, PublishedAttention> closest;
  for (const PublishedAttention& row : all.attention) {
    const auto [known, is_new] = closest.try_emplace(row.kernel, row);
    if (!is_new && distance(row) < distance(known->second)) known->second = row;
  }
  PublishedAttention& first = closest.at(Attention::flash1);
  if (!names_gpu(gpu.name, first.gpus)) carry(first, closest.at(Attention::flash2), all);
  return closest;
}

const PublishedNorms& norms_for(const AllKernels& all, const Gpu& gpu) {
  const auto named = std::ranges::find_if(
      all.norms, [&](const PublishedNorms& row) { return names_gpu(gpu.name, row.gpus); });
  return named == all.norms.end() ? all.norms.back() : *named;
}

struct Line {
  double m = 0, n = 0;
  std::array<double, kDepths.size()> seconds{};
};

ProductGrid grid_of(const std::vector<Line>& lines, const std::string& place) {
  std::set<double> m, n;
  for (const Line& line : lines) {
    m.insert(line.m);
    n.insert(line.n);
  }
  ProductGrid grid{.m = {m.begin(), m.end()},
                   .n = {n.begin(), n.end()},
                   .k = {kDepths.begin(), kDepths.end()},
                   .log_seconds = {}};
  if (grid.m.size() < 2 || grid.n.size() < 2 || lines.size() != m.size() * n.size()) {
    throw InputError(place + ": not one line for each m and n; add or remove lines");
  }
  grid.log_seconds.resize(lines.size() * kDepths.size());
  for (const Line& line : lines) {
    const auto row = std::ranges::lower_bound(grid.m, line.m) - grid.m.begin();
    const auto column = std::ranges::lower_bound(grid.n, line.n) - grid.n.begin();
    const auto at =
        static_cast<std::size_t>(row) * grid.n.size() + static_cast<std::size_t>(column);
    for (std::size_t i = 0; i < kDepths.size(); ++i) {
      grid.log_seconds[at * kDepths.size() + i] = std::log(line.seconds[i]);
    }
  }
  return grid;
}

void read_grids(const std::filesystem::path& file, PublishedProducts& products) {
  std::map<MatrixPrecision, std::vector<Line>> lines;
  for (const CsvRow& row : read_csv(file)) {
    const std::string& name = row.text("precision");
    const auto precision = value_named<MatrixPrecision>(name, kMatrixPrecisions);
    if (!precision) row.fail(fmt::format("precision: '{}' is none of the known ones", name));
    Line line{.m = row.number("m"), .n = row.number("n")};
    const double excess = tile_excess(products, line.m, line.n, 1, products.multiprocessors);
    for (std::size_t i = 0; i < kDepths.size(); ++i) {
      line.seconds[i] = row.number(fmt::format("k{}", kDepths[i])) * 1e-6 / excess;
    }
    lines[*precision].push_back(line);
  }
  for (const auto& [precision, of_one] : lines) {
    const std::string place =
        fmt::format("{}: {}", file.string(), name_of(precision, kMatrixPrecisions));
    products.grids[precision] = grid_of(of_one, place);
  }
  if (!products.grids.contains(MatrixPrecision::bf16)) {
    throw InputError(file.string() + ": has no lines of bf16; add them");
  }
}

}  // namespace

std::shared_ptr<const PublishedKernels> read_published_kernels(const std::filesystem::path& folder,
                                                               const Gpu& gpu) {
  const AllKernels all = read_all(folder / "kernels.toml");
  const ProductsRow& row = products_for(all, gpu);
  auto published = std::make_shared<PublishedKernels>();
  published->gpu = gpu.name;
  published->same = names_gpu(gpu.name, row.gpus);
  published->products = row.products;
  if (!published->same) published->products.spread = row.spread_of_another;
  published->attention = attention_for(all, gpu);
  published->fused = all.fused.on(gpu);
  published->sdpa = all.sdpa.on(gpu);
  published->norms = norms_for(all, gpu);
  published->casts = all.casts;
  read_grids(folder / fmt::format("products_{}.csv", row.products.name), published->products);
  return published;
}

}  // namespace sim
