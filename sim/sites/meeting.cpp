// SPDX-License-Identifier: Apache-2.0
#include "sim/sites/meeting.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/sites/detours.hpp"
#include "sim/sites/pairings.hpp"
#include "sim/sites/ring_order.hpp"

namespace sim {
namespace {

constexpr Phase kPhase = Phase::outer_comm;
constexpr Stream kStream = Stream::gradients;
// Sites of a ring whose order is searched one by one; of more, those that are alike stay together.
constexpr int kMostOrdered = 256;

// Those that there are.
Meeting::Ids known(Meeting::Ids ids) {
  std::erase(ids, kNoOperation);
  return ids;
}

}  // namespace

Meeting::Meeting(const WideArea& area, const RoundShape& shape, ScheduleBuilder& builder)
    : area_(area),
      shape_(shape),
      builder_(builder),
      regions_(regions_of(area)),
      stands_for_(shape.sites.size()),
      handed_in_(shape.sites.size(), kNoOperation) {
  if (has_dead_link(area)) topology_.emplace(area);
  in_region_.resize(regions_.size());
  for (int place = 0; place < builder.ranks(); ++place) {
    for (const int site : builder.alike(place)) stands_for_[index(site)] = place;
    if (builder.alike(place).empty()) continue;
    add(all_, place);
    add(in_region_[index(region(place))], place);
  }
}

void Meeting::add(Group& group, int place) const {
  group.places.push_back(place);
  group.all += sites(place);
  if (is_heard(place)) group.heard.push_back(place);
  if (is_present(place)) group.present.push_back(place);
}

Meeting::Ids Meeting::run(int round, const std::vector<Ids>& encoded) {
  round_ = round;
  parts_ = encoded.size();
  if (parts_ == 1) return run_part(encoded.front());
  const Ids handed_in = handed_in_;
  before_.assign(encoded.front().size(), kNoOperation);
  for (const int place : all_.present) before_[index(place)] = builder_.last(place, kStream);
  ended_.assign(before_.size(), {});
  std::vector<Ids> results(before_.size());  // by place
  for (const Ids& part : encoded) {
    handed_in_ = handed_in;
    const Ids ended = run_part(part);
    for (std::size_t place = 0; place < ended.size(); ++place)
      results[place].push_back(ended[place]);
  }
  Ids all(results.size(), kNoOperation);
  for (const int place : all_.present) {
    Ids& ended = results[index(place)];
    if (std::ranges::find(ended, kNoOperation) != ended.end()) continue;
    ended.push_back(
        whole_member(place, "all parts", encoded.back()[index(place)], ended_[index(place)]));
    all[index(place)] = builder_.barrier(ended);
  }
  return all;
}

Meeting::Ids Meeting::run_part(const Ids& encoded) {
  encoded_ = encoded;
  results_.assign(encoded.size(), kNoOperation);
  for (auto* by_place : {&arrivals_, &sends_}) by_place->assign(encoded.size(), {});
  if (anew_ != kNoOperation) wait_until_anew();
  if (shape_.is_across(round_)) {
    run_in(all_);
    return results_;
  }
  for (const int place : all_.present) {
    Group& group = in_region_[index(region(place))];
    if (group.present.front() == place && group.all > 1) run_in(group);
  }
  return results_;
}

void Meeting::run_in(Group& group) {
  group_ = &group;
  messages_.clear();
  received_.clear();
  // A ring is of those that are heard alone.
  const std::vector<int>& senders = shape_.exchange->is_ring ? group.heard : group.present;
  const bool alone = group.heard.empty() || sites(senders) < 2;
  alone ? wait_alone() : shape_.exchange->run(*this);
  give_up_the_rest();
  give_up_for_the_left();
}

void Meeting::give_up_for_the_left() {
  for (const int place : shape_.left) {
    if (std::ranges::find(heard(), place) == heard().end()) continue;
    const OperationId lost = timer(lost_at(site_of(area_, place))->base(), {begun_});
    for (const auto& [message, receiver] : received_) {
      if (receiver == place) give_up(message, lost);
    }
  }
}

void Meeting::give_up_the_rest() {
  if (heard() == present() || shape_.sums_later()) return;
  Ids results;
  for (const int place : heard()) results.push_back(results_[index(place)]);
  const OperationId over = all_of(known(std::move(results)));
  for (const OperationId message : messages_) give_up(message, over);
}

void Meeting::wait_until_anew() {
  for (const int place : all_.present) {
    OperationId& encoded = encoded_[index(place)];
    encoded = all_of(known({encoded, anew_}));
  }
}

// With nobody to send to; but a site that others have left waits for them as long as it would.
void Meeting::wait_alone() {
  for (const int place : present()) finish(place, encoded(place));
  Ids until;
  add_cutoff(until);
  add_grace(encoded_, until);
  if (until.empty()) return;
  for (const int place : heard()) finish(place, member(place, "wait", encoded(place), until));
}

OperationId Meeting::timer(double seconds, const Ids& after) {
  return builder_.flow(builder_.add_route({}), 0, Phase::none, "wait", seconds, 0, known(after));
}

void Meeting::begin_round(OperationId begun) {
  begun_ = begun;
  cutoff_ = kNoOperation;
  if (shape_.anew_s) anew_ = timer(*shape_.anew_s, {begun_});
}

OperationId Meeting::cutoff() {
  if (cutoff_ == kNoOperation && shape_.cutoff_s) cutoff_ = timer(*shape_.cutoff_s, {begun_});
  return cutoff_;
}

void Meeting::add_cutoff(Ids& waits) {
  if (!shape_.cutoff_s || sites(heard()) == group_->all) return;
  waits.push_back(cutoff());
}

void Meeting::add_grace(const Ids& handed_in, Ids& waits) {
  if (!shape_.grace || sites(heard()) == group_->all) return;
  Ids quorum;
  for (const int site : shape_.grace->quorum) {
    quorum.push_back(handed_in[index(stands_for(site))]);
  }
  waits.push_back(timer(shape_.grace->seconds, quorum));
}

// While a site's traffic passes, its kernels are slower by its slowdown, whatever the number of
// flows that make it up.
std::uint32_t Meeting::occupancy(std::span<const int> places, int flows, int all) {
  double slowdown = 1;
  for (const int place : places) slowdown = std::max(slowdown, site(place).slowdown);
  if (slowdown <= 1) return 0;
  if (parts_ > 1) return beside_parts(places, flows, slowdown);
  std::vector<int> key(places.begin(), places.end());
  key.insert(key.end(), {flows, all});
  const auto found = occupancies_.find(key);
  if (found != occupancies_.end()) return found->second;
  return occupancies_[key] =
             builder_.add_occupancy({.memory_share = (1 - 1 / slowdown) * flows / all,
                                     .ranks = {places.begin(), places.end()}});
}

// Of parts many are on their way at once.
std::uint32_t Meeting::beside_parts(std::span<const int> places, int flows, double slowdown) {
  std::vector<int> key(places.begin(), places.end());
  key.push_back(flows);
  const auto found = occupancies_.find(key);
  if (found != occupancies_.end()) return found->second;
  double rate_Bps = 0;
  for (const int place : places) rate_Bps = std::max(rate_Bps, site(place).slowdown_Bps);
  require(rate_Bps > 0, "what slows steps has a rate");
  return occupancies_[key] =
             builder_.add_occupancy({.memory_s_per_byte = flows * (1 - 1 / slowdown) / rate_Bps,
                                     .ranks = {places.begin(), places.end()}});
}

Meeting::Ids Meeting::ready(int place, OperationId waits_for) const {
  if (shape_.apart) return known({waits_for});
  const OperationId before = parts_ > 1 ? before_[index(place)] : builder_.last(place, kStream);
  return known({before, waits_for});
}

int Meeting::sites(int place) const {
  return place < builder_.ranks() ? static_cast<int>(builder_.alike(place).size()) : 1;
}

int Meeting::sites(const std::vector<int>& places) const {
  int sum = 0;
  for (const int place : places) sum += sites(place);
  return sum;
}

std::vector<Hop> Meeting::hops(const Hop& direct) const {
  return topology_ ? hops_of(*topology_, direct, all_present()) : std::vector<Hop>{direct};
}

OperationId Meeting::flow_over(Route route, std::uint32_t occupancy, std::string_view label,
                               double latency_s, double bytes, const Ids& after) {
  const std::vector<Hop> hops = route.hops;
  const OperationId id = builder_.flow(builder_.add_route(std::move(route)), occupancy, kPhase,
                                       label, latency_s, std::round(bytes), after);
  messages_.push_back(id);
  for (const Hop& hop : hops) {
    if (hop.source < builder_.ranks()) sends_[index(stands_for(hop.source))].push_back(id);
  }
  return id;
}

OperationId Meeting::message(Hop hop, std::uint32_t occupancy, double bytes, const Ids& after) {
  Route route{.hops = hops(hop)};
  double latency_s = 0;
  for (const Hop& one : route.hops) latency_s += wide_latency(area_, one).base();
  const int receiver = hop.destination;
  const OperationId id = flow_over(std::move(route), occupancy, "send", latency_s, bytes, after);
  if (receiver < builder_.ranks()) received_.emplace_back(id, stands_for(receiver));
  return id;
}

OperationId Meeting::send(int source, int destination, double bytes, int peers, const Ids& after) {
  const bool from_site = source < builder_.ranks();
  const int ends[] = {source};
  const int each = others(source, destination);
  // To its like: to the next of them.
  Hop one = wide_hop(source, source == destination ? builder_.alike(source)[1] : destination);
  one.times = sites(source) * each;
  return message(one, from_site ? occupancy(ends, each, peers) : 0, bytes, after);
}

OperationId Meeting::hand_in(int place, int leader) {
  OperationId& last = handed_in_[index(place)];
  return last = send(place, leader, whole_bytes(place), 1, known({last, encoded(place)}));
}

OperationId Meeting::download(int source, int receiver, double bytes, const Ids& after) {
  Hop one = wide_hop(store_place(area_), receiver);
  one.times = sites(receiver) * others(receiver, source);
  return message(one, 0, bytes, after);
}

OperationId Meeting::flow(Route route, std::string_view label, double latency_s, double bytes,
                          const Ids& after) {
  return flow_over(std::move(route), occupancy(heard(), 1, 1), label, latency_s, bytes, after);
}

OperationId Meeting::member(int place, std::string_view label, OperationId waits_for,
                            const Ids& received) {
  if (parts_ > 1) {
    Ids ended = received;
    ended.push_back(waits_for);
    const OperationId part = builder_.barrier(known(std::move(ended)));
    ended_[index(place)].push_back(part);
    return part;
  }
  return whole_member(place, label, waits_for, received);
}

OperationId Meeting::whole_member(int place, std::string_view label, OperationId waits_for,
                                  const Ids& received) {
  const OperationId after[] = {waits_for};
  return builder_.member(place, kStream, kPhase, label, after,
                         received.size() == 1 ? received.front() : builder_.barrier(received));
}

const std::vector<int>& Meeting::ring() {
  std::vector<int>& ring = group_->ring;
  if (!ring.empty()) return ring;
  const auto all_sites = [&](const std::vector<int>& places) {
    std::vector<int> all;
    for (const int place : places) {
      const std::span<const int> alike = builder_.alike(place);
      all.insert(all.end(), alike.begin(), alike.end());
    }
    return all;
  };
  if (sites(heard()) > kMostOrdered) {
    ring = all_sites(ordered_ring(area_, heard(), shape_.ring_order, all_present()));
  } else {
    ring = all_sites(heard());
    std::ranges::sort(ring);
    ring = ordered_ring(area_, ring, shape_.ring_order, all_present());
  }
  if (shape_.across_every > 1 && shape_.ring_order == RingOrder::given) {
    std::ranges::stable_sort(ring, {}, [&](int place) { return region(place); });
  }
  return ring;
}

const std::vector<int>& Meeting::by_kind() {
  std::vector<int>& places = group_->by_kind;
  if (places.empty()) places = in_order_of_kind(area_, shape_, group_->places);
  return places;
}

OperationId Meeting::sum(int place, OperationId arrived, double times) {
  const double seconds = times * site(place).sum_s * share();
  if (seconds == 0 || shape_.apart) return arrived;
  // Later parts are encoded meanwhile.
  const Stream stream = parts_ > 1 ? Stream::weight_codec : Stream::codec;
  return builder_.work(place, stream, Phase::decode, "sum outer", seconds, 1, {&arrived, 1});
}

OperationId Meeting::sum_apart(OperationId arrived) {
  const double seconds = shape_.syncer_sum_s * share();
  if (seconds == 0) return arrived;
  return summed_apart_ = builder_.flow(builder_.add_route({}), 0, kPhase, "sum outer", seconds, 0,
                                       known({arrived, summed_apart_}));
}

void Meeting::finish_all(std::vector<Ids> received, std::string_view label) {
  for (const int place : present()) {
    Ids& ends = received[index(place)];
    add_cutoff(ends);
    finish(place, member(place, label, encoded(place), ends));
  }
}

}  // namespace sim
