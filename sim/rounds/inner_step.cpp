// SPDX-License-Identifier: Apache-2.0
// Simulates a site's inner step: alone, and beside traffic to other sites.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/collectives/communicator.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/program/lay_out.hpp"
#include "sim/report/report.hpp"
#include "sim/rounds/site_work.hpp"

namespace sim {
namespace {

// Of the rank that takes longest for its layers, of one micro-batch.
double backward_seconds(const Schedule& schedule, const Timeline& timeline, int micro_batches) {
  std::vector<double> by_rank(static_cast<std::size_t>(schedule.ranks));
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    if (operation.rank < 0 || operation.phase != Phase::backward) continue;
    by_rank[static_cast<std::size_t>(operation.rank)] += timeline.end_s[id] - timeline.start_s[id];
  }
  return *std::ranges::max_element(by_rank) / micro_batches;
}

// Parts in which a site's gradients leave it: as many as its fullest stage has buckets, or units. With
// several in flight, more of them would change a round by less than a sixty-fourth of a backward pass.
std::size_t gradient_parts(const Model& model, const Parallelism& p) {
  constexpr std::size_t kMost = 64;
  std::size_t most = 1;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    const auto buckets =
        p.sharding.stage == 3 ? units_of(model, p, stage) : buckets_of(model, p, stage);
    most = std::max(most, buckets.size());
  }
  return std::min(most, kMost);
}

// Gradients that nothing reduces inside the site are ready layer by layer, while the backward pass of
// the last micro-batch goes on.
std::vector<double> ready_by_layer(std::size_t parts, double backward_s, double needed_s) {
  std::vector<double> ready;
  for (std::size_t part = 1; part <= parts; ++part) {
    const double left = 1 - static_cast<double>(part) / static_cast<double>(parts);
    ready.push_back(needed_s - backward_s * left);
  }
  return ready;
}

// Gradients that are reduced while the backward pass goes on are ready in parts.
std::vector<double> ready_as_reduced(const Schedule& schedule, const Timeline& timeline,
                                     std::size_t parts, int micro_batches, double needed_s) {
  std::vector<double> ends;
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    if (operation.kind != OperationKind::member || operation.phase != Phase::gradient_comm)
      continue;
    const std::size_t alike = schedule.alike[static_cast<std::size_t>(operation.rank)].size();
    ends.insert(ends.end(), alike, std::min(needed_s, timeline.end_s[id]));
  }
  if (ends.empty()) {
    return ready_by_layer(parts, backward_seconds(schedule, timeline, micro_batches), needed_s);
  }
  return ready_parts(std::move(ends), parts);
}

double update_begins(const Schedule& schedule, const Timeline& timeline) {
  double begins = 0;
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    if (operation.pass != Pass::gradient_norm) continue;
    begins = std::max(begins, timeline.start_s[id]);
  }
  require(begins > 0, "an update begins with the norm of its gradients");
  return begins;
}

double end_of_kernels(const Schedule& schedule, const Timeline& timeline) {
  double end = 0;
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    if (schedule.operations[id].rank >= 0) end = std::max(end, timeline.end_s[id]);
  }
  return end;
}

// Whether the gradients are reduced in parts, each sent as it is ready.
bool sends_parts(const RoundContext& context, const Scheme& scheme) {
  return scheme.between_sites->gradients && context.parallelism.overlap.gradients;
}

