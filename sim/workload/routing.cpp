// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/routing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <tuple>

#include "sim/base/error.hpp"
#include "sim/base/mix.hpp"
#include "sim/base/once.hpp"
#include "sim/workload/visited_places.hpp"

namespace sim {
namespace {

struct Group {
  int experts, top_k, ranks, nodes;
  GroupLimit limit;
};

double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }

double normal_below(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

// Expected largest of `count` independent standard normal numbers: the integral of
// 1 - F(x)^count - F(-x)^count from 0 on (David and Nagaraja, Order Statistics, section 3.1).
double largest_normal(int count) {
  constexpr double kStep = 0.01;
  double sum = 0;
  for (double x = kStep / 2; x < 10; x += kStep) {
    sum += 1 - std::pow(normal_below(x), count) - std::pow(normal_below(-x), count);
  }
  return sum * kStep;
}

ExpertShares equal_shares(int experts) {
  return ExpertShares(static_cast<std::size_t>(experts), 1.0 / experts);
}

struct Loads {
  double busiest = 1, dropped = 0;
};

Loads loads_of(const ExpertShares& shares, double capacity, int ranks) {
  const double most = capacity > 0 ? capacity / static_cast<double>(shares.size()) : 1;
  const std::size_t held = shares.size() / static_cast<std::size_t>(ranks);
  double kept = 0;
  double fullest = 0;
  for (std::size_t first = 0; first < shares.size(); first += held) {
    double rank = 0;
    for (std::size_t i = first; i < first + held; ++i) rank += std::min(shares[i], most);
    kept += rank;
    fullest = std::max(fullest, rank);
  }
  return {.busiest = std::max(1.0, fullest / kept * ranks),
          .dropped = capacity > 0 ? std::max(0.0, 1 - kept) : 0};
}

struct Cut {
  double dropped = 0;   // share of rows
  double variance = 1;  // of what is kept over that of all
};

// Rows of an expert from one rank's tokens are binomial, here normal; beyond the capacity they are
// dropped. Each rank drops of its own rows, as in GShard (arXiv 2006.16668, section 2.2) and
// Megatron-LM, which rounds the capacity up to a whole row.
Cut cut_at(double capacity, double tokens, double chosen) {
  const double mean = tokens * chosen;
  const double deviation = std::sqrt(mean * (1 - chosen));
  if (capacity == 0 || deviation == 0) return {};
  const double z = (std::ceil(capacity * mean) - mean) / deviation;
  const double above = normal_below(-z);
  const double kept = z * above - normal_density(z);  // mean of min(Z, z), then of its square
  const double square = 1 - above - z * normal_density(z) + z * z * above;
  return {.dropped = std::clamp(-kept * deviation / mean, 0.0, 1.0),
          .variance = std::max(0.0, square - kept * kept)};
}

// The variance of a token's rows on a rank, of experts that are all as likely: of pairs of a rank's
// experts, those of one group are chosen together more often. Without groups, hypergeometric.
double rank_variance(const Group& group) {
  const auto& [experts, top_k, ranks, nodes, limit] = group;
  if (experts == top_k) return 0;
  const double held = 1.0 * experts / ranks;
  const double in_group = 1.0 * experts / limit.groups;
  const double reached = in_group * limit.chosen;  // experts of the groups of a token
  const double both = top_k * (top_k - 1.0) / (reached * std::max(reached - 1, 1.0));
  const double one_group = 1.0 * limit.chosen / limit.groups;
  const double two_groups =
      limit.groups == 1 ? 0 : one_group * (limit.chosen - 1) / (limit.groups - 1);
  const double same = held * (std::min(held, in_group) - 1);  // ordered pairs in one group
  const double apart = held * (held - 1) - same;
  const double mean = 1.0 * top_k / ranks;
  return mean + both * (same * one_group + apart * two_groups) - mean * mean;
}

// The rows of ranks are normal; their sum is fixed, which widens the distance of the largest from the
// mean by sqrt(ranks / (ranks - 1)).
Routed at_random(double capacity, const Group& group, double tokens) {
  const auto& [experts, top_k, ranks, nodes, limit] = group;
  const ExpertShares shares = equal_shares(experts);
  Routed routed{.to_ranks = visited_places(shares, top_k, limit, ranks),
                .to_nodes = visited_places(shares, top_k, limit, nodes)};
  const Cut cut = cut_at(capacity, tokens / ranks, 1.0 * top_k / experts);
  routed.dropped = cut.dropped;
  if (ranks == 1) return routed;
  const double mean = 1.0 * top_k / ranks;  // rows of a rank for each token
  const double variance = cut.variance * std::max(0.0, rank_variance(group));
  const double deviation = std::sqrt(variance / tokens * ranks / (ranks - 1));
  const double kept = 1 - cut.dropped;
  const double most = std::min(top_k, experts / ranks) / mean;
  routed.busiest = std::min(1 + largest_normal(ranks) * deviation / (mean * kept), most);
  if (capacity > 0) routed.busiest = std::min(routed.busiest, std::max(1.0, capacity / kept));
  return routed;
}

// An expert has at most a row of each token; those that hold fewer take what is above.
void limit_shares(ExpertShares& shares, double most) {
  for (bool above = true; above;) {
    double full = 0;
    double free = 0;
    above = false;
    for (double& share : shares) {
      above = above || share > most;
      share = std::min(share, most);
      (share == most ? full : free) += share;
    }
    if (free == 0) return;
    for (double& share : shares) {
      if (share < most) share *= (1 - full) / free;
    }
  }
}

// By the inverse of the distribution. The logarithm of popularity is uniform at exponent 1.
ExpertShares drawn_shares(Draws& draws, double exponent, const Group& group, double tokens) {
  const double most = std::max(1.0, 0.8 * tokens);
  const double power = 1 - exponent;
  const double end = std::pow(most, power);
  ExpertShares shares(static_cast<std::size_t>(group.experts));
  for (double& one : shares) {
    const double u = draws.next();
    const double x = power == 0 ? std::pow(most, u) : std::pow(1 + u * (end - 1), 1 / power);
    one = std::clamp(x, 1.0, most);
  }
  const double sum = std::reduce(shares.begin(), shares.end());
  for (double& one : shares) one /= sum;
  limit_shares(shares, 1.0 / group.top_k);
  return shares;
}

Routed by_power_law(const ExpertRouting& routing, const Group& group, double tokens) {
  constexpr int kDraws = 128;
  constexpr int kPlaceDraws = 32;  // visited places vary less
  Draws draws(0);
  Routed mean{.busiest = 0, .to_ranks = 0, .to_nodes = 0};
  for (int i = 0; i < kDraws; ++i) {
    const ExpertShares shares = drawn_shares(draws, routing.exponent, group, tokens);
    const Loads one = loads_of(shares, routing.capacity, group.ranks);
    mean.busiest += one.busiest / kDraws;
    mean.dropped += one.dropped / kDraws;
    if (i >= kPlaceDraws) continue;
    mean.to_ranks += visited_places(shares, group.top_k, group.limit, group.ranks) / kPlaceDraws;
    mean.to_nodes += visited_places(shares, group.top_k, group.limit, group.nodes) / kPlaceDraws;
  }
  return mean;
}

// Each token has as many places as its groups and its experts allow.
double most_places(const Group& group, int places) {
  const auto& [groups, chosen] = group.limit;
  const int reached = places < groups ? chosen : (places * chosen + groups - 1) / groups;
  return std::min({group.top_k, places, reached});
}

// On average over tokens whose experts are the next ones each time.
double places_in_turn(const Group& group, int places) {
  const int held = group.experts / places;
  double sum = 0;
  for (int token = 0; token < group.experts; ++token) {
    const int first = static_cast<int>(std::int64_t{token} * group.top_k % group.experts) % held;
    sum += std::min(places, (first + group.top_k - 1) / held + 1);
  }
  return sum / group.experts;
}

}  // namespace

Routed route(const ExpertRouting& routing, int experts, int top_k, int ranks, int nodes,
             double tokens, GroupLimit limit) {
  require(problem_of(routing, experts, top_k).empty(), "the experts can be routed");
  require(top_k >= 1 && top_k <= experts && tokens > 0, "tokens have experts to go to");
  require(ranks >= 1 && experts % ranks == 0 && nodes >= 1 && ranks % nodes == 0,
          "ranks hold as many experts each, and nodes as many ranks");
  require(limit.chosen >= 1 && limit.chosen <= limit.groups && experts % limit.groups == 0 &&
              top_k <= experts / limit.groups * limit.chosen,
          "the groups of a token have its experts");
  const Group group{experts, top_k, ranks, nodes, limit};
  switch (routing.kind) {
    case ExpertRouting::Kind::balanced:
      return {.to_ranks = most_places(group, ranks), .to_nodes = most_places(group, nodes)};
    case ExpertRouting::Kind::cyclic:
      return {.to_ranks = places_in_turn(group, ranks), .to_nodes = places_in_turn(group, nodes)};
    case ExpertRouting::Kind::random:
      return at_random(routing.capacity, group, tokens);
    case ExpertRouting::Kind::power_law: {
      static Once<std::tuple<ExpertRouting, std::array<int, 6>, double>, Routed> known;
      const std::array sizes{experts, top_k, ranks, nodes, limit.groups, limit.chosen};
      return known.of({routing, sizes, tokens},
                      [&] { return by_power_law(routing, group, tokens); });
    }
    case ExpertRouting::Kind::measured: {
      const Loads loads = loads_of(routing.shares, routing.capacity, ranks);
      return {.busiest = loads.busiest,
              .dropped = loads.dropped,
              .to_ranks = visited_places(routing.shares, top_k, limit, ranks),
              .to_nodes = visited_places(routing.shares, top_k, limit, nodes)};
    }
  }
  return {};
}

}  // namespace sim
