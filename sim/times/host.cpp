// SPDX-License-Identifier: Apache-2.0
#include "sim/times/host.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/joined.hpp"
#include "sim/base/toml_reader.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {
namespace {

constexpr const char* kTable = "hosts";
constexpr NumberRange kSpread{.lowest = 0, .highest = 2, .above_zero = true};

enum class Wait { norm, messages, counts };
constexpr EnumName<Wait> kWaits[]{
    {"norm", Wait::norm}, {"messages", Wait::messages}, {"counts", Wait::counts}};

// The values of a list of names.
template <class E, std::size_t n>
std::vector<E> named(TomlReader& reader, const std::string& key, const EnumName<E> (&names)[n]) {
  std::vector<E> values;
  for (const std::string& text : reader.texts(key)) {
    if (const auto value = value_named<E>(text, names)) {
      values.push_back(*value);
    } else {
      reader.wrong(key, fmt::format("'{}' is not one of: {}", text, joined(names_of<E>(names))));
    }
  }
  return values;
}

HostRow read_row(TomlReader& reader, const std::string& name) {
  const std::string table = fmt::format("{}.{}.", kTable, name);
  std::vector<Wait> waits;
  if (reader.has(table + "waits")) waits = named(reader, table + "waits", kWaits);
  const auto waits_for = [&](Wait wait) { return std::ranges::count(waits, wait) > 0; };
  return {.name = name,
          .kernels = named(reader, table + "kernels", kKernels),
          .issue_s = reader.quantity<Seconds>(table + "issue").base(),
          .spread = reader.number(table + "spread", kSpread),
          .step_s = reader.quantity<Seconds>(table + "step", Zero::allowed).base(),
          .waits_for_norm = waits_for(Wait::norm),
          .waits_for_messages = waits_for(Wait::messages),
          .waits_for_counts = waits_for(Wait::counts),
          .source = reader.text(table + "source")};
}

void check_kernels(TomlReader& reader, const std::vector<HostRow>& hosts) {
  for (const auto& [name, kernels] : kKernels) {
    std::string earlier;
    for (const HostRow& row : hosts) {
      if (std::ranges::count(row.kernels, kernels) == 0) continue;
      if (!earlier.empty()) {
        reader.wrong(fmt::format("{}.{}.kernels", kTable, row.name),
                     fmt::format("{} has a host in [{}.{}] already; remove one of them", name,
                                 kTable, earlier));
      }
      earlier = row.name;
    }
    if (!earlier.empty() || !reader.all_good()) continue;
    reader.wrong(fmt::format("{}.{}.kernels", kTable, hosts.front().name),
                 fmt::format("no host is for {}; add it to a list", name));
  }
}

}  // namespace

HostBlock then(const HostBlock& first, const HostBlock& second) {
  return {first.issue_s + second.issue_s,
          std::max(first.start_s, first.issue_s + second.start_s - first.gpu_s),
          first.gpu_s + second.gpu_s};
}

HostBlock launched(double launches, double issue_s, double gpu_s) {
  if (launches <= 0) return {.gpu_s = gpu_s};
  // The last of them if issuing one takes longer than running one, else the first.
  const double behind_s = std::max(0.0, issue_s - gpu_s / launches);
  return {launches * issue_s, issue_s + std::max(0.0, launches - 1) * behind_s, gpu_s};
}

Hosts parse_hosts(std::string_view text, const std::filesystem::path& file) {
  TomlReader reader(parse_toml(text, file));
  Hosts hosts;
  for (const std::string& name : reader.tables_in(kTable)) {
    hosts.rows.push_back(read_row(reader, name));
  }
  if (hosts.rows.empty()) hosts.rows.push_back(read_row(reader, "NAME"));
  check_kernels(reader, hosts.rows);
  reader.finish();
  return hosts;
}

Hosts read_hosts(const std::filesystem::path& file) {
  return parse_hosts(read_input_text(file), file);
}

std::optional<HostRow> host_of(const Hosts& hosts, Kernels kernels) {
  const auto found = std::ranges::find_if(
      hosts.rows, [&](const HostRow& row) { return std::ranges::count(row.kernels, kernels) > 0; });
  if (found == hosts.rows.end()) return std::nullopt;
  HostRow row = *found;
  row.issue_s *= hosts.slowdown;
  row.step_s *= hosts.slowdown;
  return row;
}

Hosts with_issue_time(Hosts hosts, Seconds issue) {
  if (issue.base() <= 0) return {};
  for (HostRow& row : hosts.rows) {
    row.issue_s = issue.base();
    row.source = kGivenIssueTime;
    row.spread = 0;
  }
  return hosts;
}

Hosts with_fitted_slowdown(Hosts hosts, const Fitted& fitted) {
  if (!fitted.host_slowdown) return hosts;
  hosts.slowdown *= *fitted.host_slowdown;
  if (!fitted.rests_on_rows("host_slowdown")) return hosts;
  // Of host-bound steps that are predicted with a time fitted to others, 10.8 % off on average
  // (`validate host`).
  constexpr double kFittedSpread = 0.14;
  for (HostRow& row : hosts.rows) {
    row.spread = kFittedSpread;
    row.source = fmt::format("fitted to measured steps: {:.4g} times that of {}",
                             *fitted.host_slowdown, row.source);
  }
  return hosts;
}

}  // namespace sim
