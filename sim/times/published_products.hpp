// SPDX-License-Identifier: Apache-2.0
// Reads the products of traces/kernels: the rows of kernels.toml, one a GPU, and the tables of their
// dies. A GPU without a table of its own takes the times of its die's, by the roofline of each shape.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/base/toml_reader.hpp"
#include "sim/times/published.hpp"

namespace sim {

inline constexpr NumberRange kPublishedSpread{.lowest = 0, .highest = 2, .above_zero = true};

// [products.NAME]
struct ProductsRow {
  PublishedProducts
      products;  // without grids; of a row that names a die, the die's but for its rates
  std::vector<std::string> gpus, stands_for;
  std::string die;  // the row that has its table; empty: its own
  double spread_of_another = 0;
};

// Reports problems to the reader.
[[nodiscard]] std::vector<ProductsRow> read_products(TomlReader& reader);

// The row that names the GPU, else the one that stands for its kind, else the first.
[[nodiscard]] const ProductsRow& products_for(std::span<const ProductsRow> rows, const Gpu& gpu);

// Words from the names of the GPUs that share the row's table.
[[nodiscard]] std::vector<std::string> words_of_die(std::span<const ProductsRow> rows,
                                                    const ProductsRow& row);

// The row's products with the times of the table in the folder, on the row's GPU. `rows` has its die.
// Throws an InputError with the place of the first problem.
[[nodiscard]] PublishedProducts with_grids(std::span<const ProductsRow> rows,
                                           const ProductsRow& row,
                                           const std::filesystem::path& folder);

}  // namespace sim
