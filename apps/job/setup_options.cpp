#include "apps/job/setup_options.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/workload/memory.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace apps {
namespace {

using Algorithm = sim::GradientExchange::Algorithm;

constexpr sim::Overlap kAll{.gradients = true, .weights = true, .pipeline = true, .tensor = true};

bool by_rings(const sim::Scheme& scheme) {
  return scheme.gradients.algorithm == Algorithm::ring && !scheme.weights.secondary_shards;
}

bool is_possible(const Job& job, const Setup& setup) {
  return problems(job.context(setup), setup.scheme).empty();
}

// Data-parallel ranks of 1, 2, 4 and so on nodes, as far as such groups are all alike.
std::vector<int> groups_of_nodes(const Job& job, const sim::Parallelism& p) {
  const int ranks = data_parallel(job.cluster, p);
  std::vector<int> groups;
  for (int group = ranks / replica_nodes(job.cluster, p); group > 1 && group < ranks; group *= 2) {
    if (ranks % group == 0) groups.push_back(group);
  }
  return groups;
}

// The forms of one stage of a scheme, whole groups first.
void add_forms(const Job& job, const Setup& setup, std::vector<Setup>& forms) {
  const auto add = [&](int ranks, bool gathers_matrices) {
    Setup form = setup;
    form.parallelism.sharding.ranks = ranks;
    form.parallelism.gathers_matrices = gathers_matrices;
    if (is_possible(job, form)) forms.push_back(std::move(form));
  };
  const sim::Parallelism& p = setup.parallelism;
  std::vector<int> groups{0};
  if (p.sharding.stage == 3 && by_rings(setup.scheme)) {
    const std::vector<int> of_nodes = groups_of_nodes(job, p);
    groups.insert(groups.end(), of_nodes.begin(), of_nodes.end());
  }
  const bool takes_fp8 = p.sharding.stage == 3 && p.matrices == sim::MatrixPrecision::fp8 &&
                         setup.scheme.weights.wire.is_plain();
  for (const int ranks : groups) {
    add(ranks, false);
    if (takes_fp8) add(ranks, true);
  }
}

}  // namespace

std::vector<sim::Scheme> uncompressed_schemes() {
  std::vector<sim::Scheme> schemes;
  for (const sim::Scheme* scheme : sim::all_schemes()) {
    if (scheme->sends_plain()) schemes.push_back(*scheme);
  }
  return schemes;
}

double memory_needed(const Job& job, const Setup& setup) {
  return memory_use(job.cluster, job.model, setup.parallelism,
                    codec_memory(job.context(setup), setup.scheme))
      .total();
}

Setup start_of(const Job& job, const sim::Scheme& scheme) {
  Setup setup = job.setup_of(scheme);
  setup.parallelism.overlap = kAll;
  setup.parallelism.gradients = sim::Precision::bf16;
  return setup;
}

std::vector<Setup> other_shardings(const Job& job, std::span<const sim::Scheme> schemes,
                                   const Setup& from) {
  std::vector<Setup> setups;
  for (const sim::Scheme& scheme : schemes) {
    for (const int stage : scheme.zero) {
      Setup setup{scheme, from.parallelism};
      setup.parallelism.sharding.stage = stage;
      add_forms(job, setup, setups);
    }
  }
  return setups;
}

void check_choice(const Job& job, std::span<const sim::Scheme> schemes) {
  Setup usual = start_of(job, schemes.front());
  if (!other_shardings(job, schemes, usual).empty()) return;
  usual.parallelism.sharding = {.stage = usual.scheme.usual_stage()};
  usual.parallelism.gathers_matrices = false;
  check(job, {&usual, 1});
  throw sim::InputError(
      fmt::format("--scheme: no stage of ZeRO runs {} here; name another", usual.scheme.name));
}

std::vector<Setup> other_splits(const Job& job, const Setup& from) {
  const std::int64_t sequences =
      std::int64_t{from.parallelism.micro_batch} * from.parallelism.accumulation;
  std::vector<Setup> setups;
  for (int count = 1; count <= sequences; ++count) {
    Setup setup = from;
    setup.parallelism.accumulation = count;
    if (!is_held(job.cluster, job.model, setup.parallelism)) break;
    if (sequences % count != 0) continue;
    setup.parallelism.micro_batch = static_cast<int>(sequences / count);
    if (is_possible(job, setup)) setups.push_back(std::move(setup));
  }
  return setups;
}

std::vector<Setup> other_overlaps(const Job& job, const Setup& from) {
  Setup as_given = from;
  as_given.parallelism.overlap = job.parallelism.overlap;
  Setup all = from;
  all.parallelism.overlap = kAll;
  return {all, as_given};
}

std::vector<Setup> other_precisions(const Job&, const Setup& from) {
  std::vector<Setup> setups(2, from);
  setups[0].parallelism.gradients = sim::Precision::bf16;
  setups[1].parallelism.gradients = sim::Precision::fp32;
  return setups;
}

std::vector<Setup> other_buckets(const Job& job, const Setup& from) {
  const sim::Overlap& overlap = from.parallelism.overlap;
  const bool has_buckets = overlap.gradients || overlap.weights;
  if (!has_buckets || from.parallelism.sharding.stage == 3) return {from};
  std::vector<Setup> setups;
  for (const int times : {1, 4, 16}) {
    setups.push_back(from);
    setups.back().parallelism.bucket = sim::Bytes{job.parallelism.bucket.count * times};
  }
  return setups;
}

std::string flags_of(const Job& job, const Setup& setup) {
  const sim::Parallelism& p = setup.parallelism;
  std::string flags = changed_flags(job.setup_of(setup.scheme).parallelism, p);
  const bool fsdp = p.sharding.stage == 3;
  if (flags.find("--zero ") == std::string::npos || fsdp == (job.zero == 3)) return flags;
  // --zero 3 stands for another framework's software, which the search does not change.
  const auto usual_attention = fsdp ? sim::Attention::fused : sim::Attention::unfused;
  const auto usual_kernels = fsdp ? sim::Kernels::eager : sim::Kernels::megatron;
  if (p.attention != usual_attention) {
    flags += fmt::format(" --attention {}", name_of(p.attention, sim::kAttentions));
  }
  if (p.kernels != usual_kernels) {
    flags += fmt::format(" --kernels {}", name_of(p.kernels, sim::kKernels));
  }
  if (flags.find("--overlap ") == std::string::npos) flags += " --overlap " + to_text(p.overlap);
  return flags;
}

}  // namespace apps
