// SPDX-License-Identifier: Apache-2.0
#include "sim/study/fit/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/joined.hpp"
#include "sim/base/likely.hpp"
#include "sim/base/names.hpp"

namespace sim::study {
namespace {

// Surprise that a part must save: chi-squared of one degree of freedom at 99 %. What the times alone
// must tell for no word on priors: at 90 %.
constexpr double kClear = 6.63, kTold = 2.71;
// What the measured steps must gain for a part to matter.
constexpr double kMatters = 1.05;
// Networks below this share of the file's are slow. Of ten that nobody asked about, eight deliver
// more (traces/published/nic_delivery.csv).
constexpr double kSlowNetwork = 0.8;
// Hosts, and delays of collectives, beyond this factor are slow. Their priors are so wide that hardly
// any would be: what a user would mend begins earlier (a judgement).
constexpr double kLate = 1.5;

constexpr Part kParts[] = {Part::network, Part::links, Part::delays,
                           Part::gpus,    Part::host,  Part::rest};

constexpr EnumName<Part> kPartNames[] = {{"network", Part::network}, {"links", Part::links},
                                         {"delays", Part::delays},   {"gpus", Part::gpus},
                                         {"host", Part::host},       {"rest", Part::rest}};
constexpr EnumName<Standing> kStandingNames[] = {{"as_expected", Standing::as_expected},
                                                 {"slow", Standing::slow},
                                                 {"fast", Standing::fast},
                                                 {"not_seen", Standing::not_seen},
                                                 {"undecided", Standing::undecided}};
constexpr EnumName<Part> kPartTexts[] = {
    {"the network", Part::network}, {"the links inside a node", Part::links},
    {"delays", Part::delays},       {"computing", Part::gpus},
    {"the host", Part::host},       {"what is outside the model", Part::rest}};

bool is_of(const DoubtfulConstant& one, Part part) { return one.constant->part == part; }

std::vector<DoubtfulConstant> without(std::vector<DoubtfulConstant> all, Part part) {
  std::erase_if(all, [&](const DoubtfulConstant& one) { return is_of(one, part); });
  return all;
}

// The most likely constants if the part is as the base has it.
Optimum other_explanation(const MeasuredTimes& times, const LikelyFit& fit, Part part) {
  Optimum near = descend(times, fit.deviation, without(fit.optimum.free, part));
  Optimum far = most_likely(times, fit.deviation, starts_of(times, without(fit.used, part)));
  return far.surprise < near.surprise ? far : near;
}

double mean_log_ratio(const std::vector<double>& over, const std::vector<double>& under) {
  double sum = 0;
  for (std::size_t i = 0; i < over.size(); ++i) sum += std::log(over[i] / under[i]);
  return sum / static_cast<double>(over.size());
}

// How much faster the steps are than the fit's if the part is as the base has it.
double gain_of(const MeasuredTimes& times, const LikelyFit& fit, Part part) {
  return std::exp(mean_log_ratio(fit.optimum.predicted,
                                 times.predicted(values_of(without(fit.optimum.free, part)))));
}

// The part's constant that is furthest from its prior.
const DoubtfulConstant* main_constant(const Optimum& optimum, Part part) {
  const DoubtfulConstant* furthest = nullptr;
  double most = -1;
  for (const DoubtfulConstant& one : optimum.free) {
    if (!is_of(one, part) || one.off() <= most) continue;
    most = one.off();
    furthest = &one;
  }
  return furthest;
}

// Beyond what is expected of a healthy cluster before anything is measured.
bool is_unexpected(const DoubtfulConstant& one) {
  if (is_of(one, Part::network) || is_of(one, Part::links)) {
    return one.value < kSlowNetwork * one.center;
  }
  if (is_of(one, Part::host) || is_of(one, Part::delays)) {
    return one.value > kLate * one.center;
  }
  return one.off() > kLikelySpreads;
}

// A part, and those to which the times may be due as well.
struct Accusation {
  PartFinding finding;
  std::vector<Part> others;
};

Accusation accusation_of(const MeasuredTimes& times, const LikelyFit& fit, Part part) {
  Accusation accusation{.finding = {.part = part}};
  PartFinding& finding = accusation.finding;
  const DoubtfulConstant* main = main_constant(fit.optimum, part);
  if (main == nullptr) return accusation;
  finding.standing = Standing::as_expected;
  finding.gain = gain_of(times, fit, part);
  if (!is_rest(*main->constant)) {
    const auto place = static_cast<std::size_t>(main - fit.optimum.free.data());
    const fit::Interval likely = interval_of(*main, fit.deviations[place], kLikelySpreads);
    finding.share = main->value / main->center;
    finding.likely = {likely.low / main->center, likely.high / main->center};
  }
  const bool matters = std::abs(std::log(finding.gain)) > std::log(kMatters);
  if (!matters || !is_unexpected(*main)) return accusation;
  const Optimum other = other_explanation(times, fit, part);
  const bool is_clear = other.surprise - fit.optimum.surprise > kClear;
  finding.standing = !is_clear           ? Standing::undecided
                     : main->is_slower() ? Standing::slow
                                         : Standing::fast;
  finding.is_by_priors =
      is_clear && surprise_of_times(other) - surprise_of_times(fit.optimum) < kTold;
  for (const Part another : kParts) {
    const DoubtfulConstant* moved = main_constant(other, another);
    if (moved != nullptr && is_unexpected(*moved)) accusation.others.push_back(another);
  }
  return accusation;
}

bool is_used(const LikelyFit& fit, Part part) {
  return std::ranges::any_of(fit.used,
                             [&](const DoubtfulConstant& one) { return is_of(one, part); });
}

PartFinding* find(Diagnosis& diagnosis, Part part) {
  const auto one = std::ranges::find(diagnosis.parts, part, &PartFinding::part);
  return one == diagnosis.parts.end() ? nullptr : &*one;
}

std::string measurement_for(Diagnosis& diagnosis, bool has_one_node) {
  const auto is_open = [&](Part part) {
    const PartFinding* one = find(diagnosis, part);
    return one != nullptr && (one->standing == Standing::undecided || one->is_by_priors);
  };
  const bool is_of_logs =
      find(diagnosis, Part::links) != nullptr || find(diagnosis, Part::delays) != nullptr;
  if (is_of_logs) {
    const bool is_any_open =
        is_open(Part::network) || is_open(Part::links) || is_open(Part::delays);
    if (!is_any_open) return "";
    return has_one_node ? "a log of the same collective on several nodes, from bytes to GiB"
                        : "a log of the same collective on one node, from bytes to GiB";
  }
  if (is_open(Part::network)) {
    return has_one_node ? "a log of nccl-tests between the nodes (all_reduce_perf -b 1M -e 4G -f 2)"
                        : "the same step on one node (`nodes` 1), as one more row";
  }
  if (is_open(Part::host) || is_open(Part::rest)) {
    return "a profiler's trace of one step (`trace`)";
  }
  if (is_open(Part::gpus)) {
    return find(diagnosis, Part::network) != nullptr && !has_one_node
               ? "the same step on one node (`nodes` 1), as one more row"
               : "a profiler's trace of one step (`trace`)";
  }
  return "";
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string range_of(const PartFinding& one) {
  return fmt::format("likely {:.3g} to {:.3g} %", 100 * one.likely->low, 100 * one.likely->high);
}

std::string_view text_of(Part part) { return name_of(part, kPartTexts); }

std::string gain_text(const PartFinding& one, std::string_view condition) {
  return fmt::format("; {} this would run {:.2g} times as fast", condition, one.gain);
}

std::string sentence_of(const PartFinding& one) {
  const bool slow = one.standing == Standing::slow;
  switch (one.part) {
    case Part::network:
      return fmt::format("your network delivers {} of what the cluster's file says ({}){}",
                         percent(*one.share), range_of(one), gain_text(one, "with all of it,"));
    case Part::gpus:
      return fmt::format("your GPUs are at {} of the expected speed ({}){}", percent(*one.share),
                         range_of(one), slow ? gain_text(one, "at that speed") : "");
    case Part::host:
      return fmt::format(
          "your hosts take {:.2g} times as long as expected to issue kernels (likely {:.2g} to "
          "{:.2g}){}",
          *one.share, one.likely->low, one.likely->high,
          slow ? gain_text(one, "with expected ones") : "");
    case Part::links:
      return fmt::format(
          "the links inside your nodes deliver {} of what the cluster's file says ({}){}",
          percent(*one.share), range_of(one), gain_text(one, "with all of it,"));
    case Part::delays:
      return fmt::format(
          "collectives start and step {:.2g} times as slowly as expected (likely {:.2g} to "
          "{:.2g}){}",
          *one.share, one.likely->low, one.likely->high, gain_text(one, "at the expected pace"));
    case Part::rest:
      break;
  }
  return fmt::format("{} of each step is outside the model: data, logging or checkpoints",
                     percent(1 - 1 / one.gain));
}

std::string parts_text(const Diagnosis& diagnosis, Standing standing) {
  std::vector<std::string_view> names;
  for (const PartFinding& one : diagnosis.parts) {
    if (one.standing == standing && one.part != Part::rest) names.push_back(text_of(one.part));
  }
  return joined(names, standing == Standing::undecided ? " or " : " and ");
}

std::string upper(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] += 'A' - 'a';
  return text;
}

}  // namespace

Diagnosis diagnose(const MeasuredTimes& measured, const LikelyFit& fit, bool has_one_node) {
  const MeasuredTimes times = remembering(measured);
  Diagnosis diagnosis{.ratio = std::exp(mean_log_ratio(times.seconds, fit.base_s))};
  std::vector<Part> undecided;
  for (const Part part : kParts) {
    if (!is_used(fit, part)) continue;
    const Accusation accusation = accusation_of(times, fit, part);
    diagnosis.parts.push_back(accusation.finding);
    if (accusation.finding.standing != Standing::undecided) continue;
    undecided.insert(undecided.end(), accusation.others.begin(), accusation.others.end());
  }
  for (const Part part : undecided) {
    PartFinding* one = find(diagnosis, part);
    const bool is_open =
        one != nullptr && one->standing != Standing::slow && one->standing != Standing::fast;
    if (is_open) one->standing = Standing::undecided;
  }
  diagnosis.measure = measurement_for(diagnosis, has_one_node);
  return diagnosis;
}

Diagnosis diagnose(std::span<const MeasuredStep> steps, const LikelyFit& fit, int jobs) {
  const bool has_one_node = std::ranges::any_of(
      steps, [](const MeasuredStep& one) { return one.job.cluster().nodes == 1; });
  return diagnose(timed(steps, jobs), fit, has_one_node);
}

std::vector<std::string> sentences_of(const Diagnosis& diagnosis) {
  std::vector<std::string> sentences;
  const std::string off =
      fmt::format("{:.0f} % {} than predicted", 100 * std::abs(diagnosis.ratio - 1),
                  diagnosis.ratio > 1 ? "slower" : "faster");
  for (const PartFinding& one : diagnosis.parts) {
    if (one.standing != Standing::slow && one.standing != Standing::fast) continue;
    sentences.push_back(upper(sentence_of(one)) + ".");
    if (one.is_by_priors) {
      sentences.push_back(
          fmt::format("That it is {} follows from what is known of such clusters, not from these "
                      "times alone: {} would tell for certain.",
                      text_of(one.part), diagnosis.measure));
    }
  }
  const std::string undecided = parts_text(diagnosis, Standing::undecided);
  if (!undecided.empty()) {
    sentences.push_back(fmt::format(
        "Measured is {}, and these times do not tell whether that is due to {}: measure {}.", off,
        undecided, diagnosis.measure));
  }
  const std::string expected = parts_text(diagnosis, Standing::as_expected);
  if (!expected.empty()) {
    sentences.push_back(sentences.empty()
                            ? fmt::format("As expected: {}; measured is {}.", expected, off)
                            : fmt::format("As expected: {}.", expected));
  }
  const std::string unseen = parts_text(diagnosis, Standing::not_seen);
  if (!unseen.empty()) {
    sentences.push_back(fmt::format("These times tell nothing about {}.", unseen));
  }
  return sentences;
}

std::string_view name_of(Part part) { return name_of(part, kPartNames); }
std::string_view name_of(Standing standing) { return name_of(standing, kStandingNames); }

}  // namespace sim::study
