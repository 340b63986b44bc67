// SPDX-License-Identifier: Apache-2.0
// The first site that is heard sums what the others send, and sends them the result.
#include "sim/sites/exchange_kernels.hpp"
#include "sim/sites/meeting.hpp"

namespace sim {
namespace {

void add_sum_by_one(const SiteExchange& exchange, std::size_t elements, int sites,
                    ExchangeKernels& kernels) {
  kernels.sum = {use_of(exchange, codecs::Operation::decode_reduce_encode, elements, sites)};
  kernels.decode = {use_of(exchange, codecs::Operation::decode, elements)};
}

void run_leader(Meeting& meeting) {
  const int leader = meeting.heard().front();
  const int peers = meeting.sites(meeting.present()) - 1;
  Meeting::Ids heard_of{meeting.encoded(leader)};
  meeting.arrive(leader, meeting.encoded(leader));
  for (const int source : meeting.present()) {
    if (source == leader) continue;
    const OperationId sent = meeting.send(source, leader, meeting.whole_bytes(source), 1,
                                          meeting.ready(source, meeting.encoded(source)));
    meeting.arrive(source, sent);
    if (meeting.is_heard(source)) heard_of.push_back(sent);
  }
  meeting.add_cutoff(heard_of);
  const OperationId merged = meeting.sum(leader, meeting.all_of(heard_of));
  for (const int place : meeting.present()) {
    const OperationId back =
        place == leader ? merged
                        : meeting.send(leader, place, meeting.whole_bytes(place), peers, {merged});
    meeting.finish(place, meeting.member(place, "merged weights", meeting.encoded(place), {back}));
  }
}

}  // namespace

constinit const Exchange exchanges::leader{.name = "leader",
                                           .has_leader = true,
                                           .alike_sites = true,
                                           .add_kernels = add_sum_by_one,
                                           .run = run_leader};

}  // namespace sim
