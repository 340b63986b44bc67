// Defaults of the compute efficiency: what published runs reached on GPUs of a generation, for
// clusters on which nobody has fitted it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cluster/cluster.hpp"

namespace sim {

// Of matrix products: a default may be for one or for all of them.
enum class ProductBits { sixteen, eight_or_fewer, any };

// [defaults.NAME] of the file.
struct EfficiencyRow {
  std::string name;               // "h100_bf16"
  std::vector<std::string> gpus;  // words of the names of GPUs that it is for: "H100", "H800"
  ProductBits bits = ProductBits::any;
  double efficiency = 1;
  double spread = 0;
  std::string source;
  std::vector<std::string> rows;  // of published tables, as in EfficiencyDefault
};
using EfficiencyTable = std::vector<EfficiencyRow>;

// Reads traces/compute_efficiency.toml, or a file like it. Throws InputError naming every wrong,
// missing and unknown key at once; two defaults for the same GPU and precision are an error.
[[nodiscard]] EfficiencyTable read_efficiencies(const std::filesystem::path& file);
[[nodiscard]] EfficiencyTable parse_efficiencies(std::string_view text,
                                                 const std::filesystem::path& file);

// That of the GPU's generation in a run whose linear layers multiply in so many bits (not `any`).
// For a GPU of no known generation the geometric mean of all, with the spread that all together
// have.
[[nodiscard]] EfficiencyDefault default_efficiency(const EfficiencyTable& table,
                                                   std::string_view gpu, ProductBits bits);

}  // namespace sim
