#include "apps/solve/solve_answers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/report/side_by_side.hpp"

namespace apps {
namespace {

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

// Of the answer with the lesser figure first, null where one of them is no figure.
std::pair<Json, Json> ends_of(const Answer& slower, const Answer& faster) {
  if (!slower.found.bracketed() || !faster.found.bracketed()) return {nullptr, nullptr};
  return {std::min(slower.met, faster.met), std::max(slower.met, faster.met)};
}

// The lesser one first.
std::string likely_text(const Answer& slower, const Answer& faster, const char* joint) {
  const bool ascending =
      !slower.found.bracketed() || !faster.found.bracketed() || slower.met <= faster.met;
  return sim::joined_range(short_text(ascending ? slower : faster),
                           short_text(ascending ? faster : slower), joint);
}

// "diloco reaches utilisation 0.95 from 41.05 Gbps (likely 37.86 to 43.71 Gbps)".
std::string sentence(const Answer& answer, const Answer& slower, const Answer& faster) {
  const std::string subject = fmt::format(
      "{} {}{}", answer.scheme, answer.goal.starts_with("beats ") ? "" : "reaches ", answer.goal);
  if (!answer.found.bracketed()) {
    return fmt::format("{} {} from {} to {}", subject, answer.found.ever ? "everywhere" : "nowhere",
                       answer.met_text, answer.missed_text);
  }
  return fmt::format("{} {} {} (likely {})", subject, answer.met > answer.missed ? "from" : "up to",
                     answer.met_text, likely_text(slower, faster, " to "));
}

// The last goal of each scheme: the highest share.
std::string answer_text(const Answers& answers) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < answers.as_is.size(); ++i) {
    const bool last =
        i + 1 == answers.as_is.size() || answers.as_is[i + 1].scheme != answers.as_is[i].scheme;
    if (last) sentences.push_back(sentence(answers.as_is[i], answers.slower[i], answers.faster[i]));
  }
  return fmt::format("{}", fmt::join(sentences, "; "));
}

void print_table(const Question& question, const Answers& answers) {
  sim::TextTable table{.labels = 2, .align = "<<"};
  table.rows.push_back(sim::heading_row({"scheme", "goal", "met at", "not met at", sim::kLikely}));
  for (std::size_t i = 0; i < answers.as_is.size(); ++i) {
    const Answer& answer = answers.as_is[i];
    const sim::Style style = answer.fits_memory ? sim::Style::plain : sim::Style::bad;
    table.rows.push_back({answer.scheme,
                          answer.goal,
                          {met_text(answer) + (answer.fits_memory ? "" : sim::kDoesNotFit), style},
                          answer.found.bracketed() ? answer.missed_text : "-",
                          likely_text(answers.slower[i], answers.faster[i], "-")});
  }
  print_answer(answer_text(answers));
  print_text("{} on {}: {}, {}\n\n", question.model, question.topology, question.unknown,
             question.unit);
  print_styled(to_text(table, output_width()));
  print_text("\n");
  print_styled(
      sim::range_and_fit_notes(true, std::ranges::all_of(answers.as_is, &Answer::fits_memory)));
}

}  // namespace

void print(const std::string& format, const Question& question, const Answers& answers) {
  std::vector<Json> rows;
  for (std::size_t i = 0; i < answers.as_is.size(); ++i) {
    const Answer& answer = answers.as_is[i];
    const Found& found = answer.found;
    const auto [low, high] = ends_of(answers.slower[i], answers.faster[i]);
    const auto figure = [&](double value) {
      return found.bracketed() ? Json(value) : Json(nullptr);
    };
    rows.push_back({{"unknown", question.unknown},
                    {"unit", question.unit},
                    {"topology", question.topology},
                    {"model", question.model},
                    {"scheme", answer.scheme},
                    {"goal", answer.goal},
                    {"fits_memory", answer.fits_memory},
                    {"met", found.bracketed() ? "bracketed"
                            : found.ever      ? "everywhere"
                                              : "nowhere"},
                    {"met_at", figure(answer.met)},
                    {"missed_at", figure(answer.missed)},
                    {"met_at_low", low},
                    {"met_at_high", high}});
  }
  print_records(format, rows);
  if (format == "table") print_table(question, answers);
}

}  // namespace apps
