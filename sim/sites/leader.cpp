// SPDX-License-Identifier: Apache-2.0
#include "sim/sites/leader.hpp"

#include "sim/base/error.hpp"
#include "sim/sites/exchange_kernels.hpp"
#include "sim/sites/meeting.hpp"
#include "sim/topology/wide_topology.hpp"

namespace sim {
namespace {

void add_sum_by_one(const SiteExchange& exchange, std::size_t elements, int sites,
                    ExchangeKernels& kernels) {
  kernels.sum = {use_of(exchange, codecs::Operation::decode_reduce_encode, elements, sites)};
  kernels.decode = {use_of(exchange, codecs::Operation::decode, elements)};
}

// What the sites hand in to the leader or the syncer, itself included if it is a site.
struct HandedIn {
  Meeting::Ids by_place;
  OperationId enough = kNoOperation;  // of it is there
};

HandedIn hand_in_all(Meeting& meeting, int leader) {
  HandedIn all{.by_place = Meeting::Ids(static_cast<std::size_t>(place_count(meeting.area())),
                                        kNoOperation)};
  Meeting::Ids heard_of;
  for (const int source : meeting.present()) {
    const OperationId there =
        source == leader ? meeting.encoded(leader) : meeting.hand_in(source, leader);
    all.by_place[static_cast<std::size_t>(source)] = there;
    meeting.arrive(source, there);
    if (meeting.is_heard(source)) heard_of.push_back(there);
  }
  meeting.add_cutoff(heard_of);
  meeting.add_grace(all.by_place, heard_of);
  all.enough = meeting.all_of(heard_of);
  return all;
}

// A site that is heard is busy with its exchange while it sends and while it receives.
void hand_back(Meeting& meeting, int leader, OperationId merged, const Meeting::Ids& handed_in) {
  const int peers = meeting.sites(meeting.present()) - 1;
  for (const int place : meeting.present()) {
    const OperationId back = place == leader
                                 ? merged
                                 : meeting.send(leader, place, meeting.whole_bytes(place), peers,
                                                meeting.ready(place, merged));
    Meeting::Ids received{back};
    if (meeting.is_heard(place)) received.push_back(handed_in[static_cast<std::size_t>(place)]);
    meeting.finish(place,
                   meeting.member(place, "merged weights", meeting.encoded(place), received));
  }
}

// The first site that is heard sums what the others send, and sends them the result.
void run_leader(Meeting& meeting) {
  const int leader = meeting.heard().front();
  const HandedIn all = hand_in_all(meeting, leader);
  hand_back(meeting, leader, meeting.sum(leader, all.enough), all.by_place);
}

void run_syncer(Meeting& meeting) {
  require(meeting.area().syncer.has_value(), "led_by() leaves it to areas that have one");
  const int syncer = syncer_place(meeting.area());
  const HandedIn all = hand_in_all(meeting, syncer);
  hand_back(meeting, syncer, meeting.sum_apart(all.enough), all.by_place);
}

}  // namespace

SiteExchange led_by(const std::optional<Syncer>& syncer, SiteExchange exchange) {
  const bool lacks_syncer = exchange.exchange->has_syncer && !syncer;
  if (lacks_syncer) exchange.exchange = &exchanges::leader;
  return exchange;
}

constinit const Exchange exchanges::leader{.name = "leader",
                                           .has_leader = true,
                                           .outlasts_leavers = true,
                                           .alike_sites = true,
                                           .add_kernels = add_sum_by_one,
                                           .run = run_leader};
constinit const Exchange exchanges::syncer{
    .name = "syncer",
    .has_leader = true,
    .has_syncer = true,
    .outlasts_leavers = true,
    .alike_sites = true,
    .add_kernels = add_decode,  // its hosts sum: RoundShape::syncer_sum_s
    .run = run_syncer};

}  // namespace sim
