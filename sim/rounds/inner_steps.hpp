// SPDX-License-Identifier: Apache-2.0
// InnerSteps: each inner step simulated once, however many rounds it is part of. What only the
// network between sites changes leaves it as it is.
#pragma once

#include <deque>
#include <mutex>

#include "sim/rounds/site_work.hpp"

namespace sim {

class InnerSteps {
 public:
  // As inner_step(); from any thread.
  [[nodiscard]] InnerStep of(const RoundContext& context, std::size_t table, const Scheme& scheme);
  // Steps that were asked for and differ.
  [[nodiscard]] std::size_t size() const;

 private:
  // All that inner_step() reads.
  struct Key {
    Parallelism parallelism;
    Scheme inner;
    bool whole = false, gradients = false;
    double speed = 1;
    OuterTraffic beside;
    Cluster cluster;
    Model model;
    Calibration calibration;
    bool operator==(const Key&) const = default;
  };
  struct Known {
    explicit Known(Key all) : key(std::move(all)) {}
    const Key key;
    std::once_flag once;
    InnerStep step;
  };
  [[nodiscard]] Known& at(Key key);

  mutable std::mutex mutex_;
  std::deque<Known> known_;
};

}  // namespace sim
