// SPDX-License-Identifier: Apache-2.0
#include "apps/check/tolerance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "apps/arguments.hpp"
#include "sim/base/error.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

struct Metric {
  std::string_view name;
  Worse worse;
};

// What people look at first comes first. Names that end in a dot are those of a group.
constexpr Metric kMetrics[] = {
    {"step_time_s", Worse::more},
    {"round_time_s", Worse::more},
    {"tokens_per_s", Worse::less},
    {"kept_tokens_per_s", Worse::less},
    {"tokens_per_day", Worse::less},
    {"goodput", Worse::less},
    {"training_days", Worse::more},
    {"training_usd", Worse::more},
    {"speedup", Worse::less},
    {"tflops_per_gpu", Worse::less},
    {"mfu", Worse::less},
    {"compute_utilisation", Worse::less},
    {"compute_s", Worse::more},
    {"exposed_comm_s", Worse::more},
    {"codec_s", Worse::more},
    {"host_s", Worse::more},
    {"bubble_s", Worse::more},
    {"optimizer_s", Worse::more},
    {"other_s", Worse::more},
    {"gradient_exchange_s", Worse::more},
    {"exchange_after_round_s", Worse::more},
    {"wire_bytes_intra_node", Worse::more},
    {"wire_bytes_inter_node", Worse::more},
    {"wire_bytes_wan", Worse::more},
    {"bits_per_parameter", Worse::more},
    {"compression_ratio_fp32", Worse::less},
    {"compression_ratio_bf16", Worse::less},
    {"memory_per_gpu_bytes", Worse::more},
    {"energy_j", Worse::more},
    {"usd_per_million_tokens", Worse::more},
    {"kept_usd_per_million_tokens", Worse::more},
    {"egress_usd", Worse::more},
    {"link_usd", Worse::more},
    {"pays_at_nic_Bps", Worse::neither},
    {"loses_at_nic_Bps", Worse::neither},
    {"codec_error.", Worse::more},
};

const Metric* find(std::string_view name) {
  const auto* const found = std::ranges::find_if(kMetrics, [&](const Metric& metric) {
    return metric.name.ends_with('.') ? name.starts_with(metric.name) : name == metric.name;
  });
  return found == std::end(kMetrics) ? nullptr : found;
}

// A finite number from 0 up, which is all of the text.
std::optional<double> bound_in(std::string_view text) {
  const auto value = sim::number_in<double>(text);
  return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
}

}  // namespace

Worse worse_of(std::string_view metric) {
  const Metric* const known = find(metric);
  return known == nullptr ? Worse::neither : known->worse;
}

bool is_known_metric(std::string_view metric) { return find(metric) != nullptr; }

std::size_t rank_of(std::string_view metric) {
  const Metric* const known = find(metric);
  return static_cast<std::size_t>((known == nullptr ? std::end(kMetrics) : known) - kMetrics);
}

Tolerance tolerance_of(std::string_view metric, const Tolerances& tolerances) {
  if (const auto own = tolerances.find(metric); own != tolerances.end()) return own->second;
  const auto all = tolerances.find(kAllMetrics);
  return all == tolerances.end() ? kUsualTolerance : all->second;
}

bool is_within(double before, double now, const Tolerance& tolerance) {
  const double limit = std::max(tolerance.absolute, tolerance.relative * std::abs(before));
  return tolerance.off || std::abs(now - before) <= limit;
}

std::string tolerance_text(const Tolerance& tolerance) {
  if (tolerance.off) return "off";
  const std::string relative = fmt::format("{:.6g} %", 100 * tolerance.relative);
  const std::string absolute = fmt::format("{:.6g}", tolerance.absolute);
  if (tolerance.absolute == 0) return relative;
  return tolerance.relative == 0 ? absolute : fmt::format("{} or {}", relative, absolute);
}

std::pair<std::string, Tolerance> parse_tolerance(const std::string& text) {
  const auto refuse = [&] {
    throw sim::InputError(
        fmt::format("--tolerance: '{}' is not METRIC=TOLERANCE; write e.g. step_time_s=0.5%, "
                    "codec_s=1e-6, codec_s=0.5%,1e-6, bubble_s=off or all=0.1%",
                    sim::printable(text)));
  };
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) refuse();
  const std::string value = text.substr(equals + 1);
  Tolerance tolerance{.off = value == "off"};
  if (tolerance.off) return {text.substr(0, equals), tolerance};
  const std::vector<std::string> parts = split(value);
  if (parts.size() > 2) refuse();
  bool has_relative = false, has_absolute = false;
  for (const std::string& part : parts) {
    const bool percent = part.ends_with('%');
    const auto number = bound_in(percent ? std::string_view(part).substr(0, part.size() - 1)
                                         : std::string_view(part));
    bool& has = percent ? has_relative : has_absolute;
    if (!number || has) refuse();
    has = true;
    (percent ? tolerance.relative : tolerance.absolute) = percent ? *number / 100 : *number;
  }
  return {text.substr(0, equals), tolerance};
}

}  // namespace apps
