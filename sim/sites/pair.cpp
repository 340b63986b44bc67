// SPDX-License-Identifier: Apache-2.0
// Sites in pairs, others in each round (sim/sites/pairings.hpp). Rounds are played in step: each begins
// once all pairs of the one before have met.
#include "sim/sites/exchange_kernels.hpp"
#include "sim/sites/meeting.hpp"
#include "sim/sites/pairings.hpp"

namespace sim {
namespace {

void add_sum_of_two(const SiteExchange& exchange, std::size_t elements, int,
                    ExchangeKernels& kernels) {
  kernels.decode = {use_of(exchange, codecs::Operation::decode_reduce, elements, 2)};
}

void run_pair(Meeting& meeting) {
  for (const int place : meeting.present()) meeting.finish(place, meeting.encoded(place));
  Meeting::Ids met;
  const auto send = [&](int from, int to) {
    const OperationId sent = meeting.send(from, to, meeting.whole_bytes(from), 1,
                                          meeting.ready(from, meeting.encoded(from)));
    meeting.arrive(from, sent);
    return sent;
  };
  for (const auto& [a, b] : pairing(meeting.by_kind(), meeting.round())) {
    if (b < 0) {
      meeting.arrive(a, meeting.encoded(a));
      continue;
    }
    const OperationId to_b = send(a, b);
    const OperationId to_a = send(b, a);
    met.push_back(meeting.member(a, "gossip", meeting.encoded(a), {to_a}));
    met.push_back(meeting.member(b, "gossip", meeting.encoded(b), {to_b}));
  }
  meeting.add_cutoff(met);
  const OperationId all_met = meeting.all_of(met);
  for (const int place : meeting.heard()) meeting.finish(place, all_met);
}

}  // namespace

constinit const Exchange exchanges::pair{.name = "pair",
                                         .joins_two = true,
                                         .outlasts_leavers = true,
                                         .add_kernels = add_sum_of_two,
                                         .run = run_pair};

}  // namespace sim
