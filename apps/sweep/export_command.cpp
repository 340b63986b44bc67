// SPDX-License-Identifier: Apache-2.0
// export: the points of a store that have been run, by number, as CSV or JSON lines. Nothing in it
// depends on when or how often the sweep was run.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "apps/arguments.hpp"
#include "apps/print.hpp"
#include "apps/sweep/base_units.hpp"
#include "apps/sweep/named_files.hpp"
#include "apps/sweep/plan.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/report/records.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;

constexpr const char* kExportUsage =
    "usage: gardenhose export STORE --format csv|jsonl [--output FILE]\n\n"
    "  gardenhose export study.sqlite --format csv --output study.csv\n"
    "  gardenhose export study.sqlite --format jsonl | jq -c '[.inputs.nodes, .report.mfu]'\n\n"
    "CSV: number, state, the inputs (in_nodes, in_network_nic_bandwidth and, as a number,\n"
    "in_network_nic_bandwidth_Bps), the metrics from run's CSV output, message. Text that a\n"
    "spreadsheet would evaluate, because it begins with = + - or @, gets a leading apostrophe.\n"
    "JSON lines: {number, state, inputs, report, message}; report holds all of run's JSON output.\n"
    "state is done, too_large (for a GPU's memory), refused or crashed (see message).\n";

// To standard output, or a file.
class Output {
 public:
  explicit Output(const std::string& file) {
    if (!file.empty()) file_.emplace(file);
  }
  void write(std::string_view text) { file_ ? file_->write(text) : write_output(text); }
  void finish() {
    if (file_) file_->finish();
  }

 private:
  std::optional<sim::OutputFile> file_;
};

std::string line_of(const Inputs& json) {
  // What run says of a file's name may be no UTF-8.
  return sim::printable_json(json.dump(-1, ' ', false, Inputs::error_handler_t::replace)) + "\n";
}

Inputs or_null(const std::string& text) { return text.empty() ? Inputs() : Inputs(text); }

// The numbers of the inputs that are quantities.
NumberColumns numbers_of(Store& store) {
  NumberColumns numbers;
  store.each_finished([&](const StoredPoint& point) {
    for (const auto& [key, value] : point.inputs.items()) numbers.add(key, value);
  });
  return numbers;
}

void write_jsonl(Store& store, Output& output) {
  store.each_finished([&](const StoredPoint& point) {
    const Inputs line = {{"number", point.number},
                         {"state", point.finished.state},
                         {"inputs", point.inputs},
                         {"report", point.finished.report},
                         {"message", or_null(point.finished.message)}};
    output.write(line_of(line));
  });
}

// The figures that any point has, in the order of the first that has each.
std::vector<std::string> figures_of(Store& store) {
  std::vector<std::string> names;
  store.each_finished([&](const StoredPoint& point) {
    if (point.finished.report.is_null()) return;
    for (const auto& [key, value] : point.finished.report.items()) {
      if (is_figure(key, value) && std::ranges::find(names, key) == names.end()) {
        names.push_back(key);
      }
    }
  });
  return names;
}

void write_csv(Store& store, Output& output) {
  const std::vector<std::string> figures = figures_of(store);
  const NumberColumns numbers = numbers_of(store);
  bool is_first = true;
  store.each_finished([&](const StoredPoint& point) {
    Inputs record = {{"number", point.number}, {"state", point.finished.state}};
    for (const auto& [key, value] : point.inputs.items()) {
      record["in_" + column_of(key)] = value;
      for (const std::string& column : numbers.of(key)) {
        record["in_" + column] = numbers.value(key, value, column);
      }
    }
    const Inputs& report = point.finished.report;
    for (const std::string& figure : figures) {
      record[figure] = report.is_null() ? Inputs() : report.value(figure, Inputs());
    }
    record["message"] = or_null(point.finished.message);
    const std::string text = sim::printable_lines(sim::csv_text({record}));
    output.write(std::string_view(text).substr(is_first ? 0 : text.find('\n') + 1));
    is_first = false;
  });
}

}  // namespace

int export_command(const Arguments& arguments) {
  std::string file, format, output_file;
  po::options_description flags("Flags");
  auto add = flags.add_options();
  add("store", po::value(&file)->required(),
      "SQLite file of the sweep (--store itself may be omitted)");
  add("format", po::value(&format)->default_value("csv"), "csv|jsonl");
  add("output,o", po::value(&output_file), "file to write (default: standard output)");
  po::positional_options_description places;
  places.add("store", 1);
  po::variables_map values;
  if (!parse_arguments(arguments, kExportUsage, flags, places, values)) return 0;
  if (format != "csv" && format != "jsonl") {
    throw sim::InputError(
        fmt::format("--format: '{}' is not one of: csv, jsonl", sim::printable(format)));
  }
  Store store(file, Access::read);
  refuse_overwriting("--output", output_file, store, folder_of(file));
  Output output(output_file);
  if (format == "csv") write_csv(store, output);
  if (format == "jsonl") write_jsonl(store, output);
  output.finish();
  if (const auto open = store.counts()["open"]; open > 0) {
    print_note("note: {} points have not been run yet; repeat the sweep's command to go on\n",
               open);
  }
  return 0;
}

}  // namespace apps
