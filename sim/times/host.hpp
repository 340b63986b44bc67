// SPDX-License-Identifier: Apache-2.0
// The host: what it costs the CPU of a GPU to issue kernels, and when a kernel starts because of it.
//
// A kernel starts when the host has issued it and the GPU is free. With h the time at which the host
// is ready and g that at which the GPU is, a kernel of t seconds that takes c to issue moves both:
//
//   h' = h + c        g' = max(h + c, g) + t
//
// That is linear in the max-plus algebra, so a block of kernels is such a map too and blocks compose:
// a layer can be simulated as one operation and still waits for the host exactly as long as its
// kernels would one by one.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// Consecutive kernels of one stream: h' = h + issue_s, g' = max(h + start_s, g) + gpu_s.
struct HostBlock {
  double issue_s = 0;
  // From when the host is ready until the GPU may begin, if it is to go on without a gap; at most
  // issue_s. Minus infinity: nothing has to be issued.
  double start_s = -std::numeric_limits<double>::infinity();
  double gpu_s = 0;
};
// `first`, then `second`. Associative, with HostBlock{} as its neutral element.
[[nodiscard]] HostBlock then(const HostBlock& first, const HostBlock& second);
// Equal kernels, `launches` of them, that take `issue_s` each to issue and `gpu_s` together to run.
// Without a launch: part of the kernel before.
[[nodiscard]] HostBlock launched(double launches, double issue_s, double gpu_s);

// A software stack's host.
struct HostRow {
  std::string name;                 // of the table in the file: "megatron"
  std::vector<Kernels> kernels;     // the stacks that it is for, by their kernels
  double issue_s = 0;               // to issue a kernel
  double spread = 0;                // of the issue time, standard deviation of its logarithm
  double step_s = 0;                // between steps: data, logging, the training loop
  bool waits_for_norm = false;      // for the gradient norm, before it issues the update
  bool waits_for_messages = false;  // for messages between stages that overlap with nothing
  bool waits_for_counts = false;    // of rows for each expert, before it issues their dispatch
  std::string source;
  bool operator==(const HostRow&) const = default;
};
struct Hosts {
  std::vector<HostRow> rows;  // empty: ideal hosts, which are always ahead
  double slowdown = 1;        // factor on their times, for what-if questions (`host-issue`)
  bool operator==(const Hosts&) const = default;
};

// Reads traces/kernels/host.toml, or a file of the same format. Throws an InputError that reports
// every wrong, missing and unknown key, and kernels that have no row or two.
[[nodiscard]] Hosts read_hosts(const std::filesystem::path& file);
[[nodiscard]] Hosts parse_hosts(std::string_view text, const std::filesystem::path& file);

// The row for these kernels, slowed down; nothing where the host is ideal.
[[nodiscard]] std::optional<HostRow> host_of(const Hosts& hosts, Kernels kernels);
// The same hosts with another issue time, whose source is kGivenIssueTime; of 0, ideal ones.
inline constexpr std::string_view kGivenIssueTime = "given";
[[nodiscard]] Hosts with_issue_time(Hosts hosts, Seconds issue);
// The same hosts at the pace that a cluster's steps were fitted with, or that was set by hand.
[[nodiscard]] Hosts with_fitted_slowdown(Hosts hosts, const Fitted& fitted);

}  // namespace sim
