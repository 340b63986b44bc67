// SPDX-License-Identifier: Apache-2.0
// The flags of a job, shared by several subcommands.
#pragma once

#include <boost/program_options.hpp>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "apps/arguments.hpp"
#include "apps/job/field_flags.hpp"

namespace apps {

// The flags as given.
struct JobOptions {
  std::string from;  // a launch file, whose flags are among the others once it is read
  bool print_flags = false;
  std::string topology, model, calibration = "auto";
  double codec_time = 1;
  std::string host_issue;  // empty: the stack's
  std::vector<std::string> schemes;
  int nodes = 0, gpus_per_node = 0;  // 0: the cluster's
  sim::GivenFields parallelism;
  std::map<std::string, std::vector<std::string>> listed;  // instead, of fields with several values
  int sequence = 0;
  std::string node_placement = "packed";
  std::string traffic;                    // a file, or none
  std::string algorithm, protocol, nccl;  // of collectives; empty: the cluster's
  bool step_by_step = false, each_kernel = false, whole = false;
  std::string reliability;   // a shipped name or a file; empty: parts never fail
  double target_tokens = 0;  // 0: none
  // For several sites. No deadline if it is empty.
  std::string inner_scheme = "sharded", deadline, host_codecs, balance = "none";
  std::vector<std::string> settings;  // KEY=VALUE
  std::set<std::string> given;        // names of the given flags, which a search leaves alone
};

inline constexpr const char* kNodePlacementHelp =
    "which nodes of the cluster the job has. packed: the first ones; scattered: dealt to the "
    "fabric's leaves, pods or groups in turn, as far apart as they can be; random or random:SEED; "
    "a "
    "list such as 0-3,8; or a file with such a list. Ranks are numbered in that order";
inline constexpr const char* kTrafficHelp =
    "file of other jobs on the cluster's fabric and what they send, which takes its share of the "
    "links";
inline constexpr const char* kAlgorithmHelp =
    "algorithm of the collectives that it can run, the others run as by auto; refused if no group "
    "of GPUs of such a collective can take it: auto (the fastest for each size); ring; tree "
    "(NCCL's double binary tree), nvls, nvls_tree or sharp (sums in the switches of NVLink or of "
    "the network) of all_reduce; pat of all_gather and reduce_scatter, recursive (halving and "
    "doubling) "
    "or hierarchical of these and all_reduce; pairwise, rail, deepep, deepep-low-latency, hybridep "
    "or nvlink-two-sided of all_to_all; copy_engine of "
    "all_gather and all_to_all; chain of broadcast; direct of send_receive; fastest (as auto, but "
    "never by --nccl); or a list as in NCCL_ALGO: ring,tree or ^nvls,nvlstree or "
    "ring;allreduce:^tree (default: the topology's collectives.algorithm)";
inline constexpr const char* kNcclHelp =
    "version of NCCL whose tuner chooses algorithm and protocol for each size (2.18 to 2.29, or a "
    "release: 2.26.2); off: the fastest by the costs here (default: the topology's "
    "collectives.nccl)";
inline constexpr const char* kProtocolHelp =
    "protocol of collectives that have it, refused if none has: auto (the fastest for each size), "
    "ll, ll128, simple, or a list as in NCCL_PROTO: ^ll128 (default: the topology's "
    "collectives.protocol)";
// Differences between the flags of a searching command and those of run, which has the flags for
// several sites too.
struct SearchFlags {
  ChosenFlags chosen = {};                       // marked in their help; including --scheme
  std::span<const RefusedFlag> refused = {};     // left out
  std::span<const std::string_view> lists = {};  // flags of fields that may have several values
  std::string* sizes = nullptr;  // --nodes is a list of cluster sizes, parsed by the caller
  bool may_lack_files = false;   // --topology and --model need not be given
  bool aside = false;            // of them, a first day of the command needs --topology and --model
};
[[nodiscard]] boost::program_options::options_description job_flags(JobOptions& options,
                                                                    const SearchFlags& search = {});
// The names of the flags in `flags` that were given.
[[nodiscard]] std::set<std::string> names_given(
    const boost::program_options::options_description& flags,
    const boost::program_options::variables_map& values);

}  // namespace apps
