// SPDX-License-Identifier: Apache-2.0
// Defaults of the compute efficiency, for clusters without a fitted one: what published runs
// reached on GPUs of a generation.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/cluster.hpp"

namespace sim {

// Precision of matrix products: a default may cover one or all of them.
enum class ProductBits { sixteen, eight_or_fewer, any };

// A table [defaults.NAME] of the file.
struct EfficiencyRow {
  std::string name;               // "h100_bf16"
  std::vector<std::string> gpus;  // words from the names of the GPUs that it covers: "H100", "H800"
  ProductBits bits = ProductBits::any;
  double efficiency = 1;
  double spread = 0;
  std::string source;
  std::vector<std::string> rows;  // of published tables, as in EfficiencyDefault
};

// [over_published]: where the times of kernels are published ones (sim/times/published.hpp), so that
// only what they leave out remains.
struct OverPublished {
  double efficiency = 1;
  double spread = 0;
  std::string source;
};

struct EfficiencyTable {
  std::vector<EfficiencyRow> rows;
  OverPublished over_published = {};
};

// Reads traces/compute_efficiency.toml, or a file of the same format. Throws an InputError that
// reports every wrong, missing and unknown key; two defaults for the same GPU and precision are an
// error.
[[nodiscard]] EfficiencyTable read_efficiencies(const std::filesystem::path& file);
[[nodiscard]] EfficiencyTable parse_efficiencies(std::string_view text,
                                                 const std::filesystem::path& file);

// Whether one of the words is in the GPU's name: "NVIDIA A100-SXM4-40GB" has the words NVIDIA,
// A100, SXM4 and 40GB, in whatever case.
[[nodiscard]] bool names_gpu(std::string_view gpu, const std::vector<std::string>& words);

// What the table is asked for: products of this many bits (not `any`), over published times of
// kernels or over the roofline.
struct EfficiencyQuestion {
  ProductBits bits = ProductBits::sixteen;
  bool published = false;
};

// The default of the GPU's generation. For a GPU of unknown generation: the geometric mean of all
// defaults, with their joint spread; over published kernels the same one.
[[nodiscard]] EfficiencyDefault default_efficiency(const EfficiencyTable& table,
                                                   std::string_view gpu,
                                                   const EfficiencyQuestion& question);

}  // namespace sim
