// SPDX-License-Identifier: Apache-2.0
// The two published tables, row by row, with what their frameworks ran.
#include <fmt/format.h>

#include <map>

#include "sim/base/csv.hpp"
#include "sim/base/names.hpp"
#include "sim/validation/fsdp.hpp"
#include "sim/workload/stacks.hpp"

namespace sim::validation {
namespace {

constexpr int kGpusPerNode = 8;  // of both clusters

// What both share: FULL_SHARD, a layer a unit, the next one gathered and the last one reduced
// beside the compute.
Parallelism fully_sharded(const Stack& stack) {
  Parallelism p = at_stage({}, 3, {.stack = &stack});
  p.loss = stack.loss;
  p.optimizer = stack.optimizer;
  p.sharding.prefetch_after_backward = stack.prefetch_after_backward;
  return p;
}

// Composer's "PURE" mixed precision reduces in BF16.
Parallelism mosaicml() {
  Parallelism p = fully_sharded(stacks::composer);
  p.gradients = Precision::bf16;
  return p;
}

// benchmarks/llama3_h100_202412_torchtitan.md: micro-batch 2, selective recomputation, whose
// default option is "op"; FSDP2 prefetches before the backward pass of a layer, reduces in FP32,
// and enable_fsdp_float8_all_gather casts the weights before they are gathered. AdamW is fused.
Parallelism torchtitan(const std::filesystem::path& file, const std::string& variant) {
  Parallelism p = fully_sharded(*chosen<const Stack*>(file.string(), variant,
                                                      {{"eager", &stacks::torch_eager},
                                                       {"compile", &stacks::torch_compile},
                                                       {"float8", &stacks::torch_compile}}));
  p.micro_batch = 2;
  p.recompute = Recompute::alternate;
  if (variant == "float8") {
    p.matrices = MatrixPrecision::fp8;
    p.gathers_matrices = true;
  }
  return p;
}

// MPT 30B and 70B have no row of one node: the constant of the models next in size is theirs too.
std::string group_of_mpt(const std::string& model) {
  const bool large =
      model == "mpt_7b" || model == "mpt_13b" || model == "mpt_30b" || model == "mpt_70b";
  return large ? "mpt_7b to mpt_70b" : model;
}

std::string why_left_out(const std::string& row) {
  static const std::map<std::string, std::string> reasons{
      {"fsdp_a100/mpt_70b/64", "a quarter slower than on 128 GPUs, unexplained"},
      {"fsdp_a100/mpt_1b/32", "a fifth slower than on 16 and on 64 GPUs, unexplained"}};
  const auto found = reasons.find(row);
  return found == reasons.end() ? "" : found->second;
}

FsdpRow row_of(const CsvRow& line, const std::string& table, const std::string& series) {
  FsdpRow row{.series = series, .group = series, .gpus = line.integer("gpus")};
  row.measured.row = fmt::format("{}/{}/{}", table, series, row.gpus);
  row.measured.metric = Metric::tokens_per_s_per_gpu;
  row.measured.value = line.number("tokens_per_s_per_gpu");
  row.measured.setup.model = line.text("model");
  row.measured.setup.scheme = "sharded";
  row.measured.setup.nodes = row.gpus / kGpusPerNode;
  row.left_out = why_left_out(row.measured.row);
  row.used_in_fit = row.gpus == kGpusPerNode;
  return row;
}

std::vector<FsdpRow> read_mosaicml(const std::filesystem::path& file) {
  std::vector<FsdpRow> rows;
  for (const CsvRow& line : read_csv(file)) {
    FsdpRow row = row_of(line, file.stem().string(), line.text("model"));
    row.group = group_of_mpt(row.series);
    row.measured.setup.cluster = "mosaicml_a100";
    Parallelism& p = row.measured.setup.parallelism = mosaicml();
    p.micro_batch = line.integer("micro_batch");
    p.accumulation = line.integer("accumulation");
    p.recompute = chosen<Recompute>(file.string(), line.text("recompute"),
                                    {{"full", Recompute::full}, {"none", Recompute::none}});
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<FsdpRow> read_torchtitan(const std::filesystem::path& file) {
  std::vector<FsdpRow> rows;
  for (const CsvRow& line : read_csv(file)) {
    const std::string& variant = line.text("variant");
    FsdpRow row = row_of(line, file.stem().string(), line.text("model") + "/" + variant);
    row.measured.setup.cluster = "torchtitan_h100";
    row.measured.setup.parallelism = torchtitan(file, variant);
    row.published_memory_bytes = line.number("peak_memory_gib") * (1 << 30);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<FsdpRow> read_fsdp(const std::filesystem::path& folder) {
  const std::filesystem::path published = folder / "traces" / "published";
  std::vector<FsdpRow> rows = read_mosaicml(published / "fsdp_a100.csv");
  const auto more = read_torchtitan(published / "fsdp_h100_torchtitan.csv");
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace sim::validation
