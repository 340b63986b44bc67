// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "sim/base/quantity_text.hpp"
#include "sim/report/records.hpp"
#include "sim/report/side_by_side.hpp"
#include "sim/report/writers.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {
namespace {

using Cell = std::function<TableCell(const StepReport&)>;
using Row = TableRow<StepReport>;

std::string time_text(double seconds) { return to_text(Seconds::from_base(seconds)); }
std::string byte_text(double bytes) {
  return bytes == 0 ? "0" : to_text(Bytes{static_cast<std::int64_t>(bytes)});
}

// "120 ms  42 %" of the step.
Cell share_of_step(const std::function<double(const StepReport&)>& seconds) {
  return [seconds](const StepReport& r) {
    const double value = seconds(r);
    if (value <= 0) return std::string("-");
    return fmt::format("{} {:2.0f} %", time_text(value), 100 * value / r.step_time_s);
  };
}

double exposed(const StepReport& report, Phase phase) {
  const auto found = report.time.exposed_by_phase_s.find(phase);
  return found == report.time.exposed_by_phase_s.end() ? 0 : found->second;
}

std::vector<Row> time_rows() {
  std::vector<Row> rows{{"where the time goes", nullptr}};
  const auto add = [&](const char* label, const std::function<double(const StepReport&)>& seconds) {
    rows.push_back({label, share_of_step(seconds)});
  };
  add("  compute", [](const StepReport& r) { return r.time.compute_s; });
  add("  exposed communication", [](const StepReport& r) { return r.time.exposed_comm_s; });
  add("    weights", [](const StepReport& r) { return exposed(r, Phase::weight_comm); });
  add("    gradients", [](const StepReport& r) { return exposed(r, Phase::gradient_comm); });
  add("    optimizer", [](const StepReport& r) { return exposed(r, Phase::optimizer_comm); });
  add("    tensor parallel", [](const StepReport& r) { return exposed(r, Phase::tensor_comm); });
  add("    pipeline", [](const StepReport& r) { return exposed(r, Phase::pipeline_comm); });
  add("  codec kernels", [](const StepReport& r) { return r.time.codec_s; });
  add("  pipeline bubble, waits", [](const StepReport& r) { return r.time.bubble_s; });
  add("  optimizer", [](const StepReport& r) { return r.time.optimizer_s; });
  add("  passes over buffers", [](const StepReport& r) { return r.time.other_s; });
  return rows;
}

void add_wire_rows(double WireBytes::*level, std::vector<Row>& rows) {
  const auto add = [&](const char* label, Phase phase) {
    rows.push_back({label, [level, phase](const StepReport& r) {
                      const auto found = r.wire_by_phase.find(phase);
                      if (found == r.wire_by_phase.end()) return std::string("-");
                      const double bytes = found->second.*level;
                      return bytes > 0 ? byte_text(bytes) : "-";
                    }});
  };
  add("  weights", Phase::weight_comm);
  add("  gradients", Phase::gradient_comm);
  add("  optimizer", Phase::optimizer_comm);
  add("  tensor parallel", Phase::tensor_comm);
  add("  pipeline", Phase::pipeline_comm);
}

// "nic_in" of "nic_in_0", "communicator" of "communicator_cap_0_node_0": the table says which kind of link is busiest, the line below it which one.
std::string kind_of(std::string link) {
  const std::size_t number = link.find_first_of("0123456789");
  if (number != std::string::npos) link.erase(link.find_last_not_of('_', number - 1) + 1);
  return link.substr(0, link.find("_cap"));
}

std::vector<Row> wire_rows() {
  std::vector<Row> rows{{"sent per GPU inside a node"}};
  add_wire_rows(&WireBytes::intra_node, rows);
  rows.push_back({"sent per GPU between nodes"});
  add_wire_rows(&WireBytes::inter_node, rows);
  rows.push_back({"compression of data-parallel traffic"});
  const auto ratio = [&](const char* label, double StepReport::*figure) {
    rows.push_back(
        {label, [figure](const StepReport& r) { return fmt::format("{:.2f}x", r.*figure); }});
  };
  ratio("  over rings in FP32", &StepReport::compression_ratio_fp32);
  ratio("  over rings in BF16", &StepReport::compression_ratio_bf16);
  return rows;
}

// What data-parallel ranks share of the model, and among how many where not among all.
std::vector<Row> setup_rows() {
  return {{"sharding",
           [](const StepReport& r) {
             const int stage = r.parallelism.sharding.stage;
             return stage == 0 ? "none" : fmt::format("ZeRO-{}", stage);
           }},
          {"  in groups of",
           [](const StepReport& r) {
             const Sharding& sharding = r.parallelism.sharding;
             const bool all = sharding.stage == 0 || sharding.ranks == 0;
             return all ? "-" : fmt::format("{} GPUs", sharding.ranks);
           }},
          {"overlap", [](const StepReport& r) { return to_text(r.parallelism.overlap); }}};
}

std::vector<Row> head_rows() {
  return {{"step", [](const StepReport& r) { return time_text(r.step_time_s); }},
          {"tokens per second",
           [](const StepReport& r) { return fmt::format("{:.0f}", r.tokens_per_s); }},
          {kRangeLabel, throughput_range<StepReport>},
          {"TFLOPs per GPU",
           [](const StepReport& r) { return fmt::format("{:.1f}", r.tflops_per_gpu); }},
          {"  MFU", [](const StepReport& r) { return fmt::format("{:.1f} %", 100 * r.mfu); }}};
}

bool fits(const StepReport& report) { return report.fits_memory; }
bool both_fit(const StepReport& report) { return report.fits_memory && report.baseline_fits; }

std::vector<Row> memory_rows() {
  std::vector<Row> rows{
      {"memory per GPU", [](const StepReport& r) { return byte_text(r.memory.total()); }},
      fit_row(fits)};
  for (const MemoryPart& part : memory_parts()) {
    std::string name = std::string("  ") + part.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    rows.push_back({std::move(name), [part](const StepReport& r) {
                      const double bytes = r.memory.*part.bytes;
                      if (bytes <= 0) return std::string("-");
                      return fmt::format("{} {:2.0f} %", byte_text(bytes),
                                         100 * bytes / r.memory.total());
                    }});
  }
  return rows;
}

// Of the Pareto front.
std::string front_cell(const StepReport& r) {
  if (!r.pareto) return "-";
  if (!r.fits_memory) return "does not fit";
  if (!r.pareto->sends_plain && !r.pareto->error) return "not measured";
  return r.pareto->on_front ? "yes" : "no";
}

std::vector<Row> price_rows() {
  return {{"energy per step",
           [](const StepReport& r) { return fmt::format("{:.1f} kJ", r.energy_j / 1e3); }},
          {"USD per million tokens",
           [](const StepReport& r) { return fmt::format("{:.3f}", r.usd_per_million_tokens); }},
          {kRangeLabel, price_range<StepReport>}};
}

// What is compared with goes by its own name, of what a search chose.
std::string heading(const StepReport& report) {
  if (!report.flags) return report.scheme;
  return (report.baseline.empty() ? "fastest: " : "tuned: ") + report.scheme;
}

std::vector<Row> all_rows() {
  std::vector<Row> rows{
      {"", [](const StepReport& r) { return TableCell(heading(r), Style::heading); }}};
  for (auto part :
       {setup_rows(), if_they_fit(head_rows(), fits), speedup_rows(both_fit), time_rows(),
        wire_rows(), link_rows<StepReport>("  share of the step busy", kind_of), memory_rows(),
        error_rows<StepReport>("error of the sum, relative L2"),
        std::vector<Row>{{"on the speed-error front", front_cell}},
        if_they_fit(price_rows(), fits)}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

std::string chosen_flags(std::span<const StepReport> reports) {
  std::string text;
  for (const StepReport& report : reports) {
    if (!report.flags) continue;
    text += fmt::format("\n{}: with {}", heading(report),
                        report.flags->empty() ? "the flags as given" : *report.flags);
  }
  return text.empty() ? text : text + "\n";
}

std::string break_even_text(const StepReport& report) {
  const BreakEven& at = *report.break_even;
  const std::string other =
      report.baseline_flags ? "the fastest uncompressed setup" : report.baseline;
  const auto rate = [](double bytes_per_s) {
    const double gigabits = bytes_per_s * 8 / 1e9;
    return gigabits < 1000 ? fmt::format("{:.3g} Gbps", gigabits)
                           : fmt::format("{:.3g} Tbps", gigabits / 1000);
  };
  if (at.pays_at_Bps == 0) return fmt::format("does not beat {} at any NIC bandwidth", other);
  if (!std::isfinite(at.loses_at_Bps)) {
    return fmt::format("beats {} at every NIC bandwidth up to {}", other, rate(at.pays_at_Bps));
  }
  return fmt::format("beats {} below about {} per NIC (now {})", other, rate(at.pays_at_Bps),
                     rate(at.nic_bandwidth_Bps));
}

}  // namespace

std::string break_even_line(const StepReport& report) {
  if (!report.break_even) return "";
  return heading(report) + ": " + break_even_text(report) + (both_fit(report) ? "" : kDoesNotFit);
}

StyledText to_table(std::span<const StepReport> reports, std::size_t width) {
  if (reports.empty()) return {};
  const StepReport& first = reports.front();
  StyledText text;
  append(text, fmt::format("{} on {}: {} GPUs = {} data x {} tensor x {} pipeline\n{}\n\n",
                           first.model, first.topology, first.gpus, first.data, first.tensor,
                           first.pipeline, batch_text(first.global_batch, first.sequence, "step")));
  append(text, to_text(side_by_side(reports, all_rows()), width));
  append(text, range_and_fit_notes(reports, fits));
  append(text, chosen_flags(reports));
  for (const StepReport& report : reports) {
    append(text, fmt::format("\n{}: bound by {}", heading(report), report.bound));
  }
  append(text, "\n\n");
  append(text, source_lines(reports));
  return text;
}

}  // namespace sim
