// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/rounds.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "sim/base/error.hpp"
#include "sim/collectives/legs.hpp"
#include "sim/collectives/run.hpp"

namespace sim {
namespace {

struct LaidRound {
  std::uint32_t number = 0;
  double times = 1;
  double messages = 0;
  double chunks = 0, chunk = 0;  // that fill a pipeline, of so many bytes at most
  double s_per_byte = 0;         // of the collective, at full rate, each time
  ProtocolCosts costs;           // each time
};

struct MessageEnds {
  int source = 0, destination = 0;
};

struct LaidRounds {
  std::map<CollectiveKind, std::vector<LaidRound>> collectives;
  RoundCosts costs;
  std::vector<MessageEnds> ends;  // of the legs, step by step
};

// By each protocol that is known for all links.
ProtocolTimes latencies_s(const Topology& topology, const Paces& paces, const Round& round) {
  ProtocolTimes farthest{}, sums{};
  double weights = 0;
  for (const LegDraft& leg : round.legs) {
    for (const Hop& hop : leg.hops) {
      const ProtocolTimes latencies = step_latencies(topology, paces, hop);
      for (std::size_t i = 0; i < latencies.size(); ++i) {
        farthest[i] = std::max(farthest[i], latencies[i]);
        sums[i] += leg.unit * hop.times * latencies[i];
      }
      weights += leg.unit * hop.times;
    }
  }
  if (round.depth <= 1) return farthest;
  for (double& sum : sums) sum = round.depth * sum / weights;
  return sums;
}

LaidRound lay_out(const Topology& topology, const Round& round, std::uint32_t number,
                  const RoundCosts& costs) {
  const Busiest busiest = busiest_of(topology, round.legs);
  const ProtocolTimes latencies = latencies_s(topology, costs.paces, round);
  const auto step_s = [&](Protocol protocol) {
    return costs.latency_share * latencies[static_cast<std::size_t>(protocol)];
  };
  return {.number = number,
          .times = round.times,
          .messages = round.messages,
          .chunks = std::max(0.0, round.depth - 1),
          .chunk = round.chunk,
          .s_per_byte = busiest.seconds(),
          .costs = protocol_costs(topology.cluster(), costs.paces, busiest, step_s,
                                  costs.bandwidth_share)};
}

// Of one of `times` repetitions, beyond its bytes at full rate.
double beyond_s(const LaidRound& round, const Order& order) {
  const ProtocolCost& cost = at(round.costs, order.protocol).value();
  const double filling = round.chunks * std::min(order.bytes, round.chunk);
  return cost.step_s + order.bytes * cost.s_per_byte +
         filling * (round.s_per_byte + cost.s_per_byte);
}

std::optional<Duration> estimate(const LaidRounds& laid, const Order& order) {
  const std::vector<LaidRound>& rounds = laid.collectives.at(order.collective);
  Duration duration{.before_s = laid.costs.before_s};
  for (const LaidRound& round : rounds) {
    const auto& cost = at(round.costs, order.protocol);
    if (!cost) return std::nullopt;
    if (&round == &rounds.front()) duration.before_s += cost->launch_s;
    duration.on_the_way_s += round.times * beyond_s(round, order);
    duration.moving_s += round.times * round.s_per_byte * order.bytes;
  }
  if (order.buffers == Buffers::out_of_place) {
    duration.before_s += order.bytes * laid.costs.own_copy_s_per_byte;
  }
  duration.before_s += std::max(0.0, laid.costs.least_s - duration.seconds());
  return duration;
}

// A flow for each leg of each round: a round of several repetitions is one flow.
Ids run_folded(ScheduleBuilder& builder, const std::vector<LaidRound>& rounds,
               std::span<const Leg> legs, const Order& order, const Call& call, OperationId ready) {
  Ids before{ready};
  for (const LaidRound& round : rounds) {
    Ids flows;
    for (const Leg& leg : legs) {
      if (leg.round != round.number) continue;
      flows.push_back(builder.flow(leg.route, leg.occupancy, call.phase, call.label,
                                   {.on_the_way_s = round.times * beyond_s(round, order)},
                                   round.times * order.bytes * leg.unit, before));
    }
    before = std::move(flows);
  }
  return before;
}

// A rank sends once all that it sent and received in the round before has arrived.
class EachMessage {
 public:
  EachMessage(ScheduleBuilder& builder, const LaidRounds& laid, std::span<const Leg> legs,
              const Call& call, OperationId ready)
      : builder_(builder), laid_(laid), legs_(legs), call_(call), ready_(ready) {}

