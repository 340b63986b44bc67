// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/round_remedies.hpp"

#include "sim/workload/memory_remedies.hpp"

namespace sim {
namespace {

// What a remedy of rounds changes.
struct RoundSetup {
  Parallelism parallelism;
  Scheme scheme;
};

RoundContext with_layout(RoundContext context, const Parallelism& parallelism) {
  context.parallelism = parallelism;
  return context;
}

// A field that the site has a key of its own for is set there: "`set` sites.lab.tp=2".
std::string set_at(const Site& site, const std::string& field) {
  std::string set = by_own_keys(site, field);
  if (set == field) return field;
  set.replace(set.find(' '), 1, "=");
  return "`set` " + set;
}

// The state on hosts, which costs a copy a round.
void add_host_state(const RoundContext& context, const RoundSetup& from,
                    std::vector<Remedy<RoundSetup>>& all) {
  const Setting on_hosts{.key = "scheme.outer_state", .value = "host"};
  if (from.scheme.between_sites->outer_state == OuterState::host) return;
  if (!takes(from.scheme, on_hosts)) return;
  RoundSetup changed{from.parallelism, with_settings(from.scheme, {&on_hosts, 1})};
  if (!problem(with_layout(context, from.parallelism), changed.scheme).empty()) return;
  all.push_back({"`set` scheme.outer_state=host", std::move(changed)});
}

}  // namespace

std::vector<std::string> what_would_fit(const RoundContext& context, std::size_t table,
                                        const Scheme& scheme, const OpenSoftware& open) {
  const Site& site = context.area.sites[table];
  const Cluster& cluster = site.cluster;
  // As the site trains, but with nothing of its own, so that everything can be changed.
  WideArea area = context.area;
  area.sites[table].setup = {};
  const Inside inside = context.inside(table);
  const RoundContext of_site{area,          context.model, context.calibrations, inside.parallelism,
                             inside.scheme, context.whole};
  const auto next = [&](const RoundSetup& from) {
    std::vector<Remedy<RoundSetup>> all;
    add_host_state(of_site, from, all);
    for (auto& layout : layout_remedies(cluster, context.model, from.parallelism,
                                        site.setup.zero ? nullptr : &open)) {
      const StepContext step = with_layout(of_site, layout.changed).step(table);
      if (!problems(step, inside.scheme).empty()) continue;
      all.push_back({set_at(site, layout.fields), {layout.changed, from.scheme}});
    }
    return all;
  };
  const auto needs = [&](const RoundSetup& setup) {
    return site_memory(with_layout(of_site, setup.parallelism), table, setup.scheme).total();
  };
  return remedies_that_fit(RoundSetup{inside.parallelism, scheme},
                           static_cast<double>(cluster.gpu.memory.count), next, needs);
}

}  // namespace sim
