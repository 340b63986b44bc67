#include "apps/solve/solve_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

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

std::string short_text(const Answer& answer) {
  if (!answer.found.ever) return "nowhere";
  return answer.found.always ? "everywhere" : answer.met_text;
}

// Of the answer with the lesser figure first, null where one of them is no figure.
std::pair<Json, Json> ends_of(const Answer& slower, const Answer& faster) {
  if (!slower.found.bracketed() || !faster.found.bracketed()) return {nullptr, nullptr};
  return {std::min(slower.met, faster.met), std::max(slower.met, faster.met)};
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
  if (format != "table") return;
  print_text("{} on {}: {}\n\n", question.model, question.topology, question.unknown);
  for (std::size_t i = 0; i < answers.as_is.size(); ++i) {
    const Answer& answer = answers.as_is[i];
    print_text("  {:<24} {:<22} {}{}; one spread: {} to {}\n", answer.scheme, answer.goal,
               text_of(answer), answer.fits_memory ? "" : sim::kDoesNotFit,
               short_text(answers.slower[i]), short_text(answers.faster[i]));
  }
  print_text("\none spread: with one spread less, and more, of the compute efficiency alone\n");
  if (!std::ranges::all_of(answers.as_is, &Answer::fits_memory)) {
    print_text("{}", sim::kDoesNotFitNote);
  }
}

}  // namespace apps