  void run(const LaidRound& round, const Order& order) {
    std::map<int, Ids> touched;
    for (std::size_t i = 0; i < legs_.size(); ++i) {
      if (legs_[i].round != round.number) continue;
      const MessageEnds& ends = laid_.ends[i];
      const auto sender = last_.find(ends.source);
      const OperationId after = sender == last_.end() ? ready_ : sender->second;
      const OperationId flow = builder_.flow(legs_[i].route, legs_[i].occupancy, call_.phase,
                                             call_.label, {.on_the_way_s = beyond_s(round, order)},
                                             order.bytes * legs_[i].unit, {&after, 1});
      touched[ends.source].push_back(flow);
      if (ends.destination != ends.source) touched[ends.destination].push_back(flow);
    }
    for (auto& [rank, flows] : touched) {
      if (const auto known = last_.find(rank); known != last_.end()) flows.push_back(known->second);
      last_[rank] = builder_.barrier(flows);
    }
  }
  [[nodiscard]] Ids ends() const {
    Ids all;
    for (const auto& [rank, last] : last_) all.push_back(last);
    return all;
  }

 private:
  ScheduleBuilder& builder_;
  const LaidRounds& laid_;
  std::span<const Leg> legs_;
  const Call& call_;
  OperationId ready_;
  std::map<int, OperationId> last_;
};

void run_rounds(ScheduleBuilder& builder, const Communicator& group, const LaidRounds& laid,
                std::span<const Leg> legs, const Order& order, const Call& call) {
  const std::vector<LaidRound>& rounds = laid.collectives.at(order.collective);
  for (const LaidRound& round : rounds) {
    builder.count_unfolded(group.alike * round.times * round.messages);
  }
  const double before_s = estimate(laid, order).value().before_s;
  const auto run = [&](OperationId begin) {
    const OperationId ready = builder.flow(builder.add_route({}), 0, call.phase, call.label,
                                           {.before_s = before_s}, 0, {&begin, 1});
    if (group.detail == Detail::folded) {
      return run_folded(builder, rounds, legs, order, call, ready);
    }
    EachMessage each(builder, laid, legs, call, ready);
    for (const LaidRound& round : rounds) {
      for (double time = 0; time < round.times; ++time) each.run(round, order);
    }
    return each.ends();
  };
  run_collective(builder, group, call, run,
                 laid.costs.holds_multiprocessors ? Multiprocessors::held : Multiprocessors::free);
}

std::vector<double> pace_of(const LaidRounds& laid) {
  std::vector<double> pace{laid.costs.before_s, laid.costs.least_s};
  for (const auto& [collective, rounds] : laid.collectives) {
    for (const LaidRound& round : rounds) {
      const std::vector<double> costs = values_of(round.costs);
      pace.insert(pace.end(), costs.begin(), costs.end());
      pace.insert(pace.end(), {round.times, round.s_per_byte, round.chunks, round.chunk});
    }
  }
  return pace;
}

}  // namespace

LaidOut lay_out_rounds(const Topology& topology, Detail detail,
                       std::vector<std::pair<CollectiveKind, Rounds>> collectives,
                       const RoundCosts& costs) {
  auto laid = std::make_shared<LaidRounds>();
  laid->costs = costs;
  LaidOut out{.holds_multiprocessors = costs.holds_multiprocessors};
  std::uint32_t number = 0;
  for (auto& [collective, rounds] : collectives) {
    std::vector<LaidRound>& all = laid->collectives[collective];
    for (Round& round : rounds) {
      all.push_back(lay_out(topology, round, number, costs));
      for (LegDraft& leg : round.legs) {
        if (detail == Detail::step_by_step) {
          laid->ends.push_back({leg.hops.front().source, leg.hops.back().destination});
        }
        leg.round = number;
        out.legs.push_back(std::move(leg));
      }
      ++number;
    }
  }
  out.pace = pace_of(*laid);
  out.run = [laid](ScheduleBuilder& builder, const Communicator& group, std::span<const Leg> legs,
                   const Order& order,
                   const Call& call) { run_rounds(builder, group, *laid, legs, order, call); };
  out.estimate = [laid](const Order& order) { return estimate(*laid, order); };
  return out;
}

}  // namespace sim
