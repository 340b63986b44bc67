// What a plan chooses from: candidates by number, each something to train on with a way to run the
// job there. One cluster's are steps, several sites' are rounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/plan/goal.hpp"
#include "apps/plan/next_dollar.hpp"
#include "apps/plan/plan_report.hpp"

namespace apps {

class Choices {
 public:
  virtual ~Choices() = default;

  // Candidates at first, numbered from 0. Each is something to train on, or a group of them.
  [[nodiscard]] virtual std::size_t count() const = 0;
  [[nodiscard]] virtual bool is_group(std::size_t candidate) const = 0;
  // What is in a group but for what is too large for a GPU's memory; numbers beyond those before.
  virtual std::vector<std::size_t> open(std::size_t group) = 0;

  // Seconds of a step or a round: bounds that it cannot beat, the second one nearer and dearer to
  // find out, then what it takes. Each is found out once. A group has the first alone, which none in
  // it beats.
  virtual double first_bound(std::size_t candidate) = 0;
  virtual double second_bound(std::size_t candidate) = 0;
  virtual double seconds(std::size_t candidate) = 0;

  // The rest is the same for all of a group. Tokens of a step or a round.
  [[nodiscard]] virtual double tokens(std::size_t candidate) const = 0;
  // Of training that takes so long: at least, and exactly once seconds() is known.
  [[nodiscard]] virtual Price price(std::size_t candidate, sim::Seconds time) const = 0;
  [[nodiscard]] virtual double nic_bandwidth_Bps(std::size_t candidate) const = 0;
  // Seconds per token with an unlimited network; 0 where nobody asked.
  [[nodiscard]] virtual double full_speed(std::size_t candidate) const = 0;

  // What was simulated, with the range of it, and how to run it; without what follows from the time
  // and the price.
  virtual PlanRow row(std::size_t candidate) = 0;
  // Of a candidate whose training has that price and takes so long.
  virtual std::vector<Improvement> improvements(std::size_t candidate, const Price& price,
                                                sim::Seconds time) = 0;
  // Parts of the price, and why.
  [[nodiscard]] virtual std::vector<std::string> not_counted() const = 0;
  // What was found out so far.
  [[nodiscard]] virtual Searched searched() const = 0;
};

}  // namespace apps
