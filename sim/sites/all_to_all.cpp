// SPDX-License-Identifier: Apache-2.0
// Each site sums a part of the values of all, and sends it to all. A site that is skipped sums nothing;
// what it sends is not summed, and it receives all the same.
#include <algorithm>

#include "sim/sites/exchange_kernels.hpp"
#include "sim/sites/meeting.hpp"

namespace sim {
namespace {

void add_sum_of_own_part(const SiteExchange& exchange, std::size_t elements, int sites,
                         ExchangeKernels& kernels) {
  add_sum_of_part(exchange, elements, sites, sites, kernels);
}

void run_all_to_all(Meeting& meeting) {
  const auto places = static_cast<std::size_t>(place_count(meeting.area()));
  const int peers = std::max(1, meeting.sites(meeting.heard()) - 1);
  std::vector<Meeting::Ids> incoming(places);
  for (const int source : meeting.present()) {
    const Meeting::Ids after = meeting.ready(source, meeting.encoded(source));
    for (const int owner : meeting.heard()) {
      if (meeting.others(source, owner) == 0) continue;
      const OperationId sent =
          meeting.send(source, owner, meeting.part_bytes(source), peers, after);
      if (meeting.is_heard(source)) incoming[static_cast<std::size_t>(owner)].push_back(sent);
      meeting.arrive(source, sent);
    }
  }
  Meeting::Ids summed(places, kNoOperation);
  for (const int owner : meeting.heard()) {
    const auto i = static_cast<std::size_t>(owner);
    meeting.add_cutoff(incoming[i]);
    summed[i] = meeting.sum(
        owner, meeting.member(owner, "all_to_all", meeting.encoded(owner), incoming[i]));
  }
  std::vector<Meeting::Ids> gathered(places);
  for (const int owner : meeting.heard()) {
    const Meeting::Ids after = meeting.ready(owner, summed[static_cast<std::size_t>(owner)]);
    for (const int receiver : meeting.present()) {
      if (meeting.others(owner, receiver) == 0) continue;
      gathered[static_cast<std::size_t>(receiver)].push_back(
          meeting.send(owner, receiver, meeting.part_bytes(owner), peers, after));
    }
  }
  for (const int place : meeting.present()) {
    const auto i = static_cast<std::size_t>(place);
    meeting.finish(place, meeting.member(place, "all_gather", summed[i], gathered[i]));
  }
}

}  // namespace

constinit const Exchange exchanges::all_to_all{
    .name = "all_to_all",
    .joins_all = true,
    .works_in_regions = true,
    .alike_sites = true,
    .add_kernels = add_sum_of_own_part,
    .run = run_all_to_all,
    .copies_sent = [](double sites) { return 2 * (sites - 1) / sites; },
    .copies_to_one = [](double sites) { return 2 / sites; }};

}  // namespace sim
