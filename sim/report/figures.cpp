// SPDX-License-Identifier: Apache-2.0
#include "sim/report/figures.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"
#include "sim/report/figure_values.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {
// A namespace of their own, as the names of getters are short.
namespace figure_values {
namespace {

using R = const Report&;
using Months = MembershipFigures;

template <Value (*value)(R)>
Value of_step(R report) {
  return report.step ? value(report) : std::nullopt;
}

template <auto... path>
constexpr auto layout = at<&Report::parallelism, path...>;
template <auto part>
constexpr auto parameters = at<&Report::model_size, &ModelSize::parameters, part>;
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
template <auto... path>
constexpr auto break_even = of_step<or_null<&Report::break_even, path...>>;

template <auto member, const auto& names>
Value named(R report) {
  return std::string(name_of(report.parallelism.*member, names));
}

template <auto member>
Value if_compared(R report) {
  return report.baseline.empty() ? nullptr : at<member>(report);
}

constexpr Figure kHead[] = {
    // The setup.
    {"topology", kText, at<&Report::topology>},
    {"model", kText, at<&Report::model>},
    {"scheme", kText, at<&Report::scheme>},
    {"calibration", kText, step<&StepFigures::calibration>},
    {"inner_scheme", kText, round<&RoundFigures::inner_scheme>},
    {"sites", kCount, round<&RoundFigures::sites>},
    {"gpus", kCount, at<&Report::gpus>},
    {"node_placement", kText,
     [](R r) { return r.node_placement.empty() ? Value() : r.node_placement; }},
    {"data_parallel", kCount, step<&StepFigures::data>},
};

constexpr Figure kMain[] = {
    {"global_batch", kCount, at<&Report::global_batch>},
    {"sequence", kCount, at<&Report::sequence>},
    {"precision", kText, named<&Parallelism::matrices, kMatrixPrecisions>},
    {"weight_precision", kText,
     [](R r) -> Value { return r.parallelism.gathers_matrices ? "fp8" : "bf16"; }},
    {"gradient_precision", kText, named<&Parallelism::gradients, kPrecisions>},
    {"optimizer", kText, named<&Parallelism::optimizer, kOptimizers>},
    {"optimizer_state", kText, named<&Parallelism::optimizer_state, kOptimizerStates>},
    {"recompute", kText, named<&Parallelism::recompute, kRecomputes>},
    {"overlap", kText, [](R r) -> Value { return to_text(r.parallelism.overlap); }, "overlap"},
    {"inner_steps", kCount, round<&RoundFigures::inner_steps>},
    {"across_every", kCount, round<&RoundFigures::across_every>, "across regions every"},
    {"fragments", kCount, round<&RoundFigures::fragments>, "fragments"},
    {"overlap_steps", kCount, round<&RoundFigures::overlap_steps>},
    // Times and speed.
    {"outcome", kText, round<&RoundFigures::outcome>},
    {"round_time_s", kSeconds, [](R r) { return r.round ? Value(r.time_s) : std::nullopt; },
     "time per round", Worse::more},
    {"step_time_s", kSeconds,
     [](R r) -> Value { return r.time_s / (r.round ? r.round->inner_steps : 1); }, "step",
     Worse::more},
    {"tokens_per_s", kTokensPerSecond, at<&Report::tokens_per_s>, "tokens per second", Worse::less},
    {"tflops_per_gpu", kTeraflops, step<&StepFigures::tflops_per_gpu>, "TFLOPs per GPU",
     Worse::less},
    {"mfu", kPercent, step<&StepFigures::mfu>, "MFU", Worse::less},
    {"compute_utilisation", kPercent, round<&RoundFigures::utilisation>, "compute utilisation",
     Worse::less},
    {"exchange_after_round_s", kSeconds, round<&RoundFigures::exchange_after_round_s>,
     "exchange after the round", Worse::more},
    {"time_site", kText, round<&RoundFigures::time_site>, "at the site"},
    {"compute_s", kSeconds, time<&TimeParts::compute_s>, "compute", Worse::more},
    {"exposed_comm_s", kSeconds, time<&TimeParts::exposed_comm_s>, "exposed communication",
     Worse::more},
    {"codec_s", kSeconds, time<&TimeParts::codec_s>, "codec kernels", Worse::more},
    {"host_s", kSeconds, time<&TimeParts::host_s>, "waiting for the host", Worse::more},
    {"bubble_s", kSeconds, time<&TimeParts::bubble_s>, "pipeline bubble, waits", Worse::more},
    {"optimizer_s", kSeconds, time<&TimeParts::optimizer_s>, "optimizer", Worse::more},
    {"other_s", kSeconds, time<&TimeParts::other_s>, "passes over buffers", Worse::more},
    // Bytes, memory and costs.
    {"wire_bytes_intra_node", kBytes, step<&StepFigures::wire, &WireBytes::intra_node>, nullptr,
     Worse::more},
    {"wire_bytes_inter_node", kBytes, step<&StepFigures::wire, &WireBytes::inter_node>, nullptr,
     Worse::more},
    {"wire_bytes_wan", kBytes, [](R r) { return r.ended() ? Value(r.wire_bytes_wan) : nullptr; },
     "sent per site per round", Worse::more},
    {"bits_per_parameter", kBits, round<&RoundFigures::bits_per_parameter>, "bits per parameter",
     Worse::more},
    {"compression_ratio_fp32", kRatio, at<&Report::compression_ratio_fp32>, "compression over FP32",
     Worse::less},
    {"compression_ratio_bf16", kRatio, at<&Report::compression_ratio_bf16>, "compression over BF16",
     Worse::less},
    {"gradient_exchange_s", kSeconds, step<&StepFigures::gradient_exchange_s>, nullptr,
     Worse::more},
    {"memory_per_gpu_bytes", kBytes, at<&Report::memory, &MemoryUse::total>, "memory per GPU",
     Worse::more},
    {"fits_memory", kTruth, at<&Report::fits_memory>},
    {"egress_usd", kDollars, round<&RoundFigures::egress_usd>, "egress per round", Worse::more},
    {"link_usd", kDollars, round<&RoundFigures::link_usd>, "leased links per round", Worse::more},
    {"energy_j", kJoules, at<&Report::energy_j>, "energy per step", Worse::more},
    {"usd_per_million_tokens", kPrice, at<&Report::usd_per_million_tokens>,
     "USD per million tokens", Worse::more},
    // Likely ranges: null where they were not simulated.
    {"tokens_per_s_low", kTokensPerSecond, or_null<&Report::range, &LikelyRange::tokens_per_s_low>},
    {"tokens_per_s_high", kTokensPerSecond,
     or_null<&Report::range, &LikelyRange::tokens_per_s_high>},
    {"usd_per_million_tokens_low", kPrice,
     or_null<&Report::range, &LikelyRange::usd_per_million_tokens_low>},
    {"usd_per_million_tokens_high", kPrice,
     or_null<&Report::range, &LikelyRange::usd_per_million_tokens_high>},
    // A month of a job that fails, or of sites that come and go.
    {"reliability", kText, goodput<&GoodputFigures::reliability>, "goodput, with failures of"},
    {"goodput", kPercent, share_of_time<&TimeShares::goodput>, "share of the time kept",
     Worse::less},
    {"goodput_low", kPercent, goodput<&GoodputFigures::goodput_low>},
    {"goodput_high", kPercent, goodput<&GoodputFigures::goodput_high>},
    {"checkpoint_share", kSmallPercent, share_of_time<&TimeShares::checkpoints>, "checkpoints"},
    {"detection_share", kSmallPercent, share_of_time<&TimeShares::detection>, "detection"},
    {"restart_share", kSmallPercent, share_of_time<&TimeShares::restart>, "restart"},
    {"repair_share", kSmallPercent, share_of_time<&TimeShares::repair>, "waiting for repairs"},
    {"recomputed_share", kSmallPercent, share_of_time<&TimeShares::recomputed>, "trained again"},
    {"job_mtbf_s", kSeconds, goodput<&GoodputFigures::mtbf_s>, "time between failures"},
    {"spare_nodes", kCount, goodput<&GoodputFigures::spares>, "spare nodes"},
    {"interruption_span_s", kSeconds, goodput<&GoodputFigures::span_s>},
    {"interruptions", kNoUnit, goodput<&GoodputFigures::interruptions>, "interruptions"},
    {"interruptions_low", kNoUnit, goodput<&GoodputFigures::interruptions_low>},
    {"interruptions_high", kNoUnit, goodput<&GoodputFigures::interruptions_high>},
    {"checkpoint_bytes", kBytes, checkpoint<&CheckpointTimes::state_bytes>, "checkpoint"},
    {"checkpoint_stall_s", kSeconds, checkpoint<&CheckpointTimes::stall_s>, "stalls for"},
    {"checkpoint_write_s", kSeconds, checkpoint<&CheckpointTimes::write_s>, "written after"},
    {"checkpoint_load_s", kSeconds, checkpoint<&CheckpointTimes::load_s>},
    {"checkpoint_interval_s", kSeconds, goodput<&GoodputFigures::interval_s>, "each"},
    {"young_interval_s", kSeconds, goodput<&GoodputFigures::young_s>},
    {"daly_interval_s", kSeconds, goodput<&GoodputFigures::daly_s>},
    {"tokens_per_day", kTokensPerDay, goodput<&GoodputFigures::tokens_per_day>, "tokens per day",
     Worse::less},
    {"tokens_per_day_low", kTokensPerDay, goodput<&GoodputFigures::tokens_per_day_low>},
    {"tokens_per_day_high", kTokensPerDay, goodput<&GoodputFigures::tokens_per_day_high>},
    {"members", kMean, months<&Months::members>, "sites in a round of a month"},
    {"leaves_per_day", kPerDay, months<&Months::leaves_per_day>, "that leave a day"},
    {"kept_tokens_per_s", kTokensPerSecond, months<&Months::tokens_per_s>, "tokens/s kept",
     Worse::less},
    {"kept_tokens_per_s_low", kTokensPerSecond, months<&Months::tokens_per_s_low>},
    {"kept_tokens_per_s_high", kTokensPerSecond, months<&Months::tokens_per_s_high>},
    {"expected_tokens_per_s", kTokensPerSecond, months<&Months::expected_tokens_per_s>,
     "by plain arithmetic"},
    {"kept_share", kSmallPercent, months<&Months::kept_share>, "of those with all sites"},
    {"lost_share", kSmallPercent, months<&Months::lost_share>, "steps lost with sites that left"},
    {"waited_share", kSmallPercent, months<&Months::waited_share>, "waiting for sites that left"},
    {"idle_share", kSmallPercent, months<&Months::idle_share>, "waiting for enough sites"},
    {"kept_usd_per_million_tokens", kPrice, months<&Months::usd_per_million_tokens>,
     "USD per million tokens kept", Worse::more},
    {"undone_share", kSmallPercent, months<&Months::undone_share>,
     "steps undone since the checkpoint"},
    {"saved_share", kSmallPercent, months<&Months::saved_share>, "writing checkpoints"},
    {"target_tokens", kTokenCount, target<&TokenTarget::tokens>, "tokens to train"},
    {"training_days", kDays, target<&TokenTarget::days>, "time", Worse::more},
    {"training_days_low", kDays, target<&TokenTarget::days_low>},
    {"training_days_high", kDays, target<&TokenTarget::days_high>},
    {"training_usd", kDollars, target<&TokenTarget::usd>, "price", Worse::more},
    {"training_usd_low", kDollars, target<&TokenTarget::usd_low>},
    {"training_usd_high", kDollars, target<&TokenTarget::usd_high>},
    // The comparison with a baseline.
    {"speedup", kRatio, if_compared<&Report::speedup>, "speed-up", Worse::less},
    {"speedup_low", kRatio, or_null<&Report::speedup_range, &LikelyRatio::low>},
    {"speedup_high", kRatio, or_null<&Report::speedup_range, &LikelyRatio::high>},
    {"verdict", kText, [](R r) { return r.verdict ? Value(verdict_name(*r.verdict)) : nullptr; }},
    {"baseline", kText, if_compared<&Report::baseline>, "over"},
    {"baseline_fits_memory", kTruth, if_compared<&Report::baseline_fits>},
    {"flags", kText, of_step<or_null<&Report::flags>>},
    {"baseline_flags", kText, of_step<or_null<&Report::baseline_flags>>},
    {"pays_at_nic_Bps", kBytesPerSecond, break_even<&BreakEven::pays_at_Bps>},
    {"loses_at_nic_Bps", kBytesPerSecond, break_even<&BreakEven::loses_at_Bps>},
    {"break_even_low_nic_Bps", kBytesPerSecond, break_even<&BreakEven::low_Bps>},
    {"break_even_high_nic_Bps", kBytesPerSecond, break_even<&BreakEven::high_Bps>},
    {"host_memory_per_node_bytes", kBytes, step<&StepFigures::host_memory_bytes>},
    // What the model amounts to; behind all others, so that columns keep their places.
    {"parameters", kCount, parameters<&ParametersByPart::total>},
    {"active_parameters", kCount, parameters<&ParametersByPart::active>},
    {"active_parameters_without_embedding", kCount,
     parameters<&ParametersByPart::active_without_words>},
    {"attention_parameters", kCount, parameters<&ParametersByPart::attention>},
    {"feed_forward_parameters", kCount, parameters<&ParametersByPart::feed_forward>},
    {"expert_parameters", kCount, parameters<&ParametersByPart::experts>},
    {"norm_parameters", kCount, parameters<&ParametersByPart::norms>},
    {"embedding_parameters", kCount, parameters<&ParametersByPart::ends>},
    {"prediction_parameters", kCount, parameters<&ParametersByPart::predictions>},
    {"flop_per_token", kNoUnit, at<&Report::model_size, &ModelSize::flop_per_token>},
    {"flop_per_token_causal", kNoUnit, at<&Report::model_size, &ModelSize::flop_per_token_causal>},
    // Added later, likewise.
    {"context_parallel", kCount, layout<&Parallelism::context>},
    {"expert_parallel", kCount, layout<&Parallelism::expert>},
    {"expert_tensor_parallel", kCount, [](R r) { return Value(expert_tensor(r.parallelism)); }},
    {"offload_activations", kText,
     [](R r) -> Value { return offloaded_text(r.parallelism.offloaded_layers); }},
};

constexpr auto kFigures = joined(kHead, kLayoutRows<Report>, kMain);

// From one row to another.
constexpr std::span<const Figure> rows(std::string_view first, std::string_view last) {
  const auto* const from = std::ranges::find(kFigures, first, &Figure::name);
  return {from, std::ranges::find(from, std::end(kFigures), last, &Figure::name) + 1};
}
constexpr auto kLayout = rows("tensor_parallel", "accumulation");
constexpr auto kLaterLayout = rows("context_parallel", "expert_tensor_parallel");
constexpr auto kTimeParts = rows("compute_s", "other_s");
constexpr auto kMonth = rows("reliability", "training_usd_high");

}  // namespace
}  // namespace figure_values

