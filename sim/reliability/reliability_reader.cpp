// SPDX-License-Identifier: Apache-2.0
// Reads reliability files.
#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/base/toml_reader.hpp"
#include "sim/reliability/reliability.hpp"

namespace sim {
namespace {

constexpr TomlKey kReliabilityKeys[] = {
    {"summary", "string", "", "One line that describes the file, with its sources."},
    {"failures.gpu", "time above 0", "never",
     "Mean time between failures of one GPU, its memory and its NVLinks included.", "80000 h"},
    {"failures.nic", "time above 0", "never", "Mean time between failures of one NIC.",
     "1000000 h"},
    {"failures.node", "time above 0", "never",
     "Mean time between failures of one node, GPUs and NICs excluded: host, power, chassis.",
     "60000 h"},
    {"failures.switch", "time above 0", "never",
     "Mean time between failures of one switch with its cables. Each takes a node away.",
     "40000 h"},
    {"failures.nodes_per_switch", "whole number from 1 to 65536", "required with switch",
     "Nodes for each switch: with 2, a job of 8 nodes has 4."},
    {"failures.domain", "time above 0", "never",
     "Mean time between failures of a domain that fails as one, such as a rack. Each takes all its "
     "nodes away.",
     "100000 h"},
    {"failures.nodes_per_domain", "whole number from 1 to 65536", "required with domain",
     "Nodes of a domain."},
    {"failures.software", "time above 0", "never",
     "Mean time between failures of the software of one node. They take no node away.", "40000 h"},
    {"failures.spread", "number from 0 to 3", "0",
     "Standard deviation of the logarithm of all these rates together: how far clusters differ.",
     "0.5"},
    {"recovery.detection", "time", "", "From a failure until the job is known to have failed.",
     "5 min"},
    {"recovery.restart", "time", "",
     "From there until the job runs again on good nodes, without loading a checkpoint.", "5 min"},
    {"recovery.repair", "time", "",
     "Time to repair or replace a failed node. Without a spare the job waits for it.", "24 h"},
    {"recovery.spares", "whole number from 0 to 65536",
     "so many that the job waits for repairs at most 0.1 % of the time",
     "Nodes that stand ready to replace failed ones. They are paid for. With 0, the job waits for "
     "every repair."},
    {"recovery.from", "one of checkpoint, replica", "checkpoint",
     "Where training goes on from. `replica`: the weights and the optimizer of another "
     "data-parallel rank, without any checkpoint; for jobs that hold them more than once (ZeRO-0, "
     "hybrid sharding)."},
    {"checkpoint.to", "one of storage, memory", "storage",
     "Where checkpoints go. `memory`: to the memory of the host of another node, through the "
     "NICs."},
    {"checkpoint.asynchronous", "true or false", "false; with `memory` true",
     "Training goes on as soon as the state is copied to the host's memory."},
    {"checkpoint.interval", "time above 0", "the best one",
     "Time of training between two checkpoints.", "30 min"},
    {"checkpoint.copy_bandwidth", "bandwidth above 0", "required if asynchronous",
     "Bandwidth at which a GPU copies its state to its host's memory.", "20 GBps"},
    {"storage.bandwidth", "bandwidth above 0", "no limit",
     "Bandwidth of the whole storage, of reads or writes.", "2 TBps"},
    {"storage.node_bandwidth", "bandwidth above 0", "that of the node's NICs",
     "Bandwidth between a node and the storage.", "5 GBps"},
    {"storage.shares_nics", "true or false", "true",
     "The storage is reached through the NICs of the training, so that checkpoints written beside "
     "a step slow its communication down."},
    {"loading.node_tokens_per_s", "number above 0 and at most 1000000000000", "no limit",
     "Tokens per second that a node can read and prepare.", "500000"},
    {"loading.token_bytes", "number above 0 and at most 1000000000", "4",
     "Bytes of training data that are read from the storage for each token.", "4"},
};

constexpr IntegerRange kNodes{.lowest = 1, .highest = 65'536};
constexpr EnumName<RecoverFrom> kRecoverFroms[] = {{"checkpoint", RecoverFrom::checkpoint},
                                                   {"replica", RecoverFrom::replica}};
constexpr EnumName<CheckpointTo> kCheckpointTos[] = {{"storage", CheckpointTo::storage},
                                                     {"memory", CheckpointTo::memory}};

template <class T>
std::optional<T> optional_quantity(TomlReader& reader, std::string_view key) {
  if (!reader.has(key)) return std::nullopt;
  return reader.quantity<T>(key);
}

int nodes_in(TomlReader& reader, std::string_view key, std::string_view part, bool fails) {
  if (!fails) {
    reader.inapplicable(key, fmt::format("does not apply without {}; remove it", part));
    return 1;
  }
  return static_cast<int>(reader.integer(key, kNodes));
}

FailureTimes read_failures(TomlReader& reader) {
  FailureTimes failures;
  reader.optional_table("failures");
  failures.gpu = optional_quantity<Seconds>(reader, "failures.gpu");
  failures.nic = optional_quantity<Seconds>(reader, "failures.nic");
  failures.node = optional_quantity<Seconds>(reader, "failures.node");
  failures.network_switch = optional_quantity<Seconds>(reader, "failures.switch");
  failures.nodes_per_switch = nodes_in(reader, "failures.nodes_per_switch", "failures.switch",
                                       failures.network_switch.has_value());
  failures.domain = optional_quantity<Seconds>(reader, "failures.domain");
  failures.nodes_per_domain =
      nodes_in(reader, "failures.nodes_per_domain", "failures.domain", failures.domain.has_value());
  failures.software = optional_quantity<Seconds>(reader, "failures.software");
  if (reader.has("failures.spread")) {
    failures.spread = reader.number("failures.spread", {.lowest = 0, .highest = 3});
  }
  return failures;
}

Recovery read_recovery(TomlReader& reader) {
  Recovery recovery{.detection = reader.quantity<Seconds>("recovery.detection", Zero::allowed),
                    .restart = reader.quantity<Seconds>("recovery.restart", Zero::allowed),
                    .repair = reader.quantity<Seconds>("recovery.repair", Zero::allowed)};
  if (reader.has("recovery.spares")) {
    recovery.spares = static_cast<int>(reader.integer("recovery.spares", {.highest = kMostSpares}));
  }
  if (reader.has("recovery.from")) {
    recovery.from = reader.one_of<RecoverFrom>("recovery.from", kRecoverFroms);
  }
  return recovery;
}

CheckpointPlan read_checkpoint(TomlReader& reader, RecoverFrom from) {
  CheckpointPlan plan;
  reader.optional_table("checkpoint");
  if (reader.has("checkpoint.to")) {
    plan.to = reader.one_of<CheckpointTo>("checkpoint.to", kCheckpointTos);
  }
  const bool to_memory = plan.to == CheckpointTo::memory;
  plan.asynchronous = to_memory;
  if (reader.has("checkpoint.asynchronous")) {
    plan.asynchronous = reader.boolean("checkpoint.asynchronous");
    if (to_memory && !plan.asynchronous && reader.is_good("checkpoint.asynchronous")) {
      reader.wrong("checkpoint.asynchronous",
                   "false does not apply to checkpoints in memory; remove it");
    }
  }
  if (from == RecoverFrom::replica) {
    reader.inapplicable("checkpoint.interval",
                        "does not apply to recovery from a replica; remove it");
  }
  plan.interval = optional_quantity<Seconds>(reader, "checkpoint.interval");
  if (plan.asynchronous || reader.has("checkpoint.copy_bandwidth")) {
    plan.copy_bandwidth = reader.quantity<Bandwidth>("checkpoint.copy_bandwidth");
  }
  return plan;
}

Storage read_storage(TomlReader& reader) {
  Storage storage;
  reader.optional_table("storage");
  storage.bandwidth = optional_quantity<Bandwidth>(reader, "storage.bandwidth");
  storage.node_bandwidth = optional_quantity<Bandwidth>(reader, "storage.node_bandwidth");
  if (reader.has("storage.shares_nics")) {
    storage.shares_nics = reader.boolean("storage.shares_nics");
  }
  return storage;
}

Loading read_loading(TomlReader& reader) {
  constexpr double kMostTokens = 1e12, kMostBytes = 1e9;
  Loading loading;
  reader.optional_table("loading");
  if (reader.has("loading.node_tokens_per_s")) {
    loading.node_tokens_per_s =
        reader.number("loading.node_tokens_per_s", {.highest = kMostTokens, .above_zero = true});
  }
  if (reader.has("loading.token_bytes")) {
    loading.token_bytes =
        reader.number("loading.token_bytes", {.highest = kMostBytes, .above_zero = true});
  }
  return loading;
}

}  // namespace

std::span<const TomlKey> reliability_keys() { return kReliabilityKeys; }

Reliability parse_reliability(std::string_view text, const std::filesystem::path& file,
                              std::span<const Setting> settings) {
  TomlReader reader(parse_toml(text, file, settings), kReliabilityKeys);
  Reliability result{.name = file.stem().string(), .summary = reader.text("summary"), .file = file};
  result.failures = read_failures(reader);
  result.recovery = read_recovery(reader);
  result.checkpoint = read_checkpoint(reader, result.recovery.from);
  result.storage = read_storage(reader);
  result.loading = read_loading(reader);
  reader.finish();
  return result;
}

Reliability read_reliability(const std::filesystem::path& file, std::span<const Setting> settings) {
  return parse_reliability(read_input_text(file), file, settings);
}

bool is_of_reliability(std::string_view table) {
  constexpr std::string_view kTables[] = {"failures", "recovery", "checkpoint", "storage",
                                          "loading"};
  return std::ranges::find(kTables, table) != std::end(kTables);
}

}  // namespace sim
