// SPDX-License-Identifier: Apache-2.0
// report: the store of a sweep as one HTML page, to look at and to send to others.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "apps/arguments.hpp"
#include "apps/print.hpp"
#include "apps/report_page/page.hpp"
#include "apps/report_page/study.hpp"
#include "apps/report_page/timelines.hpp"
#include "apps/sweep/named_files.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr std::size_t kMostTimelines = 8;

constexpr const char* kReportUsage =
    "usage: gardenhose report STORE [--output FILE] [FLAGS]\n\n"
    "  gardenhose report study.sqlite                     writes study.html\n"
    "  gardenhose report study.sqlite --timeline 12,13 --output for_the_meeting.html\n\n"
    "Writes one HTML page with charts, step breakdowns, the winning schemes, timelines, and every\n"
    "point with its command. Open it from disk in a browser; it loads nothing from the network.\n";

struct ReportOptions {
  std::string store, output, timeline, folder;
};

std::optional<ReportOptions> parse_report(const Arguments& arguments) {
  ReportOptions o;
  po::options_description flags("Flags");
  auto add = flags.add_options();
  add("store", po::value(&o.store)->required(),
      "SQLite file of the sweep (--store itself may be omitted)");
  add("output,o", po::value(&o.output), "HTML file to write (default: STORE with .html)");
  add("timeline", po::value(&o.timeline),
      "NUMBER[,NUMBER...]: points to simulate again for timelines, or none (default: the point "
      "with the greatest speed-up, or else the most tokens per second, and the points that differ "
      "from it only in the scheme)");
  add("folder", po::value(&o.folder),
      "folder of the spec, against which relative paths in the inputs are resolved (default: the "
      "store's)");
  if (!parse_arguments(arguments, kReportUsage, flags, {{"store"}})) return std::nullopt;
  if (o.output.empty()) o.output = fs::path(o.store).replace_extension(".html").string();
  return o;
}

// The points by their numbers, as the flag has them.
std::vector<StoredPoint> points_named(Store& store, const std::string& flag) {
  const std::vector<std::string> wanted = split(flag);
  if (wanted.size() > kMostTimelines) {
    throw sim::InputError(fmt::format("--timeline: names {} points; at most {} are shown",
                                      wanted.size(), kMostTimelines));
  }
  std::map<std::string, StoredPoint> known;
  store.each_finished([&](const StoredPoint& point) {
    const std::string number = std::to_string(point.number);
    if (std::ranges::find(wanted, number) != wanted.end()) known.emplace(number, point);
  });
  std::vector<StoredPoint> points;
  for (const std::string& number : wanted) {
    const auto found = known.find(number);
    if (found == known.end() || found->second.outcome.report.is_null()) {
      throw sim::InputError(
          fmt::format("--timeline: '{}' is not the number of a point with figures; `gardenhose "
                      "export {}` lists them",
                      sim::printable(number), store.file().string()));
    }
    points.push_back(found->second);
  }
  return points;
}

// From where the paths among the inputs go.
fs::path paths_from(const ReportOptions& options) {
  fs::path folder = options.folder.empty() ? folder_of(options.store) : fs::path(options.folder);
  if (fs::is_directory(folder)) return fs::absolute(folder);
  throw sim::InputError(fmt::format("--folder: '{}' is not a folder", folder.string()));
}

Inputs timelines(Store& store, const ReportOptions& options) {
  if (options.timeline == "none") return Inputs::array();
  const auto points = options.timeline.empty() ? telling_points(store, kMostTimelines)
                                               : points_named(store, options.timeline);
  Inputs all = timelines_of(points, paths_from(options));
  for (const Inputs& one : all) {
    if (!one.contains("problem") && one.at("agrees")) continue;
    print_note("note: point {}: {}\n", one.at("number").get<std::int64_t>(),
               one.contains("problem")
                   ? "no timeline: " + one.at("problem").get<std::string>()
                   : "its step time now differs from the store's; the page says so");
  }
  return all;
}

}  // namespace

int report_command(const Arguments& arguments) {
  const auto options = parse_report(arguments);
  if (!options) return 0;
  Store store(options->store, sim::sweep::Access::read);
  sim::require_writable("--output", options->output);
  note_files(store, paths_from(*options));
  refuse_contents("--output", options->output, store);
  Inputs study = study_of(store);
  study["timelines"] = timelines(store, *options);
  const std::string page = page_of(study);
  sim::write_file("--output", options->output, page);
  print_text("{}: {:.0f} kB\n", options->output, static_cast<double>(page.size()) / 1e3);
  return 0;
}

}  // namespace apps
