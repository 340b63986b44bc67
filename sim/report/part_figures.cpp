// SPDX-License-Identifier: Apache-2.0
// The figures of a report's parts: a row for each key of the objects that its JSON has.
#include "sim/report/figure_values.hpp"

namespace sim {
namespace {

using figure_values::at;

constexpr FigureOf<SiteReport> kSiteHead[] = {
    {"site", kText, at<&SiteReport::name>},
    {"count", kCount, at<&SiteReport::count>},
    {"gpu", kText, at<&SiteReport::gpu>},
    {"gpus", kCount, at<&SiteReport::gpus>},
    {"inner_scheme", kText, at<&SiteReport::inner_scheme>},
};
constexpr FigureOf<SiteReport> kSiteMain[] = {
    {"inner_steps", kCount, at<&SiteReport::inner_steps>},
    {"inner_step_s", kSeconds, at<&SiteReport::inner_step_s>},
    {"slowdown_beside_traffic", kRatio, at<&SiteReport::slowdown>},
    {"sent_bytes", kBytes, at<&SiteReport::sent_bytes>},
    {"received_bytes", kBytes, at<&SiteReport::received_bytes>},
    {"memory_per_gpu_bytes", kBytes, at<&SiteReport::memory, &MemoryUse::total>},
    {"fits_memory", kTruth, at<&SiteReport::fits_memory>},
    {"host_memory_per_node_bytes", kBytes, at<&SiteReport::host_memory_bytes>},
};
constexpr auto kSite =
    figure_values::joined(kSiteHead, figure_values::kLayoutRows<SiteReport>, kSiteMain);

constexpr FigureOf<Sensitivity> kSensitivity[] = {
    {"compute", kNoUnit, at<&Sensitivity::compute>},
    {"network", kNoUnit, at<&Sensitivity::network>},
    {"codecs", kNoUnit, at<&Sensitivity::codecs>},
    {"slower_host", kNoUnit, at<&Sensitivity::slower_host>},
    {"faster_host", kNoUnit, at<&Sensitivity::faster_host>},
    {"slower_network", kNoUnit, at<&Sensitivity::slower_network>},
};

constexpr FigureOf<LinkUse> kLink[] = {
    {"link", kText, at<&LinkUse::link>},
    {"set_by", kText, at<&LinkUse::set_by>},
    {"busy", kPercent, at<&LinkUse::busy>},
};

constexpr FigureOf<ParetoPlace> kPareto[] = {
    {"sends_plain", kTruth, at<&ParetoPlace::sends_plain>},
    {"error", kNoUnit, figure_values::or_null<&ParetoPlace::error>},
    {"on_front", kTruth, at<&ParetoPlace::on_front>},
};

}  // namespace

std::span<const FigureOf<SiteReport>> site_figures() { return kSite; }
std::span<const FigureOf<Sensitivity>> sensitivity_figures() { return kSensitivity; }
std::span<const FigureOf<LinkUse>> link_figures() { return kLink; }
std::span<const FigureOf<ParetoPlace>> pareto_figures() { return kPareto; }

}  // namespace sim
