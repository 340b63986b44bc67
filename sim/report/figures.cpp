// SPDX-License-Identifier: Apache-2.0
#include "sim/report/figures.hpp"

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "sim/workload/parallelism_names.hpp"

namespace sim {
// A namespace of their own, as the names of getters and units are short.
namespace figure_rows {
namespace {

using enum Unit;
using Value = FigureValue;
using R = const Report&;

// At the end of a path of members: nothing where an optional on the way is empty.
template <class Object, class... Members>
Value value_at(const Object& object, Members... members) {
  if constexpr (requires { object.has_value(); }) {
    return object ? value_at(*object, members...) : Value();
  } else if constexpr (sizeof...(members) == 0) {
    return object;
  } else {
    return [&](auto member, auto... more) {
      return value_at(std::invoke(member, object), more...);
    }(members...);
  }
}

template <auto... path>
Value at(R report) {
  return value_at(report, path...);
}
template <auto... path>
constexpr auto layout = at<&Report::parallelism, path...>;
template <auto... path>
constexpr auto step = at<&Report::step, path...>;
template <auto... path>
constexpr auto round = at<&Report::round, path...>;
template <auto... path>
constexpr auto time = at<&Report::time, path...>;
template <auto... path>
constexpr auto goodput = at<&Report::goodput, path...>;
template <auto... path>
constexpr auto share_of_time = goodput<&GoodputFigures::shares, path...>;
template <auto... path>
constexpr auto checkpoint = goodput<&GoodputFigures::checkpoint, path...>;
template <auto... path>
constexpr auto months = at<&Report::membership, path...>;
template <auto... path>
constexpr auto target = at<&Report::target, path...>;

bool of_step(R report) { return report.step.has_value(); }
bool of_round(R report) { return report.round.has_value(); }
bool with_goodput(R report) { return report.goodput.has_value(); }
bool with_months(R report) { return report.membership.has_value(); }
bool with_target(R report) { return report.target().has_value(); }
template <auto share>
bool if_saved(R report) {
  return report.membership && (*report.membership).*share;
}

constexpr Figure kSetup[] = {
    {"topology", text, at<&Report::topology>},
    {"model", text, at<&Report::model>},
    {"scheme", text, at<&Report::scheme>},
    {"calibration", text, step<&StepFigures::calibration>, of_step},
    {"inner_scheme", text, round<&RoundFigures::inner_scheme>, of_round},
    {"sites", count, round<&RoundFigures::sites>, of_round},
    {"gpus", count, at<&Report::gpus>},
    {"node_placement", text, at<&Report::node_placement>,
     [](R r) { return !r.node_placement.empty(); }},
    {"data_parallel", count, step<&StepFigures::data>, of_step},
};

constexpr Figure kLayout[] = {
    {"tensor_parallel", count, layout<&Parallelism::tensor>},
    {"pipeline_parallel", count, layout<&Parallelism::pipeline>},
    {"zero_stage", count, layout<&Parallelism::sharding, &Sharding::stage>},
    {"hybrid_shard", count, layout<&Parallelism::sharding, &Sharding::ranks>},
    {"micro_batch", count, layout<&Parallelism::micro_batch>},
    {"accumulation", count, layout<&Parallelism::accumulation>},
};

template <auto member, const auto& names>
Value named(R report) {
  return std::string(name_of(report.parallelism.*member, names));
}

constexpr Figure kTraining[] = {
    {"global_batch", count, at<&Report::global_batch>},
    {"sequence", count, at<&Report::sequence>},
    {"precision", text, named<&Parallelism::matrices, kMatrixPrecisions>},
    {"weight_precision", text,
     [](R r) -> Value { return r.parallelism.gathers_matrices ? "fp8" : "bf16"; }},
    {"gradient_precision", text, named<&Parallelism::gradients, kPrecisions>},
    {"optimizer", text, named<&Parallelism::optimizer, kOptimizers>},
    {"optimizer_state", text, named<&Parallelism::optimizer_state, kOptimizerStates>},
    {"recompute", text, named<&Parallelism::recompute, kRecomputes>},
    {"overlap", text, [](R r) -> Value { return to_text(r.parallelism.overlap); }},
    {"inner_steps", count, round<&RoundFigures::inner_steps>, of_round},
    {"across_every", count, round<&RoundFigures::across_every>, of_round},
    {"fragments", count, round<&RoundFigures::fragments>, of_round},
    {"overlap_steps", count, round<&RoundFigures::overlap_steps>, of_round},
};

constexpr Figure kSpeed[] = {
    {"outcome", text, round<&RoundFigures::outcome>, of_round},
    {"round_time_s", seconds, at<&Report::time_s>, of_round},
    {"step_time_s", seconds,
     [](R r) -> Value { return r.time_s / (r.round ? r.round->inner_steps : 1); }},
    {"tokens_per_s", tokens_per_s, at<&Report::tokens_per_s>},
    {"tflops_per_gpu", tflops, step<&StepFigures::tflops_per_gpu>, of_step},
    {"mfu", share, step<&StepFigures::mfu>, of_step},
    {"compute_utilisation", share, round<&RoundFigures::utilisation>, of_round},
    {"exchange_after_round_s", seconds, round<&RoundFigures::exchange_after_round_s>, of_round},
    {"time_site", text, round<&RoundFigures::time_site>, of_round},
};

constexpr Figure kTimeParts[] = {
    {"compute_s", seconds, time<&TimeParts::compute_s>},
    {"exposed_comm_s", seconds, time<&TimeParts::exposed_comm_s>},
    {"codec_s", seconds, time<&TimeParts::codec_s>},
    {"host_s", seconds, time<&TimeParts::host_s>},
    {"bubble_s", seconds, time<&TimeParts::bubble_s>},
    {"optimizer_s", seconds, time<&TimeParts::optimizer_s>},
    {"other_s", seconds, time<&TimeParts::other_s>},
};

constexpr Figure kCosts[] = {
    {"wire_bytes_intra_node", bytes, step<&StepFigures::wire, &WireBytes::intra_node>, of_step},
    {"wire_bytes_inter_node", bytes, step<&StepFigures::wire, &WireBytes::inter_node>, of_step},
    {"wire_bytes_wan", bytes, [](R r) { return r.ended() ? Value(r.wire_bytes_wan) : Value(); }},
    {"bits_per_parameter", bits, round<&RoundFigures::bits_per_parameter>, of_round},
    {"compression_ratio_fp32", ratio, at<&Report::compression_ratio_fp32>},
    {"compression_ratio_bf16", ratio, at<&Report::compression_ratio_bf16>},
    {"gradient_exchange_s", seconds, step<&StepFigures::gradient_exchange_s>, of_step},
    {"memory_per_gpu_bytes", bytes, at<&Report::memory, &MemoryUse::total>},
    {"fits_memory", truth, at<&Report::fits_memory>},
    {"egress_usd", usd, round<&RoundFigures::egress_usd>, of_round},
    {"link_usd", usd, round<&RoundFigures::link_usd>, of_round},
    {"energy_j", joules, at<&Report::energy_j>},
    {"usd_per_million_tokens", usd_per_million_tokens, at<&Report::usd_per_million_tokens>},
};

// Null where it was not simulated.
constexpr Figure kRanges[] = {
    {"tokens_per_s_low", tokens_per_s, at<&Report::range, &LikelyRange::tokens_per_s_low>},
    {"tokens_per_s_high", tokens_per_s, at<&Report::range, &LikelyRange::tokens_per_s_high>},
    {"usd_per_million_tokens_low", usd_per_million_tokens,
     at<&Report::range, &LikelyRange::usd_per_million_tokens_low>},
    {"usd_per_million_tokens_high", usd_per_million_tokens,
     at<&Report::range, &LikelyRange::usd_per_million_tokens_high>},
};

using Months = MembershipFigures;

// Of a job that fails, or of sites that come and go.
constexpr Figure kMonth[] = {
    {"reliability", text, goodput<&GoodputFigures::reliability>, with_goodput},
    {"goodput", share, share_of_time<&TimeShares::goodput>, with_goodput},
    {"goodput_low", share, goodput<&GoodputFigures::goodput_low>, with_goodput},
    {"goodput_high", share, goodput<&GoodputFigures::goodput_high>, with_goodput},
    {"checkpoint_share", share, share_of_time<&TimeShares::checkpoints>, with_goodput},
    {"detection_share", share, share_of_time<&TimeShares::detection>, with_goodput},
    {"restart_share", share, share_of_time<&TimeShares::restart>, with_goodput},
    {"repair_share", share, share_of_time<&TimeShares::repair>, with_goodput},
    {"recomputed_share", share, share_of_time<&TimeShares::recomputed>, with_goodput},
    {"job_mtbf_s", seconds, goodput<&GoodputFigures::mtbf_s>, with_goodput},
    {"spare_nodes", count, goodput<&GoodputFigures::spares>, with_goodput},
    {"interruption_span_s", seconds, goodput<&GoodputFigures::span_s>, with_goodput},
    {"interruptions", count, goodput<&GoodputFigures::interruptions>, with_goodput},
    {"interruptions_low", count, goodput<&GoodputFigures::interruptions_low>, with_goodput},
    {"interruptions_high", count, goodput<&GoodputFigures::interruptions_high>, with_goodput},
    {"checkpoint_bytes", bytes, checkpoint<&CheckpointTimes::state_bytes>, with_goodput},
    {"checkpoint_stall_s", seconds, checkpoint<&CheckpointTimes::stall_s>, with_goodput},
    {"checkpoint_write_s", seconds, checkpoint<&CheckpointTimes::write_s>, with_goodput},
    {"checkpoint_load_s", seconds, checkpoint<&CheckpointTimes::load_s>, with_goodput},
    {"checkpoint_interval_s", seconds, goodput<&GoodputFigures::interval_s>, with_goodput},
    {"young_interval_s", seconds, goodput<&GoodputFigures::young_s>, with_goodput},
    {"daly_interval_s", seconds, goodput<&GoodputFigures::daly_s>, with_goodput},
    {"tokens_per_day", tokens_per_day, goodput<&GoodputFigures::tokens_per_day>, with_goodput},
    {"tokens_per_day_low", tokens_per_day, goodput<&GoodputFigures::tokens_per_day_low>,
     with_goodput},
    {"tokens_per_day_high", tokens_per_day, goodput<&GoodputFigures::tokens_per_day_high>,
     with_goodput},
    {"members", count, months<&Months::members>, with_months},
    {"leaves_per_day", per_day, months<&Months::leaves_per_day>, with_months},
    {"kept_tokens_per_s", tokens_per_s, months<&Months::tokens_per_s>, with_months},
    {"kept_tokens_per_s_low", tokens_per_s, months<&Months::tokens_per_s_low>, with_months},
    {"kept_tokens_per_s_high", tokens_per_s, months<&Months::tokens_per_s_high>, with_months},
    {"expected_tokens_per_s", tokens_per_s, months<&Months::expected_tokens_per_s>, with_months},
    {"kept_share", share, months<&Months::kept_share>, with_months},
    {"lost_share", share, months<&Months::lost_share>, with_months},
    {"waited_share", share, months<&Months::waited_share>, with_months},
    {"idle_share", share, months<&Months::idle_share>, with_months},
    {"kept_usd_per_million_tokens", usd_per_million_tokens, months<&Months::usd_per_million_tokens>,
     with_months},
    {"undone_share", share, months<&Months::undone_share>, if_saved<&Months::undone_share>},
    {"saved_share", share, months<&Months::saved_share>, if_saved<&Months::saved_share>},
    {"target_tokens", tokens, target<&TokenTarget::tokens>, with_target},
    {"training_days", days, target<&TokenTarget::days>, with_target},
    {"training_days_low", days, target<&TokenTarget::days_low>, with_target},
    {"training_days_high", days, target<&TokenTarget::days_high>, with_target},
    {"training_usd", usd, target<&TokenTarget::usd>, with_target},
    {"training_usd_low", usd, target<&TokenTarget::usd_low>, with_target},
    {"training_usd_high", usd, target<&TokenTarget::usd_high>, with_target},
};

template <auto member>
Value if_compared(R report) {
  return report.baseline.empty() ? Value() : at<member>(report);
}
template <auto... path>
constexpr auto break_even = at<&Report::break_even, path...>;

constexpr Figure kComparison[] = {
    {"speedup", ratio, if_compared<&Report::speedup>},
    {"speedup_low", ratio, at<&Report::speedup_range, &LikelyRatio::low>},
    {"speedup_high", ratio, at<&Report::speedup_range, &LikelyRatio::high>},
    {"verdict", text, [](R r) { return r.verdict ? Value(verdict_name(*r.verdict)) : Value(); }},
    {"baseline", text, if_compared<&Report::baseline>},
    {"baseline_fits_memory", truth, if_compared<&Report::baseline_fits>},
    {"flags", text, at<&Report::flags>, of_step},
    {"baseline_flags", text, at<&Report::baseline_flags>, of_step},
    {"pays_at_nic_Bps", bytes_per_s, break_even<&BreakEven::pays_at_Bps>, of_step},
    {"loses_at_nic_Bps", bytes_per_s, break_even<&BreakEven::loses_at_Bps>, of_step},
    {"break_even_low_nic_Bps", bytes_per_s, break_even<&BreakEven::low_Bps>, of_step},
    {"break_even_high_nic_Bps", bytes_per_s, break_even<&BreakEven::high_Bps>, of_step},
    {"host_memory_per_node_bytes", bytes, step<&StepFigures::host_memory_bytes>, of_step},
};

nlohmann::ordered_json json_of(const Value& value) {
  return std::visit(
      [](const auto& known) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<decltype(known), const std::monostate&>) {
          return nullptr;
        } else if constexpr (std::is_same_v<decltype(known), const double&>) {
          return std::isfinite(known) ? nlohmann::ordered_json(known) : nullptr;
        } else {
          return known;
        }
      },
      value);
}

constexpr std::span<const Figure> kParts[] = {kSetup, kLayout, kTraining, kSpeed,     kTimeParts,
                                              kCosts, kRanges, kMonth,    kComparison};

}  // namespace
}  // namespace figure_rows

std::span<const Figure> layout_figures() { return figure_rows::kLayout; }
std::span<const Figure> time_part_figures() { return figure_rows::kTimeParts; }
std::span<const Figure> month_figures() { return figure_rows::kMonth; }

const std::vector<Figure>& all_figures() {
  static const std::vector<Figure> all = [] {
    std::vector<Figure> figures;
    for (const auto& part : figure_rows::kParts) {
      figures.insert(figures.end(), part.begin(), part.end());
    }
    return figures;
  }();
  return all;
}

void add_figures(std::span<const Figure> figures, const Report& report,
                 nlohmann::ordered_json& record) {
  for (const Figure& figure : figures) {
    if (figure.when(report))
      record[std::string(figure.name)] = figure_rows::json_of(figure.value(report));
  }
}

}  // namespace sim
