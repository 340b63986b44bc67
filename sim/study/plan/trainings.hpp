// SPDX-License-Identifier: Apache-2.0
// Whole trainings by the candidates of a plan: what they take, how the goal ranks them, and their rows.
#pragma once

#include <optional>

#include "sim/study/plan/best_first.hpp"
#include "sim/study/plan/plan_question.hpp"

namespace sim::study {

class Trainings {
 public:
  Trainings(const PlanQuestion& question, Choices& choices)
      : question_(question), goal_(question.goal), choices_(choices) {}

  // Where a step or a round takes so many seconds.
  [[nodiscard]] Worth worth(std::size_t one, double seconds) const;
  [[nodiscard]] Contender contender(const Ranked& one) const;

  // Of what meets limits that are so many times as far away.
  [[nodiscard]] std::optional<Score> score(std::size_t one, double seconds, double factor) const;
  // The same; what is cheap and fast comes first, as it beats most others.
  [[nodiscard]] std::optional<Score> score_of_kind(std::size_t one, double seconds,
                                                   double factor) const;
  // By how much the limit that is missed most is missed.
  [[nodiscard]] std::optional<Score> excess(std::size_t one, double seconds) const;

  [[nodiscard]] PlanRow row(const Ranked& one) const;

 private:
  struct Training {
    double seconds_per_token = 0;
    Seconds time;
    Price price;
  };
  [[nodiscard]] Training training(std::size_t one, double seconds) const;
  [[nodiscard]] Simplicity simplicity(std::size_t one) const;
  // Nothing if it is out of the question.
  [[nodiscard]] std::optional<Worth> worth_in_question(std::size_t one, double seconds,
                                                       double factor) const;
  [[nodiscard]] TimeAndPrice at_speed(std::size_t one, const PlanRow& row, double factor) const;
  void set_chances(PlanRow& row) const;

  const PlanQuestion& question_;
  const PlanGoal& goal_;
  Choices& choices_;
};

// Of keeping the limit that is harder to keep.
[[nodiscard]] double least_chance(const PlanRow& row);

}  // namespace sim::study
