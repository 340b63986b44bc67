// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/routing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <numeric>
#include <span>

#include "sim/base/error.hpp"
#include "sim/base/mix.hpp"

namespace sim {
namespace {

using Shares = std::vector<double>;  // of all rows, by expert

struct Group {
  int experts, top_k, ranks, nodes;
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

// Sums over all choices of so many experts of the product of their weights: elementary symmetric
// polynomials, by the number chosen.
using ChoiceSums = std::vector<double>;

ChoiceSums joined(const ChoiceSums& a, const ChoiceSums& b) {
  ChoiceSums both(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; i + j < both.size(); ++j) both[i + j] += a[i] * b[j];
  }
  return both;
}

// The odds of each expert to be chosen, times a constant that keeps the sums of products near 1.
std::vector<double> odds_of(const Shares& shares, int top_k) {
  constexpr double kMost = 1 - 1e-6;
  std::vector<double> odds;
  for (const double share : shares) {
    const double chosen = std::min(share * top_k, kMost);
    odds.push_back(chosen / (1 - chosen));
  }
  const double scale = top_k / std::reduce(odds.begin(), odds.end());
  for (double& one : odds) one *= scale;
  return odds;
}

// Expected number of `places`, each with as many consecutive experts, that hold some of the top_k
// experts of a token. Sets of experts are chosen with probabilities proportional to the product of
// their odds (conditional Poisson sampling: Hajek, Ann. Math. Statist. 35, 1964); for equal shares
// that is hypergeometric.
double places_of_token(const Shares& shares, int top_k, int places) {
  if (places == 1) return 1;
  const std::vector<double> odds = odds_of(shares, top_k);
  const ChoiceSums nothing = [&] {
    ChoiceSums sums(static_cast<std::size_t>(top_k) + 1);
    sums[0] = 1;
    return sums;
  }();
  const auto count = static_cast<std::size_t>(places);
  const std::size_t held = shares.size() / count;
  std::vector<ChoiceSums> of(count, nothing);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    ChoiceSums& sums = of[i / held];
    for (std::size_t chosen = sums.size() - 1; chosen > 0; --chosen) {
      sums[chosen] += sums[chosen - 1] * odds[i];
    }
  }
  std::vector<ChoiceSums> after(count + 1, nothing);  // of this place and all after it
  for (std::size_t i = count; i-- > 0;) after[i] = joined(of[i], after[i + 1]);
  ChoiceSums before = nothing;
  double visited = 0;
  for (std::size_t i = 0; i < count; ++i) {
    visited += 1 - joined(before, after[i + 1]).back() / after[0].back();
    before = joined(before, of[i]);
  }
  return visited;
}

Shares equal_shares(int experts) {
  return Shares(static_cast<std::size_t>(experts), 1.0 / experts);
}

Routed by_shares(const Shares& shares, double capacity, const Group& group) {
  const double most = capacity > 0 ? capacity / static_cast<double>(shares.size()) : 1;
  const std::size_t held = shares.size() / static_cast<std::size_t>(group.ranks);
  double kept = 0;
  double fullest = 0;
  for (std::size_t first = 0; first < shares.size(); first += held) {
    double rank = 0;
    for (std::size_t i = first; i < first + held; ++i) rank += std::min(shares[i], most);
    kept += rank;
    fullest = std::max(fullest, rank);
  }
  return {.busiest = std::max(1.0, fullest / kept * group.ranks),
          .dropped = capacity > 0 ? std::max(0.0, 1 - kept) : 0,
          .to_ranks = places_of_token(shares, group.top_k, group.ranks),
          .to_nodes = places_of_token(shares, group.top_k, group.nodes)};
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

// The rows of ranks are hypergeometric for each token, and normal for many; their sum is fixed, which
// widens the distance of the largest from the mean by sqrt(ranks / (ranks - 1)).
Routed at_random(double capacity, const Group& group, double tokens) {
  const auto [experts, top_k, ranks, nodes] = group;
  const Shares shares = equal_shares(experts);
  Routed routed{.to_ranks = places_of_token(shares, top_k, ranks),
                .to_nodes = places_of_token(shares, top_k, nodes)};
  const Cut cut = cut_at(capacity, tokens / ranks, static_cast<double>(top_k) / experts);
  routed.dropped = cut.dropped;
  if (ranks == 1 || experts == top_k) return routed;
  const double part = 1.0 / ranks;
  const double mean = top_k * part;  // rows of a rank for each token
  const double variance = mean * (1 - part) * (experts - top_k) / (experts - 1);
  const double deviation = std::sqrt(cut.variance * variance / tokens * ranks / (ranks - 1));
  const double kept = 1 - cut.dropped;
  const double most = std::min(top_k, experts / ranks) / mean;
  routed.busiest = std::min(1 + largest_normal(ranks) * deviation / (mean * kept), most);
  if (capacity > 0) routed.busiest = std::min(routed.busiest, std::max(1.0, capacity / kept));
  return routed;
}

// An expert has at most a row of each token; those that hold fewer take what is above.
void limit_shares(Shares& shares, double most) {
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
Shares drawn_shares(Draws& draws, double exponent, const Group& group, double tokens) {
  const double most = std::max(1.0, 0.8 * tokens);
  const double power = 1 - exponent;
  const double end = std::pow(most, power);
  Shares shares(static_cast<std::size_t>(group.experts));
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
  Draws draws(0);
  Routed mean{.busiest = 0, .to_ranks = 0, .to_nodes = 0};
  for (int i = 0; i < kDraws; ++i) {
    const Shares shares = drawn_shares(draws, routing.exponent, group, tokens);
    const Routed one = by_shares(shares, routing.capacity, group);
    mean.busiest += one.busiest / kDraws;
    mean.dropped += one.dropped / kDraws;
    mean.to_ranks += one.to_ranks / kDraws;
    mean.to_nodes += one.to_nodes / kDraws;
  }
  return mean;
}

}  // namespace

Routed route(const ExpertRouting& routing, int experts, int top_k, int ranks, int nodes,
             double tokens) {
  require(problem_of(routing, experts, top_k).empty(), "the experts can be routed");
  require(top_k >= 1 && top_k <= experts && tokens > 0, "tokens have experts to go to");
  require(ranks >= 1 && experts % ranks == 0 && nodes >= 1 && ranks % nodes == 0,
          "ranks hold as many experts each, and nodes as many ranks");
  const Group group{experts, top_k, ranks, nodes};
  switch (routing.kind) {
    case ExpertRouting::Kind::balanced:
      return {.to_ranks = static_cast<double>(std::min(top_k, ranks)),
              .to_nodes = static_cast<double>(std::min(top_k, nodes))};
    case ExpertRouting::Kind::random:
      return at_random(routing.capacity, group, tokens);
    case ExpertRouting::Kind::power_law:
      return by_power_law(routing, group, tokens);
    case ExpertRouting::Kind::measured:
      return by_shares(routing.shares, routing.capacity, group);
  }
  return {};
}

}  // namespace sim
