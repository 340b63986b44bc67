// SPDX-License-Identifier: Apache-2.0
// Times of rounds of a space's candidates, each computed once, from any thread. Candidates with the same steps
// inside a site share them. Every simulated time is compared with its bounds.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/base/once.hpp"
#include "sim/rounds/round_report.hpp"
#include "sim/study/membership.hpp"
#include "sim/study/plan/site_space.hpp"
#include "sim/study/search/first_bound.hpp"

namespace sim::study {

class SiteTimes {
 public:
  explicit SiteTimes(const SiteSpace& space) : space_(space), first_(space.tables.size()) {}

  // Lower bounds of seconds(): from its inner steps' bounds in closed form and by schedule; and from a
  // site's traffic if the others wait for it.
  [[nodiscard]] double first_bound(const SiteCandidate& candidate);
  [[nodiscard]] double planned_bound(const SiteCandidate& candidate);
  [[nodiscard]] const Report& simulated(const SiteCandidate& candidate);
  // What months bring to sites that come and go; nothing if all stay, or if the round was aborted.
  // Rounds of as many sites of the same kinds are simulated once for all candidates.
  [[nodiscard]] const std::optional<MembershipFigures>& months(const SiteCandidate& candidate);
  // What the sites of a round that never ends wait for.
  [[nodiscard]] std::string why_endless(const SiteCandidate& candidate);
  // For as many tokens as a round of all its sites has, kept ones where sites come and go.
  [[nodiscard]] double seconds(const SiteCandidate& candidate);
  // Nothing unless simulated() or months() was called.
  [[nodiscard]] const Report* known(const SiteCandidate& candidate) const {
    return reports_.find(key(candidate));
  }
  [[nodiscard]] std::optional<MembershipFigures> known_months(
      const SiteCandidate& candidate) const {
    const auto* months = months_.find(key(candidate));
    return months == nullptr ? std::nullopt : *months;
  }

  [[nodiscard]] std::int64_t planned() const {
    return static_cast<std::int64_t>(planned_steps_.size());
  }
  [[nodiscard]] std::int64_t simulated_steps() const {
    return static_cast<std::int64_t>(inner_steps_.size());
  }
  [[nodiscard]] std::int64_t simulated_rounds() const {
    return static_cast<std::int64_t>(reports_.size() + paces_.size());
  }

 private:
  using Key = std::pair<std::size_t, std::size_t>;  // layout, scheme
  [[nodiscard]] static Key key(const SiteCandidate& one) { return {one.layout, one.scheme}; }

  // An inner step: the table of the file, and what a layout chooses.
  using StepKey = std::tuple<std::size_t, std::size_t, Parallelism>;
  [[nodiscard]] static StepKey step_key(std::size_t table, const Layout& layout) {
    return {table, layout.scheme, layout.parallelism};
  }

  // Inside the sites of the file's table.
  [[nodiscard]] Setup setup(std::size_t table, const SiteLayout& at) const;
  [[nodiscard]] double first_step(std::size_t table, const SiteLayout& at);
  [[nodiscard]] double planned_step(std::size_t table, const SiteLayout& at);
  // Bound of a round, from such a bound of each table's inner steps.
  using StepBound = double (SiteTimes::*)(std::size_t table, const SiteLayout& at);
  [[nodiscard]] double bound(const SiteCandidate& candidate, StepBound of_step);
  [[nodiscard]] std::vector<InnerStep> inner_steps(const SiteCandidate& candidate);

  const SiteSpace& space_;
  std::vector<FirstBounds> first_;  // by table
  Once<StepKey, double> first_steps_, planned_steps_;
  // Also by the demands that the scheme between the sites makes on a step: gradients, concurrent
  // traffic.
  Once<std::tuple<StepKey, bool, bool>, InnerStep> inner_steps_;
  Once<Key, Report> reports_;
  Once<Key, std::optional<MembershipFigures>> months_;
  // By scheme, what a layout chooses, and the numbers of sites of the file's tables.
  Once<std::tuple<std::size_t, std::size_t, Parallelism, std::vector<int>>, RoundPace> paces_;
};

// Least bytes that a site of the table of the context's area sends in a round by its exchange; 0 if
// the site may be left out of the round or there is no other.
[[nodiscard]] double least_sent(const RoundContext& context, std::size_t table,
                                const Scheme& scheme);

}  // namespace sim::study
