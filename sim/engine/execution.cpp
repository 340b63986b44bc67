// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/execution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace sim {
namespace {

// Collectives never take all of a GPU's SMs: a kernel beside them keeps at least this share.
constexpr double kLeastShare = 0.05;
// Of memory bandwidth kernels have what transfers leave, and no less than half: memory serves both
// alike, and neither waits for the other to end (max-min sharing). That a transfer would then be
// slower is left out: those of today's GPUs need less than half.
constexpr double kLeastMemoryShare = 0.5;
// Of SMs: less is what sums of shares leave when all are given back.
constexpr double kHeldShare = 1e-9;

double now() { return simgrid::s4u::Engine::get_clock(); }

// The share of a flow's bytes that moves in a second while its links give it this rate.
double shares_per_s(const Operation& flow, double rate_Bps) {
  return rate_Bps > 0 ? 1 / (flow.latency_on_the_way_s + flow.bytes / rate_Bps) : 0;
}

}  // namespace

Execution::Execution(const Schedule& schedule, const Wiring& wiring, Platform& platform,
                     const Times& times, std::function<void()> completed)
    : schedule_(schedule),
      platform_(platform),
      lone_flows_(wiring, platform),
      shared_routes_(platform),
      start_s_(times.start_s),
      end_s_(times.end_s),
      carried_(times.carried),
      waiting_for_(schedule.operations.size()),
      first_dependent_(schedule.operations.size() + 1),
      dependents_(schedule.dependencies.size()),
      devices_(static_cast<std::size_t>(schedule.ranks)),
      kernel_ends_([this](std::uint32_t rank, std::uint32_t alarm) { kernel_ended(rank, alarm); }),
      latency_ends_([this](std::uint32_t operation, std::uint32_t) { begin_bytes(operation); }),
      host_ends_([this](std::uint32_t operation, std::uint32_t) { host_ended(operation); }),
      transfer_ends_([this](std::uint32_t operation, std::uint32_t alarm) {
        transfer_ended(operation, alarm);
      }),
      given_up_([this](std::uint32_t when, std::uint32_t) { give_up_at(when); }),
      shared_links_([this](std::uint32_t, std::uint32_t) { note_rates(); }),
      completed_(std::move(completed)),
      left_(schedule.operations.size()),
      follows_rates_(std::ranges::any_of(schedule.operations, [&](const Operation& one) {
        return one.latency_on_the_way_s > 0 ||
               schedule.occupancies[one.occupancy].memory_s_per_byte > 0;
      })) {
  std::fill(start_s_.begin(), start_s_.end(), std::numeric_limits<double>::quiet_NaN());
  std::fill(end_s_.begin(), end_s_.end(), std::numeric_limits<double>::quiet_NaN());
  std::fill(carried_.begin(), carried_.end(), 1);
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
    if (!has_ended(id)) begin(id);
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
      if (operation.on_host) return begin_on_host(id);
      Device& device = devices_[static_cast<std::size_t>(operation.rank)];
      advance(device);
      const double first = schedule_.parts[operation.parts].front().share;
      device.kernels.push_back({id, first * operation.seconds});
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
    case OperationKind::host:
      return begin_on_host(id);
    case OperationKind::acquire:
    case OperationKind::release: {
      const int sign = operation.kind == OperationKind::acquire ? +1 : -1;
      occupy_multiprocessors(operation, sign);
      occupy_memory(operation, sign);
      end(id);
      return;
    }
  }
}

void Execution::begin_on_host(OperationId id) {
  const double seconds = schedule_.operations[id].seconds;
  if (seconds > 0) {
    host_ends_.set(now() + seconds, id, 0);
  } else {
    end(id);
  }
}

void Execution::begin_bytes(OperationId id) {
  if (has_ended(id)) return;  // given up before its latency was over
  const Operation& operation = schedule_.operations[id];
  occupy_memory(operation, +1);
  if (!schedule_.given_up.empty()) moving_.insert(id);
  const double bytes = operation.latency_on_the_way_s > 0 ? kEndlessBytes : operation.bytes;
  if (operation.bytes < kLeastBytes) {
    flow_ended(id, false);
  } else if (!start_flow(id, bytes)) {
    flow_ended(id, true);
  } else {
    share_links_anew();
  }
}

bool Execution::start_flow(OperationId id, double bytes) {
  const std::uint32_t route = schedule_.operations[id].route;
  const double channels = schedule_.routes[route].channels;
  return follows_rates_ ? lone_flows_.start_flow(route, bytes, channels, id)
                        : shared_routes_.start_flow(route, bytes, channels, id);
}

