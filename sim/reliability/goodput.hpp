// SPDX-License-Identifier: Apache-2.0
// Goodput: the share of a month in which a job makes progress that it keeps, from the rates at which
// its parts fail, what it saves, and how it recovers.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/reliability/reliability.hpp"
#include "sim/reliability/renewal.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// A job inside one cluster, by what is known of its step.
struct SteadyJob {
  const Cluster& cluster;
  const Model& model;
  const Parallelism& parallelism;
  double step_s = 0;
  double tokens_per_s = 0;
  double nic_busy = 0;  // share of the step in which its busiest NIC sends or receives
  // Likely range of the tokens per second; 0 where it is not known.
  double tokens_per_s_low = 0, tokens_per_s_high = 0;
};

// Failures per second of the whole job, by what fails. Parts that never fail are left out.
struct FailureRates {
  std::vector<std::pair<std::string, double>> by_part;
  double total = 0;
  double hardware = 0;  // that take one node away
  double domain = 0;    // that take a domain away
};
[[nodiscard]] FailureRates failure_rates(const FailureTimes& times, const Cluster& cluster);

// What a checkpoint takes. Every GPU writes an equal part of the state, and all nodes read and write
// at once: the slower of the storage and of a node's link bounds them. Loading data takes its share of
// the storage. After a restart every node reads an equal part again, and gets the rest of what its
// ranks hold through its NICs.
struct CheckpointTimes {
  double state_bytes = 0;
  double stall_s = 0;  // that training stands still, or is slowed down by
  double write_s = 0;  // from there until the checkpoint is safe
  double load_s = 0;   // after a restart
};
// Throws an InputError that names the file and the key if the job cannot save or recover this way.
[[nodiscard]] CheckpointTimes checkpoint_times(const Reliability& reliability,
                                               const SteadyJob& job);

struct TokenTarget {
  double tokens = 0;
  double days = 0, days_low = 0, days_high = 0;
  double usd = 0, usd_low = 0, usd_high = 0;  // GPUs and network, those of spares included
};

// Ranges are likely ones, eight cases of ten: the count of failures by a Poisson law of rates with
// their spread, and the step's own range of speed, as independent errors.
struct GoodputFigures {
  std::string reliability;  // the file's name
  FailureRates failures;
  CheckpointTimes checkpoint;
  double interval_s = 0;  // of training between checkpoints; a step with recovery from a replica
  bool is_best = true;    // chosen, not given
  double young_s = 0, daly_s = 0;
  int spares = 0;
  TimeShares shares = {};
  double goodput_low = 0, goodput_high = 0;
  double tokens_per_s = 0;  // that are loaded and trained between failures
  bool bound_by_loading = false;
  double tokens_per_day = 0, tokens_per_day_low = 0, tokens_per_day_high = 0;
  double span_s = 0;  // the target's training, else 30 days
  double interruptions = 0, interruptions_low = 0, interruptions_high = 0;  // within it
  std::optional<TokenTarget> target = {};

  // Mean time between failures of the job while it runs; infinite if nothing fails.
  [[nodiscard]] double mtbf_s() const { return 1 / failures.total; }
};
[[nodiscard]] GoodputFigures goodput_of(const Reliability& reliability, const SteadyJob& job,
                                        std::optional<double> target_tokens = {});

// The process behind it, for the event-by-event simulation.
[[nodiscard]] Renewal renewal_of(const Reliability& reliability, const FailureRates& rates,
                                 const CheckpointTimes& times);

// Interruptions that training over `span_s` meets on average, recovery left aside.
[[nodiscard]] double expected_interruptions(const Reliability& reliability, const Cluster& cluster,
                                            double span_s);

}  // namespace sim
