// SPDX-License-Identifier: Apache-2.0
// Differences of today's results and inputs from the baseline's.
#pragma once

#include <string>
#include <vector>

#include "apps/check/baseline.hpp"

namespace apps {

// From good to bad. A metric that has changed, but has no worse direction, is `moved`; a point only
// in today's results is `fresh`, and one only in the baseline is `gone`. A point that does not meet a
// requirement is `unmet`, whether or not it has changed.
enum class Verdict { same, better, moved, worse, fresh, gone, unmet };
[[nodiscard]] const char* verdict_text(Verdict verdict);

struct Difference {
  std::string what;         // a metric, "state" or "point"
  std::string before, now;  // as shown; of what is unmet, "before" is the bound: ">=1.05"
  std::string change;       // "+3.1 %"; empty if it would be meaningless
  Verdict verdict = Verdict::same;
  bool one_sided = false;  // a metric that one side does not have at all
  std::string note = {};   // what more there is to say: "over sharded at 0.1963 s a step"
};

struct ComparedPoint {
  const Result* point = nullptr;   // today's; the baseline's for a missing point
  const Result* before = nullptr;  // the baseline's, if it has the point
  std::vector<Difference> differences;
  bool crashed = false;
  std::string most_moved = {};  // the metric that moved most within its tolerance; empty: none did
  double largest_move = 0;      // of it: now / baseline - 1
  [[nodiscard]] bool is_gone() const { return point == before; }
  [[nodiscard]] bool has_moved() const;   // beyond a tolerance, or is fresh or gone
  [[nodiscard]] Verdict verdict() const;  // the worst
};

// An input that has changed: "traces/calibration/a100.json has changed".
struct InputChange {
  std::string what;
  int points = 0;  // points with this input
  int moved = 0;   // number of these that moved
};

struct ComparedResults {
  std::vector<ComparedPoint> points;  // today's in order, then the missing ones
  std::vector<InputChange> changes;
  bool has_baseline = true, has_requirements = false;
  [[nodiscard]] int count(Verdict verdict) const;
};

// Points are matched by their inputs. A point that one side lacks is compared with nothing. Both
// sides must outlive the result.
[[nodiscard]] ComparedResults compare(const Baseline& baseline, const Results& now,
                                      const Tolerances& tolerances);
// Points without a baseline, to be held to requirements alone.
[[nodiscard]] ComparedResults compared_with_nothing(const Results& now);
// Adds a difference for each requirement that one of today's points does not meet, a point without
// memory or figures included. Throws an InputError for a requirement that is for no point, or whose
// metric none of its points has.
void add_unmet(const std::vector<Requirement>& requirements, ComparedResults& comparison);

// The inputs of points as "nodes=2 scheme=sdp4bit": those that differ between points; with `all_keys`
// all of them, by name, so that a point is called the same in every check.
class Labels {
 public:
  explicit Labels(const ComparedResults& comparison);
  [[nodiscard]] std::string of(const Result& point, bool all_keys) const;

 private:
  std::vector<std::string> varying_;
};

}  // namespace apps
