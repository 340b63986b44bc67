// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/exchanges.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"

namespace sim {
namespace {

constexpr Phase kPhase = Phase::outer_comm;
constexpr Stream kStream = Stream::gradients;

}  // namespace

Exchanges::Exchanges(const WideArea& area, const RoundShape& shape, ScheduleBuilder& builder)
    : area_(area), shape_(shape), builder_(builder) {
  for (int place = 0; place < builder.ranks(); ++place) {
    if (heard(place)) heard_.push_back(place);
    if (fate(place) != Fate::gone) present_.push_back(place);
  }
}

OperationId Exchanges::timer(double seconds) {
  return builder_.flow(builder_.add_route({}), 0, Phase::none, "wait", seconds, 0, {});
}

OperationId Exchanges::cutoff() {
  if (shape_.cutoff_s && cutoff_ == kNoOperation) cutoff_ = timer(*shape_.cutoff_s);
  return cutoff_;
}

// While a site's traffic passes, its kernels are slower by its slowdown, whatever the number of
// flows that make it up.
std::uint32_t Exchanges::occupancy(std::span<const int> places, int flows) {
  double slowdown = 1;
  for (const int place : places) slowdown = std::max(slowdown, site(place).slowdown);
  if (slowdown <= 1) return 0;
  std::vector<int> key(places.begin(), places.end());
  key.push_back(flows);
  const auto found = occupancies_.find(key);
  if (found != occupancies_.end()) return found->second;
  return occupancies_[key] = builder_.add_occupancy(
             {.memory_share = (1 - 1 / slowdown) / flows, .ranks = {places.begin(), places.end()}});
}

Exchanges::Ids Exchanges::ready(int place, OperationId waits_for) const {
  Ids ids;
  for (const OperationId id : {builder_.last(place, kStream), waits_for}) {
    if (id != kNoOperation) ids.push_back(id);
  }
  return ids;
}

OperationId Exchanges::send(int source, int destination, double bytes, int peers,
                            const Ids& after) {
  const Hop hop = wide_hop(source, destination);
  const int ends[] = {source};
  const bool from_site = source < builder_.ranks();
  return builder_.flow(builder_.add_route({.hops = {hop}}), from_site ? occupancy(ends, peers) : 0,
                       kPhase, "send", wide_latency(area_, hop).base(), std::round(bytes), after);
}

OperationId Exchanges::member(int place, std::string_view label, OperationId waits_for,
                              const Ids& ends) {
  const OperationId after[] = {waits_for};
  return builder_.member(place, kStream, kPhase, label, after,
                         ends.size() == 1 ? ends.front() : builder_.barrier(ends));
}

OperationId Exchanges::sum(int place, OperationId received, double share) {
  const double seconds = site(place).sum_s * share;
  if (seconds == 0) return received;
  return builder_.work(place, Stream::codec, Phase::decode, "sum outer", seconds, 1,
                       {&received, 1});
}

Exchanges::Ids Exchanges::received(const Ids& encoded, std::vector<Ids> incoming,
                                   std::string_view label) {
  Ids results(encoded.size(), kNoOperation);
  for (const int place : present_) {
    const auto i = static_cast<std::size_t>(place);
    if (const OperationId id = cutoff(); id != kNoOperation) incoming[i].push_back(id);
    results[i] = member(place, label, encoded[i], incoming[i]);
  }
  return results;
}

Exchanges::Ids Exchanges::run(int round, const Ids& encoded, double share) {
  arrivals_.assign(encoded.size(), {});
  if (heard_.size() < 2) return alone(encoded);
  switch (shape_.exchange) {
    case Exchange::flat_ring:
    case Exchange::ring:
      return ring(encoded, share);
    case Exchange::all_to_all:
      return all_to_all(encoded, share);
    case Exchange::all_gather:
      return all_gather(encoded, share);
    case Exchange::store:
      return store(encoded, share);
    case Exchange::pair:
      return pair(round, encoded, share);
    case Exchange::leader:
      return leader(encoded, share);
  }
  throw std::logic_error("an exchange outside the enumeration");
}

// With nobody to send to; but a site that others have left waits for them as long as it would.
Exchanges::Ids Exchanges::alone(const Ids& encoded) {
  Ids results = encoded;
  const OperationId until = cutoff();
  for (const int place : heard_) {
    const auto i = static_cast<std::size_t>(place);
    if (until != kNoOperation) results[i] = member(place, "wait", encoded[i], {until});
  }
  return results;
}

// 2 (n-1) steps, each passing on 1/n of the buffer: all hops progress together, at the slowest
// one's pace. A ring without a member begins anew without it.
Exchanges::Ids Exchanges::ring(const Ids& encoded, double share) {
  const auto n = static_cast<double>(heard_.size());
  Route route;
  double around_s = 0;  // latency of all hops
  double part_bytes = 0;
  Ids after;
  for (std::size_t i = 0; i < heard_.size(); ++i) {
    const int place = heard_[i];
    route.hops.push_back(wide_hop(place, heard_[(i + 1) % heard_.size()]));
    around_s += wide_latency(area_, route.hops.back()).base();
    part_bytes = std::max(part_bytes, site(place).part_bytes);
    const Ids own = ready(place, encoded[static_cast<std::size_t>(place)]);
    after.insert(after.end(), own.begin(), own.end());
  }
  if (const OperationId id = cutoff(); id != kNoOperation) after.push_back(id);
  double steps = 2 * (n - 1);
  double ranks = n;
  if (shape_.exchange == Exchange::flat_ring) {
    // Of all its hops only those between sites cross the wide area, and all carry as much.
    ranks = shape_.gpus;
    steps = 2 * (ranks - 1);
    part_bytes = site(heard_.front()).whole_bytes / ranks;
    around_s += (ranks - n) * shape_.flat_hop_s;
  }
  const OperationId flow = builder_.flow(builder_.add_route(std::move(route)), occupancy(heard_, 1),
                                         kPhase, "all_reduce", around_s * steps / ranks,
                                         std::round(part_bytes * steps * share), after);
  Ids results(encoded.size(), kNoOperation);
  for (const int place : heard_) {
    const auto i = static_cast<std::size_t>(place);
    arrivals_[i] = {encoded[i]};
    results[i] = member(place, "all_reduce", encoded[i], {flow});
  }
  return results;
}

// A site that is skipped is not summed, and receives all the same.
Exchanges::Ids Exchanges::all_to_all(const Ids& encoded, double share) {
  const int peers = static_cast<int>(heard_.size()) - 1;
  std::vector<Ids> incoming(encoded.size());
  for (const int source : heard_) {
    const auto from = static_cast<std::size_t>(source);
    const Ids after = ready(source, encoded[from]);
    for (const int owner : heard_) {
      if (owner == source) continue;
      const OperationId sent = send(source, owner, site(source).part_bytes * share, peers, after);
      incoming[static_cast<std::size_t>(owner)].push_back(sent);
      arrivals_[from].push_back(sent);
    }
  }
  Ids summed(encoded.size(), kNoOperation);
  for (const int owner : heard_) {
    const auto i = static_cast<std::size_t>(owner);
    if (const OperationId id = cutoff(); id != kNoOperation) incoming[i].push_back(id);
    summed[i] = sum(owner, member(owner, "all_to_all", encoded[i], incoming[i]), share);
  }
  std::vector<Ids> gathered(encoded.size());
  for (const int owner : heard_) {
    const Ids after = ready(owner, summed[static_cast<std::size_t>(owner)]);
    for (const int receiver : present_) {
      if (receiver == owner) continue;
      gathered[static_cast<std::size_t>(receiver)].push_back(
          send(owner, receiver, site(owner).part_bytes * share, peers, after));
    }
  }
  Ids results(encoded.size(), kNoOperation);
  for (const int place : present_) {
    const auto i = static_cast<std::size_t>(place);
    results[i] = member(place, "all_gather", summed[i], gathered[i]);
  }
  return results;
}

Exchanges::Ids Exchanges::all_gather(const Ids& encoded, double share) {
  const int peers = static_cast<int>(present_.size()) - 1;
  std::vector<Ids> incoming(encoded.size());
  for (const int source : present_) {
    const auto from = static_cast<std::size_t>(source);
    const Ids after = ready(source, encoded[from]);
    for (const int receiver : present_) {
      if (receiver == source) continue;
      const OperationId sent =
          send(source, receiver, site(source).whole_bytes * share, peers, after);
      arrivals_[from].push_back(sent);
      if (heard(source)) incoming[static_cast<std::size_t>(receiver)].push_back(sent);
    }
  }
  return received(encoded, incoming, "all_gather");
}

Exchanges::Ids Exchanges::store(const Ids& encoded, double share) {
  const int store = store_place(area_);
  std::vector<Ids> incoming(encoded.size());
  for (const int source : present_) {
    const auto from = static_cast<std::size_t>(source);
    const double bytes = site(source).whole_bytes * share;
    const OperationId stored = send(source, store, bytes, 1, ready(source, encoded[from]));
    arrivals_[from] = {stored};
    if (!heard(source)) continue;
    for (const int receiver : present_) {
      if (receiver == source) continue;
      incoming[static_cast<std::size_t>(receiver)].push_back(
          send(store, receiver, bytes, 1, ready(receiver, stored)));
    }
  }
  return received(encoded, incoming, "download");
}

// The circle method: the last place stays, the others turn, so that all pairs meet in n-1 rounds.
// With an odd number one site a round has no partner.
Exchanges::Ids Exchanges::pair(int round, const Ids& encoded, double share) {
  std::vector<int> circle = heard_;
  if (circle.size() % 2 == 1) circle.push_back(-1);
  const auto turning = circle.size() - 1;
  std::rotate(circle.begin(), circle.begin() + round % static_cast<int>(turning), circle.end() - 1);
  Ids results = encoded;
  for (std::size_t i = 0; i < circle.size() / 2; ++i) {
    const int a = circle[i];
    const int b = circle[circle.size() - 1 - i];
    if (a < 0 || b < 0) continue;
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      const auto source = static_cast<std::size_t>(from);
      arrivals_[source] = {
          send(from, to, site(from).whole_bytes * share, 1, ready(from, encoded[source]))};
    }
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      const auto i_to = static_cast<std::size_t>(to);
      results[i_to] =
          member(to, "gossip", encoded[i_to], arrivals_[static_cast<std::size_t>(from)]);
    }
  }
  return results;
}

// The first site that is heard leads.
Exchanges::Ids Exchanges::leader(const Ids& encoded, double share) {
  const int leader = heard_.front();
  const int peers = static_cast<int>(present_.size()) - 1;
  Ids heard_of{encoded[static_cast<std::size_t>(leader)]};
  arrivals_[static_cast<std::size_t>(leader)] = heard_of;
  for (const int source : present_) {
    const auto from = static_cast<std::size_t>(source);
    if (source == leader) continue;
    arrivals_[from] = {
        send(source, leader, site(source).whole_bytes * share, 1, ready(source, encoded[from]))};
    if (heard(source)) heard_of.push_back(arrivals_[from].front());
  }
  if (const OperationId id = cutoff(); id != kNoOperation) heard_of.push_back(id);
  const OperationId merged = sum(leader, builder_.barrier(heard_of), share);
  Ids results(encoded.size(), kNoOperation);
  for (const int place : present_) {
    const auto i = static_cast<std::size_t>(place);
    const OperationId back =
        place == leader ? merged
                        : send(leader, place, site(place).whole_bytes * share, peers, {merged});
    results[i] = member(place, "merged weights", encoded[i], {back});
  }
  return results;
}

}  // namespace sim
