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
                                        const Scheme& scheme) {
  const Cluster& cluster = context.area.sites[table].cluster;
  const auto next = [&](const RoundSetup& from) {
    std::vector<Remedy<RoundSetup>> all;
    add_host_state(context, from, all);
    for (auto& layout : layout_remedies(cluster, context.model, from.parallelism)) {
      const StepContext step = with_layout(context, layout.changed).step(table);
      if (!problems(step, context.inner).empty()) continue;
      all.push_back({std::move(layout.fields), {layout.changed, from.scheme}});
    }
    return all;
  };
  const auto needs = [&](const RoundSetup& setup) {
    return site_memory(with_layout(context, setup.parallelism), table, setup.scheme).total();
  };
  return remedies_that_fit(RoundSetup{context.parallelism, scheme},
                           static_cast<double>(cluster.gpu.memory.count), next, needs);
}

}  // namespace sim
