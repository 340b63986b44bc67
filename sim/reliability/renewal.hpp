// SPDX-License-Identifier: Apache-2.0
// Closed forms of a job that fails, restarts and trains again what it had not saved.
//
// The job alternates: `interval_s` of training, `stall_s` in which it stands still for a checkpoint,
// and so on; a checkpoint is usable `write_s` after its stall, while the job trains on. Failures of
// rate f come at any time of training, stalling and restarting, by an exponential law. Each one goes
// unnoticed for d; then come restarts of R, until one ends before the next failure. Between two
// failures pass (1/f + d) exp(f R) seconds on average. With L = interval + stall, a job that runs
// for X saves floor((X - write) / L) intervals, on average exp(-f write) / (exp(f L) - 1). So the
// share of the time that is training which is kept is
//
//   goodput = interval exp(-f write) / ((1/f + d) exp(f R) (exp(f L) - 1))
//
// which with write = d = 0 is Daly's complete model (Future Generation Computer Systems 22, 2006,
// equation 20). Only interval and L depend on the interval, so the best one depends on `stall_s` and
// f alone: 1/f (1 + W(-exp(-1 - f stall))) with Lambert's W.
#pragma once

#include <optional>

namespace sim {

// Seconds. The rates are per second of a running job.
struct Renewal {
  double failure_rate = 0;
  double hardware_rate = 0;  // the part of it that takes a node away, for `repair_s`
  double domain_rate = 0;    // the part that takes `domain_nodes` away, a rack's
  int domain_nodes = 1;
  double stall_s = 0;
  double write_s = 0;
  double detection_s = 0;
  double restart_s = 0;  // loading the checkpoint included
  double repair_s = 0;
  int spares = 0;  // nodes that stand ready to take a failed one's place
};
// The fewest spares, of at most `most`, with which the job waits for repairs in at most this share of
// its time. Nothing if `most` are too few.
[[nodiscard]] std::optional<int> enough_spares(Renewal job, double waiting_share, int most);

// Young (Communications of the ACM 17, 1974): sqrt(2 stall / f). Daly 2006, equation 37, where the
// stall is below 2/f; else 1/f. Infinite without failures.
[[nodiscard]] double young_interval_s(const Renewal& job);
[[nodiscard]] double daly_interval_s(const Renewal& job);
// The interval of the highest goodput, at least `least_s` (a step) and no shorter than what a
// checkpoint takes to become usable.
[[nodiscard]] double best_interval_s(const Renewal& job, double least_s);

// Shares of all time. They sum to 1.
struct TimeShares {
  double goodput = 0;      // training that is kept
  double checkpoints = 0;  // stalls of checkpoints that are kept
  double detection = 0;    // from a failure until it is noticed
  double restart = 0;      // restarts, those that fail included
  double repair = 0;       // waiting for a node, while no spare is left
  double recomputed = 0;   // training and stalls that a failure undoes
};
[[nodiscard]] TimeShares time_shares(const Renewal& job, double interval_s);

// Failures per second of all time, that of waiting included.
[[nodiscard]] double interruption_rate(const Renewal& job);

// Share of the time in which `servers` servers are all busy, of requests that find none busy as
// often as `load` per service time and are lost (Erlang 1917). It is the share of the time in which
// servers - 1 spares and one more node are all in repair, whatever the law of the repair times, as a
// job that waits has no further failures. That failures cannot come while one is being detected spaces
// them more evenly: with three spares, waiting is a tenth shorter (tests/reliability).
[[nodiscard]] double erlang_b(int servers, double load);

// Failures within a time that has `mean` of them on average, in eight cases of ten: a Poisson law
// whose mean is log-normal, with this standard deviation of its logarithm.
struct CountRange {
  double low = 0, high = 0;
};
[[nodiscard]] CountRange likely_count(double mean, double spread);

// The goodput with as many failures in `span_s` as likely_count() has it at either end.
struct LikelyShare {
  double low = 0, high = 0;
};
[[nodiscard]] LikelyShare likely_goodput(const Renewal& job, double interval_s, double spread,
                                         double span_s);

}  // namespace sim
