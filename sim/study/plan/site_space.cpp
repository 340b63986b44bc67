// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/site_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/rounds/round_report.hpp"
#include "sim/study/setup_options.hpp"

namespace sim::study {
namespace {

constexpr std::size_t kMostOffers = 256;  // some seconds to lay out

std::vector<int> counts_of(const PlanQuestion& question, const Site& site) {
  if (question.fixed_counts.contains(site.name)) return {site.count};
  std::vector<int> counts{0};
  for (int count = 1; count < site.count; count *= 2) counts.push_back(count);
  counts.push_back(site.count);
  return counts;
}

// The first table's counts vary slowest.
std::vector<std::vector<int>> all_counts(const PlanQuestion& question, const WideArea& area) {
  std::vector<std::vector<int>> all{{}};
  for (const Site& site : area.sites) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& counts : all) {
      for (const int count : counts_of(question, site)) {
        longer.push_back(counts);
        longer.back().push_back(count);
      }
    }
    all = std::move(longer);
    if (all.size() > kMostOffers) {
      throw InputError(
          fmt::format("`topology`: the sites of {} can take part in more than {} ways; fix the "
                      "number of some, e.g. `set` sites.{}.count={}",
                      area.name, kMostOffers, site.name, site.count));
    }
  }
  std::erase_if(all, [](const std::vector<int>& counts) {
    return std::ranges::all_of(counts, [](int count) { return count == 0; });
  });
  return all;
}

// The job of the table's cluster alone.
Job job_of_table(Job job, std::size_t table) {
  job.topology.sites = {job.topology.sites[table]};
  job.calibrations = {job.calibrations[table]};
  job.inner.reset();
  return job;
}

class SiteSpaceBuilder {
 public:
  explicit SiteSpaceBuilder(const PlanQuestion& question) : question_(question) {
    space_.given = question.job;
    check(space_.given, space_.given.setups);
    for (const Setup& setup : space_.given.setups) space_.schemes.push_back(setup.scheme);
    space_.inner = question.inner;
    for (std::size_t table = 0; table < space_.given.topology.sites.size(); ++table) {
      space_.tables.push_back(job_of_table(space_.given, table));
    }
    grounds_ = space_.tables;
    if (question.job.given.contains("overlap")) return;
    for (Job& ground : grounds_) {
      ground.parallelism.overlap = start_of(ground, space_.inner.front()).parallelism.overlap;
    }
  }

  SiteSpace build() && {
    for (std::vector<int>& counts : all_counts(question_, space_.given.topology)) {
      add_offer(std::move(counts));
    }
    return std::move(space_);
  }

 private:
  void add_offer(std::vector<int> counts) {
    Job job = with_counts(space_.given, counts);
    SiteOffer offer{.counts = std::move(counts),
                    .area = std::move(job.topology),
                    .tables = {},
                    .calibrations = std::move(job.calibrations)};
    std::vector<Ground> grounds;
    for (std::size_t table = 0; table < offer.counts.size(); ++table) {
      if (offer.counts[table] == 0) continue;
      offer.tables.push_back(table);
      grounds.push_back({&grounds_[table], offer.counts[table]});
    }
    space_.offers.push_back(std::move(offer));
    const Frames frames = frames_of(question_.batch_tokens, grounds, space_.inner);
    space_.not_held += frames.not_held;
    for (const Parallelism& frame : frames.all) {
      for (const Layout& layout : layouts_of(grounds, space_.inner, frame)) {
        space_.layouts.push_back({space_.offers.size() - 1, layout});
        add_schemes(space_.layouts.size() - 1);
      }
    }
  }

  // By table of sites.
  std::vector<SiteMemory> memory_of(std::size_t layout) const {
    const RoundContext context = space_.context(space_.layouts[layout]);
    std::vector<SiteMemory> memory;
    for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
      memory.emplace_back(context, table);
    }
    return memory;
  }

  // Of the layout, or of the same with the optimizer that a scheme is defined with.
  void add_schemes(std::size_t layout) {
    const SiteLayout as_given = space_.layouts[layout];
    std::map<Optimizer, std::pair<std::size_t, std::vector<SiteMemory>>> layouts;
    layouts.emplace(as_given.layout.parallelism.optimizer, std::pair{layout, memory_of(layout)});
    const bool alone = place_count(space_.offers[as_given.offer].area) == 1;
    for (std::size_t scheme = 0; scheme < space_.schemes.size(); ++scheme) {
      if (alone && scheme > 0) break;
      const Optimizer optimizer =
          space_.given.setup_of(space_.schemes[scheme]).parallelism.optimizer;
      if (!layouts.contains(optimizer)) {
        space_.layouts.push_back(as_given);
        space_.layouts.back().layout.parallelism.optimizer = optimizer;
        const std::size_t other = space_.layouts.size() - 1;
        layouts.emplace(optimizer, std::pair{other, memory_of(other)});
      }
      const auto& [own, memory] = layouts.at(optimizer);
      const RoundContext context = space_.context(space_.layouts[own]);
      if (!problem(context, space_.schemes[scheme]).empty()) continue;
      add({own, scheme}, context, memory);
    }
  }

  void add(const SiteCandidate& candidate, const RoundContext& context,
           const std::vector<SiteMemory>& memory) {
    double share = 0;  // of the memory of the fullest GPU
    for (std::size_t table = 0; table < memory.size(); ++table) {
      const double needed = memory[table].with(space_.schemes[candidate.scheme]).total();
      const double capacity =
          static_cast<double>(context.area.sites[table].cluster.gpu.memory.count) *
          (1 - question_.memory_headroom);
      share = std::max(share, needed / capacity);
    }
    if (!space_.closest || share < space_.closest_share) {
      space_.closest = candidate;
      space_.closest_share = share;
    }
    if (share > 1) {
      ++space_.too_large;
    } else {
      space_.candidates.push_back(candidate);
    }
  }

  const PlanQuestion& question_;
  std::vector<Job> grounds_;  // the tables', with what overlaps
  SiteSpace space_;
};

}  // namespace

SiteSpace site_space_of(const PlanQuestion& question) { return SiteSpaceBuilder(question).build(); }

Job job_of(const SiteSpace& space, const SiteCandidate& candidate) {
  const SiteLayout& at = space.layouts[candidate.layout];
  Job job = with_counts(space.given, space.offers[at.offer].counts);
  job.inner = space.inner[at.layout.scheme];
  return job;
}

Setup setup_of(const SiteSpace& space, const SiteCandidate& candidate) {
  return {space.schemes[candidate.scheme], space.layouts[candidate.layout].layout.parallelism};
}

double step_tokens(const SiteSpace& space, const SiteLayout& at) {
  return static_cast<double>(global_batch(space.context(at))) * space.given.model.sequence;
}

double round_tokens(const SiteSpace& space, const SiteCandidate& candidate) {
  const RoundContext context = space.context(space.layouts[candidate.layout]);
  const SiteExchange& exchange = *space.schemes[candidate.scheme].between_sites;
  double sequences = 0;
  for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
    sequences += context.area.sites[table].count * round_sequences(context, table, exchange);
  }
  return sequences * space.given.model.sequence;
}

}  // namespace sim::study
