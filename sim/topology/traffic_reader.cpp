// SPDX-License-Identifier: Apache-2.0
// The keys of traffic files, a row each, and their reader.
#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/fields.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/printable.hpp"
#include "sim/topology/traffic.hpp"

namespace sim {
namespace {

constexpr EnumName<TrafficJob::Pattern> kPatterns[] = {
    {"ring", TrafficJob::Pattern::ring},
    {"all_to_all", TrafficJob::Pattern::all_to_all},
    {"pairs", TrafficJob::Pattern::pairs}};

std::optional<int> node_number(std::string_view text) {
  const auto number = number_in<int>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

constexpr const char* kSingle = "is a single node; add another one";

void read_placement(TomlReader& reader, std::string_view key, const Field<TrafficJob>&,
                    TrafficJob& job) {
  const std::string text = reader.text(key);
  if (!reader.is_good(key)) return;
  try {
    job.placement = node_placement_of(text, "");
    job.nodes = static_cast<int>(job.placement.listed.size());
    if (job.nodes == 1) reader.wrong(key, kSingle);
  } catch (const InputError& error) {
    reader.wrong(key, std::string(error.what()).substr(2));
  }
}

void read_pairs(TomlReader& reader, std::string_view key, const Field<TrafficJob>&,
                TrafficJob& job) {
  for (const std::string_view pair : reader.texts(key)) {
    const std::size_t dash = std::min(pair.find('-'), pair.size());
    const auto from = node_number(pair.substr(0, dash));
    const auto to = node_number(pair.substr(std::min(dash + 1, pair.size())));
    const std::string_view problem = !from || !to
                                         ? "is not a sender and a receiver; write e.g. \"0-1\""
                                     : *from == *to ? "sends to itself; name two nodes"
                                                    : "";
    if (!problem.empty()) {
      return reader.wrong(key, fmt::format("'{}' {}", printable(pair), problem));
    }
    job.pairs.emplace_back(*from, *to);
  }
}

bool is_listed(const TrafficJob& job) { return !job.placement.listed.empty(); }

constexpr Condition<TrafficJob> kOfCounts{
    "placement", [](const TrafficJob& job, std::string_view) { return !is_listed(job); }};
constexpr Condition<TrafficJob> kOfPairs{"pattern", [](const TrafficJob& job, std::string_view) {
                                           return job.pattern == TrafficJob::Pattern::pairs;
                                         }};

constexpr Field<TrafficJob> kTrafficFields[] = {
    {.name = "placement",
     .meaning = "The job's nodes: `packed`, `scattered`, `random` or `random:SEED`, of the nodes "
                "that are free; or a list, such as `0-3,8`, of any nodes.",
     .value = field_values::words<std::string>,
     .read = read_placement},
    field<&TrafficJob::nodes>("nodes", from_to(1, 65'536),
                              needed("required unless they are listed"),
                              "Number of the job's nodes.")
        .only(kOfCounts),
    choice<&TrafficJob::pattern, kPatterns>(
        "pattern", kRequired,
        "Who sends to whom. `ring`: each node to the next one. `all_to_all`: each to all others. "
        "`pairs`: as `pairs` says."),
    Field<TrafficJob>{.name = "pairs",
                      .usual = needed("required with pairs"),
                      .meaning = "Senders and receivers, as numbers of the job's nodes from 0: "
                                 "`[\"0-1\", \"2-0\"]`.",
                      .value = field_values::words<field_values::Texts>,
                      .read = read_pairs}
        .only(kOfPairs),
    field<&TrafficJob::bandwidth>(
        "bandwidth", kAboveZero, kRequired,
        "What each sending node offers, over all its NICs. It sends less where links have less.",
        "40 GBps"),
    field<&TrafficJob::period>(
        "period", kAboveZero, needed_with("on", "none: the job always sends"),
        "Period of the job's steps, in each of which it sends for the time `on`.", "500 ms"),
    field<&TrafficJob::on>("on", kAboveZero, needed_with("period", "required with period"),
                           "How long it sends in each period, from its beginning.", "200 ms"),
};

std::string no_such_node(const TrafficJob& job) {
  for (const auto& [from, to] : job.pairs) {
    if (std::max(from, to) < job.nodes) continue;
    return fmt::format("'{}-{}' is not of the job's {} nodes, 0 to {}", from, to, job.nodes,
                       job.nodes - 1);
  }
  return {};
}

constexpr Rule<TrafficJob> kTrafficRules[] = {
    {"nodes",
     {},
     [](const TrafficJob& job) -> std::string { return job.nodes == 1 ? kSingle : ""; }},
    {"pairs", {"placement", "nodes"}, no_such_node},
    {"on",
     {"period"},
     [](const TrafficJob& job) -> std::string {
       const bool pauses = *job.on < *job.period;
       return pauses ? "" : "is not shorter than the period; write less, or remove both keys";
     }},
};

// Of the key that says how many nodes the job has, or which.
std::string nodes_place(const TomlDocument& document, const TrafficJob& job) {
  const auto leaf = document.leaves.find(
      fmt::format("jobs.{}.{}", job.name, is_listed(job) ? "placement" : "nodes"));
  if (leaf == document.leaves.end()) return document.file;
  const TomlPlace& place = leaf->second.place;
  return fmt::format("{}:{}:{}", document.file, place.line, place.column);
}

}  // namespace

std::span<const TomlKey> traffic_keys() {
  static const KeyTable table = KeyTable().add("jobs.NAME", kTrafficFields, TrafficJob());
  return table.keys();
}

std::vector<TrafficJob> parse_traffic(std::string_view text, const std::filesystem::path& file) {
  if (text.empty()) {
    throw InputError(printable_path(file) +
                     ":1:1: is empty; copy the example in docs/files/traffic.md");
  }
  const TomlDocument document = parse_toml(text, file, {});
  TomlReader reader(document, traffic_keys());
  std::vector<TrafficJob> jobs;
  for (const std::string& name : reader.tables_in("jobs")) {
    const std::string table = dotted("jobs", name);
    TrafficJob& job = jobs.emplace_back(TrafficJob{.name = name});
    read_fields(reader, table, kTrafficFields, job);
    check_rules(reader, table, kTrafficRules, job);
  }
  reader.finish();
  for (TrafficJob& job : jobs) job.place = nodes_place(document, job);
  if (jobs.empty()) {
    throw InputError(fmt::format("{}: names no job; add a table [jobs.NAME]", file.string()));
  }
  return jobs;
}

std::vector<TrafficJob> read_traffic(const std::filesystem::path& file) {
  return parse_traffic(read_input_text(file), file);
}

}  // namespace sim
