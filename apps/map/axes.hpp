// SPDX-License-Identifier: Apache-2.0
// The axes of a map: their names, the values that they take and what these change in a job.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/job/read_job.hpp"

namespace apps {

struct AxisValue {
  std::string given;             // as on the command line
  std::string text;              // as it is shown: "25 Gbps"
  std::optional<double> number;  // in base units; none of a name
};

// What the job of a cell is read from.
struct CellOptions {
  JobOptions job;
  std::int64_t tokens = 0;  // per step
};

enum class Topologies { all, clusters, sites };

struct Axis;
// One kind of axis.
struct AxisRow {
  std::string_view name;
  std::string_view meaning;
  std::string_view sets;  // a flag without dashes, or a key of an input file
  Topologies topologies;
  AxisValue (*read)(const char* flag, const std::string& text);
  void (*set)(const Axis&, const AxisValue&, CellOptions&) = nullptr;  // before the files are read
  void (*change)(const AxisValue&, Job&) = nullptr;                    // after that
  std::vector<std::string_view> inputs;  // of a sweep: those that it stands for, best first
};
[[nodiscard]] std::span<const AxisRow> axis_rows();
[[nodiscard]] const AxisRow& key_row();  // of a key by its name
// For help: "  bandwidth         bandwidth of a NIC ...", one per line.
[[nodiscard]] std::string axes_text();

struct Axis {
  const char* flag = "";         // that gave it: "--x"
  const AxisRow* row = nullptr;  // that of keys is not among axis_rows()
  std::string name;              // the row's, or the key
  std::string sets;
  std::vector<AxisValue> values;

  [[nodiscard]] bool is(std::string_view row_name) const { return row->name == row_name; }
};

// Of "bandwidth=25Gbps,100Gbps". Numbers ascend; names stay in their order. Throws InputError.
[[nodiscard]] Axis parse_axis(const char* flag, const std::string& text);
[[nodiscard]] Axis axis_named(const char* flag, const std::string& name, const std::string& values);
// Finds what an axis sets in this topology. Throws InputError if it does not apply there.
[[nodiscard]] Axis on_topology(Axis axis, const std::string& topology);
// Throws InputError if both set the same, if the job's flags (`given`, without dashes) set it too, or if
// there are more cells than anybody looks at.
void check_axes(const Axis& x, const Axis& y, const JobOptions& job,
                const std::set<std::string>& given);

struct Coordinate {
  const Axis& axis;
  const AxisValue& value;
};
// The job of a cell as its values say, and laid out by `lay_out`. Errors about what an axis sets are
// located at the axis.
struct CellJob {
  Job given, laid_out;
};
[[nodiscard]] CellJob read_cell(CellOptions options, std::span<const Coordinate> at,
                                const std::function<Job(Job, std::int64_t tokens)>& lay_out);

}  // namespace apps
