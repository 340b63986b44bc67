// What `solve` found, printed.
#pragma once

#include <string>
#include <vector>

#include "apps/search/bracket.hpp"
#include "apps/search/efficiency_range.hpp"

namespace apps {

// What is asked: the unknown and its unit, of what job.
struct Question {
  std::string unknown, unit, topology, model;
};

struct Answer {
  std::string scheme, goal;
  Found found;
  double met = 0, missed = 0;         // figures in the question's unit
  std::string met_text, missed_text;  // and for people
  bool fits_memory = true;            // what is asked about
};

// The same questions' answers, with one spread less of the compute efficiency, and with one more.
struct Answers {
  std::vector<Answer> as_is, slower, faster;
};

// How many times each question is asked.
inline constexpr int kTimesAsked = 3;

// Asks for the answers of the job, and of what it is with the efficiency off.
template <class AnyJob, class Solve>
[[nodiscard]] Answers answers_of(const AnyJob& job, const Solve& solve) {
  return {solve(job), solve(off_by(job, -1)), solve(off_by(job, 1))};
}

// `format` is table, csv or json.
void print(const std::string& format, const Question& question, const Answers& answers);

}  // namespace apps
