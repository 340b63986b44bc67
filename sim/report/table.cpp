#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "sim/base/quantity_text.hpp"
#include "sim/report/records.hpp"
#include "sim/report/text_table.hpp"
#include "sim/report/writers.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {
namespace {

using Cell = std::function<std::string(const StepReport&)>;
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
    return fmt::format("{} {:3.0f} %", time_text(value), 100 * value / r.step_time_s);
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

std::string wire_text(const StepReport& report, Phase phase) {
  const auto found = report.wire_by_phase.find(phase);
  if (found == report.wire_by_phase.end()) return "-";
  return fmt::format("{} / {}", byte_text(found->second.intra_node),
                     byte_text(found->second.inter_node));
}

std::vector<Row> wire_rows() {
  return {
      {"sent per GPU, inside / between nodes", nullptr},
      {"  weights", [](const StepReport& r) { return wire_text(r, Phase::weight_comm); }},
      {"  gradients", [](const StepReport& r) { return wire_text(r, Phase::gradient_comm); }},
      {"  optimizer", [](const StepReport& r) { return wire_text(r, Phase::optimizer_comm); }},
      {"  tensor parallel", [](const StepReport& r) { return wire_text(r, Phase::tensor_comm); }},
      {"  pipeline", [](const StepReport& r) { return wire_text(r, Phase::pipeline_comm); }},
      {"  compression of data parallel",
       [](const StepReport& r) {
         return fmt::format("{:.2f}x FP32, {:.2f}x BF16", r.compression_ratio_fp32,
                            r.compression_ratio_bf16);
       }},
      {"  busiest link, share of step full", [](const StepReport& r) {
         if (r.busiest_links.empty()) return std::string("-");
         return fmt::format("{} {:.0f} %", r.busiest_links.front().link,
                            100 * r.busiest_links.front().busy);
       }}};
}

// What data-parallel ranks share of the model.
std::string sharding_text(const StepReport& report) {
  const Sharding& sharding = report.parallelism.sharding;
  if (sharding.stage == 0) return "none";
  if (sharding.ranks == 0) return fmt::format("ZeRO-{}", sharding.stage);
  return fmt::format("ZeRO-{} in groups of {}", sharding.stage, sharding.ranks);
}

std::vector<Row> head_rows(bool compared) {
  std::vector<Row> rows{{"step", [](const StepReport& r) { return time_text(r.step_time_s); }},
                        {"tokens per second",
                         [](const StepReport& r) { return fmt::format("{:.0f}", r.tokens_per_s); }},
                        {kRangeLabel, throughput_range<StepReport>},
                        {"TFLOPs per GPU (MFU)", [](const StepReport& r) {
                           return fmt::format("{:.1f} ({:.1f} %)", r.tflops_per_gpu, 100 * r.mfu);
                         }}};
  if (compared) {
    rows.push_back({"speed-up", [](const StepReport& r) {
                      return r.baseline.empty() ? "-" : fmt::format("{:.2f}x", r.speedup);
                    }});
  }
  return rows;
}

std::vector<Row> memory_rows() {
  std::vector<Row> rows{{"memory per GPU", [](const StepReport& r) {
                           return byte_text(r.memory.total()) +
                                  (r.fits_memory ? "" : " DOES NOT FIT");
                         }}};
  for (const MemoryPart& part : memory_parts()) {
    std::string name = std::string("  ") + part.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    rows.push_back({std::move(name), [part](const StepReport& r) {
                      const double bytes = r.memory.*part.bytes;
                      if (bytes <= 0) return std::string("-");
                      return fmt::format("{} {:3.0f} %", byte_text(bytes),
                                         100 * bytes / r.memory.total());
                    }});
  }
  return rows;
}

// Of the Pareto front.
std::string front_cell(const StepReport& r) {
  if (!r.pareto) return "-";
  if (!r.fits_memory) return "does not fit";
  if (!r.pareto->sends_plain && !r.pareto->error) return "error not measured";
  return r.pareto->on_front ? "yes" : "no";
}

std::vector<Row> error_rows() {
  return {{"error of the sum, normal / t3",
           [](const StepReport& r) {
             return error_text(r.codec_error, [](double e) { return fmt::format("{:.3f}", e); });
           }},
          {"on the front of speed and error", front_cell}};
}

std::vector<Row> price_rows() {
  return {{"energy, USD per million tokens",
           [](const StepReport& r) {
             return fmt::format("{:.1f} kJ, {:.3f}", r.energy_j / 1e3, r.usd_per_million_tokens);
           }},
          {kRangeLabel, price_range<StepReport>}};
}

bool fits(const StepReport& report) { return report.fits_memory; }

// What is compared with goes by its own name, of what a search chose.
std::string heading(const StepReport& report) {
  if (!report.flags) return report.scheme;
  return (report.baseline.empty() ? "fastest: " : "tuned: ") + report.scheme;
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
  return fmt::format("beats {} below {} to {} a NIC (now {})", other, rate(at.pays_at_Bps),
                     rate(at.loses_at_Bps), rate(at.nic_bandwidth_Bps));
}

}  // namespace

std::string break_even_line(const StepReport& report) {
  return report.break_even ? heading(report) + ": " + break_even_text(report) : "";
}

std::string to_table(std::span<const StepReport> reports) {
  if (reports.empty()) return "";
  const StepReport& first = reports.front();
  std::string text =
      fmt::format("{} on {}: {} GPUs = {} data x {} tensor x {} pipeline\n\n", first.model,
                  first.topology, first.gpus, first.data, first.tensor, first.pipeline);
  const bool compared = std::any_of(reports.begin(), reports.end(),
                                    [](const StepReport& r) { return !r.baseline.empty(); });
  std::vector<Row> rows{
      {"", heading}, {"sharding", sharding_text}, {"overlap", [](const StepReport& r) {
                                                     return to_text(r.parallelism.overlap);
                                                   }}};
  for (auto part : {if_they_fit(head_rows(compared), fits), time_rows(), wire_rows(), memory_rows(),
                    error_rows(), if_they_fit(price_rows(), fits)}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  text += side_by_side(reports, rows);
  if (!std::ranges::all_of(reports, fits)) text += std::string("\n") + kDoesNotFitNote;
  text += chosen_flags(reports);
  for (const StepReport& report : reports) {
    text += fmt::format("\n{}: bound by {}", heading(report), report.bound);
  }
  return text + "\n\n" + source_lines(reports);
}

}  // namespace sim
