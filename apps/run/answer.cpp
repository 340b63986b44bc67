// SPDX-License-Identifier: Apache-2.0
#include "apps/run/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "apps/words.hpp"
#include "sim/study/search/likely_range.hpp"
#include "sim/study/search/verdict.hpp"

namespace apps {
namespace {

using sim::Report;
using Reports = std::vector<Report>;

bool trains(const Report& one) { return one.fits_memory && one.ended(); }

// Without those that are there to be compared with.
Reports competing(std::span<const Report> all) {
  Reports some;
  for (const Report& one : all) {
    const bool measures_others = std::ranges::any_of(all, [&](const Report& other) {
      return other.baseline == one.scheme && other.scheme != one.scheme;
    });
    const bool has_baseline = !one.baseline.empty() && one.baseline != one.scheme;
    if (has_baseline || !measures_others) some.push_back(one);
  }
  return some;
}

bool trains(std::span<const Report> all, const std::string& scheme) {
  const auto found = std::ranges::find(all, scheme, &Report::scheme);
  return found == all.end() || trains(*found);
}

bool is_compared(const Report& one, std::span<const Report> all) {
  return !one.baseline.empty() && one.baseline != one.scheme && trains(all, one.baseline);
}

// If both fitted in memory.
std::optional<sim::Verdict> verdict_of(const Report& one) {
  return sim::study::verdict_of({.speedup = one.speedup, .range = one.speedup_range});
}

bool wins(const Report& one) { return verdict_of(one) == sim::Verdict::win; }

// "206 763 tokens/s, likely 200 000 to 214 000"; of sites that come and go, what is kept.
std::string speed_text(const Report& one) {
  const std::string speed = fmt::format("{} tokens/s{}", grouped(one.trained_tokens_per_s()),
                                        one.membership ? " kept" : "");
  if (!one.range) return speed;
  const auto& months = one.membership;
  return fmt::format(
      "{}, likely {}", speed,
      rounded_range(months ? months->tokens_per_s_low : one.range->tokens_per_s_low,
                    months ? months->tokens_per_s_high : one.range->tokens_per_s_high));
}

// "2.5 times as fast as sharded (likely 2.1 to 2.9)".
std::string comparison(const Report& one) {
  const auto verdict = verdict_of(one);
  if (verdict == sim::Verdict::loss) {
    return fmt::format("{:.0f} % slower than {}", 100 * (1 - one.speedup), one.baseline);
  }
  const std::string likely = one.speedup_range
                                 ? fmt::format(" (likely {:.3g} to {:.3g})", one.speedup_range->low,
                                               one.speedup_range->high)
                                 : "";
  return fmt::format("{:.3g} times as fast as {}{}{}", one.speedup, one.baseline,
                     verdict == sim::Verdict::win ? "" : ", too close to call", likely);
}

// `subject`: "sdp4bit trains".
std::string of_one(const std::string& subject, const Report& one, std::span<const Report> all) {
  if (!is_compared(one, all)) return fmt::format("{} at {}", subject, speed_text(one));
  return fmt::format("{} {}: {}", subject, comparison(one), speed_text(one));
}

bool beats(const Report& first, const Report& other) {
  const double speedup = first.trained_tokens_per_s() / other.trained_tokens_per_s();
  const auto range = sim::study::range_of_ratio(speedup, first.sensitivity, other.sensitivity);
  return sim::study::verdict_of({.speedup = speedup, .range = range}) == sim::Verdict::win;
}

// How many lead: the fastest, and those after it that it does not beat.
std::size_t leaders_of(const Reports& fastest_first) {
  const auto beaten = std::ranges::find_if(
      fastest_first, [&](const Report& one) { return beats(fastest_first.front(), one); });
  return static_cast<std::size_t>(beaten - fastest_first.begin());
}

std::vector<std::string> names_of(std::span<const Report> some) {
  std::vector<std::string> names;
  for (const Report& one : some) names.push_back(one.scheme);
  return names;
}

// "; next zeropp (176 216) and tlq (144 874)".
std::string next_text(std::span<const Report> fastest_first) {
  constexpr std::size_t kNamed = 2;
  std::vector<std::string> next;
  for (const Report& one : fastest_first.first(std::min(kNamed, fastest_first.size()))) {
    next.push_back(fmt::format("{} ({})", one.scheme, grouped(one.trained_tokens_per_s())));
  }
  return next.empty() ? "" : "; next " + listed(next);
}

// ", within 4 % of one another": the slowest of the leaders, relative to the first.
std::string closeness(std::span<const Report> leaders) {
  const double share =
      1 - leaders.back().trained_tokens_per_s() / leaders.front().trained_tokens_per_s();
  if (leaders.size() == 1 || share == 0) return "";
  return fmt::format(", within {:.0f} % of one another", std::ceil(100 * share));
}

std::string of_several(const Reports& fastest_first, std::span<const Report> all) {
  const Report& first = fastest_first.front();
  const std::span<const Report> some = fastest_first;
  const bool compared = is_compared(first, all);
  if (compared && std::ranges::none_of(some, wins)) {
    return fmt::format("none of {} schemes beats {}; {} comes closest: {}", some.size(),
                       first.baseline, first.scheme, speed_text(first)) +
           next_text(some.subspan(1));
  }
  const std::span<const Report> leaders = some.first(leaders_of(fastest_first));
  const std::string close = closeness(leaders);
  const char* verb = leaders.size() == 1            ? "trains fastest"
                     : leaders.size() < some.size() ? "train fastest"
                     : close.empty()                ? "train equally fast"
                                                    : "are too close to call";
  const char* up_to = close.empty() ? "" : "up to ";
  const std::string how =
      compared ? fmt::format(", {}{}", wins(first) ? up_to : "but ", comparison(first)) : "";
  return fmt::format("{} {}{}{}: {}{}", listed(names_of(leaders)), verb, close, how, up_to,
                     speed_text(first)) +
         next_text(some.subspan(leaders.size()));
}

// Of those that train nothing, and why.
std::string left_out(std::span<const Report> all) {
  std::vector<std::string> large, endless;
  for (const Report& one : all) {
    if (!one.ended()) {
      endless.push_back(one.scheme);
    } else if (!one.fits_memory) {
      large.push_back(one.scheme);
    }
  }
  std::string text;
  if (!large.empty()) {
    text +=
        fmt::format("; {} {} not fit in memory", listed(large), large.size() == 1 ? "does" : "do");
  }
  if (!endless.empty()) {
    text += fmt::format("; {} {} no round", listed(endless),
                        endless.size() == 1 ? "completes" : "complete");
  }
  return text;
}

// Where nothing trains.
std::string of_none(std::span<const Report> asked, std::span<const Report> all) {
  Reports ending;
  std::ranges::copy_if(asked, std::back_inserter(ending), &Report::ended);
  if (ending.empty()) {
    return asked.size() == 1 ? asked.front().scheme + " completes no round"
                             : std::string("no scheme completes a round");
  }
  const Report& fastest = *std::ranges::max_element(ending, {}, &Report::trained_tokens_per_s);
  if (asked.size() == 1) {
    return of_one(fastest.scheme + " does not fit in memory; if it did, it would train", fastest,
                  all);
  }
  return of_one(fmt::format("no scheme fits in memory; if all did, {} would train", fastest.scheme),
                fastest, all);
}

// Where the range has the long lower end of a network that was not measured (kSlowDelivery).
std::string of_network(const Report& first) {
  constexpr double kMatters = 0.01;
  const auto& sensitivity = first.sensitivity;
  const bool matters =
      sensitivity && sensitivity->slower_network > 2 * sensitivity->network + kMatters;
  return matters ? "; its network was not measured: one in ten delivers half (`fit`)" : "";
}

}  // namespace

std::string answer(std::span<const Report> all) {
  const Reports asked = competing(all);
  if (asked.empty()) return "";
  Reports training;
  std::ranges::copy_if(asked, std::back_inserter(training),
                       [](const Report& one) { return trains(one); });
  std::ranges::stable_sort(training, std::ranges::greater(), &Report::trained_tokens_per_s);
  if (training.empty()) return of_none(asked, all);
  const std::string text = training.size() == 1
                               ? of_one(training.front().scheme + " trains", training.front(), all)
                               : of_several(training, all);
  return text + left_out(all) + of_network(training.front());
}

}  // namespace apps
