#include "sim/engine/execution.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace sim {
namespace {

// Collectives never take all of a GPU: a kernel beside them keeps at least this share.
constexpr double kLeastShare = 0.05;

double now() { return simgrid::s4u::Engine::get_clock(); }

}  // namespace

Execution::Execution(const Schedule& schedule, Platform& platform, std::span<double> start_s,
                     std::span<double> end_s, std::function<void()> completed)
    : schedule_(schedule),
      platform_(platform),
      start_s_(start_s),
      end_s_(end_s),
      waiting_for_(schedule.operations.size()),
      first_dependent_(schedule.operations.size() + 1),
      dependents_(schedule.dependencies.size()),
      devices_(static_cast<std::size_t>(schedule.ranks)),
      kernel_ends_([this](std::uint32_t rank, std::uint32_t alarm) { kernel_ended(rank, alarm); }),
      latency_ends_([this](std::uint32_t operation, std::uint32_t) { begin_bytes(operation); }),
      completed_(std::move(completed)),
      left_(schedule.operations.size()) {
  std::fill(start_s_.begin(), start_s_.end(), std::numeric_limits<double>::quiet_NaN());
  std::fill(end_s_.begin(), end_s_.end(), std::numeric_limits<double>::quiet_NaN());
  for (const OperationId earlier : schedule.dependencies) ++first_dependent_[earlier + 1];
  std::partial_sum(first_dependent_.begin(), first_dependent_.end(), first_dependent_.begin());
  std::vector<std::uint32_t> next = first_dependent_;
  for (OperationId id = 0; id < schedule.operations.size(); ++id) {
    const auto earlier = schedule.dependencies_of(schedule.operations[id]);
    waiting_for_[id] = static_cast<std::uint32_t>(earlier.size());
    for (const OperationId one : earlier) dependents_[next[one]++] = id;
  }
}

void Execution::start() {
  for (OperationId id = 0; id < waiting_for_.size(); ++id) {
    if (waiting_for_[id] == 0) ready_.push_back(id);
  }
  std::reverse(ready_.begin(), ready_.end());  // ready_ is a stack: earlier operations first
  run_ready();
}

// Ends come from inside begin() as well, so the stack is worked off by the outermost call alone.
void Execution::run_ready() {
  if (running_ready_) return;
  running_ready_ = true;
  while (!ready_.empty()) {
    const OperationId id = ready_.back();
    ready_.pop_back();
    begin(id);
  }
  running_ready_ = false;
}

void Execution::begin(OperationId id) {
  const Operation& operation = schedule_.operations[id];
  start_s_[id] = now();
  switch (operation.kind) {
    case OperationKind::barrier:
    case OperationKind::member:
      end(id);
      return;
    case OperationKind::work: {
      Device& device = devices_[static_cast<std::size_t>(operation.rank)];
      advance(device);
      device.kernels.push_back({id, operation.seconds});
      reschedule(operation.rank);
      return;
    }
    case OperationKind::flow:
      occupy_multiprocessors(operation, +1);
      if (operation.seconds > 0) {
        latency_ends_.set(now() + operation.seconds, id, 0);
      } else {
        begin_bytes(id);
      }
      return;
  }
}

void Execution::begin_bytes(OperationId id) {
  const Operation& operation = schedule_.operations[id];
  occupy_memory(operation, +1);
  if (operation.bytes < 0.5) {  // SimGrid counts whole bytes
    flow_ended(id, false);
  } else if (!platform_.start_flow(operation.route, operation.bytes, id)) {
    flow_ended(id, true);
  }
}

void Execution::flow_ended(OperationId id, bool failed) {
  occupy_multiprocessors(schedule_.operations[id], -1);
  occupy_memory(schedule_.operations[id], -1);
  if (failed) {
    failed_ = true;
    return;
  }
  end(id);
  run_ready();
}

void Execution::end(OperationId id) {
  end_s_[id] = now();
  if (--left_ == 0) completed_();
  for (auto i = first_dependent_[id + 1]; i-- > first_dependent_[id];) {
    if (--waiting_for_[dependents_[i]] == 0) ready_.push_back(dependents_[i]);
  }
}

void Execution::occupy(const Operation& flow, double Device::*share, double taken) {
  for (const std::int32_t rank : schedule_.occupancies[flow.occupancy].ranks) {
    Device& device = devices_[static_cast<std::size_t>(rank)];
    advance(device);
    device.*share += taken;
    if (!device.kernels.empty()) reschedule(rank);
  }
}

void Execution::occupy_multiprocessors(const Operation& flow, double sign) {
  occupy(flow, &Device::multiprocessor_share,
         sign * schedule_.occupancies[flow.occupancy].multiprocessor_share);
}

void Execution::occupy_memory(const Operation& flow, double sign) {
  occupy(flow, &Device::memory_share, sign * schedule_.occupancies[flow.occupancy].memory_share);
}

double Execution::slowdown(const Device& device, OperationId id) const {
  const double memory_bound = schedule_.operations[id].memory_share;
  const auto left = [](double taken) { return std::max(kLeastShare, 1 - taken); };
  return static_cast<double>(device.kernels.size()) *
         ((1 - memory_bound) / left(device.multiprocessor_share) +
          memory_bound / left(device.memory_share));
}

void Execution::advance(Device& device) {
  const double elapsed = now() - device.updated_s;
  device.updated_s = now();
  if (elapsed <= 0) return;
  for (Kernel& kernel : device.kernels) {
    kernel.left_s = std::max(0.0, kernel.left_s - elapsed / slowdown(device, kernel.operation));
  }
}

void Execution::reschedule(std::int32_t rank) {
  Device& device = devices_[static_cast<std::size_t>(rank)];
  if (device.alarmed) kernel_ends_.cancel(device.alarm_s);
  device.alarmed = false;
  if (device.kernels.empty()) return;
  double soonest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < device.kernels.size(); ++i) {
    const Kernel& kernel = device.kernels[i];
    const double ends_in = kernel.left_s * slowdown(device, kernel.operation);
    if (ends_in < soonest) {
      soonest = ends_in;
      device.next = i;
    }
  }
  device.alarm_s = now() + soonest;
  device.alarmed = true;
  kernel_ends_.set(device.alarm_s, static_cast<std::uint32_t>(rank), ++device.alarms);
}

void Execution::kernel_ended(std::uint32_t rank, std::uint32_t alarm) {
  Device& device = devices_[rank];
  if (!device.alarmed || alarm != device.alarms) return;  // cancelled
  device.alarmed = false;
  advance(device);
  const OperationId ended = device.kernels[device.next].operation;
  device.kernels.erase(device.kernels.begin() + static_cast<std::ptrdiff_t>(device.next));
  reschedule(static_cast<std::int32_t>(rank));
  end(ended);
  run_ready();
}

}  // namespace sim
