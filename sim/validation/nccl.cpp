// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/nccl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "sim/base/csv.hpp"
#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/base/parallel.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/program/lone_groups.hpp"
#include "sim/validation/averages.hpp"

namespace sim::validation {
namespace {

// Cluster, its settings, nodes, GPUs of each, groups and whose tuner chooses: the machine of a log.
using Machine =
    std::tuple<std::string, std::vector<Setting>, int, int, int, std::optional<NcclVersion>>;
Machine machine_of(const NcclLog& log, bool tuned) {
  std::optional<NcclVersion> version;
  if (tuned) version = nccl_or_newest(log.nccl);
  return {log.cluster, log.settings, log.nodes, log.gpus_per_node, log.groups, version};
}

// What a simulation depends on.
using NcclRun = std::tuple<Machine, std::string_view, double>;
NcclRun run_of(const NcclRow& row, bool tuned) {
  return {machine_of(*row.log, tuned), row.collective->name, row.bytes};
}

struct Simulated {
  const NcclRow* row;
  bool tuned;
};

std::vector<Simulated> simulations(const NcclStudy& study) {
  std::set<NcclRun> known;
  std::vector<Simulated> all;
  for (const NcclRow& row : study.rows) {
    if (row.log->role == NcclRole::left_out) continue;
    for (const bool tuned : {false, true}) {
      if (tuned && !row.log->by_nccl()) continue;
      if (known.insert(run_of(row, tuned)).second) all.push_back({&row, tuned});
    }
  }
  return all;
}

std::vector<std::vector<int>> ranks_of_groups(const NcclLog& log) {
  std::vector<std::vector<int>> groups(static_cast<std::size_t>(log.groups));
  for (int rank = 0; rank < log.nodes * log.gpus_per_node; ++rank) {
    groups[static_cast<std::size_t>(rank / log.group_size())].push_back(rank);
  }
  return groups;
}

double simulated_s(const LoneGroups& groups, const NcclRow& row) {
  const LoneGroups::Alone alone = groups.run(*row.collective, row.bytes, Buffers::out_of_place);
  return simulate_to_end(alone.collective.schedule, alone.wiring, row.log->name + ": a collective")
      .makespan_s;
}

// "KEY=VALUE;KEY=VALUE"; "-": none.
std::vector<Setting> settings_of(const CsvRow& line) {
  std::vector<Setting> settings;
  std::string_view rest = line.text("set");
  while (!rest.empty() && rest != "-") {
    const std::string_view one = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const auto equals = one.find('=');
    if (equals == 0 || equals == std::string_view::npos) line.fail("set: is not KEY=VALUE");
    settings.push_back({std::string(one.substr(0, equals)), std::string(one.substr(equals + 1))});
  }
  return settings;
}

NcclLog log_of(const CsvRow& line, const std::string& place) {
  NcclLog log{.name = line.text("log"),
              .cluster = line.text("cluster"),
              .nodes = line.integer("nodes"),
              .gpus_per_node = line.integer("gpus_per_node"),
              .groups = line.integer("groups"),
              .nccl = line.text("nccl"),
              .constants = line.text("constants"),
              .role = chosen(place, line.text("role"), kNcclRoles),
              .settings = settings_of(line),
              .source = line.text("source")};
  const int ranks = log.nodes * log.gpus_per_node;
  if (ranks % log.groups != 0 || ranks / log.groups < 2) {
    line.fail("groups: the GPUs do not divide into equal groups of two or more");
  }
  return log;
}

void fit_laws(NcclStudy& study) {
  std::map<std::pair<std::string, std::string>, std::vector<fit::TimedBytes>> rows;
  for (const NcclRow& row : study.rows) {
    if (row.log->role != NcclRole::fit) continue;
    rows[{row.log->constants, std::string(row.collective->name)}].push_back(
        {row.sent_bytes(), row.published_s});
  }
  for (const auto& [of, timed] : rows) study.laws[of] = fit::fit_alpha_beta(timed);
  for (NcclRow& row : study.rows) {
    const auto law = study.laws.find({row.log->constants, std::string(row.collective->name)});
    if (law != study.laws.end()) row.alpha_beta_s = law->second.seconds(row.sent_bytes());
  }
}

}  // namespace

bool NcclLog::over_racks() const {
  constexpr int kLargestServer = 16;  // GPUs of a DGX-2
  return nodes > 1 && gpus_per_node > kLargestServer;
}

NcclStudy read_nccl(const std::filesystem::path& folder) {
  const std::filesystem::path published = folder / "traces" / "published";
  const std::filesystem::path logs = published / "nccl_logs.csv";
  NcclStudy study;
  std::map<std::string, std::shared_ptr<const NcclLog>> by_name;
  for (const CsvRow& line : read_csv(logs)) {
    const auto log = std::make_shared<const NcclLog>(log_of(line, logs.string()));
    if (!by_name.emplace(log->name, log).second) line.fail("log: is listed twice");
    study.logs.push_back(log);
  }
  for (const CsvRow& line : read_csv(published / "nccl_collectives.csv")) {
    const auto log = by_name.find(line.text("log"));
    if (log == by_name.end()) line.fail("log: is not in nccl_logs.csv");
    study.rows.push_back(
        {.log = log->second,
         .collective = &collective_named(line.text("collective"), line.place_of("collective")),
         .bytes = line.number("bytes"),
         .published_s = line.number("seconds")});
  }
  return study;
}

int nccl_simulations(const NcclStudy& study) { return static_cast<int>(simulations(study).size()); }

NcclStudy predict_nccl(const std::filesystem::path& folder, NcclStudy study, int jobs,
                       const Tick& tick) {
  fit_laws(study);
  const std::vector<Simulated> simulated = simulations(study);
  std::map<Machine, Topology> topologies;
  std::map<Machine, LoneGroups> machines;
  for (const auto& [row, tuned] : simulated) {
    const NcclLog& log = *row->log;
    const Machine machine = machine_of(log, tuned);
    if (topologies.contains(machine)) continue;
    const std::string_view version =
        name_of(std::get<std::optional<NcclVersion>>(machine), kNcclNames);
    std::vector<Setting> settings = log.settings;
    settings.push_back({"collectives.nccl", fmt::format("\"{}\"", version)});
    const Cluster cluster = read_cluster(folder / "topologies" / (log.cluster + ".toml"), settings);
    const Topology& topology =
        topologies.emplace(machine, part_of(cluster, log.nodes, log.gpus_per_node)).first->second;
    machines.emplace(
        std::piecewise_construct, std::forward_as_tuple(machine),
        std::forward_as_tuple(topology, ranks_of_groups(log), every_collective(), Detail::folded));
  }
  const std::vector<double> times = in_parallel(jobs, simulated.size(), [&](std::size_t i) {
    tick();
    const auto& [row, tuned] = simulated[i];
    return simulated_s(machines.at(machine_of(*row->log, tuned)), *row);
  });
  std::map<NcclRun, double> by_run;
  for (std::size_t i = 0; i < times.size(); ++i) {
    by_run[run_of(*simulated[i].row, simulated[i].tuned)] = times[i];
  }
  for (NcclRow& row : study.rows) {
    if (row.log->role == NcclRole::left_out) continue;
    row.simulated_s = by_run.at(run_of(row, false));
    if (row.log->by_nccl()) row.as_nccl_s = by_run.at(run_of(row, true));
  }
  return study;
}

Earlier with_earlier(NcclStudy study, const std::filesystem::path& file) {
  using RowName = std::tuple<std::string, std::string, double>;
  std::map<RowName, double> predicted;
  for (const CsvRow& line : read_csv(file)) {
    if (line.text("simulated_s").empty()) continue;  // of a log that is left out
    const std::string& log = line.text("log");
    if (std::ranges::none_of(study.logs, [&](const auto& one) { return one->name == log; })) {
      line.fail("log: is not in nccl_logs.csv");
    }
    const RowName row{
        log,
        std::string(collective_named(line.text("collective"), line.place_of("collective")).name),
        line.number("size_bytes")};
    if (!predicted.emplace(row, line.number("simulated_s")).second) line.fail("stands twice");
  }
  fit_laws(study);
  const std::size_t made = predicted.size();
  std::erase_if(study.rows, [&](NcclRow& row) {
    const auto found =
        predicted.extract({row.log->name, std::string(row.collective->name), row.bytes});
    if (!found) return true;
    row.simulated_s = found.mapped();
    return false;
  });
  if (study.rows.empty()) {
    throw InputError(file.string() + ": none of its " + std::to_string(made) +
                     " predictions has a published row");
  }
  std::erase_if(study.logs, [&](const auto& log) {
    return std::ranges::none_of(study.rows, [&](const NcclRow& row) { return row.log == log; });
  });
  return {std::move(study), static_cast<int>(predicted.size())};
}

NcclErrors nccl_errors(const std::vector<NcclRow>& rows, const NcclFilter& counts,
                       NcclTime predicted) {
  std::vector<double> off;
  NcclErrors errors;
  for (const NcclRow& row : rows) {
    if (row.*predicted == 0 || !counts(row)) continue;
    const double error = row.*predicted / row.published_s - 1;
    errors.bias += error;
    off.push_back(std::abs(error));
  }
  errors.count = static_cast<int>(off.size());
  if (off.empty()) return errors;
  for (const double error : off) {
    errors.mean += error / errors.count;
    errors.within += error <= kNear ? 1.0 / errors.count : 0;
  }
  errors.bias /= errors.count;
  errors.median = median(std::move(off));
  return errors;
}

}  // namespace sim::validation
