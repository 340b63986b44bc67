// SPDX-License-Identifier: Apache-2.0
// export: the points of a store that have been run, by number, as CSV or JSON lines. Nothing in it
// depends on when or how often the sweep was run.
#include <fmt/format.h>

#include <functional>
#include <optional>

#include "apps/arguments.hpp"
#include "apps/print.hpp"
#include "apps/sweep/named_files.hpp"
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

using Write = std::function<void(std::string_view text)>;

void write_jsonl(Store& store, const Write& write) {
  store.each_finished([&](const StoredPoint& point) {
    const Inputs line = {{"number", point.number},
                         {"state", point.outcome.state},
                         {"inputs", point.inputs},
                         {"report", point.outcome.report},
                         {"message", or_null(point.outcome.message)}};
    write(sim::printable_json(sim::sweep::line_of(line)) + "\n");
  });
}

void write_csv(Store& store, const Write& write) {
  bool is_first = true;
  each_record(store, [&](const Inputs& record) {
    const std::string text = sim::printable_lines(sim::csv_text({record}));
    write(std::string_view(text).substr(is_first ? 0 : text.find('\n') + 1));
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
  if (!parse_arguments(arguments, kExportUsage, flags, {{"store"}})) return 0;
  if (format != "csv" && format != "jsonl") {
    throw sim::InputError(
        fmt::format("--format: '{}' is not one of: csv, jsonl", sim::printable(format)));
  }
  Store store(file, sim::sweep::Access::read);
  note_files(store, folder_of(file));
  std::optional<sim::OutputFile> written;
  if (!output_file.empty()) {
    refuse_contents("--output", output_file, store);
    written.emplace("--output", output_file);
  }
  const Write write = [&](std::string_view text) {
    written ? written->write(text) : write_output(text);
  };
  if (format == "csv") write_csv(store, write);
  if (format == "jsonl") write_jsonl(store, write);
  if (written) written->finish();
  note_open(store);
  return 0;
}

}  // namespace apps
