// SPDX-License-Identifier: Apache-2.0
#include "apps/fit/trace_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "sim/base/text_table.hpp"

namespace apps {
namespace {

using sim::trace::ClassTime;
using sim::trace::KernelClass;
using sim::trace::NameTime;
using sim::trace::Summary;
using TraceJson = nlohmann::ordered_json;

std::string ms_text(double seconds) { return fmt::format("{:.3f} ms", 1e3 * seconds); }
std::string percent_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

sim::TextTable parts_table(const Summary& summary) {
  sim::TextTable table{.align = "<"};
  table.rows.push_back(sim::heading_row({"a step", "time", "share"}));
  const std::pair<const char*, double> parts[] = {{"computing, copying", summary.compute_s},
                                                  {"communicating alone", summary.exposed_s},
                                                  {"idle", summary.idle_s}};
  for (const auto& [name, seconds] : parts) {
    table.rows.push_back({name, ms_text(seconds), percent_text(seconds / summary.step_s.mean)});
  }
  return table;
}

sim::TextTable classes_table(const Summary& summary) {
  sim::TextTable table{.align = "<"};
  table.rows.push_back(sim::heading_row({"class of kernels", "time", "share", "kernels"}));
  for (const ClassTime& one : summary.classes) {
    table.rows.push_back({std::string(row_of(one.value).text), ms_text(one.seconds.mean),
                          percent_text(summary.share_of(one.seconds.mean)),
                          fmt::format("{:.1f}", one.kernels)});
  }
  return table;
}

std::vector<NameTime> unexplained_of(const Summary& summary) {
  std::vector<NameTime> names;
  std::ranges::copy_if(summary.names, std::back_inserter(names),
                       [](const NameTime& one) { return one.value == KernelClass::unexplained; });
  return names;
}

std::vector<TraceJson> class_records(const Summary& summary) {
  std::vector<TraceJson> records;
  for (const ClassTime& one : summary.classes) {
    const auto [low, high] = std::ranges::minmax(one.seconds.values);
    records.push_back({{"class", row_of(one.value).name},
                       {"time_s", one.seconds.mean},
                       {"least_s", low},
                       {"most_s", high},
                       {"share", summary.share_of(one.seconds.mean)},
                       {"kernels", one.kernels}});
  }
  return records;
}

TraceJson names_json(const Summary& summary, const std::vector<NameTime>& names) {
  TraceJson json = TraceJson::array();
  for (const NameTime& one : names) {
    json.push_back({{"name", one.name},
                    {"class", row_of(one.value).name},
                    {"time_s", one.seconds},
                    {"share", summary.share_of(one.seconds)},
                    {"kernels", one.kernels}});
  }
  return json;
}

TraceJson json_of(const Summary& summary) {
  return {{"schema_version", 1},
          {"gpu", summary.device},
          {"gpus", summary.gpus},
          {"job_ranks", summary.job_ranks ? TraceJson(*summary.job_ranks) : TraceJson()},
          {"steps", summary.steps},
          {"steps_left_out", summary.left_out},
          {"step_time_s", summary.step_s.mean},
          {"compute_s", summary.compute_s},
          {"exposed_comm_s", summary.exposed_s},
          {"idle_s", summary.idle_s},
          {"kernels_s", summary.kernels_s},
          {"overlapping_kernels", summary.overlapping},
          {"classes", class_records(summary)},
          {"kernels", names_json(summary, summary.names)},
          {"unexplained", names_json(summary, unexplained_of(summary))}};
}

void print_unexplained(const Summary& summary) {
  constexpr std::size_t kMostShown = 10;
  const std::vector<NameTime> names = unexplained_of(summary);
  if (names.empty()) return print_text("\nThe class of every kernel is known.\n");
  print_text("\nkernels of unknown class, {} of the kernels' time\n",
             percent_text(summary.share_of(summary.seconds_of(KernelClass::unexplained))));
  for (std::size_t i = 0; i < std::min(names.size(), kMostShown); ++i) {
    print_text("  {:>7}  {}\n", percent_text(summary.share_of(names[i].seconds)),
               sim::printable_line(names[i].name, 120));
  }
  if (names.size() > kMostShown) {
    print_text("  and {} more; --format json lists them\n", names.size() - kMostShown);
  }
}

// A trace holds kernels, but not what they were launched for.
void print_unknown(const Summary& summary) {
  if (!summary.job_ranks) {
    print_text("\nNot in the trace: how many ranks the job has, ");
  } else if (*summary.job_ranks > summary.gpus) {
    print_text("\n{} of the job's {} ranks {} traced. Not in the trace: ", summary.gpus,
               *summary.job_ranks, summary.gpus == 1 ? "is" : "are");
  } else {
    print_text("\nNot in the trace: ");
  }
  print_text(
      "the job's model, batch and parallelism.\nGive --topology, --model and the job's other flags "
      "to compare the kernels with their prediction.\n");
}

}  // namespace

void print(const std::string& format, const Summary& summary) {
  if (format != "table") return print_records(format, json_of(summary), class_records(summary));
  print_text("{} step{} on {} GPU{}{}, {} each\n\n", summary.steps, summary.steps == 1 ? "" : "s",
             summary.gpus, summary.gpus == 1 ? "" : "s",
             summary.device.empty() ? "" : fmt::format(" ({})", summary.device),
             ms_text(summary.step_s.mean));
  const std::size_t width = output_width();
  print_styled(to_text(parts_table(summary), width));
  print_text("\n");
  print_styled(to_text(classes_table(summary), width));
  print_unexplained(summary);
  if (summary.left_out > 0) {
    print_text("\nSteps of which not all kernels were recorded, left out: {}\n", summary.left_out);
  }
  if (summary.overlapping > 0) {
    print_text("\nKernels that start before the end of another one of their stream: {}\n",
               summary.overlapping);
  }
  print_unknown(summary);
}

}  // namespace apps
