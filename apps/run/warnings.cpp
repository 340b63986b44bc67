// SPDX-License-Identifier: Apache-2.0
#include "apps/run/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "apps/job/scheme_files.hpp"
#include "apps/print.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/program/kernels_of.hpp"
#include "sim/rounds/round_remedies.hpp"
#include "sim/study/setup_options.hpp"
#include "sim/study/simulation.hpp"
#include "sim/workload/memory_remedies.hpp"

namespace apps {
namespace {

std::vector<std::string> gpus_of(const Job& job) {
  std::vector<std::string> names;
  for (const sim::Site& site : job.topology.sites) names.push_back(site.cluster.gpu.name);
  return names;
}

std::vector<std::string> doubt_lines(const std::string& scheme,
                                     const sim::DoubtfulKernels& doubtful) {
  std::vector<std::string> lines;
  for (const sim::SubstitutedKernel& kernel : doubtful.substituted) {
    lines.push_back(fmt::format("{}: {} has no time for {} stand in; time it too", scheme,
                                kernel.codec, kernel.what));
  }
  for (const sim::LaunchBoundCard& card : doubtful.launch_bound) {
    lines.push_back(fmt::format(
        "{}: launches are {:.0f} % of the time of the kernels of {}, which were not timed for as "
        "few as {:.3g} elements; time small sizes, or send more at a time",
        scheme, 100 * card.share, card.codec, card.fewest));
  }
  for (const sim::ExtrapolatedKernel& kernel : doubtful.extrapolated) {
    lines.push_back(fmt::format(
        "{}: {} of {} takes {:.3g} elements, {}; measure this size too", scheme, kernel.step,
        kernel.codec, kernel.elements,
        kernel.smallest == kernel.largest
            ? fmt::format("but was timed for {:.3g} only", kernel.largest)
            : fmt::format("but was timed for {:.3g} to {:.3g}", kernel.smallest, kernel.largest)));
  }
  return lines;
}

// Of the steps inside the sites, each line once: all schemes between the sites have them in common,
// and many sites may.
void warn_inside(const Job& job) {
  std::set<std::string> said;
  const sim::RoundContext round = job.round(job.setups.front());
  for (std::size_t table = 0; table < job.topology.sites.size(); ++table) {
    const sim::Scheme& inner = round.inner_at(table);
    for (std::string& line : doubt_lines(inner.name, doubtful_kernels(round.step(table), inner))) {
      if (said.insert(line).second) print_note("warning: {}\n", line);
    }
  }
}

std::vector<std::string> remedies_of(const Job& job, const Setup& setup, std::size_t table) {
  if (job.inner) return sim::what_would_fit(job.round(setup), table, setup.scheme, job.open);
  const auto next = [&](const sim::Parallelism& p) {
    auto all = sim::layout_remedies(job.cluster(), job.model, p, &job.open);
    std::erase_if(all, [&](const auto& one) {
      return !problems(job.context({setup.scheme, one.changed}), setup.scheme).empty();
    });
    return all;
  };
  const auto needs = [&](const sim::Parallelism& p) {
    return memory_needed(job, {setup.scheme, p});
  };
  return sim::remedies_that_fit(setup.parallelism,
                                static_cast<double>(job.cluster().gpu.memory.count), next, needs);
}

}  // namespace

void warn_of_memory(const RunOptions& options, const Job& job, const Setup& setup) {
  for (std::size_t table = 0; table < job.topology.sites.size(); ++table) {
    const sim::Site& site = job.topology.sites[table];
    const sim::MemoryUse memory = memory_of(job, setup, table);
    const auto capacity = static_cast<double>(site.cluster.gpu.memory.count);
    if (memory.total() <= capacity) continue;
    const auto remedies = remedies_of(job, setup, table);
    const std::string line = fmt::format(
        "{}{}: needs {:.1f} GB, but the {} has {:.1f} GB; {}{}", setup.scheme.name,
        job.inner ? " at " + site.name : "", memory.total() / 1e9, site.cluster.gpu.name,
        capacity / 1e9,
        remedies.empty() ? "no flag alone makes it fit; use more GPUs or --pp"
                         : fmt::format("it fits with {}", sim::joined(remedies, "; or ")),
        options.tune || job.inner ? ""
                                  : "; --tune finds the fastest setup that fits, if there is one");
    if (options.require_fit) throw sim::InputError("--require-fit: " + line);
    print_note("warning: {}\n", with_flags(line));
  }
}

void warn_of_layout(const Job& job) {
  for (const sim::Site& site : job.topology.sites) {
    warn_of_tensor_nodes(site.cluster, job.parallelism_at(site));
  }
  if (!job.inner) return;
  warn_of_unknown_gpus(*job.inner, gpus_of(job));
  warn_inside(job);
}

void warn_of_folds(const sim::Report& report) {
  if (const auto found = report.sources.find("collectives"); found != report.sources.end()) {
    print_note("warning: {}: collectives are {}\n", report.scheme, found->second);
  }
}

void warn_of_overlap(const Job& job, const Setup& setup, const sim::Report& report) {
  constexpr double kLonger = 1.01;
  const sim::Parallelism& p = setup.parallelism;
  if (!job.inner || !setup.scheme.between_sites->gradients || !p.overlap.gradients) return;
  Setup other = setup;
  other.parallelism.overlap.gradients = false;
  const double apart_s = simulate(job, other).report.time_s;
  if (!(report.time_s > kLonger * apart_s)) return;
  const double payload = stage_parameters(job.model, p, 0).total() * bytes_of(p.gradients);
  std::string remedy = "no larger --bucket-size is";
  other = setup;
  while (static_cast<double>(other.parallelism.bucket.count) < payload) {
    other.parallelism.bucket.count *= 2;
    if (simulate(job, other).report.time_s > kLonger * apart_s) continue;
    remedy = fmt::format("--bucket-size {} is not", sim::to_text(other.parallelism.bucket));
    break;
  }
  print_note(
      "warning: {}: --overlap is {:.0f} % slower than none here, as every bucket pays the latency "
      "between sites; {}\n",
      report.scheme, 100 * (report.time_s / apart_s - 1), remedy);
}

void warn_of_balance(const Job& job, const sim::Report& report) {
  if (job.balance == sim::Balance::none || !report.round) return;
  const bool steps = job.balance == sim::Balance::steps;
  const auto share = [&](const sim::SiteReport& site) {
    return steps ? site.inner_steps : site.parallelism.accumulation;
  };
  const auto& sites = report.round->by_site;
  const auto ends = std::ranges::minmax(sites, {}, &sim::SiteReport::inner_step_s);
  const bool alike = ends.max.inner_step_s < 1.01 * ends.min.inner_step_s;
  const bool divided =
      std::ranges::any_of(sites, [&](const auto& one) { return share(one) != share(ends.min); });
  if (alike || divided) return;
  print_note(
      "note: {}: --balance {} leaves {} {} to every site, which cannot be divided finer; {}\n",
      report.scheme, steps ? "steps" : "batch", share(ends.min),
      steps                  ? "inner steps"
      : share(ends.min) == 1 ? "micro-batch a step"
                             : "micro-batches a step",
      steps ? "more inner steps can, or --balance batch" : "a larger --accumulation can");
}

void warn_of_kernels(const Job& job, const Setup& setup) {
  warn_of_unknown_gpus(setup.scheme, gpus_of(job));
  const sim::DoubtfulKernels doubtful = job.inner
                                            ? doubtful_kernels(job.round(setup), setup.scheme)
                                            : doubtful_kernels(job.context(setup), setup.scheme);
  for (const std::string& line : doubt_lines(setup.scheme.name, doubtful)) {
    print_note("warning: {}\n", line);
  }
}

}  // namespace apps
