// SPDX-License-Identifier: Apache-2.0
#include "sim/report/table_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "sim/report/figure_rows.hpp"
#include "sim/report/month_rows.hpp"
#include "sim/report/records.hpp"
#include "sim/report/writers.hpp"

namespace sim {
namespace {

using Rows = std::vector<TableRow>;

// "120 ms  42 %" of the step or round.
std::string time_cell(double seconds, const Report& report) {
  if (!(seconds > 0)) return kNone;
  return fmt::format("{} {:2.0f} %", time_text(seconds), 100 * seconds / report.time_s);
}

bool has_own_steps(const Report& report) {
  const RoundFigures& round = *report.round;
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

std::string sharding_text(const Report& r) {
  const int stage = r.parallelism.sharding.stage;
  return stage == 0 ? "none" : fmt::format("ZeRO-{}", stage);
}

std::string group_text(const Report& r) {
  const Sharding& sharding = r.parallelism.sharding;
  const bool all = sharding.stage == 0 || sharding.ranks == 0;
  return all ? kNone : fmt::format("{} GPUs", sharding.ranks);
}

// What data-parallel ranks share of the model, and among how many where not among all; or how often
// sites exchange what.
Rows setup_rows(bool rounds) {
  if (!rounds) {
    return {{"sharding", sharding_text}, below({"in groups of", group_text}), row_of("overlap")};
  }
  const auto tokens = [](const Report& r) { return fmt::format("{:.0f}", r.round->tokens); };
  const auto every = [](double number) { return fmt::format("{:.0f} rounds", number); };
  return {{"inner steps per round", steps_text},
          below(only_if(has_own_steps, {"tokens", tokens})),
          below(if_above(1, row_of("across_every", every))),
          below(if_above(1, row_of("fragments")))};
}

Rows head_rows(bool rounds) {
  Rows rows{row_of(rounds ? "round_time_s" : "step_time_s"), row_of("tokens_per_s"),
            range_of("tokens_per_s")};
  if (rounds) {
    rows.push_back(row_of("compute_utilisation"));
  } else {
    rows.push_back(row_of("tflops_per_gpu"));
    rows.push_back(below(row_of("mfu")));
  }
  return rows;
}

// The speed-up, and over what.
Rows speedup_rows() {
  TableRow speedup = row_of("speedup");
  speedup.cell = [cell = speedup.cell](const Report& r) {
    TableCell one = cell(r);
    if (one.text != kNone && r.verdict == Verdict::win) one.style = Style::good;
    if (one.text != kNone && r.verdict == Verdict::loss) one.style = Style::bad;
    return one;
  };
  Rows rows = if_they_fit({speedup}, &Report::both_fit);
  rows.push_back(range_of("speedup", [](double ratio) { return fmt::format("{:.2f}", ratio); }));
  rows.push_back(below(row_of("baseline")));
  return rows;
}

// The phases of a step that send.
constexpr std::pair<const char*, Phase> kPhases[]{
    {"weights", Phase::weight_comm},      {"gradients", Phase::gradient_comm},
    {"optimizer", Phase::optimizer_comm}, {"tensor parallel", Phase::tensor_comm},
    {"pipeline", Phase::pipeline_comm},   {"experts", Phase::expert_comm},
    {"context", Phase::context_comm},     {"copies to hosts", Phase::host_copy}};

template <class Value>
Value at_phase(const std::map<Phase, Value>& by_phase, Phase phase) {
  const auto found = by_phase.find(phase);
  return found == by_phase.end() ? Value() : found->second;
}

// A part of the time, which rounds may call otherwise.
TableRow time_row(std::string_view name, const char* label = nullptr) {
  const Figure& figure = figure_named(name);
  const auto cell = [&figure](const Report& r) {
    return time_cell(number_of(figure, r).value_or(0), r);
  };
  return {label == nullptr ? figure.label : label, cell, 1, name};
}

Rows time_rows(bool rounds) {
  Rows rows{if_above(0, row_of("exchange_after_round_s")),
            {rounds ? "where the time of a round goes" : "where the time goes"},
            below(only_if(&Report::ended, row_of("time_site"))),
            time_row("compute_s", rounds ? "inner steps" : nullptr),
            time_row("exposed_comm_s")};
  for (const auto& [name, one] : kPhases) {
    const auto cell = [phase = one](const Report& r) {
      return time_cell(at_phase(r.time.exposed_by_phase_s, phase), r);
    };
    rows.push_back({name, cell, 2});
  }
  rows.push_back(time_row("codec_s"));
  rows.push_back(time_row("host_s"));
  rows.push_back(time_row("bubble_s", rounds ? "waiting for other sites" : nullptr));
  rows.push_back(time_row("optimizer_s", rounds ? "outer update" : nullptr));
  rows.push_back(time_row("other_s", rounds ? "copies of outer state" : nullptr));
  return rows;
}

void add_wire_rows(const char* where, double WireBytes::*level, Rows& rows) {
  rows.push_back({where});
  for (const auto& [name, one] : kPhases) {
    const auto cell = [level, phase = one](const Report& r) {
      const double bytes = at_phase(r.step->wire_by_phase, phase).*level;
      return bytes > 0 ? byte_text(bytes) : kNone;
    };
    rows.push_back({name, cell, 1});
  }
}

Rows wire_rows() {
  Rows rows;
  add_wire_rows("sent per GPU inside a node", &WireBytes::intra_node, rows);
  add_wire_rows("sent per GPU between nodes", &WireBytes::inter_node, rows);
  rows.push_back({"compression of data-parallel traffic"});
  rows.push_back(below(called("over rings in FP32", row_of("compression_ratio_fp32"))));
  rows.push_back(below(called("over rings in BF16", row_of("compression_ratio_bf16"))));
  return rows;
}

Rows wide_wire_rows() {
  const auto between = [](TableRow row) {
    return below(only_if([](const Report& r) { return r.round->sites != 1; }, std::move(row)));
  };
  const auto ratio = [](double value) { return fmt::format("{:.4g}x", value); };
  return {row_of("wire_bytes_wan"), between(row_of("bits_per_parameter")),
          between(row_of("compression_ratio_fp32", ratio)),
          between(row_of("compression_ratio_bf16", ratio))};
}

// The table says which kind of link is busiest, the line below it which one.
Rows link_rows(bool rounds) {
  const auto links = [](const Report& r) { return !r.busiest_links.empty(); };
  const auto name = [](const Report& r) {
    const LinkUse& use = r.busiest_links.front();
    return r.round ? use.link : use.kind;
  };
  const auto busy = [](const Report& r) {
    return fmt::format("{:.0f} %", 100 * r.busiest_links.front().busy);
  };
  const char* const label = rounds ? "share of the round busy" : "share of the step busy";
  return {only_if(links, {"busiest link", name}), below(only_if(links, {label, busy}))};
}

std::string fullest_site(const Report& r) {
  return r.round && r.round->by_site.size() > 1 ? r.round->fullest_site : kNone;
}

TableCell fits_cell(const Report& r) {
  return r.fits_memory ? TableCell("yes") : TableCell("DOES NOT FIT", Style::bad);
}

// Of the node that needs most.
std::string host_memory(const Report& r) {
  double most = r.step ? r.step->host_memory_bytes : 0;
  if (r.round) {
    for (const SiteReport& site : r.round->by_site) most = std::max(most, site.host_memory_bytes);
  }
  return most > 0 ? byte_text(most) : kNone;
}

Rows memory_rows() {
  Rows rows{row_of("memory_per_gpu_bytes"), below({"at the fullest site", fullest_site}),
            below({"fits", fits_cell})};
  for (const MemoryPart& part : memory_parts()) {
    std::string name = part.name;
    std::ranges::replace(name, '_', ' ');
    const auto cell = [part](const Report& r) {
      const double bytes = r.memory.*part.bytes;
      if (bytes <= 0) return std::string(kNone);
      return fmt::format("{} {:2.0f} %", byte_text(bytes), 100 * bytes / r.memory.total());
    };
    rows.push_back(below({std::move(name), cell}));
  }
  rows.push_back({"host memory per node", host_memory});
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
            below({"normal values", error_of("normal")}),
            below({"Student's t values", error_of("student_t3")}),
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
  if (rounds) {
    rows.push_back(only_if(&Report::ended, if_above(0, row_of("egress_usd"))));
    rows.push_back(only_if(&Report::ended, if_above(0, row_of("link_usd"))));
  } else {
    rows.push_back(row_of("energy_j"));
  }
  rows.push_back(only_if(&Report::ended, row_of("usd_per_million_tokens")));
  rows.push_back(range_of("usd_per_million_tokens"));
  return rows;
}

Rows placed_rows(bool rounds) {
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

}  // namespace

std::vector<TableRow> table_rows(bool rounds, std::span<const Figure> figures) {
  std::set<std::string_view> placed;
  for (const bool kind : {false, true}) {
    for (const TableRow& row : placed_rows(kind)) placed.insert(row.figure);
  }
  Rows rows = placed_rows(rounds);
  for (const Figure& figure : figures) {
    if (figure.label != nullptr && !placed.contains(figure.name)) rows.push_back(row_of(figure));
  }
  return rows;
}

std::string heading(const Report& report) {
  if (!report.flags) return report.scheme;
  return (report.baseline.empty() ? "fastest: " : "tuned: ") + report.scheme;
}

}  // namespace sim
