// SPDX-License-Identifier: Apache-2.0
// Sites in pairs, others in each round (sim/sites/pairings.hpp). Rounds are played in step: each begins
// once all pairs of the one before have met, at a site that is late once its own has, too.
#include <cstddef>

#include "sim/sites/exchange_kernels.hpp"
#include "sim/sites/meeting.hpp"
#include "sim/sites/pairings.hpp"

namespace sim {
namespace {

void add_sum_of_two(const SiteExchange& exchange, std::size_t elements, int,
                    ExchangeKernels& kernels) {
  kernels.decode = {use_of(exchange, codecs::Operation::decode_reduce, elements, 2)};
}

// Of two partners, each goes on alone when the cutoff comes before the other one's values do.
void run_pair(Meeting& meeting) {
  const OperationId cutoff = meeting.cutoff();
  const auto send = [&](int from, int to) {
    const OperationId sent = meeting.send(from, to, meeting.whole_bytes(from), 1,
                                          meeting.ready(from, meeting.encoded(from)));
    meeting.arrive(from, sent);
    if (cutoff != kNoOperation) meeting.give_up(sent, cutoff);
    return sent;
  };
  Meeting::Ids met(static_cast<std::size_t>(place_count(meeting.area())), kNoOperation);
  const auto meet = [&](int place, OperationId received) {
    if (!meeting.is_present(place)) return;
    met[static_cast<std::size_t>(place)] =
        meeting.member(place, "gossip", meeting.encoded(place), {received});
  };
  for (const auto& [a, b] : pairing(meeting.by_kind(), meeting.round())) {
    if (b < 0) {
      meet(a, meeting.encoded(a));
      continue;
    }
    const bool both = meeting.is_present(a) && meeting.is_present(b);
    const OperationId to_b = both ? send(a, b) : cutoff;
    const OperationId to_a = both ? send(b, a) : cutoff;
    meet(a, to_a);
    meet(b, to_b);
  }
  Meeting::Ids in_time;
  for (const int place : meeting.heard()) in_time.push_back(met[static_cast<std::size_t>(place)]);
  const OperationId all_met = meeting.all_of(in_time);
  for (const int place : meeting.present()) {
    const OperationId own = met[static_cast<std::size_t>(place)];
    meeting.finish(place, meeting.is_heard(place) ? all_met : meeting.all_of({all_met, own}));
  }
}

}  // namespace

constinit const Exchange exchanges::pair{.name = "pair",
                                         .joins_two = true,
                                         .outlasts_leavers = true,
                                         .add_kernels = add_sum_of_two,
                                         .run = run_pair};

}  // namespace sim
