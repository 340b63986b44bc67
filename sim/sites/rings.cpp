// SPDX-License-Identifier: Apache-2.0
// Rings over the sites, and over all their GPUs.
#include <algorithm>
#include <utility>

#include "sim/sites/exchange_kernels.hpp"
#include "sim/sites/meeting.hpp"

namespace sim {
namespace {

void add_decode(const SiteExchange& exchange, std::size_t elements, int, ExchangeKernels& kernels) {
  if (encodes(exchange)) kernels.decode = {use_of(exchange, codecs::Operation::decode, elements)};
}

// 2 (n-1) steps of `ranks`, each passing on 1/n of the buffer: all hops progress together, at the
// slowest one's pace. A ring without a member begins anew without it.
void run_around(Meeting& meeting, double ranks, double part_bytes, double inside_s) {
  const std::vector<int>& members = meeting.heard();
  Route route;
  double around_s = 0;  // latency of all hops
  Meeting::Ids after;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const int place = members[i];
    route.hops.push_back(wide_hop(place, members[(i + 1) % members.size()]));
    around_s += wide_latency(meeting.area(), route.hops.back()).base();
    const Meeting::Ids own = meeting.ready(place, meeting.encoded(place));
    after.insert(after.end(), own.begin(), own.end());
  }
  meeting.add_cutoff(after);
  const double steps = 2 * (ranks - 1);
  const OperationId flow =
      meeting.flow(std::move(route), "all_reduce", (around_s + inside_s) * steps / ranks,
                   part_bytes * steps, after);
  for (const int place : members) {
    meeting.arrive(place, meeting.encoded(place));
    meeting.finish(place, meeting.member(place, "all_reduce", meeting.encoded(place), {flow}));
  }
}

void run_ring(Meeting& meeting) {
  double part_bytes = 0;
  for (const int place : meeting.heard()) {
    part_bytes = std::max(part_bytes, meeting.part_bytes(place));
  }
  run_around(meeting, static_cast<double>(meeting.heard().size()), part_bytes, 0);
}

// Of all its hops only those between sites cross the wide area, and all carry as much.
void run_flat_ring(Meeting& meeting) {
  const double gpus = meeting.shape().gpus;
  const auto sites = static_cast<double>(meeting.heard().size());
  run_around(meeting, gpus, meeting.whole_bytes(meeting.heard().front()) / gpus,
             (gpus - sites) * meeting.shape().flat_hop_s);
}

double both_ways(double sites) { return 2 * (sites - 1) / sites; }

}  // namespace

constinit const Exchange exchanges::ring{.name = "ring",
                                         .sums_in_flight = true,
                                         .add_kernels = add_decode,
                                         .run = run_ring,
                                         .copies_sent = both_ways};
constinit const Exchange exchanges::flat_ring{
    .name = "flat_ring", .sums_in_flight = true, .add_kernels = add_decode, .run = run_flat_ring};

}  // namespace sim
