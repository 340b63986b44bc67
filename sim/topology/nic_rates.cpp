// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/nic_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/quantity_text.hpp"

namespace sim {
namespace {

constexpr std::array kSoldGbps{1.0,  2.5,  5.0,   10.0,  25.0,  40.0,
                               50.0, 56.0, 100.0, 200.0, 400.0, 800.0};

bool is_same(Bandwidth one, Bandwidth other) {
  return std::abs(one.base() - other.base()) <= 1e-6 * other.base();
}

}  // namespace

std::vector<Bandwidth> nic_rates() {
  std::vector<Bandwidth> rates;
  for (const double one : kSoldGbps) rates.push_back(Bandwidth::from_base(one * 1e9 / 8));
  return rates;
}

std::string why_not_built(const Cluster& cluster, Bandwidth nic) {
  if (is_same(nic, cluster.network.nic_bandwidth)) return "";
  const std::vector<Bandwidth> sold = nic_rates();
  const auto above = std::ranges::find_if(
      sold, [&](Bandwidth one) { return one.base() > nic.base() || is_same(one, nic); });
  if (above == sold.end()) {
    return fmt::format("no NIC of {} is sold; the fastest has {}", gbps_text(nic),
                       gbps_text(sold.back()));
  }
  if (!is_same(*above, nic)) {
    return fmt::format("no NIC of {} is sold; the next faster one has {}", gbps_text(nic),
                       gbps_text(*above));
  }
  const auto& slot = cluster.gpu.host_bandwidth;
  if (slot && nic.base() > slot->base()) {
    return fmt::format(
        "a NIC of {} needs {} of its slot, whose lanes carry {}; where hosts have faster ones, set "
        "gpu.host_bandwidth",
        gbps_text(nic), to_text(nic), to_text(*slot));
  }
  return "";
}

}  // namespace sim
