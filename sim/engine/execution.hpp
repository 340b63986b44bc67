// SPDX-License-Identifier: Apache-2.0
// Execution: plays a schedule on SimGrid, in the process that owns the Engine. Without actors:
// operations start from the main program and from the completions of others.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/engine/alarms.hpp"
#include "sim/engine/lone_flows.hpp"
#include "sim/engine/platform.hpp"
#include "sim/engine/shared_routes.hpp"
#include "sim/engine/simulate.hpp"

namespace sim {

// The entries of a Timeline, one per operation.
struct Times {
  std::span<double> start_s, end_s, carried;
};

class Execution {
 public:
  // Writes `times`, NaN at first. Calls `completed` when the last operation has ended.
  Execution(const Schedule& schedule, const Wiring& wiring, Platform& platform, const Times& times,
            std::function<void()> completed);

  void start();  // starts everything without dependencies
  // The Comm of a flow or a route has ended.
  void comm_ended(std::uintptr_t tag, bool failed);
  // The rates of flows may change from now on.
  void share_links_anew();

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool complete() const { return left_ == 0; }

 private:
  using OperationId = std::uint32_t;

  // One kernel, or several consecutive ones, running on a rank's GPU.
  struct Kernel {
    OperationId operation;
    double left_s;         // of its part's time when alone on the GPU
    std::size_t part = 0;  // of Schedule::parts
  };
  // A rank's GPU: concurrent kernels share it evenly, and flows take SMs and memory bandwidth.
  struct Device {
    std::vector<Kernel> kernels;
    double updated_s = 0;
    double multiprocessor_share = 0;
    double memory_share = 0;    // taken by copy engines
    double channels_share = 0;  // asked for by channels
    double alarm_s = 0;         // when the first kernel ends
    std::uint32_t alarms = 0;   // number set so far; only the last one counts
    bool alarmed = false;
    std::size_t next = 0;  // the kernel of the pending alarm
  };

  // A flow that moves bytes. SimGrid shares the links and ends a flow without latency on the way. A
  // flow with such latency is endless for SimGrid and ends when its alarm rings.
  struct Transfer {
    double rate_Bps = 0;  // from its links
    double left = 1;      // share of the bytes
    double updated_s = 0;
    double alarm_s = 0;
    std::uint32_t alarms = 0;  // number set so far; only the last one counts
  };

  void run_ready();
  void begin(OperationId operation);
  void begin_on_host(OperationId id);
  void begin_bytes(OperationId operation);
  bool start_flow(OperationId operation, double bytes);
  void flow_ended(OperationId operation, bool failed);
  // Gives up all flows that end at the latest when this operation has.
  void give_up_at(OperationId when);
  void give_up(OperationId flow);
  [[nodiscard]] double take_left(OperationId flow);
  [[nodiscard]] bool has_ended(OperationId operation) const;
  void end(OperationId operation);
  // SMs are held from the launch on, memory bandwidth while bytes move: at their actual rate, once
  // the sharing of links is known.
  void occupy_multiprocessors(const Operation& one, double sign);
  void occupy_memory(const Operation& one, double sign);
  void occupy_memory_by(const Operation& one, double taken);
  void occupy(const Operation& one, double Device::*share, double taken);
  void note_rates();
  void hold_mean_rates();
  void set_rate(OperationId flow, double rate_Bps);
  void transfer_ended(OperationId flow, std::uint32_t alarm);
  // Advances a device's kernels to the current time; after a change, finds the one that ends first.
  void advance(Device& device);
  void reschedule(std::int32_t rank);
  void kernel_ended(std::uint32_t rank, std::uint32_t alarm);
  void host_ended(OperationId operation);
  // How many times longer a part of a kernel takes than alone on the GPU.
  [[nodiscard]] static double slowdown(const Device& device, const KernelPart& part);
  [[nodiscard]] double ends_in(const Device& device, const Kernel& kernel) const;
  void progress(const Device& device, Kernel& kernel, double elapsed_s) const;
  [[nodiscard]] const std::vector<KernelPart>& parts_of(const Kernel& kernel) const;

  const Schedule& schedule_;
  Platform& platform_;
  LoneFlows lone_flows_;        // if anything follows rates
  SharedRoutes shared_routes_;  // if nothing does
  std::span<double> start_s_;
  std::span<double> end_s_;
  std::span<double> carried_;
  std::vector<std::uint32_t> waiting_for_;      // by operation: dependencies still running
  std::vector<std::uint32_t> first_dependent_;  // by operation, into dependents_
  std::vector<OperationId> dependents_;
  std::vector<OperationId> ready_;
  std::vector<Device> devices_;  // by rank
  std::unordered_map<OperationId, Transfer> transfers_;
  std::vector<OperationId> held_;           // at their mean rates
  std::unordered_set<OperationId> moving_;  // flows that may be given up, while their bytes move
  Alarms kernel_ends_;
  Alarms latency_ends_;
  Alarms host_ends_;
  Alarms transfer_ends_;
  Alarms given_up_;  // after all that ends at the same time
  Alarms shared_links_;
  bool sharing_ = false;   // links are being shared anew
  double changed_s_ = -1;  // the flows on them, last
  std::function<void()> completed_;
  std::size_t left_ = 0;
  bool follows_rates_ = false;  // anything depends on the rate of a flow that is under way
  bool running_ready_ = false;
  bool failed_ = false;
};

}  // namespace sim