std::span<const Figure> all_figures() { return figure_values::kFigures; }
std::span<const Figure> layout_figures() { return figure_values::kLayout; }
std::span<const Figure> later_layout_figures() { return figure_values::kLaterLayout; }
std::span<const Figure> time_part_figures() { return figure_values::kTimeParts; }
std::span<const Figure> month_figures() { return figure_values::kMonth; }

const Figure* find_figure(std::string_view name) {
  const auto found = std::ranges::find(all_figures(), name, &Figure::name);
  return found == all_figures().end() ? nullptr : &*found;
}

const Figure& figure_named(std::string_view name) {
  const Figure* const found = find_figure(name);
  require(found != nullptr, "only known figures are asked for");
  return *found;
}

void add_figure(std::string_view name, const std::optional<FigureValue>& value,
                nlohmann::ordered_json& record) {
  if (!value) return;
  const auto* const number = std::get_if<double>(&*value);
  const bool is_finite = number == nullptr || std::isfinite(*number);
  const auto json_of = [](const auto& known) { return nlohmann::ordered_json(known); };
  record[std::string(name)] = is_finite ? std::visit(json_of, *value) : nullptr;
}

void add_figures(std::initializer_list<std::string_view> names, const Report& report,
                 nlohmann::ordered_json& record) {
  for (const std::string_view name : names)
    add_figure(name, figure_named(name).value(report), record);
}

}  // namespace sim