void Execution::comm_ended(std::uintptr_t tag, bool failed) {
  const auto ended = [this](std::uintptr_t flow, bool lost) {
    flow_ended(static_cast<OperationId>(flow), lost);
  };
  if (follows_rates_) {
    lone_flows_.flow_ended(tag);
    return ended(tag, failed);
  }
  shared_routes_.comm_ended(static_cast<std::uint32_t>(tag), failed, ended);
}

void Execution::flow_ended(OperationId id, bool failed) {
  occupy_multiprocessors(schedule_.operations[id], -1);
  occupy_memory(schedule_.operations[id], -1);
  set_rate(id, 0);
  transfers_.erase(id);
  moving_.erase(id);
  share_links_anew();
  if (failed) {
    failed_ = true;
    return;
  }
  end(id);
  run_ready();
}

void Execution::give_up_at(OperationId when) {
  const auto& all = schedule_.given_up;
  auto one = std::ranges::lower_bound(all, when, {}, &GivenUp::when);
  for (; one != all.end() && one->when == when; ++one) {
    if (!has_ended(one->flow)) give_up(one->flow);
  }
  run_ready();
}

void Execution::give_up(OperationId flow) {
  const Operation& operation = schedule_.operations[flow];
  if (moving_.contains(flow)) {
    carried_[flow] = 1 - take_left(flow);
    return flow_ended(flow, false);
  }
  carried_[flow] = 0;
  if (std::isnan(start_s_[flow])) {
    start_s_[flow] = now();
  } else {
    occupy_multiprocessors(operation, -1);
  }
  end(flow);
}

// Stops a flow whose bytes move. Returns the share of them that is left.
double Execution::take_left(OperationId flow) {
  const Operation& operation = schedule_.operations[flow];
  if (operation.latency_on_the_way_s > 0) {
    const Transfer& transfer = transfers_[flow];
    const double shares = shares_per_s(operation, transfer.rate_Bps);
    lone_flows_.stop_flow(flow);
    return std::max(0.0, transfer.left - (now() - transfer.updated_s) * shares);
  }
  if (!follows_rates_) {
    return shared_routes_.stop_flow(operation.route, flow) / std::round(operation.bytes);
  }
  const double left = platform_.left_of_flow(flow) / std::round(operation.bytes);
  lone_flows_.stop_flow(flow);
  return left;
}

bool Execution::has_ended(OperationId id) const { return !std::isnan(end_s_[id]); }

void Execution::end(OperationId id) {
  end_s_[id] = now();
  if (std::ranges::binary_search(schedule_.given_up, id, {}, &GivenUp::when)) {
    given_up_.set(now(), id, 0);
  }
  if (--left_ == 0) completed_();
  for (auto i = first_dependent_[id + 1]; i-- > first_dependent_[id];) {
    if (--waiting_for_[dependents_[i]] == 0) ready_.push_back(dependents_[i]);
  }
}

void Execution::occupy(const Operation& one, double Device::*share, double taken) {
  if (taken == 0) return;
  for (const std::int32_t rank : schedule_.occupancies[one.occupancy].ranks) {
    Device& device = devices_[static_cast<std::size_t>(rank)];
    advance(device);
    device.*share += taken;
    if (!device.kernels.empty()) reschedule(rank);
  }
}

void Execution::occupy_multiprocessors(const Operation& one, double sign) {
  occupy(one, &Device::multiprocessor_share,
         sign * schedule_.occupancies[one.occupancy].multiprocessor_share);
}

void Execution::occupy_memory(const Operation& one, double sign) {
  occupy_memory_by(one, sign * schedule_.occupancies[one.occupancy].memory_share);
}

void Execution::occupy_memory_by(const Operation& one, double taken) {
  const bool by_channels = schedule_.occupancies[one.occupancy].by_channels;
  occupy(one, by_channels ? &Device::channels_share : &Device::memory_share, taken);
}

// SimGrid shares the links when time goes on, so the rates are known one moment later: the next
// number that a clock can show.
void Execution::share_links_anew() {
  if (!follows_rates_) return;
  changed_s_ = now();
  for (const OperationId flow : held_) platform_.let_go(flow);
  held_.clear();
  if (sharing_) return;
  sharing_ = true;
  shared_links_.set(std::nextafter(now(), std::numeric_limits<double>::infinity()), 0, 0);
}

void Execution::note_rates() {
  sharing_ = false;
  // What changed at this very moment is not shared yet.
  if (changed_s_ == now()) return share_links_anew();
  std::size_t flows = 0;
  lone_flows_.for_each_rate([&](std::uintptr_t flow, double rate_Bps) {
    ++flows;
    set_rate(static_cast<OperationId>(flow), rate_Bps);
  });
  if (flows > 1) hold_mean_rates();
}

