// SPDX-License-Identifier: Apache-2.0
#include "apps/check/reference.hpp"

#include <fmt/format.h>

#include <optional>

#include "apps/check/tolerance.hpp"

namespace apps {
namespace {

constexpr const char* kStep = "step_time_s";
constexpr const char* kTokens = "tokens_per_s";
constexpr const char* kKept = "kept_tokens_per_s";  // of a month of rounds

// Steps of a scheme and its reference have as many tokens each; rounds between sites may not.
bool is_round(const Result& point) { return point.setup.contains("inner_steps"); }

// Of the scheme and of its reference: seconds of a step, or tokens a second of rounds.
struct Paces {
  double scheme, reference;
};

std::optional<Paces> paces_of(const Result& point, bool in_rounds) {
  const auto number = [&](const char* metric) { return number_of(point.metrics, metric); };
  const auto speedup = number("speedup"), kept = number(kKept);
  const auto scheme = !in_rounds ? number(kStep) : kept ? kept : number(kTokens);
  if (!speedup || !scheme || *speedup <= 0) return std::nullopt;
  return Paces{*scheme, in_rounds ? *scheme / *speedup : *scheme * *speedup};
}

// "+1.2 %"; empty if other rounding explains it.
std::string moved_text(double before, double now) {
  return is_within(before, now, kUsualTolerance) ? "" : change_text(before, now);
}

}  // namespace

bool explains_speedup(std::string_view metric) {
  return metric == kStep || metric == kTokens || metric == kKept;
}

bool is_own_reference(const Result& point) {
  return point.setup.contains("baseline") && point.setup["baseline"] == point.setup["scheme"];
}

std::string reference_text(const Result* before, const Result& now) {
  const bool in_rounds = is_round(now);
  const auto today = paces_of(now, in_rounds);
  if (!today) return "";
  std::string text =
      fmt::format("over {} at {:.4g} {}", text_of(now.setup.value("baseline", Inputs("another"))),
                  today->reference, in_rounds ? "tokens/s" : "s a step");
  const auto then = before == nullptr ? std::nullopt : paces_of(*before, in_rounds);
  if (!then) return text;
  const std::string reference = moved_text(then->reference, today->reference);
  const std::string scheme = moved_text(then->scheme, today->scheme);
  if (reference.empty()) return text + ", as before";
  return fmt::format("{}: the reference moved {}, {}", text, reference,
                     scheme.empty() ? "not the scheme" : "the scheme " + scheme);
}

}  // namespace apps
