// SPDX-License-Identifier: Apache-2.0
// The circle method: the last place stays, the others turn, so that all pairs meet in n-1 rounds.
// With an odd number one site a round has no partner.
#include <algorithm>
#include <utility>

#include "sim/sites/exchange_kernels.hpp"
#include "sim/sites/meeting.hpp"

namespace sim {
namespace {

void add_sum_of_two(const SiteExchange& exchange, std::size_t elements, int,
                    ExchangeKernels& kernels) {
  kernels.decode = {use_of(exchange, codecs::Operation::decode_reduce, elements, 2)};
}

// Places that meet, or one and -1.
std::vector<std::pair<int, int>> pairs_of(std::vector<int> circle, int round) {
  if (circle.size() % 2 == 1) circle.push_back(-1);
  const auto turning = static_cast<int>(circle.size()) - 1;
  std::rotate(circle.begin(), circle.begin() + round % turning, circle.end() - 1);
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < circle.size() / 2; ++i) {
    pairs.emplace_back(circle[i], circle[circle.size() - 1 - i]);
  }
  return pairs;
}

void run_pair(Meeting& meeting) {
  for (const int place : meeting.present()) meeting.finish(place, meeting.encoded(place));
  for (const auto& [a, b] : pairs_of(meeting.heard(), meeting.round())) {
    if (a < 0 || b < 0) continue;
    const auto sent = [&](int from, int to) {
      const OperationId id = meeting.send(from, to, meeting.whole_bytes(from), 1,
                                          meeting.ready(from, meeting.encoded(from)));
      meeting.arrive(from, id);
      return id;
    };
    const OperationId to_b = sent(a, b);
    const OperationId to_a = sent(b, a);
    meeting.finish(b, meeting.member(b, "gossip", meeting.encoded(b), {to_b}));
    meeting.finish(a, meeting.member(a, "gossip", meeting.encoded(a), {to_a}));
  }
}

}  // namespace

constinit const Exchange exchanges::pair{
    .name = "pair", .joins_two = true, .add_kernels = add_sum_of_two, .run = run_pair};

}  // namespace sim
