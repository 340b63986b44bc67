// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/best_of_kinds.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace sim::study {
namespace {

// What is known of the kinds so far.
class Kinds {
 public:
  Kinds(Choices& choices, const KindSearch& search, double gap)
      : choices_(choices), search_(search), gap_(gap) {}

  // Whether a candidate, or one of a group, with this time can be the best of a kind, or simpler and alike.
  [[nodiscard]] bool is_in_question(std::size_t candidate, double seconds) {
    return std::ranges::any_of(choices_.kinds(candidate), [&](const Kind& kind) {
      const auto found = found_.find(kind);
      if (found != found_.end()) return can_replace(candidate, seconds, found->second);
      return found_.size() < search_.most && !is_beaten(kind, candidate, seconds);
    });
  }

  void add(const Ranked& one) {
    const Kind kind = choices_.kinds(one.candidate).front();
    const double alike_token_s = token_s(one.candidate, one.seconds) * (1 + gap_);
    const auto [found, is_first] = found_.try_emplace(kind, Found{one, one, alike_token_s});
    if (!is_first) found->second.plan = one;
  }

  // Of those that were found later, some beat others.
  [[nodiscard]] BestOfKinds result() {
    std::vector<const Found*> kept;
    const auto beats = [&](const Found& one, const Found& other) {
      return search_.beats(one.best, other.best.candidate, other.best.seconds);
    };
    for (const auto& one : found_) {
      const Found& found = one.second;
      if (std::ranges::any_of(kept, [&](const Found* other) { return beats(*other, found); }))
        continue;
      std::erase_if(kept, [&](const Found* other) { return beats(found, *other); });
      kept.push_back(&found);
    }
    BestOfKinds result;
    for (const Found* one : kept) result.plans.push_back(one->plan);
    const auto lost = std::ranges::count_if(
        beaten_, [&](const Kind& kind) { return !found_.contains(kind) && has_any(kind); });
    result.beaten = found_.size() - kept.size() + static_cast<std::size_t>(lost);
    return result;
  }

 private:
  struct Found {
    Ranked best, plan;
    double alike_token_s;  // of what is as good as the best
  };

  // Whether anything of a kind fits: a group may have none of a kind that its schemes could be of.
  [[nodiscard]] bool has_any(const Kind& kind) {
    const auto is_of_kind = [&](std::size_t one) {
      return std::ranges::count(choices_.kinds(one), kind) > 0;
    };
    for (std::size_t group = 0; group < choices_.count(); ++group) {
      if (!is_of_kind(group)) continue;
      if (!choices_.is_group(group)) return true;
      if (std::ranges::any_of(choices_.open(group), is_of_kind)) return true;
    }
    return false;
  }

  [[nodiscard]] double token_s(std::size_t candidate, double seconds) const {
    return seconds / choices_.tokens(candidate);
  }

  [[nodiscard]] bool can_replace(std::size_t candidate, double seconds, const Found& found) const {
    return token_s(candidate, seconds) <= found.alike_token_s &&
           kinds_of_parallelism(choices_.parallelism(candidate)) <
               kinds_of_parallelism(choices_.parallelism(found.plan.candidate));
  }

  [[nodiscard]] bool is_beaten(const Kind& kind, std::size_t candidate, double seconds) {
    const bool is_beaten = std::ranges::any_of(found_, [&](const auto& other) {
      return search_.beats(other.second.best, candidate, seconds);
    });
    if (is_beaten) beaten_.insert(kind);
    return is_beaten;
  }

  Choices& choices_;
  const KindSearch& search_;
  const double gap_;
  std::map<Kind, Found> found_;
  std::set<Kind> beaten_;
};

}  // namespace

int kinds_of_parallelism(const Parallelism& p) {
  int kinds = 0;
  for (const int ways : {p.tensor, p.pipeline, p.context, p.expert, p.virtual_stages}) {
    kinds += ways > 1 ? 1 : 0;
  }
  return kinds;
}

BestOfKinds best_of_kinds(Choices& choices, const KindSearch& search, const Extent& extent,
                          const std::function<void(const Choices&)>& progress) {
  Kinds kinds(choices, search, extent.gap);
  const auto score = [&](std::size_t candidate, double seconds) -> std::optional<Score> {
    if (!kinds.is_in_question(candidate, seconds)) return std::nullopt;
    return search.score(candidate, seconds);
  };
  BestFirst best_first(choices, score, extent, progress);
  while (const auto one = best_first.next()) kinds.add(*one);
  return kinds.result();
}

}  // namespace sim::study
