// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "sim/base/mix.hpp"

namespace sim {
namespace {

// Until then, of one period.
double capacity_within(const Link& link, double until_s) {
  double bytes = 0;
  double since_s = 0;
  double rate_Bps = link.rate_Bps;
  for (const RateChange& change : link.changes) {
    if (change.at_s >= until_s) break;
    bytes += rate_Bps * (change.at_s - since_s);
    since_s = change.at_s;
    rate_Bps = change.rate_Bps;
  }
  return bytes + rate_Bps * (until_s - since_s);
}

}  // namespace

LinkId Links::add(Link link) {
  runs_.push_back({std::move(link), size_});
  return size_++;
}

LinkId Links::add_numbered(Link like, int count) {
  const LinkId first = size_;
  if (count > 0) runs_.push_back({std::move(like), first});
  size_ += static_cast<LinkId>(count);
  return first;
}

Link Links::operator[](LinkId id) const {
  const auto& [like, first] = run_of(id);
  Link link = like;
  if (link.name.empty()) link.name = fmt::format("{}_{}", link.kind, id - first);
  return link;
}

std::uint64_t Links::fingerprint() const {
  std::uint64_t of_all = size_;
  for (const auto& [like, first] : runs_) {
    of_all = mix(mix(of_all, first), std::hash<std::string>{}(like.kind));
  }
  return of_all;
}

const Links::Run& Links::run_of(LinkId id) const {
  return *std::prev(std::ranges::upper_bound(runs_, id, {}, &Run::first));
}

double highest_rate(const Link& link) {
  double highest = link.rate_Bps;
  for (const RateChange& change : link.changes) highest = std::max(highest, change.rate_Bps);
  return highest;
}

double capacity_bytes(const Link& link, double until_s) {
  if (link.repeats_s <= 0) return capacity_within(link, until_s);
  const double periods = std::floor(until_s / link.repeats_s);
  return periods * capacity_within(link, link.repeats_s) +
         capacity_within(link, until_s - periods * link.repeats_s);
}

}  // namespace sim
