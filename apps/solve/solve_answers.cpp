#include "apps/solve/solve_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "sim/report/text_table.hpp"

namespace apps {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Answer& answer) {
  const Found& found = answer.found;
  if (!found.ever) return fmt::format("nowhere from {} to {}", answer.met_text, answer.missed_text);
  if (found.always) {
    return fmt::format("everywhere from {} to {}", answer.met_text, answer.missed_text);
  }
  return fmt::format("{} (not at {})", answer.met_text, answer.missed_text);
}

}  // namespace

void print(const std::string& format, const Question& question,
           const std::vector<Answer>& answers) {
  std::vector<Json> rows;
  for (const Answer& answer : answers) {
    const Found& found = answer.found;
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
                    {"missed_at", figure(answer.missed)}});
  }
  print_records(format, rows);
  if (format != "table") return;
  print_text("{} on {}: {}\n\n", question.model, question.topology, question.unknown);
  for (const Answer& answer : answers) {
    print_text("  {:<24} {:<22} {}{}\n", answer.scheme, answer.goal, text_of(answer),
               answer.fits_memory ? "" : sim::kDoesNotFit);
  }
  if (!std::ranges::all_of(answers, &Answer::fits_memory)) {
    print_text("\n{}", sim::kDoesNotFitNote);
  }
}

}  // namespace apps
