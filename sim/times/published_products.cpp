// SPDX-License-Identifier: Apache-2.0
#include "sim/times/published_products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "sim/base/csv.hpp"
#include "sim/base/error.hpp"
#include "sim/times/product_shape.hpp"
#include "sim/times/published_rows.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {
namespace {

constexpr NumberRange kRatio{.lowest = 0.5, .highest = 3};
constexpr NumberRange kBesideChannels{.lowest = 1, .highest = 3};
constexpr NumberRange kTileSize{.lowest = 0, .highest = 1e6, .above_zero = true};
constexpr std::array kDepths{256, 512, 1024, 2048, 4096, 8192, 16384, 65536};

std::optional<FlopRate> optional_rate(TomlReader& reader, const std::string& key) {
  if (!reader.has(key)) return std::nullopt;
  return reader.quantity<FlopRate>(key);
}

double optional_size(TomlReader& reader, const std::string& key) {
  return reader.has(key) ? reader.number(key, kTileSize) : 0;
}

// The words and rates of a GPU, which every row has.
ProductsRow read_sheet(TomlReader& reader, const std::string& name) {
  const std::string table = "products." + name + ".";
  ProductsRow row{.gpus = reader.texts(table + "gpus")};
  row.products = {.name = name,
                  .bf16 = reader.quantity<FlopRate>(table + "bf16"),
                  .fp8 = optional_rate(reader, table + "fp8"),
                  .fp4 = optional_rate(reader, table + "fp4"),
                  .memory_bandwidth = reader.quantity<Bandwidth>(table + "memory_bandwidth")};
  return row;
}

ProductsRow read_products_row(TomlReader& reader, const std::string& name) {
  const std::string table = "products." + name + ".";
  ProductsRow row = read_sheet(reader, name);
  if (reader.has(table + "die")) {
    row.die = reader.text(table + "die");
    return row;
  }
  if (reader.has(table + "stands_for")) row.stands_for = reader.texts(table + "stands_for");
  PublishedProducts& products = row.products;
  products.multiprocessors =
      static_cast<int>(reader.integer(table + "multiprocessors", {.lowest = 1, .highest = 1024}));
  products.tile_rows = optional_size(reader, table + "tile_rows");
  products.tile_columns = optional_size(reader, table + "tile_columns");
  products.inputs = reader.number(table + "inputs", kRatio);
  products.weights = reader.number(table + "weights", kRatio);
  products.beside_channels = reader.number(table + "beside_channels", kBesideChannels);
  products.spread = reader.number(table + "spread", kPublishedSpread);
  if (reader.has(table + "scatter")) {
    products.scatter = reader.number(table + "scatter", kPublishedSpread);
  }
  products.source = reader.text(table + "source");
  row.spread_of_another = reader.number(table + "spread_of_another_gpu", kPublishedSpread);
  return row;
}

// Whatever the die's row says; the rates stay.
void take_from(const ProductsRow& die, ProductsRow& row) {
  PublishedProducts products = die.products;
  products.bf16 = row.products.bf16;
  products.fp8 = row.products.fp8;
  products.fp4 = row.products.fp4;
  products.memory_bandwidth = row.products.memory_bandwidth;
  row.products = std::move(products);
  row.spread_of_another = die.spread_of_another;
}

const ProductsRow* table_named(std::span<const ProductsRow> rows, const std::string& name) {
  const auto found = std::ranges::find_if(
      rows, [&](const ProductsRow& row) { return row.die.empty() && row.products.name == name; });
  return found == rows.end() ? nullptr : &*found;
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

std::map<MatrixPrecision, ProductGrid> read_grids(const std::filesystem::path& file,
                                                  const PublishedProducts& products) {
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
  std::map<MatrixPrecision, ProductGrid> grids;
  for (const auto& [precision, of_one] : lines) {
    const std::string place =
        fmt::format("{}: {}", file.string(), name_of(precision, kMatrixPrecisions));
    grids[precision] = grid_of(of_one, place);
  }
  if (!grids.contains(MatrixPrecision::bf16)) {
    throw InputError(file.string() + ": has no lines of bf16; add them");
  }
  return grids;
}

// From the table's GPU to another of its die: what a product takes beyond its roofline stays.
void carry_grid(const PublishedProducts& from, const PublishedProducts& to,
                MatrixPrecision precision, ProductGrid& grid) {
  const ProductRates then = rates_of(from, precision), now = rates_of(to, precision);
  auto seconds = grid.log_seconds.begin();
  for (const double m : grid.m) {
    for (const double n : grid.n) {
      for (const double k : grid.k) {
        const ProductShape shape{.m = m, .n = n, .k = k};
        const double gained = bound(shape, precision, then) - bound(shape, precision, now);
        *seconds = std::log(std::exp(*seconds) - gained);
        ++seconds;
      }
    }
  }
}

}  // namespace

std::vector<ProductsRow> read_products(TomlReader& reader) {
  std::vector<ProductsRow> rows;
  for (const std::string& name : reader.tables_in("products")) {
    rows.push_back(read_products_row(reader, name));
  }
  if (rows.empty()) rows.push_back(read_products_row(reader, "NAME"));
  for (ProductsRow& row : rows) {
    if (row.die.empty()) continue;
    const ProductsRow* const die = table_named(rows, row.die);
    if (die != nullptr) {
      take_from(*die, row);
    } else {
      reader.wrong(fmt::format("products.{}.die", row.products.name),
                   fmt::format("'{}' is no row with a table of its own; name one", row.die));
    }
  }
  return rows;
}

const ProductsRow& products_for(std::span<const ProductsRow> rows, const Gpu& gpu) {
  return row_for(rows, gpu);
}

std::vector<std::string> words_of_die(std::span<const ProductsRow> rows, const ProductsRow& row) {
  std::vector<std::string> words;
  for (const ProductsRow& other : rows) {
    if (other.products.name != row.products.name) continue;
    words.insert(words.end(), other.gpus.begin(), other.gpus.end());
  }
  return words;
}

PublishedProducts with_grids(std::span<const ProductsRow> rows, const ProductsRow& row,
                             const std::filesystem::path& folder) {
  PublishedProducts products = row.products;
  products.grids = read_grids(folder / fmt::format("products_{}.csv", products.name), products);
  if (row.die.empty()) return products;
  const PublishedProducts& timed = table_named(rows, row.die)->products;
  for (auto& [precision, grid] : products.grids) carry_grid(timed, products, precision, grid);
  return products;
}

}  // namespace sim
