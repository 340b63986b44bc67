// SPDX-License-Identifier: Apache-2.0
#include "sim/study/pair_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/collectives/collectives.hpp"
#include "sim/engine/simulate.hpp"

namespace sim::study {
namespace {

// What the time of a message depends on while nothing else runs: links by what they are like.
struct PairKey {
  std::vector<const Link*> links;
  double latency_s = 0;
  int switches = 0;
  auto operator<=>(const PairKey&) const = default;
};

PairKey key_of(const Topology& topology, int from, int to) {
  PairKey key;
  for (const Hop& hop : topology.path(from, to)) {
    key.latency_s += topology.latency(hop).base();
    const Way way = topology.way(hop);
    if (hop.over_network()) key.switches += way.switches;
    for (const LinkId link : way.links) key.links.push_back(&topology.links().unnamed(link));
  }
  return key;
}

// "nic_out, 3 torus_forward, nic_in".
std::string way_text(const PairKey& key) {
  std::string text;
  for (auto link = key.links.begin(); link != key.links.end();) {
    const auto next = std::find_if(link, key.links.end(),
                                   [&](const Link* other) { return other->kind != (*link)->kind; });
    const std::string times = next - link > 1 ? fmt::format("{} ", next - link) : "";
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", times, (*link)->kind);
    link = next;
  }
  return text;
}

class PairTimer {
 public:
  PairTimer(const Topology& topology, double bytes, const Watch& watch)
      : topology_(topology), bytes_(bytes), watch_(watch) {
    times_.ranks = rank_count(topology.cluster());
    const auto n = static_cast<std::size_t>(times_.ranks);
    times_.seconds.resize(n * n);
  }

  PairTimes run(PairsAtOnce at_once) && {
    if (at_once == PairsAtOnce::shift) {
      watch_.expect(times_.ranks - 1);
      for (int shift = 1; shift < times_.ranks; ++shift) send_shifted(shift);
    }
    for (int from = 0; from < times_.ranks; ++from) {
      for (int to = 0; to < times_.ranks; ++to) {
        if (from != to) sort(from, to, at_once);
      }
    }
    return std::move(times_);
  }

 private:
  double& seconds(int from, int to) {
    return times_.seconds[static_cast<std::size_t>(from) * static_cast<std::size_t>(times_.ranks) +
                          static_cast<std::size_t>(to)];
  }

  // Of each sender, in order, when its message has arrived.
  std::vector<double> arrivals(const std::vector<Message>& messages) const {
    ScheduleBuilder builder(times_.ranks);
    std::vector<OperationId> flows;
    for (const Message& message : messages) {
      flows.push_back(send(topology_, builder, message,
                           {.stream = Stream::receive_forward, .label = "message"}));
    }
    const Schedule schedule = std::move(builder).finish();
    const Timeline timeline =
        simulate_to_end(schedule, wire(schedule, topology_),
                        fmt::format("{}: a message of {:.0f} B", topology_.cluster().name, bytes_));
    std::vector<double> ends;
    for (const OperationId flow : flows) ends.push_back(timeline.end_s[flow]);
    return ends;
  }

  void send_shifted(int shift) {
    watch_.step();
    std::vector<Message> messages;
    for (int from = 0; from < times_.ranks; ++from) {
      messages.push_back({from, (from + shift) % times_.ranks, bytes_});
    }
    const std::vector<double> ends = arrivals(messages);
    for (const Message& message : messages) {
      seconds(message.source, message.destination) = ends[static_cast<std::size_t>(message.source)];
    }
  }

  void sort(int from, int to, PairsAtOnce at_once) {
    PairKey key = key_of(topology_, from, to);
    const auto [place, added] = known_.try_emplace(std::move(key), times_.classes.size());
    if (added) {
      times_.classes.push_back({.way = way_text(place->first),
                                .switches = place->first.switches,
                                .from = from,
                                .to = to});
      if (at_once == PairsAtOnce::one) {
        watch_.expect(1);
        watch_.step();
        alone_s_.push_back(arrivals({{from, to, bytes_}}).front());
      }
    }
    PairClass& one = times_.classes[place->second];
    double& time_s = seconds(from, to);
    if (at_once == PairsAtOnce::one) time_s = alone_s_[place->second];
    one.fastest_s = one.pairs == 0 ? time_s : std::min(one.fastest_s, time_s);
    one.slowest_s = std::max(one.slowest_s, time_s);
    ++one.pairs;
  }

  const Topology& topology_;
  double bytes_;
  const Watch& watch_;
  std::map<PairKey, std::size_t> known_;
  std::vector<double> alone_s_;  // by class
  PairTimes times_;
};

}  // namespace

PairTimes pair_times(const Topology& topology, double bytes, PairsAtOnce at_once,
                     const Watch& watch) {
  return PairTimer(topology, bytes, watch).run(at_once);
}

}  // namespace sim::study
