// SPDX-License-Identifier: Apache-2.0
// Reads traffic files.
#include <fmt/format.h>

#include <charconv>

#include "sim/base/error.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/base/toml_reader.hpp"
#include "sim/topology/traffic.hpp"

namespace sim {
namespace {

constexpr TomlKey kTrafficKeys[] = {
    {"jobs.NAME.placement", "string", "",
     "The job's nodes: `packed`, `scattered`, `random` or `random:SEED`, of the nodes that are "
     "free; "
     "or a list, such as `0-3,8`, of any nodes."},
    {"jobs.NAME.nodes", "whole number from 1 to 65536", "required unless they are listed",
     "Number of the job's nodes."},
    {"jobs.NAME.pattern", "one of ring, all_to_all, pairs", "",
     "Who sends to whom. `ring`: each node to the next one. `all_to_all`: each to all others. "
     "`pairs`: as `pairs` says."},
    {"jobs.NAME.pairs", "list of strings", "required with pairs",
     "Senders and receivers, as numbers of the job's nodes from 0: `[\"0-1\", \"2-0\"]`."},
    {"jobs.NAME.bandwidth", "bandwidth above 0", "",
     "What each sending node offers, over all its NICs. It sends less where links have less.",
     "40 GBps"},
    {"jobs.NAME.period", "time above 0", "none: the job always sends",
     "Period of the job's steps, in each of which it sends for the time `on`.", "500 ms"},
    {"jobs.NAME.on", "time above 0", "required with period",
     "How long it sends in each period, from its beginning.", "200 ms"},
};

constexpr EnumName<TrafficJob::Pattern> kPatterns[] = {
    {"ring", TrafficJob::Pattern::ring},
    {"all_to_all", TrafficJob::Pattern::all_to_all},
    {"pairs", TrafficJob::Pattern::pairs}};

std::optional<int> node_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

void read_pairs(TomlReader& reader, const std::string& key, TrafficJob& job) {
  const auto wrong = [&](const std::string& pair, const std::string& what) {
    reader.wrong(key, fmt::format("'{}' {}", printable(pair), what));
  };
  for (const std::string& pair : reader.texts(key)) {
    const std::size_t dash = std::min(pair.find('-'), pair.size());
    const auto from = node_number(std::string_view(pair).substr(0, dash));
    const auto to = node_number(std::string_view(pair).substr(std::min(dash + 1, pair.size())));
    if (!from || !to) return wrong(pair, "is not a sender and a receiver; write e.g. \"0-1\"");
    if (*from == *to) return wrong(pair, "sends to itself; name two nodes");
    if (job.nodes > 0 && std::max(*from, *to) >= job.nodes) {
      return wrong(pair,
                   fmt::format("is not of the job's {} nodes, 0 to {}", job.nodes, job.nodes - 1));
    }
    job.pairs.emplace_back(*from, *to);
  }
  if (reader.is_good(key) && job.pairs.empty()) reader.wrong(key, "names no pair; add one");
}

void read_nodes(TomlReader& reader, const std::string& table, TrafficJob& job) {
  constexpr int kMost = 65'536;
  const std::string placement = table + ".placement";
  const std::string text = reader.text(placement);
  if (reader.is_good(placement)) {
    try {
      job.placement = node_placement_of(text, "");
    } catch (const InputError& error) {
      reader.wrong(placement, std::string(error.what()).substr(2));
    }
  }
  const std::string nodes = table + ".nodes";
  job.nodes = static_cast<int>(job.placement.listed.size());
  const bool listed = job.placement.kind == NodePlacement::Kind::listed;
  if (reader.applies(nodes, placement, !listed)) {
    job.nodes = static_cast<int>(reader.integer(nodes, {.lowest = 1, .highest = kMost}));
    if (!reader.is_good(nodes)) job.nodes = 0;  // unknown
  }
  if (job.nodes == 1) reader.wrong(listed ? placement : nodes, "is a single node; add another one");
}

void read_period(TomlReader& reader, const std::string& table, TrafficJob& job) {
  const std::string period = table + ".period", on = table + ".on";
  if (!reader.has(period) && !reader.has(on)) return;
  job.period = reader.quantity<Seconds>(period);
  job.on = reader.quantity<Seconds>(on);
  if (reader.is_good(period) && reader.is_good(on) && *job.on >= *job.period) {
    reader.wrong(on, "is not shorter than the period; write less, or remove both keys");
  }
}

TrafficJob read_job(TomlReader& reader, const std::string& name) {
  const std::string table = "jobs." + name;
  TrafficJob job{.name = name};
  read_nodes(reader, table, job);
  job.pattern = reader.one_of<TrafficJob::Pattern>(table + ".pattern", kPatterns);
  const bool by_pairs = job.pattern == TrafficJob::Pattern::pairs;
  if (reader.applies(table + ".pairs", table + ".pattern", by_pairs)) {
    read_pairs(reader, table + ".pairs", job);
  }
  job.bandwidth = reader.quantity<Bandwidth>(table + ".bandwidth");
  read_period(reader, table, job);
  return job;
}

// Of the key that says how many nodes the job has, or which.
std::string nodes_place(const TomlDocument& document, const TrafficJob& job) {
  const bool listed = job.placement.kind == NodePlacement::Kind::listed;
  const auto leaf =
      document.leaves.find(fmt::format("jobs.{}.{}", job.name, listed ? "placement" : "nodes"));
  if (leaf == document.leaves.end()) return document.file;
  const TomlPlace& place = leaf->second.place;
  return fmt::format("{}:{}:{}", document.file, place.line, place.column);
}

}  // namespace

std::span<const TomlKey> traffic_keys() { return kTrafficKeys; }

std::vector<TrafficJob> parse_traffic(std::string_view text, const std::filesystem::path& file) {
  if (text.empty()) {
    throw InputError(printable_path(file) +
                     ":1:1: is empty; copy the example in docs/files/traffic.md");
  }
  const TomlDocument document = parse_toml(text, file, {});
  TomlReader reader(document, traffic_keys());
  std::vector<TrafficJob> jobs;
  for (const std::string& name : reader.tables_in("jobs")) jobs.push_back(read_job(reader, name));
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
