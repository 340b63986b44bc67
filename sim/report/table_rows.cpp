// SPDX-License-Identifier: Apache-2.0
#include "sim/report/table_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "sim/base/quantity_text.hpp"
#include "sim/report/goodput_rows.hpp"
#include "sim/report/membership_rows.hpp"
#include "sim/report/records.hpp"
#include "sim/report/target_rows.hpp"
#include "sim/report/writers.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {
namespace {

using Rows = std::vector<TableRow>;

constexpr const char* kNone = "-";
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string byte_text(double bytes) {
  return bytes == 0 ? "0" : to_text(Bytes{std::llround(bytes)});
}

// A figure as `format` has it; "-" where it does not apply, which a NaN says.
TableRow figure(std::string label, const char* format,
                const std::function<double(const Report&)>& value) {
  return {std::move(label), [format, value](const Report& report) {
            const double known = value(report);
            return std::isnan(known) ? kNone : fmt::format(fmt::runtime(format), known);
          }};
}

// "120 ms  42 %" of the step or round.
TableRow time_row(std::string label, const std::function<double(const Report&)>& seconds) {
  return {std::move(label), [seconds](const Report& report) {
            const double value = seconds(report);
            if (!(value > 0)) return std::string(kNone);
            return fmt::format("{} {:2.0f} %", time_text(value), 100 * value / report.time_s);
          }};
}

// "75761-81010".
TableRow range_row(const char* format, double LikelyRange::*low, double LikelyRange::*high) {
  return {kRangeLabel, [=](const Report& r) {
            return r.range ? fmt::format(fmt::runtime(format), (*r.range).*low, (*r.range).*high)
                           : kNone;
          }};
}

// The rows, with the cells marked of reports that do not fit.
Rows if_they_fit(Rows rows, const std::function<bool(const Report&)>& fit) {
  for (TableRow& row : rows) {
    row.cell = [cell = row.cell, fit](const Report& report) {
      TableCell one = cell(report);
      return fit(report) || one.text == kNone ? one : TableCell(one.text + kDoesNotFit, Style::bad);
    };
  }
  return rows;
}

bool has_own_steps(const RoundFigures& round) {
  return std::ranges::any_of(
      round.by_site, [&](const SiteReport& site) { return site.inner_steps != round.inner_steps; });
}

// "20", or "20 to 50" where sites have numbers of their own.
std::string steps_text(const Report& report) {
  const auto [least, most] =
      std::ranges::minmax_element(report.round->by_site, {}, &SiteReport::inner_steps);
  const auto [fewest, highest] = std::pair(least->inner_steps, most->inner_steps);
  return fewest == highest ? fmt::format("{}", fewest) : fmt::format("{} to {}", fewest, highest);
}

// What data-parallel ranks share of the model, and among how many where not among all; or how often
// sites exchange what.
Rows setup_rows(bool rounds) {
  if (rounds) {
    return {{"inner steps per round", steps_text},
            {"  tokens",
             [](const Report& r) {
               return has_own_steps(*r.round) ? fmt::format("{:.0f}", r.round->tokens) : kNone;
             }},
            figure("  across regions every", "{:.0f} rounds",
                   [](const Report& r) {
                     return r.round->across_every == 1 ? kNan : r.round->across_every;
                   }),
            figure("  fragments", "{:.0f}", [](const Report& r) {
              return r.round->fragments == 1 ? kNan : r.round->fragments;
            })};
  }
  return {{"sharding",
           [](const Report& r) {
             const int stage = r.parallelism.sharding.stage;
             return stage == 0 ? "none" : fmt::format("ZeRO-{}", stage);
           }},
          {"  in groups of",
           [](const Report& r) {
             const Sharding& sharding = r.parallelism.sharding;
             const bool all = sharding.stage == 0 || sharding.ranks == 0;
             return all ? kNone : fmt::format("{} GPUs", sharding.ranks);
           }},
          {"overlap", [](const Report& r) { return to_text(r.parallelism.overlap); }}};
}

Rows head_rows(bool rounds) {
  Rows rows{
      {rounds ? "time per round" : "step", [](const Report& r) { return time_text(r.time_s); }},
      figure("tokens per second", "{:.0f}", &Report::tokens_per_s),
      range_row("{:.0f}-{:.0f}", &LikelyRange::tokens_per_s_low, &LikelyRange::tokens_per_s_high)};
  if (!rounds) {
    rows.push_back(
        figure("TFLOPs per GPU", "{:.1f}", [](const Report& r) { return r.step->tflops_per_gpu; }));
  }
  rows.push_back(figure(rounds ? "compute utilisation" : "  MFU", "{:.1f} %", [](const Report& r) {
    return 100 * (r.round ? r.round->utilisation : r.step->mfu);
  }));
  return rows;
}

// The speed-up, and over what.
Rows speedup_rows() {
  const TableRow speedup{"speed-up", [](const Report& r) {
                           const bool is_known = !r.baseline.empty() && std::isfinite(r.speedup);
                           if (!is_known)
                             return TableCell(kNone);  // without a baseline, or one never ends
                           const Style style = r.verdict == Verdict::win    ? Style::good
                                               : r.verdict == Verdict::loss ? Style::bad
                                                                            : Style::plain;
                           return TableCell(fmt::format("{:.2f}x", r.speedup), style);
                         }};
  Rows rows = if_they_fit({speedup}, &Report::both_fit);
  rows.push_back({kRangeLabel, [](const Report& r) {
                    return r.speedup_range ? fmt::format("{:.2f}-{:.2f}", r.speedup_range->low,
                                                         r.speedup_range->high)
                                           : kNone;
                  }});
  rows.push_back(
      {"  over", [](const Report& r) { return r.baseline.empty() ? kNone : r.baseline; }});
  return rows;
}

// The phases of a step that send.
constexpr std::pair<const char*, Phase> kPhases[]{{"weights", Phase::weight_comm},
                                                  {"gradients", Phase::gradient_comm},
                                                  {"optimizer", Phase::optimizer_comm},
                                                  {"tensor parallel", Phase::tensor_comm},
                                                  {"pipeline", Phase::pipeline_comm}};

double exposed(const Report& report, Phase phase) {
  const auto found = report.time.exposed_by_phase_s.find(phase);
  return found == report.time.exposed_by_phase_s.end() ? 0 : found->second;
}

Rows time_rows(bool rounds) {
  const auto part = [](const char* label, double TimeParts::*seconds) {
    return time_row(label, [seconds](const Report& r) { return r.time.*seconds; });
  };
  Rows rows{{"exchange after the round",
             [](const Report& r) {
               const double seconds = r.round ? r.round->exchange_after_round_s : 0;
               return seconds > 0 ? time_text(seconds) : kNone;
             }},
            {rounds ? "where the time of a round goes" : "where the time goes"},
            {"  at the site",
             [](const Report& r) { return r.round && r.ended() ? r.round->time_site : kNone; }}};
  rows.push_back(part(rounds ? "  inner steps" : "  compute", &TimeParts::compute_s));
  rows.push_back(part("  exposed communication", &TimeParts::exposed_comm_s));
  for (const auto& [name, one] : kPhases) {
    rows.push_back(time_row(std::string("    ") + name,
                            [phase = one](const Report& r) { return exposed(r, phase); }));
  }
  rows.push_back(part("  codec kernels", &TimeParts::codec_s));
  rows.push_back(part("  waiting for the host", &TimeParts::host_s));
  rows.push_back(part(rounds ? "  waiting for other sites" : "  pipeline bubble, waits",
                      &TimeParts::bubble_s));
  rows.push_back(part(rounds ? "  outer update" : "  optimizer", &TimeParts::optimizer_s));
  rows.push_back(
      part(rounds ? "  copies of outer state" : "  passes over buffers", &TimeParts::other_s));
  return rows;
}

void add_wire_rows(const char* where, double WireBytes::*level, Rows& rows) {
  rows.push_back({where});
  for (const auto& [name, one] : kPhases) {
    rows.push_back({"  " + std::string(name), [level, phase = one](const Report& r) {
                      const auto found = r.step->wire_by_phase.find(phase);
                      if (found == r.step->wire_by_phase.end()) return std::string(kNone);
                      const double bytes = found->second.*level;
                      return bytes > 0 ? byte_text(bytes) : kNone;
                    }});
  }
}

Rows wire_rows() {
  Rows rows;
  add_wire_rows("sent per GPU inside a node", &WireBytes::intra_node, rows);
  add_wire_rows("sent per GPU between nodes", &WireBytes::inter_node, rows);
  rows.push_back({"compression of data-parallel traffic"});
  rows.push_back(figure("  over rings in FP32", "{:.2f}x", &Report::compression_ratio_fp32));
  rows.push_back(figure("  over rings in BF16", "{:.2f}x", &Report::compression_ratio_bf16));
  return rows;
}

Rows wide_wire_rows() {
  const auto between = [](const char* label, const char* format, double (*value)(const Report&)) {
    return figure(label, format,
                  [value](const Report& r) { return r.round->sites == 1 ? kNan : value(r); });
  };
  return {{"sent per site per round",
           [](const Report& r) { return r.ended() ? byte_text(r.wire_bytes_wan) : kNone; }},
          between("  bits per parameter", "{:.4g}",
                  [](const Report& r) { return r.round->bits_per_parameter; }),
          between("  compression over FP32", "{:.4g}x",
                  [](const Report& r) { return r.compression_ratio_fp32; }),
          between("  compression over BF16", "{:.4g}x",
                  [](const Report& r) { return r.compression_ratio_bf16; })};
}

// The table says which kind of link is busiest, the line below it which one.
Rows link_rows(bool rounds) {
  return {{"busiest link",
           [](const Report& r) {
             if (r.busiest_links.empty()) return std::string(kNone);
             const LinkUse& use = r.busiest_links.front();
             return r.round ? use.link : use.kind;
           }},
          figure(rounds ? "  share of the round busy" : "  share of the step busy", "{:.0f} %",
                 [](const Report& r) {
                   return r.busiest_links.empty() ? kNan : 100 * r.busiest_links.front().busy;
                 })};
}

Rows memory_rows() {
  Rows rows{{"memory per GPU", [](const Report& r) { return byte_text(r.memory.total()); }},
            {"  at the fullest site",
             [](const Report& r) {
               return r.round && r.round->by_site.size() > 1 ? r.round->fullest_site : kNone;
             }},
            {"  fits", [](const Report& r) {
               return r.fits_memory ? TableCell("yes") : TableCell("DOES NOT FIT", Style::bad);
             }}};
  for (const MemoryPart& part : memory_parts()) {
    std::string name = std::string("  ") + part.name;
    std::ranges::replace(name, '_', ' ');
    rows.push_back({std::move(name), [part](const Report& r) {
                      const double bytes = r.memory.*part.bytes;
                      if (bytes <= 0) return std::string(kNone);
                      return fmt::format("{} {:2.0f} %", byte_text(bytes),
                                         100 * bytes / r.memory.total());
                    }});
  }
  rows.push_back({"host memory per node", [](const Report& r) {
                    double most = r.step ? r.step->host_memory_bytes : 0;
                    if (r.round) {
                      for (const SiteReport& site : r.round->by_site) {
                        most = std::max(most, site.host_memory_bytes);
                      }
                    }
                    return most > 0 ? byte_text(most) : std::string(kNone);
                  }});
  return rows;
}

// Of the Pareto front.
std::string front_cell(const Report& r) {
  if (!r.pareto) return kNone;
  if (!r.fits_memory) return "does not fit";
  if (!r.pareto->sends_plain && !r.pareto->error) return "not measured";
  return r.pareto->on_front ? "yes" : "no";
}

// Relative L2 errors by distribution.
Rows error_rows(bool rounds) {
  const auto error_of = [](const char* distribution) {
    return [distribution](const Report& r) { return error_text(r.codec_error, distribution); };
  };
  Rows rows{{rounds ? "error of one encode, relative L2" : "error of the sum, relative L2"},
            {"  normal values", error_of("normal")},
            {"  Student's t values", error_of("student_t3")},
            {"on the speed-error front", front_cell}};
  if (rounds) {
    rows.push_back({"error of 256 summed steps", [](const Report& r) {
                      const bool summed = r.codec_error.contains("sum_of_256");
                      return summed ? error_text(r.codec_error, "sum_of_256") : kNone;
                    }});
  }
  return rows;
}

Rows cost_rows(bool rounds) {
  Rows rows;
  const auto usd = [&](const char* label, double RoundFigures::*part) {
    rows.push_back(figure(label, "{:.4g} USD", [part](const Report& r) {
      const double value = (*r.round).*part;
      return r.ended() && value > 0 ? value : kNan;
    }));
  };
  if (rounds) {
    usd("egress per round", &RoundFigures::egress_usd);
    usd("leased links per round", &RoundFigures::link_usd);
  } else {
    rows.push_back(
        figure("energy per step", "{:.1f} kJ", [](const Report& r) { return r.energy_j / 1e3; }));
  }
  rows.push_back(figure("USD per million tokens", "{:.3f}", [](const Report& r) {
    return r.ended() ? r.usd_per_million_tokens : kNan;
  }));
  rows.push_back(range_row("{:.3f}-{:.3f}", &LikelyRange::usd_per_million_tokens_low,
                           &LikelyRange::usd_per_million_tokens_high));
  return rows;
}

}  // namespace

std::vector<TableRow> table_rows(bool rounds) {
  const auto fits_or_is_not_told = [](const Report& r) {
    return r.fits_memory || !(r.goodput || r.membership);
  };
  Rows rows{{"", [](const Report& r) { return TableCell(heading(r), Style::heading); }}};
  for (Rows part :
       {setup_rows(rounds), if_they_fit(head_rows(rounds), &Report::fits_memory), speedup_rows(),
        time_rows(rounds), rounds ? wide_wire_rows() : wire_rows(), link_rows(rounds),
        memory_rows(), error_rows(rounds), if_they_fit(cost_rows(rounds), &Report::fits_memory),
        if_they_fit(goodput_rows(), fits_or_is_not_told),
        if_they_fit(membership_rows(), fits_or_is_not_told),
        if_they_fit(target_rows(), fits_or_is_not_told)}) {
    std::ranges::move(part, std::back_inserter(rows));
  }
  return rows;
}

std::string heading(const Report& report) {
  if (!report.flags) return report.scheme;
  return (report.baseline.empty() ? "fastest: " : "tuned: ") + report.scheme;
}

}  // namespace sim
