// SPDX-License-Identifier: Apache-2.0
// HostIssue: the hosts of all ranks as they issue a program's kernels, in its order.
//
// A host runs ahead of its GPU until it waits for it: for the gradient norm, a message, or counts of rows. Its
// operations are added to the schedule only where the GPU may have to wait for them. That cannot be
// where the host is ahead even of a GPU that waits for nothing but its kernels.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/program/program.hpp"
#include "sim/schedule/builder.hpp"
#include "sim/times/host.hpp"

namespace sim {

class HostIssue {
 public:
  // Without a row hosts are ideal: nothing is ever waited for. The builder must outlive this.
  HostIssue(ScheduleBuilder& builder, std::optional<HostRow> row);

  // How far a host is ahead of the GPU at the end of a step that ends with these blocks after the
  // gradient norm; negative: behind it. Infinity if it does not wait for the norm.
  [[nodiscard]] double ahead_after(std::span<const HostBlock> blocks) const;
  // The same when the step starts.
  void start(int rank, double ahead_s);

  // Kernels of the compute stream, which start after the operation that is returned (kNoOperation:
  // they do not wait for the host).
  [[nodiscard]] OperationId issue(int rank, const HostBlock& block);
  // So many kernels or collectives beside the compute stream, which start likewise.
  [[nodiscard]] OperationId issue_beside(int rank, double launches);
  // The host goes on when these operations have ended.
  void wait(int rank, std::span<const OperationId> after);

  [[nodiscard]] bool is_ideal() const { return !row_; }
  [[nodiscard]] double issue_s() const { return is_ideal() ? 0 : row_->issue_s; }
  [[nodiscard]] bool waits_for_norm() const { return !is_ideal() && row_->waits_for_norm; }
  [[nodiscard]] bool waits_for_messages() const { return !is_ideal() && row_->waits_for_messages; }
  [[nodiscard]] bool waits_for_counts() const { return !is_ideal() && row_->waits_for_counts; }

  // Hosts that wait for nothing and are the step's bottleneck keep it as long as they take. The schedule
  // keeps how long the busiest takes in all.
  void finish();

 private:
  struct Rank {
    double pending_s = 0;   // that the host has been busy since its last operation
    double ahead_s = 0;     // by which at least it is ahead of the GPU's compute stream
    double issued_s = 0;    // that it has been busy in all
    double computed_s = 0;  // of its kernels on the compute stream
    bool ever_waited = false;
  };

  // The end of an operation for what has been pending and `seconds` more.
  OperationId emit(int rank, double seconds);

  ScheduleBuilder& builder_;
  std::optional<HostRow> row_;
  std::vector<Rank> ranks_;
};

// Kernels and collectives that the host of a rank of the stage issues.
[[nodiscard]] double launches(const Program& program, int stage);
[[nodiscard]] double launches_of(const Program& program, const Communicate& what);

}  // namespace sim
