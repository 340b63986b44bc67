// SPDX-License-Identifier: Apache-2.0
// The choices of a plan: numbered candidates, each with hardware to train on and a way to run the
// job there. On one cluster they are steps, on several sites rounds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/study/plan/goal.hpp"
#include "sim/study/plan/plan_report.hpp"

namespace sim::study {

// Of which plans differ for whoever pays: a plan is the best of its kind.
struct Kind {
  std::size_t hardware = 0;  // a cluster's size and NICs, or the sites that take part
  bool compresses = false;   // what it exchanges inside or between them
  auto operator<=>(const Kind&) const = default;
};

class Choices {
 public:
  virtual ~Choices() = default;

  // The initial candidates, numbered from 0. Each is a single one or a group.
  [[nodiscard]] virtual std::size_t count() const = 0;
  [[nodiscard]] virtual bool is_group(std::size_t candidate) const = 0;
  // Simulates what full_speed() answers with, where the goal asks for it; before all that follows.
  virtual void find_full_speeds(const std::function<void(const Choices&)>& progress) = 0;

  // What is in a group but for what is too large for a GPU's memory; numbers beyond those before.
  virtual std::vector<std::size_t> open(std::size_t group) = 0;

  // How many topologies there are, and the one that a candidate is on.
  [[nodiscard]] virtual std::size_t topologies() const { return 1; }
  [[nodiscard]] virtual std::size_t topology(std::size_t /*candidate*/) const { return 0; }
  // What a candidate is of, or the members of a group are.
  [[nodiscard]] virtual std::vector<Kind> kinds(std::size_t candidate) const = 0;
  // Equal within a group.
  [[nodiscard]] virtual const Parallelism& parallelism(std::size_t candidate) const = 0;

  // Seconds of a step or a round: lower bounds, each mostly tighter and costlier to compute than the one
  // before, then the actual time. From any thread. A group has only the first, which holds for all its
  // members.
  virtual double first_bound(std::size_t candidate) = 0;
  virtual double second_bound(std::size_t candidate) = 0;
  virtual double third_bound(std::size_t candidate) = 0;
  virtual double seconds(std::size_t candidate) = 0;

  // Equal within a group from here on. Tokens per step or round.
  [[nodiscard]] virtual double tokens(std::size_t candidate) const = 0;
  // Costs of training with this time: a lower bound, and exact once seconds() is known.
  [[nodiscard]] virtual Price price(std::size_t candidate, Seconds time) const = 0;
  [[nodiscard]] virtual int sites(std::size_t /*candidate*/) const { return 1; }
  [[nodiscard]] virtual int gpus(std::size_t candidate) const = 0;
  [[nodiscard]] virtual double nic_bandwidth_Bps(std::size_t candidate) const = 0;
  // Seconds per token with an unlimited network; 0 if not asked for.
  [[nodiscard]] virtual double full_speed(std::size_t candidate) const = 0;

  // What is simulated of a candidate.
  [[nodiscard]] virtual Job job(std::size_t candidate) const = 0;
  [[nodiscard]] virtual Setup setup(std::size_t candidate) const = 0;
  [[nodiscard]] virtual Chosen chosen(std::size_t candidate) const = 0;
  // The same layout on the same hardware with the other schemes that fit there.
  virtual std::vector<std::size_t> same_layout(std::size_t candidate) = 0;
  // From any thread: the simulation's report and its range; without figures that follow from time and price.
  virtual PlanRow row(std::size_t candidate) = 0;
  // Parts of the price not counted, and why.
  [[nodiscard]] virtual std::vector<std::string> not_counted() const = 0;
  // Where no step or round of any candidate ends: why that is.
  [[nodiscard]] virtual std::string why_endless() = 0;
  // Counts of the work so far.
  [[nodiscard]] virtual Searched searched() const = 0;
};

}  // namespace sim::study
