// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/cluster_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/fit/edited_text.hpp"

namespace sim::fit {
namespace {

std::string joined_names(std::span<const Log> logs) {
  std::set<std::string> seen;
  std::string text;
  for (const Log& log : logs) {
    if (seen.insert(log.name).second) text += (text.empty() ? "" : ", ") + log.name;
  }
  return text;
}

std::vector<KeyEdit> edits_of(const Fit& fit, const std::string& logs) {
  std::vector<KeyEdit> edits;
  for (const FittedConstant& one : fit.fitted) {
    const std::string value = value_text(*one.constant, one.value);
    edits.push_back({one.constant->key,
                     one.constant->measure == Measure::seconds ? toml_text(value) : value,
                     fmt::format("Fitted to {}: {}{}; {} in the base.", logs,
                                 one.interval ? "95 % interval " : "", interval_text(one),
                                 value_text(*one.constant, one.base))});
  }
  return edits;
}

std::string head_of(std::span<const Log> logs, const std::filesystem::path& base_file) {
  std::string text = fmt::format("# {} with constants fitted by gardenhose fit to these times:\n",
                                 printable_path(base_file.filename()));
  for (const Log& log : logs) {
    text += fmt::format("#   {} times of {}\n", log.times.size(), log_text(log));
  }
  return text + "# Times on other numbers of GPUs or nodes are extrapolated.\n";
}

// Whether the text says what the fit does: keys that stand where no line shows them do not move.
bool says(const std::string& text, const std::filesystem::path& base_file, const Fit& fit) {
  constexpr double kRounding = 1e-3;
  Cluster read;
  try {
    read = parse_cluster(text, base_file);
  } catch (const InputError&) {
    return false;
  }
  for (const FittedConstant& one : fit.fitted) {
    const double value = one.constant->get(read).value();
    if (std::abs(value - one.value) > kRounding * one.value) return false;
    one.constant->set(read, one.value);
  }
  read.default_efficiency = fit.cluster.default_efficiency;
  return read == fit.cluster;
}

}  // namespace

std::string value_text(const Constant& constant, double value) {
  constexpr double kMicro = 1e6;
  return constant.measure == Measure::seconds ? fmt::format("{:.4g} us", value * kMicro)
                                              : fmt::format("{:.4g}", value);
}

std::string interval_text(const FittedConstant& one) {
  if (one.bound) return "a bound";
  if (!one.interval) return "-";
  return value_text(*one.constant, one.interval->low) + " to " +
         value_text(*one.constant, one.interval->high);
}

std::string log_text(const Log& log) {
  const std::string nodes = log.nodes == 1 ? "a node" : fmt::format("{} nodes", log.nodes);
  return fmt::format("{} on {} GPUs of {} ({})", log.collective->name, log.gpus(), nodes, log.name);
}

std::string cluster_text(const Fit& fit, std::span<const Log> logs, std::string_view base_text,
                         const std::filesystem::path& base_file) {
  const std::string text = head_of(logs, base_file) +
                           edited_text(base_text, base_file, edits_of(fit, joined_names(logs)));
  if (!says(text, base_file, fit)) {
    throw InputError(fmt::format(
        "{}: gives [network], [nvlink] or [collectives] without a header; write each key on a line "
        "of its own below the header of its table",
        printable_path(base_file)));
  }
  return text;
}

}  // namespace sim::fit
