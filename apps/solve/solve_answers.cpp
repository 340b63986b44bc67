#include "apps/solve/solve_answers.hpp"

#include <fmt/format.h>

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

void print_table(const Question& question, const Answers& answers) {
  sim::TextTable table{.labels = 2, .align = "<<"};
  table.rows.push_back(sim::heading_row({"scheme", "goal", "met at", "not met at", sim::kLikely}));
  for (std::size_t i = 0; i < answers.as_is.size(); ++i) {
    const Answer& answer = answers.as_is[i];
    const sim::Style style = answer.fits_memory ? sim::Style::plain : sim::Style::bad;
    table.rows.push_back(
        {answer.scheme,
         answer.goal,
         {met_text(answer) + (answer.fits_memory ? "" : sim::kDoesNotFit), style},
         answer.found.bracketed() ? answer.missed_text : "-",
         sim::joined_range(short_text(answers.slower[i]), short_text(answers.faster[i]))});
  }
  print_text("{} on {}: {}, {}\n\n", question.model, question.topology, question.unknown,
             question.unit);
  print_styled(to_text(table, output_width()));
  print_text("\n{}{}", sim::kRangeNote,
             std::ranges::all_of(answers.as_is, &Answer::fits_memory) ? "" : sim::kDoesNotFitNote);
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
