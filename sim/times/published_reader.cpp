// SPDX-License-Identifier: Apache-2.0
// Reads traces/kernels: what applies to one GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/toml_reader.hpp"
#include "sim/times/published.hpp"
#include "sim/times/published_products.hpp"
#include "sim/times/published_rows.hpp"
#include "sim/topology/compute_efficiency.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {
namespace {

constexpr NumberRange kSize{.lowest = 0, .highest = 1e6, .above_zero = true};

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
    if (precision == MatrixPrecision::bf16 || timed_as(precision) != precision) continue;
    casts.shares[precision] = reader.number("casts." + std::string(name), kShare);
  }
  casts.spread = reader.number("casts.spread", kPublishedSpread);
  casts.source = reader.text("casts.source");
  return casts;
}

PublishedGrouped read_grouped(TomlReader& reader, const std::string& name) {
  const std::string table = "grouped." + name + ".";
  PublishedGrouped grouped;
  grouped.gpus = reader.texts(table + "gpus");
  if (reader.has(table + "stands_for")) grouped.stands_for = reader.texts(table + "stands_for");
  grouped.products = reader.number(table + "products", kShare);
  grouped.permutations = reader.number(table + "permutations", kShare);
  grouped.spread = reader.number(table + "spread", kPublishedSpread);
  grouped.spread_of_another = reader.number(table + "spread_of_another_gpu", kPublishedSpread);
  grouped.source = reader.text(table + "source");
  return grouped;
}

PublishedPower read_power(TomlReader& reader, const std::string& name) {
  const std::string table = "power." + name + ".";
  return {.gpus = reader.texts(table + "gpus"),
          .limit = reader.quantity<Watts>(table + "limit"),
          .products = reader.quantity<Watts>(table + "products"),
          .copies = reader.quantity<Watts>(table + "copies"),
          .waiting = reader.quantity<Watts>(table + "waiting"),
          .source = reader.text(table + "source")};
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
  std::vector<PublishedGrouped> grouped;
  std::vector<PublishedPower> power;
  UsualAttention fused, sdpa;
};

AllKernels read_all(const std::filesystem::path& file) {
  TomlReader reader(parse_toml(read_input_text(file), file));
  AllKernels all;
  const auto each = [&](const std::string& table, auto& rows, auto* read) {
    for (const std::string& name : reader.tables_in(table)) rows.push_back(read(reader, name));
    if (rows.empty()) rows.push_back(read(reader, "NAME"));
  };
  all.products = read_products(reader);
  each("attention", all.attention, &read_attention);
  each("norms", all.norms, &read_norms);
  each("grouped", all.grouped, &read_grouped);
  each("power", all.power, &read_power);
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

std::optional<PublishedPower> power_for(const AllKernels& all, const Gpu& gpu) {
  const auto named = std::ranges::find_if(
      all.power, [&](const PublishedPower& row) { return names_gpu(gpu.name, row.gpus); });
  if (named == all.power.end()) return {};
  return *named;
}

}  // namespace

std::shared_ptr<const PublishedKernels> read_published_kernels(const std::filesystem::path& folder,
                                                               const Gpu& gpu) {
  const AllKernels all = read_all(folder / "kernels.toml");
  const ProductsRow& row = products_for(all.products, gpu);
  auto published = std::make_shared<PublishedKernels>();
  published->gpu = gpu.name;
  published->same = names_gpu(gpu.name, row.gpus);
  if (published->same) published->of_same_die = words_of_die(all.products, row);
  published->products = with_grids(all.products, row, folder);
  if (!published->same) published->products.spread = row.spread_of_another;
  published->attention = attention_for(all, gpu);
  published->fused = all.fused.on(gpu);
  published->sdpa = all.sdpa.on(gpu);
  published->norms = norms_for(all, gpu);
  published->casts = all.casts;
  published->grouped = row_for(all.grouped, gpu);
  published->power = power_for(all, gpu);
  return published;
}

}  // namespace sim