// Adds traffic over every NIC, in and out, for longer than the step takes. NCCL's takes SMs, TCP's
// is the host's.
void add_outer_traffic(const Cluster& cluster, const OuterTraffic& traffic, double step_s,
                       Schedule& schedule, Wiring& wiring) {
  const double rate = traffic.rate_Bps / (cluster.nodes * cluster.network.nics_per_node);
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(schedule.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  const double wire_bytes = traffic.rate_Bps / rank_count(cluster) / rate;
  schedule.occupancies.push_back(
      transfer_occupancy(cluster.gpu, traffic.channels, wire_bytes, std::move(ranks)));
  const std::size_t links = wiring.links.size();
  bool counted = false;
  for (std::size_t id = 0; id < links; ++id) {
    const Link nic = wiring.links[id];  // the vector grows
    if (nic.role == LinkRole::other) continue;
    wiring.links.push_back({.name = "outer_" + nic.name, .rate_Bps = rate});
    wiring.routes.push_back(
        {{static_cast<LinkId>(id)}, {static_cast<LinkId>(wiring.links.size() - 1)}});
    schedule.routes.emplace_back();
    // What all of it takes from the GPUs is counted once.
    const bool first = !counted && nic.role == LinkRole::nic_out;
    counted |= first;
    schedule.operations.push_back(
        {.kind = OperationKind::flow,
         .phase = Phase::outer_comm,
         .first_dependency = static_cast<std::uint32_t>(schedule.dependencies.size()),
         .route = static_cast<std::uint32_t>(schedule.routes.size() - 1),
         .occupancy = first ? static_cast<std::uint32_t>(schedule.occupancies.size() - 1) : 0,
         .bytes = std::ceil(4 * rate * step_s)});
  }
}

}  // namespace

std::vector<double> ready_parts(std::vector<double> pieces_s, std::size_t parts) {
  require(!pieces_s.empty(), "a payload has a piece or more");
  std::ranges::sort(pieces_s);
  std::vector<double> ready;
  for (std::size_t part = 1; part <= parts; ++part) {
    const std::size_t pieces = (pieces_s.size() * part + parts - 1) / parts;
    ready.push_back(pieces_s[pieces - 1]);
  }
  return ready;
}

OuterTraffic outer_traffic(const RoundContext& context, std::size_t table, const Scheme& scheme) {
  if (!sends_parts(context, scheme) && scheme.between_sites->overlap_steps == 0) return {};
  const Site& site = context.area.sites[table];
  const Transport& transport = context.area.transport;
  const auto access = std::max(site.uplink, site.downlink);
  return {.rate_Bps = std::min(access, all_nics_rate(site.cluster)).base(),
          .channels = transport.kind == Transport::Kind::rdma ? transport.rdma.channels : 0};
}

InnerStep inner_step(const RoundContext& context, std::size_t table, const Scheme& scheme) {
  const Site& site = context.area.sites[table];
  const StepContext inner = context.step(table);
  const Scheme& inside = context.inner_at(table);
  const OuterTraffic traffic = outer_traffic(context, table, scheme);
  // Of its operations only the end is asked for.
  const bool only_its_end = !scheme.between_sites->gradients && traffic.rate_Bps <= 0;
  PlannedStep planned = only_its_end ? plan_few_periods(inner, inside) : plan_step(inner, inside);
  const Timeline alone = simulate_step(inner, inside, planned);
  auto& [schedule, wiring] = planned;
  InnerStep step{.seconds = alone.makespan_s};
  step.needed_s = scheme.between_sites->gradients ? update_begins(schedule, alone) : step.seconds;
  step.ready_s = {step.needed_s};
  if (sends_parts(context, scheme)) {
    const Parallelism p = context.parallelism_at(table);
    step.ready_s = ready_as_reduced(schedule, alone, gradient_parts(context.model, p),
                                    p.accumulation, step.needed_s);
  }
  if (traffic.rate_Bps > 0) {
    add_outer_traffic(site.cluster, traffic, step.seconds, schedule, wiring);
    const double beside = end_of_kernels(schedule, simulate(schedule, wiring));
    step.slowdown = std::max(1.0, beside / step.seconds);
    step.slowdown_Bps = traffic.rate_Bps;
  }
  step.seconds /= site.speed;
  step.needed_s /= site.speed;
  for (double& ready : step.ready_s) ready /= site.speed;
  return step;
}

}  // namespace sim
