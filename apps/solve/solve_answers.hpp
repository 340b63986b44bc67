// SPDX-License-Identifier: Apache-2.0
// Prints the answers of `solve`.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "apps/job/read_job.hpp"
#include "sim/study/search/bracket.hpp"
#include "sim/study/search/efficiency_range.hpp"

namespace apps {

// The question: the unknown and its unit, and the job.
struct Question {
  std::string unknown, unit, topology, model;
};

struct Answer {
  std::string scheme, goal;
  Found found;
  double met = 0, missed = 0;         // figures in the question's unit
  std::string met_text, missed_text;  // the same as text
  bool fits_memory = true;            // the job in question
};

// Answers to the same questions with the compute efficiency one spread lower, and one higher.
struct Answers {
  std::vector<Answer> as_is, slower, faster;
};

// The least and the greatest of the three answers to a question; the one as it is may be either: a
// faster GPU does not always need a faster network.
[[nodiscard]] std::pair<Answer, Answer> ends_of(const Answers& answers, std::size_t question);

// How many times each question is asked.
inline constexpr int kTimesAsked = 3;

// Answers for the job, and for the job with the efficiency off.
template <class AnyJob, class Solve>
[[nodiscard]] Answers answers_of(const AnyJob& job, const Solve& solve) {
  return {solve(job), solve(off_by(job, -1)), solve(off_by(job, 1))};
}

// `format` is table, csv or json.
void print(const std::string& format, const Question& question, const Answers& answers);

}  // namespace apps
