// SPDX-License-Identifier: Apache-2.0
// Reads reliability files.
#include <algorithm>

#include "sim/base/fields.hpp"
#include "sim/reliability/reliability.hpp"

namespace sim {
namespace {

constexpr NumberRange kNodes = from_to(1, 65'536);
constexpr EnumName<RecoverFrom> kRecoverFroms[] = {{"checkpoint", RecoverFrom::checkpoint},
                                                   {"replica", RecoverFrom::replica}};
constexpr EnumName<CheckpointTo> kCheckpointTos[] = {{"storage", CheckpointTo::storage},
                                                     {"memory", CheckpointTo::memory}};

constexpr Field<Reliability> kReliabilityFields[] = {
    field<&Reliability::summary>("summary", kAny, kRequired,
                                 "One line that describes the file, with its sources."),
};

constexpr Condition<FailureTimes> kOfSwitches{
    "switch",
    [](const FailureTimes& times, std::string_view) { return times.network_switch.has_value(); },
    "does not apply without failures.switch; remove it"};
constexpr Condition<FailureTimes> kOfDomains{
    "domain", [](const FailureTimes& times, std::string_view) { return times.domain.has_value(); },
    "does not apply without failures.domain; remove it"};

constexpr Field<FailureTimes> kFailureFields[] = {
    field<&FailureTimes::gpu>(
        "gpu", kAboveZero, left_out("never"),
        "Mean time between failures of one GPU, its memory and its NVLinks included.", "80000 h"),
    field<&FailureTimes::nic>("nic", kAboveZero, left_out("never"),
                              "Mean time between failures of one NIC.", "1000000 h"),
    field<&FailureTimes::node>(
        "node", kAboveZero, left_out("never"),
        "Mean time between failures of one node, GPUs and NICs excluded: host, power, chassis.",
        "60000 h"),
    field<&FailureTimes::network_switch>(
        "switch", kAboveZero, left_out("never"),
        "Mean time between failures of one switch with its cables. Each takes a node away.",
        "40000 h"),
    field<&FailureTimes::nodes_per_switch>("nodes_per_switch", kNodes,
                                           needed("required with switch"),
                                           "Nodes for each switch: with 2, a job of 8 nodes has 4.")
        .only(kOfSwitches),
    field<&FailureTimes::domain>("domain", kAboveZero, left_out("never"),
                                 "Mean time between failures of a domain that fails as one, such "
                                 "as a rack. Each takes all its nodes away.",
                                 "100000 h"),
    field<&FailureTimes::nodes_per_domain>("nodes_per_domain", kNodes,
                                           needed("required with domain"), "Nodes of a domain.")
        .only(kOfDomains),
    field<&FailureTimes::software>(
        "software", kAboveZero, left_out("never"),
        "Mean time between failures of the software of one node. They take no node away.",
        "40000 h"),
    field<&FailureTimes::spread>(
        "spread", from_to(0, 3), kUsualValue,
        "Standard deviation of the logarithm of all these rates together: how far clusters differ.",
        "0.5"),
};

constexpr Field<Recovery> kRecoveryFields[] = {
    field<&Recovery::detection>("detection", kAny, kRequired,
                                "From a failure until the job is known to have failed.", "5 min"),
    field<&Recovery::restart>(
        "restart", kAny, kRequired,
        "From there until the job runs again on good nodes, without loading a checkpoint.",
        "5 min"),
    field<&Recovery::repair>(
        "repair", kAny, kRequired,
        "Time to repair or replace a failed node. Without a spare the job waits for it.", "24 h"),
    field<&Recovery::spares>(
        "spares", from_to(0, kMostSpares),
        left_out("so many that the job waits for repairs at most 0.1 % of the time"),
        "Nodes that stand ready to replace failed ones. They are paid for. With 0, the job waits "
        "for every repair."),
    choice<&Recovery::from, kRecoverFroms>(
        "from", kUsualValue,
        "Where training goes on from. `replica`: the weights and the optimizer of another "
        "data-parallel rank, without any checkpoint; for jobs that hold them more than once "
        "(ZeRO-0, hybrid sharding)."),
};

constexpr Field<CheckpointPlan> kCheckpointFields[] = {
    choice<&CheckpointPlan::to, kCheckpointTos>("to", kUsualValue,
                                                "Where checkpoints go. `memory`: to the memory of "
                                                "the host of another node, through the NICs."),
    field<&CheckpointPlan::asynchronous>(
        "asynchronous", kAny, left_out("false; with `memory` true"),
        "Training goes on as soon as the state is copied to the host's memory.")
        .filled_by(
            [](CheckpointPlan& plan) { plan.asynchronous = plan.to == CheckpointTo::memory; }),
    field<&CheckpointPlan::interval>("interval", kAboveZero, left_out("the best one"),
                                     "Time of training between two checkpoints.", "30 min"),
    field<&CheckpointPlan::copy_bandwidth>(
        "copy_bandwidth", kAboveZero, left_out("required if asynchronous"),
        "Bandwidth at which a GPU copies its state to its host's memory.", "20 GBps")
        .needed_if([](TomlReader&, const CheckpointPlan& plan) { return plan.asynchronous; }),
};

constexpr Field<Storage> kStorageFields[] = {
    field<&Storage::bandwidth>("bandwidth", kAboveZero, left_out("no limit"),
                               "Bandwidth of the whole storage, of reads or writes.", "2 TBps"),
    field<&Storage::node_bandwidth>("node_bandwidth", kAboveZero,
                                    left_out("that of the node's NICs"),
                                    "Bandwidth between a node and the storage.", "5 GBps"),
    field<&Storage::shares_nics>("shares_nics", kAny, kUsualValue,
                                 "The storage is reached through the NICs of the training, so that "
                                 "checkpoints written beside a step slow its communication down."),
};

constexpr Field<Loading> kLoadingFields[] = {
    field<&Loading::node_tokens_per_s>(
        "node_tokens_per_s", {.highest = 1e12, .above_zero = true}, left_out("no limit"),
        "Tokens per second that a node can read and prepare.", "500000"),
    field<&Loading::token_bytes>(
        "token_bytes", {.highest = 1e9, .above_zero = true}, kUsualValue,
        "Bytes of training data that are read from the storage for each token.", "4"),
};

constexpr Rule<Reliability> kReliabilityRules[] = {
    {"checkpoint.asynchronous",
     {"checkpoint.to"},
     [](const Reliability& reliability) -> std::string {
       const CheckpointPlan& plan = reliability.checkpoint;
       const bool waits = plan.to == CheckpointTo::memory && !plan.asynchronous;
       return waits ? "false does not apply to checkpoints in memory; remove it" : "";
     }},
    {"checkpoint.interval",
     {"recovery.from"},
     [](const Reliability& reliability) -> std::string {
       const bool replica = reliability.recovery.from == RecoverFrom::replica;
       return replica ? "does not apply to recovery from a replica; remove it" : "";
     }},
};

}  // namespace

std::span<const TomlKey> reliability_keys() {
  const Reliability usual;
  static const KeyTable table = KeyTable()
                                    .add("", kReliabilityFields, usual)
                                    .add("failures", kFailureFields, usual.failures)
                                    .add("recovery", kRecoveryFields, usual.recovery)
                                    .add("checkpoint", kCheckpointFields, usual.checkpoint)
                                    .add("storage", kStorageFields, usual.storage)
                                    .add("loading", kLoadingFields, usual.loading);
  return table.keys();
}

Reliability parse_reliability(std::string_view text, const std::filesystem::path& file,
                              std::span<const Setting> settings) {
  TomlReader reader(parse_toml(text, file, settings), reliability_keys());
  Reliability result;
  result.name = file.stem().string();
  result.file = file;
  read_fields(reader, "", kReliabilityFields, result);
  read_fields(reader, "failures", kFailureFields, result.failures);
  read_fields(reader, "recovery", kRecoveryFields, result.recovery);
  read_fields(reader, "checkpoint", kCheckpointFields, result.checkpoint);
  read_fields(reader, "storage", kStorageFields, result.storage);
  read_fields(reader, "loading", kLoadingFields, result.loading);
  check_rules(reader, "", kReliabilityRules, result);
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
