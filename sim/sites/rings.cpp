// SPDX-License-Identifier: Apache-2.0
// Rings over the sites, and over all their GPUs.
#include <algorithm>
#include <map>
#include <utility>

#include "sim/sites/exchange_kernels.hpp"
#include "sim/sites/meeting.hpp"

namespace sim {
namespace {

// All sites around the ring, as one flow over every hop.
struct Around {
  Route route;
  double latency_s = 0;  // of all hops
};

Around around(Meeting& meeting) {
  const std::vector<int>& ring = meeting.ring();
  Around all;
  std::map<std::pair<int, int>, std::vector<Hop>> alike;  // by the places that stand for their ends
  for (std::size_t i = 0; i < ring.size(); ++i) {
    for (const Hop& hop : meeting.hops(wide_hop(ring[i], ring[(i + 1) % ring.size()]))) {
      all.latency_s += wide_latency(meeting.area(), hop).base();
      alike[{meeting.stands_for(hop.source), meeting.stands_for(hop.destination)}].push_back(hop);
    }
  }
  for (const auto& [ends, hops] : alike) {
    all.route.hops.push_back(*std::ranges::min_element(hops));
    all.route.hops.back().times = static_cast<int>(hops.size());
  }
  return all;
}

// When each of the heard is ready to send what was encoded, and for how long others wait.
Meeting::Ids ready_to_begin(Meeting& meeting) {
  Meeting::Ids after;
  for (const int place : meeting.heard()) {
    const Meeting::Ids own = meeting.ready(place, meeting.encoded(place));
    after.insert(after.end(), own.begin(), own.end());
  }
  meeting.add_cutoff(after);
  return after;
}

// 2 (n-1) steps of `ranks`, each passing on 1/n of the buffer: all hops progress together, at the
// slowest one's pace. A ring without a member begins anew without it.
void run_around(Meeting& meeting, double ranks, double part_bytes, double inside_s) {
  Around all = around(meeting);
  const double steps = 2 * (ranks - 1);
  const OperationId flow =
      meeting.flow(std::move(all.route), "all_reduce", (all.latency_s + inside_s) * steps / ranks,
                   part_bytes * steps, ready_to_begin(meeting));
  for (const int place : meeting.heard()) {
    meeting.finish(place, meeting.member(place, "all_reduce", meeting.encoded(place), {flow}));
  }
}

double largest_part(const Meeting& meeting) {
  double bytes = 0;
  for (const int place : meeting.heard()) bytes = std::max(bytes, meeting.part_bytes(place));
  return bytes;
}

void run_ring(Meeting& meeting) {
  run_around(meeting, meeting.sites(meeting.heard()), largest_part(meeting), 0);
}

// n-1 steps, after each of which a part is added to and encoded anew; then n-1 steps of the finished
// parts. All sites do the same at once, so the steps of a half pass as one flow, and what follows
// each of them as one kernel behind it.
void run_quantized_ring(Meeting& meeting) {
  const double sites = meeting.sites(meeting.heard());
  const double steps = sites - 1;
  const Around all = around(meeting);
  const auto pass = [&](const char* label, const Meeting::Ids& after) {
    return meeting.flow(all.route, label, all.latency_s * steps / sites,
                        largest_part(meeting) * steps, after);
  };
  const OperationId reduced = pass("reduce_scatter", ready_to_begin(meeting));
  Meeting::Ids summed;
  for (const int place : meeting.heard()) {
    summed.push_back(meeting.sum(
        place, meeting.member(place, "reduce_scatter", meeting.encoded(place), {reduced}),
        steps * meeting.part_growth()));
  }
  const OperationId gathered = pass("all_gather", summed);
  for (std::size_t i = 0; i < summed.size(); ++i) {
    const int place = meeting.heard()[i];
    meeting.finish(place, meeting.member(place, "all_gather", summed[i], {gathered}));
  }
}

// Of all its hops only those between sites cross the wide area, and all carry as much.
void run_flat_ring(Meeting& meeting) {
  const double gpus = meeting.shape().gpus;
  const double sites = meeting.sites(meeting.heard());
  run_around(meeting, gpus, meeting.whole_bytes(meeting.heard().front()) / gpus,
             (gpus - sites) * meeting.shape().flat_hop_s);
}

// Of one step of the ring: what arrives, and the site's own.
void add_sum_of_step(const SiteExchange& exchange, std::size_t elements, int sites,
                     ExchangeKernels& kernels) {
  add_sum_of_part(exchange, elements, sites, 2, kernels);
}

double both_ways(double sites) { return 2 * (sites - 1) / sites; }

}  // namespace

constinit const Exchange exchanges::ring{.name = "ring",
                                         .sums_in_flight = true,
                                         .is_ring = true,
                                         .works_in_regions = true,
                                         .alike_sites = true,
                                         .add_kernels = add_decode,
                                         .run = run_ring,
                                         .copies_sent = both_ways};
constinit const Exchange exchanges::quantized_ring{.name = "quantized_ring",
                                                   .is_ring = true,
                                                   .encodes_sums = true,
                                                   .works_in_regions = true,
                                                   .alike_sites = true,
                                                   .add_kernels = add_sum_of_step,
                                                   .run = run_quantized_ring,
                                                   .copies_sent = both_ways};
constinit const Exchange exchanges::flat_ring{.name = "flat_ring",
                                              .sums_in_flight = true,
                                              .is_ring = true,
                                              .joins_ranks = true,
                                              .alike_sites = true,
                                              .add_kernels = add_decode,
                                              .run = run_flat_ring};

}  // namespace sim
