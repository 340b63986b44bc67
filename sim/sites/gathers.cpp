// SPDX-License-Identifier: Apache-2.0
// Every site gets the values of all others and sums them: from each, or through object storage.
#include <utility>

#include "sim/sites/exchange_kernels.hpp"
#include "sim/sites/meeting.hpp"

namespace sim {
namespace {

void run_all_gather(Meeting& meeting) {
  const int peers = meeting.sites(meeting.present()) - 1;
  std::vector<Meeting::Ids> incoming(static_cast<std::size_t>(place_count(meeting.area())));
  for (const int source : meeting.present()) {
    const Meeting::Ids after = meeting.ready(source, meeting.encoded(source));
    for (const int receiver : meeting.present()) {
      if (meeting.others(source, receiver) == 0) continue;
      const OperationId sent =
          meeting.send(source, receiver, meeting.whole_bytes(source), peers, after);
      meeting.arrive(source, sent);
      if (meeting.is_heard(source)) incoming[static_cast<std::size_t>(receiver)].push_back(sent);
    }
  }
  meeting.finish_all(std::move(incoming), "all_gather");
}

void run_store(Meeting& meeting) {
  const int store = store_place(meeting.area());
  std::vector<Meeting::Ids> incoming(static_cast<std::size_t>(place_count(meeting.area())));
  for (const int source : meeting.present()) {
    const double bytes = meeting.whole_bytes(source);
    const OperationId stored =
        meeting.send(source, store, bytes, 1, meeting.ready(source, meeting.encoded(source)));
    meeting.arrive(source, stored);
    if (!meeting.is_heard(source)) continue;
    for (const int receiver : meeting.present()) {
      if (meeting.others(receiver, source) == 0) continue;
      incoming[static_cast<std::size_t>(receiver)].push_back(
          meeting.download(source, receiver, bytes, meeting.ready(receiver, stored)));
    }
  }
  meeting.finish_all(std::move(incoming), "download");
}

}  // namespace

constinit const Exchange exchanges::all_gather{
    .name = "all_gather",
    .joins_all = true,
    .works_in_regions = true,
    .alike_sites = true,
    .add_kernels = add_sum_of_all,
    .run = run_all_gather,
    .copies_sent = [](double sites) { return sites - 1; }};
constinit const Exchange exchanges::store{.name = "store",
                                          .is_stored = true,
                                          .joins_all = true,
                                          .works_in_regions = true,
                                          .outlasts_leavers = true,
                                          .alike_sites = true,
                                          .add_kernels = add_sum_of_all,
                                          .run = run_store};

}  // namespace sim
