// SPDX-License-Identifier: Apache-2.0
#include "sim/study/setup_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/workload/memory.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim::study {
namespace {

bool has_replicas(const Scheme& scheme) {
  return scheme.gradients.algorithm->has_replicas && !scheme.weights.secondary_shards;
}

bool is_possible(const Job& job, const Setup& setup) {
  return problems(job.context(setup), setup.scheme).empty();
}

// Sizes of groups that are all alike: parts of a node's ranks, and 1, 2, 4 and so on nodes.
std::vector<int> sizes_of_groups(const Job& job, const Parallelism& p) {
  const int ranks = holders(job.cluster(), p);
  const int of_node = ranks / holder_nodes(job.cluster(), p);
  std::vector<int> sizes;
  for (int size = 2; size < of_node; size *= 2) {
    if (of_node % size == 0) sizes.push_back(size);
  }
  for (int size = of_node; size > 1 && size < ranks; size *= 2) {
    if (ranks % size == 0) sizes.push_back(size);
  }
  return sizes;
}

bool keeps_given_split(const Job& job, const Parallelism& p) {
  const Parallelism& given = job.parallelism;
  return (!job.given.contains("micro-batch") || p.micro_batch == given.micro_batch) &&
         (!job.given.contains("accumulation") || p.accumulation == given.accumulation);
}

// As many micro-batches of the same size, else of one sequence, as make a step of so many sequences.
// If the number of micro-batches is given, their size follows.
bool set_batch(const Job& job, std::int64_t sequences, Parallelism& p) {
  const std::int64_t all = replicas(job.cluster(), p);
  if (sequences % all != 0) return false;
  const std::int64_t each = sequences / all;
  if (job.given.contains("accumulation")) {
    p.micro_batch = static_cast<int>(each / job.parallelism.accumulation);
  }
  if (p.micro_batch < 1 || each % p.micro_batch != 0) p.micro_batch = 1;
  p.accumulation = static_cast<int>(each / p.micro_batch);
  return keeps_given_split(job, p) && is_held(job.cluster(), job.model, p);
}

}  // namespace

std::vector<Scheme> uncompressed_schemes() {
  std::vector<Scheme> schemes;
  for (const Scheme* scheme : all_schemes(SchemeKind::inside)) {
    if (scheme->sends_plain()) schemes.push_back(*scheme);
  }
  return schemes;
}

MemoryUse memory_of(const Job& job, const Setup& setup, std::size_t table) {
  if (job.inner) return site_memory(job.round(setup), table, setup.scheme);
  return memory_use(job.cluster(), job.model, setup.parallelism,
                    codec_memory(job.context(setup), setup.scheme));
}

double memory_needed(const Job& job, const Setup& setup) { return memory_of(job, setup).total(); }

bool fits_memory(const Job& job, const Setup& setup) {
  for (std::size_t table = 0; table < job.topology.sites.size(); ++table) {
    const auto capacity = static_cast<double>(job.topology.sites[table].cluster.gpu.memory.count);
    if (memory_of(job, setup, table).total() > capacity) return false;
  }
  return true;
}

bool may_use_hosts(const Job& job) {
  if (job.given.contains("optimizer-state")) return false;
  if (job.parallelism.optimizer_state == OptimizerState::host) return false;
  return std::ranges::all_of(job.topology.sites, [](const Site& site) {
    return host_copy_rate(site.cluster).has_value();
  });
}

std::vector<Parallelism> sharding_forms(const Job& job, const Scheme& scheme,
                                        const Parallelism& p) {
  const bool fsdp = p.sharding.stage == 3;
  std::vector<int> groups{0};
  if (job.given.contains("hybrid-shard")) {
    groups = {job.parallelism.sharding.ranks};
  } else if (fsdp && has_replicas(scheme)) {
    const std::vector<int> smaller = sizes_of_groups(job, p);
    groups.insert(groups.end(), smaller.begin(), smaller.end());
  }
  std::vector<bool> precisions{false};
  if (job.given.contains("weight-precision")) {
    precisions = {job.parallelism.gathers_matrices};
  } else if (fsdp && p.matrices == MatrixPrecision::fp8 && scheme.weights.wire.is_plain()) {
    precisions.push_back(true);
  }
  std::vector<Parallelism> forms;
  for (const int ranks : groups) {
    for (const bool fp8 : precisions) {
      Parallelism form = p;
      form.sharding.ranks = ranks;
      form.gathers_matrices = fp8;
      if (is_possible(job, {scheme, form})) forms.push_back(form);
    }
  }
  return forms;
}

Setup start_of(const Job& job, const Scheme& scheme) {
  Setup setup = job.setup_of(scheme);
  if (!job.given.contains("overlap")) setup.parallelism.overlap = kAllOverlaps;
  if (!job.given.contains("gradient-precision")) {
    setup.parallelism.gradients = Precision::bf16;
  }
  return setup;
}