// Links were shared as if no flow had latency on the way, which gives the rate at which its bytes move.
// While its latency passes, its links are the others'. What these take of the memory's bandwidth stays as
// it was without: a part of a part.
void Execution::hold_mean_rates() {
  for (const auto& [id, transfer] : transfers_) {
    const Operation& flow = schedule_.operations[id];
    if (flow.latency_on_the_way_s <= 0 || transfer.rate_Bps <= 0) continue;
    lone_flows_.hold_flow(id, flow.bytes * shares_per_s(flow, transfer.rate_Bps));
    held_.push_back(id);
  }
}

void Execution::set_rate(OperationId id, double rate_Bps) {
  const Operation& flow = schedule_.operations[id];
  const double each = schedule_.occupancies[flow.occupancy].memory_s_per_byte;
  const bool ends_here = flow.latency_on_the_way_s > 0;
  if (each <= 0 && !ends_here) return;
  Transfer& transfer = transfers_[id];
  if (transfer.rate_Bps == rate_Bps) return;
  const double before = shares_per_s(flow, transfer.rate_Bps);
  const double after = shares_per_s(flow, rate_Bps);
  occupy_memory_by(flow, each * flow.bytes * (after - before));
  transfer.rate_Bps = rate_Bps;
  if (!ends_here) return;
  transfer.left = std::max(0.0, transfer.left - (now() - transfer.updated_s) * before);
  transfer.updated_s = now();
  if (before > 0) transfer_ends_.cancel(transfer.alarm_s);
  ++transfer.alarms;
  if (after <= 0) return;
  transfer.alarm_s = now() + transfer.left / after;
  transfer_ends_.set(transfer.alarm_s, id, transfer.alarms);
}

void Execution::transfer_ended(OperationId id, std::uint32_t alarm) {
  const auto found = transfers_.find(id);
  if (found == transfers_.end() || found->second.alarms != alarm) return;
  lone_flows_.stop_flow(id);
  flow_ended(id, false);
}

double Execution::slowdown(const Device& device, const KernelPart& part) {
  const double held = device.multiprocessor_share;
  const double multiprocessors = std::max(kLeastShare, 1 - held);
  const double by_channels = std::min(held, device.channels_share);
  const double memory = std::max(kLeastMemoryShare, 1 - device.memory_share - by_channels);
  const double by_multiprocessors =
      1 - part.memory_share + (held > kHeldShare ? part.beside_channels : 0);
  return static_cast<double>(device.kernels.size()) *
         (by_multiprocessors / multiprocessors + part.memory_share / memory);
}

const std::vector<KernelPart>& Execution::parts_of(const Kernel& kernel) const {
  return schedule_.parts[schedule_.operations[kernel.operation].parts];
}

double Execution::ends_in(const Device& device, const Kernel& kernel) const {
  const auto& parts = parts_of(kernel);
  const double whole_s = schedule_.operations[kernel.operation].seconds;
  double seconds = kernel.left_s * slowdown(device, parts[kernel.part]);
  for (std::size_t next = kernel.part + 1; next < parts.size(); ++next) {
    seconds += parts[next].share * whole_s * slowdown(device, parts[next]);
  }
  return seconds;
}

void Execution::progress(const Device& device, Kernel& kernel, double elapsed_s) const {
  const auto& parts = parts_of(kernel);
  const double whole_s = schedule_.operations[kernel.operation].seconds;
  while (true) {
    const double slower = slowdown(device, parts[kernel.part]);
    if (elapsed_s < kernel.left_s * slower) {
      kernel.left_s -= elapsed_s / slower;
      return;
    }
    elapsed_s -= kernel.left_s * slower;
    kernel.left_s = 0;
    if (kernel.part + 1 == parts.size()) return;
    kernel.left_s = parts[++kernel.part].share * whole_s;
  }
}

void Execution::advance(Device& device) {
  const double elapsed = now() - device.updated_s;
  device.updated_s = now();
  if (elapsed <= 0) return;
  for (Kernel& kernel : device.kernels) progress(device, kernel, elapsed);
}

void Execution::reschedule(std::int32_t rank) {
  Device& device = devices_[static_cast<std::size_t>(rank)];
  if (device.alarmed) kernel_ends_.cancel(device.alarm_s);
  device.alarmed = false;
  if (device.kernels.empty()) return;
  double soonest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < device.kernels.size(); ++i) {
    const double seconds = ends_in(device, device.kernels[i]);
    if (seconds < soonest) {
      soonest = seconds;
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

void Execution::host_ended(OperationId id) {
  end(id);
  run_ready();
}

}  // namespace sim
