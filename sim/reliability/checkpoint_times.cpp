// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/base/error.hpp"
#include "sim/reliability/goodput.hpp"
#include "sim/topology/ranks.hpp"
#include "sim/workload/memory.hpp"

namespace sim {
namespace {

[[noreturn]] void refuse(const Reliability& reliability, std::string_view key,
                         std::string_view what) {
  throw InputError(fmt::format("{}: {}: {}", reliability.file.string(), key, what));
}

// Bytes per second.
struct Rates {
  double nics = 0;     // of a node
  double node = 0;     // of a node to the storage
  double storage = 0;  // of all nodes together, beside the training data
};

Rates rates_of(const Reliability& reliability, const SteadyJob& job) {
  const Storage& storage = reliability.storage;
  const double nics = nic_rate(job.cluster).base() * job.cluster.network.nics_per_node;
  double node = storage.node_bandwidth ? storage.node_bandwidth->base() : nics;
  if (storage.shares_nics) node = std::min(node, nics);
  double all =
      storage.bandwidth ? storage.bandwidth->base() : std::numeric_limits<double>::infinity();
  const double loading = job.tokens_per_s * reliability.loading.token_bytes;
  if (all <= loading || node <= loading / job.cluster.nodes) {
    refuse(reliability, all <= loading ? "storage.bandwidth" : "storage.node_bandwidth",
           fmt::format("the training data take {:.3g} GB/s; name more", loading / 1e9));
  }
  return {nics, node - loading / job.cluster.nodes, all - loading};
}

void check_replicas(const Reliability& reliability, const SteadyJob& job) {
  const auto is_copied = [&](Weights group) {
    return shard_ranks(job.cluster, job.parallelism, group) <
           holders(job.cluster, job.parallelism, group);
  };
  const bool apart = dispatches(job.parallelism) && has_experts_to_choose(job.model);
  const bool copied = is_copied(Weights::dense) && (!apart || is_copied(Weights::experts));
  if (copied && job.cluster.nodes > 1) return;
  refuse(reliability, "recovery.from",
         "replica needs weights and optimizer on more than one node; shard less of them (`zero` 0 "
         "or `hybrid-shard`), or recover from a checkpoint");
}

// So that no failure takes a state and its copy.
void check_other_domain(const Reliability& reliability, const SteadyJob& job, const char* key) {
  const int domain = reliability.failures.domain ? reliability.failures.nodes_per_domain : 1;
  if (job.cluster.nodes > domain) return;
  refuse(reliability, key,
         fmt::format("a copy needs a node of another domain, but {} node{} of the job are one",
                     job.cluster.nodes, job.cluster.nodes == 1 ? "" : "s"));
}

// Bytes sent beside the step delay its communication by at most as long as they take, as often as
// the NICs are busy.
double slowdown_s(const SteadyJob& job, double seconds) { return seconds * job.nic_busy; }

}  // namespace

CheckpointTimes checkpoint_times(const Reliability& reliability, const SteadyJob& job) {
  const CheckpointPlan& plan = reliability.checkpoint;
  const Rates rates = rates_of(reliability, job);
  const MemoryUse held = memory_use(job.cluster, job.model, job.parallelism);
  const double rank_bytes =
      held.weights + held.optimizer + held.expert_weights + held.expert_optimizer;
  const double node_bytes = rank_bytes * job.cluster.gpus_per_node;
  CheckpointTimes times{.state_bytes = trained_state_bytes(job.model, job.parallelism)};
  if (reliability.recovery.from == RecoverFrom::replica) {
    check_replicas(reliability, job);
    check_other_domain(reliability, job, "recovery.from");
    times.load_s = node_bytes / rates.nics;
    return times;
  }
  const double part = times.state_bytes / job.cluster.nodes;  // of a node
  const double copy_s =
      plan.asynchronous ? part / job.cluster.gpus_per_node / plan.copy_bandwidth->base() : 0;
  if (plan.to == CheckpointTo::memory) {
    check_other_domain(reliability, job, "checkpoint.to");
    times.write_s = part / rates.nics;
    times.stall_s = copy_s + slowdown_s(job, times.write_s);
    // The failed node's state from its peer; the others have theirs in their own host.
    times.load_s = std::max(node_bytes / rates.nics, rank_bytes / plan.copy_bandwidth->base());
    return times;
  }
  const double save_s = std::max(times.state_bytes / rates.storage, part / rates.node);
  times.load_s = save_s + node_bytes / rates.nics;
  if (!plan.asynchronous) {
    times.stall_s = save_s;
    return times;
  }
  times.write_s = save_s;
  times.stall_s = copy_s;
  if (reliability.storage.shares_nics) times.stall_s += slowdown_s(job, part / rates.nics);
  return times;
}

}  // namespace sim
