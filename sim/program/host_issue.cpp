// SPDX-License-Identifier: Apache-2.0
#include "sim/program/host_issue.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace sim {
namespace {

double launches_of(const Kernel& kernel) {
  double count = 0;
  for (const Kernel::Launch& launch : kernel.launches) count += launch.count;
  return count;
}

// Of an instruction.
struct Launches {
  const Program& program;

  double operator()(const Compute& compute) const {
    double count = 0;
    for (const BlockTime& kernel : program.kernels[compute.kernels]) count += kernel.launches;
    return count;
  }
  double operator()(const MemoryPass&) const { return 1; }
  double operator()(const Codec& codec) const { return launches_of(codec.kernel); }
  double operator()(const Communicate& what) const { return launches_of(program, what); }
  double operator()(const Send&) const { return program.message_encode ? 2 : 1; }
  double operator()(const Receive&) const { return program.message_decode ? 2 : 1; }
  double operator()(const SumNorm&) const { return 1; }
  double operator()(const SumTied&) const { return 1; }
  double operator()(const Hold&) const { return 0; }
  double operator()(const HoldWeights&) const { return 0; }
  double operator()(const CopyActivations&) const { return 1; }
  double operator()(const HoldBuffer&) const { return 0; }
  double operator()(const FreeBuffer&) const { return 0; }
};

constexpr const char* kLabel = "issue kernels";

}  // namespace

HostIssue::HostIssue(ScheduleBuilder& builder, std::optional<HostRow> row)
    : builder_(builder), row_(std::move(row)), ranks_(static_cast<std::size_t>(builder.ranks())) {}

void HostIssue::start(int rank, double ahead_s) {
  Rank& host = ranks_[static_cast<std::size_t>(rank)];
  host.ahead_s = ahead_s;
  host.pending_s = -ahead_s;
}

OperationId HostIssue::issue(int rank, const HostBlock& block) {
  if (is_ideal()) return kNoOperation;
  Rank& host = ranks_[static_cast<std::size_t>(rank)];
  host.issued_s += builder_.times() * block.issue_s;
  host.computed_s += builder_.times() * block.gpu_s;
  OperationId issued = kNoOperation;
  if (block.start_s > host.ahead_s) {
    issued = emit(rank, block.start_s);
    host.pending_s += block.issue_s - block.start_s;
  } else {
    host.pending_s += block.issue_s;
  }
  host.ahead_s = std::max(host.ahead_s, block.start_s) + block.gpu_s - block.issue_s;
  return issued;
}

OperationId HostIssue::issue_beside(int rank, double launches) {
  if (is_ideal() || launches <= 0) return kNoOperation;
  Rank& host = ranks_[static_cast<std::size_t>(rank)];
  const double seconds = launches * row_->issue_s;
  host.issued_s += builder_.times() * seconds;
  host.ahead_s -= seconds;
  if (host.ahead_s < 0) return emit(rank, seconds);
  host.pending_s += seconds;
  return kNoOperation;
}

void HostIssue::wait(int rank, std::span<const OperationId> after) {
  if (is_ideal()) return;
  Rank& host = ranks_[static_cast<std::size_t>(rank)];
  // A host that is behind its GPU comes to wait later.
  if (host.ahead_s < 0 && host.pending_s > 0) builder_.host(rank, kLabel, host.pending_s);
  builder_.host(rank, "wait for the GPU", 0, after);
  host.pending_s = host.ahead_s = 0;
  host.ever_waited = true;
}

OperationId HostIssue::emit(int rank, double seconds) {
  Rank& host = ranks_[static_cast<std::size_t>(rank)];
  const double busy_s = host.pending_s + seconds;
  // Issued before the step started.
  if (busy_s <= 0) {
    host.pending_s = busy_s;
    return kNoOperation;
  }
  host.pending_s = 0;
  return builder_.host(rank, kLabel, busy_s);
}

double launches_of(const Program& program, const Communicate& what) {
  double count = 0;
  for (const Part& part : program.communications[what.communication].parts) {
    const auto* kernel = std::get_if<Kernel>(&part.what);
    count += kernel == nullptr ? 1 : launches_of(*kernel);
  }
  return count;
}

double launches(const Program& program, int stage) {
  double count = 0;
  for (const Instruction& one : program.instructions) {
    const bool of_all = std::holds_alternative<SumNorm>(one.what);
    if (one.stage == stage || of_all) count += std::visit(Launches{program}, one.what);
  }
  return count;
}

void HostIssue::finish() {
  if (is_ideal()) return;
  double busiest_s = 0;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const Rank& host = ranks_[i];
    const double busy_s = host.issued_s + row_->step_s;
    busiest_s = std::max(busiest_s, busy_s);
    if (host.ever_waited) continue;
    if (busy_s > host.computed_s) builder_.host(static_cast<int>(i), kLabel, busy_s);
  }
  builder_.set_host_issue(busiest_s);
}

double HostIssue::ahead_after(std::span<const HostBlock> blocks) const {
  if (!waits_for_norm()) return std::numeric_limits<double>::infinity();
  HostBlock update;
  for (const HostBlock& block : blocks) update = then(update, block);
  // From when both are ready: the GPU at max(start, 0) + gpu, the host at issue.
  return std::max(update.start_s, 0.0) + update.gpu_s - update.issue_s - row_->step_s;
}

}  // namespace sim
