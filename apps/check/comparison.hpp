// What of today's results is another than in the baseline, and which inputs are.
#pragma once

#include <string>
#include <vector>

#include "apps/check/baseline.hpp"

namespace apps {

// From good to bad. A metric that is worse neither way, and has moved, is `moved`; a point that only
// today's results have is `fresh`, and one that only the baseline has is `gone`.
enum class Verdict { same, better, moved, worse, fresh, gone };
[[nodiscard]] const char* verdict_text(Verdict verdict);

struct Difference {
  std::string what;         // a metric, "state" or "point"
  std::string before, now;  // as they are shown
  std::string change;       // "+3.1 %"; empty where it says nothing
  Verdict verdict = Verdict::same;
};

struct ComparedPoint {
  const Result* point = nullptr;  // today's; of one that is missing the baseline's
  std::vector<Difference> differences;
  bool crashed = false;
  [[nodiscard]] Verdict verdict() const;  // the worst
};

// An input that is another one: "traces/calibration/a100.json has changed".
struct InputChange {
  std::string what;
  int points = 0;  // that have it
  int moved = 0;   // of these
};

struct ComparedResults {
  std::vector<ComparedPoint> points;  // today's in their order, then those that are missing
  std::vector<InputChange> changes;
  [[nodiscard]] int count(Verdict verdict) const;
};

// Points are the same where their inputs are. Those that one side lacks are compared with
// nothing. Both sides have to outlive what is returned.
[[nodiscard]] ComparedResults compare(const Baseline& baseline, const Results& now,
                                      const Tolerances& tolerances);

// The inputs of points as "nodes=2 scheme=sdp4bit"; with `all_keys` all of them, else those that
// not all points have alike.
class Labels {
 public:
  explicit Labels(const ComparedResults& comparison);
  [[nodiscard]] std::string of(const Result& point, bool all_keys) const;

 private:
  std::vector<std::string> varying_;
};

}  // namespace apps
