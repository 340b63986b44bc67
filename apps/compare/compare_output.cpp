// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/compare_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/compare/compare_answer.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "apps/words.hpp"
#include "sim/base/likely.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/text_table.hpp"
#include "sim/report/records.hpp"
#include "sim/study/search/verdict.hpp"

namespace apps {
namespace {

using sim::study::Doubt;
using sim::study::DoubtFinding;
using sim::study::Findings;
using sim::study::Flip;
using sim::study::Goal;
using sim::study::SideFinding;
using Json = nlohmann::ordered_json;

const char* unit_of(Goal goal) { return goal == Goal::cost ? "tokens_per_usd" : "tokens_per_s"; }

Json tuned_flags(const Side& side) {
  const auto flags = side.tuned_flags;
  return flags ? Json(*flags) : Json();
}

Json json_of(const Side& side, const SideFinding& finding, Goal goal) {
  const std::string unit = unit_of(goal);
  Json json{{"flags", side.flags},
            {"tuned_flags", tuned_flags(side)},
            {"topology", side.run.job.topology.name},
            {"model", side.run.job.model.name},
            {"scheme", side.run.setup.scheme.name},
            {"global_batch", side.global_batch()},
            {"sequence", side.run.job.model.sequence},
            {"fits_memory", side.fits_memory},
            {fmt::format("{}_time_s", what_is_timed(side)), finding.as_is.time_s}};
  if (side.run.job.inner) json["inner_steps"] = side.run.setup.scheme.between_sites->inner_steps;
  json["tokens_per_s"] = finding.as_is.tokens_per_s;
  json["steady_tokens_per_s"] = finding.as_is.steady_tokens_per_s;
  json[unit + "_median"] = finding.repeated.median;
  json[unit + "_low"] = finding.repeated.low;
  json[unit + "_high"] = finding.repeated.high;
  json["repetitions_without_tokens"] = finding.without_tokens;
  return json;
}

// Infinitely many spreads, and so null, where there is no spread to count in.
Json json_of(const std::optional<Flip>& flip) {
  if (!flip) return nullptr;
  return {{"factor", flip->factor},
          {"spreads", flip->spreads},
          {"flags_a", with_flags(flip->fields_a)},
          {"flags_b", with_flags(flip->fields_b)}};
}

Json json_of(const DoubtFinding& finding) {
  return {{"assumption", finding.doubt.assumption->name},
          {"meaning", finding.doubt.assumption->meaning},
          {"of", finding.doubt.whose()},
          {"spread", finding.doubt.spread.of_logarithm},
          {"source", finding.doubt.spread.source},
          {"flip", json_of(finding.flip)}};
}

// Of A over B.
Json summary_of(const Comparison& comparison, const Findings& findings) {
  const auto verdict = sim::study::verdict_of({.speedup = findings.ratio,
                                               .range = findings.range,
                                               .fits = comparison.a.fits_memory,
                                               .other_fits = comparison.b.fits_memory});
  return {{"goal", comparison.options.goal},
          {"repetitions", comparison.options.repetitions},
          {"seed", comparison.options.seed},
          {"ratio", findings.ratio},
          {"likely_low", findings.range.low},
          {"likely_high", findings.range.high},
          {"verdict", verdict ? Json(sim::verdict_name(*verdict)) : Json()},
          {"steady_ratio", findings.steady_ratio},
          {"ratio_median", findings.repeated.median},
          {"ratio_low", findings.repeated.low},
          {"ratio_high", findings.repeated.high},
          {"probability_a_better", findings.a_is_better.value},
          {"probability_low", findings.a_is_better.low},
          {"probability_high", findings.a_is_better.high},
          {"ties", findings.ties}};
}

Json json_of(const Comparison& comparison, const Findings& findings) {
  Json json = summary_of(comparison, findings);
  json["a"] = json_of(comparison.a, findings.a, comparison.options.aim());
  json["b"] = json_of(comparison.b, findings.b, comparison.options.aim());
  json["assumptions"] = Json::array();
  for (const DoubtFinding& one : findings.doubts) json["assumptions"].push_back(json_of(one));
  return json;
}

// One line, with the assumption that flips the decision soonest.
Json record_of(const Comparison& comparison, const Findings& findings) {
  Json record{{"a", comparison.a.flags}, {"b", comparison.b.flags}};
  record.update(summary_of(comparison, findings));
  record[fmt::format("{}_time_a_s", what_is_timed(comparison.a))] = findings.a.as_is.time_s;
  record[fmt::format("{}_time_b_s", what_is_timed(comparison.b))] = findings.b.as_is.time_s;
  record["repetitions_without_tokens_a"] = findings.a.without_tokens;
  record["repetitions_without_tokens_b"] = findings.b.without_tokens;
  record["global_batch_a"] = comparison.a.global_batch();
  record["global_batch_b"] = comparison.b.global_batch();
  record["fits_memory_a"] = comparison.a.fits_memory;
  record["fits_memory_b"] = comparison.b.fits_memory;
  record["tuned_flags_a"] = tuned_flags(comparison.a);
  record["tuned_flags_b"] = tuned_flags(comparison.b);
  const DoubtFinding& soonest = findings.doubts.front();
  const Json flip = json_of(soonest.flip);
  const bool any = soonest.flip.has_value();
  record["flips_by"] = any ? Json(soonest.doubt.assumption->name) : Json();
  record["flips_of"] = any ? Json(soonest.doubt.whose()) : Json();
  for (const char* key : {"factor", "spreads", "flags_a", "flags_b"}) {
    record[std::string("flip_") + key] = any ? flip[key] : Json();
  }
  return record;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// "218 ms a step", "18.5 s a round of 100 steps".
std::string time_text(const Side& side, double seconds) {
  const std::string text =
      fmt::format("{} a {}", to_text(sim::Seconds::from_base(seconds)), what_is_timed(side));
  if (!side.run.job.inner) return text;
  const int steps = side.run.setup.scheme.between_sites->inner_steps;
  return fmt::format("{} of {} step{}", text, steps, steps == 1 ? "" : "s");
}

std::string batch_line(const Side& side) {
  return fmt::format("   {}\n", sim::batch_text(side.global_batch(), side.run.job.model.sequence,
                                                side.run.job.inner ? "inner step" : "step"));
}

// "   tuned: with --zero 3 --overlap all"
std::string tuned_line(const Side& side) {
  const auto flags = side.tuned_flags;
  if (!flags) return "";
  return fmt::format("   tuned: with {}\n", flags->empty() ? "the flags as given" : *flags);
}

// Of the tokens, where not all that are trained are kept.
std::string kept_text(const Side& side, const SideFinding& finding) {
  const sim::study::Job& job = side.run.job;
  if (job.reliability) return fmt::format(" kept (failures of {})", job.reliability->name);
  if (!job.inner || !has_comers(job.topology)) return "";
  return fmt::format(" kept ({:.0f} with all sites)", finding.as_is.steady_tokens_per_s);
}

std::string side_line(const Side& side, const SideFinding& finding, Goal goal) {
  const char* unit = goal == Goal::cost ? "tokens per USD" : "tokens/s";
  return fmt::format(
      "{}  {}\n   {} on {}: {}{}, {:.0f} tokens/s{}; over repetitions {:.0f} {}, "
      "80 % from {:.0f} to {:.0f}\n{}",
      side.name, side.flags, side.run.setup.scheme.name, side.run.job.topology.name,
      side.fits_memory ? "" : "DOES NOT FIT in memory; if it did: ",
      time_text(side, finding.as_is.time_s), finding.as_is.tokens_per_s, kept_text(side, finding),
      finding.repeated.median, unit, finding.repeated.low, finding.repeated.high,
      batch_line(side) + tuned_line(side));
}

std::string flags_text(const Doubt& doubt, const Flip& flip) {
  const std::string a = with_flags(flip.fields_a), b = with_flags(flip.fields_b);
  if (a == b || !doubt.of_b) return a;
  if (!doubt.of_a) return b;
  const auto text = [](const std::string& flags) {
    return flags.empty() ? "has no flag for it" : flags;
  };
  return fmt::format("A {}; B {}", text(a), text(b));
}

std::string flip_sentence(const Findings& findings) {
  const DoubtFinding& soonest = findings.doubts.front();
  if (findings.ratio == 1) return "both sides are the same: there is no decision to flip";
  if (!soonest.flip) {
    return fmt::format(
        "no single assumption flips the decision, each varied from {:g} times lower to {:g} times "
        "higher",
        sim::study::kMostDoubted, sim::study::kMostDoubted);
  }
  const Flip& flip = *soonest.flip;
  std::string text = fmt::format(
      "the decision flips soonest with {}{} ({}) at {:.3g} times its value",
      soonest.doubt.assumption->name,
      soonest.doubt.of_a && soonest.doubt.of_b ? "" : fmt::format(" of {}", soonest.doubt.whose()),
      soonest.doubt.assumption->meaning, flip.factor);
  if (std::isfinite(flip.spreads))
    text += fmt::format(", {:.1f} of its spreads away", flip.spreads);
  const std::string flags = flags_text(soonest.doubt, flip);
  return flags.empty() ? text : text + ":\n  " + flags;
}

sim::StyledText doubt_table(const Findings& findings) {
  sim::TextTable table{.align = "<<"};
  sim::TextTable sources{.align = "<<"};
  table.rows.push_back(
      sim::heading_row({"assumption", "of", "spread", "flips at", "spreads away"}));
  sources.rows.push_back(sim::heading_row({"sources of the spreads"}));
  for (const auto& [doubt, flip] : findings.doubts) {
    const std::string name(doubt.assumption->name);
    const std::string away = !flip                          ? "-"
                             : std::isfinite(flip->spreads) ? fmt::format("{:.1f}", flip->spreads)
                                                            : "no spread";
    table.rows.push_back({name, doubt.whose(), fmt::format("{:.3f}", doubt.spread.of_logarithm),
                          flip ? fmt::format("{:.3g}x", flip->factor) : "-", away});
    sources.rows.push_back(
        {{"  " + name, sim::Style::note}, {doubt.spread.source, sim::Style::note}});
  }
  sim::StyledText text = to_text(table, output_width());
  append(text, "\n");
  append(text, to_text(sources, output_width()));
  return text;
}

// What is said of two of which one cannot be run.
std::string fitting_text(const Comparison& comparison) {
  const bool a = comparison.a.fits_memory, b = comparison.b.fits_memory;
  if (a && b) return "";
  return fmt::format("if {} fitted in memory: ", !a && !b ? "both" : a ? "B" : "A");
}

// Never of certainty: repetitions are few.
std::string probability_text(const sim::study::Probability& a_is_better, int repetitions) {
  const auto& [value, low, high] = a_is_better;
  if (value == 0 || value == 1) {
    return fmt::format("{} is better in all of {} repetitions: with a probability of at least {}",
                       value == 1 ? "A" : "B", repetitions, percent(value == 1 ? low : 1 - high));
  }
  return fmt::format(
      "A is better with a probability of {}; between {} and {}, as far as {} repetitions can tell",
      percent(value), percent(low), percent(high), repetitions);
}

// A line where the difference is smaller than the model's own error.
std::string untold_text(const Findings& findings) {
  const auto model = std::ranges::find_if(
      findings.doubts, [](const DoubtFinding& one) { return one.doubt.is_of_model(); });
  if (model == findings.doubts.end()) return "";
  const double least = std::exp(sim::kLikelySpreads * model->doubt.spread.of_logarithm);
  if (!(std::max(findings.ratio, 1 / findings.ratio) < least)) return "";
  return fmt::format(
      "a difference of {} is less than predictions of this kind can tell: {}, from ratios that are "
      "off by {}\n",
      percent(std::abs(findings.ratio - 1)), percent(least - 1),
      percent(model->doubt.spread.of_logarithm));
}

// A line where not all tokens that are trained are kept.
std::string steady_text(const Findings& findings) {
  if (findings.a.as_is.is_steady() && findings.b.as_is.is_steady()) return "";
  return fmt::format(
      "if nothing failed and no site left, A would have {:.4g} times the throughput of B\n",
      findings.steady_ratio);
}

std::string table_text(const Comparison& comparison, const Findings& findings) {
  const Goal goal = comparison.options.aim();
  const int repetitions = comparison.options.repetitions;
  std::string text =
      side_line(comparison.a, findings.a, goal) + side_line(comparison.b, findings.b, goal) + "\n";
  text += fitting_text(comparison);
  text += fmt::format(
      "A has {:.4g} times the {} of B; over {} repetitions {:.4g} times, 80 % from {:.4g} to "
      "{:.4g}\n",
      findings.ratio, goal == Goal::cost ? "tokens per USD" : "throughput", repetitions,
      findings.repeated.median, findings.repeated.low, findings.repeated.high);
  text += steady_text(findings);
  text += probability_text(findings.a_is_better, repetitions);
  if (findings.ties > 0) text += fmt::format("; {} ties count half", findings.ties);
  return text + "\n" + untold_text(findings) + flip_sentence(findings) + "\n\n";
}

}  // namespace

void print_findings(const Comparison& comparison, const Findings& findings) {
  const std::string& format = comparison.options.format;
  print_records(format, json_of(comparison, findings), {record_of(comparison, findings)});
  if (format != "table") return;
  print_answer(answer_text(comparison, findings));
  print_text("{}", table_text(comparison, findings));
  print_styled(doubt_table(findings));
}

}  // namespace apps
