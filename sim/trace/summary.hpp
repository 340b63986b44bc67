// SPDX-License-Identifier: Apache-2.0
// Where the time of traced steps goes, by class of kernel.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/trace/trace.hpp"

namespace sim::trace {

// A value of each step of each GPU, and their mean.
struct Samples {
  double mean = 0;
  std::vector<double> values;
};

// Of one step on one GPU. Kernels that run at once all count.
struct ClassTime {
  KernelClass value = KernelClass::unexplained;
  Samples seconds;
  Samples with_gaps;  // up to the next kernel of the stream, where that starts within kMostGap_s
  double kernels = 0;
};

// A longer gap is no launch: the stream waits for the host or for another stream.
inline constexpr double kMostGap_s = 5e-6;

struct NameTime {
  std::string name;
  KernelClass value = KernelClass::unexplained;
  double seconds = 0;
  double kernels = 0;
};

struct Summary {
  std::string device;
  int gpus = 0;
  std::optional<int> job_ranks;  // GPUs of the job, traced or not, if the traces say so
  std::size_t steps = 0;         // steps of GPUs that count
  std::size_t left_out = 0;      // of those, not all of whose kernels were recorded
  Samples step_s;  // of all but the last step, from its first kernel to the next one's
  // Of the same steps, the time in which kernels run, whichever step launched them:
  double compute_s = 0;            // a kernel that does not communicate runs
  double exposed_s = 0;            // only kernels that communicate run
  double idle_s = 0;               // none runs
  double kernels_s = 0;            // sum over all kernels
  std::vector<ClassTime> classes;  // longest first, with kernels
  std::vector<NameTime> names;     // longest first
  std::size_t overlapping = 0;

  [[nodiscard]] double share_of(double seconds) const {
    return kernels_s > 0 ? seconds / kernels_s : 0;
  }
  // The class's time; 0 if the trace has none of it.
  [[nodiscard]] double seconds_of(KernelClass value) const;
};

// Of the traces of one job, a file or several. A trace without steps is one step. Throws an
// InputError if two are of the same rank, of different GPUs, or of jobs of different sizes.
[[nodiscard]] Summary summarize(std::span<const Trace> traces);

}  // namespace sim::trace