std::vector<Setup> other_shardings(const Job& job, std::span<const Scheme> schemes,
                                   const Setup& from) {
  std::vector<Setup> setups;
  for (const Scheme& scheme : schemes) {
    for (const int stage : scheme.zero) {
      if (job.given.contains("zero") && stage != *job.zero) continue;
      const Parallelism staged = at_stage(from.parallelism, stage, chosen_software(job));
      for (const Parallelism& form : sharding_forms(job, scheme, staged)) {
        setups.push_back({scheme, form});
      }
    }
  }
  return setups;
}

void check_choice(const Job& job, std::span<const Scheme> schemes) {
  Setup usual = start_of(job, schemes.front());
  if (!other_shardings(job, schemes, usual).empty()) return;
  usual.parallelism.sharding = {.stage = usual.scheme.usual_stage()};
  usual.parallelism.gathers_matrices = false;
  check(job, {&usual, 1});
  throw InputError(fmt::format("`scheme`: no ZeRO stage can run {} here; name another scheme",
                               usual.scheme.name));
}

std::vector<Setup> other_splits(const Job& job, const Setup& from) {
  const std::int64_t sequences =
      std::int64_t{from.parallelism.micro_batch} * from.parallelism.accumulation;
  std::vector<Setup> setups;
  for (int count = 1; count <= sequences; ++count) {
    if (sequences % count != 0) continue;
    Setup setup = from;
    setup.parallelism.accumulation = count;
    if (!is_held(job.cluster(), job.model, setup.parallelism)) break;
    setup.parallelism.micro_batch = static_cast<int>(sequences / count);
    if (!keeps_given_split(job, setup.parallelism)) continue;
    if (is_possible(job, setup)) setups.push_back(std::move(setup));
  }
  return setups;
}

std::vector<Setup> other_tensors(const Job& job, const Setup& from) {
  const std::int64_t batch = global_batch(job.cluster(), from.parallelism);
  std::vector<int> degrees;
  for (int degree = 1; degree <= job.cluster().gpus_per_node; ++degree) degrees.push_back(degree);
  if (job.given.contains("tp")) degrees = {job.parallelism.tensor};
  std::vector<Setup> setups;
  for (const int degree : degrees) {
    std::vector<bool> sequence_parallel{true, false};
    if (degree == 1) sequence_parallel = {false};
    if (job.given.contains("sequence-parallel")) {
      sequence_parallel = {job.parallelism.sequence_parallel};
    }
    for (const bool split : sequence_parallel) {
      Setup setup = from;
      setup.parallelism.tensor = degree;
      setup.parallelism.sequence_parallel = split;
      if (!is_possible(job, setup)) continue;
      if (set_batch(job, batch, setup.parallelism)) setups.push_back(std::move(setup));
    }
  }
  return setups;
}

std::vector<Recompute> recomputations(const Job& job, const Parallelism& p) {
  using enum Recompute;
  if (job.given.contains("recompute")) return {job.parallelism.recompute};
  if (is_fused(p.attention)) return {none, alternate, full};
  return {none, selective, full};
}

std::vector<Setup> other_recomputes(const Job& job, const Setup& from) {
  std::vector<Setup> setups;
  for (const Recompute recompute : recomputations(job, from.parallelism)) {
    setups.push_back(from);
    setups.back().parallelism.recompute = recompute;
  }
  return setups;
}

std::vector<Setup> other_overlaps(const Job& job, const Setup& from) {
  if (job.given.contains("overlap")) return {from};
  Setup as_given = from;
  as_given.parallelism.overlap = job.parallelism.overlap;
  Setup all = from;
  all.parallelism.overlap = kAllOverlaps;
  return {all, as_given};
}

std::vector<Setup> other_precisions(const Job& job, const Setup& from) {
  if (job.given.contains("gradient-precision")) return {from};
  std::vector<Setup> setups(2, from);
  setups[0].parallelism.gradients = Precision::bf16;
  setups[1].parallelism.gradients = Precision::fp32;
  return setups;
}

std::vector<Setup> other_buckets(const Job& job, const Setup& from) {
  const Overlap& overlap = from.parallelism.overlap;
  const bool has_buckets = overlap.gradients || overlap.weights;
  if (job.given.contains("bucket-size") || !has_buckets || from.parallelism.sharding.stage == 3)
    return {from};
  std::vector<Setup> setups;
  for (const int times : {1, 4, 16}) {
    setups.push_back(from);
    setups.back().parallelism.bucket = Bytes{job.parallelism.bucket.count * times};
  }
  return setups;
}

}  // namespace sim::study
