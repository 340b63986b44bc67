// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/best_value.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <vector>

namespace sim::study {
namespace {

constexpr int kSpread = 32;             // values tried all over the range
constexpr double kApart = 1 + kAsGood;  // of neighbours, where they are no whole numbers

class Climb {
 public:
  Climb(const Range& range, const std::function<double(double)>& score,
        const std::function<void()>& step)
      : range_(range), score_(score), step_(step) {}

  BestValue run(bool greatest) {
    for (int i = 0; i <= kSpread; ++i) attempt(spread(i));
    while (narrow()) {
    }
    const auto [value, score] = *best();
    const double enough = score - kAsGood * std::abs(score);
    return {greatest ? last_of(tried_.find(value), tried_.end(), enough)
                     : last_of(std::make_reverse_iterator(std::next(tried_.find(value))),
                               tried_.rend(), enough),
            score};
  }

 private:
  using Tried = std::map<double, double>;  // score by value

  [[nodiscard]] double spread(int i) const {
    const double share = static_cast<double>(i) / kSpread;
    if (i == kSpread) return range_.highest;
    if (range_.whole && range_.highest - range_.lowest <= kSpread) {
      return std::min(range_.lowest + i, range_.highest);
    }
    const double value = range_.lowest * std::pow(range_.highest / range_.lowest, share);
    return range_.whole ? std::round(value) : value;
  }

  double attempt(double value) {
    const auto [known, added] = tried_.try_emplace(value);
    if (added) {
      step_();
      known->second = score_(value);
    }
    return known->second;
  }

  [[nodiscard]] Tried::const_iterator best() const {
    return std::ranges::max_element(tried_, {}, &Tried::value_type::second);
  }

  [[nodiscard]] bool open(double one, double other) const {
    const auto [low, high] = std::minmax(one, other);
    return range_.whole ? high - low > 1 : high / low > kApart;
  }
  [[nodiscard]] double between(double one, double other) const {
    const double middle = std::sqrt(one * other);
    if (!range_.whole) return middle;
    const auto [low, high] = std::minmax(one, other);
    return std::clamp(std::round(middle), low + 1, high - 1);
  }

  // Tries a value on either side of the best one. False if its neighbours have been tried.
  bool narrow() {
    const auto at = best();
    const double value = at->first;
    std::vector<double> next;
    if (at != tried_.begin()) next.push_back(std::prev(at)->first);
    if (std::next(at) != tried_.end()) next.push_back(std::next(at)->first);
    std::erase_if(next, [&](double other) { return !open(value, other); });
    for (const double other : next) attempt(between(value, other));
    return !next.empty();
  }

  // The last from `from` on that scores enough, as do all before it.
  template <class Iterator>
  double last_of(Iterator from, Iterator end, double enough) {
    double good = from->first;
    for (; from != end && from->second >= enough; ++from) good = from->first;
    if (from == end) return good;
    double bad = from->first;
    while (open(good, bad)) {
      const double middle = between(good, bad);
      (attempt(middle) >= enough ? good : bad) = middle;
    }
    return good;
  }

  const Range& range_;
  const std::function<double(double)>& score_;
  const std::function<void()>& step_;
  Tried tried_;
};

}  // namespace

BestValue best_value(const Range& range, bool greatest, const std::function<double(double)>& score,
                     const std::function<void()>& step) {
  return Climb(range, score, step).run(greatest);
}

int most_best_tries(const Range& range) {
  const double gap = range.whole
                         ? range.highest / kSpread
                         : std::log(range.highest / range.lowest) / kSpread / std::log(kApart);
  return kSpread + 1 + 3 * static_cast<int>(std::ceil(std::log2(std::max(2.0, gap))));
}

}  // namespace sim::study
