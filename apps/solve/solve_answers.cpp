// SPDX-License-Identifier: Apache-2.0
#include "apps/solve/solve_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/text_table.hpp"
#include "sim/report/writers.hpp"

namespace apps {
namespace {

using sim::study::Answer;
using sim::study::Answers;
using sim::study::Found;
using sim::study::Job;
using sim::study::Unknown;
using Json = nlohmann::ordered_json;

std::string met_text(const Answer& answer) {
  const Found& found = answer.found;
  if (found.bracketed()) return answer.met_text;
  return fmt::format("{} in {}", found.ever ? "everywhere" : "nowhere",
                     sim::joined_range(answer.met_text, answer.missed_text));
}

std::string short_text(const Answer& answer) {
  if (!answer.found.ever) return "nowhere";
  return answer.found.always ? "everywhere" : answer.met_text;
}

// The range of an answer: the lesser end first.
std::string likely_text(const Answers& answers, std::size_t question, const char* joint = "-") {
  const auto [least, greatest] = answers.likely[question];
  const std::string low = short_text(least), high = short_text(greatest);
  return low == high ? low : sim::joined_range(low, high, joint);
}

// "diloco reaches utilisation 0.95 from 41.05 Gbps (likely 37.86 to 43.71 Gbps)".
std::string sentence(const Answers& answers, std::size_t question) {
  const Answer& answer = answers.as_is[question];
  if (answer.reached) {
    return fmt::format("{}: {} at {} (likely {}){}", answer.scheme, answer.goal, answer.met_text,
                       likely_text(answers, question, " to "),
                       answer.at_end ? ", an end of what is searched" : "");
  }
  const std::string subject = fmt::format(
      "{} {}{}", answer.scheme, answer.goal.starts_with("beats ") ? "" : "reaches ", answer.goal);
  if (!answer.found.bracketed()) {
    return fmt::format("{} {} from {} to {}{}", subject,
                       answer.found.ever ? "everywhere" : "nowhere", answer.met_text,
                       answer.missed_text, answer.binds.empty() ? "" : ": " + answer.binds);
  }
  return fmt::format("{} {} {} (likely {})", subject, answer.met > answer.missed ? "from" : "up to",
                     answer.met_text, likely_text(answers, question, " to "));
}

// The last goal of each scheme, and how many others the table has.
std::string answer_text(const Answers& answers) {
  std::vector<std::string> sentences;
  std::size_t first = 0;  // of the scheme
  for (std::size_t i = 0; i < answers.as_is.size(); ++i) {
    const bool last =
        i + 1 == answers.as_is.size() || answers.as_is[i + 1].scheme != answers.as_is[i].scheme;
    if (!last) continue;
    sentences.push_back(sentence(answers, i));
    const std::size_t others = i - first;
    if (others > 0) {
      sentences.back() += fmt::format(", {} other goal{} below", others, others == 1 ? "" : "s");
    }
    first = i + 1;
  }
  return sim::joined(sentences, "; ");
}

// What does not meet the goal; or what the best value reaches.
std::string beside_text(const Answer& answer) {
  if (answer.reached) return fmt::format("{:.4g}", *answer.reached);
  return answer.found.bracketed() ? answer.missed_text : "-";
}

// `best` is the measure of a best value, if that is what was looked for.
void print_table(const Unknown& unknown, const Job& job, const Answers& answers, const char* best) {
  sim::TextTable table{.labels = 2, .align = "<<"};
  table.rows.push_back(
      best ? sim::heading_row({"scheme", "goal", "best at", best, sim::kLikely})
           : sim::heading_row({"scheme", "goal", "met at", "not met at", sim::kLikely}));
  for (std::size_t i = 0; i < answers.as_is.size(); ++i) {
    const Answer& answer = answers.as_is[i];
    const sim::Style style = answer.fits_memory ? sim::Style::plain : sim::Style::bad;
    table.rows.push_back({answer.scheme,
                          answer.goal,
                          {met_text(answer) + (answer.fits_memory ? "" : sim::kDoesNotFit), style},
                          beside_text(answer),
                          likely_text(answers, i)});
  }
  print_answer(answer_text(answers));
  print_text("{} on {}: {}, {}\n\n", job.model.name, job.topology.name, unknown.name, unknown.unit);
  print_styled(to_text(table, output_width()));
  print_text("\n");
  print_styled(
      sim::range_and_fit_notes(true, std::ranges::all_of(answers.as_is, &Answer::fits_memory)));
}

}  // namespace

void print(const std::string& format, const Unknown& unknown, const Job& job,
           const sim::study::SolveGoal& goal, const Answers& answers) {
  const bool of_price = goal.measure == sim::study::Measure::usd_per_million_tokens;
  std::vector<Json> rows;
  for (std::size_t i = 0; i < answers.as_is.size(); ++i) {
    const Answer& answer = answers.as_is[i];
    const Found& found = answer.found;
    const auto [least, greatest] = answers.likely[i];
    const bool ranged = least.found.bracketed() && greatest.found.bracketed();
    const auto figure = [](double value, bool is_one) {
      return is_one ? Json(value) : Json(nullptr);
    };
    rows.push_back({{"unknown", unknown.name},
                    {"unit", unknown.unit},
                    {"topology", job.topology.name},
                    {"model", job.model.name},
                    {"scheme", answer.scheme},
                    {"goal", answer.goal},
                    {"fits_memory", answer.fits_memory},
                    {"met", answer.reached      ? "best"
                            : found.bracketed() ? "bracketed"
                            : found.ever        ? "everywhere"
                                                : "nowhere"},
                    {"binds", answer.binds.empty() ? Json(nullptr) : Json(answer.binds)},
                    {"met_at", figure(answer.met, found.bracketed())},
                    {"missed_at", figure(answer.missed, found.bracketed() && !answer.reached)},
                    {"met_at_low", figure(least.met, ranged)},
                    {"met_at_high", figure(greatest.met, ranged)}});
    if (!goal.is_best()) continue;
    rows.back()[of_price ? "usd_per_million_tokens" : "tokens_per_day"] =
        figure(answer.reached.value_or(0), answer.reached.has_value());
  }
  print_records(format, rows);
  if (format != "table") return;
  print_table(unknown, job, answers,
              !goal.is_best() ? nullptr
              : of_price      ? "USD per million tokens"
                              : "tokens a day");
}

}  // namespace apps
