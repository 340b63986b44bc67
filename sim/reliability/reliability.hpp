// SPDX-License-Identifier: Apache-2.0
// Reliability: how often the parts of a cluster fail, and what a job does about it, as a file says.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/base/setting.hpp"
#include "sim/base/toml_keys.hpp"
#include "sim/base/units.hpp"

namespace sim {

// [failures]: mean time between failures of one part. Absent: it never fails.
struct FailureTimes {
  std::optional<Seconds> gpu = {}, nic = {}, node = {}, network_switch = {}, domain = {},
                         software = {};
  int nodes_per_switch = 1;
  int nodes_per_domain = 1;
  double spread = 0;  // standard deviation of the logarithm of their rates, common to all
  bool operator==(const FailureTimes&) const = default;
};

// Where training goes on from after a failure.
enum class RecoverFrom {
  checkpoint,
  replica  // another data-parallel rank's weights and optimizer, as they were a step ago
};

// Spares of files that say nothing: so many that a job waits for repairs at most in this share of its
// time.
inline constexpr double kMostWaiting = 0.001;
inline constexpr int kMostSpares = 65'536;

// [recovery]
struct Recovery {
  Seconds detection, restart, repair;
  std::optional<int> spares = {};  // nodes; absent: as many as kMostWaiting takes
  RecoverFrom from = RecoverFrom::checkpoint;
  bool operator==(const Recovery&) const = default;
};

enum class CheckpointTo {
  storage,
  memory  // of a host of another node
};

// [checkpoint]
struct CheckpointPlan {
  CheckpointTo to = CheckpointTo::storage;
  bool asynchronous = false;             // training goes on once the state is in the host's memory
  std::optional<Seconds> interval = {};  // of training between two; absent: the best
  std::optional<Bandwidth> copy_bandwidth = {};  // from a GPU to its host's memory
  bool operator==(const CheckpointPlan&) const = default;
};

// [storage]
struct Storage {
  std::optional<Bandwidth> bandwidth = {};       // of all of it; absent: no limit
  std::optional<Bandwidth> node_bandwidth = {};  // of a node to it; absent: that of its NICs
  bool shares_nics = true;                       // goes through the NICs that training uses
  bool operator==(const Storage&) const = default;
};

// [loading]: of training data.
struct Loading {
  std::optional<double> node_tokens_per_s = {};  // that a node reads and prepares; absent: any
  double token_bytes = 4;                        // as stored
  bool operator==(const Loading&) const = default;
};

struct Reliability {
  std::string name;     // the file's stem
  std::string summary;  // one line
  std::filesystem::path file = {};
  FailureTimes failures = {};
  Recovery recovery = {};
  CheckpointPlan checkpoint = {};
  Storage storage = {};
  Loading loading = {};
  bool operator==(const Reliability&) const = default;
};

// The keys of a reliability file.
[[nodiscard]] std::span<const TomlKey> reliability_keys();
// After replacing the keys of `settings`. Throws an InputError that reports every wrong, missing and
// unknown key as file:line:column: key: what; remedy.
[[nodiscard]] Reliability read_reliability(const std::filesystem::path& file,
                                           std::span<const Setting> settings = {});
[[nodiscard]] Reliability parse_reliability(std::string_view text,
                                            const std::filesystem::path& file,
                                            std::span<const Setting> settings = {});
// Whether a setting is of a reliability file, by its table: "failures", "recovery"...
[[nodiscard]] bool is_of_reliability(std::string_view table);

}  // namespace sim
