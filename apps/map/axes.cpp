// SPDX-License-Identifier: Apache-2.0
#include "apps/map/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "apps/arguments.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

using sim::InputError;

std::vector<std::string_view> names_of_rows() {
  std::vector<std::string_view> names;
  for (const AxisRow& row : axis_rows()) names.push_back(row.name);
  return names;
}

const AxisRow& row_of(const char* flag, const std::string& name) {
  const auto rows = axis_rows();
  const auto found = std::ranges::find(rows, name, &AxisRow::name);
  if (found != rows.end()) return *found;
  if (name.find('.') != std::string::npos) return key_row();
  throw InputError(
      fmt::format("{}: '{}' is not an axis{}, or a key of an input file such as gpu.memory", flag,
                  sim::printable(name), sim::suggestion_and_list(name, names_of_rows())));
}

void sort_numbers(std::vector<AxisValue>& values) {
  if (std::ranges::all_of(values, [](const AxisValue& one) { return one.number.has_value(); })) {
    std::ranges::stable_sort(values, {}, [](const AxisValue& one) { return *one.number; });
  }
}

void refuse_twins(const Axis& axis) {
  std::set<std::string> texts;
  for (const AxisValue& value : axis.values) {
    if (texts.insert(value.text).second) continue;
    throw InputError(
        fmt::format("{}: {} appears twice; leave one out", axis.flag, sim::printable(value.text)));
  }
}

// "--nodes", or "--set network.oversubscription".
std::string flag_of(const Axis& axis) {
  const bool is_key = axis.sets.find('.') != std::string::npos;
  return (is_key ? "--set " : "--") + axis.sets;
}

// An error's lines about what an axis sets, as lines about the axis.
std::string relocated(const std::string& message, std::span<const Coordinate> at) {
  std::string text = with_flags(message);
  for (const Coordinate& one : at) {
    if (one.axis.flag == flag_of(one.axis)) continue;
    const std::string flag = flag_of(one.axis) + ":";
    for (auto line = text.find(flag); line != text.npos; line = text.find(flag, line + 1)) {
      if (line != 0 && text[line - 1] != '\n') continue;
      text.replace(line, flag.size(), fmt::format("{}: {}:", one.axis.flag, one.axis.name));
    }
  }
  return text;
}

}  // namespace

Axis axis_named(const char* flag, const std::string& name, const std::string& values) {
  const AxisRow& row = row_of(flag, name);
  Axis axis{flag, &row, name, std::string(&row == &key_row() ? name : row.sets), {}};
  for (const std::string& part : split(values)) axis.values.push_back(row.read(flag, part));
  refuse_twins(axis);
  sort_numbers(axis.values);
  return axis;
}

Axis parse_axis(const char* flag, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) {
    throw InputError(
        fmt::format("{}: '{}' is not AXIS=VALUE,VALUE,...; write e.g. {} gpus=16,64,256", flag,
                    sim::printable(text), flag));
  }
  return axis_named(flag, text.substr(0, equals), text.substr(equals + 1));
}

Axis on_topology(Axis axis, const std::string& topology) {
  const bool has_sites = is_wide_area(topology);
  if (axis.row->topologies == (has_sites ? Topologies::clusters : Topologies::sites)) {
    throw InputError(fmt::format("{}: {} applies to {}; {} is {}", axis.flag, axis.name,
                                 has_sites ? "one cluster" : "several sites", topology,
                                 has_sites ? "several sites" : "one cluster"));
  }
  if (!axis.is("sites")) return axis;
  std::vector<std::string> keys;
  for (const sim::Site& site : read_wide_area(topology, {}).sites) {
    keys.push_back(fmt::format("sites.{}.count", site.name));
  }
  if (keys.size() > 1) {
    throw InputError(fmt::format("{}: {} has {} tables of sites; write one of {} instead of sites",
                                 axis.flag, topology, keys.size(), sim::joined(keys)));
  }
  axis.sets = keys.front();
  return axis;
}

void check_axes(const Axis& x, const Axis& y, const JobOptions& job,
                const std::set<std::string>& given) {
  constexpr std::size_t kMostCells = 10'000;
  for (const Axis& axis : {std::cref(x), std::cref(y)}) {
    const bool is_given = given.contains(axis.sets) || sets(job, axis.sets);
    const bool is_its_own = axis.flag == flag_of(axis);
    if (axis.row->set == nullptr || !is_given || is_its_own) continue;
    throw InputError(
        fmt::format("{}: {} sets {}; leave one of them out", axis.flag, axis.name, flag_of(axis)));
  }
  if (x.sets == y.sets) {
    throw InputError(fmt::format("{}: {} is on the other axis, too; name another one of {}", y.flag,
                                 y.name, sim::joined(names_of_rows())));
  }
  const std::size_t cells = x.values.size() * y.values.size();
  if (cells <= kMostCells) return;
  throw InputError(fmt::format("{}: {} by {} values are {} cells; keep them at or below {}", x.flag,
                               x.values.size(), y.values.size(), cells, kMostCells));
}

CellJob read_cell(CellOptions options, std::span<const Coordinate> at,
                  const std::function<Job(Job, std::int64_t)>& lay_out) {
  try {
    for (const Coordinate& one : at) {
      if (one.axis.row->set) one.axis.row->set(one.axis, one.value, options);
    }
    CellJob cell{read_job(options.job), {}};
    for (const Coordinate& one : at) {
      if (one.axis.row->change) one.axis.row->change(one.value, cell.given);
    }
    cell.laid_out = lay_out(cell.given, options.tokens);
    return cell;
  } catch (const InputError& error) {
    throw InputError(relocated(error.what(), at));
  }
}

}  // namespace apps
